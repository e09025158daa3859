//! One change in the history, and its bytes.

use crate::error_codes;
use std::fmt::Write as _;
use std::io::Read as _;
use std::ops::Range;

use tabiya_io::change::DatabaseStates;
use tabiya_io::fingerprint::hash_all;
use tabiya_model::editor::GameEditor;
use tabiya_model::{Error, Game, Result};

/// The most bytes of games that one change keeps: a change of more is made and told, and cannot be undone.
pub(super) const MOST_KEPT: usize = 64 << 20;

/// What a change did to the games, as far as undoing needs it. Numbers are those before the change.
#[derive(Clone, Debug, PartialEq)]
pub enum EditEffect {
    /// This number of games was added at the end.
    Added(u64),
    /// Games were replaced by others; these are the old ones.
    Replaced(Vec<OldGame>),
    /// Flags of games were set or cleared.
    Flagged(Vec<OldFlags>),
    /// The games were reordered: their old numbers, one after another.
    Ordered(Vec<u64>),
    /// Games were removed permanently: by compacting, or by undoing what added them.
    Removed(Vec<OldGame>),
    /// Games were removed, and can be put back in their places.
    Deleted(Vec<OldGame>),
    /// Games were put back in their places: their numbers after that, rising.
    Inserted(Vec<u64>),
    /// Texts of the database.
    Described,
}

impl EditEffect {
    /// The games that it keeps.
    pub fn old_games(&self) -> &[OldGame] {
        match self {
            EditEffect::Replaced(list) | EditEffect::Removed(list) | EditEffect::Deleted(list) => {
                list
            }
            _ => &[],
        }
    }

    pub(super) fn old_games_mut(&mut self) -> Option<&mut Vec<OldGame>> {
        match self {
            EditEffect::Replaced(list) | EditEffect::Removed(list) | EditEffect::Deleted(list) => {
                Some(list)
            }
            _ => None,
        }
    }
}

/// An old game.
#[derive(Clone, Debug, PartialEq)]
pub struct OldGame {
    /// Its number.
    pub number: u64,
    /// The game as a line; `None` if there was no room for it.
    pub line: Option<String>,
    /// What restores its exact form: its bytes, in text formats; its entry in the index, in Scid databases.
    pub text: Option<Vec<u8>>,
}

impl OldGame {
    /// The game; `None` if there was no room for it.
    pub fn game(&self) -> Option<Result<Game>> {
        let line = self.line.as_deref()?;
        let game = GameEditor::from_draft(line).map(GameEditor::into_game);
        Some(game.map_err(|error| {
            Error::new(
                &error_codes::HISTORY_DAMAGED,
                format!("the game in the history cannot be read: {error}"),
            )
        }))
    }
}

/// The earlier flags of games that were changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OldFlags {
    /// The games, from 1, end excluded.
    pub games: Range<u64>,
    /// The flags that were changed.
    pub touched: String,
    /// Those of them that were set before.
    pub had: String,
}

/// A change without its games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryEntry {
    /// Its number; changes count from 1.
    pub id: u64,
    /// Seconds since 1970.
    pub time: u64,
    /// The states of the database before and after.
    pub states: DatabaseStates,
    /// The size of the database before, in text formats; in Scid databases, that of the game file.
    pub size: Option<u64>,
    /// The description of the change.
    pub wish: String,
    /// Where the games of it stand in the history.
    pub(super) at: u64,
    /// Their length.
    pub(super) length: u64,
    /// A hash of all of it.
    pub(super) sum: u64,
    /// The change that this one undid.
    pub undoes: Option<u64>,
}

/// What stands before the number of an undone change in the words of a wish.
const UNDO: &str = "undo ";

impl HistoryEntry {
    /// The words of a wish that undoes another one.
    pub(crate) fn undo_of(id: u64) -> String {
        format!("{UNDO}{id}")
    }

    /// The day and the time in UTC.
    pub fn utc_time(&self) -> String {
        let (days, seconds) = (self.time / 86_400, self.time % 86_400);
        // Years from March on, in cycles of 400 years, so that leap days come last.
        let days = days.min(u64::from(u32::MAX)) + 719_468;
        let (cycle, day) = (days / 146_097, days % 146_097);
        let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
        let day = day - (365 * year + year / 4 - year / 100);
        let month = (5 * day + 2) / 153;
        let day = day - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        let year = year + cycle * 400 + u64::from(month <= 2);
        format!(
            "{year:04}-{month:02}-{day:02} {:02}:{:02}",
            seconds / 3600,
            seconds / 60 % 60
        )
    }

