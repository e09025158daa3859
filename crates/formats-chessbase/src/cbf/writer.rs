//! Writing a database: both files together, the games encoded one by one on any thread.

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use tabiya_model::charset::Charset;
use tabiya_model::error_codes;
use tabiya_model::{EncodedGames, Encoder, Error, Game, Losses, Result, Sink, WriteSummary};

use super::charset::DEFAULT_CHARSET;
use super::encode::{CbfDosExcess, CbfGameEncoder};
use super::layout::index_word;
use super::losses::LOST_GAME;
use tabiya_codec::format::WriteOptions;
use tabiya_io::output::{self, OutputFile, OutputOptions, commit_all};

/// Games that programs of the time were known to handle.
const USUAL_GAMES: u64 = 4_000;

/// A database that is being written.
pub struct CbfWriter {
    games: OutputFile,
    index: OutputFile,
    files: Vec<PathBuf>,
    charset: Charset,
    /// Index words of the games so far.
    words: Vec<u32>,
    offset: u64,
    too_much: CbfDosExcess,
}

/// Encoded games, one after the other, with their lengths.
#[derive(Default)]
struct CbfBatch {
    bytes: Vec<u8>,
    lengths: Vec<u32>,
    too_much: CbfDosExcess,
}

/// The names of both files, from either one.
fn names(path: &Path) -> Result<[PathBuf; 2]> {
    let extension = path.extension().and_then(OsStr::to_str).unwrap_or("");
    let upper = !extension.is_empty() && !extension.contains(|c: char| c.is_ascii_lowercase());
    let [games, index] = if upper {
        ["CBF", "CBI"]
    } else {
        ["cbf", "cbi"]
    };
    if extension.eq_ignore_ascii_case("cbf") {
        Ok([path.to_path_buf(), path.with_extension(index)])
    } else if extension.eq_ignore_ascii_case("cbi") {
        Ok([path.with_extension(games), path.to_path_buf()])
    } else {
        Err(Error::new(
            &error_codes::TARGET_NAME,
            "a ChessBase database has two files: use a name that ends in .cbf",
        )
        .in_file(path.display().to_string()))
    }
}

fn failed(error: output::OutputError) -> Error {
    Error::from(std::io::Error::from(error))
}

impl CbfWriter {
    /// Begins to write a database under the name of either file.
    pub fn create(path: &Path, options: &WriteOptions) -> Result<CbfWriter> {
        let files = names(path)?;
        let charset = options.encoding.unwrap_or(DEFAULT_CHARSET);
        if !charset.is_single_byte() {
            return Err(Error::new(
                &error_codes::TARGET_CHARSET,
                format!(
                    "{} cannot be the charset of a ChessBase database: a character must be one byte",
                    charset.name()
                ),
            ));
        }
        let permitted = OutputOptions {
            force: options.force,
            sources: options.sources.clone(),
        };
        let [games, index] = &files;
        Ok(CbfWriter {
            games: OutputFile::create(games, &permitted).map_err(failed)?,
            index: OutputFile::create(index, &permitted).map_err(failed)?,
            files: files.to_vec(),
            charset,
            words: Vec::new(),
            offset: 0,
            too_much: CbfDosExcess::default(),
        })
    }
}

impl Sink for CbfWriter {
    fn encoder(&self) -> Box<dyn Encoder> {
        Box::new(CbfEncoder {
            encoder: CbfGameEncoder::new(self.charset),
            part: CbfBatch::default(),
        })
    }

    fn append(&mut self, part: EncodedGames, first: u64, losses: &mut Losses) -> Result<()> {
        let Ok(part) = part.downcast::<CbfBatch>() else {
            return Err(Error::new(
                &error_codes::INTERNAL,
                "this part was encoded for another format",
            ));
        };
        self.too_much.add(part.too_much);
        let mut taken = 0_usize;
        for (at, length) in (0_u64..).zip(&part.lengths) {
            let start = taken;
            taken += *length as usize;
            let number = self.words.len() as u64 + 1;
            let end = self.offset + u64::from(*length);
            let word = index_word(self.offset, number);
            let (Some(word), Some(_)) = (word, index_word(end, number + 1)) else {
                losses.report(&LOST_GAME, first.saturating_add(at), "the file is full");
                continue;
            };
            self.words.push(word);
            self.offset = end;
            let record = part.bytes.get(start..taken).unwrap_or_default();
            self.games.write_all(record)?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<WriteSummary> {
        let games = self.words.len() as u64;
        let first = u32::try_from(games + 1).unwrap_or(u32::MAX);
        // Such an end was checked when the last game was taken.
        let last = index_word(self.offset, games + 1).unwrap_or(u32::MAX);
        self.index.write_all(&first.to_be_bytes())?;
        for word in self.words.iter().chain([&last]) {
            self.index.write_all(&word.to_be_bytes())?;
        }
        let mut summary = WriteSummary {
            games,
            bytes: self.offset + 4 * (games + 2),
            files: self.files,
            notes: self.too_much.note().into_iter().collect(),
        };
        if games > USUAL_GAMES {
            summary.notes.push(format!(
                "{games} games: some old programs handle only about {USUAL_GAMES} in a file"
            ));
        }
        commit_all([self.games, self.index]).map_err(failed)?;
        Ok(summary)
    }
}

/// The encoder of one thread.
struct CbfEncoder {
    encoder: CbfGameEncoder,
    part: CbfBatch,
}

impl Encoder for CbfEncoder {
    fn encode(&mut self, game: &Game, losses: &mut Losses) {
        let before = self.part.bytes.len();
        self.encoder.encode(game, &mut self.part.bytes, losses);
        let length = self.part.bytes.len() - before;
        // A record has at most 14 + 126 + 65,534 + 65,535 + 33 bytes.
        self.part
            .lengths
            .push(u32::try_from(length).unwrap_or(u32::MAX));
    }

    fn take(&mut self) -> EncodedGames {
        self.part.too_much = std::mem::take(&mut self.encoder.too_much);
        Box::new(std::mem::take(&mut self.part))
    }
}
