//! Making a book from moves with weights, or from games.
//!
//! The rule for games: a move counts two if its side won the game, one for a draw or an unknown result, nothing for a loss;
//! a move of a variation counts one, a bad one (`$2`, `$4`) nothing. The counts of the moves of a position are added up over
//! all games. A comment `[%weight 12]` gives the weight itself. Weights above 65,535 are scaled down together with those of
//! the same position, and none that counted becomes 0. Only the first [`GAME_PLIES`] plies of a game count.

use std::io::Write;
use std::path::{Path, PathBuf};

use shakmaty::Color;
use tabiya_model::error_codes;
use tabiya_model::nag::Nag;
use tabiya_model::outcome::Outcome;
use tabiya_model::{
    Board, EncodedGames, Encoder, Error, Game, Losses, Move, Replay, Result, Sink, TapeOp,
    WriteSummary,
};

use super::layout::{ENTRY_BYTES, PolyglotEntry};
use super::moves::encode;
use crate::book::{BookCapabilities, LOST_GAME, report_lost_data, weight_of_comment};
use tabiya_codec::format::WriteOptions;
use tabiya_io::output::{self, OutputFile, OutputOptions};

/// How many plies of a game become entries.
pub const GAME_PLIES: u32 = 60;
/// How many new moves are collected before equal ones are merged.
const GATHERED: usize = 1 << 20;

/// The data about moves that a book holds.
const HOLDS: BookCapabilities = BookCapabilities {
    weights: true,
    games: false,
    priorities: false,
};

/// One move of one position.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct PolyglotMoveCount {
    key: u64,
    code: u16,
    /// Whether the weight was given, so that it replaces a sum.
    is_given: bool,
    weight: u64,
}

/// Collects moves with weights and makes sorted entries from them.
#[derive(Clone, Debug, Default)]
pub struct PolyglotBookBuilder {
    counts: Vec<PolyglotMoveCount>,
    /// How many of the counts are sorted and merged.
    settled: usize,
}

impl PolyglotBookBuilder {
    /// An empty book.
    pub fn new() -> PolyglotBookBuilder {
        PolyglotBookBuilder::default()
    }

    /// Adds to the weight of a move; null moves are not stored in a book.
    pub fn add(&mut self, board: &Board, m: Move, weight: u64) {
        self.push(board.zobrist(), m, weight, false);
    }

    /// Sets the weight of a move; the highest one counts, and added weights do not.
    pub fn give(&mut self, board: &Board, m: Move, weight: u32) {
        self.push(board.zobrist(), m, u64::from(weight), true);
    }

    fn push(&mut self, key: u64, m: Move, weight: u64, is_given: bool) {
        if let Some(code) = encode(m) {
            self.counts.push(PolyglotMoveCount {
                key,
                code,
                is_given,
                weight,
            });
            if self.counts.len() - self.settled > GATHERED.max(self.settled) {
                self.settle();
            }
        }
    }

    /// Adds to the weight of a move of a position by the position's hash and the move's code.
    pub fn add_code(&mut self, key: u64, code: u16, weight: u64) {
        self.counts.push(PolyglotMoveCount {
            key,
            code,
            is_given: false,
            weight,
        });
    }

    /// Adds the moves of a game by the rule of this module.
    pub fn add_game(&mut self, game: &Game) {
        let outcome = game.result();
        let mut replay = Replay::new(&game.start_board());
        // The last move waits for the annotations that follow it.
        let mut last: Option<(u64, Move, u64, bool)> = None;
        for op in game.tape.ops() {
            match op {
                TapeOp::Move(m) => {
                    if let Some((key, m, weight, is_given)) = last.take() {
                        self.push(key, m, weight, is_given);
                    }
                    if replay.ply() < GAME_PLIES {
                        let weight = if replay.depth() == 0 {
                            points(outcome, replay.now().turn())
                        } else {
                            1
                        };
                        last = Some((replay.now().zobrist(), m, weight, false));
                    }
                }
                TapeOp::Nag(Nag(2 | 4)) => {
                    if let Some((_, _, weight, false)) = &mut last {
                        *weight = 0;
                    }
                }
                TapeOp::Comment(id) => {
                    if let Some(given) = weight_of_comment(game.tape.text(id))
                        && let Some((_, _, weight, is_given)) = &mut last
                    {
                        (*weight, *is_given) = (u64::from(given), true);
                    }
                }
                TapeOp::Begin(_) | TapeOp::End => {
                    if let Some((key, m, weight, is_given)) = last.take() {
                        self.push(key, m, weight, is_given);
                    }
                }
                TapeOp::Nag(_) | TapeOp::Raw(_) | TapeOp::Ext(_) | TapeOp::Outcome(_) => {}
            }
            replay.follow(op);
        }
        if let Some((key, m, weight, is_given)) = last {
            self.push(key, m, weight, is_given);
        }
    }

    /// Adds everything that another builder has collected.
    pub fn append(&mut self, other: PolyglotBookBuilder) {
        for count in other.counts {
            self.counts.push(count);
            if self.counts.len() - self.settled > GATHERED.max(self.settled) {
                self.settle();
            }
        }
    }