    /// The line, without its end.
    fn line(&self) -> String {
        let size = self.size.map_or("-".to_owned(), |size| size.to_string());
        format!(
            "change {} {} {:016x} {:016x} {size} {} {:016x} {}",
            self.id,
            self.time,
            self.states.before,
            self.states.after,
            self.length,
            self.sum,
            self.wish
        )
    }

    fn sum_of(&self, payload: &[u8]) -> u64 {
        let known = HistoryEntry {
            sum: 0,
            ..self.clone()
        };
        let line = known.line();
        let bytes = line.as_bytes().chain(payload);
        // Reading from memory cannot fail.
        hash_all(bytes).map_or(0, |(sum, _)| sum)
    }

    pub(super) fn parse(line: &str, at: u64) -> Option<HistoryEntry> {
        let mut words = line.strip_prefix("change ")?.splitn(8, ' ');
        let id = words.next()?.parse().ok()?;
        let time = words.next()?.parse().ok()?;
        let mut hash = || u64::from_str_radix(words.next()?, 16).ok();
        let states = DatabaseStates {
            before: hash()?,
            after: hash()?,
        };
        let size = match words.next()? {
            "-" => None,
            size => Some(size.parse().ok()?),
        };
        let length = words.next()?.parse().ok()?;
        let sum = u64::from_str_radix(words.next()?, 16).ok()?;
        let wish = words.next()?.to_owned();
        let undoes = wish.strip_prefix(UNDO).and_then(|id| id.parse().ok());
        Some(HistoryEntry {
            id,
            time,
            states,
            size,
            wish,
            at,
            length,
            sum,
            undoes,
        })
    }

    /// What a change did, out of its bytes in the history, for a database of at most so many games.
    pub(super) fn effect(&self, payload: &[u8], most: u64) -> Option<EditEffect> {
        if self.sum_of(payload) != self.sum {
            return None;
        }
        parse(std::str::from_utf8(payload).ok()?, most)
    }
}

/// What is to be told of a change.
#[derive(Clone, Copy, Debug)]
pub(super) struct HistoryEntryDraft<'n> {
    /// Seconds since 1970.
    pub(super) time: u64,
    pub(super) states: DatabaseStates,
    /// [`HistoryEntry::size`].
    pub(super) size: Option<u64>,
    /// What was wished, in words.
    pub(super) wish: &'n str,
    pub(super) effect: &'n EditEffect,
}

/// The bytes of a change in the history.
pub(super) fn encode(id: u64, note: &HistoryEntryDraft<'_>) -> Vec<u8> {
    let HistoryEntryDraft {
        time,
        states,
        size,
        wish,
        effect,
    } = *note;
    let payload = spell(effect).into_bytes();
    let wish: String = wish
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(200)
        .collect();
    let mut head = HistoryEntry {
        id,
        time,
        states,
        size,
        undoes: None,
        wish,
        at: 0,
        length: payload.len() as u64,
        sum: 0,
    };
    head.sum = head.sum_of(&payload);
    let mut bytes = head.line().into_bytes();
    bytes.push(b'\n');
    bytes.extend(payload);
    let length = bytes.len();
    bytes.extend(end_line(id, length as u64).into_bytes());
    bytes
}

/// The line behind a change, by which it is found from the end of the history.
pub(super) fn end_line(id: u64, length: u64) -> String {
    format!("end {id} {length}\n")
}

/// What a change did, in lines. Writing to a string cannot fail.
fn spell(effect: &EditEffect) -> String {
    let mut text = String::new();
    let _ = match effect {
        EditEffect::Added(count) => writeln!(text, "added {count}"),
        EditEffect::Inserted(numbers) => writeln!(text, "inserted {}", runs(numbers)),
        EditEffect::Ordered(order) => writeln!(text, "order {}", runs(order)),
        EditEffect::Described => writeln!(text, "described"),
        EditEffect::Flagged(flagged) => flagged.iter().try_for_each(|flagged| {
            let OldFlags {
                games,
                touched,
                had,
            } = flagged;
            writeln!(
                text,
                "flags {}-{} {touched} {had}",
                games.start,
                games.end.saturating_sub(1)
            )
        }),
        EditEffect::Replaced(list) => spell_kept(&mut text, "game", list),
        EditEffect::Removed(list) => spell_kept(&mut text, "removed", list),
        EditEffect::Deleted(list) => spell_kept(&mut text, "deleted", list),
    };
    text
}

