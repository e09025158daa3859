//! Making the table: every game leaves a posting for each of its positions, which are sorted and counted.

use std::ops::Range;

use tabiya_explore::game_brief::GameBrief;
use tabiya_formats::lake::{LakeChange, LakeFileEntry};
use tabiya_model::{Control, Database, Result};

use super::row::{self, LakeExplorerRow};
use super::rows::OrderedRows;
use crate::external_sort::{SortRecord, SortedRecords, word};
use crate::position_records::{FirstOccurrence, GAME, gather};
use crate::shards::ShardWriter;

/// A position of a game: its key, the move played there, the number of the game, and its facts.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct LakeExplorerPosting {
    hash: i64,
    /// One more than the number of the move, so that ends of games come first, above the number of the game.
    play: u64,
    brief: u64,
}

impl LakeExplorerPosting {
    fn new(stands: &FirstOccurrence) -> LakeExplorerPosting {
        let step = row::move_number(stands.step) + 1;
        LakeExplorerPosting {
            hash: stands.key.0.cast_signed(),
            play: step.cast_unsigned() << GAME | stands.game,
            brief: stands.brief.to_bits(),
        }
    }

    fn step(&self) -> i64 {
        (self.play >> GAME).cast_signed() - 1
    }

    fn game(&self) -> u64 {
        self.play & ((1 << GAME) - 1)
    }
}

impl SortRecord for LakeExplorerPosting {
    const SIZE: usize = 24;

    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.hash.to_le_bytes());
        out.extend_from_slice(&self.play.to_le_bytes());
        out.extend_from_slice(&self.brief.to_le_bytes());
    }

    fn take(bytes: &[u8]) -> LakeExplorerPosting {
        LakeExplorerPosting {
            hash: word(bytes, 0).cast_signed(),
            play: word(bytes, 8),
            brief: word(bytes, 16),
        }
    }
}

/// The created files.
#[derive(Clone, Debug, Default)]
pub struct LakeExplorerFiles {
    /// The files, which the manifest does not list yet.
    pub entries: Vec<LakeFileEntry>,
    /// Games that could not be decoded, or not to their end.
    pub damaged: u64,
}

/// Makes the table of some games of a lake; `None` if it was stopped. `singles` decides whether positions of a single game
/// are kept.
pub fn build(
    database: &dyn Database,
    games: Range<u64>,
    singles: bool,
    change: &mut LakeChange,
    control: &Control,
) -> Result<Option<LakeExplorerFiles>> {
    let Some((sorted, damaged)) =
        gather(database, games.clone(), &LakeExplorerPosting::new, control)?
    else {
        return Ok(None);
    };
    let counting = LakeExplorerCounter {
        sorted,
        ahead: None,
    };
    let span = (games.start, games.end);
    let entries = write(counting, singles, span, change, control)?;
    Ok(entries.map(|entries| LakeExplorerFiles { entries, damaged }))
}

/// Merges postings into rows.
struct LakeExplorerCounter {
    sorted: SortedRecords<LakeExplorerPosting>,
    /// The first posting of the next row.
    ahead: Option<LakeExplorerPosting>,
}

impl OrderedRows for LakeExplorerCounter {
    fn next(&mut self, row: &mut LakeExplorerRow) -> Result<bool> {
        let first = match self.ahead.take() {
            Some(first) => first,
            None => match self.sorted.next()? {
                Some(first) => first,
                None => return Ok(false),
            },
        };
        row.begin(first.hash, first.step());
        row.add(first.game(), GameBrief::from_bits(first.brief));
        while let Some(next) = self.sorted.next()? {
            if (next.hash, next.step()) != (first.hash, first.step()) {
                self.ahead = Some(next);
                break;
            }
            row.add(next.game(), GameBrief::from_bits(next.brief));
        }
        Ok(true)
    }
}

/// Writes rows in ascending order; `None` if it was stopped.
pub(super) fn write(
    mut rows: impl OrderedRows,
    singles: bool,
    games: (u64, u64),
    change: &mut LakeChange,
    control: &Control,
) -> Result<Option<Vec<LakeFileEntry>>> {
    let mut shards = ShardWriter::new(change, super::TABLE, row::FIELDS.to_vec(), games);
    let mut scratch = Vec::new();
    // The rows of a position; their memory is reused.
    let mut position: Vec<LakeExplorerRow> = vec![LakeExplorerRow::default()];
    let (mut count, mut written) = (0, 0_u64);
    let mut next = LakeExplorerRow::default();
    loop {
        let is_there = rows.next(&mut next)?;
        let is_same =
            is_there && count > 0 && position.first().is_some_and(|row| row.hash == next.hash);
        if !is_same {
            let told = position.get_mut(..count).unwrap_or_default();
            let games: u64 = told.iter().map(|row| row.score.games).sum();
            if singles || games > 1 {
                for (at, row) in told.iter_mut().enumerate() {
                    row.push(shards.group(), &mut scratch);
                    shards.end_row(Some(row.hash), at == 0)?;
                }
            }
            count = 0;
            written += 1;
            if written % 4096 == 0 && control.is_stopped() {
                return Ok(None);
            }
        }
        if !is_there {
            return Ok(Some(shards.finish()?));
        }
        if position.len() <= count {
            position.push(LakeExplorerRow::default());
        }
        if let Some(row) = position.get_mut(count) {
            std::mem::swap(row, &mut next);
        }
        count += 1;
    }
}
