//! Text files: the bytes of all other games are copied unchanged, without being parsed.

use std::fs::File;
use std::io::{Cursor, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;

use tabiya_io::compression;
use tabiya_io::disk::DiskFile;
use tabiya_io::held_folder;
use tabiya_model::database::{SinkWriter, for_each_game};
use tabiya_model::error_codes;
use tabiya_model::{Error, Game, GameNeeds, Losses, Result};

use super::game_list::{EditListEntry, GameListEditor, GameListWriter, NewGame};
use super::rewrite::SAME_FILES;
use super::spans::{GameSpans, LONG};
use super::{DatabaseEditor, HistoryNoteFn, failed};
use crate::format::{Format, OpenOptions, WriteOptions};

/// How many bytes at the end of a file are read to see how it ends.
const TAIL: u64 = 1 << 18;

/// Opens a file of text for changes.
pub fn open(
    format: &'static Format,
    path: &Path,
    options: &OpenOptions,
) -> Result<Box<dyn DatabaseEditor>> {
    Ok(Box::new(GameListEditor::open(
        format,
        path,
        options,
        &TextSplice,
    )?))
}

/// Copies bytes and puts new games between them.
struct TextSplice;

impl GameListWriter for TextSplice {
    fn spans(&self, editor: &GameListEditor) -> Result<Option<GameSpans>> {
        if text_size(editor).is_none() {
            return Ok(None);
        }
        // Without places, there is text between the games that belongs to none of them.
        match editor.database.places()? {
            Some(places) => GameSpans::new(&editor.path, places).map(Some),
            None => Ok(None),
        }
    }

    /// A tag in a text is a mark for Tabiya only: other programs would still see the game.
    fn marks_deleted(&self, _editor: &GameListEditor) -> bool {
        false
    }

    fn write(&self, mut editor: GameListEditor, noting: Option<HistoryNoteFn<'_>>) -> Result<()> {
        if text_size(&editor).is_none() {
            return SAME_FILES.write(editor, noting);
        }
        if editor.list().is_none() {
            return append(editor, noting);
        }
        if editor.spans()?.is_none() {
            return SAME_FILES.write(editor, noting);
        }
        let list = editor.take_list();
        let path = editor.path.clone();
        let out = editor.change.create(&path).map_err(failed)?;
        let out = TextSplicer::new(&editor, out)?.write(&list)?;
        editor.change.put(&path, out).map_err(failed)?;
        editor.finish(noting)
    }
}

/// The size of a text whose bytes can be copied: with one-byte characters, and not compressed.
pub(super) fn text_size(editor: &GameListEditor) -> Option<u64> {
    let limits = compression::UnpackLimits::default();
    let is_plain = compression::is_plain(&editor.path, &limits).unwrap_or(false);
    let is_text = is_plain && !is_wide(&editor.path).unwrap_or(true);
    let found = held_folder::metadata(&editor.path).ok()?;
    is_text.then_some(found.len())
}

/// Whether a text holds this game, and nothing else.
pub(super) fn holds(editor: &GameListEditor, text: &[u8], game: &Game) -> Result<bool> {
    let found = games(editor.format, &editor.options, text.to_vec())?;
    let [found] = found.as_slice() else {
        return Ok(false);
    };
    let is_same = found.tape == game.tape
        && found.tags == game.tags
        && found.start == game.start
        && found.outcome == game.outcome
        && found.variant == game.variant;
    Ok(is_same)
}

/// Whether the characters of a file have two bytes.
fn is_wide(path: &Path) -> Result<bool> {
    let mut head = Vec::new();
    tabiya_io::regular_file::open(path)?
        .take(4)
        .read_to_end(&mut head)?;
    Ok(head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]) || head.contains(&0))
}

/// How lines end in a text.
fn has_returns(text: &[u8]) -> bool {
    text.windows(2).any(|pair| pair == b"\r\n")
}

fn with_returns(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + text.len() / 40);
    let mut before = 0;
    for byte in text {
        if *byte == b'\n' && before != b'\r' {
            out.push(b'\r');
        }
        out.push(*byte);
        before = *byte;
    }
    out
}

