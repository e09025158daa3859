//! Moves that are not written as the standard says: figures, letters of other languages, squares, castling with zeros,
//! the numbers of correspondence chess.
//!
//! First, the bytes alone decide the content of a word ([`move_at`]); then the position decides the move ([`find`]).
//! Movetext and typed moves are read alike.

pub mod languages;
pub mod lookalikes;

use shakmaty::{CastlingSide, Color, File, Rank, Role, Square};

use crate::board::{Board, Move, San, SanError};

/// The content of a move, as far as the bytes show it.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum MoveText {
    /// The null move.
    Null,
    /// Castling.
    Castle(CastlingSide),
    /// A piece and a square.
    Piece {
        /// The letter or figure of the piece; none for pawns and in the notation of engines.
        letter: Option<char>,
        /// The file that it leaves, if given.
        file: Option<File>,
        /// The rank that it leaves, if given.
        rank: Option<Rank>,
        /// The target square.
        to: Square,
        /// Whether it is marked as a capture.
        capture: bool,
        /// The letter or figurine of the promotion piece.
        promotion: Option<char>,
    },
    /// A pawn capture on the next file, without a rank: `ed`, `exd`, `e:d`.
    ShortCapture {
        /// The file that the pawn leaves.
        from: File,
        /// The target file.
        to: File,
        /// The letter or figurine of the promotion piece.
        promotion: Option<char>,
    },
}

/// The part of some bytes that is UTF-8, as far as one word needs it.
pub fn valid_prefix(word: &[u8]) -> &str {
    let head = word.get(..word.len().min(32)).unwrap_or(word);
    match std::str::from_utf8(head) {
        Ok(text) => text,
        Err(error) => {
            std::str::from_utf8(head.get(..error.valid_up_to()).unwrap_or(&[])).unwrap_or("")
        }
    }
}

/// A character that may name a piece, and its length.
pub fn letter_at(word: &[u8]) -> Option<(char, usize)> {
    let text = valid_prefix(word);
    match text.chars().next() {
        Some(c) if c.is_ascii_uppercase() => Some((c, 1)),
        // Lower-case letters that are not files.
        Some(c @ ('n' | 'k' | 'q' | 'r')) => Some((c.to_ascii_uppercase(), 1)),
        Some('\u{41a}') if text.starts_with("\u{41a}\u{440}") => {
            // The Russian king has two letters; a figurine represents it.
            Some(('\u{2654}', 4))
        }
        Some(c)
            if !c.is_ascii() && (c.is_uppercase() || ('\u{2654}'..='\u{265f}').contains(&c)) =>
        {
            let mut length = c.len_utf8();
            if text
                .get(length..)
                .is_some_and(|rest| rest.starts_with(['\u{fe0e}', '\u{fe0f}']))
            {
                length += 3;
            }
            Some((c, length))
        }
        _ => None,
    }
}

fn file_at(word: &[u8], at: usize) -> Option<File> {
    match word.get(at) {
        Some(byte @ b'a'..=b'h') => Some(File::new(u32::from(byte - b'a'))),
        _ => None,
    }
}

fn rank_at(word: &[u8], at: usize) -> Option<Rank> {
    match word.get(at) {
        Some(byte @ b'1'..=b'8') => Some(Rank::new(u32::from(byte - b'1'))),
        _ => None,
    }
}

fn square_at(word: &[u8], at: usize) -> Option<Square> {
    Some(Square::from_coords(
        file_at(word, at)?,
        rank_at(word, at + 1)?,
    ))
}

/// The length of a hyphen or a capture mark, and whether it is a capture mark.
fn separator_at(word: &[u8], at: usize) -> (usize, bool) {
    match word.get(at..).unwrap_or(&[]) {
        [b'x' | b'X' | b':', ..] => (1, true),
        [b'-', ..] => (1, false),
        [0xc3, 0x97, ..] => (2, true),
        [0xe2, 0x80, 0x90..=0x95, ..] | [0xe2, 0x88, 0x92, ..] => (3, false),
        _ => (0, false),
    }
}

/// Reads a move at the start of a word, and returns its length.
pub fn move_at(word: &[u8]) -> Option<(MoveText, usize)> {
    for null in [&b"--"[..], b"Z0", b"<>", b"null", b"@@@@", b"0000"] {
        if word.starts_with(null) && !word.starts_with(b"--+") {
            return Some((MoveText::Null, null.len()));
        }
    }
    if let Some(castle) = castle_at(word) {
        return Some(castle);
    }
    let (letter, start) = match letter_at(word) {
        Some((letter, length)) => (Some(letter), length),
        None => (None, 0),
    };
    piece_move_at(word, letter, start)
}

