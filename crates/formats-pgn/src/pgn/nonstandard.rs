//! Moves and symbols that are not in standard form.
//!
//! First, the bytes alone decide the parts of a word: this also decides where games begin and end, so it must not
//! depend on positions or options. Then the position decides the meaning of a move.

use std::borrow::Cow;

use shakmaty::{Rank, Role};
use tabiya_model::board::{Board, Move};
use tabiya_model::nag::Nag;
use tabiya_model::notation::{
    MoveInterpretation, MoveText, candidates, find, languages, letter_at, lookalikes, move_at,
    short_capture_at, valid_prefix, whole_move,
};
use tabiya_model::outcome::Outcome;
use tabiya_model::tape::TapeOp;

use super::codes;
use super::lexer::{PgnByteClass, class, comment_end, digits, is_delimiter, skip_space};
use super::quote::quote;
use super::reader::state::{PgnContinuation, PgnReader};
use super::skim;

/// A part of a word.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum WordToken {
    Move(MoveText),
    Nag(Nag),
    /// A mark of check, mate or en passant, a move number, punctuation: adds no information.
    Mark,
}

/// The words that mean check and the like, after a move or alone.
const MARKS: [&str; 20] = [
    "e.p.", "e.p", "ep.", "ep", "mate", "ch.", "ch", "dis.", "dbl.", "dblch", "disch", "++", "+",
    "#", "\u{2021}", "\u{2020}", "\u{2260}", "\u{d7}", "\u{fe0e}", "\u{fe0f}",
];

/// Takes one part off the start of a word.
fn next_piece(word: &[u8], after_move: bool) -> Option<(WordToken, usize)> {
    if let Some((told, length)) = move_at(word) {
        return Some((WordToken::Move(told), length));
    }
    let text = valid_prefix(word);
    // A check mark directly after a move is not an annotation symbol, unless a longer symbol begins with it.
    if let Some((nag, rest)) = Nag::strip_glyph(text) {
        return Some((WordToken::Nag(nag), text.len() - rest.len()));
    }
    if let Some(mark) = MARKS.iter().find(|mark| text.starts_with(**mark)) {
        return Some((WordToken::Mark, mark.len()));
    }
    match word.first()? {
        b'0'..=b'9' => {
            let length = digits(word, 0);
            let dots = match word.get(length..) {
                Some([0xe2, 0x80, 0xa6, ..]) => 3,
                rest => rest
                    .unwrap_or(&[])
                    .iter()
                    .take_while(|&&b| b == b'.')
                    .count(),
            };
            // A number needs dots, or a move directly after it, or it ends the word after a move.
            let fits = dots > 0
                || (after_move && length == word.len())
                || word.get(length..).and_then(move_at).is_some();
            fits.then_some((WordToken::Mark, length + dots))
        }
        b'.' | b',' | b':' if after_move => Some((WordToken::Mark, 1)),
        b'x' if after_move && word.len() == 1 => Some((WordToken::Mark, 1)),
        _ if text.starts_with('\u{2026}') => Some((WordToken::Mark, '\u{2026}'.len_utf8())),
        _ => None,
    }
}

/// The longest word that is split.
const LONGEST: usize = 64;

/// A part of a word, and its place in it.
#[derive(Copy, Clone, Debug)]
pub(super) struct WordPart {
    piece: WordToken,
    from: usize,
    to: usize,
}

impl WordPart {
    /// The move that it is.
    pub(super) fn parsed_move(self) -> Option<MoveText> {
        match self.piece {
            WordToken::Move(told) => Some(told),
            WordToken::Nag(_) | WordToken::Mark => None,
        }
    }
}

/// The parts of a word, if it consists of such parts only.
fn exact_parts(word: &[u8]) -> Option<Vec<WordPart>> {
    if word.len() > LONGEST {
        return None;
    }
    match lookalikes::plain(word) {
        Cow::Borrowed(word) => split(word, false),
        Cow::Owned(plain) => split(&plain, false).map(|parts| over_all(parts, word)),
    }
}

