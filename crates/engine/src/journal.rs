//! The journal of a long analysis: every evaluation on the disk as soon as it is known.
//!
//! It is text. A head identifies the analysis; a journal is only resumed with the same head, byte for byte. After an empty
//! line follows one line per position: a mark, the FEN without the move number, the evaluation, and a checksum of all that.
//! Lines that belong together, because one search depended on another, end with a line marked `=`; the others before it are
//! marked `+`, and count only together with it. Everything after the last complete group was being written when the
//! analysis was killed, and is cut off.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tabiya_io::change::PATIENCE;
use tabiya_io::held_folder::OpenMode;
use tabiya_io::lock::open_locked;
use tabiya_model::error_codes;
use tabiya_model::{Board, Error, Result};

use crate::position_evaluation::{EvaluationKey, PositionEvaluation, key_text};

/// The first line.
const MAGIC: &str = "tabiya analysis journal 1";

/// The longest line that is believed.
const LONGEST_LINE: u64 = 1 << 14;

/// How often what was written is brought to the disk itself.
const SYNC: Duration = Duration::from_secs(5);

/// Names and values that identify the analysis of a journal.
pub type JournalHead = Vec<(String, String)>;

/// An open journal.
#[derive(Debug)]
pub struct AnalysisJournal {
    path: PathBuf,
    file: File,
    /// The offset of each position's line.
    known: HashMap<EvaluationKey, u64>,
    end: u64,
    synced: Instant,
}

impl AnalysisJournal {
    /// Opens the journal at a path to resume it, or creates it. One of another analysis is refused.
    pub fn open(path: &Path, head: &JournalHead) -> Result<AnalysisJournal> {
        let failed = |error: io::Error| Error::from(error).in_file(path.display().to_string());
        let Some(file) = open_locked(path, OpenMode::Make, PATIENCE).map_err(failed)? else {
            return Err(Error::new(
                &error_codes::ANALYSIS_BUSY,
                "this analysis is being done by another process",
            )
            .in_file(path.display().to_string()));
        };
        let mut journal = AnalysisJournal {
            path: path.to_owned(),
            file,
            known: HashMap::new(),
            end: 0,
            synced: Instant::now(),
        };
        let wanted = head_text(head);
        match journal.read_head(&wanted).map_err(failed)? {
            JournalMatch::Ours => journal.read_lines(wanted.len() as u64).map_err(failed)?,
            JournalMatch::Nothing => journal.start(&wanted).map_err(failed)?,
            JournalMatch::Other(line) => {
                return Err(Error::new(
                    &error_codes::OTHER_ANALYSIS,
                    format!("this journal is of another analysis ({line}); resume with the same command, or remove it to start again"),
                ).in_file(path.display().to_string()));
            }
        }
        Ok(journal)
    }

    /// The number of positions in it.
    #[must_use]
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether it is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Whether a position is in it.
    #[must_use]
    pub fn knows(&self, key: EvaluationKey) -> bool {
        self.known.contains_key(&key)
    }

    /// The evaluation of a position.
    pub fn get(&mut self, board: &Board) -> Result<Option<PositionEvaluation>> {
        let text = key_text(board);
        let Some(&at) = self.known.get(&EvaluationKey::of_text(&text)) else {
            return Ok(None);
        };
        self.line_at(at)
            .map(|line| {
                let (_, known, rest) = parts(&line)?;
                (known == text)
                    .then(|| PositionEvaluation::read(rest, board))
                    .flatten()
            })
            .map_err(|error| self.failed(error))
    }

    /// Adds evaluations that belong together: after a kill either all of them are there or none.
    pub fn add(&mut self, batch: &[(Board, PositionEvaluation)]) -> Result<()> {
        let mut text = String::new();
        let mut places = Vec::with_capacity(batch.len());
        for (index, (board, evaluated)) in batch.iter().enumerate() {
            let start = text.len();
            let key = key_text(board);
            places.push((EvaluationKey::of_text(&key), self.end + start as u64));
            text.push(if index + 1 == batch.len() { '=' } else { '+' });
            text.push('\t');
            text.push_str(&key);
            text.push('\t');
            evaluated.write(board, &mut text);
            let sum = sum(text.get(start..).unwrap_or_default());
            text.push_str(&format!("\t{sum:016x}\n"));
        }
        self.append(&text).map_err(|error| self.failed(error))?;
        self.known.extend(places);
        if self.synced.elapsed() >= SYNC {
            self.file.sync_data().map_err(|error| self.failed(error))?;
            self.synced = Instant::now();
        }
        Ok(())
    }

