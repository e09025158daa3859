//! Training of repertoires: the log of reviews as a file, and the due positions.

use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;

use tabiya_answers::RepertoireCardAnswer;
use tabiya_io::disk::{Disk, DiskFile};
use tabiya_io::regular_file;
use tabiya_model::{Error, Result};
use tabiya_repertoire::{
    Fsrs, LOG_HEADING, MoveFrequency, Repertoire, Review, ReviewLog, TrainingCard,
    position_frequencies, time_in_words, training_cards,
};

use super::reference::RepertoireReference;
use super::side_answer;

/// The longest log that is read.
const LONGEST: u64 = 1 << 30;

/// Reads logs of reviews, and merges them. A log that does not exist yet is empty.
///
/// # Errors
///
/// If a log cannot be read.
pub fn read_reviews<P: AsRef<Path>>(paths: &[P]) -> Result<ReviewLog> {
    let mut log = ReviewLog::default();
    for path in paths {
        let path = path.as_ref();
        let in_file =
            |error: std::io::Error| Error::from(error).in_file(path.display().to_string());
        let file = match regular_file::open_named(path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => return Err(in_file(error)),
        };
        let mut bytes = Vec::new();
        file.take(LONGEST)
            .read_to_end(&mut bytes)
            .map_err(in_file)?;
        log.add(&String::from_utf8_lossy(&bytes));
    }
    Ok(log)
}

/// Adds a review to a log, which is created if it does not exist. Nothing in it is changed.
///
/// # Errors
///
/// If the log cannot be written.
pub fn append_review(path: &Path, review: &Review) -> Result<()> {
    append(path, &review.line())
        .map_err(|error| Error::from(error).in_file(path.display().to_string()))
}

fn append(path: &Path, line: &str) -> std::io::Result<()> {
    let disk = Disk::current();
    let mut file = match disk.open_at_end(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => make(&disk, path)?,
        file => file?,
    };
    // Two programs may train at once.
    file.inner().lock()?;
    let length = file.inner().metadata()?.len();
    if length != file.position() {
        file.cut(length)?;
    }
    let mut text = String::new();
    match last_byte(&file, length)? {
        None => text.push_str(&format!("{LOG_HEADING}\n")),
        Some(b'\n') => {}
        // A line that was cut off stays what it is.
        Some(_) => text.push('\n'),
    }
    text.push_str(line);
    text.push('\n');
    file.write_all(text.as_bytes())?;
    file.sync()
}

/// Makes a log, unless somebody else was faster.
fn make(disk: &Disk, path: &Path) -> std::io::Result<DiskFile> {
    if let Some(folder) = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    {
        std::fs::create_dir_all(folder)?;
    }
    match disk.create_new(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => disk.open_at_end(path),
        file => file,
    }
}