/// The same for words that are moves only where one is expected: short captures of pawns, and capitals.
fn loose_parts(word: &[u8]) -> Option<Vec<WordPart>> {
    if word.len() > LONGEST {
        return None;
    }
    let plain = lookalikes::plain(word);
    let lowered = || split(&lookalikes::lowered(&plain)?, false);
    let parts = split(&plain, true).or_else(lowered)?;
    let is_move = |part: &WordPart| matches!(part.piece, WordToken::Move(_));
    let [first, rest @ ..] = parts.as_slice() else {
        return None;
    };
    // Only annotation symbols may follow such a move.
    let fits = is_move(first)
        && rest.iter().all(|part| {
            let text = plain.get(part.from..part.to).unwrap_or(&[]);
            !is_move(part) && !text.iter().any(u8::is_ascii_digit)
        });
    fits.then(|| match plain {
        Cow::Borrowed(_) => parts,
        Cow::Owned(_) => over_all(parts, word),
    })
}

/// The parts of a word that was changed before it was split: the place of each is the whole word.
fn over_all(parts: Vec<WordPart>, word: &[u8]) -> Vec<WordPart> {
    let whole = |part: WordPart| WordPart {
        from: 0,
        to: word.len(),
        ..part
    };
    parts.into_iter().map(whole).collect()
}

/// Splits a word; `short` means that it begins with a short capture of a pawn.
fn split(word: &[u8], short: bool) -> Option<Vec<WordPart>> {
    let part = |piece: WordToken, from: usize, to: usize| WordPart { piece, from, to };
    let mut parts = Vec::new();
    let mut at = 0;
    let mut after_move = false;
    if short {
        let (told, length) = short_capture_at(word)?;
        parts.push(part(WordToken::Move(told), 0, length));
        (at, after_move) = (length, true);
    } else {
        if let Some(nag) = std::str::from_utf8(word).ok().and_then(Nag::from_glyph) {
            return Some(vec![part(WordToken::Nag(nag), 0, word.len())]);
        }
        if let Some(told) = whole_move(word) {
            return Some(vec![part(WordToken::Move(told), 0, word.len())]);
        }
        // A move in numeric notation may be followed by an annotation symbol.
        let figures = digits(word, 0);
        if let Some(told) = word.get(..figures).and_then(whole_move)
            && word
                .get(figures)
                .is_some_and(|byte| b"!?+#=".contains(byte))
        {
            parts.push(part(WordToken::Move(told), 0, figures));
            (at, after_move) = (figures, true);
        }
    }
    while let Some(rest) = word.get(at..).filter(|rest| !rest.is_empty()) {
        let (piece, length) = next_piece(rest, after_move)?;
        parts.push(part(piece, at, at + length));
        after_move = matches!(piece, WordToken::Move(_)) || after_move;
        at += length.max(1);
    }
    Some(parts)
}

/// The moves that a word consists of, in any notation.
pub(super) fn moves_of(word: &[u8]) -> Option<impl Iterator<Item = MoveText>> {
    let parts = exact_parts(word).or_else(|| loose_parts(word))?;
    Some(parts.into_iter().filter_map(WordPart::parsed_move))
}

/// Whether one of the parts of a word is a move, perhaps after an annotation symbol.
pub(super) fn holds_move(word: &[u8]) -> bool {
    moves_of(word).is_some_and(|mut moves| moves.next().is_some())
}

/// Whether a word begins with a move, readable or not; `is_due` means that a move is expected, so that words count which
/// could also be ordinary language.
pub(super) fn is_move_like(word: &[u8], is_due: bool) -> bool {
    let begins = |parts: Vec<WordPart>| {
        let first = parts.iter().find(|part| part.piece != WordToken::Mark);
        first.is_some_and(|part| part.parsed_move().is_some())
    };
    exact_parts(word).is_some_and(begins) || (is_due && loose_parts(word).is_some())
}

