//! Searching for records that no header refers to.

use std::ops::Range;

use tabiya_model::{Diagnostics, GameNeeds};

use super::reader::record_at;
use super::record::{
    CaReadSettings, CaRecordPlace, CaRecordTally, CaScratch, decode, find_setup, read_setup,
};

/// The number of legal moves that make a run of bytes a game. Six legal moves at random are one case in some millions.
const ENOUGH_MOVES: u32 = 6;
/// The maximum number of decoded bytes, in multiples of the size of the file: this bounds the time for hostile files.
const EFFORT: usize = 64;

/// The addresses of games in the gaps between known records. `hints` are tried first, and need not have moves.
pub(super) fn search(
    data: &[u8],
    taken: &[Range<usize>],
    hints: &[usize],
    rules: CaReadSettings,
) -> Vec<usize> {
    let mut search = CaSalvageSearch {
        data,
        rules,
        scratch: CaScratch::default(),
        effort: data.len().saturating_mul(EFFORT).saturating_add(1 << 16),
    };
    let mut runs = taken.to_vec();
    let mut found = Vec::new();
    let mut hints = hints.to_vec();
    hints.sort_unstable();
    hints.dedup();
    for at in hints {
        if let Some((run, tally)) = search.record(at, data.len())
            && tally.illegal == 0
            && !tally.is_damaged
        {
            found.push(at);
            runs.push(run);
        }
    }
    runs.sort_unstable_by_key(|run| run.start);
    let mut reached = 0;
    for run in runs
        .into_iter()
        .chain(std::iter::once(data.len()..data.len()))
    {
        search.gap(reached, run.start, &mut found);
        reached = reached.max(run.end);
    }
    found.sort_unstable();
    found.dedup();
    found
}

struct CaSalvageSearch<'a> {
    data: &'a [u8],
    rules: CaReadSettings,
    scratch: CaScratch,
    effort: usize,
}

impl CaSalvageSearch<'_> {
    /// Reads the record at an address, if it ends by `end`.
    fn record(&mut self, at: usize, end: usize) -> Option<(Range<usize>, CaRecordTally)> {
        let (start, record, claimed) = record_at(self.data, at)?;
        if record.len() < claimed || start + claimed > end || self.effort == 0 {
            return None;
        }
        let setup = find_setup(record).map(|bytes| {
            let (board, pieces, ..) = read_setup(bytes);
            (board, pieces)
        });
        let want = GameNeeds {
            annotations: false,
            ..GameNeeds::ALL
        };
        let spot = CaRecordPlace {
            game: None,
            byte: 0,
        };
        let mut diagnostics = Diagnostics::with_cap(0);
        let tally = decode(
            record,
            setup,
            self.rules,
            want,
            spot,
            &mut self.scratch,
            &mut diagnostics,
        );
        self.effort = self.effort.saturating_sub(tally.bytes + 1);
        Some((at..start + claimed, tally))
    }

    fn gap(&mut self, mut at: usize, end: usize, found: &mut Vec<usize>) {
        while at < end && self.effort > 0 {
            let whole = self.record(at, end).filter(|(_, tally)| {
                let moves = tally.moves + if tally.has_setup { ENOUGH_MOVES - 1 } else { 0 };
                tally.illegal == 0 && !tally.is_damaged && moves >= ENOUGH_MOVES
            });
            match whole {
                Some((run, _)) => {
                    found.push(at);
                    at = run.end;
                }
                None => at += 1,
            }
        }
    }
}