/// The last byte; the file stands at its end again.
fn last_byte(file: &DiskFile, length: u64) -> std::io::Result<Option<u8>> {
    if length == 0 {
        return Ok(None);
    }
    // By the same handle: others may be locked out.
    let mut file = file.inner();
    file.seek(SeekFrom::Start(length - 1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last.first().copied())
}

/// All moves of the opponent are equally frequent.
#[must_use]
pub fn equal_frequency(repertoire: &Repertoire, position: u32) -> MoveFrequency {
    let moves = repertoire.position(position).map_or(0, |position| {
        let is_mine = position.board.turn() == repertoire.color();
        position.active_moves(is_mine).len()
    });
    MoveFrequency {
        games: 1,
        of: moves as u64,
    }
}

/// The positions of a repertoire that are trained.
#[derive(Clone, PartialEq, Debug)]
pub struct RepertoireCards {
    /// Those that are due first, then new ones, then the others.
    pub cards: Vec<TrainingCard>,
    /// The current time, in seconds since 1970.
    pub now: i64,
}

impl RepertoireCards {
    /// The positions according to a log of reviews; new ones in the order of how often they arise in a reference.
    #[must_use]
    pub fn new(
        repertoire: &Repertoire,
        reference: Option<&RepertoireReference>,
        log: &ReviewLog,
        retention: f64,
        now: i64,
    ) -> RepertoireCards {
        let model = Fsrs::default();
        let known = log.replay(&model, retention, now);
        let frequencies = match reference {
            Some(reference) => reference.frequencies(repertoire),
            None => position_frequencies(repertoire, &|position, _| {
                equal_frequency(repertoire, position)
            }),
        };
        RepertoireCards {
            cards: training_cards(repertoire, &frequencies, &known, &model, now),
            now,
        }
    }

    /// The numbers of the positions that are due, and up to this number of new ones.
    #[must_use]
    pub fn asked(&self, new: usize) -> Vec<u32> {
        let due = self.cards.iter().filter(|card| card.is_due(self.now));
        let fresh = self.cards.iter().filter(|card| card.reviewed.is_none());
        due.chain(fresh.take(new))
            .map(|card| card.position)
            .collect()
    }
}

/// A position that is trained, for programs.
#[must_use]
pub fn card_answer(repertoire: &Repertoire, card: &TrainingCard, now: i64) -> RepertoireCardAnswer {
    let position = repertoire.position(card.position);
    let moves = position.map_or_else(Vec::new, |position| {
        let moves = position.active_moves(true).into_iter();
        let moves = moves.filter_map(|at| position.moves.get(at));
        moves.map(|m| position.san(m.step)).collect()
    });
    let reviewed = card.reviewed;
    RepertoireCardAnswer {
        color: side_answer(repertoire.color()),
        line: repertoire.line_in_words(card.position),
        fen: position.map_or_else(String::new, |position| position.board.to_fen()),
        moves,
        due: reviewed.map(|reviewed| time_in_words(reviewed.due)),
        is_due: card.is_due(now),
        is_new: reviewed.is_none(),
        reviews: reviewed.map_or(0, |reviewed| reviewed.reviews),
        lapses: reviewed.map_or(0, |reviewed| reviewed.lapses),
        stability: reviewed.map(|reviewed| reviewed.memory.stability),
        difficulty: reviewed.map(|reviewed| reviewed.memory.difficulty),
        retrievability: reviewed.map(|_| card.retrievability),
        frequency: card.frequency,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tabiya_io::disk::{DiskGuard, DiskStep, GuardAnswer, guarded};
    use tabiya_repertoire::ReviewRating;

    use super::*;

    /// Ends the program at a step: this one fails, after so many bytes if it is a write, and so do all later ones.
    #[derive(Debug)]
    struct EndAtStep {
        left: AtomicUsize,
        bytes: usize,
    }

    impl DiskGuard for EndAtStep {
        fn allow(&self, step: &DiskStep<'_>) -> GuardAnswer {
            let end = || std::io::Error::other("the end");
            let left = self.left.load(Ordering::SeqCst);
            if left > 0 {
                self.left.store(left - 1, Ordering::SeqCst);
                return GuardAnswer::Go;
            }
            match step {
                DiskStep::Write { .. } => GuardAnswer::Short(self.bytes, end()),
                _ => GuardAnswer::Fail(end()),
            }
        }
    }

    fn review(number: i64) -> Review {
        Review {
            time: 1_000_000 + number,
            position: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -".to_owned(),
            answer: "e2e4".to_owned(),
            rating: ReviewRating::Good,
            device: "desk".to_owned(),
        }
    }

    #[test]
    fn an_end_at_any_step_loses_no_earlier_review() {
        let mut ended = 0;
        for step in 0..8 {
            for bytes in [0, 1, 10, 40, 1_000] {
                let folder = tempfile::tempdir().expect("a folder");
                let path = folder.path().join("new").join("reviews.log");
                for number in 0..3 {
                    append_review(&path, &review(number)).expect("written");
                }
                let guard = Arc::new(EndAtStep {
                    left: AtomicUsize::new(step),
                    bytes,
                });
                let failed = guarded(guard, || append_review(&path, &review(3)).is_err());
                ended += usize::from(failed);
                append_review(&path, &review(4)).expect("written");
                let log = read_reviews(&[&path]).expect("read");
                let times: BTreeSet<i64> = log
                    .reviews()
                    .map(|review| review.time - 1_000_000)
                    .collect();
                assert!(
                    times.is_superset(&BTreeSet::from([0, 1, 2, 4])),
                    "{step} {bytes}: {times:?}"
                );
                if !failed {
                    assert!(times.contains(&3));
                }
            }
        }
        assert!(ended > 5, "{ended}");
        // One that cannot even be made.
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("reviews.log");
        for step in 0..3 {
            let guard = Arc::new(EndAtStep {
                left: AtomicUsize::new(step),
                bytes: 7,
            });
            let _ = guarded(guard, || {
                append_review(&path, &review(step.try_into().unwrap_or(0)))
            });
        }
        append_review(&path, &review(9)).expect("written");
        let log = read_reviews(&[&path]).expect("read");
        assert!(log.reviews().any(|review| review.time == 1_000_009));
    }

    #[test]
    fn programs_that_train_at_once_keep_all_reviews() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("reviews.log");
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let path = &path;
                scope.spawn(move || {
                    for number in 0..25 {
                        append_review(path, &review(thread * 100 + number)).expect("written");
                    }
                });
            }
        });
        let log = read_reviews(&[&path]).expect("read");
        assert_eq!((log.reviews().count(), log.unreadable), (100, 0));
        assert_eq!(
            read_reviews(&[folder.path().join("none")]).expect("none"),
            ReviewLog::default()
        );
    }
}