fn spell_kept(text: &mut String, word: &str, list: &[OldGame]) -> std::fmt::Result {
    for kept in list {
        match &kept.line {
            Some(line) => writeln!(text, "{word} {} {}", kept.number, line.trim_end())?,
            None => writeln!(text, "{word} {}", kept.number)?,
        }
        match kept.text.as_deref().map(std::str::from_utf8) {
            // Spelling a text cannot fail.
            Some(Ok(kept)) => {
                let kept = serde_json::to_string(kept).unwrap_or_default();
                writeln!(text, "text {kept}")?;
            }
            Some(Err(_)) => {
                text.push_str("bytes ");
                for byte in kept.text.iter().flatten() {
                    write!(text, "{byte:02x}")?;
                }
                text.push('\n');
            }
            None => {}
        }
    }
    Ok(())
}

fn parse(text: &str, most: u64) -> Option<EditEffect> {
    let mut effect: Option<EditEffect> = None;
    for line in text.lines() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match (word, &mut effect) {
            ("added", None) => effect = Some(EditEffect::Added(rest.parse().ok()?)),
            ("order", None) => effect = Some(EditEffect::Ordered(parse_runs(rest, most)?)),
            ("inserted", None) => effect = Some(EditEffect::Inserted(parse_rising(rest, most)?)),
            ("described", None) => effect = Some(EditEffect::Described),
            ("flags", None) => effect = Some(EditEffect::Flagged(vec![parse_flags(rest)?])),
            ("flags", Some(EditEffect::Flagged(list))) => list.push(parse_flags(rest)?),
            ("game", None) => effect = Some(EditEffect::Replaced(vec![parse_kept(rest)?])),
            ("game", Some(EditEffect::Replaced(list))) => list.push(parse_kept(rest)?),
            ("removed", None) => effect = Some(EditEffect::Removed(vec![parse_kept(rest)?])),
            ("removed", Some(EditEffect::Removed(list))) => list.push(parse_kept(rest)?),
            ("deleted", None) => effect = Some(EditEffect::Deleted(vec![parse_kept(rest)?])),
            ("deleted", Some(EditEffect::Deleted(list))) => list.push(parse_kept(rest)?),
            ("text" | "bytes", Some(effect)) => {
                let kept = effect.old_games_mut()?.last_mut()?;
                if kept.text.is_some() {
                    return None;
                }
                kept.text = Some(match word {
                    "text" => serde_json::from_str::<String>(rest).ok()?.into_bytes(),
                    _ => parse_bytes(rest)?,
                });
            }
            _ => return None,
        }
    }
    // A compacting that found no deleted game.
    Some(effect.unwrap_or(EditEffect::Removed(Vec::new())))
}

fn parse_rising(text: &str, most: u64) -> Option<Vec<u64>> {
    let numbers = parse_runs(text, most)?;
    numbers.is_sorted_by(|a, b| a < b).then_some(numbers)
}

fn parse_bytes(text: &str) -> Option<Vec<u8>> {
    let pairs = text.as_bytes().chunks(2);
    pairs
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
        .collect::<Option<Vec<u8>>>()
        .filter(|bytes| bytes.len() * 2 == text.len())
}

fn parse_kept(text: &str) -> Option<OldGame> {
    let (number, line) = match text.split_once(' ') {
        Some((number, line)) => (number, Some(format!("{line}\n"))),
        None => (text, None),
    };
    let number = number.parse().ok().filter(|number| *number > 0)?;
    Some(OldGame {
        number,
        line,
        text: None,
    })
}

fn parse_flags(text: &str) -> Option<OldFlags> {
    let mut words = text.split(' ');
    let (first, last) = words.next()?.split_once('-')?;
    let (first, last) = (first.parse::<u64>().ok()?, last.parse::<u64>().ok()?);
    let (touched, had) = (words.next()?.to_owned(), words.next()?.to_owned());
    let is_flags = touched.chars().all(|c| c.is_ascii_graphic()) && words.next().is_none();
    let games = first..last.checked_add(1)?;
    (is_flags && first >= 1 && first <= last).then_some(OldFlags {
        games,
        touched,
        had,
    })
}

/// Numbers as rising runs: `5,1-4,6-9`.
fn runs(order: &[u64]) -> String {
    let mut text = String::new();
    let mut rest = order;
    while let Some(first) = rest.first().copied() {
        let count = (first..)
            .zip(rest)
            .take_while(|(wanted, number)| wanted == *number)
            .count();
        rest = rest.get(count..).unwrap_or_default();
        if !text.is_empty() {
            text.push(',');
        }
        let _ = match count {
            1 => write!(text, "{first}"),
            _ => write!(text, "{first}-{}", first + count as u64 - 1),
        };
    }
    text
}

