//! Changes: a whole new database is written, and takes the place of the old one.
//!
//! What the reader does not make a part of games is carried over ([`carry`]): the bytes of headers that it does not read, the
//! settings of the program, the bits of top games. Lists that the program makes again ([`REMADE`]) do not fit the new numbers
//! and places, and go first. Keys do not fit either, but some are made by hand: a database that has any is not changed.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use tabiya_codec::edit::rewrite::{self, RewrittenDatabase, RewrittenGame, WholeRewrite};
use tabiya_codec::edit::{DatabaseEditor, failed, finish_interrupted};
use tabiya_codec::format::OpenOptions;
use tabiya_io::change::DatabaseChange;
use tabiya_io::held_folder;
use tabiya_model::charset::Charset;
use tabiya_model::error_codes;
use tabiya_model::{Error, Result};

use super::base::CbhReader;
use super::files::{CbhFiles, KEYS, REMADE};
use super::layout::{CbhRecord, RECORD};
use super::second_header;
use super::text::ASSUMED;

/// All files of a database are written.
static REWRITE: WholeRewrite = WholeRewrite {
    has_optional_files: true,
    outdated: &REMADE,
    carry: Some(carry),
};

/// Opens a database for changes.
pub(super) fn open(path: &Path, options: &OpenOptions) -> Result<Box<dyn DatabaseEditor>> {
    super::refuse_newer(path)?;
    // Files of two states say nothing about the charset.
    finish_interrupted(&super::FORMAT, path)?;
    let is_key = |file: &&PathBuf| {
        let extension = file.extension().unwrap_or_default();
        KEYS.iter().any(|key| extension.eq_ignore_ascii_case(key))
    };
    if let Some(key) = CbhFiles::find(path)?.unread.iter().find(is_key) {
        return Err(Error::new(
            &error_codes::NOT_CHANGEABLE,
            format!(
                "{} classifies the games by their numbers and would no longer fit; nothing was changed",
                key.file_name().unwrap_or_default().to_string_lossy()
            ),
        )
        .in_file(path.display().to_string()));
    }
    let mut options = options.clone();
    if options.encoding.is_none() {
        // The texts of the other games keep their bytes if they are written as they were read.
        options.encoding = only_charset(&CbhReader::open(path, &options)?);
    }
    rewrite::open_with(&super::FORMAT, path, &options, &REWRITE)
}

/// The charset of everything that is not UTF-8; `None` if there is no such text, or if there are several charsets.
fn only_charset(reader: &CbhReader) -> Option<Charset> {
    let (charset, source) = reader.names_charset();
    let texts = reader.text_charsets();
    let is_only = texts.default == charset && texts.nations.iter().all(|(_, own)| *own == charset);
    (is_only && source != ASSUMED).then_some(charset)
}

/// Carries over what the writer does not write, and checks that the new database is read as the old one was.
fn carry(
    rewritten: &RewrittenDatabase<'_>,
    change: &mut DatabaseChange,
) -> Result<Vec<&'static str>> {
    let first = rewritten.file("cbh").unwrap_or(rewritten.new);
    let undetected = OpenOptions {
        encoding: None,
        ..rewritten.options.clone()
    };
    let old = CbhReader::open(first, &undetected)?;
    let new = CbhReader::open(rewritten.new, &undetected)?;
    let refuse =
        |why: &str| Error::new(&error_codes::WOULD_LOSE, why).in_file(first.display().to_string());
    if new.count() != rewritten.origins.len() as u64 {
        return Err(refuse(
            "the files have no room for all games; nothing was changed",
        ));
    }
    let charset = only_charset(&old).filter(|own| rewritten.options.encoding == Some(*own));
    if charset.is_some_and(|charset| new.names_charset().0 != charset) {
        return Err(refuse(
            "with this change, the charset of the database could no longer be told from its texts; nothing was changed",
        ));
    }
    let mut carried = Vec::new();
    let mut stage = |extension: &'static str, write: &CbhFileWriterFn<'_>| -> Result<()> {
        let Some(target) = rewritten.file(extension) else {
            return Ok(());
        };
        let told = |error: std::io::Error| Error::from(error).in_file(target.display().to_string());
        let mut file = BufWriter::new(change.create(target).map_err(failed)?);
        write(&mut file).map_err(told)?;
        let file = file
            .into_inner()
            .map_err(|error| told(error.into_error()))?;
        change.put(target, file).map_err(failed)?;
        carried.push(extension);
        Ok(())
    };
    let origins = rewritten.origins;
    stage("cbh", &|file| write_headers(file, &old, &new, origins))?;
    stage("cbj", &|file| {
        write_second_headers(file, &old, &new, origins)
    })?;
    let is_there = |extension| {
        let file = rewritten.file(extension);
        file.filter(|file| held_folder::is_file(file))
    };
    if is_there("cbgi").is_some() {
        stage("cbgi", &|file| write_move_places(file, &new))?;
    }
    if let Some(file) = is_there("flags") {
        let bits = rewritten.options.bytes_of(file)?;
        let bits = bits.strip_prefix(&FLAGS_HEAD).filter(|bits| bits.get(4..8) == Some(&[0, 0, 0, 2][..])).ok_or_else(|| {
            Error::new(
                &error_codes::WOULD_LOSE,
                "this file of bits of games is of a kind that is not known, and would no longer fit; nothing was changed",
            )
            .in_file(file.display().to_string())
        })?;
        stage("flags", &|file| write_flags(file, bits, origins))?;
    }
    // The settings of the program stay as they are.
    if is_there("ini").is_some() {
        carried.push("ini");
    }
    Ok(carried)
}

