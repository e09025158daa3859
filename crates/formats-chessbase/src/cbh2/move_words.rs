//! The numbers of moves: every move that any piece can make on an empty board, with every piece that it can take and become,
//! has a number of its own.

use std::sync::LazyLock;

use shakmaty::{Color, Role};

/// A null move.
pub const NULL: u16 = 0xfffa;
/// A start position follows.
pub const START: u16 = 0xfffb;
/// The moves follow.
pub const MOVES: u16 = 0xfffc;
/// The move just given has another alternative, which is stored later.
pub const BRANCH: u16 = 0xfffd;
/// A line ends.
pub const END: u16 = 0xffff;
/// The first number of a piece on a square, in start positions.
pub const PIECES: u16 = 0xc02d;

/// The meaning of the number of a move.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Cbh2MoveWord {
    /// An ordinary move.
    Normal {
        /// The side that moves.
        color: Color,
        /// The moving piece.
        role: Role,
        /// The starting square, a1 = 0, b1 = 1.
        from: u8,
        /// The target square.
        to: u8,
        /// The captured piece.
        captured: Option<Role>,
        /// The promotion piece.
        promotion: Option<Role>,
    },
    /// An en passant capture.
    EnPassant {
        /// The side that moves.
        color: Color,
        /// The starting square.
        from: u8,
        /// The target square.
        to: u8,
    },
    /// Castling. The number names a start position of Chess960 as well, which says nothing that the game does not say.
    Castle {
        /// The side that castles.
        color: Color,
        /// Whether to the king's side.
        short: bool,
    },
}

/// The start positions of Chess960.
const STARTS: usize = 960;

/// The moves by their numbers; number 0 is none.
static WORDS: LazyLock<Vec<Option<Cbh2MoveWord>>> = LazyLock::new(all);

/// The move of a number.
#[inline]
pub fn meaning(word: u16) -> Option<Cbh2MoveWord> {
    WORDS.get(usize::from(word)).copied().flatten()
}

/// The first number of castling: White to the queen's side, then to the king's, then Black.
const CASTLES: u16 = 0xb129;
/// The first number of castling in Chess960, which has four for each start position.
const CASTLES960: u16 = 0xb12d;
/// So many numbers at most do a piece's moves from square to square have, by what it takes and becomes.
const ALIKE: u16 = 16;

/// The first number of the moves of a piece from square to square, 0 for none: those of one way follow each other.
static FIRST: LazyLock<Vec<u16>> = LazyLock::new(|| {
    let mut first = vec![0; 2 << 15];
    for (word, meaning) in (0_u32..).zip(WORDS.iter()) {
        let (Some(meaning), Ok(word)) = (meaning, u16::try_from(word)) else {
            continue;
        };
        let slot = way_of(meaning).and_then(|way| first.get_mut(way));
        if let Some(slot) = slot.filter(|slot| **slot == 0) {
            *slot = word;
        }
    }
    first
});

/// The place of a way in the list of the first numbers.
#[inline]
fn way_of(word: &Cbh2MoveWord) -> Option<usize> {
    let (color, role, from, to) = match *word {
        Cbh2MoveWord::Normal {
            color,
            role,
            from,
            to,
            ..
        } => (color, role, from, to),
        Cbh2MoveWord::EnPassant { color, from, to } => (color, Role::Pawn, from, to),
        Cbh2MoveWord::Castle { .. } => return None,
    };
    let piece = role as usize | usize::from(color.is_black()) << 3;
    Some(piece << 12 | usize::from(from & 63) << 6 | usize::from(to & 63))
}

/// The number of a move; castling in Chess960 has those of its start position.
#[inline]
pub(super) fn number(word: &Cbh2MoveWord, start: Option<u16>) -> Option<u16> {
    if let Cbh2MoveWord::Castle { color, short } = *word {
        let first = match start {
            Some(start) => CASTLES960.checked_add(start.checked_mul(4)?)?,
            None => CASTLES,
        };
        return Some(first + 2 * u16::from(color.is_black()) + u16::from(short));
    }
    let first = FIRST.get(way_of(word)?).copied()?;
    let all = first..first.saturating_add(ALIKE);
    all.into_iter()
        .find(|number| first != 0 && meaning(*number).as_ref() == Some(word))
}

/// Pieces by their places in numbers of start positions.
pub(super) const ROLES: [Role; 5] = [
    Role::King,
    Role::Queen,
    Role::Knight,
    Role::Bishop,
    Role::Rook,
];

/// What can be taken, in the order of the numbers.
const TAKEN: [Role; 5] = [
    Role::Queen,
    Role::Knight,
    Role::Bishop,
    Role::Rook,
    Role::Pawn,
];
/// What a pawn can become, in the order of the numbers.
const PROMOTED: [Role; 4] = [Role::Queen, Role::Knight, Role::Bishop, Role::Rook];

type Steps = &'static [(i32, i32)];

