//! Makes repertoires from games: each position once, with the moves of all lines.

use shakmaty::Color;
use tabiya_model::board::{Board, Move};
use tabiya_model::{Game, Replay, Severity, TapeOp};
use tabiya_openings::key_hasher::PositionNumbers;
use tabiya_openings::position_key::PositionKey;

use crate::marks::{RepertoireMarks, RepertoireNotes};
use crate::repertoire::{ColorSource, Repertoire, RepertoireOmissions};

/// The tag that says for which side a game is.
const TAG: &str = "Repertoire";

/// The most positions of a repertoire.
const MOST_POSITIONS: usize = 1 << 22;

/// Why games are not a repertoire.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RepertoireError {
    /// There is no game.
    #[error("there is no game in the repertoire")]
    Empty,
    /// All games are for the other side.
    #[error("all games of the repertoire are for the other side")]
    OtherColor,
    /// It is unknown for which side it is.
    #[error("it is not known which side the repertoire is for")]
    UnknownColor,
    /// The tag of a game names no side.
    #[error("game {game}: the tag Repertoire must be `white` or `black`, and is `{value:.40}`")]
    BadTag {
        /// The number of the game.
        game: u64,
        /// The value of the tag.
        value: String,
    },
    /// There are too many positions.
    #[error("the repertoire has more than {MOST_POSITIONS} positions")]
    TooLarge,
}

/// For each side, White first, whether something is for it.
type Sides = [bool; 2];

/// A position of the games.
#[derive(Clone, Debug)]
pub(crate) struct GamePosition {
    pub(crate) board: Board,
    pub(crate) moves: Vec<GameMove>,
    /// What games that start here say before their first move.
    pub(crate) comments: RepertoireNotes,
}

/// A move that some game has in a position.
#[derive(Clone, Debug)]
pub(crate) struct GameMove {
    pub(crate) step: Move,
    pub(crate) to: u32,
    /// What is said of it in games for White and for Black; nothing where no game for that side has it.
    pub(crate) marks: [Option<RepertoireMarks>; 2],
    pub(crate) notes: RepertoireNotes,
}

/// Takes games and makes repertoires from them.
///
/// ```
/// use tabiya_repertoire::RepertoireBuilder;
/// use tabiya_model::{Board, Game};
///
/// let mut game = Game::default();
/// let mut board = Board::standard();
/// for uci in ["e2e4", "e7e5"] {
///     let m = board.parse_uci(uci.as_bytes()).expect("legal");
///     game.tape.push_move(m);
///     board.play(m);
/// }
/// let mut builder = RepertoireBuilder::default();
/// builder.add(&game)?;
/// let made = builder.finish(Some(shakmaty::Color::White))?;
/// assert_eq!(made[0].positions().len(), 3);
/// # Ok::<(), tabiya_repertoire::RepertoireError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct RepertoireBuilder {
    positions: Vec<GamePosition>,
    numbers: PositionNumbers,
    starts: Vec<(u32, Sides)>,
    games: u64,
    /// Games for White alone, for Black alone, and without a tag.
    games_for: [u64; 3],
    omissions: RepertoireOmissions,
}

/// A place of a line: its position, if it belongs to the repertoire, and the move that led there.
#[derive(Clone, Copy, Default)]
struct LinePlace {
    now: Option<u32>,
    before: Option<u32>,
    last: Option<(u32, usize)>,
}

