//! TCN: the moves of a game in chess.com's encoding, two characters per move.
//!
//! The first 64 characters are the squares from a1 to h8. If the second character of a move is beyond them, it is a
//! promotion: to queen, knight, rook or bishop, with three characters each, for a pawn that captures to the left, moves
//! straight ahead or captures to the right. If the first character is beyond them, it is a piece that is dropped on the
//! board.

use shakmaty::{Role, Square};

/// The characters, in the order of their values.
const SIGNS: &[u8] =
    b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!?{~}(^)[_]@#$,./&-*++=";

/// The promotion piece, by the group of the character.
const PROMOTIONS: [(Role, char); 6] = [
    (Role::Queen, 'q'),
    (Role::Knight, 'n'),
    (Role::Rook, 'r'),
    (Role::Bishop, 'b'),
    (Role::King, 'k'),
    (Role::Pawn, 'p'),
];

/// The value of the first piece that can be dropped.
const FIRST_DROP: usize = 79;

/// One move of TCN.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TcnMove {
    /// From a square to another.
    Board {
        from: Square,
        to: Square,
        promotion: Option<Role>,
    },
    /// A piece is dropped on a square.
    Drop { role: char, to: Square },
    /// Two invalid characters.
    Unknown([char; 2]),
}

impl std::fmt::Display for TcnMove {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            TcnMove::Board {
                from,
                to,
                promotion,
            } => {
                write!(f, "{from}{to}")?;
                match promotion {
                    Some(role) => write!(f, "{}", role.char()),
                    None => Ok(()),
                }
            }
            TcnMove::Drop { role, to } => write!(f, "{}@{to}", role.to_ascii_uppercase()),
            TcnMove::Unknown([first, second]) => write!(f, "{first}{second}"),
        }
    }
}

fn value(sign: char) -> Option<usize> {
    SIGNS.iter().position(|known| char::from(*known) == sign)
}

fn square(value: usize) -> Option<Square> {
    Square::try_from(u8::try_from(value).ok()?).ok()
}

/// The moves of a text.
pub(crate) fn moves(text: &str) -> Vec<TcnMove> {
    let signs: Vec<char> = text.chars().collect();
    signs
        .chunks(2)
        .map(|pair| {
            let first = pair.first().copied().unwrap_or(' ');
            let second = pair.get(1).copied().unwrap_or(' ');
            one(first, second).unwrap_or(TcnMove::Unknown([first, second]))
        })
        .collect()
}

fn one(first: char, second: char) -> Option<TcnMove> {
    let from = value(first)?;
    let to = value(second)?;
    if from >= FIRST_DROP {
        let (_, role) = PROMOTIONS.get(from - FIRST_DROP)?;
        return Some(TcnMove::Drop {
            role: *role,
            to: square(to)?,
        });
    }
    let origin = square(from)?;
    if to < 64 {
        return Some(TcnMove::Board {
            from: origin,
            to: square(to)?,
            promotion: None,
        });
    }
    let (role, _) = PROMOTIONS.get((to - 64) / 3)?;
    // A pawn on the second rank moves down, one on the seventh up; 0 is to the left, 1 straight ahead, 2 to the right.
    let ahead = if from < 16 {
        from.checked_sub(8)?
    } else {
        from + 8
    };
    let target = (ahead + (to - 64) % 3).checked_sub(1)?;
    Some(TcnMove::Board {
        from: origin,
        to: square(target)?,
        promotion: Some(*role),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        moves(text).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn moves_promotions_and_drops_are_told() {
        assert_eq!(words("mC0Kgv"), ["e2e4", "e7e5", "g1f3"]);
        assert_eq!(words("aa"), ["a1a1"]);
        // From e7: to d8, e8 and f8 as a queen, and to e8 as a knight.
        assert_eq!(words("0{0~0}0^"), ["e7d8q", "e7e8q", "e7f8q", "e7e8n"]);
        // From e2 down.
        assert_eq!(words("m~"), ["e2e1q"]);
        assert_eq!(words("&C"), ["Q@e4"]);
        assert_eq!(words("mCé"), ["e2e4", "é "]);
    }
}
