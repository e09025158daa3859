//! Writes the tags of a game, in the order of the export format by default.

use tabiya_model::game::{Start, Variant};
use tabiya_model::tag_name;
use tabiya_model::tags::{ROSTER, Tags};
use tabiya_model::{Game, Losses};

use super::eight;
use super::lexer::is_tag_start;
use super::losses;
use super::style::PgnStyle;

/// How many layouts are remembered.
const LAYOUTS: usize = 16;

/// How many tags a game with such a layout has at most.
const TAGS: usize = 64;

/// Writes tags. Most games of a file have the same tags in the same order, so that it remembers how such games are
/// written.
#[derive(Debug, Default)]
pub(super) struct TagSection {
    layouts: Vec<Layout>,
    /// The layout of the last game, where it is remembered.
    last: usize,
}

/// How games with these tags are written in the export format.
#[derive(Debug)]
struct Layout {
    names: Vec<String>,
    lines: Vec<Line>,
}

#[derive(Debug)]
struct Line {
    /// The line up to its value.
    before: String,
    value: Value,
}

/// Where a value comes from.
#[derive(Debug)]
enum Value {
    /// From the tag at an index.
    Tag(usize),
    /// From the tag at an index, or this where it is empty.
    Roster(usize, &'static str),
    Missing(&'static str),
    Result,
}

impl TagSection {
    pub(super) fn write(
        &mut self,
        style: &PgnStyle,
        game: &Game,
        out: &mut Vec<u8>,
        losses: &mut Losses,
    ) {
        report_disagreement(game, losses);
        let in_export_order = style.only_tags.is_none() && !style.keep_tag_order;
        match self.layout(game).filter(|_| in_export_order) {
            Some(layout) => layout.write(game, out, losses),
            None => write_one_by_one(style, game, out, losses),
        }
    }

    /// The layout of a game that has nothing but plain tags.
    fn layout(&mut self, game: &Game) -> Option<&Layout> {
        let is_known = |layout: &Layout| layout.fits(&game.tags);
        let is_usual = matches!(game.start, Start::Standard) && game.variant == Variant::Standard;
        if !is_usual || game.tags.len() > TAGS {
            return None;
        }
        if !self.layouts.get(self.last).is_some_and(is_known) {
            self.last = match self.layouts.iter().position(is_known) {
                Some(known) => known,
                None => {
                    let layout = Layout::new(&game.tags)?;
                    if self.layouts.len() == LAYOUTS {
                        self.layouts.clear();
                    }
                    self.layouts.push(layout);
                    self.layouts.len() - 1
                }
            };
        }
        self.layouts.get(self.last)
    }
}

impl Layout {
    /// The layout of games with the names of these tags, if they can all be written as they are.
    fn new(tags: &Tags) -> Option<Layout> {
        if !tags.iter().all(|tag| name_is_kept(tag.name)) {
            return None;
        }
        let line = |name: &str, value: Value| Line {
            before: format!("[{name} \""),
            value,
        };
        let mut lines: Vec<Line> = ROSTER
            .into_iter()
            .map(|name| {
                let value = match tags.position(name) {
                    _ if name == "Result" => Value::Result,
                    Some(index) => Value::Roster(index, missing(name)),
                    None => Value::Missing(missing(name)),
                };
                line(name, value)
            })
            .collect();
        let mut others: Vec<(usize, &str)> = (tags.iter().enumerate())
            .map(|(index, tag)| (index, tag.name))
            .filter(|(index, name)| !ROSTER.contains(name) || tags.position(name) != Some(*index))
            .collect();
        // The sort is stable: equal names keep their order.
        others.sort_by_key(|(_, name)| *name);
        lines.extend(
            others
                .into_iter()
                .map(|(index, name)| line(name, Value::Tag(index))),
        );
        Some(Layout {
            names: tags.iter().map(|tag| tag.name.to_owned()).collect(),
            lines,
        })
    }

    fn fits(&self, tags: &Tags) -> bool {
        self.names.len() == tags.len()
            && self
                .names
                .iter()
                .zip(tags.iter())
                .all(|(name, tag)| name == tag.name)
    }

    fn write(&self, game: &Game, out: &mut Vec<u8>, losses: &mut Losses) {
        let value_of = |index: usize| game.tags.at(index).map_or("", |tag| tag.value);
        for line in &self.lines {
            let value = match line.value {
                Value::Tag(index) => value_of(index),
                Value::Roster(index, missing) => match value_of(index) {
                    "" => missing,
                    value => value,
                },
                Value::Missing(missing) => missing,
                Value::Result => game.result().as_pgn(),
            };
            out.extend_from_slice(line.before.as_bytes());
            if !write_value(value, out) {
                let name = line.before.trim_start_matches('[').trim_end_matches(" \"");
                losses.report(&losses::CONTROL_CHARACTERS, game.origin.number, name);
            }
            out.extend_from_slice(b"\"]\n");
        }
    }
}

/// Reports a Result tag that will not be written, since the movetext ends with another result.
fn report_disagreement(game: &Game, losses: &mut Losses) {
    if let Some(outcome) = game.outcome
        && outcome.is_definite()
        && let Some(tag) = game.tags.result()
        && tag.is_definite()
        && tag != outcome
    {
        losses.report(
            &losses::RESULT_DISAGREES,
            game.origin.number,
            format!(
                "[Result {:?}] with {} at the end",
                tag.as_pgn(),
                outcome.as_pgn()
            ),
        );
    }
}

fn write_one_by_one(style: &PgnStyle, game: &Game, out: &mut Vec<u8>, losses: &mut Losses) {
    let tags = Tagged::new(game);
    let mut write = |name: &str, value: &str| write_tag(game, name, value, out, losses);
    match &style.only_tags {
        Some(only) => {
            for name in only {
                if let Some(value) = tags.get(name) {
                    write(name, value);
                }
            }
            let left: Vec<&str> = tags
                .others()
                .map(|(name, _)| name)
                .filter(|name| !only.iter().any(|o| o == name))
                .collect();
            if !left.is_empty() {
                losses.report(&losses::TAGS_LEFT_OUT, game.origin.number, left.join(" "));
            }
        }
        None if style.keep_tag_order => {
            for tag in game.tags.iter() {
                let value = if tag.name == "Result" {
                    tags.get("Result").unwrap_or(tag.value)
                } else {
                    tag.value
                };
                write(tag.name, value);
            }
            for (name, value) in tags.implied() {
                write(name, value);
            }
        }
        None => {
            for name in ROSTER {
                if let Some(value) = tags.get(name) {
                    write(name, value);
                }
            }
            let mut others: Vec<(&str, &str)> = tags.others().collect();
            // The sort is stable: equal names keep their order.
            others.sort_by(|a, b| a.0.cmp(b.0));
            for (name, value) in others {
                write(name, value);
            }
        }
    }
}

/// The tags of a game as the export format sees them: with what the game implies.
struct Tagged<'g> {
    game: &'g Game,
    result: &'static str,
    fen: Option<String>,
}

impl<'g> Tagged<'g> {
    fn new(game: &'g Game) -> Tagged<'g> {
        let fen = match &game.start {
            Start::Setup(board, _) if game.tags.get("FEN").is_none() => Some(board.to_fen()),
            _ => None,
        };
        Tagged {
            game,
            result: game.result().as_pgn(),
            fen,
        }
    }

    fn get(&self, name: &str) -> Option<&str> {
        if name == "Result" {
            return Some(self.result);
        }
        match self.game.tags.get(name) {
            Some("") if ROSTER.contains(&name) => Some(missing(name)),
            Some(value) => Some(value),
            None if ROSTER.contains(&name) => Some(missing(name)),
            None => self
                .implied()
                .find(|(implied, _)| *implied == name)
                .map(|(_, value)| value),
        }
    }

    /// Tags that the source does not have and the game needs.
    fn implied(&self) -> impl Iterator<Item = (&str, &str)> {
        let tags = &self.game.tags;
        let is_setup = matches!(self.game.start, Start::Setup(..));
        let setup = (is_setup && tags.get("SetUp").is_none()).then_some(("SetUp", "1"));
        let fen = self.fen.as_deref().map(|fen| ("FEN", fen));
        let is_960 = self.game.variant == Variant::Chess960;
        let variant = (is_960 && tags.get("Variant").is_none()).then_some(("Variant", "Chess960"));
        [fen, setup, variant].into_iter().flatten()
    }

    /// Every tag but the first of each roster name.
    fn others(&self) -> impl Iterator<Item = (&str, &str)> {
        let mut seen = [false; ROSTER.len()];
        let tags: &Tags = &self.game.tags;
        tags.iter()
            .filter(move |tag| {
                let roster = ROSTER.iter().position(|name| *name == tag.name);
                match roster.and_then(|at| seen.get_mut(at)) {
                    Some(seen) => std::mem::replace(seen, true),
                    None => true,
                }
            })
            .map(|tag| (tag.name, tag.value))
            .chain(self.implied())
    }
}

fn missing(name: &str) -> &'static str {
    if name == "Date" { "????.??.??" } else { "?" }
}

/// Whether a name is written as it is, and read again as it is.
fn name_is_kept(name: &str) -> bool {
    let read_as = tag_name::restore(name).unwrap_or(name.trim_ascii());
    let is_read =
        || tag_name::is_archival(name) || is_tag_start(format!("[{name} \"").as_bytes(), 0);
    name_fits(name) && read_as == name && is_read()
}

/// Whether a name can be written.
fn name_fits(name: &str) -> bool {
    !name.is_empty() && !name.contains(breaks_tag)
}

fn breaks_tag(c: char) -> bool {
    c == '"' || c == ']' || c == '[' || c.is_control()
}

fn write_tag(game: &Game, name: &str, value: &str, out: &mut Vec<u8>, losses: &mut Losses) {
    out.push(b'[');
    if name_fits(name) {
        out.extend_from_slice(name.as_bytes());
        if !name_is_kept(name) {
            losses.report(
                &losses::TAG_NAME,
                game.origin.number,
                format!("{name:?} is not read again as it is"),
            );
        }
    } else {
        let changed = match name.replace(breaks_tag, "_") {
            empty if empty.is_empty() => "_".to_owned(),
            changed => changed,
        };
        losses.report(
            &losses::TAG_NAME,
            game.origin.number,
            format!("{name:?} is written {changed:?}"),
        );
        out.extend_from_slice(changed.as_bytes());
    }
    out.extend_from_slice(b" \"");
    if !write_value(value, out) {
        losses.report(&losses::CONTROL_CHARACTERS, game.origin.number, name);
    }
    out.extend_from_slice(b"\"]\n");
}

/// Writes a value with its escapes; false where control characters became spaces.
fn write_value(value: &str, out: &mut Vec<u8>) -> bool {
    let bytes = value.as_bytes();
    if eight::needs_no_escape(bytes) {
        out.extend_from_slice(bytes);
        return true;
    }
    let mut whole = true;
    for &byte in bytes {
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            0..=0x1f | 0x7f => {
                whole = false;
                out.push(b' ');
            }
            _ => out.push(byte),
        }
    }
    whole
}
