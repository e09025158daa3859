//! A repertoire of one side: the positions that are reached from its starting positions by moves that are not marked bad.

use std::collections::VecDeque;

use shakmaty::Color;
use tabiya_model::board::{Board, Move};
use tabiya_openings::key_hasher::PositionNumbers;
use tabiya_openings::position_key::PositionKey;

use crate::builder::GamePosition;
use crate::key_bits::KeyBits;
use crate::marks::{RepertoireMarks, RepertoireNotes};
use crate::return_filter::ReturnFilter;

/// How the side of a repertoire is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColorSource {
    /// It was given.
    Given,
    /// The tag of a game names it.
    Tag,
    /// Recognised: it is the side that has one move in positions where the other has several.
    Recognised,
}

/// A move of a repertoire.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RepertoireMove {
    /// The move.
    pub step: Move,
    /// The number of the position after it; nothing if that is not a position of the repertoire.
    pub to: Option<u32>,
    /// Its marks.
    pub marks: RepertoireMarks,
    /// Its annotations.
    pub notes: RepertoireNotes,
}

/// A position of a repertoire.
#[derive(Clone, Debug)]
pub struct RepertoirePosition {
    /// The board, as in the first line with the position.
    pub board: Board,
    /// The moves: of the repertoire's side those that are not marked bad, of the opponent all.
    pub moves: Vec<RepertoireMove>,
    /// The moves of the repertoire's side that are marked bad.
    pub bad_moves: Vec<RepertoireMove>,
    /// The fewest plies from a start.
    pub depth: u32,
    /// Whether it is reached without a move that is marked `skip`.
    pub is_active: bool,
    /// The comments before the first move of games that start here.
    pub comments: Vec<String>,
    /// The position before, on the shortest line, and the index of the move among its moves; nothing for a start.
    from: Option<(u32, u32)>,
}

/// The opening lines of one side. Positions are numbered in the order of their plies from a start.
#[derive(Clone, Debug)]
pub struct Repertoire {
    color: Color,
    source: ColorSource,
    positions: Vec<RepertoirePosition>,
    numbers: PositionNumbers,
    /// A bit for the last bits of each key: most positions of games are in no repertoire, and are told so at once.
    bits: KeyBits,
    starts: Vec<u32>,
    filter: ReturnFilter,
    omissions: RepertoireOmissions,
}

/// What the games had that no repertoire has.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RepertoireOmissions {
    /// Moves.
    pub(crate) left_out: u64,
    /// Games that are damaged.
    pub(crate) damaged: u64,
}