/// Reads a pawn capture with only the files, at the start of a word: `ed`, `exd`, `e:d`, `ed:`, `dc=Q`. Many ordinary
/// words begin like this, so a move must be expected there.
pub fn short_capture_at(word: &[u8]) -> Option<(MoveText, usize)> {
    let from = file_at(word, 0)?;
    let (sign, capture) = separator_at(word, 1);
    let at = 1 + sign;
    let to = file_at(word, at).filter(|to| from.distance(*to) == 1)?;
    if sign > 0 && !capture {
        return None;
    }
    let mut end = at + 1;
    let mut promotion = None;
    if matches!(word.get(end), Some(b'=' | b'/' | b'A'..=b'Z' | 0x80..)) {
        (promotion, end) = promotion_at(word, end);
    }
    Some((
        MoveText::ShortCapture {
            from,
            to,
            promotion,
        },
        end,
    ))
}

fn castle_at(word: &[u8]) -> Option<(MoveText, usize)> {
    let is_o = |at: usize| matches!(word.get(at), Some(b'O' | b'0' | b'o'));
    if !is_o(0) {
        return None;
    }
    let dash = |at: usize| match word.get(at..) {
        Some([b'-', ..]) => 1,
        Some([0xe2, 0x80, 0x90..=0x95, ..] | [0xe2, 0x88, 0x92, ..]) => 3,
        _ => 0,
    };
    let (mut end, mut steps, mut dashes) = (1, 0, 0);
    while steps < 2 {
        let dash = dash(end);
        if !is_o(end + dash) {
            break;
        }
        end += dash + 1;
        steps += 1;
        dashes += usize::from(dash > 0);
    }
    // Without a hyphen, zeros and lower-case letters could mean too many other things.
    let capital = word.get(..end)?.iter().all(|&byte| byte == b'O');
    match steps {
        1 if dashes > 0 || capital => Some((MoveText::Castle(CastlingSide::KingSide), end)),
        2 if dashes > 0 || capital => Some((MoveText::Castle(CastlingSide::QueenSide), end)),
        _ => None,
    }
}

/// The move in a whole word, in forms that parts of other words may resemble: numeric squares, as in correspondence
/// chess (`5254` for e2e4, `77814` with the promotion piece: queen, rook, bishop, knight), `0000`, and castling without
/// hyphens.
pub fn whole_move(word: &[u8]) -> Option<MoveText> {
    let digit = |at: usize| Some(u32::from(word.get(at)?.checked_sub(b'1')?)).filter(|n| *n < 8);
    let promotion = match word {
        b"0000" => return Some(MoveText::Null),
        b"00" | b"oo" => return Some(MoveText::Castle(CastlingSide::KingSide)),
        b"000" | b"ooo" => return Some(MoveText::Castle(CastlingSide::QueenSide)),
        [_, _, _, _] => None,
        [_, _, _, _, b'1'] => Some('Q'),
        [_, _, _, _, b'2'] => Some('R'),
        [_, _, _, _, b'3'] => Some('B'),
        [_, _, _, _, b'4'] => Some('N'),
        _ => return None,
    };
    let square = |at: usize| Some((File::new(digit(at)?), Rank::new(digit(at + 1)?)));
    let ((file, rank), (to_file, to_rank)) = (square(0)?, square(2)?);
    Some(MoveText::Piece {
        letter: None,
        file: Some(file),
        rank: Some(rank),
        to: Square::from_coords(to_file, to_rank),
        capture: false,
        promotion,
    })
}

