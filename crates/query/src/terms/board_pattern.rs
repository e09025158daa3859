//! Boards with wildcards.
//!
//! A pattern is written like the pieces of a FEN record, rank by rank from the top:
//!
//! ```text
//! K Q R B N P k q r b n p   that piece
//! A a                       any white piece, any black piece
//! *                         any piece
//! -                         no piece
//! . and 1 to 8              anything, on that many squares
//! !x                        not x
//! [RQ-]                     one of these
//! ```
//!
//! `w` or `b` after it sets the side to move. A pattern of fewer than eight ranks or files needs `shift`.

use shakmaty::Color;

use crate::language::error::QueryError;
use crate::terms::piece_squares::PieceSquares;

/// The kinds of pieces that may stand on a square, one bit each, and bit 12 for none.
type PieceMask = u16;

const EMPTY: PieceMask = 1 << 12;
const ANY: PieceMask = (1 << 13) - 1;
const WHITE: PieceMask = 0b11_1111;
const BLACK: PieceMask = WHITE << 6;
/// The bit of each piece.
const LETTERS: [u8; 12] = *b"PNBRQKpnbrqk";

/// Ways in which a pattern may be transformed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PatternFreedom {
    /// The left and right side may be exchanged.
    pub mirror: bool,
    /// The colours may be exchanged, the board turned with them.
    pub flip: bool,
    /// The pattern may be anywhere on the board.
    pub shift: bool,
}

/// One way in which the pattern can stand.
#[derive(Clone, PartialEq, Eq, Debug)]
struct PatternPlacement {
    /// Where pieces may be: the given kinds cover these squares.
    groups: Vec<(PieceMask, u64)>,
    turn: Option<Color>,
}

/// A board with wildcards.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoardPattern {
    stands: Vec<PatternPlacement>,
}

/// The squares as they are read: ranks from the top, each with its files.
struct PatternGrid {
    ranks: Vec<Vec<PieceMask>>,
    turn: Option<Color>,
}

impl BoardPattern {
    /// Reads a pattern; errors count from the start of `text`.
    pub fn parse(text: &str, freedom: PatternFreedom) -> Result<BoardPattern, QueryError> {
        let mut grid = parse_grid(text)?;
        let height = grid.ranks.len();
        let width = grid.ranks.iter().map(Vec::len).max().unwrap_or(0);
        let fits = height == 8 && grid.ranks.iter().all(|rank| rank.len() == 8);
        if !freedom.shift && !fits {
            return Err(QueryError::new(0..text.len().max(1), "the pattern is not a whole board of eight ranks of eight squares")
                .help("complete it with `.` or digits for anything, or allow any place with `pattern[shift]:`"));
        }
        if freedom.shift {
            trim(&mut grid);
        }
        for rank in &mut grid.ranks {
            rank.resize(width.min(8).max(rank.len()), ANY);
        }
        let mut stands: Vec<PatternPlacement> = Vec::new();
        for flip in [false, true] {
            for mirror in [false, true] {
                if (flip && !freedom.flip) || (mirror && !freedom.mirror) {
                    continue;
                }
                grid.place(flip, mirror, freedom.shift, &mut stands);
            }
        }
        Ok(BoardPattern { stands })
    }

    /// The squares that matter.
    pub(crate) fn squares(&self) -> u64 {
        let groups = self.stands.iter().flat_map(|stand| &stand.groups);
        groups.fold(0, |all, (_, squares)| all | squares)
    }

    /// Whether the side to move matters.
    pub(crate) fn asks_for_turn(&self) -> bool {
        self.stands.iter().any(|stand| stand.turn.is_some())
    }

    /// Whether the pieces fit in any way.
    #[inline]
    pub(crate) fn matches(&self, pieces: &PieceSquares, sides: [u64; 2], turn: Color) -> bool {
        let occupied = sides[0] | sides[1];
        self.stands.iter().any(|stand| {
            stand.turn.is_none_or(|wanted| wanted == turn)
                && stand.groups.iter().all(|(allowed, squares)| {
                    let mut covered = if allowed & EMPTY == 0 { 0 } else { !occupied };
                    let mut kinds = allowed & !EMPTY;
                    while kinds != 0 {
                        covered |= pieces[kinds.trailing_zeros() as usize % 12];
                        kinds &= kinds - 1;
                    }
                    squares & !covered == 0
                })
        })
    }
}