/// Writes one file.
type CbhFileWriterFn<'w> = dyn Fn(&mut dyn Write) -> std::io::Result<()> + 'w;

/// The headers of the new database, with the old bytes of unchanged games wherever a header holds no place and no number.
fn write_headers(
    file: &mut dyn Write,
    old: &CbhReader,
    new: &CbhReader,
    origins: &[RewrittenGame],
) -> std::io::Result<()> {
    file.write_all(new.headers.get(..RECORD).unwrap_or_default())?;
    for (number, origin) in (1..).zip(origins) {
        let mut record = new.record_bytes(number).copied().unwrap_or([0; RECORD]);
        let before = match origin {
            RewrittenGame::Same(number) => old.record_bytes(*number),
            RewrittenGame::Changed(_) | RewrittenGame::Added => None,
        };
        let parts: &[std::ops::Range<usize>] =
            match (before.map(CbhRecord::decode), CbhRecord::decode(&record)) {
                (Some(CbhRecord::Game(old)), CbhRecord::Game(new))
                    if (old.annotations == 0) == (new.annotations == 0) =>
                {
                    &[0..1, 24..RECORD]
                }
                (Some(CbhRecord::Text(_)), CbhRecord::Text(_)) => &[0..1, 5..7, 16..RECORD],
                _ => &[],
            };
        for part in parts {
            let from = before.and_then(|before| before.get(part.clone()));
            if let (Some(to), Some(from)) = (record.get_mut(part.clone()), from) {
                to.copy_from_slice(from);
            }
        }
        file.write_all(&record)?;
    }
    Ok(())
}

/// The second headers of the new database, with the old bytes of unchanged games in the fields that are not read.
fn write_second_headers(
    file: &mut dyn Write,
    old: &CbhReader,
    new: &CbhReader,
    origins: &[RewrittenGame],
) -> std::io::Result<()> {
    file.write_all(&second_header::header(
        u32::try_from(origins.len()).unwrap_or(u32::MAX),
    ))?;
    for (number, origin) in (1..).zip(origins) {
        let second = new.second_header(number);
        let mut record = second.map_or(Vec::new(), |second| second.bytes().to_vec());
        let before = match origin {
            RewrittenGame::Same(number) => old.second_header(*number),
            RewrittenGame::Changed(_) | RewrittenGame::Added => None,
        };
        for part in second_header::UNREAD {
            let from = before.and_then(|before| {
                let bytes = before.bytes();
                bytes.get(part.start..part.end.min(bytes.len()))
            });
            let Some(from) = from else {
                continue;
            };
            if let Some(to) = record.get_mut(part.start..part.start + from.len()) {
                to.copy_from_slice(from);
            }
        }
        file.write_all(&record)?;
    }
    Ok(())
}

/// The size of `.cbgi` is a multiple of this.
const PLACES_STEP: usize = 512 * 1024;

/// The places of the moves of all games, 0 for texts.
fn write_move_places(file: &mut dyn Write, new: &CbhReader) -> std::io::Result<()> {
    let count = new.count();
    file.write_all(&u32::try_from(count).unwrap_or(u32::MAX).to_le_bytes())?;
    for number in 1..=count {
        let place = match new.record(number) {
            Some(CbhRecord::Game(game)) => game.moves,
            _ => 0,
        };
        file.write_all(&place.to_le_bytes())?;
    }
    let size = 4 * (usize::try_from(count).unwrap_or(0) + 1);
    let rest = size.next_multiple_of(PLACES_STEP) - size;
    file.write_all(&vec![0; rest])
}

/// The first bytes of `.flags`, which the number of 32-bit words and the number of bits of a game follow.
const FLAGS_HEAD: [u8; 4] = [0x0f, 1, 0x0b, 9];
/// The number of 32-bit words of `.flags` is a multiple of this.
const FLAGS_STEP: usize = 16;

/// Two bits for each game, the lowest ones first, in words of 16 games; there are bits for a game 0. What follows the bits of the
/// last game stays.
fn write_flags(file: &mut dyn Write, old: &[u8], origins: &[RewrittenGame]) -> std::io::Result<()> {
    let (words, old) = (
        old.get(..4).unwrap_or_default(),
        old.get(8..).unwrap_or_default(),
    );
    let words = words
        .first_chunk()
        .map_or(0, |words| u32::from_be_bytes(*words));
    let needed = (origins.len() / 16 + 1).next_multiple_of(FLAGS_STEP);
    let words = usize::try_from(words)
        .unwrap_or(0)
        .min(old.len() / 4)
        .max(needed);
    let bits_of = |number: u64| {
        let byte = usize::try_from(number / 4).ok().and_then(|at| old.get(at));
        byte.map_or(0, |byte| byte >> (2 * (number % 4)) & 3)
    };
    let mut bits = vec![0_u8; 4 * words];
    let mut put = |number: u64, pair: u8| {
        let byte = usize::try_from(number / 4)
            .ok()
            .and_then(|at| bits.get_mut(at));
        if let Some(byte) = byte {
            *byte |= pair << (2 * (number % 4));
        }
    };
    put(0, bits_of(0));
    for (number, origin) in (1..).zip(origins) {
        match origin {
            RewrittenGame::Same(old) | RewrittenGame::Changed(old) => put(number, bits_of(*old)),
            RewrittenGame::Added => {}
        }
    }
    file.write_all(&FLAGS_HEAD)?;
    file.write_all(&u32::try_from(words).unwrap_or(u32::MAX).to_be_bytes())?;
    file.write_all(&[0, 0, 0, 2])?;
    file.write_all(&bits)
}
