//! Writes the tags of a game, in the order of the export format by default.

use std::borrow::Cow;

use tabiya_model::game::{StartingPosition, Variant};
use tabiya_model::setup_tags::{SetupTags, beginning, decides};
use tabiya_model::tag_name;
use tabiya_model::tags::{ROSTER, Tags};
use tabiya_model::{Game, Losses};

use super::lexer::is_tag_start;
use super::losses;
use super::style::PgnStyle;
use super::swar;
use tabiya_codec::fact_losses::START_ADDED;

/// The number of layouts that are remembered.
const LAYOUTS: usize = 16;

/// The most tags of a game with such a layout.
const TAGS: usize = 64;

/// Writes tags. Most games of a file have the same tags in the same order, so the layout of such games is remembered.
#[derive(Debug, Default)]
pub(super) struct PgnTagSection {
    layouts: Vec<TagLayout>,
    /// The layout of the last game, if it is remembered.
    last: usize,
}

/// The layout of games with these tags in the export format.
#[derive(Debug)]
struct TagLayout {
    names: Vec<String>,
    lines: Vec<TagLine>,
}

#[derive(Debug)]
struct TagLine {
    /// The line up to its value.
    before: String,
    value: TagValueSource,
}

impl TagLine {
    fn name(&self) -> &str {
        // Within `[Name "`.
        let end = self.before.len().saturating_sub(2);
        self.before.get(1..end).unwrap_or("")
    }
}