/// Takes ranks and files that allow anything away from the edges.
fn trim(grid: &mut PatternGrid) {
    let free = |rank: &Vec<PieceMask>| rank.iter().all(|allowed| *allowed == ANY);
    while grid.ranks.len() > 1 && grid.ranks.last().is_some_and(free) {
        grid.ranks.pop();
    }
    while grid.ranks.len() > 1 && grid.ranks.first().is_some_and(free) {
        grid.ranks.remove(0);
    }
    for rank in &mut grid.ranks {
        while rank.len() > 1 && rank.last() == Some(&ANY) {
            rank.pop();
        }
    }
    while grid
        .ranks
        .iter()
        .all(|rank| rank.first() == Some(&ANY) && rank.len() > 1)
    {
        for rank in &mut grid.ranks {
            rank.remove(0);
        }
    }
}

impl PatternGrid {
    /// Adds every way to stand with these exchanges.
    fn place(&self, flip: bool, mirror: bool, shift: bool, stands: &mut Vec<PatternPlacement>) {
        let height = self.ranks.len();
        let width = self.ranks.iter().map(Vec::len).max().unwrap_or(0);
        let spare = |size: usize| {
            if shift {
                8_usize.saturating_sub(size)
            } else {
                0
            }
        };
        for down in 0..=spare(height) {
            for right in 0..=spare(width) {
                let mut groups: Vec<(PieceMask, u64)> = Vec::new();
                for (rank, squares) in self.ranks.iter().enumerate() {
                    for (file, allowed) in squares.iter().enumerate() {
                        if *allowed == ANY {
                            continue;
                        }
                        let (mut y, mut x) = (7 - (rank + down).min(7), (file + right).min(7));
                        let mut allowed = *allowed;
                        if flip {
                            y = 7 - y;
                            allowed =
                                (allowed & WHITE) << 6 | (allowed & BLACK) >> 6 | allowed & EMPTY;
                        }
                        if mirror {
                            x = 7 - x;
                        }
                        let square = 1 << (y * 8 + x);
                        match groups.iter_mut().find(|(known, _)| *known == allowed) {
                            Some((_, set)) => *set |= square,
                            None => groups.push((allowed, square)),
                        }
                    }
                }
                // What few pieces can fulfil is asked first.
                groups
                    .sort_by_key(|(allowed, _)| (allowed & EMPTY, allowed.count_ones(), *allowed));
                let stand = PatternPlacement {
                    groups,
                    turn: self.turn.map(|turn| if flip { !turn } else { turn }),
                };
                if !stands.contains(&stand) {
                    stands.push(stand);
                }
            }
        }
    }
}

fn one(byte: u8) -> Option<PieceMask> {
    Some(match byte {
        b'A' => WHITE,
        b'a' => BLACK,
        b'*' => WHITE | BLACK,
        b'-' => EMPTY,
        b'.' => ANY,
        letter => 1 << LETTERS.iter().position(|l| *l == letter)?,
    })
}