    /// Removes the journal of a finished analysis.
    pub fn remove(self) -> Result<()> {
        std::fs::remove_file(&self.path).map_err(|error| self.failed(error))
    }

    /// Its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn failed(&self, error: io::Error) -> Error {
        Error::from(error).in_file(self.path.display().to_string())
    }

    fn append(&mut self, text: &str) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(text.as_bytes())?;
        self.end += text.len() as u64;
        Ok(())
    }

    fn line_at(&mut self, at: u64) -> io::Result<String> {
        self.file.seek(SeekFrom::Start(at))?;
        let mut line = String::new();
        BufReader::with_capacity(1 << 10, (&self.file).take(LONGEST_LINE)).read_line(&mut line)?;
        Ok(line)
    }

    fn read_head(&mut self, wanted: &str) -> io::Result<JournalMatch> {
        self.file.seek(SeekFrom::Start(0))?;
        let mut bytes = Vec::new();
        (&self.file)
            .take(wanted.len() as u64)
            .read_to_end(&mut bytes)?;
        if bytes == wanted.as_bytes() {
            return Ok(JournalMatch::Ours);
        }
        let found = String::from_utf8_lossy(&bytes);
        if wanted.starts_with(found.as_ref()) {
            // It was killed while it wrote its head, or is new.
            return Ok(JournalMatch::Nothing);
        }
        let other = found
            .lines()
            .zip(wanted.lines())
            .find(|(found, wanted)| found != wanted);
        Ok(JournalMatch::Other(match other {
            Some((found, wanted)) => format!(
                "it has `{}`, but this analysis has `{}`",
                short(found),
                short(wanted)
            ),
            None => "its head differs".to_owned(),
        }))
    }

    fn start(&mut self, head: &str) -> io::Result<()> {
        self.file.set_len(0)?;
        self.end = 0;
        self.append(head)?;
        self.file.sync_data()
    }

    fn read_lines(&mut self, start: u64) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(start))?;
        let mut reader = BufReader::with_capacity(1 << 16, &self.file);
        let (mut at, mut whole) = (start, start);
        let mut piece: Vec<(EvaluationKey, u64)> = Vec::new();
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = (&mut reader)
                .take(LONGEST_LINE)
                .read_until(b'\n', &mut line)?;
            let Some((mark, key, _)) = std::str::from_utf8(&line).ok().and_then(parts) else {
                break;
            };
            piece.push((EvaluationKey::of_text(key), at));
            at += read as u64;
            if mark == "=" {
                self.known.extend(piece.drain(..));
                whole = at;
            }
        }
        // What was being written when the work was killed is written again.
        self.file.set_len(whole)?;
        self.end = whole;
        Ok(())
    }
}

enum JournalMatch {
    Ours,
    Nothing,
    Other(String),
}

fn short(line: &str) -> String {
    line.chars().take(100).collect()
}

fn head_text(head: &JournalHead) -> String {
    let mut text = format!("{MAGIC}\n");
    for (name, value) in head {
        let one_line: String = value
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        text.push_str(&format!("{name}: {one_line}\n"));
    }
    text.push('\n');
    text
}

/// Mark, position and evaluation of a line whose sum is right.
fn parts(line: &str) -> Option<(&str, &str, &str)> {
    let (content, found) = line.strip_suffix('\n')?.rsplit_once('\t')?;
    if format!("{:016x}", sum(content)) != found {
        return None;
    }
    let (mark, rest) = content.split_once('\t')?;
    let (key, rest) = rest.split_once('\t')?;
    matches!(mark, "=" | "+").then_some((mark, key, rest))
}