/// The source of a value.
#[derive(Debug)]
enum TagValueSource {
    /// From the tag at an index.
    Tag(usize),
    /// From the tag at an index, or this text if it is empty.
    Roster(usize, &'static str),
    Missing(&'static str),
    /// From the tag at an index, or the result of the game if there is none.
    Result(Option<usize>),
}

impl PgnTagSection {
    pub(super) fn write(
        &mut self,
        style: &PgnStyle,
        game: &Game,
        out: &mut Vec<u8>,
        losses: &mut Losses,
    ) {
        let in_export_order = style.only_tags.is_none() && !style.keep_tag_order;
        match self.layout(game).filter(|_| in_export_order) {
            Some(layout) => layout.write(game, out, losses),
            None => write_one_by_one(style, game, out, losses),
        }
    }

    /// The layout of a game that has only plain tags.
    fn layout(&mut self, game: &Game) -> Option<&TagLayout> {
        let is_known = |layout: &TagLayout| layout.fits(&game.tags);
        let is_usual =
            matches!(game.start, StartingPosition::Standard) && game.variant == Variant::Standard;
        if !is_usual || game.tags.len() > TAGS {
            return None;
        }
        if !self.layouts.get(self.last).is_some_and(is_known) {
            self.last = match self.layouts.iter().position(is_known) {
                Some(known) => known,
                None => {
                    let layout = TagLayout::new(&game.tags)?;
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

impl TagLayout {
    /// The layout of games with the names of these tags, if all names can be written unchanged.
    fn new(tags: &Tags) -> Option<TagLayout> {
        let is_plain = |name: &str| name_is_kept(name) && !decides(name);
        if !tags.iter().all(|tag| is_plain(tag.name)) {
            return None;
        }
        let line = |name: &str, value: TagValueSource| TagLine {
            before: format!("[{name} \""),
            value,
        };
        let mut lines: Vec<TagLine> = ROSTER
            .into_iter()
            .map(|name| {
                let value = match tags.position(name) {
                    index if name == "Result" => TagValueSource::Result(index),
                    Some(index) => TagValueSource::Roster(index, missing(name)),
                    None => TagValueSource::Missing(missing(name)),
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
                .map(|(index, name)| line(name, TagValueSource::Tag(index))),
        );
        Some(TagLayout {
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
                TagValueSource::Tag(index) => value_of(index),
                TagValueSource::Roster(index, missing) => match value_of(index) {
                    "" => {
                        report_empty(game, line.name(), losses);
                        missing
                    }
                    value => value,
                },
                TagValueSource::Missing(missing) => missing,
                TagValueSource::Result(index) => match index.map(value_of) {
                    Some("") => {
                        report_empty(game, "Result", losses);
                        game.result().as_pgn()
                    }
                    Some(value) => value,
                    None => game.result().as_pgn(),
                },
            };
            out.extend_from_slice(line.before.as_bytes());
            write_value(game, line.name(), value, out, losses);
            out.extend_from_slice(b"\"]\n");
        }
    }
}

#[cold]
fn report_empty(game: &Game, name: &str, losses: &mut Losses) {
    losses.report(&losses::EMPTY_ROSTER_TAG, game.origin.number, name);
}

/// Whether the start given by the tags is that of a game.
fn is_start_of(game: &Game, said: &SetupTags) -> bool {
    let position = |start: &StartingPosition| match start {
        StartingPosition::Standard => None,
        StartingPosition::Setup(board, _) => Some(board.to_fen()),
    };
    said.variant == game.variant && position(&said.start) == position(&game.start)
}

fn write_one_by_one(style: &PgnStyle, game: &Game, out: &mut Vec<u8>, losses: &mut Losses) {
    let tags = ExportTags::new(game, style);
    tags.report(losses);
    if style.only_tags.is_none() && !style.keep_tag_order {
        for name in ROSTER {
            if game.tags.get(name) == Some("") {
                report_empty(game, name, losses);
            }
        }
    }
    let mut write = |name: &str, value: &str| write_tag(game, name, value, out, losses);
    match &style.only_tags {
        Some(only) => {
            for name in only {
                if let Some(value) = tags.get(name) {
                    write(name, value);
                }
                for further in tags.further(name) {
                    write(name, further);
                }
            }
            // Without these, the moves could not be played.
            let is_left = |name: &str| !only.iter().any(|o| o == name);
            for (name, value) in tags.needed().filter(|(name, _)| is_left(name)) {
                write(name, value);
            }
            // A roster tag with an unknown value is not missed, nor is the result if it is written after the moves.
            let says = |name: &&str| match *name {
                "Result" => !style.results || tags.result != game.ending().as_pgn(),
                name => !matches!(game.tags.value(name), "" | "?" | "????.??.??"),
            };
            let left: Vec<&str> = ROSTER
                .into_iter()
                .filter(says)
                .chain(tags.others().map(|(name, _)| name))
                .filter(|name| is_left(name) && !tags.needed().any(|(needed, _)| needed == *name))
                .collect();
            if !left.is_empty() {
                losses.report(&losses::TAGS_LEFT_OUT, game.origin.number, left.join(" "));
            }
        }
        None if style.keep_tag_order => {
            for tag in game.tags.iter().filter(|tag| tags.keeps(tag.name)) {
                write(tag.name, tag.value);
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
            others.sort_by_cached_key(|(name, _)| written_name(name));
            for (name, value) in others {
                write(name, value);
            }
        }
    }
}

/// The tags of a game in the export format, including those that the game implies.
struct ExportTags<'g> {
    game: &'g Game,
    result: &'g str,
    fen: Option<String>,
    /// Tags of the game give another start than it has, so they are not written.
    misleading: bool,
    /// Another start is read even so.
    unsaid: bool,
    /// Whether the tags are sorted by name.
    is_sorted: bool,
}

impl<'g> ExportTags<'g> {
    fn new(game: &'g Game, style: &PgnStyle) -> ExportTags<'g> {
        let result = match game.tags.get("Result") {
            Some(value) if !value.is_empty() => value,
            _ => game.result().as_pgn(),
        };
        let mut tags = ExportTags {
            game,
            result,
            fen: None,
            misleading: false,
            unsaid: false,
            is_sorted: style.only_tags.is_none() && !style.keep_tag_order,
        };
        tags.imply(game.tags.get("FEN").is_none());
        if !tags.says_start() {
            tags.misleading = true;
            tags.imply(true);
            tags.unsaid = !tags.says_start();
        }
        tags
    }

    /// Makes the tag of the position, if it is needed.
    fn imply(&mut self, is_due: bool) {
        self.fen = match &self.game.start {
            StartingPosition::Setup(board, _) if is_due => Some(board.to_fen()),
            _ => None,
        };
    }

    /// Whether the tags, read again, give the start of the game.
    fn says_start(&self) -> bool {
        let is_usual = matches!(self.game.start, StartingPosition::Standard);
        if is_usual
            && self.game.variant == Variant::Standard
            && !self.game.tags.iter().any(|tag| decides(tag.name))
        {
            return true;
        }
        let mut lines: Vec<(&str, String)> = self
            .kept()
            .chain(self.implied())
            .filter(|(name, _)| decides(name))
            .map(|(name, value)| (name, value.replace(is_line_break, " ")))
            .collect();
        if self.is_sorted {
            lines.sort_by_key(|(name, _)| *name);
        }
        let lines = lines.iter().map(|(name, value)| (*name, value.as_str()));
        is_start_of(self.game, &beginning(lines))
    }

    /// Reports tags that are not written because they give another start.
    fn report(&self, losses: &mut Losses) {
        if self.misleading {
            let said: Vec<String> = self
                .game
                .tags
                .iter()
                .filter(|tag| decides(tag.name))
                .map(|tag| format!("[{} {:?}]", tag.name, tag.value))
                .collect();
            losses.report(&losses::START_TAGS, self.game.origin.number, said.join(" "));
        }
        if self.unsaid {
            losses.report(&losses::START, self.game.origin.number, "");
        }
        let added: Vec<&str> = self.implied().map(|(name, _)| name).collect();
        if !added.is_empty() && !self.misleading {
            losses.report(&START_ADDED, self.game.origin.number, added.join(" "));
        }
    }

    /// Whether tags of a name are written.
    fn keeps(&self, name: &str) -> bool {
        !(self.misleading && decides(name))
    }

    /// The tags of the game that are written.
    fn kept(&self) -> impl Iterator<Item = (&str, &str)> {
        let tags = self.game.tags.iter().map(|tag| (tag.name, tag.value));
        tags.filter(|(name, _)| self.keeps(name))
    }

    fn get(&self, name: &str) -> Option<&str> {
        if name == "Result" {
            return Some(self.result);
        }
        match self.game.tags.get(name).filter(|_| self.keeps(name)) {
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
        let is_setup = matches!(self.game.start, StartingPosition::Setup(..));
        let setup = (is_setup && tags.get("SetUp").is_none()).then_some(("SetUp", "1"));
        let fen = self.fen.as_deref().map(|fen| ("FEN", fen));
        let is_due = self.misleading || tags.get("Variant").is_none();
        let variant = match self.game.variant {
            Variant::Chess960 if is_due => Some(("Variant", "Chess960")),
            Variant::Other if self.misleading => Some(("Variant", "Other")),
            _ => None,
        };
        [fen, setup, variant].into_iter().flatten()
    }

    /// The tags for the start of a game, if that is not the usual one.
    fn needed(&self) -> impl Iterator<Item = (&str, &str)> {
        let is_setup = matches!(self.game.start, StartingPosition::Setup(..));
        let is_usual = !is_setup && self.game.variant == Variant::Standard;
        (self.kept().chain(self.implied()))
            .filter(move |(name, _)| !is_usual && (decides(name) || is_setup && *name == "SetUp"))
    }

    /// The values of all tags of a name after the first one.
    fn further(&self, name: &str) -> impl Iterator<Item = &str> {
        let of_name = self.kept().filter(move |(other, _)| *other == name);
        of_name.skip(1).map(|(_, value)| value)
    }

    /// Every tag but the first of each roster name.
    fn others(&self) -> impl Iterator<Item = (&str, &str)> {
        let mut seen = [false; ROSTER.len()];
        self.kept()
            .filter(move |(name, _)| {
                let roster = ROSTER.iter().position(|known| known == name);
                match roster.and_then(|at| seen.get_mut(at)) {
                    Some(seen) => std::mem::replace(seen, true),
                    None => true,
                }
            })
            .chain(self.implied())
    }
}

fn missing(name: &str) -> &'static str {
    if name == "Date" { "????.??.??" } else { "?" }
}

/// Whether a name is written and read back unchanged.
fn name_is_kept(name: &str) -> bool {
    let read_as = tag_name::restore(name).unwrap_or(name.trim_ascii());
    read_as == name && is_read_as_tag(name)
}

/// Whether a tag of this name is read as one.
fn is_read_as_tag(name: &str) -> bool {
    tag_name::is_archival(name) && name.len() < LONGEST_NAME
        || !name.contains(|c: char| c.is_control() || c == '"')
            && is_tag_start(format!("[{name} \"").as_bytes(), 0)
}

/// The most bytes of a name that are written if it must be changed.
const LONGEST_NAME: usize = 200;

/// A name that can be written, and is read as one.
fn changed_name(name: &str) -> String {
    let mut changed = String::new();
    for c in name.trim_ascii().chars() {
        let fits = !c.is_ascii() || c.is_ascii_alphanumeric() || " _-./+#:".contains(c);
        let c = if fits && !c.is_control() { c } else { '_' };
        if changed.len() + c.len_utf8() > LONGEST_NAME {
            break;
        }
        // A name begins with a letter, a digit or an underscore.
        if changed.is_empty() && c.is_ascii_punctuation() && c != '_' {
            changed.push('_');
        }
        changed.push(c);
    }
    changed.truncate(changed.trim_ascii_end().len());
    if changed.is_empty() {
        changed.push('_');
    }
    changed
}

/// A name as it is written.
fn written_name(name: &str) -> Cow<'_, str> {
    match is_read_as_tag(name) {
        true => Cow::Borrowed(name),
        false => Cow::Owned(changed_name(name)),
    }
}

fn write_tag(game: &Game, name: &str, value: &str, out: &mut Vec<u8>, losses: &mut Losses) {
    out.push(b'[');
    let written = written_name(name);
    out.extend_from_slice(written.as_bytes());
    if written != name {
        losses.report(
            &losses::TAG_NAME,
            game.origin.number,
            format!("{name:?} is written as {written:?}"),
        );
    } else if !name_is_kept(name) {
        losses.report(
            &losses::TAG_NAME,
            game.origin.number,
            format!("{name:?} is not read back unchanged"),
        );
    }
    out.extend_from_slice(b" \"");
    write_value(game, name, value, out, losses);
    out.extend_from_slice(b"\"]\n");
}

fn is_line_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\0')
}

/// Writes a value with its escapes. A value is on one line; NUL bytes would make the file look like another kind.
#[inline]
fn write_value(game: &Game, name: &str, value: &str, out: &mut Vec<u8>, losses: &mut Losses) {
    let bytes = value.as_bytes();
    if swar::needs_no_escape(bytes) {
        out.extend_from_slice(bytes);
    } else {
        write_escaped(game, name, bytes, out, losses);
    }
}

fn write_escaped(game: &Game, name: &str, value: &[u8], out: &mut Vec<u8>, losses: &mut Losses) {
    let (mut breaks, mut nul) = (false, false);
    for &byte in value {
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            b'\n' | b'\r' => {
                breaks = true;
                out.push(b' ');
            }
            0 => {
                nul = true;
                out.push(b' ');
            }
            _ => out.push(byte),
        }
    }
    if breaks {
        losses.report(&losses::TAG_LAYOUT, game.origin.number, name);
    }
    if nul {
        losses.report(&losses::NUL_IN_TAG, game.origin.number, name);
    }
}
