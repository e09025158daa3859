//! Guiding texts, and records that are neither games nor texts.

use tabiya_model::charset::Charset;
use tabiya_model::{Game, TapeOp};

use super::names::text_bytes;
use super::{CbhGameNames, CbhGameParts, CbhHeaderPart, CbhSecondPart};
use crate::cbh::layout::{CbhMoveHead, CbhRecordKind, RECORD, kind_of};
use crate::cbh::losses::{LOST_COMMENT, LOST_EXTENSION};
use crate::cbh::record::{RECORD_EXTENSION, TEXT_EXTENSION};
use crate::cbh::tables::title_language;
use crate::cbh::tags::title_tag;
use crate::encode::{CbhLossReport, only_extension};

/// A record that was neither a game nor a text, as it stood.
pub(super) fn unknown_record(game: &Game) -> Option<CbhGameParts> {
    let is_alone = game.tape.len() == 1 && matches!(game.tape.get(0), Some(TapeOp::Ext(_)));
    let bytes = only_extension(&game.tape, RECORD_EXTENSION).filter(|_| is_alone)?;
    let record: [u8; RECORD] = bytes.try_into().ok()?;
    (kind_of(record[0]) == CbhRecordKind::Unknown).then(|| CbhGameParts {
        header: CbhHeaderPart::Unknown(record),
        names: CbhGameNames::default(),
        second: CbhSecondPart::default(),
        moves: Vec::new(),
        notes: Vec::new(),
        media: Vec::new(),
    })
}

/// Writes the body of a guiding text: as it stood, or made anew of titles and comments.
pub(super) fn write(
    game: &Game,
    charset: Option<Charset>,
    parts: &mut CbhGameParts,
    report: &mut CbhLossReport<'_>,
) {
    let body = match only_extension(&game.tape, TEXT_EXTENSION) {
        Some(body) => body.to_vec(),
        None => {
            report.loss(&LOST_EXTENSION, "the body of a text is rebuilt");
            new_body(game, charset)
        }
    };
    let size = body.len() + CbhMoveHead::LENGTH;
    let [high, a, b, c] = u32::try_from(size).unwrap_or(u32::MAX).to_be_bytes();
    if high != 0 {
        report.loss(&LOST_COMMENT, "the text has more than 16 MB");
        report.loss(&LOST_EXTENSION, "the text has more than 16 MB");
        // Nothing at all: format 1 without titles and contents.
        parts.moves = vec![0x80, 0, 0, 11, 1, 0, 0, 0, 1, 0, 0];
        return;
    }
    parts.moves = [&[0x80, a, b, c], &body[..]].concat();
}

fn new_body(game: &Game, charset: Option<Charset>) -> Vec<u8> {
    let bytes = |text: &str| {
        let bytes = text_bytes(text, None, charset);
        bytes.unwrap_or_else(|| text.replace('\0', " ").into_bytes())
    };
    let mut titles = Vec::new();
    for tag in game.tags.iter() {
        if let Some(language) = (0..10_u16).find(|language| title_tag(*language) == tag.name) {
            titles.push((language, bytes(tag.value)));
        }
    }
    let mut contents = Vec::new();
    for op in game.tape.ops() {
        let TapeOp::Comment(id) = op else { continue };
        let text = game.tape.text(id);
        let marked = (0..7_u16).find_map(|language| {
            let mark = format!("[%lang {}] ", title_language(language)?);
            Some((language, text.strip_prefix(&mark)?))
        });
        let (language, text) = marked.unwrap_or((7, text));
        contents.push((language, bytes(text)));
    }
    let fits = |text: &[u8]| u16::try_from(text.len()).is_ok();
    titles.retain(|(_, title)| fits(title));
    let is_wide = !contents.iter().all(|(_, text)| fits(text));
    let count = |length: usize| u16::try_from(length).unwrap_or(u16::MAX).to_le_bytes();
    let mut body = vec![if is_wide { 2 } else { 1 }, 0];
    body.extend(count(titles.len()));
    for (language, title) in titles {
        body.extend(language.to_le_bytes());
        body.extend(count(title.len()));
        body.extend(title);
    }
    body.push(1);
    contents.truncate(usize::from(u16::MAX));
    body.extend(count(contents.len()));
    for (language, text) in contents {
        body.extend(language.to_le_bytes());
        match is_wide {
            true => body.extend(u32::try_from(text.len()).unwrap_or(0).to_le_bytes()),
            false => body.extend(count(text.len())),
        }
        body.extend(text);
        body.extend(vec![0; if is_wide { 4 } else { 2 }]);
    }
    body
}
