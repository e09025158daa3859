//! Guiding texts, and records that are neither games nor texts nor analyses.

use tabiya_model::charset::Charset;
use tabiya_model::{Game, TapeOp};

use super::names::{Cbh2GameNames, LANGUAGES};
use super::texts::{push_string, text_bytes};
use super::{Cbh2GameParts, Cbh2HeaderPart};
use crate::cbh2::layout::{Cbh2Record, MOST_CONTENT, RECORD, tag};
use crate::cbh2::losses::{LOST_COMMENT, LOST_EXTENSION};
use crate::cbh2::record::{RECORD_EXTENSION, TEXT_EXTENSION, language_mark};
use crate::encode::{CbhLossReport, only_extension};

/// A record that was neither a game nor a text nor an analysis, as it stood.
pub(super) fn unknown_record(game: &Game) -> Option<Cbh2GameParts> {
    let is_alone = game.tape.len() == 1 && matches!(game.tape.get(0), Some(TapeOp::Ext(_)));
    let bytes = only_extension(&game.tape, RECORD_EXTENSION).filter(|_| is_alone)?;
    let record: [u8; RECORD] = bytes.try_into().ok()?;
    matches!(Cbh2Record::decode(&record), Cbh2Record::Unknown(_)).then(|| {
        let header = Cbh2HeaderPart::Unknown(Box::new(record));
        Cbh2GameParts::new(header, Cbh2GameNames::default())
    })
}

/// Writes the body of a guiding text: as it stood, or made anew of comments.
pub(super) fn write(
    game: &Game,
    charset: Option<Charset>,
    parts: &mut Cbh2GameParts,
    report: &mut CbhLossReport<'_>,
) {
    parts.tag = tag::TEXT;
    parts.moves = match only_extension(&game.tape, TEXT_EXTENSION) {
        Some(body) => body.to_vec(),
        None => {
            report.loss(&LOST_EXTENSION, "the body of a text is rebuilt");
            new_body(game, charset)
        }
    };
    if parts.moves.len() > MOST_CONTENT {
        report.loss(&LOST_COMMENT, "the text has more than 64 MB");
        report.loss(&LOST_EXTENSION, "the text has more than 64 MB");
        parts.moves = body_of(&[]);
    }
}

/// A body of texts in their languages.
fn body_of(texts: &[(i32, Vec<u8>)]) -> Vec<u8> {
    let mut list = u32::try_from(texts.len())
        .unwrap_or(0)
        .to_le_bytes()
        .to_vec();
    for (nation, text) in texts {
        list.extend(nation.to_le_bytes());
        push_string(&mut list, text);
    }
    let mut body = 5_u16.to_le_bytes().to_vec();
    push_string(&mut body, &list);
    body
}

fn new_body(game: &Game, charset: Option<Charset>) -> Vec<u8> {
    let mut texts: Vec<(i32, Vec<u8>)> = Vec::new();
    for op in game.tape.ops() {
        let TapeOp::Comment(id) = op else { continue };
        let text = game.tape.text(id);
        let marked = (1..256).find_map(|nation| {
            let mark = language_mark(nation);
            Some((nation, text.strip_prefix(&mark)?)).filter(|_| !mark.is_empty())
        });
        let (nation, text) = marked.unwrap_or((0, text));
        // A text is the content of a page.
        let escaped = text.replace('&', "&amp;").replace('<', "&lt;");
        let page = escaped.replace('>', "&gt;").replace('\n', "<br>");
        let bytes = text_bytes(&page, None, charset);
        texts.push((nation, bytes.unwrap_or_else(|| page.into_bytes())));
    }
    // The program has all of its languages in every text.
    let is_usual = texts.iter().all(|(nation, _)| LANGUAGES.contains(nation))
        && texts.is_sorted_by(|(a, _), (b, _)| a < b);
    if is_usual {
        for language in LANGUAGES {
            if !texts.iter().any(|(nation, _)| *nation == language) {
                texts.push((language, Vec::new()));
            }
        }
        texts.sort_by_key(|(nation, _)| *nation);
    }
    body_of(&texts)
}
