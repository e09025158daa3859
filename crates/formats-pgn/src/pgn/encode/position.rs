//! The writer's position in a game: on a board, or, if the moves have SAN details, by counting alone.

use shakmaty::Color;
use tabiya_model::game::StartingPosition;
use tabiya_model::{Board, Game, Replay};

/// Where the writer stands.
#[derive(Debug)]
pub(super) struct PgnWriterPosition {
    replay: Replay,
    /// Whether the replay goes along.
    has_board: bool,
    now: PgnTurn,
    /// The turns to which ends of variations lead back.
    outer: Vec<PgnTurn>,
}

/// Whose turn it is.
#[derive(Copy, Clone, Debug)]
struct PgnTurn {
    color: Color,
    number: u32,
    /// Plies since the start of the game.
    ply: u32,
}

impl Default for PgnWriterPosition {
    fn default() -> PgnWriterPosition {
        let replay = Replay::new(&Board::standard());
        let now = PgnTurn::of(replay.now());
        PgnWriterPosition {
            replay,
            has_board: false,
            now,
            outer: Vec::new(),
        }
    }
}

impl PgnTurn {
    fn of(board: &Board) -> PgnTurn {
        PgnTurn {
            color: board.turn(),
            number: board.fullmoves(),
            ply: 0,
        }
    }

    fn after(self) -> PgnTurn {
        PgnTurn {
            color: !self.color,
            // As the board counts.
            number: self
                .number
                .wrapping_add(u32::from(self.color == Color::Black)),
            ply: self.ply.wrapping_add(1),
        }
    }

    fn before(self) -> PgnTurn {
        PgnTurn {
            color: !self.color,
            number: self
                .number
                .wrapping_sub(u32::from(self.color == Color::White)),
            ply: self.ply.saturating_sub(1),
        }
    }
}

impl PgnWriterPosition {
    /// Goes to the start of a game, whose moves say all that is written of them if it is told so.
    pub(super) fn start(&mut self, game: &Game, is_told: bool) {
        self.outer.clear();
        self.has_board = !is_told;
        if is_told && matches!(game.start, StartingPosition::Standard) {
            self.now = PgnTurn {
                color: Color::White,
                number: 1,
                ply: 0,
            };
            return;
        }
        let board = game.start_board();
        self.now = PgnTurn::of(&board);
        if self.has_board {
            self.replay.reset(&board);
            self.replay.expect_variations(game.tape.has_variations());
        }
    }

    /// The board, where there is one.
    #[inline]
    pub(super) fn board(&mut self) -> Option<&mut Replay> {
        self.has_board.then_some(&mut self.replay)
    }

    /// Whose turn it is, and the number of the move.
    #[inline]
    pub(super) fn turn(&self) -> (Color, u32) {
        (self.now.color, self.now.number)
    }

    /// Plies since the start of the game.
    pub(super) fn ply(&self) -> u32 {
        self.now.ply
    }

    /// The number of variations around this line.
    pub(super) fn depth(&self) -> usize {
        self.outer.len()
    }

    /// Goes on by a ply, which the board, where there is one, has played.
    #[inline]
    pub(super) fn step(&mut self) {
        self.now = self.now.after();
    }

    /// Goes on to the turn of a colour and number, after so many plies that no board has played.
    #[inline]
    pub(super) fn go_on(&mut self, (color, number): (Color, u32), plies: u32) {
        let ply = self.now.ply.wrapping_add(plies);
        self.now = PgnTurn { color, number, ply };
    }

    /// Enters a variation.
    pub(super) fn begin(&mut self) {
        self.outer.push(self.now);
        self.now = self.now.before();
        if self.has_board {
            self.replay.begin();
        }
    }

    /// Leaves a variation.
    pub(super) fn end(&mut self) {
        if let Some(outer) = self.outer.pop() {
            self.now = outer;
        }
        if self.has_board {
            self.replay.end();
        }
    }
}
