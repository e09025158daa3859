//! Comments to annotations: commands in front of a text become annotations of their own where exactly they are read as they
//! stand, a mark of a language becomes the language of the text, and the rest is the text.

use shakmaty::Square;
use tabiya_model::canon_game::is_white as is_space;
use tabiya_model::charset::Charset;
use tabiya_model::command::{CommentCommand, CommentPart, MarkColour, pieces};

use super::names::text_bytes;
use crate::cbh::annotated_moves::training_words;
use crate::cbh::annotations::{CbhAnnotation, CbhAnnotationItem, kind};
use crate::cbh::commands::language_mark;
use crate::cbh::layout::number_by_files;
use crate::cbh::tables;
use crate::cbh::text;
use crate::encode::walk::CbhKeptNote;

/// The most bytes of an item's content.
pub(super) const PAYLOAD_MAX: usize = 65_535 - 6;

/// So many commands of one comment are looked at; more are text.
const COMMANDS_MAX: usize = 100;

/// The type and the content of an annotation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct CbhNote {
    pub(crate) kind: u8,
    pub(crate) payload: Vec<u8>,
}

impl CbhNote {
    /// An annotation as it stood.
    pub(super) fn of_kept(kept: &CbhKeptNote<'_>) -> CbhNote {
        CbhNote {
            kind: kept.kind,
            payload: kept.payload.to_vec(),
        }
    }
}

/// What became of a comment.
#[derive(Default)]
pub(super) struct CbhCommentNotes {
    pub(super) commands: Vec<CbhNote>,
    /// The language of its text, and the text; nothing for commands alone.
    pub(super) text: Option<(u8, String)>,
    /// Where the text begins in the comment.
    pub(super) text_at: usize,
}

fn read(kind: u8, payload: &[u8]) -> Option<CbhAnnotation<'_>> {
    let item = CbhAnnotationItem {
        place: 0,
        kind,
        payload,
    };
    item.note()
}

/// What is said of a kept annotation in a comment, behind other commands.
pub(super) fn say_kept(
    kept: &CbhKeptNote<'_>,
    is_white: bool,
    charset: Option<Charset>,
    out: &mut String,
) {
    if let Some(note) = read(kept.kind, kept.payload) {
        say(&note, is_white, charset, out);
    }
}

/// The line that a kept quotation is read as.
pub(super) fn quotation(kept: &CbhKeptNote<'_>, charset: Option<Charset>) -> Option<String> {
    match read(kept.kind, kept.payload)? {
        CbhAnnotation::Quotation(quotation) => Some(quotation.line(|bytes| plain(bytes, charset))),
        _ => None,
    }
}

fn plain(bytes: &[u8], charset: Option<Charset>) -> String {
    let charset = charset.unwrap_or(text::DEFAULT);
    text::text_of(bytes, text::read(bytes, charset)).into_owned()
}

/// What a reader says of a note.
fn say(note: &CbhAnnotation<'_>, is_white: bool, charset: Option<Charset>, out: &mut String) {
    match note {
        CbhAnnotation::Training(question) => {
            training_words(question, charset.unwrap_or(text::DEFAULT), out);
        }
        CbhAnnotation::Link { address, caption } => {
            let [address, caption] = [address, caption].map(|bytes| plain(bytes, charset));
            if !address.contains('"') && !caption.contains('"') {
                out.push_str(&format!("[%link \"{address}\",\"{caption}\"]").replace('\n', " "));
            }
        }
        CbhAnnotation::Text(_) | CbhAnnotation::Symbols(_) | CbhAnnotation::Quotation(_) => {}
        note => {
            note.command(is_white, out);
        }
    }
}

