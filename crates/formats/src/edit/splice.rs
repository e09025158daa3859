//! Files of text: the bytes of all other games are copied as they stand, and nobody reads what is in them.

use std::fs::File;
use std::io::{Cursor, Read, Seek, SeekFrom, Write};
use std::path::Path;

use tabiya_io::compression;
use tabiya_model::database::{Writer, for_each_game};
use tabiya_model::places::Places;
use tabiya_model::{Error, ErrorKind, Game, Losses, Result, Want};

use super::pieces::{ListEditor, Piece, Writing};
use super::rewrite::Whole;
use super::{Edit, Noting, failed};
use crate::format::{Format, OpenOptions, WriteOptions};

/// So much of the end of a file is read to see how it ends.
const TAIL: u64 = 1 << 18;
/// A longer game is not read again to see whether the next one is read as a game of its own.
const LONG: u64 = 1 << 22;

/// Opens a file of text for changes.
pub(crate) fn open(
    format: &'static Format,
    path: &Path,
    options: &OpenOptions,
) -> Result<Box<dyn Edit>> {
    Ok(Box::new(ListEditor::open(format, path, options, &Spliced)?))
}

/// Copies bytes and puts new games between them.
struct Spliced;

impl Writing for Spliced {
    fn write(&self, mut editor: ListEditor, noting: Option<Noting<'_>>) -> Result<()> {
        let limits = compression::Limits::default();
        let is_plain = compression::is_plain(&editor.path, &limits)
            .map_err(|error| Error::from(std::io::Error::from(error)))?;
        if !is_plain || is_wide(&editor.path)? {
            return Whole.write(editor, noting);
        }
        if editor.list().is_none() {
            return append(editor, noting);
        }
        match editor.database.places()? {
            Some(places) => splice(&mut editor, &places)?,
            // Something stands between the games that belongs to none of them.
            None => return Whole.write(editor, noting),
        }
        editor.finish(noting)
    }
}

/// Whether the letters of a file have two bytes.
fn is_wide(path: &Path) -> Result<bool> {
    let mut head = Vec::new();
    File::open(path)?.take(4).read_to_end(&mut head)?;
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
fn texts(editor: &ListEditor, games: &[&Game], has_returns: bool) -> Result<Vec<u8>> {
    let Some(create) = editor.format.create else {
        return Ok(Vec::new());
    };
    let path = editor.stage.file(&editor.path);
    let options = WriteOptions {
        force: true,
        ..WriteOptions::default()
    };
    let mut writer = Writer::new(create(&path, &options)?);
    // What cannot be held was told when the games were taken.
    let mut told = Losses::default();
    for game in games {
        writer.write(game, &mut told)?;
    }
    writer.finish()?;
    let text = std::fs::read(&path)?;
    if has_returns {
        return Ok(with_returns(&text));
    }
    Ok(text)
}

/// What has to stand between a text and the game that follows it.
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

/// The games of a text, as they are read.
fn games(format: &Format, options: &OpenOptions, text: Vec<u8>) -> Result<Vec<Game>> {
    let Some(stream) = format.stream else {
        return Ok(Vec::new());
    };
    let mut source = stream(Box::new(Cursor::new(text)), options)?;
    let mut games = Vec::new();
    for_each_game(&mut *source, Want::ALL, |game| {
        games.push(game.clone());
        Ok(())
    })?;
    Ok(games)
}

/// Refuses to put a text behind another one that would swallow it: one with an open comment.
fn is_apart(editor: &ListEditor, before: &[u8], after: &[u8], count: usize) -> Result<()> {
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
        ErrorKind::Unsupported,
        format!(
            "{}: what follows a game there would be read as a part of it (an open comment?); nothing was changed",
            editor.path.display()
        ),
    ))
}

/// Adds games to the end, without a look at all that is before.
fn append(mut editor: ListEditor, noting: Option<Noting<'_>>) -> Result<()> {
    let mut file = File::open(&editor.path)?;
    let size = file.metadata()?.len();
    let mut length = TAIL.min(size);
    let tail = loop {
        file.seek(SeekFrom::Start(size - length))?;
        let mut tail = Vec::new();
        (&file).take(length).read_to_end(&mut tail)?;
        // From the first game of it that is there as a whole.
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
    let new: Vec<&Game> = editor
        .added
        .iter()
        .filter_map(|piece| match piece {
            Piece::New(index) => editor.new.get(*index),
            Piece::Old(_) => None,
        })
        .collect();
    let mut text = gap(editor.format, &tail, has_returns).to_vec();
    text.extend(texts(&editor, &new, has_returns)?);
    is_apart(&editor, &tail, &text, new.len())?;
    let path = editor.path.clone();
    editor.change.append(&path, &text).map_err(failed)?;
    editor.finish(noting)
}

/// Where the games of a file stand.
struct Spans<'p> {
    places: &'p Places,
    /// Where the first game begins, behind a mark of the charset.
    begin: u64,
    size: u64,
}

