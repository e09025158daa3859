//! Cutting games by plies: the position before them becomes the starting position, everything after them is dropped.

use crate::error_codes;
use tabiya_model::game::StartingPosition;
use tabiya_model::tape::{Tape, TapeOp};
use tabiya_model::{Board, Error, Game, Result};

/// The plies of the main line that are kept.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct PlyLimits {
    /// The number of plies to drop at the start.
    pub drop: u32,
    /// The last ply to keep, counted from the original start of the game.
    pub limit: Option<u32>,
    /// Drop everything before the first comment of the main line that contains this text, and the comment with it; games
    /// without it stay whole.
    pub before: Option<String>,
}

impl PlyLimits {
    /// Reads a range of plies, such as `..40`, `21..`, `21..40` or `21-40`, both ends included.
    ///
    /// # Errors
    ///
    /// If it is not a range of plies.
    pub fn parse(text: &str) -> Result<PlyLimits> {
        let wrong = || {
            Error::new(
                &error_codes::BAD_PLIES,
                format!("{text}: give a range of plies, such as ..40, 21.. or 21-40"),
            )
            .with("text", text)
        };
        let number = |text: &str| match text {
            "" => Ok(None),
            digits => digits.parse::<u32>().map(Some).map_err(|_| wrong()),
        };
        let ends = text.split_once("..").or_else(|| text.split_once('-'));
        let (first, last) = ends.ok_or_else(wrong)?;
        let (first, limit) = (number(first)?, number(last)?);
        let first = first.unwrap_or(1);
        if first == 0 || limit.is_some_and(|last| last + 1 < first) {
            return Err(wrong());
        }
        Ok(PlyLimits {
            drop: first - 1,
            limit,
            before: None,
        })
    }

    /// Whether nothing is cut.
    pub(super) fn is_nothing(&self) -> bool {
        *self == PlyLimits::default()
    }

    /// Cuts a game; says whether anything went.
    pub(super) fn make(&self, game: &mut Game) -> bool {
        let mut drop = self.drop;
        if let Some(text) = &self.before {
            drop = drop.max(ply_of_comment(game, text).unwrap_or(0));
        }
        let plies = u32::try_from(game.tape.plies()).unwrap_or(u32::MAX);
        let drop = drop.min(plies);
        let limit = self.limit.unwrap_or(u32::MAX).max(drop);
        if drop == 0 && limit >= plies {
            return false;
        }
        let old = std::mem::take(&mut game.tape);
        game.tape = between(&old, drop, limit);
        if drop > 0 {
            let mut board = game.start_board();
            for m in old.main_line().take(drop as usize) {
                board.play(m);
            }
            begin_at(game, &board);
        }
        if game.tags.get("PlyCount").is_some() {
            let plies = game.tape.plies().to_string();
            game.tags.set("PlyCount", &plies);
        }
        true
    }
}

/// The plies before the first comment of the main line that holds a text.
fn ply_of_comment(game: &Game, text: &str) -> Option<u32> {
    let tape = &game.tape;
    let (mut at, mut ply) = (0, 0);
    while let Some(op) = tape.get(at) {
        match op {
            TapeOp::Begin(_) => {
                at = tape.skip(at);
                continue;
            }
            TapeOp::Move(_) => ply += 1,
            TapeOp::Comment(id) if tape.text(id).contains(text) => return Some(ply),
            _ => {}
        }
        at += 1;
    }
    None
}

/// What belongs to the plies from `drop` on, up to `limit`.
fn between(old: &Tape, drop: u32, limit: u32) -> Tape {
    let mut tape = Tape::default();
    let (mut depth, mut ply) = (0_usize, 0_u32);
    for op in old.ops() {
        match op {
            TapeOp::Begin(_) => depth += 1,
            TapeOp::End => depth = depth.saturating_sub(1),
            TapeOp::Move(_) if depth == 0 => {
                ply += 1;
                if ply > limit {
                    break;
                }
            }
            _ => {}
        }
        if ply > drop || drop == 0 {
            tape.push_from(old, op);
        }
    }
    tape
}

/// Lets a game begin with a position, tags included.
fn begin_at(game: &mut Game, board: &Board) {
    let fen = board.to_fen();
    let Ok((board, problems)) = Board::from_fen(&fen) else {
        return;
    };
    game.start = StartingPosition::Setup(Box::new(board), problems);
    game.tags.remove("SetUp");
    game.tags.remove("FEN");
    game.tags.push("SetUp", "1");
    game.tags.push("FEN", &fen);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read() {
        let cut = |text| PlyLimits::parse(text).map(|cut| (cut.drop, cut.limit)).ok();
        assert_eq!(cut("..40"), Some((0, Some(40))));
        assert_eq!(cut("21.."), Some((20, None)));
        assert_eq!(cut("21..40"), Some((20, Some(40))));
        assert_eq!(cut("21-40"), Some((20, Some(40))));
        assert_eq!(cut("21-"), Some((20, None)));
        assert_eq!(cut("0..3"), None);
        assert_eq!(cut("9..3"), None);
        assert_eq!(cut("x"), None);
    }
}