/// The start of the result at the end of a word that otherwise consists of moves and annotation symbols.
pub(super) fn glued_result(word: &[u8]) -> Option<(usize, Outcome)> {
    let (length, outcome) = match word {
        [.., b'1', b'/', b'2', b'-', b'1', b'/', b'2'] => (7, Outcome::Draw),
        [.., b'1', b'/', b'2'] => (3, Outcome::Draw),
        [.., b'1', b'-', b'0'] => (3, Outcome::WhiteWins),
        [.., b'0', b'-', b'1'] => (3, Outcome::BlackWins),
        b"0,5-0,5" => (7, Outcome::Draw),
        [.., b'*'] => (1, Outcome::Unknown),
        _ => return odd_result(word),
    };
    let at = word.len() - length;
    let before = word.get(..at)?;
    if at == 0 {
        return Some((0, outcome));
    }
    moves_of(before).is_some().then_some((at, outcome))
}

/// A whole word that is a result in another spelling.
fn odd_result(word: &[u8]) -> Option<(usize, Outcome)> {
    let text = match word {
        // Some old charsets have the half sign at these codes.
        [0xbd, b'-' | b':', 0xbd] | [0xbd] | [0xab, b'-', 0xab] => "1/2",
        [b'0' | b'1', 0xe2, 0x80 | 0x88, _, b'0' | b'1'] => std::str::from_utf8(word).ok()?,
        _ => match valid_prefix(word) {
            text @ ("\u{bd}-\u{bd}" | "\u{bd}" | "\u{bd}:\u{bd}" | "\u{bd}\u{2013}\u{bd}")
                if text.len() == word.len() =>
            {
                text
            }
            _ => return None,
        },
    };
    Outcome::read(text).map(|outcome| (0, outcome))
}

/// Whether a word begins like a move and has a digit, such as a square that does not exist.
pub(super) fn is_damaged_move(word: &[u8]) -> bool {
    let begins = matches!(
        word,
        [b'K' | b'Q' | b'R' | b'B' | b'N', b'a'..=b'h' | b'x' | b'1'..=b'8', ..]
            | [b'a'..=b'h', b'x' | b'1'..=b'9', ..]
    );
    begins && word.len() <= 12 && word.iter().any(u8::is_ascii_digit)
}

/// How many of the following plies are tried to choose between several moves.
const LOOK_AHEAD_PLIES: usize = 60;
const LOOK_AHEAD_BYTES: usize = 2048;

/// The number of moves of the line at `i` that can be played.
fn playable(data: &[u8], mut i: usize, mut board: Board, nested: bool) -> usize {
    let end = data.len().min(i.saturating_add(LOOK_AHEAD_BYTES));
    let data = data.get(..end).unwrap_or(data);
    let mut plies = 0;
    let mut depth = 0_usize;
    while plies < LOOK_AHEAD_PLIES
        && let Some(&byte) = data.get(i)
    {
        match class(byte) {
            PgnByteClass::Brace => i = comment_end(data, i, nested).0,
            PgnByteClass::Open => {
                depth += 1;
                i += 1;
            }
            PgnByteClass::Close if depth == 0 => return plies,
            PgnByteClass::Close => {
                depth -= 1;
                i += 1;
            }
            PgnByteClass::Move if depth == 0 => {
                match data.get(i..).and_then(|rest| board.read_san(rest)) {
                    Some((Ok(m), length)) => {
                        board.play_legal(m);
                        plies += 1;
                        i += length;
                    }
                    _ => return plies,
                }
            }
            PgnByteClass::Bracket | PgnByteClass::Star => return plies,
            _ => i += 1,
        }
    }
    LOOK_AHEAD_PLIES
}

