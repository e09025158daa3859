//! Writes PGN files: the output of [`PgnGameWriter`], in one file or split, and compressed according to the name.

use std::io::Write;
use std::path::{Path, PathBuf};

use tabiya_io::compressed_writer::{CompressedWriter, compressed_writer};
use tabiya_io::compression::Compression;
use tabiya_io::output::{self, OutputFile, commit_all};
use tabiya_model::error_codes;
use tabiya_model::{
    EncodedGames, Encoder, Error, Game, GameNeeds, Losses, Result, Sink, WriteSummary,
};

use super::encode::PgnGameWriter;
use super::style::PgnStyle;
use tabiya_codec::format::WriteOptions;

/// Encoded games: their bytes, and the end of each.
struct PgnPart {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

struct PgnEncoder {
    writer: PgnGameWriter,
    part: PgnPart,
}

impl Encoder for PgnEncoder {
    fn encode(&mut self, game: &Game, losses: &mut Losses) {
        self.writer.write(game, &mut self.part.bytes, losses);
        self.part.ends.push(self.part.bytes.len());
    }

    fn take(&mut self) -> EncodedGames {
        let capacity = self.part.bytes.len();
        let next = PgnPart {
            bytes: Vec::with_capacity(capacity),
            ends: Vec::new(),
        };
        Box::new(std::mem::replace(&mut self.part, next))
    }

    fn want(&self) -> GameNeeds {
        self.writer.want()
    }
}

struct PgnSink {
    path: PathBuf,
    compression: Option<Compression>,
    options: output::OutputOptions,
    style: PgnStyle,
    current: Option<CompressedWriter<OutputFile>>,
    complete: Vec<OutputFile>,
    summary: WriteSummary,
    in_file: u64,
}

/// Creates a PGN file; the path `-` is standard output.
pub(super) fn create(path: &Path, options: &WriteOptions) -> Result<Box<dyn Sink>> {
    let mut sink = PgnSink {
        path: path.to_owned(),
        compression: Compression::of_target(path).map(|(compression, _)| compression),
        options: output::OutputOptions {
            force: options.force,
            sources: options.sources.clone(),
        },
        style: PgnStyle::of(&options.settings)?,
        current: None,
        complete: Vec::new(),
        summary: WriteSummary::default(),
        in_file: 0,
    };
    if sink.style.split == Some(0) {
        return Err(Error::new(
            &error_codes::BAD_OPTION,
            "a file of 0 games is not possible: use a number of at least 1",
        ));
    }
    if sink.style.split.is_some() && path.as_os_str() == "-" {
        return Err(Error::new(
            &error_codes::TARGET_TO_PIPE,
            "standard output cannot be split into several files",
        ));
    }
    // The first file is created at once, so that a target that cannot be written is refused before any work.
    sink.open_file()?;
    Ok(Box::new(sink))
}

impl PgnSink {
    fn open_file(&mut self) -> Result<()> {
        let path = match self.style.split {
            None => self.path.clone(),
            Some(_) => numbered(&self.path, self.complete.len() + 1),
        };
        let output = OutputFile::create(&path, &self.options)?;
        self.summary.files.push(path);
        self.current = Some(compressed_writer(self.compression, output)?);
        self.in_file = 0;
        Ok(())
    }

    fn close_file(&mut self) -> Result<()> {
        if let Some(current) = self.current.take() {
            self.complete.push(current.finish()?);
        }
        Ok(())
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.summary.bytes += bytes.len() as u64;
        if let Some(current) = &mut self.current {
            current.write_all(bytes)?;
        }
        Ok(())
    }
}

impl Sink for PgnSink {
    fn encoder(&self) -> Box<dyn Encoder> {
        Box::new(PgnEncoder {
            writer: PgnGameWriter::new(self.style.clone()),
            part: PgnPart {
                bytes: Vec::new(),
                ends: Vec::new(),
            },
        })
    }

    fn append(&mut self, part: EncodedGames, _first: u64, _losses: &mut Losses) -> Result<()> {
        let part = part.downcast::<PgnPart>().map_err(|_| {
            Error::new(
                &error_codes::INTERNAL,
                "this part was encoded for another target",
            )
        })?;
        let Some(split) = self.style.split else {
            self.summary.games += part.ends.len() as u64;
            return self.put(&part.bytes);
        };
        let mut start = 0;
        for end in part.ends {
            if self.in_file == split {
                self.close_file()?;
                self.open_file()?;
            }
            self.put(part.bytes.get(start..end).unwrap_or_default())?;
            self.in_file += 1;
            self.summary.games += 1;
            start = end;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<WriteSummary> {
        self.close_file()?;
        commit_all(std::mem::take(&mut self.complete))?;
        Ok(self.summary)
    }
}

/// `games.pgn` gives `games-0001.pgn`, `games.pgn.gz` gives `games-0001.pgn.gz`.
fn numbered(path: &Path, number: usize) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let (stem, extensions) = match name.find('.').filter(|at| *at > 0) {
        Some(at) => name.split_at(at),
        None => (&*name, ""),
    };
    path.with_file_name(format!("{stem}-{number:04}{extensions}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_numbered_before_their_extensions() {
        let name = |path: &str| numbered(Path::new(path), 12).display().to_string();
        assert_eq!(name("a/games.pgn.gz"), "a/games-0012.pgn.gz");
        assert_eq!(name("games"), "games-0012");
    }
}