impl RepertoireBuilder {
    /// Adds a game with its variations and annotations.
    ///
    /// # Errors
    ///
    /// If its tag names no side, and if there are too many positions.
    pub fn add(&mut self, game: &Game) -> Result<(), RepertoireError> {
        self.games += 1;
        let is_damaged = game.diagnostics.at_least(Severity::Damage) > 0;
        self.omissions.damaged += u64::from(is_damaged);
        let sides = self.sides(game)?;
        let start = game.start_board();
        let mut replay = Replay::new(&start);
        let first = self.position(&start)?;
        match self.starts.iter_mut().find(|(place, _)| *place == first) {
            Some((_, known)) => {
                *known = [known[0] || sides[0], known[1] || sides[1]];
            }
            None => self.starts.push((first, sides)),
        }
        let mut line = LinePlace {
            now: Some(first),
            ..LinePlace::default()
        };
        let mut outer = Vec::new();
        // Comments before the first move of a variation.
        let mut early: Vec<&str> = Vec::new();
        for op in game.tape.ops() {
            match op {
                TapeOp::Move(m) => {
                    line.before = line.now;
                    line.last = None;
                    replay.play(m);
                    line.now = match line.now {
                        Some(from) if !m.is_null() => {
                            let to = self.position(replay.now())?;
                            line.last = self.add_move(from, m, to, sides);
                            for comment in early.drain(..) {
                                self.note(line.last, |notes| notes.add_comment(comment));
                            }
                            Some(to)
                        }
                        _ => {
                            self.omissions.left_out += 1;
                            None
                        }
                    };
                    early.clear();
                }
                TapeOp::Begin(_) => {
                    early.clear();
                    outer.push(line);
                    line = LinePlace {
                        now: line.before,
                        before: line.before,
                        last: None,
                    };
                    replay.begin();
                }
                TapeOp::End => {
                    if let Some(place) = outer.pop() {
                        line = place;
                        replay.end();
                    }
                }
                TapeOp::Nag(nag) => {
                    self.mark(line.last, sides, |marks| marks.read_nag(nag));
                    self.note(line.last, |notes| notes.add_nag(nag));
                }
                TapeOp::Comment(id) => {
                    let comment = game.tape.text(id);
                    self.mark(line.last, sides, |marks| marks.read_comment(comment));
                    self.note(line.last, |notes| notes.add_comment(comment));
                    if line.last.is_none() && line.now.is_some() {
                        match outer.is_empty() {
                            true => self.note_start(first, comment),
                            false => early.push(comment),
                        }
                    }
                }
                TapeOp::Raw(_) | TapeOp::Ext(_) | TapeOp::Outcome(_) => {}
            }
        }
        Ok(())
    }

    /// Makes a repertoire for each side that the games are for: the given one; else those in tags; else the recognised one.
    ///
    /// # Errors
    ///
    /// If there is no game for the side, or if no side can be recognised.
    pub fn finish(self, color: Option<Color>) -> Result<Vec<Repertoire>, RepertoireError> {
        self.made(color, false)
    }

    /// The same with everything in the games: a move that is marked bad is a move like others, and so are the moves after
    /// it. This is for writing repertoires; games are compared with one that has no bad moves.
    ///
    /// # Errors
    ///
    /// As for [`RepertoireBuilder::finish`].
    pub fn finish_whole(self, color: Option<Color>) -> Result<Vec<Repertoire>, RepertoireError> {
        self.made(color, true)
    }

    /// Positions of the games so far.
    #[must_use]
    pub fn positions(&self) -> usize {
        self.positions.len()
    }

    /// Moves that do not belong to a repertoire: null moves, and the moves after them.
    #[must_use]
    pub fn left_out(&self) -> u64 {
        self.omissions.left_out
    }

    /// Games so far that are damaged: what could be read of them is there.
    #[must_use]
    pub fn damaged(&self) -> u64 {
        self.omissions.damaged
    }

    fn made(
        self,
        color: Option<Color>,
        is_whole: bool,
    ) -> Result<Vec<Repertoire>, RepertoireError> {
        if self.games == 0 {
            return Err(RepertoireError::Empty);
        }
        let [white, black, both] = self.games_for;
        let sides = match color {
            Some(color) => {
                if color.fold_wb(white, black) + both == 0 {
                    return Err(RepertoireError::OtherColor);
                }
                vec![(color, ColorSource::Given)]
            }
            None if white + black > 0 => [(Color::White, white), (Color::Black, black)]
                .into_iter()
                .filter(|(_, games)| *games > 0)
                .map(|(color, _)| (color, ColorSource::Tag))
                .collect(),
            None => {
                let [white, black] = self.positions_with_several_moves();
                let color = match white.cmp(&black) {
                    std::cmp::Ordering::Less => Color::White,
                    std::cmp::Ordering::Greater => Color::Black,
                    std::cmp::Ordering::Equal => return Err(RepertoireError::UnknownColor),
                };
                vec![(color, ColorSource::Recognised)]
            }
        };
        let of = |(color, source)| {
            let side = (color, source);
            Repertoire::new(
                &self.positions,
                &self.starts,
                side,
                is_whole,
                self.omissions,
            )
        };
        Ok(sides.into_iter().map(of).collect())
    }

