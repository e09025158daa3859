//! Comments with the position after moves: its FEN, or its hash.

use tabiya_model::tape::{Op, Replay, Tape};
use tabiya_model::{Board, Game};

/// Which comments are added, and where.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Remarks {
    /// What they say.
    pub what: Remark,
    /// Behind which moves they stand.
    pub at: Every,
}

/// What a comment says of a position.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Remark {
    /// Its FEN.
    Fen,
    /// Its hash, as Polyglot's books have it.
    Hash,
}

/// Behind which moves a comment stands.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Every {
    /// Behind every so many moves of each line, counted in half-moves from the start of the game.
    Plies(u32),
    /// Behind the last move of the game.
    End,
}

impl Remarks {
    /// Adds them to a game.
    pub(super) fn make(self, game: &mut Game, replay: &mut Replay) {
        let old = std::mem::take(&mut game.tape);
        replay.reset(&game.start_board());
        let mut tape = Tape::default();
        let mut waiting: Option<String> = None;
        for op in old.ops() {
            let is_behind = matches!(op, Op::Nag(_) | Op::Comment(_));
            if !is_behind && let Some(text) = waiting.take() {
                tape.push_comment(&text);
            }
            tape.push_from(&old, op);
            replay.follow(op);
            if matches!(op, Op::Move(_)) {
                let wanted = match self.at {
                    Every::Plies(step) => replay.ply().checked_rem(step) == Some(0),
                    Every::End => false,
                };
                waiting = wanted.then(|| self.what.of(replay.now()));
            }
        }
        // Behind the last move stand the variations to it, too.
        let last = (self.at == Every::End).then(|| self.what.of(replay.now()));
        if let Some(text) = waiting.or(last) {
            tape.push_comment(&text);
        }
        game.tape = tape;
    }
}

impl Remark {
    fn of(self, board: &Board) -> String {
        match self {
            Remark::Fen => board.to_fen(),
            Remark::Hash => format!("{:016x}", board.zobrist()),
        }
    }
}