const KING: Steps = &[
    (-1, -1),
    (-1, 0),
    (-1, 1),
    (0, -1),
    (0, 1),
    (1, -1),
    (1, 0),
    (1, 1),
];
const KNIGHT: Steps = &[
    (-2, -1),
    (-2, 1),
    (2, -1),
    (2, 1),
    (-1, -2),
    (-1, 2),
    (1, -2),
    (1, 2),
];
const BISHOP: Steps = &[(-1, -1), (1, -1), (1, 1), (-1, 1)];
const ROOK: Steps = &[(-1, 0), (0, -1), (1, 0), (0, 1)];
const QUEEN: Steps = &[
    (-1, -1),
    (1, -1),
    (1, 1),
    (-1, 1),
    (-1, 0),
    (0, -1),
    (1, 0),
    (0, 1),
];

/// A square by file and rank, where they are on the board.
fn square(file: i32, rank: i32) -> Option<u8> {
    let is_inside = (0..8).contains(&file) && (0..8).contains(&rank);
    is_inside.then(|| u8::try_from(rank * 8 + file).unwrap_or(0))
}

fn all() -> Vec<Option<Cbh2MoveWord>> {
    let mut words = vec![None];
    for color in [Color::White, Color::Black] {
        for role in ROLES {
            pieces(color, role, &mut words);
        }
    }
    for color in [Color::White, Color::Black] {
        pawns(color, &mut words);
    }
    for _ in 0..=STARTS {
        for (color, short) in [
            (Color::White, false),
            (Color::White, true),
            (Color::Black, false),
            (Color::Black, true),
        ] {
            words.push(Some(Cbh2MoveWord::Castle { color, short }));
        }
    }
    words
}

/// Numbers the moves of a side's pieces of one kind.
fn pieces(color: Color, role: Role, words: &mut Vec<Option<Cbh2MoveWord>>) {
    let (steps, most) = match role {
        Role::King => (KING, 1),
        Role::Queen => (QUEEN, 7),
        Role::Knight => (KNIGHT, 1),
        Role::Bishop => (BISHOP, 7),
        Role::Rook | Role::Pawn => (ROOK, 7),
    };
    for (file, rank) in (0..8).flat_map(|file| (0..8).map(move |rank| (file, rank))) {
        let Some(from) = square(file, rank) else {
            continue;
        };
        for (files, ranks) in steps {
            for length in 1..=most {
                let Some(to) = square(file + files * length, rank + ranks * length) else {
                    break;
                };
                for captured in std::iter::once(None).chain(TAKEN.map(Some)) {
                    words.push(Some(Cbh2MoveWord::Normal {
                        color,
                        role,
                        from,
                        to,
                        captured,
                        promotion: None,
                    }));
                }
            }
        }
    }
}

/// Numbers the moves of a side's pawns.
fn pawns(color: Color, words: &mut Vec<Option<Cbh2MoveWord>>) {
    // Ranks count from 0.
    let (step, second, seventh, passing) = match color {
        Color::White => (1, 1, 6, 4),
        Color::Black => (-1, 6, 1, 3),
    };
    let pawn = |from, to, captured, promotion| {
        Some(Cbh2MoveWord::Normal {
            color,
            role: Role::Pawn,
            from,
            to,
            captured,
            promotion,
        })
    };
    for (file, rank) in (0..8).flat_map(|file| (1..7).map(move |rank| (file, rank))) {
        let Some(from) = square(file, rank) else {
            continue;
        };
        if rank == second
            && let Some(to) = square(file, rank + 2 * step)
        {
            words.push(pawn(from, to, None, None));
        }
        if let Some(to) = square(file, rank + step) {
            if rank == seventh {
                words.extend(PROMOTED.map(|promoted| pawn(from, to, None, Some(promoted))));
            } else {
                words.push(pawn(from, to, None, None));
            }
        }
        for side in [-1, 1] {
            let Some(to) = square(file + side, rank + step) else {
                continue;
            };
            if rank == seventh {
                // Nobody takes a pawn on the last rank.
                for captured in PROMOTED {
                    let each = |promoted| pawn(from, to, Some(captured), Some(promoted));
                    words.extend(PROMOTED.map(each));
                }
                continue;
            }
            words.extend(TAKEN.map(|captured| pawn(from, to, Some(captured), None)));
            if rank == passing {
                words.push(Some(Cbh2MoveWord::EnPassant { color, from, to }));
            }
        }
    }
}

/// A piece on a square, in start positions.
pub fn piece_on(word: u16) -> Option<(Color, Role, u8)> {
    let number = word.checked_sub(PIECES)?;
    // Squares count by files.
    let by_files = |number: u16| square(i32::from(number >> 3), i32::from(number & 7));
    if number < 640 {
        let color = Color::from_white(number < 320);
        let role = ROLES.get(usize::from(number % 320 / 64))?;
        return Some((color, *role, by_files(number % 64)?));
    }
    let number = number - 640;
    let color = Color::from_white(number < 48);
    let place = number % 48;
    let on = square(i32::from(place / 6), i32::from(place % 6) + 1)?;
    (number < 96).then_some((color, Role::Pawn, on))
}

