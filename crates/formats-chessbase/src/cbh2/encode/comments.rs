//! Comments to annotations: commands in front of a text become annotations of their own where exactly they are read as they
//! stand, a mark of a language becomes the language of the text, and the rest is the text.

use tabiya_model::canon_game::is_white as is_space;
use tabiya_model::charset::Charset;
use tabiya_model::command::{CommentPart, pieces};

use super::notes::Cbh2Note;
use crate::cbh2::annotated_moves::{plain, quotation_line, say};
use crate::cbh2::annotations::{Cbh2Annotation, kind, language_mark};
use crate::cbh2::text;
use crate::encode::walk::CbhKeptNote;

/// The number of a text's language if it has none.
pub(super) const ANY_LANGUAGE: u16 = 7;

/// So many commands of one comment are looked at; more are text.
const COMMANDS_MAX: usize = 100;

/// What became of a comment.
#[derive(Default)]
pub(super) struct Cbh2CommentNotes {
    /// The commands, with the number of the kept item that one is.
    pub(super) commands: Vec<(Cbh2Note, Option<usize>)>,
    /// The language of its text, and the text; nothing for commands alone.
    pub(super) text: Option<(u16, String)>,
    /// Where the text begins in the comment.
    pub(super) text_at: usize,
}

/// What is said of a kept annotation in a comment, behind other commands.
pub(super) fn say_kept(
    kept: &CbhKeptNote<'_>,
    is_white: bool,
    charset: Option<Charset>,
    out: &mut String,
) {
    if let Some(note) = Cbh2Annotation::of(kept.kind, kept.payload) {
        say(&note, is_white, charset.unwrap_or(text::DEFAULT), out);
    }
}

/// Whether a kept annotation is the quoted game that a comment tells.
pub(super) fn is_quotation(
    kept: &CbhKeptNote<'_>,
    comment: &str,
    charset: Option<Charset>,
) -> bool {
    match Cbh2Annotation::of(kept.kind, kept.payload) {
        Some(Cbh2Annotation::Quotation(quotation)) => {
            quotation_line(&quotation, charset.unwrap_or(text::DEFAULT)) == comment
        }
        _ => false,
    }
}

/// Whether a kept annotation is the name of a video that a text tells.
pub(super) fn is_video(
    kept: &CbhKeptNote<'_>,
    (language, text): (u16, &str),
    charset: Option<Charset>,
) -> bool {
    match Cbh2Annotation::of(kept.kind, kept.payload) {
        Some(Cbh2Annotation::Video(video)) => {
            let charset = charset.unwrap_or(text::DEFAULT);
            video.language == language && plain(video.bytes, charset) == text
        }
        _ => false,
    }
}

