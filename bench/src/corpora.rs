//! The corpora: compressed files that the project does not ship, unpacked once.

use std::{
    env,
    fs::{self, File},
    io::{BufRead, BufReader, BufWriter, Write},
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};

use crate::contestants::program;

/// A file of the shared folder: packed PGN under `corpora/`, or one that has a path of its own.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Corpus {
    pub(crate) name: &'static str,
    pub(crate) what: &'static str,
    /// What is made of the unpacked file once, where the task reads something else than PGN.
    pub(crate) made: Option<DerivedCorpus>,
}

/// Another form of a corpus.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DerivedCorpus {
    /// Ends the name of its file.
    pub(crate) ending: &'static str,
    /// Makes it of the unpacked PGN, or of the file that is there.
    pub(crate) make: fn(&Path, &Path) -> Result<()>,
}

pub(crate) const OTB: Corpus = Corpus {
    name: "otb",
    what: "286,040 master games over the board, bare scores",
    made: None,
};
pub(crate) const ANNOTATED: Corpus = Corpus {
    name: "annotated",
    what: "10,286 engine games, the engines' lines as nested variations, NAGs, short comments",
    made: None,
};
pub(crate) const LICHESS: Corpus = Corpus {
    name: "lichess",
    what: "33,566 games with a clock and an evaluation at every move",
    made: None,
};

pub(crate) const OTB_SI5: Corpus = Corpus {
    name: "otb",
    what: "286,040 master games in a base of Scid 5; the size is that of the index",
    made: Some(DerivedCorpus {
        ending: "si5",
        make: |pgn, to| program::make(pgn, &to.with_extension("si5")),
    }),
};
pub(crate) const OTB_SEARCH: Corpus = Corpus {
    name: "otb",
    what: "286,040 master games in a base of Scid 5, or of Scid 4 for versions that know no other; the size is that of the index",
    made: Some(DerivedCorpus {
        ending: "search.si5",
        make: |pgn, to| {
            program::make(pgn, &to.with_extension("si4"))?;
            program::make(pgn, &to.with_extension("si5"))
        },
    }),
};
pub(crate) const FIVE_SI5: Corpus = Corpus {
    name: "otb",
    what: "the master games five times, with other surnames each time, in a base of Scid 5; the size is that of the index",
    made: Some(DerivedCorpus {
        ending: "five.si5",
        make: |pgn, to| {
            let five = to.with_extension("pgn");
            five_times(pgn, &five)?;
            program::make(&five, &to.with_extension("si5"))?;
            Ok(fs::remove_file(five)?)
        },
    }),
};

/// The root of the project.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// Where everything that can be made again is kept.
pub(crate) fn work() -> Result<PathBuf> {
    let work = root().join("target/bench");
    fs::create_dir_all(&work).with_context(|| format!("cannot make {}", work.display()))?;
    Ok(work)
}

impl Corpus {
    /// The unpacked file, or its first bytes up to the last game that ends within `slice`.
    pub(crate) fn prepare(&self, slice: Option<u64>) -> Result<PathBuf> {
        let whole = self.unpack()?;
        if let Some(made) = self.made {
            let stem = Path::new(self.name).file_stem().unwrap_or_default();
            let path = work()?.join(stem).with_extension(made.ending);
            if !path.exists() {
                let partial = path.with_extension("partial");
                // Left by a run that was stopped.
                let _ = fs::remove_file(&partial);
                (made.make)(&whole, &partial)
                    .with_context(|| format!("cannot make {}", path.display()))?;
                // What Tabiya writes under the last name is whole or not there.
                if partial.exists() {
                    fs::rename(&partial, &path)?;
                }
            }
            return Ok(path);
        }
        match slice {
            Some(bytes) if bytes < fs::metadata(&whole)?.len() => {
                let part = whole.with_extension(format!("{bytes}.pgn"));
                if !part.exists() {
                    cut(&whole, &part, bytes)
                        .with_context(|| format!("cannot write {}", part.display()))?;
                }
                Ok(part)
            }
            _ => Ok(whole),
        }
    }

    fn unpack(&self) -> Result<PathBuf> {
        let shared =
            env::var_os("TABIYA_SHARED").map_or_else(|| root().join("../shared"), PathBuf::from);
        if self.name.contains('/') {
            let path = shared.join(self.name);
            if !path.exists() {
                bail!("{} is not here", path.display());
            }
            return Ok(path);
        }
        let shared = shared.join("corpora");
        let packed = shared.join(format!("{}.pgn.zst", self.name));
        let unpacked = work()?.join(format!("{}.pgn", self.name));
        if unpacked.exists() {
            return Ok(unpacked);
        }
        if !packed.exists() {
            bail!("the corpus {} is not here", packed.display());
        }
        // Half a file under the final name would be measured next time.
        let partial = unpacked.with_extension("partial");
        let status = Command::new("zstd")
            .args(["-d", "-q", "-f", "-o"])
            .arg(&partial)
            .arg(&packed)
            .status()
            .context("cannot start zstd")?;
        if !status.success() {
            bail!("zstd cannot unpack {}: {status}", packed.display());
        }
        fs::rename(&partial, &unpacked)?;
        Ok(unpacked)
    }
}

/// Writes the games of `from` five times to `to`, the surnames of the later copies with a suffix.
pub(crate) fn five_times(from: &Path, to: &Path) -> Result<()> {
    let mut writer = BufWriter::new(File::create(to)?);
    for suffix in ["", "x2", "x3", "x4", "x5"] {
        let mut reader = BufReader::new(File::open(from)?);
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line)? > 0 {
            if line.starts_with(b"[White \"") || line.starts_with(b"[Black \"") {
                let name = 8;
                let surname = line[name..]
                    .iter()
                    .position(|byte| matches!(byte, b',' | b'"'))
                    .map_or(line.len(), |length| name + length);
                line.splice(surname..surname, suffix.bytes());
            }
            writer.write_all(&line)?;
            line.clear();
        }
        writer.write_all(b"\n")?;
    }
    Ok(writer.flush()?)
}

/// Copies whole games of `from` to `to`, at most `bytes`.
fn cut(from: &Path, to: &Path, bytes: u64) -> Result<()> {
    let mut reader = BufReader::new(File::open(from)?);
    let mut writer = BufWriter::new(File::create(to)?);
    let (mut game, mut line) = (Vec::new(), Vec::new());
    let mut copied = 0;
    while reader.read_until(b'\n', &mut line)? > 0 {
        if line.starts_with(b"[Event ") {
            copied += game.len() as u64;
            if copied > bytes {
                return Ok(writer.flush()?);
            }
            writer.write_all(&game)?;
            game.clear();
        }
        game.append(&mut line);
    }
    writer.write_all(&game)?;
    Ok(writer.flush()?)
}

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn a_slice_ends_between_two_games() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("from"), dir.path().join("to"));
        let game = "[Event \"A\"]\n\n1. e4 *\n\n";
        std::fs::write(&from, game.repeat(5)).unwrap();
        for (bytes, games) in [(0, 0), (game.len() + 3, 1), (3 * game.len(), 3), (1000, 5)] {
            cut(&from, &to, bytes as u64).unwrap();
            assert_eq!(std::fs::read_to_string(&to).unwrap(), game.repeat(games));
        }
    }
}
