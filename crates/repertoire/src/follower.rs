//! Where a game leaves a repertoire.

use tabiya_model::Game;
use tabiya_model::board::Board;
use tabiya_model::positions::MoveDelta;
use tabiya_openings::position_key::PositionKey;

use crate::repertoire::Repertoire;
use crate::return_filter::HomePawns;

/// How a game leaves a repertoire.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RepertoireEnd {
    /// The game ends in a position of the repertoire.
    Inside,
    /// The repertoire has no move in the position, and the game goes on.
    LineEnd,
    /// The repertoire's side left it.
    Me,
    /// The opponent left it.
    Opponent,
    /// The repertoire has no position of the game.
    Elsewhere,
}

impl RepertoireEnd {
    /// All of them.
    pub const ALL: [RepertoireEnd; 5] = [
        RepertoireEnd::Inside,
        RepertoireEnd::LineEnd,
        RepertoireEnd::Me,
        RepertoireEnd::Opponent,
        RepertoireEnd::Elsewhere,
    ];
}

/// Where a game leaves a repertoire.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RepertoireExit {
    /// How it leaves.
    pub end: RepertoireEnd,
    /// The number of plies before the last position of the game that is in the repertoire.
    pub ply: u32,
    /// The number of this position; nothing for a game that starts elsewhere.
    pub position: Option<u32>,
}

/// Follows games through a repertoire, one after another.
#[derive(Clone, Debug)]
pub struct RepertoireFollower<'r> {
    repertoire: &'r Repertoire,
    /// What it begins with at the normal start.
    standard: RepertoirePlace,
    now: RepertoirePlace,
    ply: u32,
    last: Option<(u32, u32)>,
}

/// Where a game stands.
#[derive(Clone, Copy, Debug)]
struct RepertoirePlace {
    key: PositionKey,
    /// Nothing where pawns may come home.
    home: Option<HomePawns>,
    /// The position of the repertoire.
    number: Option<u32>,
}

impl RepertoirePlace {
    fn of(repertoire: &Repertoire, board: &Board) -> RepertoirePlace {
        let key = PositionKey::of_board(board);
        RepertoirePlace {
            key,
            home: HomePawns::of(board),
            number: repertoire.find(key),
        }
    }
}

impl<'r> RepertoireFollower<'r> {
    /// Begins at a position.
    #[must_use]
    pub fn new(repertoire: &'r Repertoire, start: &Board) -> RepertoireFollower<'r> {
        let now = RepertoirePlace::of(repertoire, start);
        let standard = match *start == Board::standard() {
            true => now,
            false => RepertoirePlace::of(repertoire, &Board::standard()),
        };
        let mut made = RepertoireFollower {
            repertoire,
            standard,
            now,
            ply: 0,
            last: None,
        };
        made.begin(now);
        made
    }

    /// Begins another game at a position.
    pub fn start(&mut self, start: &Board) {
        self.begin(RepertoirePlace::of(self.repertoire, start));
    }

    /// Begins another game at the normal start.
    #[inline]
    pub fn start_standard(&mut self) {
        self.begin(self.standard);
    }

    #[inline]
    fn begin(&mut self, at: RepertoirePlace) {
        self.now = at;
        self.ply = 0;
        self.last = at.number.map(|number| (0, number));
    }

    /// Follows a move; returns whether the game can still reach a position of the repertoire.
    #[inline]
    pub fn play(&mut self, delta: MoveDelta) -> bool {
        self.now.key = self.now.key.after(delta);
        self.ply = self.ply.saturating_add(1);
        if let Some(home) = &mut self.now.home {
            home.play(delta);
            if !self.repertoire.filter().may_return(*home) {
                return false;
            }
        }
        if let Some(number) = self.repertoire.find(self.now.key) {
            self.last = Some((self.ply, number));
        }
        true
    }

    /// The position of the repertoire that is on the board now.
    #[must_use]
    pub fn here(&self) -> Option<u32> {
        self.last
            .and_then(|(ply, number)| (ply == self.ply).then_some(number))
    }

    /// Where the game leaves the repertoire, if it ended after the last move that was followed, or if no position of the
    /// repertoire can be reached any more.
    #[must_use]
    pub fn departure(&self) -> RepertoireExit {
        let Some((ply, number)) = self.last else {
            return RepertoireExit {
                end: RepertoireEnd::Elsewhere,
                ply: 0,
                position: None,
            };
        };
        let has_no_move = || {
            let position = self.repertoire.position(number);
            position.is_none_or(|position| position.moves.is_empty())
        };
        let end = match ply == self.ply {
            true => RepertoireEnd::Inside,
            false if has_no_move() => RepertoireEnd::LineEnd,
            false if self.repertoire.is_my_turn(number) => RepertoireEnd::Me,
            false => RepertoireEnd::Opponent,
        };
        RepertoireExit {
            end,
            ply,
            position: Some(number),
        }
    }

    /// Where the main line of another game leaves the repertoire.
    pub fn departure_of(&mut self, game: &Game) -> RepertoireExit {
        let mut board = game.start_board();
        match board == Board::standard() {
            true => self.start_standard(),
            false => self.start(&board),
        }
        for m in game.tape.main_line() {
            let delta = MoveDelta::of_move(&board, m);
            if !self.play(delta) {
                break;
            }
            board.play(m);
        }
        self.departure()
    }
}