impl PgnReader<'_> {
    /// Reads a word that is not a plain move in this position.
    #[cold]
    pub(super) fn nonstandard_word(&mut self, start: usize, end: usize) -> Option<PgnContinuation> {
        let word = self.data.get(start..end)?;
        let Some(parts) = exact_parts(word) else {
            if let Some(parts) = loose_parts(word) {
                return self.loose_word(start, end, &parts);
            }
            if is_damaged_move(word) {
                return Some(self.unreadable(start, end, "there is no such square or piece"));
            }
            return self.stray_word(start, end);
        };
        if parts.iter().all(|part| part.piece == WordToken::Mark) && !self.is_true(word) {
            return self.stray_word(start, end);
        }
        let figures = digits(word, 0);
        if matches!(figures, 4 | 5)
            && word.first() != Some(&b'0')
            && parts
                .first()
                .is_some_and(|part| part.parsed_move().is_some() && part.to - part.from == figures)
        {
            // Later in a game in another notation it is just a number.
            if self.has_moves() && !self.numeric {
                return self.stray_word(start, end);
            }
            self.numeric = true;
        }
        self.take_parts(start, end, &parts)
    }

    /// Reads the parts of a word.
    fn take_parts(
        &mut self,
        start: usize,
        end: usize,
        parts: &[WordPart],
    ) -> Option<PgnContinuation> {
        let mut after = end;
        for (index, part) in parts.iter().enumerate() {
            match part.piece {
                WordToken::Nag(nag) => self.push_nag(nag),
                WordToken::Mark => {}
                WordToken::Move(told) => {
                    let is_last = index + 1 == parts.len();
                    match self.wild_move(told, start + part.from, start + part.to, is_last) {
                        Ok(next) => after = after.max(next),
                        Err(next) => return Some(next),
                    }
                }
            }
        }
        (after > end).then_some(PgnContinuation::At(after))
    }

    /// Reads a word that is a move only if the position has a matching one; otherwise it is an ordinary word.
    fn loose_word(
        &mut self,
        start: usize,
        end: usize,
        parts: &[WordPart],
    ) -> Option<PgnContinuation> {
        let told = parts.first()?.parsed_move()?;
        let found = find(&self.state.now, told, self.letters());
        // Capitals do not distinguish a bishop from the file of a pawn.
        let word = lookalikes::plain(self.slice(start, end)).into_owned();
        let by_pawn = match word.as_slice() {
            [b'B', rest @ ..] => {
                let small = [b"b", rest].concat().to_ascii_lowercase();
                let takes = |told: &MoveText| matches!(told, MoveText::Piece { file: Some(from), to, .. } if *from != to.file());
                move_at(&small).map(|(told, _)| told).filter(takes)
            }
            _ => None,
        };
        let is_playable = |found: &MoveInterpretation| {
            matches!(
                found,
                MoveInterpretation::Legal(_)
                    | MoveInterpretation::Several
                    | MoveInterpretation::Promotes(_)
                    | MoveInterpretation::Illegal(..)
            )
        };
        let pawn_fits = by_pawn.is_some_and(|told| {
            matches!(
                find(&self.state.now, told, &[]),
                MoveInterpretation::Legal(_)
            )
        });
        match (is_playable(&found), by_pawn.filter(|_| pawn_fits)) {
            (true, Some(other)) if told != other => {
                let mut moves = candidates(&self.state.now, told, self.letters());
                moves.extend(candidates(&self.state.now, other, &[]));
                match self.choose(moves, end) {
                    Some(m) => self.play(m),
                    None => return self.stray_word(start, end),
                }
                self.take_parts(start, end, parts.get(1..)?)
            }
            (true, _) => self.take_parts(start, end, parts),
            (false, Some(told)) => {
                if let MoveInterpretation::Legal(m) = find(&self.state.now, told, &[]) {
                    self.odd_notation(start, end, m);
                    self.play(m);
                }
                self.take_parts(start, end, parts.get(1..)?)
            }
            (false, None) => self.stray_word(start, end),
        }
    }

    /// Whether a word of marks that is alone describes the last move correctly, so that nothing is lost without it.
    fn is_true(&self, word: &[u8]) -> bool {
        let is_en_passant = || {
            let last = self.game.tape.ops().next_back();
            matches!(last, Some(TapeOp::Move(m)) if m.is_en_passant())
        };
        match valid_prefix(word) {
            // The dots of a Black move.
            "\u{2026}" | "\u{fe0e}" | "\u{fe0f}" => true,
            "e.p." | "e.p" | "ep." | "ep" => is_en_passant(),
            "mate" | "#" | "\u{2021}" | "\u{2260}" => self.state.now.is_checkmate(),
            "+" | "++" | "ch" | "ch." | "dbl." | "dis." | "dblch" | "disch" | "\u{2020}" => {
                self.state.now.is_check()
            }
            _ => false,
        }
    }

    /// Plays a move; returns where reading continues, or how the line ends if it cannot be played.
    fn wild_move(
        &mut self,
        mut told: MoveText,
        start: usize,
        end: usize,
        is_last: bool,
    ) -> Result<usize, PgnContinuation> {
        let mut after = end;
        if is_last && let Some((letter, length)) = self.bracketed_promotion(&told, end) {
            if let MoveText::Piece { promotion, .. } = &mut told {
                *promotion = Some(letter);
            }
            after = end + length;
        }
        let mut found = find(&self.state.now, told, self.letters());
        if let MoveInterpretation::Foreign(letter) = found {
            if self.tries_language() {
                return Err(PgnContinuation::End(start));
            }
            if let MoveText::Piece { letter: piece, .. } = &mut told
                && *piece == Some(letter)
                && let Some(latin) = lookalikes::lookalike(letter)
            {
                *piece = Some(latin);
                found = match find(&self.state.now, told, self.letters()) {
                    MoveInterpretation::None(_) => found,
                    other => other,
                };
            }
        }
        match found {
            MoveInterpretation::Legal(m) => {
                self.odd_notation(start, after, m);
                self.play(m);
            }
            MoveInterpretation::Illegal(m, why) => {
                let text = quote(self.slice(start, after));
                let fen = self.state.now.to_fen();
                self.report(&codes::ILLEGAL_MOVE, start, || {
                    format!("the move {text} {why} in {fen}; it is kept as a move")
                });
                self.play(m);
            }
            MoveInterpretation::Promotes(mut san) => {
                san.promotion = Some(Role::Queen);
                let Ok(m) = self.state.now.resolve_san(&san) else {
                    return Err(self.unreadable(start, end, "no such move"));
                };
                let text = quote(self.slice(start, after));
                self.report(&codes::PROMOTION, start, || {
                    format!(
                        "the move {text} has no promotion piece; the pawn is promoted to a queen"
                    )
                });
                self.play(m);
            }
            MoveInterpretation::Several => {
                let moves = candidates(&self.state.now, told, self.letters());
                match self.choose(moves, after) {
                    Some(m) => self.play(m),
                    None => {
                        let why = "ambiguous, and none of the moves is legal";
                        return Err(self.unreadable(start, end, why));
                    }
                }
            }
            MoveInterpretation::None(why) => return Err(self.unreadable(start, end, why)),
            MoveInterpretation::Foreign(letter) => return Err(self.foreign(start, letter)),
        }
        Ok(after)
    }

    /// A promotion in parentheses after a word: `e8(Q)`.
    fn bracketed_promotion(&self, told: &MoveText, end: usize) -> Option<(char, usize)> {
        let MoveText::Piece {
            letter: None,
            to,
            promotion: None,
            ..
        } = told
        else {
            return None;
        };
        if !matches!(to.rank(), Rank::First | Rank::Eighth) {
            return None;
        }
        let rest = self.data.get(end..)?;
        let [b'(', inner @ ..] = rest else {
            return None;
        };
        let lead = usize::from(inner.first() == Some(&b'='));
        let (letter, length) = letter_at(inner.get(lead..)?)?;
        let close = lead + length;
        (inner.get(close) == Some(&b')')).then_some((letter, close + 2))
    }

    /// Reports once per game that its moves are in another notation.
    fn odd_notation(&mut self, start: usize, end: usize, m: Move) {
        if std::mem::replace(&mut self.odd_notation, true) {
            return;
        }
        let mut san = Vec::new();
        self.state.now.write_san(m, &mut san);
        let word = self.slice(start, end);
        if word == san {
            // Only something attached to it was unusual.
            self.odd_notation = false;
            return;
        }
        let text = quote(word);
        self.report(&codes::ODD_NOTATION, start, || {
            format!("{text} is read as {}", String::from_utf8_lossy(&san))
        });
    }

    /// Chooses between several legal moves by the following moves.
    fn choose(&mut self, moves: Vec<Move>, after: usize) -> Option<Move> {
        let board = &self.state.now;
        let nested = self.settings.nested_comments;
        let mut best: Option<(usize, Move)> = None;
        // Whether another move is as good as the best.
        let mut is_tied = false;
        for &m in &moves {
            let mut next = board.clone();
            next.play(m);
            let plies = playable(self.data, after, next, nested);
            match best {
                Some((most, _)) if plies < most => {}
                Some((most, _)) if plies == most => is_tied = true,
                _ => (best, is_tied) = (Some((plies, m)), false),
            }
        }
        let (_, chosen) = best?;
        let name_of = |m: Move| {
            let mut name = Vec::new();
            board.write_san(m, &mut name);
            String::from_utf8_lossy(&name).into_owned()
        };
        let names: Vec<String> = moves.iter().map(|&m| name_of(m)).collect();
        let (names, name, fen) = (names.join(" and "), name_of(chosen), board.to_fen());
        if is_tied {
            self.report(&codes::GUESSED_MOVE, after, || {
                format!(
                    "{names} are possible in {fen}, and the moves that follow do not decide; {name} is used"
                )
            });
        } else {
            self.report(&codes::AMBIGUOUS_MOVE, after, || {
                format!(
                    "{names} are possible in {fen}; {name} is used, because most of the following moves can be played after it"
                )
            });
        }
        Some(chosen)
    }

    /// A move that cannot be played: the rest of its line becomes text.
    #[cold]
    pub(super) fn unreadable(&mut self, start: usize, end: usize, why: &str) -> PgnContinuation {
        let text = quote(self.slice(start, end));
        if self.tries_language() {
            return PgnContinuation::End(start);
        }
        if self.is_double_forfeit(start, end) {
            self.report(&codes::BAD_RESULT, start, || {
                format!("{text} is the result in the tag; it is kept unchanged")
            });
            return self.raw_rest(start);
        }
        let fen = self.state.now.to_fen();
        self.report(&codes::UNREADABLE_MOVE, start, || {
            format!(
                "the move {text} cannot be played in {fen} ({why}); the rest of the line is kept as text"
            )
        });
        self.raw_rest(start)
    }

    /// Whether castling that cannot be played is the result of a game that both sides have lost: the tag has that result,
    /// and nothing follows.
    fn is_double_forfeit(&self, start: usize, end: usize) -> bool {
        const BOTH_LOST: &[u8] = b"0-0";
        let tag = self.result.and_then(|index| self.game.tags.at(index));
        let next = skip_space(self.data, end);
        let after = next + usize::from(self.data.get(next) == Some(&b'*'));
        self.slice(start, end) == BOTH_LOST
            && tag.is_some_and(|tag| tag.value.as_bytes() == BOTH_LOST)
            && skim::is_last(self.data, after)
    }

    /// A move with a letter that no known language has for a piece.
    #[cold]
    fn foreign(&mut self, start: usize, letter: char) -> PgnContinuation {
        let seen = letters_ahead(self.data, start);
        let advice = languages::advice(&seen);
        self.report(&codes::FOREIGN_LETTERS, start, || {
            format!(
                "{letter:?} is not a piece letter here{advice}; the rest of the line is kept as text"
            )
        });
        self.raw_rest(start)
    }
}

/// The piece letters in the moves from `i` on.
fn letters_ahead(data: &[u8], i: usize) -> Vec<char> {
    let mut seen = Vec::new();
    let window = data
        .get(i..data.len().min(i.saturating_add(LOOK_AHEAD_BYTES)))
        .unwrap_or(&[]);
    for word in window.split(|&byte| is_delimiter(byte) || byte == b'.') {
        if let Some((
            MoveText::Piece {
                letter: Some(letter),
                ..
            },
            _,
        )) = move_at(word)
            && !seen.contains(&letter)
        {
            seen.push(letter);
        }
    }
    seen
}