fn parse_grid(text: &str) -> Result<PatternGrid, QueryError> {
    let help = "a square is a piece (KQRBNP, kqrbnp), `A` or `a` for any piece of a colour, `*` for any piece, `-` for none, `.` or a digit for anything, `!` for not, `[..]` for one of several";
    let mut ranks = vec![Vec::new()];
    let mut turn = None;
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut negate = false;
    while let Some(&byte) = bytes.get(at) {
        let bad = |what: &str| QueryError::new(at..at + 1, what).help(help);
        let mut end = at + 1;
        let rank_length = ranks.last().map_or(0, Vec::len);
        let squares: &[PieceMask] = match byte {
            b'!' if !negate => {
                negate = true;
                at = end;
                continue;
            }
            b'/' if !negate => {
                if ranks.len() == 8 {
                    return Err(bad("a board has eight ranks"));
                }
                ranks.push(Vec::new());
                at = end;
                continue;
            }
            b' ' if !negate => {
                turn = match text.get(end..).unwrap_or_default().trim() {
                    "" | "-" => None,
                    "w" => Some(Color::White),
                    "b" => Some(Color::Black),
                    _ => {
                        return Err(QueryError::new(
                            end..text.len(),
                            "the side to move is `w` or `b`",
                        ));
                    }
                };
                break;
            }
            b'1'..=b'8' if !negate => &[ANY; 8][..usize::from(byte - b'0')],
            b'[' => {
                let rest = text.get(end..).unwrap_or_default();
                let Some(length) = rest.find(']') else {
                    return Err(bad("the `]` is missing"));
                };
                let mut allowed = 0;
                for (index, inner) in rest.as_bytes().iter().take(length).enumerate() {
                    allowed |= one(*inner).ok_or_else(|| {
                        QueryError::new(end + index..end + index + 1, "this is not a piece")
                            .help(help)
                    })?;
                }
                if allowed == 0 {
                    return Err(bad("there is nothing between the brackets"));
                }
                end += length + 1;
                &[if negate { !allowed & ANY } else { allowed }]
            }
            byte => {
                let allowed = one(byte).ok_or_else(|| {
                    let width = text
                        .get(at..)
                        .and_then(|t| t.chars().next())
                        .map_or(1, char::len_utf8);
                    QueryError::new(at..at + width, "this does not describe a square").help(help)
                })?;
                &[if negate { !allowed & ANY } else { allowed }]
            }
        };
        if rank_length + squares.len() > 8 {
            return Err(bad("a rank has eight squares"));
        }
        if squares.contains(&0) {
            return Err(bad("no square can match this"));
        }
        if let Some(rank) = ranks.last_mut() {
            rank.extend_from_slice(squares);
        }
        negate = false;
        at = end;
    }
    if negate {
        return Err(QueryError::new(
            at.saturating_sub(1)..at.max(1),
            "a piece is missing after `!`",
        )
        .help(help));
    }
    Ok(PatternGrid { ranks, turn })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::position_view::{PieceArrangement, PositionView};
    use tabiya_model::Board;

    fn fits(pattern: &str, options: &str, fen: &str) -> bool {
        let freedom = PatternFreedom {
            mirror: options.contains('m'),
            flip: options.contains('f'),
            shift: options.contains('s'),
        };
        let board = Board::from_fen(fen).expect("fen").0;
        let standing = PieceArrangement::of(&board, false);
        let scene = PositionView::new(&board, &standing, 0, None);
        BoardPattern::parse(pattern, freedom)
            .expect(pattern)
            .matches(scene.pieces, *scene.sides, scene.turn)
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    const FIANCHETTO: &str = "6k1/8/8/8/8/6P1/5PBP/6K1 b - - 0 1";

    #[test]
    fn wildcards_fit() {
        for (pattern, options, fen, answer) in [
            ("8/8/8/8/8/8/8/8", "", START, true),
            (
                "aaaaaaaa/8/--------/8/8/8/AAAAAAAA/R......R",
                "",
                START,
                true,
            ),
            ("8/8/8/8/8/8/8/!R7", "", START, false),
            ("8/8/8/8/8/8/8/!N[RQ]6", "", START, false),
            ("8/8/8/8/8/8/8/[RQ][!N]6", "x", START, false),
            ("8/8/8/8/8/6P1/5PBP/6K1", "", FIANCHETTO, true),
            ("8/8/8/8/8/1P6/PBP5/1K6", "", FIANCHETTO, false),
            ("8/8/8/8/8/1P6/PBP5/1K6", "m", FIANCHETTO, true),
            ("6k1/5pbp/6p1/8/8/8/8/8", "f", FIANCHETTO, true),
            ("1k6/pbp5/1p6/8/8/8/8/8", "mf", FIANCHETTO, true),
            (".P/PB", "s", FIANCHETTO, true),
            ("P./BP", "s", FIANCHETTO, true),
            ("BB", "s", FIANCHETTO, false),
            ("8/8/8/8/8/6P1/5PBP/6K1 w", "", FIANCHETTO, false),
            ("8/8/8/8/8/6P1/5PBP/6K1 b", "", FIANCHETTO, true),
        ] {
            if options == "x" {
                assert!(BoardPattern::parse(pattern, PatternFreedom::default()).is_err());
            } else {
                assert_eq!(fits(pattern, options, fen), answer, "{pattern} {options}");
            }
        }
    }

    #[test]
    fn errors_point_at_their_place() {
        for (pattern, span) in [
            ("8/8/8/8/8/8/8/7x", 15..16),
            ("8/9/8/8/8/8/8/8", 2..3),
            ("8/8/8/8/8/8/8/8/8", 15..16),
            ("8/8/8/8/8/8/8/[R", 14..15),
            ("8/8/8/8/8/8/8/8 x", 16..17),
            ("8/8/8/8/8/8/8/7!", 15..16),
            ("8/8/8/8/8/8/8/77", 15..16),
            ("8/8", 0..3),
        ] {
            let error = BoardPattern::parse(pattern, PatternFreedom::default()).expect_err(pattern);
            assert_eq!(error.span, span, "{pattern}: {error}");
        }
    }
}