/// New games as the format writes them.
fn texts(editor: &GameListEditor, games: &[&Game], has_returns: bool) -> Result<Vec<u8>> {
    let Some(create) = editor.format.create else {
        return Ok(Vec::new());
    };
    let path = editor.stage.file(&editor.path);
    let options = WriteOptions {
        force: true,
        ..WriteOptions::default()
    };
    let mut writer = SinkWriter::new(create(&path, &options)?);
    // Losses were reported when the games were taken.
    let mut told = Losses::default();
    for game in games {
        writer.write(game, &mut told)?;
    }
    writer.finish()?;
    let text = tabiya_io::regular_file::read(&path)?;
    if has_returns {
        return Ok(with_returns(&text));
    }
    Ok(text)
}

/// The bytes needed between a text and the next game.
fn gap(format: &Format, before: &[u8], has_returns: bool) -> &'static [u8] {
    let ends = |end: &[u8]| before.ends_with(end);
    let is_lines = format.name == "ndjson";
    let wanted = match (before.is_empty(), is_lines) {
        (true, _) => 0,
        (false, true) => usize::from(!ends(b"\n")),
        (false, false) if ends(b"\n\n") || ends(b"\r\n\r\n") => 0,
        (false, false) if ends(b"\n") => 1,
        (false, false) => 2,
    };
    match (wanted, has_returns) {
        (0, _) => b"",
        (1, false) => b"\n",
        (1, true) => b"\r\n",
        (_, false) => b"\n\n",
        (_, true) => b"\r\n\r\n",
    }
}

/// The games read from a text.
fn games(format: &Format, options: &OpenOptions, text: Vec<u8>) -> Result<Vec<Game>> {
    let Some(stream) = format.stream else {
        return Ok(Vec::new());
    };
    let mut source = stream(Box::new(Cursor::new(text)), options)?;
    let mut games = Vec::new();
    for_each_game(&mut *source, GameNeeds::ALL, |game| {
        games.push(game.clone());
        Ok(())
    })?;
    Ok(games)
}

/// Refuses to put a text after another one that would swallow it: one with an open comment.
fn is_apart(editor: &GameListEditor, before: &[u8], after: &[u8], count: usize) -> Result<()> {
    let (format, options) = (editor.format, &editor.options);
    let old = games(format, options, before.to_vec())?;
    let both = games(format, options, [before, after].concat())?;
    let stays = old
        .iter()
        .zip(&both)
        .all(|(old, now)| old.tape == now.tape && old.tags.len() == now.tags.len());
    if stays && both.len() == old.len() + count {
        return Ok(());
    }
    Err(Error::new(
        &error_codes::OPEN_COMMENT,
        "the text after a game would be read as part of it (an unclosed comment?); nothing was changed",
    ).in_file(editor.path.display().to_string()))
}

/// Appends games without reading everything before them.
fn append(mut editor: GameListEditor, noting: Option<HistoryNoteFn<'_>>) -> Result<()> {
    let mut file = tabiya_io::regular_file::open(&editor.path)?;
    let size = file.metadata()?.len();
    let mut length = TAIL.min(size);
    let tail = loop {
        file.seek(SeekFrom::Start(size - length))?;
        let mut tail = Vec::new();
        (&file).take(length).read_to_end(&mut tail)?;
        // From the first game that is completely in the text.
        let start = match (length == size, editor.format.name) {
            (true, _) => Some(0),
            (false, "ndjson") => memchr::memchr(b'\n', &tail).map(|at| at + 1),
            (false, _) => memchr::memmem::find(&tail, b"\n\n[")
                .or_else(|| memchr::memmem::find(&tail, b"\n\r\n["))
                .map(|at| at + 1),
        };
        match start {
            Some(start) => break tail.split_off(start),
            None => length = (length * 8).min(size),
        }
    };
    let has_returns = has_returns(&tail);
    let new: Vec<&NewGame> = editor
        .added
        .iter()
        .filter_map(|piece| match piece {
            EditListEntry::New(index) => editor.new.get(*index),
            EditListEntry::Old(_) => None,
        })
        .collect();
    let text = match added(&editor, &tail, &new, has_returns, true) {
        Ok(text) => text,
        // Saved bytes do not form a game of their own at that place.
        Err(_) if new.iter().any(|new| new.text.is_some()) => {
            added(&editor, &tail, &new, has_returns, false)?
        }
        Err(error) => return Err(error),
    };
    let path = editor.path.clone();
    editor.change.append(&path, &text).map_err(failed)?;
    editor.finish(noting)
}