/// FNV-1a in 64 bits.
fn sum(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine_line::EvaluationBound;
    use tabiya_model::command::Evaluation;

    fn head() -> JournalHead {
        vec![
            ("engine".to_owned(), "Toy 1".to_owned()),
            ("limit".to_owned(), "nodes 100".to_owned()),
        ]
    }

    fn positions(count: usize) -> Vec<(Board, PositionEvaluation)> {
        let mut board = Board::standard();
        let mut moves = Vec::new();
        (0..count)
            .map(|index| {
                board.legal_moves(&mut moves);
                let m = moves[index * 7 % moves.len()];
                let entry = (
                    board.clone(),
                    PositionEvaluation {
                        score: Evaluation::Centipawns(i32::try_from(index).expect("small")),
                        bound: EvaluationBound::Exact,
                        depth: 3,
                        nodes: 100,
                        wdl: None,
                        line: vec![m],
                    },
                );
                board.play(m);
                entry
            })
            .collect()
    }

    #[test]
    fn what_was_added_is_there_after_opening_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("j");
        let all = positions(12);
        let mut journal = AnalysisJournal::open(&path, &head()).expect("new");
        journal.add(&all[..1]).expect("written");
        journal.add(&all[1..5]).expect("written");
        assert_eq!(
            journal.get(&all[3].0).expect("read").as_ref(),
            Some(&all[3].1)
        );
        drop(journal);
        let mut journal = AnalysisJournal::open(&path, &head()).expect("ours");
        assert_eq!(journal.len(), 5);
        journal.add(&all[5..]).expect("written");
        for (board, evaluated) in &all {
            assert_eq!(journal.get(board).expect("read").as_ref(), Some(evaluated));
        }
        journal.remove().expect("removed");
        assert!(!path.exists());
    }

    #[test]
    fn cut_anywhere_it_holds_whole_pieces_only() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("j");
        let all = positions(6);
        let mut journal = AnalysisJournal::open(&path, &head()).expect("new");
        for batch in [&all[..1], &all[1..4], &all[4..]] {
            journal.add(batch).expect("written");
        }
        drop(journal);
        let bytes = std::fs::read(&path).expect("read");
        for end in 0..=bytes.len() {
            std::fs::write(&path, &bytes[..end]).expect("written");
            let mut journal = AnalysisJournal::open(&path, &head()).expect("ours");
            assert!(
                [0, 1, 4, 6].contains(&journal.len()),
                "{end}: {}",
                journal.len()
            );
            let known = journal.len();
            // Going on brings the same bytes as one run.
            for batch in [&all[..1], &all[1..4], &all[4..]] {
                if !journal.knows(EvaluationKey::of(&batch[0].0)) {
                    journal.add(batch).expect("written");
                }
            }
            assert_eq!(journal.len(), 6, "{known} were known");
            drop(journal);
            assert_eq!(std::fs::read(&path).expect("read"), bytes, "cut at {end}");
        }
    }

    #[test]
    fn a_journal_of_other_work_is_refused_and_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("j");
        drop(AnalysisJournal::open(&path, &head()).expect("new"));
        let before = std::fs::read(&path).expect("read");
        let mut other = head();
        other[1].1 = "nodes 200".to_owned();
        let error = AnalysisJournal::open(&path, &other)
            .expect_err("other work")
            .to_string();
        assert!(
            error.contains("nodes 100") && error.contains("nodes 200"),
            "{error}"
        );
        std::fs::write(folder.path().join("x"), "something else").expect("written");
        assert!(AnalysisJournal::open(&folder.path().join("x"), &head()).is_err());
        assert_eq!(std::fs::read(&path).expect("read"), before);
    }

    #[test]
    fn two_at_once_are_one_too_many() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("j");
        let _first = AnalysisJournal::open(&path, &head()).expect("new");
        let error = AnalysisJournal::open(&path, &head())
            .expect_err("locked")
            .to_string();
        assert!(error.contains("another process"), "{error}");
    }

    #[test]
    fn flipped_bytes_are_seen() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("j");
        let all = positions(3);
        let mut journal = AnalysisJournal::open(&path, &head()).expect("new");
        for entry in &all {
            journal.add(std::slice::from_ref(entry)).expect("written");
        }
        drop(journal);
        let bytes = std::fs::read(&path).expect("read");
        let start = head_text(&head()).len();
        for at in start..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            std::fs::write(&path, &damaged).expect("written");
            let mut journal = AnalysisJournal::open(&path, &head()).expect("ours");
            assert!(journal.len() < 3, "byte {at}");
            for (board, evaluated) in &all {
                let found = journal.get(board).expect("read");
                assert!(found.is_none() || found.as_ref() == Some(evaluated));
            }
        }
    }
}