fn place(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

impl Repertoire {
    /// Takes from games what is for one side.
    pub(crate) fn new(
        games: &[GamePosition],
        starts: &[(u32, [bool; 2])],
        (color, source): (Color, ColorSource),
        is_whole: bool,
        omissions: RepertoireOmissions,
    ) -> Repertoire {
        let side = usize::from(color == Color::Black);
        let mut made = Repertoire {
            color,
            source,
            positions: Vec::new(),
            numbers: PositionNumbers::default(),
            bits: KeyBits::default(),
            starts: Vec::new(),
            filter: ReturnFilter::default(),
            omissions,
        };
        // The numbers that positions of the games have here.
        let mut known: Vec<Option<u32>> = vec![None; games.len()];
        let mut waiting = VecDeque::new();
        for (start, sides) in starts {
            if sides[side] {
                let number = made.reach(&mut known, games, *start, (0, None));
                if let Some(number) = number {
                    made.starts.push(number);
                    waiting.push_back((*start, number));
                }
            }
        }
        while let Some((of_games, number)) = waiting.pop_front() {
            let Some(position) = games.get(place(of_games)) else {
                continue;
            };
            let is_mine = position.board.turn() == color;
            let depth = made.position(number).map_or(0, |known| known.depth) + 1;
            for found in &position.moves {
                let Some(marks) = found.marks[side] else {
                    continue;
                };
                let mut m = RepertoireMove {
                    step: found.step,
                    to: None,
                    marks,
                    notes: found.notes.clone(),
                };
                if is_mine && marks.bad && !is_whole {
                    if let Some(here) = made.positions.get_mut(place(number)) {
                        here.bad_moves.push(m);
                    }
                    continue;
                }
                let at = made.position(number).map_or(0, |here| here.moves.len());
                let from = u32::try_from(at).ok().map(|at| (number, at));
                if let Some(next) = made.reach(&mut known, games, found.to, (depth, from)) {
                    waiting.push_back((found.to, next));
                }
                m.to = known.get(place(found.to)).copied().flatten();
                if let Some(here) = made.positions.get_mut(place(number)) {
                    here.moves.push(m);
                }
            }
        }
        made.activate();
        made.filter = ReturnFilter::new(made.positions.iter().map(|position| &position.board));
        made.bits = KeyBits::of(made.numbers.keys().copied());
        made
    }

    /// Numbers a position of the games where it is new.
    fn reach(
        &mut self,
        known: &mut [Option<u32>],
        games: &[GamePosition],
        of_games: u32,
        (depth, from): (u32, Option<(u32, u32)>),
    ) -> Option<u32> {
        let slot = known.get_mut(place(of_games))?;
        if slot.is_some() {
            return None;
        }
        let GamePosition {
            board, comments, ..
        } = games.get(place(of_games))?;
        let number = u32::try_from(self.positions.len()).ok()?;
        *slot = Some(number);
        self.numbers.insert(PositionKey::of_board(board), number);
        self.positions.push(RepertoirePosition {
            board: board.clone(),
            moves: Vec::new(),
            bad_moves: Vec::new(),
            depth,
            is_active: false,
            comments: comments.comments.clone(),
            from,
        });
        Some(number)
    }

    /// Finds the positions that are reached without a move that is left out.
    fn activate(&mut self) {
        let mut waiting = self.starts.clone();
        while let Some(number) = waiting.pop() {
            let Some(position) = self.positions.get_mut(place(number)) else {
                continue;
            };
            if std::mem::replace(&mut position.is_active, true) {
                continue;
            }
            let moves = position.moves.iter().filter(|m| !m.marks.skip);
            waiting.extend(moves.filter_map(|m| m.to));
        }
    }

    /// Its side.
    #[must_use]
    pub fn color(&self) -> Color {
        self.color
    }

    /// How that is known.
    #[must_use]
    pub fn source(&self) -> ColorSource {
        self.source
    }

    /// Moves of the games that do not belong to a repertoire of either side: null moves, and the moves after them.
    #[must_use]
    pub fn left_out(&self) -> u64 {
        self.omissions.left_out
    }

    /// Games that are damaged, whatever the side: what could be read of them is here.
    #[must_use]
    pub fn damaged(&self) -> u64 {
        self.omissions.damaged
    }

    /// Says how many games are damaged, if some are.
    #[must_use]
    pub fn damage_note(&self) -> Option<String> {
        match self.damaged() {
            0 => None,
            1 => Some(
                "1 game of the repertoire is damaged; what could be read of it is used".to_owned(),
            ),
            games => Some(format!(
                "{games} games of the repertoire are damaged; what could be read of them is used"
            )),
        }
    }

    /// The positions by their numbers.
    #[must_use]
    pub fn positions(&self) -> &[RepertoirePosition] {
        &self.positions
    }

    /// The numbers of the positions in which its games start.
    #[must_use]
    pub fn starts(&self) -> &[u32] {
        &self.starts
    }

    /// A position by its number.
    #[must_use]
    pub fn position(&self, number: u32) -> Option<&RepertoirePosition> {
        self.positions.get(place(number))
    }

    /// The number of the position with a key.
    #[inline]
    #[must_use]
    pub fn find(&self, key: PositionKey) -> Option<u32> {
        match self.bits.may_have(key) {
            true => self.numbers.get(&key).copied(),
            false => None,
        }
    }

    /// Whether it is the turn of the repertoire's side.
    #[must_use]
    pub fn is_my_turn(&self, number: u32) -> bool {
        self.position(number)
            .is_some_and(|position| position.board.turn() == self.color)
    }

    /// Says of most positions at once that none of the repertoire can come any more.
    pub(crate) fn filter(&self) -> &ReturnFilter {
        &self.filter
    }

    /// The position before another one on the shortest line to it, and the index of the move there; nothing for a start.
    #[must_use]
    pub fn way_to(&self, number: u32) -> Option<(u32, usize)> {
        let (before, at) = self.position(number)?.from?;
        Some((before, place(at)))
    }

    /// The start from which a position is reached soonest, and the moves from there.
    #[must_use]
    pub fn line_to(&self, number: u32) -> (u32, Vec<Move>) {
        let (mut at, mut line) = (number, Vec::new());
        while let Some((from, step)) = self.position(at).and_then(|position| position.from) {
            let before = self.position(from);
            let Some(m) = before.and_then(|before| before.moves.get(place(step))) else {
                break;
            };
            line.push(m.step);
            at = from;
        }
        line.reverse();
        (at, line)
    }

    /// The shortest line to a position in words, with move numbers: `1.e4 c5 2.Nf3`.
    #[must_use]
    pub fn line_in_words(&self, number: u32) -> String {
        let (start, line) = self.line_to(number);
        let Some(start) = self.position(start) else {
            return String::new();
        };
        moves_in_words(&start.board, line)
    }
}

/// Moves from a position in words, with move numbers: `3...Nf6 4.Ng5`.
#[must_use]
pub fn moves_in_words(start: &Board, line: impl IntoIterator<Item = Move>) -> String {
    let mut board = start.clone();
    let mut words = Vec::new();
    for m in line {
        let is_first = words.is_empty();
        if !is_first {
            words.push(b' ');
        }
        match board.turn() {
            Color::White => words.extend(format!("{}.", board.fullmoves()).bytes()),
            Color::Black if is_first => words.extend(format!("{}...", board.fullmoves()).bytes()),
            Color::Black => {}
        }
        board.play_san(m, &mut words);
    }
    String::from_utf8_lossy(&words).into_owned()
}

impl RepertoirePosition {
    /// Moves from here in words, with move numbers: `3...Nf6 4.Ng5`.
    #[must_use]
    pub fn words_of(&self, line: impl IntoIterator<Item = Move>) -> String {
        moves_in_words(&self.board, line)
    }

    /// A move from here in words, without a number: `Nf3`.
    #[must_use]
    pub fn san(&self, m: Move) -> String {
        let mut word = Vec::new();
        self.board.clone().play_san(m, &mut word);
        String::from_utf8_lossy(&word).into_owned()
    }

    /// The moves that are played and trained: those that are not left out; if one of several is `only`, that one.
    #[must_use]
    pub fn active_moves(&self, is_my_turn: bool) -> Vec<usize> {
        let has_only = is_my_turn && self.moves.iter().any(|m| m.marks.only && !m.marks.skip);
        let moves = self.moves.iter().enumerate();
        moves
            .filter(|(_, m)| !m.marks.skip && (!has_only || m.marks.only))
            .map(|(at, _)| at)
            .collect()
    }
}
