//! Positions at speed: the moves of games for searches and indexes, without names, texts or a look at the rules.

use tabiya_model::board::Move;
use tabiya_model::game::Start;
use tabiya_model::positions::{Delta, From, Men, Positions, Walker};
use tabiya_model::tags::TagSet;
use tabiya_model::tape::Op;
use tabiya_model::{Game, Result, Severity, Want};

use super::reader::Reader;
use super::record::Scratch;
use crate::numbered::check_number;

/// Moves with their variations, and nothing else.
const MOVES: Want = Want {
    tags: TagSet::NONE,
    annotations: false,
    verify: false,
    ..Want::ALL
};

impl Positions for Reader {
    fn walker(&self) -> Box<dyn Walker + '_> {
        Box::new(Walk {
            base: self,
            scratch: Scratch::default(),
            game: Game::default(),
            at: 0,
            now: Men::STANDARD,
            before: Men::STANDARD,
            open: Vec::new(),
        })
    }
}

/// A walk through games by way of their tapes, with nothing but men on squares beside them.
struct Walk<'a> {
    base: &'a Reader,
    scratch: Scratch,
    game: Game,
    /// The next operation of the tape.
    at: usize,
    /// The men now and before the last move.
    now: Men,
    before: Men,
    /// The same of the lines around.
    open: Vec<(Men, Men)>,
}

impl Walk<'_> {
    fn step(&mut self, m: Move) -> Delta {
        let delta = delta(&self.now, m);
        self.before.clone_from(&self.now);
        self.now.play(delta);
        delta
    }
}

impl Walker for Walk<'_> {
    fn open(&mut self, number: u64) -> Result<From> {
        check_number(number, self.base.count())?;
        let (base, game) = (self.base, &mut self.game);
        base.read_moves_alone(number, MOVES, &mut self.scratch, game);
        self.at = 0;
        self.open.clear();
        let from = match &game.start {
            Start::Standard => {
                self.now = Men::STANDARD;
                From::Standard
            }
            Start::Setup(board, _) => {
                self.now = Men::of(board);
                From::Setup(board.clone())
            }
        };
        self.before.clone_from(&self.now);
        Ok(from)
    }

    fn steps(&mut self, variations: bool, most: usize, steps: &mut Vec<Delta>) -> Result<bool> {
        let enough = steps.len().saturating_add(most);
        while steps.len() < enough {
            let Some(op) = self.game.tape.get(self.at) else {
                return Ok(false);
            };
            match op {
                Op::Begin(_) if !variations => {
                    self.at = self.game.tape.skip(self.at);
                    continue;
                }
                Op::Move(m) => {
                    let delta = self.step(m);
                    steps.push(delta);
                }
                Op::Begin(_) => {
                    let before = self.before.clone();
                    let after = std::mem::replace(&mut self.now, before.clone());
                    self.open.push((after, before));
                    steps.push(Delta::BEGIN);
                }
                Op::End => {
                    if let Some((now, before)) = self.open.pop() {
                        (self.now, self.before) = (now, before);
                    }
                    steps.push(Delta::END);
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

/// A move of men that stand so.
fn delta(men: &Men, m: Move) -> Delta {
    if m.is_null() {
        return Delta::NULL;
    }
    let square = |square: shakmaty::Square| u32::from(square).to_le_bytes()[0] & 63;
    let at = |square: u8| men.0.get(usize::from(square)).copied().unwrap_or(0);
    let (from, to) = (square(m.from()), square(m.to()));
    let mover = at(from);
    if m.is_castle() {
        return Delta::castle(from, square(m.king_target()), mover, to & 7);
    }
    if m.is_en_passant() {
        return Delta::en_passant(from, to, mover);
    }
    let becomes = m.promotion().map_or(mover, |role| role as u8 | mover & 8);
    Delta::new(from, to, mover, becomes, at(to))
}