    /// Sorts the counts and merges equal moves of equal positions.
    fn settle(&mut self) {
        self.counts.sort_unstable();
        self.counts.dedup_by(|next, kept| {
            if (next.key, next.code) != (kept.key, kept.code) {
                return false;
            }
            // Given weights are sorted after added ones.
            if next.is_given != kept.is_given {
                *kept = *next;
            } else if next.is_given {
                kept.weight = kept.weight.max(next.weight);
            } else {
                kept.weight = kept.weight.saturating_add(next.weight);
            }
            true
        });
        self.settled = self.counts.len();
    }

    /// The entries: sorted by position, the move with the highest weight first.
    pub fn finish(mut self) -> Vec<PolyglotEntry> {
        self.settle();
        let mut entries = Vec::with_capacity(self.counts.len());
        for position in self.counts.chunk_by(|a, b| a.key == b.key) {
            let highest = position.iter().map(|count| count.weight).max().unwrap_or(0);
            let start = entries.len();
            for count in position {
                entries.push(PolyglotEntry {
                    key: count.key,
                    code: count.code,
                    weight: scale(count.weight, highest),
                    learn: 0,
                });
            }
            if let Some(new) = entries.get_mut(start..) {
                new.sort_by_key(|entry| std::cmp::Reverse(entry.weight));
            }
        }
        entries
    }
}

/// A weight in 16 bits, by the highest weight of the position.
fn scale(weight: u64, highest: u64) -> u16 {
    let most = u64::from(u16::MAX);
    if highest <= most {
        return u16::try_from(weight).unwrap_or(u16::MAX);
    }
    let scaled = u128::from(weight) * u128::from(most) / u128::from(highest);
    u16::try_from(scaled)
        .unwrap_or(u16::MAX)
        .max(u16::from(weight > 0))
}

/// The points of a move in the main line of a game: two if its side wins, none if it loses, otherwise one.
pub fn points(outcome: Outcome, mover: Color) -> u64 {
    match outcome.winner() {
        Some(winner) if winner == mover => 2,
        Some(_) => 0,
        None => 1,
    }
}

/// Writes entries as a book; they must be sorted as by [`PolyglotBookBuilder::finish`].
pub fn write_entries(entries: &[PolyglotEntry], out: &mut dyn Write) -> std::io::Result<()> {
    for entry in entries {
        out.write_all(&entry.to_bytes())?;
    }
    Ok(())
}

/// A book that is being written from games.
pub struct PolyglotWriter {
    output: OutputFile,
    path: PathBuf,
    builder: PolyglotBookBuilder,
    games: u64,
}

impl PolyglotWriter {
    /// Begins to write a book.
    pub fn create(path: &Path, options: &WriteOptions) -> Result<PolyglotWriter> {
        let permitted = OutputOptions {
            force: options.force,
            sources: options.sources.clone(),
        };
        Ok(PolyglotWriter {
            output: OutputFile::create(path, &permitted).map_err(failed)?,
            path: path.to_path_buf(),
            builder: PolyglotBookBuilder::new(),
            games: 0,
        })
    }
}

fn failed(error: output::OutputError) -> Error {
    Error::from(std::io::Error::from(error))
}

impl Sink for PolyglotWriter {
    fn encoder(&self) -> Box<dyn Encoder> {
        Box::new(PolyglotEncoder {
            builder: PolyglotBookBuilder::new(),
            games: 0,
        })
    }

    fn append(&mut self, part: EncodedGames, _first: u64, _losses: &mut Losses) -> Result<()> {
        let Ok(part) = part.downcast::<PolyglotEncoder>() else {
            return Err(Error::new(
                &error_codes::INTERNAL,
                "a part of another format",
            ));
        };
        self.builder.append(part.builder);
        self.games += part.games;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<WriteSummary> {
        let entries = self.builder.finish();
        write_entries(&entries, &mut self.output)?;
        self.output.commit().map_err(failed)?;
        Ok(WriteSummary {
            games: self.games,
            bytes: (entries.len() * ENTRY_BYTES) as u64,
            files: vec![self.path],
            notes: vec![format!(
                "{} entries; weights: 2 per win of the side to move, 1 per draw; the first {GAME_PLIES} plies",
                entries.len()
            )],
        })
    }
}

/// The encoder of one thread, and the part that it is making.
struct PolyglotEncoder {
    builder: PolyglotBookBuilder,
    games: u64,
}

impl Encoder for PolyglotEncoder {
    fn encode(&mut self, game: &Game, losses: &mut Losses) {
        self.builder.add_game(game);
        self.games += 1;
        losses.report(&LOST_GAME, game.origin.number, "");
        report_lost_data(game, HOLDS, losses);
    }

    fn take(&mut self) -> EncodedGames {
        let builder = std::mem::take(&mut self.builder);
        let games = std::mem::take(&mut self.games);
        Box::new(PolyglotEncoder { builder, games })
    }
}
