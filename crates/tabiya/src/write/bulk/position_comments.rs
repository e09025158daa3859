//! Comments with the position after moves: its FEN, or its hash.

use tabiya_model::board::FenWriter;
use tabiya_model::digits::push_hash;
use tabiya_model::tape::{Replay, Tape, TapeOp};
use tabiya_model::{Board, Game};

/// Which comments are added, and where.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct PositionComments {
    /// What they say.
    pub what: CommentContent,
    /// After which moves they are added.
    pub at: CommentInterval,
}

/// What a comment says about a position.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum CommentContent {
    /// Its FEN.
    Fen,
    /// Its Polyglot hash.
    Hash,
}

/// After which moves a comment is added.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum CommentInterval {
    /// After every N plies of each line, counted from the start of the game.
    Plies(u32),
    /// After the last move of the game.
    End,
}

impl PositionComments {
    /// Adds them to a game.
    pub(super) fn make(self, game: &mut Game, replay: &mut Replay, fen: &mut FenWriter) {
        let old = std::mem::take(&mut game.tape);
        replay.reset(&game.start_board());
        let mut tape = Tape::default();
        let mut text = Vec::new();
        let mut is_waiting = false;
        for op in old.ops() {
            let is_behind = matches!(op, TapeOp::Nag(_) | TapeOp::Comment(_));
            if !is_behind && std::mem::take(&mut is_waiting) {
                tape.push_comment(str::from_utf8(&text).unwrap_or_default());
            }
            tape.push_from(&old, op);
            replay.follow(op);
            if matches!(op, TapeOp::Move(_)) {
                is_waiting = match self.at {
                    CommentInterval::Plies(step) => replay.ply().checked_rem(step) == Some(0),
                    CommentInterval::End => false,
                };
                if is_waiting {
                    self.what.write(replay.now(), fen, &mut text);
                }
            }
        }
        // Behind the last move stand the variations to it, too.
        if self.at == CommentInterval::End {
            is_waiting = true;
            self.what.write(replay.now(), fen, &mut text);
        }
        if is_waiting {
            tape.push_comment(str::from_utf8(&text).unwrap_or_default());
        }
        game.tape = tape;
    }
}

impl CommentContent {
    /// Writes it anew, in ASCII.
    fn write(self, board: &Board, fen: &mut FenWriter, text: &mut Vec<u8>) {
        text.clear();
        match self {
            CommentContent::Fen => fen.write(board, text),
            CommentContent::Hash => push_hash(board.zobrist(), text),
        }
    }
}
