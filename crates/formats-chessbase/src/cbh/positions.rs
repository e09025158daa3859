//! Fast positions: the moves of games for searches and indexes, without names, texts or legality checks.

use tabiya_model::board::Move;
use tabiya_model::game::StartingPosition;
use tabiya_model::positions::{GameWalker, MoveDelta, PiecePlacement, PositionSource, WalkStart};
use tabiya_model::tags::TagSet;
use tabiya_model::tape::TapeOp;
use tabiya_model::{Game, GameNeeds, Result, Severity};

use super::base::CbhReader;
use super::scratch::CbhScratch;
use tabiya_codec::numbered_database::check_number;

/// Moves with their variations, and nothing else.
const MOVES: GameNeeds = GameNeeds {
    tags: TagSet::NONE,
    annotations: false,
    verify: false,
    ..GameNeeds::ALL
};

/// A database of which games are read without anything but their moves.
pub(crate) trait CbhMoveSource: Sync {
    /// Buffers of one reading thread.
    type Scratch: Default + Send;

    /// The number of games.
    fn game_count(&self) -> u64;

    /// Reads nothing of a game but its start and its moves.
    fn read_moves_alone(
        &self,
        number: u64,
        want: GameNeeds,
        scratch: &mut Self::Scratch,
        game: &mut Game,
    );
}

impl CbhMoveSource for CbhReader {
    type Scratch = CbhScratch;

    fn game_count(&self) -> u64 {
        self.count()
    }

    fn read_moves_alone(
        &self,
        number: u64,
        want: GameNeeds,
        scratch: &mut CbhScratch,
        game: &mut Game,
    ) {
        CbhReader::read_moves_alone(self, number, want, scratch, game);
    }
}

impl PositionSource for CbhReader {
    fn walker(&self) -> Box<dyn GameWalker + '_> {
        Box::new(CbhWalker::new(self))
    }
}

/// A walk through games by way of their tapes, with nothing but pieces on squares beside them.
pub(crate) struct CbhWalker<'a, B: CbhMoveSource> {
    base: &'a B,
    scratch: B::Scratch,
    game: Game,
    /// The next operation of the tape.
    at: usize,
    /// The pieces now and before the last move.
    now: PiecePlacement,
    before: PiecePlacement,
    /// The same of the lines around.
    open: Vec<(PiecePlacement, PiecePlacement)>,
}

impl<'a, B: CbhMoveSource> CbhWalker<'a, B> {
    /// A walk through the games of a database.
    pub(crate) fn new(base: &'a B) -> CbhWalker<'a, B> {
        CbhWalker {
            base,
            scratch: B::Scratch::default(),
            game: Game::default(),
            at: 0,
            now: PiecePlacement::STANDARD,
            before: PiecePlacement::STANDARD,
            open: Vec::new(),
        }
    }

    fn step(&mut self, m: Move) -> MoveDelta {
        let delta = delta(&self.now, m);
        self.before.clone_from(&self.now);
        self.now.play(delta);
        delta
    }
}

impl<B: CbhMoveSource> GameWalker for CbhWalker<'_, B> {
    fn open(&mut self, number: u64) -> Result<WalkStart> {
        check_number(number, self.base.game_count())?;
        let (base, game) = (self.base, &mut self.game);
        base.read_moves_alone(number, MOVES, &mut self.scratch, game);
        self.at = 0;
        self.open.clear();
        let from = match &game.start {
            StartingPosition::Standard => {
                self.now = PiecePlacement::STANDARD;
                WalkStart::Standard
            }
            StartingPosition::Setup(board, _) => {
                self.now = PiecePlacement::of(board);
                WalkStart::Setup(board.clone())
            }
        };
        self.before.clone_from(&self.now);
        Ok(from)
    }

    fn steps(&mut self, variations: bool, most: usize, steps: &mut Vec<MoveDelta>) -> Result<bool> {
        let enough = steps.len().saturating_add(most);
        while steps.len() < enough {
            let Some(op) = self.game.tape.get(self.at) else {
                return Ok(false);
            };
            match op {
                TapeOp::Begin(_) if !variations => {
                    self.at = self.game.tape.skip(self.at);
                    continue;
                }
                TapeOp::Move(m) => {
                    let delta = self.step(m);
                    steps.push(delta);
                }
                TapeOp::Begin(_) => {
                    let before = self.before.clone();
                    let after = std::mem::replace(&mut self.now, before.clone());
                    self.open.push((after, before));
                    steps.push(MoveDelta::BEGIN);
                }
                TapeOp::End => {
                    if let Some((now, before)) = self.open.pop() {
                        (self.now, self.before) = (now, before);
                    }
                    steps.push(MoveDelta::END);
                }
                _ => {}
            }
            self.at += 1;
        }
        Ok(true)
    }

    fn is_damaged(&self) -> bool {
        self.game.diagnostics.at_least(Severity::Damage) > 0
    }
}

/// A move of pieces that stand so.
fn delta(pieces: &PiecePlacement, m: Move) -> MoveDelta {
    if m.is_null() {
        return MoveDelta::NULL;
    }
    let square = |square: shakmaty::Square| u32::from(square).to_le_bytes()[0] & 63;
    let at = |square: u8| pieces.0.get(usize::from(square)).copied().unwrap_or(0);
    let (from, to) = (square(m.from()), square(m.to()));
    let mover = at(from);
    if m.is_castle() {
        return MoveDelta::castle(from, square(m.king_target()), mover, to & 7);
    }
    if m.is_en_passant() {
        return MoveDelta::en_passant(from, to, mover);
    }
    let becomes = m.promotion().map_or(mover, |role| role as u8 | mover & 8);
    MoveDelta::new(from, to, mover, becomes, at(to))
}