/// The text of games that are appended to another text.
fn added(
    editor: &GameListEditor,
    before: &[u8],
    new: &[&NewGame],
    has_returns: bool,
    takes_kept: bool,
) -> Result<Vec<u8>> {
    let mut text = Vec::new();
    let is_kept = |new: &&NewGame| takes_kept && new.text.is_some();
    for group in new.chunk_by(|a, b| !is_kept(a) && !is_kept(b)) {
        let last = if text.is_empty() { before } else { &text };
        let gap = gap(editor.format, last, has_returns);
        text.extend(gap);
        match group {
            [one] if is_kept(one) => text.extend(one.text.iter().flatten()),
            group => {
                let games: Vec<&Game> = group.iter().map(|new| &new.game).collect();
                text.extend(texts(editor, &games, has_returns)?);
            }
        }
    }
    is_apart(editor, before, &text, new.len())?;
    Ok(text)
}

/// The item written last.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SplicePredecessor {
    Nothing,
    /// A game in the bytes of the format's writer.
    Fresh,
    /// A game in saved bytes.
    Kept,
    /// A game of the old file: its number.
    Old(u64),
}

/// Writes the changed list beside the old file.
struct TextSplicer<'e> {
    editor: &'e GameListEditor,
    spans: &'e GameSpans,
    source: File,
    out: DiskFile,
    has_returns: bool,
    last: SplicePredecessor,
    /// The last written game.
    before: Vec<u8>,
}

impl<'e> TextSplicer<'e> {
    fn new(editor: &'e GameListEditor, out: DiskFile) -> Result<TextSplicer<'e>> {
        let spans = editor.spans()?.ok_or_else(|| {
            Error::new(
                &error_codes::DAMAGED_NOT_CHANGED,
                "the offsets of the games are unknown; nothing was changed",
            )
        })?;
        Ok(TextSplicer {
            editor,
            spans,
            source: tabiya_io::regular_file::open(&editor.path)?,
            out,
            has_returns: has_returns(&spans.bytes(0, 1 << 16)?),
            last: SplicePredecessor::Nothing,
            before: Vec::new(),
        })
    }

    fn write(mut self, list: &[EditListEntry]) -> Result<DiskFile> {
        self.put(self.spans.mark()?)?;
        let mut rest = list;
        while let Some((piece, tail)) = rest.split_first() {
            match *piece {
                EditListEntry::New(index) => {
                    self.add_new(index)?;
                    rest = tail;
                }
                EditListEntry::Old(first) => {
                    // All that are consecutive in the old file.
                    let run = (first..)
                        .zip(rest)
                        .take_while(|(n, piece)| **piece == EditListEntry::Old(*n));
                    let count = run.count();
                    match self.begin_old(first)? {
                        true => {
                            rest = rest.get(count..).unwrap_or_default();
                            self.copy(first..first + count as u64)?;
                        }
                        false => rest = tail,
                    }
                }
            }
        }
        self.end()
    }

    /// Omits space at the end that belongs to an undone change.
    fn end(mut self) -> Result<DiskFile> {
        let size = self.out.position();
        let over = (self.editor.end_at)
            .and_then(|wanted| size.checked_sub(wanted))
            .and_then(|over| usize::try_from(over).ok())
            .filter(|over| *over > 0 && *over < self.before.len());
        if let Some(over) = over {
            let text = self.before.len() - over;
            let is_space = self
                .before
                .get(text..)
                .is_some_and(|end| end.trim_ascii().is_empty());
            // Of a very long game, only the head is known.
            if is_space && (self.before.len() as u64) < LONG {
                self.out
                    .cut(size - over as u64)
                    .map_err(|error| self.unwritten(error))?;
            }
        }
        Ok(self.out)
    }

    fn put(&mut self, text: &[u8]) -> Result<()> {
        let written = self.out.write_all(text);
        written.map_err(|error| self.unwritten(error))
    }

    fn unwritten(&self, error: std::io::Error) -> Error {
        let message = format!("the new file cannot be written: {error}");
        Error::of_system(error, message).in_file(self.editor.path.display().to_string())
    }

    /// The bytes needed between the text written last and the next text.
    fn gap(&self, text: &[u8], is_kept: bool) -> Result<&'static [u8]> {
        if self.last == SplicePredecessor::Nothing {
            return Ok(b"");
        }
        // Games written by others keep their distance, if it is sufficient.
        let is_theirs = match self.last {
            SplicePredecessor::Kept => true,
            SplicePredecessor::Old(number) => is_kept || number < self.spans.count(),
            SplicePredecessor::Nothing | SplicePredecessor::Fresh => false,
        };
        if is_theirs && self.before.ends_with(b"\n") && self.is_apart(b"", text).is_ok() {
            return Ok(b"");
        }
        let gap = gap(self.editor.format, &self.before, self.has_returns);
        self.is_apart(gap, text)?;
        Ok(gap)
    }