    /// The positions in which White, and those in which Black, has more than one move that is not marked bad.
    fn positions_with_several_moves(&self) -> [u64; 2] {
        let mut several = [0; 2];
        for position in &self.positions {
            let side = usize::from(position.board.turn() == Color::Black);
            let is_bad = |m: &&GameMove| m.marks.iter().flatten().any(|marks| marks.bad);
            let moves = position.moves.iter().filter(|m| !is_bad(m)).count();
            several[side] += u64::from(moves > 1);
        }
        several
    }

    /// For which sides a game is.
    fn sides(&mut self, game: &Game) -> Result<Sides, RepertoireError> {
        let value = game.tags.value(TAG).trim();
        let (sides, place) = match value {
            "" | "?" => ([true, true], 2),
            _ if value.eq_ignore_ascii_case("white") => ([true, false], 0),
            _ if value.eq_ignore_ascii_case("black") => ([false, true], 1),
            _ => {
                return Err(RepertoireError::BadTag {
                    game: self.games,
                    value: value.to_owned(),
                });
            }
        };
        self.games_for[place] += 1;
        Ok(sides)
    }

    fn position(&mut self, board: &Board) -> Result<u32, RepertoireError> {
        let key = PositionKey::of_board(board);
        if let Some(number) = self.numbers.get(&key) {
            return Ok(*number);
        }
        let next = u32::try_from(self.positions.len()).unwrap_or(u32::MAX);
        if self.positions.len() >= MOST_POSITIONS {
            return Err(RepertoireError::TooLarge);
        }
        self.positions.push(GamePosition {
            board: board.clone(),
            moves: Vec::new(),
            comments: RepertoireNotes::default(),
        });
        self.numbers.insert(key, next);
        Ok(next)
    }

    /// Adds a move, and says where it is kept.
    fn add_move(&mut self, from: u32, step: Move, to: u32, sides: Sides) -> Option<(u32, usize)> {
        let position = self.positions.get_mut(usize::try_from(from).ok()?)?;
        // A move is known by where it leads: castling and promotions are written in more than one way.
        let at = match position.moves.iter().position(|known| known.to == to) {
            Some(at) => at,
            None => {
                position.moves.push(GameMove {
                    step,
                    to,
                    marks: [None; 2],
                    notes: RepertoireNotes::default(),
                });
                position.moves.len() - 1
            }
        };
        let marks = &mut position.moves.get_mut(at)?.marks;
        for (marks, is_for) in marks.iter_mut().zip(sides) {
            if is_for {
                marks.get_or_insert_default();
            }
        }
        Some((from, at))
    }

    /// Keeps what stands beside a move.
    fn note(&mut self, of: Option<(u32, usize)>, add: impl FnOnce(&mut RepertoireNotes)) {
        let found = of.and_then(|(from, at)| {
            let position = self.positions.get_mut(usize::try_from(from).ok()?)?;
            position.moves.get_mut(at)
        });
        if let Some(found) = found {
            add(&mut found.notes);
        }
    }

    /// Keeps what a game says before its first move.
    fn note_start(&mut self, start: u32, comment: &str) {
        let start = usize::try_from(start).unwrap_or(usize::MAX);
        if let Some(position) = self.positions.get_mut(start) {
            position.comments.add_comment(comment);
        }
    }

    /// Says something of a move for the sides that a game is for.
    fn mark(
        &mut self,
        of: Option<(u32, usize)>,
        sides: Sides,
        read: impl Fn(&mut RepertoireMarks),
    ) {
        let Some((from, at)) = of else { return };
        let from = usize::try_from(from).unwrap_or(usize::MAX);
        let position = self.positions.get_mut(from);
        let Some(found) = position.and_then(|position| position.moves.get_mut(at)) else {
            return;
        };
        let mut said = RepertoireMarks::default();
        read(&mut said);
        for (marks, is_for) in found.marks.iter_mut().zip(sides) {
            if let (Some(marks), true) = (marks, is_for) {
                marks.merge(said);
            }
        }
    }
}