/// The number of a piece on a square, in start positions; pawns have none on the first and the last rank.
pub(super) fn number_of_piece(color: Color, role: Role, on: u8) -> Option<u16> {
    let (file, rank) = (u16::from(on & 7), u16::from(on >> 3 & 7));
    let black = u16::from(color.is_black());
    match ROLES.iter().zip(0..).find(|(own, _)| **own == role) {
        Some((_, place)) => Some(PIECES + 320 * black + 64 * place + 8 * file + rank),
        None => {
            let rank = rank.checked_sub(1).filter(|rank| *rank < 6)?;
            Some(PIECES + 640 + 48 * black + 6 * file + rank)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square by its name.
    fn at(name: &str) -> u8 {
        let [file, rank] = <[u8; 2]>::try_from(name.as_bytes()).expect("a name");
        (rank - b'1') * 8 + file - b'a'
    }

    fn normal(
        color: Color,
        role: Role,
        squares: [&str; 2],
        captured: Option<Role>,
        promotion: Option<Role>,
    ) -> Option<Cbh2MoveWord> {
        Some(Cbh2MoveWord::Normal {
            color,
            role,
            from: at(squares[0]),
            to: at(squares[1]),
            captured,
            promotion,
        })
    }

    #[test]
    fn blocks_begin_where_the_description_says() {
        use Color::{Black, White};
        use Role::{Bishop, King, Knight, Pawn, Queen, Rook};
        let blocks = [
            (0x0001, White, King),
            (0x09d9, White, Queen),
            (0x2bf9, White, Knight),
            (0x33d9, White, Bishop),
            (0x40f9, White, Rook),
            (0x55f9, Black, King),
            (0x5fd1, Black, Queen),
            (0x81f1, Black, Knight),
            (0x89d1, Black, Bishop),
            (0x96f1, Black, Rook),
            (0xabf1, White, Pawn),
            (0xae8d, Black, Pawn),
        ];
        for (first, color, role) in blocks {
            let of = |word| match meaning(word) {
                Some(Cbh2MoveWord::Normal { color, role, .. }) => Some((color, role)),
                _ => None,
            };
            assert_eq!(of(first), Some((color, role)), "{first:04x}");
            assert_ne!(of(first - 1), Some((color, role)), "{first:04x}");
        }
        assert!(matches!(meaning(0xb128), Some(Cbh2MoveWord::Normal { .. })));
        let castle = |color, short| Some(Cbh2MoveWord::Castle { color, short });
        assert_eq!(meaning(0xb129), castle(White, false));
        assert_eq!(meaning(0xb12c), castle(Black, true));
        assert_eq!(meaning(0xb12d), castle(White, false));
        assert_eq!(meaning(0xc02c), castle(Black, true));
        assert_eq!(meaning(0xc02d).or(meaning(0)).or(meaning(END)), None);
    }

    #[test]
    fn single_moves_have_the_numbers_of_the_description() {
        use Color::{Black, White};
        use Role::{King, Knight, Pawn, Rook};
        let found = [
            (0x0001, normal(White, King, ["a1", "a2"], None, None)),
            (0x0007, normal(White, King, ["a1", "b1"], None, None)),
            (0xad3f, normal(White, Pawn, ["e2", "e4"], None, None)),
            (0xb02d, normal(Black, Pawn, ["e7", "e5"], None, None)),
            (0x325f, normal(White, Knight, ["g1", "f3"], None, None)),
            (0xabcc, normal(Black, Rook, ["h8", "h7"], Some(Pawn), None)),
            (
                0xae8c,
                normal(White, Pawn, ["h7", "g8"], Some(Rook), Some(Rook)),
            ),
            (0xb0f8, normal(Black, Pawn, ["h2", "h1"], None, Some(Rook))),
        ];
        for (word, expected) in found {
            assert_eq!(meaning(word), expected, "{word:04x}");
        }
    }

    #[test]
    fn every_number_is_found_again() {
        for word in 1..CASTLES960 {
            let found = meaning(word).and_then(|meaning| number(&meaning, None));
            assert_eq!(found, Some(word), "{word:04x}");
        }
        let castle = meaning(0xc02c).expect("castling");
        assert_eq!(number(&castle, Some(959)), Some(0xc02c));
        for word in PIECES..=0xc30c {
            let (color, role, on) = piece_on(word).expect("a piece");
            assert_eq!(number_of_piece(color, role, on), Some(word));
        }
        assert_eq!(number_of_piece(Color::White, Role::Pawn, at("a8")), None);
    }

    #[test]
    fn every_piece_has_a_number_on_every_square_that_it_may_stand_on() {
        let mut seen = std::collections::BTreeSet::new();
        for word in PIECES..=0xc30c {
            let (color, role, on) = piece_on(word).expect("a piece");
            assert!(
                seen.insert((color.is_white(), role as u8, on)),
                "{word:04x}"
            );
            assert!(role != Role::Pawn || (8..56).contains(&on));
        }
        assert_eq!(seen.len(), 2 * (5 * 64 + 48));
        assert_eq!(
            piece_on(0xc02c).or(piece_on(0xc30d)).or(piece_on(END)),
            None
        );
        assert_eq!(piece_on(0xc02d), Some((Color::White, Role::King, at("a1"))));
        assert_eq!(piece_on(0xc30c), Some((Color::Black, Role::Pawn, at("h7"))));
    }
}