fn piece_move_at(word: &[u8], letter: Option<char>, start: usize) -> Option<(MoveText, usize)> {
    let mut at = start;
    // The starting square, whole, in part or not at all: the longest form is tried first.
    let mut found = None;
    let (one, two) = (file_at(word, at), rank_at(word, at));
    let attempts = [
        (one, rank_at(word, at + 1), 2),
        (one, None, 1),
        (None, two, 1),
        (None, None, 0),
    ];
    for (index, (file, rank, length)) in attempts.into_iter().enumerate() {
        let there = match index {
            0 => file.is_some() && rank.is_some(),
            1 => file.is_some(),
            2 => rank.is_some(),
            _ => true,
        };
        if !there {
            continue;
        }
        let (dash, capture) = separator_at(word, at + length);
        // A hyphen without a square before it belongs to something else.
        if dash > 0 && length == 0 && letter.is_none() {
            continue;
        }
        if let Some(to) = square_at(word, at + length + dash) {
            found = Some((file, rank, to, capture, at + length + dash + 2));
            break;
        }
    }
    let (file, rank, to, capture, end) = found?;
    at = end;
    let mut promotion = None;
    if letter.is_none_or(is_pawn_letter) && matches!(to.rank(), Rank::First | Rank::Eighth) {
        (promotion, at) = promotion_at(word, at);
    }
    let told = MoveText::Piece {
        letter,
        file,
        rank,
        to,
        capture,
        promotion,
    };
    Some((told, at))
}

fn is_pawn_letter(letter: char) -> bool {
    matches!(letter, 'P' | '\u{2659}' | '\u{265f}')
}

/// Reads a promotion: `=Q`, `Q`, `/Q`, `q`; in parentheses only if they are part of the word.
fn promotion_at(word: &[u8], at: usize) -> (Option<char>, usize) {
    let rest = word.get(at..).unwrap_or(&[]);
    let lead = usize::from(matches!(rest.first(), Some(b'=' | b'/')));
    let tail = rest.get(lead..).unwrap_or(&[]);
    if let Some((letter, length)) = letter_at(tail) {
        return (Some(letter), at + lead + length);
    }
    match tail.first() {
        // Elsewhere the bishop's lower-case letter is a file, but not here.
        Some(b'b') if !matches!(tail.get(1), Some(b'1'..=b'8')) => (Some('B'), at + lead + 1),
        _ if lead > 0 && tail.is_empty() && rest.first() == Some(&b'=') => (None, at + 1),
        _ => (None, at),
    }
}

/// The role of an English letter or a figurine.
fn english_role(letter: char) -> Option<Role> {
    Some(match letter {
        'P' | '\u{2659}' | '\u{265f}' => Role::Pawn,
        'N' | '\u{2658}' | '\u{265e}' => Role::Knight,
        'B' | '\u{2657}' | '\u{265d}' => Role::Bishop,
        'R' | '\u{2656}' | '\u{265c}' => Role::Rook,
        'Q' | '\u{2655}' | '\u{265b}' => Role::Queen,
        'K' | '\u{2654}' | '\u{265a}' => Role::King,
        _ => return None,
    })
}

/// The role of a letter in the requested language, or in English.
pub fn role_of(letter: char, letters: &[char]) -> Option<Role> {
    const ROLES: [Role; 6] = [
        Role::King,
        Role::Queen,
        Role::Rook,
        Role::Bishop,
        Role::Knight,
        Role::Pawn,
    ];
    let figure = !letter.is_alphabetic();
    // The last letter counts: if king and knight share the first, the second letter of the king distinguishes them.
    let known =
        letters
            .iter()
            .zip(ROLES)
            .filter(|_| !figure)
            .fold(
                None,
                |found, (&known, role)| {
                    if known == letter { Some(role) } else { found }
                },
            );
    known.or_else(|| english_role(letter))
}

