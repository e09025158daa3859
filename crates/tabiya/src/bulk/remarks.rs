//! Comments with the position after moves: its FEN, or its hash.

use tabiya_model::board::FenWriter;
use tabiya_model::digits::push_hash;
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
    pub(super) fn make(self, game: &mut Game, replay: &mut Replay, fen: &mut FenWriter) {
        let old = std::mem::take(&mut game.tape);
        replay.reset(&game.start_board());
        let mut tape = Tape::default();
        let mut text = Vec::new();
        let mut is_waiting = false;
        for op in old.ops() {
            let is_behind = matches!(op, Op::Nag(_) | Op::Comment(_));
            if !is_behind && std::mem::take(&mut is_waiting) {
                tape.push_comment(str::from_utf8(&text).unwrap_or_default());
            }
            tape.push_from(&old, op);
            replay.follow(op);
            if matches!(op, Op::Move(_)) {
                is_waiting = match self.at {
                    Every::Plies(step) => replay.ply().checked_rem(step) == Some(0),
                    Every::End => false,
                };
                if is_waiting {
                    self.what.write(replay.now(), fen, &mut text);
                }
            }
        }
        // Behind the last move stand the variations to it, too.
        if self.at == Every::End {
            is_waiting = true;
            self.what.write(replay.now(), fen, &mut text);
        }
        if is_waiting {
            tape.push_comment(str::from_utf8(&text).unwrap_or_default());
        }
        game.tape = tape;
    }
}

impl Remark {
    /// Writes it anew, in ASCII.
    fn write(self, board: &Board, fen: &mut FenWriter, text: &mut Vec<u8>) {
        text.clear();
        match self {
            Remark::Fen => fen.write(board, text),
            Remark::Hash => push_hash(board.zobrist(), text),
        }
    }
}