/// Cuts a comment into annotations; without `commands` all of it is text.
pub(super) fn cut(
    comment: &str,
    commands: bool,
    is_white: bool,
    charset: Option<Charset>,
    kept: &[CbhKeptNote<'_>],
) -> Cbh2CommentNotes {
    let mut found = Cbh2CommentNotes::default();
    if commands && comment.trim_start_matches(is_space).starts_with("[%") {
        // White space at the ends means nothing, unless it ends a text.
        let trimmed = comment.trim_start_matches(is_space);
        let start = comment.len() - trimmed.len();
        let (notes, said) = cut_commands(trimmed, is_white, charset, kept);
        if said > 0 {
            found.commands = notes;
            let rest = trimmed.get(said..).unwrap_or("");
            if rest.trim_matches(is_space).is_empty() {
                return found;
            }
            // A space stands between commands and a text.
            let rest = rest.get(1..).unwrap_or("");
            let (language, text) = cut_language(rest);
            found.text_at = start + trimmed.len() - text.len();
            found.text = Some((language, text.to_owned()));
            return found;
        }
    }
    let (language, text) = cut_language(comment);
    found.text_at = comment.len() - text.len();
    found.text = Some((language, text.to_owned()));
    found
}

/// The language that a text is marked with, and the text.
fn cut_language(text: &str) -> (u16, &str) {
    let found = || {
        let end = text.strip_prefix("[%lang ")?.find(']')? + "[%lang ]".len();
        let (mark, rest) = text.split_at_checked(end)?;
        let named = mark.strip_prefix("[%lang ")?.strip_suffix(']')?;
        let language = match named.parse() {
            Ok(number) => Some(number).filter(|number| *number != ANY_LANGUAGE),
            Err(_) => (0..=18).find(|number| language_mark(*number).trim_end() == mark),
        };
        let language = language.filter(|number| language_mark(*number).trim_end() == mark)?;
        let rest = match rest {
            "" => "",
            rest => rest.strip_prefix(' ').filter(|rest| !rest.is_empty())?,
        };
        Some((language, rest))
    };
    found().unwrap_or((ANY_LANGUAGE, text))
}

/// The commands that a comment begins with, as far as they are read as they stand, and how many bytes they take.
fn cut_commands(
    comment: &str,
    is_white: bool,
    charset: Option<Charset>,
    kept: &[CbhKeptNote<'_>],
) -> (Vec<(Cbh2Note, Option<usize>)>, usize) {
    let mut notes: Vec<(Cbh2Note, Option<usize>)> = Vec::new();
    let mut said = String::new();
    // How many notes stand before the last place where a text could begin.
    let mut sure = (0, 0);
    while notes.len() <= COMMANDS_MAX {
        let rest = comment.get(said.len()..).unwrap_or("");
        if rest.starts_with(' ') || rest.trim_matches(is_space).is_empty() {
            sure = (notes.len(), said.len());
        }
        let is_new = |at: usize| notes.iter().all(|(_, own)| *own != Some(at));
        let of_kept = kept
            .iter()
            .enumerate()
            .take(COMMANDS_MAX)
            .filter(|(at, note)| !note.is_used && is_new(*at));
        let next = of_kept.into_iter().find_map(|(at, note)| {
            let mut longer = said.clone();
            say_kept(note, is_white, charset, &mut longer);
            let is_next = longer.len() > said.len() && comment.starts_with(&longer);
            is_next.then(|| ((Cbh2Note::of_kept(note), Some(at)), longer))
        });
        let next = next.or_else(|| {
            let (note, longer) = next_command(comment, &said, is_white, charset)?;
            Some(((note, None), longer))
        });
        let Some((note, longer)) = next else {
            break;
        };
        notes.push(note);
        said = longer;
    }
    let (count, length) = sure;
    notes.truncate(count);
    (notes, length)
}

/// The next command of a comment as a note, and all that is said with it.
fn next_command(
    comment: &str,
    said: &str,
    is_white: bool,
    charset: Option<Charset>,
) -> Option<(Cbh2Note, String)> {
    let rest = comment.get(said.len()..)?;
    let rest = rest.strip_prefix(' ').unwrap_or(rest);
    let mut parts = pieces(rest).map_while(|part| match part {
        CommentPart::Command { name, args, .. } => Some((name, args)),
        CommentPart::Text { .. } => None,
    });
    let (name, args) = parts.next()?;
    let mut notes = Vec::new();
    match name {
        "tqu" => notes.extend(Cbh2Note::training(args, charset)),
        "evp" => {
            let depths = parts.next().filter(|(name, _)| *name == "evpdepth");
            notes.extend(depths.and_then(|(_, depths)| Cbh2Note::profile(args, depths)));
            notes.extend(Cbh2Note::profile(args, ""));
        }
        _ => notes.extend(Cbh2Note::of_command(name, args, is_white)),
    }
    notes.into_iter().find_map(|note| {
        let read = Cbh2Annotation::of(note.kind, &note.payload)?;
        let mut longer = said.to_owned();
        let is_whole = say(
            &read,
            is_white,
            charset.unwrap_or(text::DEFAULT),
            &mut longer,
        );
        let is_same = is_whole && longer.len() > said.len() && comment.starts_with(&longer);
        is_same.then_some((note, longer))
    })
}

/// Whether an item of this type stands among the texts of its place.
pub(super) fn is_spoken(of: u8) -> bool {
    matches!(
        of,
        kind::TEXT_AFTER | kind::TEXT_BEFORE | kind::VIDEO | kind::QUOTATION
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(comment: &str) -> (Vec<u8>, Option<(u16, String)>) {
        let notes = cut(comment, true, true, None, &[]);
        let kinds = notes.commands.iter().map(|(note, _)| note.kind);
        (kinds.collect(), notes.text)
    }

    #[test]
    fn commands_become_notes_where_they_are_read_alike() {
        let text = |language: u16, text: &str| Some((language, text.to_owned()));
        for (comment, expected) in [
            ("plain", (vec![], text(7, "plain"))),
            ("", (vec![], text(7, ""))),
            ("[%csl Ga1][%cal Ya1h8]", (vec![4, 5], None)),
            (" [%eval 0.17] [%wclk 0:00:30] ", (vec![0x21, 0x16], None)),
            // A clock of a move is none of this format's.
            ("[%clk 0:00:30]", (vec![], text(7, "[%clk 0:00:30]"))),
            ("[%csl Ga1] good", (vec![4], text(7, "good"))),
            ("[%csl Ga1] good\r\n", (vec![4], text(7, "good\r\n"))),
            ("[%csl Ga1] [%lang de] gut", (vec![4], text(1, "gut"))),
            ("[%lang en] good", (vec![], text(0, "good"))),
            ("[%lang 11] good", (vec![], text(11, "good"))),
            ("[%lang 7] good", (vec![], text(7, "[%lang 7] good"))),
            ("[%lang 0] good", (vec![], text(7, "[%lang 0] good"))),
            ("[%lang xx] gut", (vec![], text(7, "[%lang xx] gut"))),
            ("[%csl Ga1]good", (vec![], text(7, "[%csl Ga1]good"))),
            ("[%mdl 5] [%what 1]", (vec![0x22], text(7, "[%what 1]"))),
            ("[%evp 0,1,30,-29995][%evpdepth 12,12]", (vec![0x26], None)),
            (
                "[%timecontrol 40/7200:20/3600:900+30.50 1,1,1]",
                (vec![0x24], None),
            ),
            (
                "[%tqu \"\",\"Why?\",\"\",\"\",\"e2e4\",\"So\",5]",
                (vec![9], None),
            ),
            ("[%link \"http://a\",\"b\"]", (vec![0x1c], None)),
            ("[%variationcolour #0080ff,1]", (vec![0x23], None)),
            ("[%piecepath 3,e4]", (vec![0x15], None)),
            ("[%videotime 17]", (vec![0x25], None)),
        ] {
            assert_eq!(kinds(comment), expected, "{comment}");
        }
    }

    #[test]
    fn a_note_that_was_kept_takes_the_place_of_its_command() {
        let payload = [4, 0, 0, 0, 7, 1, 4, 64];
        let kept = [CbhKeptNote {
            kind: kind::SQUARES,
            payload: &payload,
            is_used: false,
        }];
        let notes = cut("[%csl Rh8] text", true, true, None, &kept);
        let (note, of) = &notes.commands[0];
        assert_eq!((&note.payload[..], *of), (&payload[..], Some(0)));
        assert_eq!(notes.text, Some((7, "text".to_owned())));
    }
}
