//! The writer's position in a game: on a board, or, if the moves have SAN details, by counting alone.

use shakmaty::Color;
use tabiya_model::game::StartingPosition;
use tabiya_model::{Board, Game, Replay};

/// The writer's position in a game.
#[derive(Debug)]
pub(super) struct PgnWriterPosition {
    replay: Replay,
    /// Whether the replay is updated too.
    has_board: bool,
    now: PgnTurn,
    /// The turns to return to at the ends of variations.
    outer: Vec<PgnTurn>,
}

/// The side to move and the number of its move.
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
            // Counted like the board's.
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
    /// Goes to the start of a game; `true` means that the SAN details of all moves are known, so that no board is needed.
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

    /// The board, if there is one.
    #[inline]
    pub(super) fn board(&mut self) -> Option<&mut Replay> {
        self.has_board.then_some(&mut self.replay)
    }

    /// The side to move and the move number.
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

    /// Advances by a ply, which has been played on the board, if there is one.
    #[inline]
    pub(super) fn step(&mut self) {
        self.now = self.now.after();
    }

    /// Advances to a colour and move number, after this number of plies without a board.
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
