//! Words that are not moves: either in place of an expected move, so that the game cannot continue after them, or remarks
//! between the moves.

use std::ops::ControlFlow;

use shakmaty::Color;
use tabiya_model::board::Board;
use tabiya_model::notation::{MoveInterpretation, find};

use super::state::{PgnContinuation, PgnReader};
use crate::pgn::lexer::{PgnByteClass, class, ends_move, is_space, wide_space};
use crate::pgn::quote::quote;
use crate::pgn::skim::{MovetextSkimmer, PgnToken};
use crate::pgn::{codes, nonstandard};

/// The maximum lookahead in tokens.
const MOST_TOKENS: usize = 100;
const MOST_MOVES: usize = 12;
const MOST_WORDS: usize = 8;

/// How the moves after a word continue.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum MovesAfterWord {
    /// As if the word were not there.
    Fit,
    /// With the number of another move, or with a move that cannot be played.
    Misfit,
    /// There are no further moves.
    Nothing,
}

impl PgnReader<'_> {
    /// Keeps a word that is not a move as text, or the whole rest of the line if the word is in place of a move.
    #[cold]
    pub(in crate::pgn) fn stray_word(
        &mut self,
        start: usize,
        end: usize,
    ) -> Option<PgnContinuation> {
        let is_missing = match self.following(end) {
            // No move is expected in a remark in parentheses.
            _ if self.transparent.is_some() => false,
            MovesAfterWord::Fit => false,
            MovesAfterWord::Misfit => true,
            MovesAfterWord::Nothing => self.number_before(start).is_some(),
        };
        if is_missing {
            let why = "not a move, but the moves after it need one in its place";
            return Some(self.unreadable(start, end, why));
        }
        let text = quote(self.slice(start, end));
        self.report(&codes::UNKNOWN_WORD, start, || {
            format!("{text} is neither a move nor a symbol; it is kept as text")
        });
        if self.wants_annotations() {
            self.push_raw(start, end);
        }
        None
    }

    /// How the line continues from `i`, up to the end of the variation or game.
    fn following(&self, i: usize) -> MovesAfterWord {
        let data = self.data;
        let depth = self.depth();
        let walk = MovetextSkimmer {
            depth,
            seen: self.seen,
            nested: self.settings.nested_comments,
        };
        let mut board = self.state.now.clone();
        let (mut moves, mut words, mut tokens) = (0, 0, 0);
        // A number counts only if a move follows it: a remark may mention a move of the game.
        let mut is_misfit = false;
        let mut found = None;
        walk.tokens(data, i, |token, inner| {
            tokens += 1;
            if tokens > MOST_TOKENS {
                return ControlFlow::Break(());
            }
            match token {
                _ if inner > depth => return ControlFlow::Continue(()),
                PgnToken::Number { at, digits, dots } if dots > 0 => {
                    match self.is_due(data, at, digits, dots, &board) {
                        false => is_misfit = true,
                        true => found = Some(MovesAfterWord::Fit),
                    }
                }
                PgnToken::Word { .. } if is_misfit => found = Some(MovesAfterWord::Misfit),
                PgnToken::Word { start, stop } => {
                    match self.play_word(&mut board, data, start, stop) {
                        Some(0) => words += 1,
                        Some(played) => moves += played,
                        None => found = Some(MovesAfterWord::Misfit),
                    }
                }
                PgnToken::Number { .. } | PgnToken::Other => {}
            }
            if found.is_some() || moves >= MOST_MOVES || words >= MOST_WORDS {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        found.unwrap_or(match moves {
            0 => MovesAfterWord::Nothing,
            _ => MovesAfterWord::Fit,
        })
    }

    /// Whether the number at `i` is the expected one on a board.
    fn is_due(&self, data: &[u8], i: usize, digits: usize, dots: usize, board: &Board) -> bool {
        let mut value = 0_i64;
        for &byte in data.get(i..i + digits).unwrap_or(&[]) {
            value = value.wrapping_mul(10).wrapping_add(i64::from(byte & 15));
        }
        let due = i64::from(board.fullmoves()).wrapping_add(self.number_shift());
        value == due && (dots == 1 || board.turn() == Color::Black)
    }

    /// Plays the moves that a word consists of, and returns their number; `None` if one of them cannot be played.
    fn play_word(&self, board: &mut Board, data: &[u8], i: usize, stop: usize) -> Option<usize> {
        let foreign = !self.letters().is_empty();
        let word = data.get(i..stop).unwrap_or(&[]);
        if !foreign
            && let Some((Ok(m), length)) = board.read_san(word)
            && (i + length == stop || ends_move(data.get(i + length)))
        {
            board.play_legal(m);
            return Some(1);
        }
        let mut played = 0;
        for told in nonstandard::moves_of(word).into_iter().flatten() {
            match find(board, told, self.letters()) {
                MoveInterpretation::Legal(m) | MoveInterpretation::Illegal(m, _) => board.play(m),
                // If a move is ambiguous, nothing more is known.
                MoveInterpretation::Several | MoveInterpretation::Promotes(_) => {
                    return Some(usize::MAX / 2);
                }
                MoveInterpretation::None(_) | MoveInterpretation::Foreign(_) => return None,
            }
            played += 1;
        }
        Some(played)
    }
}

impl PgnReader<'_> {
    /// The start of the number directly before `start`, including its dots. Text before this game's movetext is ignored, so
    /// that a game is read in the same way alone and among others.
    pub(super) fn number_before(&self, start: usize) -> Option<usize> {
        let floor = self.movetext.min(start);
        let before = self.data.get(floor..start)?;
        number_before(before).map(|at| floor + at)
    }
}

/// The start of the number at the end of movetext, including its dots.
fn number_before(data: &[u8]) -> Option<usize> {
    let start = data.len();
    let back = |mut at: usize, is: &dyn Fn(u8) -> bool| {
        while let Some(before) = at.checked_sub(1)
            && data.get(before).is_some_and(|byte| is(*byte))
        {
            at = before;
        }
        at
    };
    let after_dots = back(start, &is_space);
    let dots = back(after_dots, &|byte| byte == b'.');
    if dots == after_dots {
        return None;
    }
    let after_digits = back(dots, &|byte| matches!(byte, b' ' | b'\t'));
    let number = back(after_digits, &|byte| byte.is_ascii_digit());
    let is_free = match number.checked_sub(1).and_then(|before| data.get(before)) {
        None => true,
        Some(&byte) => {
            is_space(byte)
                || class(byte) == PgnByteClass::Control
                || matches!(byte, b'(' | b')' | b'}' | b']' | b'!' | b'?')
        }
    };
    if number == after_digits || after_digits - number > 9 || !is_free {
        return None;
    }
    // On an earlier line, it may be the end of a comment, or of a skipped line.
    let between = data.get(after_dots..start).unwrap_or(&[]);
    if between.iter().any(|byte| matches!(byte, b'\n' | b'\r')) {
        let line = back(number, &|byte| !matches!(byte, b'\n' | b'\r'));
        let line = data.get(line..number).unwrap_or(&[]);
        if line.contains(&b';') || line.first() == Some(&b'%') {
            return None;
        }
    }
    Some(number)
}

/// The length of a non-ASCII space at `i`, if there is one.
pub(super) fn odd_space(data: &[u8], i: usize) -> Option<usize> {
    match wide_space(data, i) {
        0 => None,
        length => Some(length),
    }
}