/// The meaning of a move in a position.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum MoveInterpretation {
    /// A legal move, including the null move.
    Legal(Move),
    /// It is illegal, for the given reason.
    Illegal(Move, &'static str),
    /// Several moves match.
    Several,
    /// A pawn reaches the last rank without a promotion piece.
    Promotes(San),
    /// Not a move, for the given reason.
    None(&'static str),
    /// The letter is not a piece letter in any known language.
    Foreign(char),
}

/// Finds the move for a text.
pub fn find(board: &Board, told: MoveText, letters: &[char]) -> MoveInterpretation {
    let (letter, file, rank, to, capture, promotion) = match told {
        MoveText::Null => return MoveInterpretation::Legal(Move::NULL),
        MoveText::Castle(side) => return find_castle(board, side),
        MoveText::ShortCapture { promotion, .. } => {
            return match promotion.filter(|letter| role_of(*letter, letters).is_none()) {
                Some(letter) => MoveInterpretation::Foreign(letter),
                None => find_short_capture(board, told, letters),
            };
        }
        MoveText::Piece {
            letter,
            file,
            rank,
            to,
            capture,
            promotion,
        } => (letter, file, rank, to, capture, promotion),
    };
    let role = match letter {
        None => Role::Pawn,
        Some(letter) => match role_of(letter, letters) {
            Some(role) => role,
            None => return MoveInterpretation::Foreign(letter),
        },
    };
    let promotion = match promotion {
        None => None,
        Some(letter) => match role_of(letter, letters) {
            Some(Role::King | Role::Pawn) => {
                return MoveInterpretation::None(
                    "a pawn promotes to a queen, rook, bishop or knight",
                );
            }
            Some(role) => Some(role),
            None => return MoveInterpretation::Foreign(letter),
        },
    };
    let mut san = San::new(role, to);
    (san.from_file, san.from_rank) = (file, rank);
    (san.capture, san.promotion) = (capture, promotion);
    match board.resolve_san(&san) {
        Ok(m) => return MoveInterpretation::Legal(m),
        Err(SanError::Illegal(m)) => {
            return MoveInterpretation::Illegal(m, "leaves its own king in check");
        }
        Err(SanError::Ambiguous(_)) => return MoveInterpretation::Several,
        Err(SanError::NoSuchMove) => {}
    }
    if let (Some(file), Some(rank)) = (file, rank) {
        let from = Square::from_coords(file, rank);
        let same_piece = letter.is_none() || board.role_at(from) == Some(role);
        if same_piece && let Some(m) = board.find_move(from, to, promotion) {
            return if board.is_legal(m) {
                MoveInterpretation::Legal(m)
            } else {
                MoveInterpretation::Illegal(m, "is illegal")
            };
        }
        // Engines castle by moving the king; a missing right is no reason to lose the move.
        let by_king = board.role_at(from) == Some(Role::King) && file == File::E;
        if by_king && letter.is_none_or(|_| role == Role::King) && from.rank() == to.rank() {
            // In Chess960 the king takes its own rook.
            let is_rook = board.us().contains(to) && board.role_at(to) == Some(Role::Rook);
            match to.file() {
                File::G => return find_castle(board, CastlingSide::KingSide),
                File::C => return find_castle(board, CastlingSide::QueenSide),
                File::H if is_rook => return find_castle(board, CastlingSide::KingSide),
                File::A if is_rook => return find_castle(board, CastlingSide::QueenSide),
                _ => {}
            }
        }
        if same_piece && promotion.is_none() && board.role_at(from) == Some(Role::Pawn) {
            return MoveInterpretation::Promotes(san);
        }
    }
    if role == Role::Pawn && promotion.is_none() && matches!(to.rank(), Rank::First | Rank::Eighth)
    {
        return MoveInterpretation::Promotes(san);
    }
    MoveInterpretation::None("no such move")
}

/// Why a typed text is not a legal move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MoveReadError {
    /// It is not a move.
    NoMove,
    /// It is illegal here, for the given reason.
    Illegal(String),
    /// Several moves match, which are listed.
    Ambiguous(String),
}

