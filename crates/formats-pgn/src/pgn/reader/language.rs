//! The language of the piece letters, detected from the moves of a game: the one in which most of them can be played.

use std::ops::ControlFlow;

use tabiya_model::board::{Board, Move};
use tabiya_model::notation::{
    MoveInterpretation, MoveText, candidates, find, languages::LANGUAGES, role_of,
};

use super::state::{PgnReader, PieceLanguage};
use crate::pgn::skim::{MovetextSkimmer, PgnToken};
use crate::pgn::{codes, nonstandard};

/// The most moves of a game that are tried.
const MOST_MOVES: usize = 1000;
const MOST_BYTES: usize = 1 << 16;

/// How many moves must have letters that mean another piece in English, or none.
const LEAST_FOREIGN: usize = 2;

impl PgnReader<'_> {
    /// The piece letters by which moves are read.
    pub(in crate::pgn) fn letters(&self) -> &[char] {
        match &self.language {
            Some((_, letters)) => letters,
            None => &self.settings.piece_letters,
        }
    }

    /// Reads with the letters of a detected language.
    pub(in crate::pgn) fn with_language(mut self, language: Option<PieceLanguage>) -> Self {
        if let Some((name, letters)) = language {
            self.language = Some((name, letters.chars().collect()));
            self.is_language_settled = true;
        }
        self
    }

    /// Whether the game should be read again, since another language matches its moves better than English; checked once.
    #[cold]
    pub(in crate::pgn) fn tries_language(&mut self) -> bool {
        if self.is_language_settled || !self.settings.piece_letters.is_empty() {
            return false;
        }
        self.is_language_settled = true;
        let nested = self.settings.nested_comments;
        let told = main_line(self.data, self.movetext, nested);
        self.found_language = recognise(&self.game.start_board(), &told);
        self.found_language.is_some()
    }

    /// Reports that the letters of a language were detected.
    #[cold]
    pub(super) fn tell_language(&mut self, at: usize) {
        if let Some((name, letters)) = &self.language {
            let letters: String = letters.iter().collect();
            let message = format!("piece letters are read as {name} ({letters})");
            self.report(&codes::LANGUAGE, at, || message);
        }
    }
}

/// The moves of the main line from `i` on.
fn main_line(data: &[u8], i: usize, nested: bool) -> Vec<MoveText> {
    let data = data
        .get(..data.len().min(i.saturating_add(MOST_BYTES)))
        .unwrap_or(data);
    let walk = MovetextSkimmer {
        depth: 0,
        seen: false,
        nested,
    };
    let mut told = Vec::new();
    walk.tokens(data, i, |token, depth| {
        if let PgnToken::Word { start, stop } = token
            && depth == 0
        {
            let word = data.get(start..stop).unwrap_or(&[]);
            told.extend(nonstandard::moves_of(word).into_iter().flatten());
        }
        match told.len() >= MOST_MOVES {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    });
    told
}

/// The language in which more moves can be played than in English and all others.
fn recognise(start: &Board, told: &[MoveText]) -> Option<PieceLanguage> {
    let mut seen: Vec<char> = Vec::new();
    for letter in told.iter().flat_map(|told| letters_of(*told)) {
        if letter.is_alphabetic() && !seen.contains(&letter) {
            seen.push(letter);
        }
    }
    let in_english = play(start, told, &[]).0.len();
    let mut best: Option<(Vec<Move>, PieceLanguage)> = None;
    let mut is_sure = true;
    for language in &LANGUAGES {
        let (_, letters) = language;
        if !seen.iter().all(|letter| letters.contains(*letter)) {
            continue;
        }
        let letters: Vec<char> = letters.chars().collect();
        let (moves, foreign) = play(start, told, &letters);
        if foreign < LEAST_FOREIGN || moves.len() <= in_english {
            continue;
        }
        match &best {
            Some((most, _)) if moves.len() < most.len() => {}
            Some((most, _)) if moves.len() == most.len() => is_sure &= moves == *most,
            _ => (best, is_sure) = (Some((moves, language)), true),
        }
    }
    best.filter(|_| is_sure).map(|(_, language)| language)
}

/// The piece letters of a move.
fn letters_of(told: MoveText) -> impl Iterator<Item = char> {
    let (piece, becomes) = match told {
        MoveText::Piece {
            letter, promotion, ..
        } => (letter, promotion),
        MoveText::ShortCapture { promotion, .. } => (None, promotion),
        MoveText::Null | MoveText::Castle(_) => (None, None),
    };
    piece.into_iter().chain(becomes)
}

/// The number of consecutive moves that can be played, and how many of them have letters that mean another piece in English.
fn play(start: &Board, told: &[MoveText], letters: &[char]) -> (Vec<Move>, usize) {
    let mut board = start.clone();
    let mut moves = Vec::new();
    let mut foreign = 0;
    for &told in told {
        let m = match find(&board, told, letters) {
            MoveInterpretation::Legal(m) => m,
            MoveInterpretation::Promotes(_) => match candidates(&board, told, letters).first() {
                Some(m) => *m,
                None => break,
            },
            _ => break,
        };
        let is_foreign = |letter: char| role_of(letter, letters) != role_of(letter, &[]);
        foreign += usize::from(letters_of(told).any(is_foreign));
        board.play(m);
        moves.push(m);
    }
    (moves, foreign)
}