impl Spans<'_> {
    fn start(&self, number: u64) -> u64 {
        let at = usize::try_from(number.saturating_sub(1)).unwrap_or(usize::MAX);
        match at {
            // Text before the first game is a part of it.
            0 => self.begin,
            at => self.places.bytes.get(at).copied().unwrap_or(self.size),
        }
    }

    fn end(&self, number: u64) -> u64 {
        let at = usize::try_from(number).unwrap_or(usize::MAX);
        self.places.bytes.get(at).copied().unwrap_or(self.size)
    }
}

/// Writes the whole list beside the old file.
fn splice(editor: &mut ListEditor, places: &Places) -> Result<()> {
    let mut source = File::open(&editor.path)?;
    let size = source.metadata()?.len();
    let mut head = Vec::new();
    (&source).take(1 << 16).read_to_end(&mut head)?;
    let has_returns = has_returns(&head);
    let mark: u64 = if head.starts_with(b"\xef\xbb\xbf") {
        3
    } else {
        0
    };
    let spans = Spans {
        places,
        begin: mark,
        size,
    };
    let path = editor.path.clone();
    let mut out = editor.change.create(&path).map_err(failed)?;
    let unwritten = |error: std::io::Error| {
        let message = format!(
            "{}: the new file cannot be written: {error}; nothing was changed",
            path.display()
        );
        Error::new(ErrorKind::Io, message).because(error)
    };
    out.write_all(
        b"\xef\xbb\xbf"
            .get(..usize::try_from(mark).unwrap_or(0))
            .unwrap_or(&[]),
    )
    .map_err(unwritten)?;
    let list = editor.list().unwrap_or_default().to_vec();
    let mut rest = list.as_slice();
    // The last game that was written.
    let mut before: Vec<u8> = Vec::new();
    while let Some((piece, tail)) = rest.split_first() {
        match *piece {
            Piece::New(index) => {
                rest = tail;
                let game = editor.new.get(index).cloned().unwrap_or_default();
                let text = texts(editor, &[&game], has_returns)?;
                let between = gap(editor.format, &before, has_returns);
                let text = [between, &text].concat();
                is_apart(editor, &before, &text, 1)?;
                out.write_all(&text).map_err(unwritten)?;
                before = text;
            }
            Piece::Old(first) => {
                let mut text_of = |number: u64| -> Result<Vec<u8>> {
                    let (start, end) = (spans.start(number), spans.end(number));
                    let mut text = Vec::new();
                    source.seek(SeekFrom::Start(start))?;
                    (&source)
                        .take((end - start).min(LONG))
                        .read_to_end(&mut text)?;
                    Ok(text)
                };
                if !before.is_empty() {
                    let between = gap(editor.format, &before, has_returns);
                    let text = [between, &text_of(first)?].concat();
                    if is_apart(editor, &before, &text, 1).is_err() {
                        // Text before the first tag, say, would become a part of the game before it: such a game is
                        // written anew.
                        let game = editor.game(*piece)?;
                        let text = [between, &texts(editor, &[&game], has_returns)?].concat();
                        is_apart(editor, &before, &text, 1)?;
                        out.write_all(&text).map_err(unwritten)?;
                        before = text;
                        rest = tail;
                        continue;
                    }
                    out.write_all(between).map_err(unwritten)?;
                }
                // As many as stand one behind the other in the old file.
                let run = (first..)
                    .zip(rest)
                    .take_while(|(n, piece)| **piece == Piece::Old(*n));
                let count = run.count();
                rest = rest.get(count..).unwrap_or_default();
                let last = first + count as u64 - 1;
                let (start, end) = (spans.start(first), spans.end(last));
                before = text_of(last)?;
                source.seek(SeekFrom::Start(start))?;
                let copied = out.copy_from(&source, end - start).map_err(unwritten)?;
                if copied != end - start {
                    return Err(Error::corrupt(format!(
                        "{}: the file has become shorter; nothing was changed",
                        path.display()
                    )));
                }
            }
        }
    }
    editor.change.put(&path, out).map_err(failed)
}