/// Cuts a comment into annotations; without `commands` all of it is text.
pub(super) fn cut(
    comment: &str,
    commands: bool,
    is_white: bool,
    charset: Option<Charset>,
    kept: &mut [CbhKeptNote<'_>],
) -> CbhCommentNotes {
    let mut found = CbhCommentNotes::default();
    if commands && comment.trim_start_matches(is_space).starts_with("[%") {
        // White space at the ends means nothing, unless it ends a text.
        let trimmed = comment.trim_start_matches(is_space);
        let start = comment.len() - trimmed.len();
        let (notes, said, used) = cut_commands(trimmed, is_white, charset, kept);
        if said > 0 {
            for at in used {
                if let Some(kept) = kept.get_mut(at) {
                    kept.is_used = true;
                }
            }
            found.commands = notes;
            let rest = trimmed.get(said..).unwrap_or("");
            if rest.trim_matches(is_space).is_empty() {
                return found;
            }
            // A space stands between commands and a text.
            let rest = rest.get(1..).unwrap_or("");
            let (nation, text) = cut_language(rest);
            found.text = Some((nation, text.to_owned()));
            found.text_at = start + trimmed.len() - text.len();
            return found;
        }
    }
    let (nation, text) = cut_language(comment);
    found.text_at = comment.len() - text.len();
    found.text = Some((nation, text.to_owned()));
    found
}

/// The language that a text is marked with, and the text.
fn cut_language(text: &str) -> (u8, &str) {
    let found = || {
        let end = text.strip_prefix("[%lang ")?.find(']')? + "[%lang ]".len();
        let (mark, rest) = text.split_at_checked(end)?;
        let nation = (1..=u8::MAX).find(|nation| language_mark(*nation).trim_end() == mark)?;
        let rest = match rest {
            "" => "",
            rest => rest.strip_prefix(' ').filter(|rest| !rest.is_empty())?,
        };
        Some((nation, rest))
    };
    found().unwrap_or((0, text))
}

/// The commands that a comment begins with, as far as they are read as they stand; how many bytes they take, and which of
/// the kept notes they are.
fn cut_commands(
    comment: &str,
    is_white: bool,
    charset: Option<Charset>,
    kept: &[CbhKeptNote<'_>],
) -> (Vec<CbhNote>, usize, Vec<usize>) {
    let mut notes = Vec::new();
    let mut used = Vec::new();
    let mut said = String::new();
    // How many notes and kept ones stand before the last place where a text could begin.
    let mut sure = (0, 0, 0);
    while notes.len() <= COMMANDS_MAX {
        let rest = comment.get(said.len()..).unwrap_or("");
        if rest.starts_with(' ') || rest.trim_matches(is_space).is_empty() {
            sure = (notes.len(), said.len(), used.len());
        }
        let next = kept
            .iter()
            .enumerate()
            .take(COMMANDS_MAX)
            .find_map(|(at, note)| {
                let mut longer = said.clone();
                say_kept(note, is_white, charset, &mut longer);
                let is_next = !note.is_used && !used.contains(&at) && longer.len() > said.len();
                let note = CbhNote::of_kept(note);
                (is_next && comment.starts_with(&longer)).then_some((note, longer, Some(at)))
            });
        let next = next.or_else(|| {
            let (note, longer) = next_command(comment, &said, is_white, charset)?;
            Some((note, longer, None))
        });
        let Some((note, longer, at)) = next else {
            break;
        };
        notes.push(note);
        used.extend(at);
        said = longer;
    }
    let (count, length, kept_count) = sure;
    notes.truncate(count);
    used.truncate(kept_count);
    (notes, length, used)
}

/// The next command of a comment as a note, and all that is said with it.
fn next_command(
    comment: &str,
    said: &str,
    is_white: bool,
    charset: Option<Charset>,
) -> Option<(CbhNote, String)> {
    let rest = comment.get(said.len()..)?;
    let rest = rest.strip_prefix(' ').unwrap_or(rest);
    let mut parts = pieces(rest).map_while(|part| match part {
        CommentPart::Command {
            name, args, text, ..
        } => Some((name, args, text)),
        CommentPart::Text { .. } => None,
    });
    let (name, args, _) = parts.next()?;
    let mut notes = Vec::new();
    if name == "tqu" {
        // One question in several languages, of which as many belong together as are read again.
        let mut questions = vec![fields(name, args)?];
        questions.extend(
            parts
                .map_while(|(name, args, _)| (name == "tqu").then(|| fields(name, args))?)
                .take(8),
        );
        for count in (1..=questions.len()).rev() {
            notes.extend(training_payload(questions.get(..count)?, charset));
        }
    } else if name == "evp" {
        let depths = parts.next().filter(|(name, ..)| *name == "evpdepth");
        notes.extend(depths.and_then(|(_, depths, _)| profile_payload(args, depths)));
        notes.extend(profile_payload(args, ""));
    } else {
        notes.extend(payload(name, args, is_white, charset));
    }
    notes
        .into_iter()
        .filter(|note| note.payload.len() <= PAYLOAD_MAX)
        .find_map(|note| {
            let mut longer = said.to_owned();
            say(
                &read(note.kind, &note.payload)?,
                is_white,
                charset,
                &mut longer,
            );
            let is_same = longer.len() > said.len() && comment.starts_with(&longer);
            is_same.then_some((note, longer))
        })
}

pub(crate) fn fields(name: &str, args: &str) -> Option<Vec<String>> {
    match CommentCommand::new(name, args) {
        CommentCommand::Training(fields) => Some(fields),
        _ => None,
    }
}

fn colour(colour: MarkColour) -> Option<u8> {
    match colour.letter() {
        'G' => Some(2),
        'Y' => Some(3),
        'R' => Some(4),
        _ => None,
    }
}

fn numbered(square: Square) -> u8 {
    number_by_files(square) + 1
}

/// Hundredths of a second of a time in hours, minutes and seconds.
fn hundredths(text: &str) -> Option<u64> {
    let (time, rest) = match text.split_once('.') {
        Some((time, rest)) if rest.len() == 2 => (time, rest.parse().ok()?),
        Some(_) => return None,
        None => (text, 0_u64),
    };
    let parts: Option<Vec<u64>> = time.split(':').map(|part| part.parse().ok()).collect();
    let [hours, minutes, seconds]: [u64; 3] = parts?.try_into().ok()?;
    let seconds = hours
        .checked_mul(3600)?
        .checked_add(minutes.checked_mul(60)?)?
        .checked_add(seconds)?;
    seconds.checked_mul(100)?.checked_add(rest)
}

/// The note of a command; whether it is read as the same command is looked at by the caller.
pub(crate) fn payload(
    name: &str,
    args: &str,
    is_white: bool,
    charset: Option<Charset>,
) -> Option<CbhNote> {
    let note = |kind, payload| Some(CbhNote { kind, payload });
    let clock = |is_white: bool| {
        let kind = if is_white {
            kind::WHITE_CLOCK
        } else {
            kind::BLACK_CLOCK
        };
        let time = u32::try_from(hundredths(args)?).ok()?;
        note(kind, time.to_be_bytes().to_vec())
    };
    match name {
        "csl" | "cal" => match CommentCommand::new(name, args) {
            CommentCommand::Squares(list) => {
                let mut bytes = Vec::new();
                for (mark, square) in list {
                    bytes.extend([colour(mark)?, numbered(square)]);
                }
                note(kind::SQUARES, bytes)
            }
            CommentCommand::Arrows(list) => {
                let mut bytes = Vec::new();
                for (mark, from, to) in list {
                    bytes.extend([colour(mark)?, numbered(from), numbered(to)]);
                }
                note(kind::ARROWS, bytes)
            }
            _ => None,
        },
        "emt" => {
            let time = hundredths(args)?;
            let parts = [
                time / 360_000,
                time / 6_000 % 60,
                time / 100 % 60,
                time % 100,
            ];
            let bytes: Option<Vec<u8>> = parts.iter().map(|it| u8::try_from(*it).ok()).collect();
            note(kind::TIME_SPENT, bytes?)
        }
        "clk" => clock(is_white),
        "wclk" => clock(true),
        "bclk" => clock(false),
        "eval" => note(kind::EVALUATION, evaluation(args)?),
        "mdl" => note(
            kind::MEDALS,
            args.parse::<u32>().ok()?.to_be_bytes().to_vec(),
        ),
        "pawnstructure" => note(kind::PAWN_STRUCTURE, vec![args.parse().ok()?]),
        "piecepath" => {
            let (number, square) = args.split_once(',')?;
            let square: Square = square.parse().ok()?;
            note(
                kind::PIECE_PATH,
                vec![number.parse().ok()?, numbered(square)],
            )
        }
        "critical" => {
            let phases = ["none", "opening", "middlegame", "endgame"];
            let phase = phases.iter().position(|phase| *phase == args)?;
            note(kind::CRITICAL, vec![u8::try_from(phase).ok()?])
        }
        "variationcolour" => {
            let (colour, flags) = args.strip_prefix('#')?.split_once(',')?;
            let colour = u32::from_str_radix(colour, 16).ok()?;
            let [_, red, green, blue] = colour.to_be_bytes();
            note(
                kind::VARIATION_COLOUR,
                vec![flags.parse().ok()?, blue, green, red],
            )
        }
        "timecontrol" => note(kind::TIME_CONTROL, time_control(args)?),
        "videotime" => note(
            kind::STREAM_TIME,
            args.parse::<u32>().ok()?.to_be_bytes().to_vec(),
        ),
        "link" => {
            let (address, caption) = args
                .strip_prefix('"')?
                .strip_suffix('"')?
                .split_once("\",\"")?;
            let mut bytes = vec![0, 0];
            for part in [address, caption] {
                let part = text_bytes(part, None, charset)?;
                bytes.push(u8::try_from(part.len()).ok()?);
                bytes.extend(part);
            }
            let size = u16::try_from(bytes.len()).ok()?;
            bytes.splice(..2, size.to_le_bytes());
            note(kind::LINK, bytes)
        }
        _ => None,
    }
}

/// `0.35,18`, `#-3`: value, kind and depth.
fn evaluation(args: &str) -> Option<Vec<u8>> {
    let (value, depth) = match args.split_once(',') {
        Some((value, depth)) => (value, depth.parse::<u16>().ok()?),
        None => (args, 0),
    };
    let (value, kind) = match value.strip_prefix('#') {
        Some(mate) => (mate.parse::<i16>().ok()?, 1_u16),
        None => {
            let (sign, amount) = match value.strip_prefix('-') {
                Some(amount) => (-1, amount),
                None => (1, value),
            };
            let (pawns, rest) = amount.split_once('.')?;
            let (pawns, rest) = (pawns.parse::<u16>().ok()?, rest.parse::<u16>().ok()?);
            let amount = i32::from(pawns) * 100 + i32::from(rest);
            (i16::try_from(sign * amount).ok()?, 0)
        }
    };
    let mut bytes = value.to_le_bytes().to_vec();
    bytes.extend(kind.to_le_bytes());
    bytes.extend(depth.to_le_bytes());
    Some(bytes)
}

/// `40/7200:20/3600:900+30 1,1,1`: three stages.
fn time_control(args: &str) -> Option<Vec<u8>> {
    let (stages, kinds) = args.split_once(' ')?;
    let hundredths = |text: &str| -> Option<u32> {
        let (seconds, rest) = text.split_once('.').unwrap_or((text, "0"));
        let rest: u32 = rest.parse().ok()?;
        seconds
            .parse::<u32>()
            .ok()?
            .checked_mul(100)?
            .checked_add(rest)
    };
    let mut bytes = Vec::new();
    let mut kinds = kinds.split(',');
    for stage in stages.split(':') {
        let (moves, time) = match stage.split_once('/') {
            Some((moves, time)) => (moves.parse::<u16>().ok()?, time),
            None => (1000, stage),
        };
        let (start, increment) = time.split_once('+').unwrap_or((time, "0"));
        bytes.extend(hundredths(start)?.to_be_bytes());
        bytes.extend(hundredths(increment)?.to_be_bytes());
        bytes.extend(moves.to_be_bytes());
        bytes.push(kinds.next()?.parse().ok()?);
    }
    Some(bytes)
}

/// `0,n,…` with the depths of another command.
pub(crate) fn profile_payload(values: &str, depths: &str) -> Option<CbhNote> {
    let mut values = values.split(',');
    let (_, last) = (values.next()?, values.next()?);
    let count: u16 = last.parse().ok()?;
    let values: Option<Vec<i32>> = values.map(|value| value.parse().ok()).collect();
    let values = values?;
    let mut depths = depths.split(',');
    let count = if values.is_empty() {
        0
    } else {
        count.checked_add(1)?
    };
    let mut payload = count.to_be_bytes().to_vec();
    for shown in values {
        let (flag, value) = match shown {
            32_767 => (255, 0),
            15_000.. => (1, 30_000 - shown),
            ..=-15_000 => (1, -(30_000 + shown)),
            _ => (0, shown),
        };
        let depth = depths.next().unwrap_or("");
        payload.extend([flag, depth.parse().unwrap_or(0)]);
        payload.extend(i16::try_from(value).ok()?.to_be_bytes());
    }
    Some(CbhNote {
        kind: kind::PROFILE,
        payload,
    })
}

/// Questions in several languages as one.
fn training_payload(questions: &[Vec<String>], charset: Option<Charset>) -> Option<CbhNote> {
    let first = questions.first()?;
    let solutions = first.len().checked_sub(4)? / 3;
    let is_alike = |fields: &Vec<String>| fields.len() == first.len();
    if first.len() != 4 + 3 * solutions || !questions.iter().all(is_alike) {
        return None;
    }
    let list = |at: usize, payload: &mut Vec<u8>| -> Option<()> {
        let mut texts = Vec::new();
        for fields in questions {
            let text = fields.get(at)?;
            let is_silent = || {
                let mut others = (1..4).chain((0..solutions).map(|number| 5 + 3 * number));
                others.all(|at| fields.get(at).is_none_or(String::is_empty))
            };
            // A language that says nothing is there all the same.
            if text.is_empty() && !(at == 1 && is_silent() && !fields.first()?.is_empty()) {
                continue;
            }
            let name = fields.first()?;
            let language = (0..7).find(|it| tables::title_language(*it) == Some(name));
            texts.push((language.unwrap_or(7), text_bytes(text, None, charset)?));
        }
        payload.extend(u16::try_from(texts.len()).ok()?.to_le_bytes());
        for (language, text) in texts {
            payload.extend(language.to_le_bytes());
            payload.extend(u16::try_from(text.len()).ok()?.to_le_bytes());
            payload.extend(text);
        }
        Some(())
    };
    // The size stands in the place of two zeros.
    let mut payload = vec![1, 0, 1, 0, 0];
    payload.extend([0; 6]);
    for at in 1..4 {
        list(at, &mut payload)?;
    }
    payload.extend([0, 0]);
    payload.push(u8::try_from(solutions).ok()?);
    for number in 0..solutions {
        let squares = first.get(4 + 3 * number)?;
        let (from, to) = squares.split_at_checked(2)?;
        let [from, to]: [Square; 2] = [from.parse().ok()?, to.parse().ok()?];
        let points = first.get(6 + 3 * number)?.parse().ok()?;
        payload.extend([number_by_files(from), number_by_files(to), 0, points]);
        list(5 + 3 * number, &mut payload)?;
    }
    let size = u16::try_from(payload.len() - 3).ok()?;
    payload.splice(3..5, size.to_le_bytes());
    Some(CbhNote {
        kind: kind::TRAINING,
        payload,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(comment: &str) -> (Vec<u8>, Option<(u8, String)>) {
        let notes = cut(comment, true, true, None, &mut []);
        let kinds = notes.commands.iter().map(|note| note.kind);
        (kinds.collect(), notes.text)
    }

    #[test]
    fn commands_become_notes_where_they_are_read_alike() {
        let text = |nation: u8, text: &str| Some((nation, text.to_owned()));
        for (comment, expected) in [
            ("plain", (vec![], text(0, "plain"))),
            ("", (vec![], text(0, ""))),
            ("[%csl Ga1][%cal Ya1h8]", (vec![4, 5], None)),
            (" [%eval 0.17] [%clk 0:00:30] ", (vec![0x21, 0x16], None)),
            ("[%csl Ga1] good", (vec![4], text(0, "good"))),
            ("[%csl Ga1] good\r\n", (vec![4], text(0, "good\r\n"))),
            ("[%csl Ga1] [%lang de] gut", (vec![4], text(53, "gut"))),
            ("[%lang de] gut", (vec![], text(53, "gut"))),
            ("[%lang xx] gut", (vec![], text(0, "[%lang xx] gut"))),
            // Not in the form that is read.
            ("[%clk 0:0:30]", (vec![], text(0, "[%clk 0:0:30]"))),
            ("[%csl Ga1]good", (vec![], text(0, "[%csl Ga1]good"))),
            (
                "[%mdl 5][%clk 0:00:30]",
                (vec![], text(0, "[%mdl 5][%clk 0:00:30]")),
            ),
            ("[%mdl 5] [%what 1]", (vec![0x22], text(0, "[%what 1]"))),
            ("[%evp 0,1,30,-29995][%evpdepth 12,12]", (vec![0x26], None)),
            ("[%evp 0,0,32767]", (vec![0x26], None)),
            (
                "[%timecontrol 40/7200:20/3600:900+30.50 1,1,1]",
                (vec![0x24], None),
            ),
            (
                "[%tqu \"en\",\"Why?\",\"\",\"\",\"e2e4\",\"So\",5]",
                (vec![9], None),
            ),
            ("[%link \"http://a\",\"b\"]", (vec![0x1c], None)),
            ("[%variationcolour #0080ff,1]", (vec![0x23], None)),
        ] {
            assert_eq!(kinds(comment), expected, "{comment}");
        }
    }

    #[test]
    fn a_note_that_was_kept_takes_the_place_of_its_command() {
        let payload = [7, 1, 4, 64];
        let mut kept = [CbhKeptNote {
            kind: kind::SQUARES,
            payload: &payload,
            is_used: false,
        }];
        let notes = cut("[%csl Rh8] text", true, true, None, &mut kept);
        assert!(kept[0].is_used);
        assert_eq!(notes.commands[0].payload, payload);
        assert_eq!(notes.text, Some((0, "text".to_owned())));
    }
}