    fn is_apart(&self, gap: &[u8], text: &[u8]) -> Result<()> {
        is_apart(self.editor, &self.before, &[gap, text].concat(), 1)
    }

    /// Writes a new game.
    fn add_new(&mut self, index: usize) -> Result<()> {
        let Some(new) = self.editor.new.get(index) else {
            return Ok(());
        };
        if let Some(text) = &new.text
            && let Ok(gap) = self.gap(text, true)
        {
            return self.add(gap, text.clone(), SplicePredecessor::Kept);
        }
        self.add_fresh(&new.game)
    }

    fn add_fresh(&mut self, game: &Game) -> Result<()> {
        let text = texts(self.editor, &[game], self.has_returns)?;
        let gap = self.gap(&text, false)?;
        self.add(gap, text, SplicePredecessor::Fresh)
    }

    fn add(&mut self, gap: &[u8], text: Vec<u8>, last: SplicePredecessor) -> Result<()> {
        self.put(gap)?;
        self.put(&text)?;
        (self.before, self.last) = (text, last);
        Ok(())
    }

    /// Writes the bytes needed before an old game; returns false if it was written as a new one instead.
    fn begin_old(&mut self, number: u64) -> Result<bool> {
        if self.last == SplicePredecessor::Nothing {
            return Ok(true);
        }
        let text = self.spans.head(number)?;
        match self.gap(&text, false) {
            Ok(gap) => {
                self.put(gap)?;
                Ok(true)
            }
            Err(_) => {
                // Text before the first tag, for example, would become part of the previous game: such a game is written
                // anew.
                let game = self.editor.game(EditListEntry::Old(number))?;
                self.add_fresh(&game)?;
                Ok(false)
            }
        }
    }

    /// Copies the bytes of old games.
    fn copy(&mut self, games: Range<u64>) -> Result<()> {
        let last = games.end.saturating_sub(1);
        let start = self.spans.start(games.start)?;
        let end = self.spans.end(last);
        self.before = self.spans.head(last)?;
        self.last = SplicePredecessor::Old(last);
        self.source.seek(SeekFrom::Start(start))?;
        let copied = self.out.copy_from(&self.source, end - start);
        if copied.map_err(|error| self.unwritten(error))? != end - start {
            return Err(Error::new(
                &error_codes::CHANGED_MEANWHILE,
                "the file has become shorter; nothing was changed",
            )
            .in_file(self.editor.path.display().to_string()));
        }
        Ok(())
    }
}