fn parse_runs(text: &str, most: u64) -> Option<Vec<u64>> {
    let mut order = Vec::new();
    for run in text.split(',').filter(|run| !run.is_empty()) {
        let (first, last) = run.split_once('-').unwrap_or((run, run));
        let (first, last) = (first.parse::<u64>().ok()?, last.parse::<u64>().ok()?);
        let is_sound = first >= 1 && first <= last && last <= most;
        if !is_sound || order.len() as u64 + (last - first) >= most {
            return None;
        }
        order.extend(first..=last);
    }
    Some(order)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn states() -> DatabaseStates {
        DatabaseStates {
            before: 1,
            after: u64::MAX,
        }
    }

    fn round(effect: &EditEffect) -> Option<EditEffect> {
        let noted = HistoryEntryDraft {
            time: 1,
            states: states(),
            size: effect.old_games().first().map(|kept| kept.number),
            wish: "sort date",
            effect,
        };
        let bytes = encode(7, &noted);
        let line = bytes
            .iter()
            .position(|byte| *byte == b'\n')
            .expect("a line");
        let text = std::str::from_utf8(&bytes[..line]).expect("text");
        let head = HistoryEntry::parse(text, line as u64 + 1).expect("a head");
        assert_eq!((head.id, head.wish.as_str()), (7, "sort date"));
        assert_eq!(head.size, noted.size);
        let end = line + 1 + usize::try_from(head.length).expect("short");
        assert_eq!(&bytes[end..], end_line(7, end as u64).as_bytes());
        for at in line + 1..end {
            let mut other = bytes[line + 1..end].to_vec();
            other[at - line - 1] ^= 1;
            assert_eq!(head.effect(&other, 100), None, "byte {at}");
        }
        head.effect(&bytes[line + 1..end], 100)
    }

    #[test]
    fn effects_come_back() {
        let line = tabiya_model::editor::draft::game_line(&Game::default());
        let kept = |number, line| OldGame {
            number,
            line,
            text: None,
        };
        let texts = [
            &b"[White \"A\"]\r\n\n1. e4 *\n\n"[..],
            b"[White \"\xff\"]\n",
            b"",
        ];
        let with_text = (1..).zip(texts).map(|(number, text)| OldGame {
            text: Some(text.to_vec()),
            ..kept(number, Some(line.clone()))
        });
        for effect in [
            EditEffect::Added(3),
            EditEffect::Inserted(vec![1, 2, 3, 7]),
            EditEffect::Deleted(with_text.collect()),
            EditEffect::Described,
            EditEffect::Ordered(vec![5, 1, 2, 3, 4, 9, 8, 7, 6]),
            EditEffect::Replaced(vec![kept(2, Some(line.clone())), kept(9, None)]),
            EditEffect::Removed(vec![kept(1, Some(line))]),
            EditEffect::Removed(Vec::new()),
            EditEffect::Flagged(vec![OldFlags {
                games: 3..8,
                touched: "DW".to_owned(),
                had: String::new(),
            }]),
        ] {
            assert_eq!(round(&effect), Some(effect));
        }
    }

    #[test]
    fn times_are_told() {
        for (time, wanted) in [
            (0, "1970-01-01 00:00"),
            (951_782_400, "2000-02-29 00:00"),
            (1_795_372_740, "2026-11-22 18:39"),
        ] {
            let line = format!("change 1 {time} 0 0 - 0 0 x");
            assert_eq!(
                HistoryEntry::parse(&line, 0).expect("a head").utc_time(),
                wanted
            );
        }
        let line = format!("change 1 {} 0 0 - 0 0 x", u64::MAX);
        assert!(
            !HistoryEntry::parse(&line, 0)
                .expect("a head")
                .utc_time()
                .is_empty()
        );
    }

    #[test]
    fn what_is_too_large_is_not_believed() {
        for text in [
            "order 1-18446744073709551615\n",
            "order 1-100,1-100\n",
            "order 0-3\n",
            "order 5-3\n",
            "flags 1-18446744073709551615 D \n",
            "flags 0-1 D \n",
            "game 0 {}\n",
            "added 1\nadded 2\n",
            "nonsense\n",
        ] {
            assert_eq!(parse(text, 100), None, "{text}");
        }
    }
}