/// Reads one legal move that somebody typed, with or without a number before it and marks after it. The piece letters are those
/// given (see [`role_of`]) or the English ones; if these give no move, those of the other known languages are tried, if all of
/// them together give only one move.
pub fn read(board: &Board, text: &str, letters: &[char]) -> Result<Move, MoveReadError> {
    let plain: String = text.split_whitespace().collect();
    let numbered = plain.trim_start_matches(|c: char| c.is_ascii_digit());
    let word = match numbered.trim_start_matches(['.', '\u{2026}']) {
        // Digits without dots are not a move number: castling with zeros begins like that.
        rest if rest.len() < numbered.len() => rest,
        _ => plain.as_str(),
    };
    let spelt = lookalikes::plain(word.as_bytes());
    let lowered = lookalikes::lowered(&spelt);
    let written = move_at(&spelt)
        .map(|told| (told, &*spelt))
        .or_else(|| {
            lowered
                .as_deref()
                .and_then(|word| Some((move_at(word)?, word)))
        })
        .or_else(|| short_capture_at(&spelt).map(|told| (told, &*spelt)));
    let ((told, length), word) = written.ok_or(MoveReadError::NoMove)?;
    let word = std::str::from_utf8(word).map_err(|_| MoveReadError::NoMove)?;
    let (told, behind) = bracketed(told, word.get(length..).unwrap_or(""));
    let marks = [
        '+', '#', '!', '?', '\u{2020}', '\u{2021}', '=', '.', 'e', 'p',
    ];
    if !behind.trim_matches(marks).is_empty() {
        return Err(MoveReadError::NoMove);
    }
    let first = find(board, told, letters);
    match first {
        MoveInterpretation::Legal(m) => return Ok(m),
        MoveInterpretation::Several => {
            let choices = candidates(board, told, letters);
            return Err(MoveReadError::Ambiguous(names(board, &choices)));
        }
        MoveInterpretation::Promotes(_) => {
            return Err(MoveReadError::Ambiguous(format!(
                "{word}=Q, {word}=R, {word}=B or {word}=N"
            )));
        }
        MoveInterpretation::Illegal(..)
        | MoveInterpretation::None(_)
        | MoveInterpretation::Foreign(_) => {}
    }
    let mut found: Vec<Move> = Vec::new();
    for (_, letters) in languages::LANGUAGES {
        let letters: Vec<char> = letters.chars().collect();
        if let MoveInterpretation::Legal(m) = find(board, told, &letters)
            && !found.contains(&m)
        {
            found.push(m);
        }
    }
    match (found.as_slice(), first) {
        ([m], _) => Ok(*m),
        ([], MoveInterpretation::Illegal(_, why)) => {
            Err(MoveReadError::Illegal(format!("it {why}")))
        }
        ([], MoveInterpretation::None(why)) => Err(MoveReadError::Illegal(why.to_owned())),
        ([], MoveInterpretation::Foreign(letter)) => {
            let why = format!("{letter} is not the letter of a piece that could make this move");
            Err(MoveReadError::Illegal(why))
        }
        (moves, _) => Err(MoveReadError::Ambiguous(names(board, moves))),
    }
}

/// Adds a promotion in parentheses after a move to the move; also returns the rest of the text.
fn bracketed(told: MoveText, behind: &str) -> (MoveText, &str) {
    let inner = behind
        .strip_prefix('(')
        .map(|rest| rest.strip_prefix('=').unwrap_or(rest));
    if let Some(inner) = inner
        && let Some((letter, length)) = letter_at(inner.as_bytes())
        && let Some(rest) = inner.get(length..).and_then(|rest| rest.strip_prefix(')'))
        && let MoveText::Piece {
            letter: None,
            file,
            rank,
            to,
            capture,
            promotion: None,
        } = told
    {
        let promotion = Some(letter);
        let told = MoveText::Piece {
            letter: None,
            file,
            rank,
            to,
            capture,
            promotion,
        };
        return (told, rest);
    }
    (told, behind)
}

/// The legal moves that match the text, with any promotion piece if none is given.
pub fn candidates(board: &Board, told: MoveText, letters: &[char]) -> Vec<Move> {
    let role = |letter: Option<char>| letter.map(|letter| role_of(letter, letters));
    let mut moves = Vec::new();
    board.legal_moves(&mut moves);
    match told {
        MoveText::Null | MoveText::Castle(_) => moves.clear(),
        MoveText::Piece {
            letter,
            file,
            rank,
            to,
            promotion,
            ..
        } => {
            let (piece, becomes) = (role(letter).unwrap_or(Some(Role::Pawn)), role(promotion));
            moves.retain(|m| {
                Some(m.role()) == piece
                    && m.to() == to
                    && !m.is_castle()
                    && file.is_none_or(|file| m.from().file() == file)
                    && rank.is_none_or(|rank| m.from().rank() == rank)
                    && becomes.is_none_or(|becomes| m.promotion() == becomes)
            });
        }
        MoveText::ShortCapture {
            from,
            to,
            promotion,
        } => {
            let becomes = role(promotion);
            moves.retain(|m| {
                m.role() == Role::Pawn
                    && m.from().file() == from
                    && m.to().file() == to
                    && becomes.is_none_or(|becomes| m.promotion() == becomes)
            });
        }
    }
    moves
}

/// Moves by their notation, as in a sentence.
fn names(board: &Board, moves: &[Move]) -> String {
    let mut names: Vec<String> = moves
        .iter()
        .map(|&m| {
            let mut name = Vec::new();
            board.write_san(m, &mut name);
            String::from_utf8_lossy(&name).into_owned()
        })
        .collect();
    let last = names.pop().unwrap_or_default();
    if names.is_empty() {
        last
    } else {
        format!("{} or {last}", names.join(", "))
    }
}

/// A capture by a pawn on the next file.
fn find_short_capture(board: &Board, told: MoveText, letters: &[char]) -> MoveInterpretation {
    let moves = candidates(board, told, letters);
    let squares = |m: &Move| (m.from(), m.to());
    match moves.as_slice() {
        [] => MoveInterpretation::None("no pawn on that file can capture there"),
        [m] => MoveInterpretation::Legal(*m),
        [first, rest @ ..] if rest.iter().all(|m| squares(m) == squares(first)) => {
            // All of them are promotions.
            let mut san = San::new(Role::Pawn, first.to());
            (san.from_file, san.capture) = (Some(first.from().file()), true);
            MoveInterpretation::Promotes(san)
        }
        _ => MoveInterpretation::Several,
    }
}

/// Castling, even without the right to it, if king and rook are on their squares.
fn find_castle(board: &Board, side: CastlingSide) -> MoveInterpretation {
    match board.resolve_san(&San::castle(side)) {
        Ok(m) => return MoveInterpretation::Legal(m),
        Err(SanError::Illegal(m) | SanError::Ambiguous(m)) => {
            return MoveInterpretation::Illegal(m, "leads the king through check");
        }
        Err(SanError::NoSuchMove) => {}
    }
    let rank = match board.turn() {
        Color::White => Rank::First,
        Color::Black => Rank::Eighth,
    };
    let rook_file = match side {
        CastlingSide::KingSide => File::H,
        CastlingSide::QueenSide => File::A,
    };
    let king = Square::from_coords(File::E, rank);
    let rook = Square::from_coords(rook_file, rank);
    let ready = board.king_of(board.turn()) == Some(king)
        && board.us().contains(rook)
        && board.role_at(rook) == Some(Role::Rook);
    let free = (shakmaty::attacks::between(king, rook) & board.occupied()).is_empty();
    if ready && free {
        MoveInterpretation::Illegal(
            Move::castle(king, rook),
            "needs castling rights that are lost",
        )
    } else {
        MoveInterpretation::None("castling is not possible")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_in(fen: &str, text: &str) -> Result<String, MoveReadError> {
        let (board, _) = Board::from_fen(fen).expect("a position");
        let m = read(&board, text, &[])?;
        let mut name = Vec::new();
        board.write_san(m, &mut name);
        Ok(String::from_utf8_lossy(&name).into_owned())
    }

    #[test]
    fn moves_are_read_as_people_type_them() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        for text in [
            "Nf3",
            "nf3",
            "Sf3",
            "Cf3",
            "1. Nf3!",
            "g1f3",
            "g1-f3",
            "Ng1-f3",
            "\u{2658}f3",
            "\u{41a}f3",
            "1...Nf3+",
            "g1 f3",
        ] {
            assert_eq!(read_in(start, text).as_deref(), Ok("Nf3"), "{text}");
        }
        assert_eq!(read_in(start, "--").as_deref(), Ok("--"));
        assert_eq!(read_in(start, "hello"), Err(MoveReadError::NoMove));
        assert_eq!(read_in(start, "e4x"), Err(MoveReadError::NoMove));
        assert_eq!(read_in(start, ""), Err(MoveReadError::NoMove));
        assert!(matches!(
            read_in(start, "e5"),
            Err(MoveReadError::Illegal(_))
        ));
        let castling = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
        for text in ["O-O", "0-0", "e1g1", "e1h1", "OO", "o-o"] {
            assert_eq!(read_in(castling, text).as_deref(), Ok("O-O"), "{text}");
        }
        let promotion = "8/P6k/8/8/8/8/8/K7 w - - 0 1";
        for text in ["a8=D", "a8D", "a8Q", "a8(Q)", "a7a8q", "a8=Q+"] {
            assert_eq!(read_in(promotion, text).as_deref(), Ok("a8=Q"), "{text}");
        }
        assert!(matches!(
            read_in(promotion, "a8"),
            Err(MoveReadError::Ambiguous(_))
        ));
        let knights = "4k3/8/8/8/8/8/8/1N2KN2 w - - 0 1";
        assert_eq!(
            read_in(knights, "Nd2"),
            Err(MoveReadError::Ambiguous("Nbd2 or Nfd2".to_owned()))
        );
        // A rook in English, a king in French: English comes first, but if the rook has no such move, the king is taken.
        assert_eq!(
            read_in("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "Rd2").as_deref(),
            Ok("Kd2")
        );
        assert_eq!(
            read_in("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "Rd1").as_deref(),
            Ok("Rd1")
        );
    }
}
