//! Sets of squares and the relations between the pieces on them: attacks, pins, pawns, lines and distances.

mod lines;
mod parser;
mod pawns;

use shakmaty::attacks;
use shakmaty::{Bitboard, Color, Role, Square};

use crate::terms::piece_squares::{PieceSquares, squares};
use crate::terms::position_view::{MAX_NAMES, PositionView};
use crate::terms::step_meter::StepMeter;

pub(crate) use self::lines::LineDirection;
pub(crate) use self::parser::{parse_set, parse_sets};
pub(crate) use self::pawns::{PawnFeature, fianchettos, half_open_files, open_files};

const FILE_A: u64 = 0x0101_0101_0101_0101;
const RANK_1: u64 = 0xff;
const LIGHT: u64 = 0x55aa_55aa_55aa_55aa;
const WHITE: u16 = 0b11_1111;

/// A description of a set of squares.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SquareSet {
    /// Squares with one of these kinds of pieces, one bit each as in [`PieceSquares`].
    Pieces(u16),
    /// Squares without a piece.
    Empty,
    /// These squares.
    Fixed(u64),
    /// The square with this name, by its number.
    Named(usize),
    /// Squares that are in all of the sets.
    And(Vec<SquareSet>),
    /// Squares that are in any of the sets.
    Or(Vec<SquareSet>),
    /// Squares outside of the set.
    Not(Box<SquareSet>),
    /// Squares whose piece attacks one of the set.
    Attacks(Box<SquareSet>),
    /// Squares that a piece of the set attacks.
    AttackedBy(Box<SquareSet>),
    /// Squares whose bishop, rook or queen X-rays one of the set through one piece.
    XRays(Box<SquareSet>),
    /// Squares within this number of king's moves of one of the set.
    Near(u8, Box<SquareSet>),
    /// Squares strictly between one of the first and one of the second set.
    Between(Box<SquareSet>, Box<SquareSet>),
    /// Squares of pinned pieces: the only ones between their king and an attacker.
    Pinned,
    /// Pawns of a kind.
    Pawns(PawnFeature),
    /// Knights and bishops that no pawn can drive away.
    Outposts,
    /// Fianchettoed bishops, on the files a bit is set for: 1 for b, 2 for g.
    Fianchettos(u8),
    /// Squares on files without pawns.
    OpenFiles,
    /// Pieces on files with pawns of the other side only.
    HalfOpenFiles,
}

/// The pieces of a position, put together as relations need them.
pub(crate) struct RelationBoard<'s> {
    pieces: &'s PieceSquares,
    /// White's and Black's pieces.
    sides: [u64; 2],
    occupied: u64,
    named: [u8; MAX_NAMES],
    meter: Option<&'s StepMeter>,
}

impl<'s> RelationBoard<'s> {
    pub(crate) fn new(scene: &'s PositionView<'_>) -> RelationBoard<'s> {
        RelationBoard {
            pieces: scene.pieces,
            sides: *scene.sides,
            occupied: scene.sides[0] | scene.sides[1],
            named: scene.named.get(),
            meter: scene.meter,
        }
    }

    /// Says that so many squares are looked at.
    fn spend(&self, squares: u32) {
        if let Some(meter) = self.meter {
            meter.spend(squares);
        }
    }

    fn of_color(&self, color: Color) -> u64 {
        self.sides[usize::from(color == Color::Black)]
    }

    fn pawns(&self, color: Color) -> u64 {
        self.pieces[if color == Color::White { 0 } else { 6 }]
    }

    /// The kind of the piece on a square.
    fn kind_at(&self, square: u32) -> Option<usize> {
        self.pieces.iter().position(|set| set >> square & 1 != 0)
    }

    /// The squares that a piece of this kind attacks from a square.
    fn attacks_of(&self, kind: usize, square: u32) -> u64 {
        let piece = shakmaty::Piece {
            color: Color::from_white(kind < 6),
            role: ROLES[kind % 6],
        };
        attacks::attacks(at(square), piece, Bitboard(self.occupied)).into()
    }

    /// The squares of pieces of these kinds.
    fn pieces_of(&self, mut kinds: u16) -> u64 {
        let mut all = 0;
        for (color, side) in [(WHITE, self.sides[0]), (WHITE << 6, self.sides[1])] {
            if kinds & color == color {
                all |= side;
                kinds &= !color;
            }
        }
        while kinds != 0 {
            all |= self.pieces[kinds.trailing_zeros() as usize % 12];
            kinds &= kinds - 1;
        }
        all
    }

    /// Those of some pieces that attack a square.
    fn attackers(&self, square: u32, among: u64) -> u64 {
        let (to, occupied) = (at(square), Bitboard(self.occupied));
        let [p, n, b, r, q, k, bp, bn, bb, br, bq, bk] = *self.pieces;
        let set = |attacks: Bitboard, pieces: u64| u64::from(attacks) & pieces;
        let (diagonal, straight) = (b | q | bb | bq, r | q | br | bq);
        let mut found = set(attacks::pawn_attacks(Color::Black, to), p)
            | set(attacks::pawn_attacks(Color::White, to), bp)
            | set(attacks::knight_attacks(to), n | bn)
            | set(attacks::king_attacks(to), k | bk);
        if diagonal & among != 0 {
            found |= set(attacks::bishop_attacks(to, occupied), diagonal);
        }
        if straight & among != 0 {
            found |= set(attacks::rook_attacks(to, occupied), straight);
        }
        found & among
    }

    /// Those of some pieces that attack any of the targets.
    fn attacking(&self, targets: u64, among: u64) -> u64 {
        let pieces = among & self.occupied;
        self.spend(pieces.count_ones());
        // Where there are fewer targets than pieces, they are asked who attacks them.
        if targets.count_ones() <= pieces.count_ones() {
            return squares(targets).fold(0, |all, square| all | self.attackers(square, pieces));
        }
        let attacks = |square: &u32| {
            let kind = self.kind_at(*square);
            kind.is_some_and(|kind| self.attacks_of(kind, *square) & targets != 0)
        };
        let attackers = squares(pieces).filter(attacks);
        attackers.fold(0, |all, square| all | 1 << square)
    }

    /// Whether any of some pieces attacks any of the targets.
    fn attacks_any(&self, targets: u64, among: u64) -> bool {
        let pieces = among & self.occupied;
        self.spend(pieces.count_ones());
        if targets.count_ones() <= pieces.count_ones() {
            return squares(targets).any(|square| self.attackers(square, pieces) != 0);
        }
        squares(pieces).any(|square| {
            let kind = self.kind_at(square);
            kind.is_some_and(|kind| self.attacks_of(kind, square) & targets != 0)
        })
    }

    /// Those of some squares that any of these pieces attacks.
    fn attacked(&self, pieces: u64, among: u64) -> u64 {
        let pieces = pieces & self.occupied;
        self.spend(pieces.count_ones());
        if among.count_ones() <= pieces.count_ones() {
            let attacked = squares(among).filter(|square| self.attackers(*square, pieces) != 0);
            return attacked.fold(0, |all, square| all | 1 << square);
        }
        let kinds = self.pieces.iter().enumerate();
        kinds
            .flat_map(|(kind, set)| squares(set & pieces).map(move |square| (kind, square)))
            .fold(0, |all, (kind, square)| all | self.attacks_of(kind, square))
    }
}

const ROLES: [Role; 6] = [
    Role::Pawn,
    Role::Knight,
    Role::Bishop,
    Role::Rook,
    Role::Queen,
    Role::King,
];

fn at(square: u32) -> Square {
    Square::new(square & 63)
}

/// The squares at most one king's move away.
fn grown(set: u64) -> u64 {
    let wide = set | (set & !FILE_A) >> 1 | (set & !(FILE_A << 7)) << 1;
    wide | wide << 8 | wide >> 8
}

/// The fewest king's moves from a square of one set to one of the other.
pub(crate) fn distance(from: u64, to: u64) -> Option<u8> {
    if from == 0 || to == 0 {
        return None;
    }
    let mut reached = from;
    (0..8).find(|_| {
        let meets = reached & to != 0;
        reached = grown(reached);
        meets
    })
}

impl SquareSet {
    /// The squares in a position.
    pub(crate) fn of(&self, field: &RelationBoard<'_>) -> u64 {
        self.within(field, u64::MAX)
    }

    /// Those of some squares that are in the set.
    fn within(&self, field: &RelationBoard<'_>, among: u64) -> u64 {
        let all = match self {
            SquareSet::Pieces(kinds) => field.pieces_of(*kinds),
            SquareSet::Empty => !field.occupied,
            SquareSet::Fixed(squares) => *squares,
            SquareSet::Named(name) => field
                .named
                .get(*name)
                .map_or(0, |square| 1 << (square & 63)),
            SquareSet::And(parts) => {
                let mut all = among;
                for part in parts {
                    all = part.within(field, all);
                    if all == 0 {
                        break;
                    }
                }
                all
            }
            SquareSet::Or(parts) => parts
                .iter()
                .fold(0, |any, part| any | part.within(field, among & !any)),
            SquareSet::Not(part) => !part.within(field, among),
            SquareSet::Attacks(targets) => field.attacking(targets.of(field), among),
            SquareSet::AttackedBy(pieces) => field.attacked(pieces.of(field), among),
            SquareSet::XRays(targets) => lines::x_rays(field, targets.of(field), among),
            SquareSet::Near(far, set) => {
                let set = set.of(field);
                (0..*far).fold(set, |set, _| grown(set))
            }
            SquareSet::Between(from, to) => lines::between(field, from.of(field), to.of(field)),
            SquareSet::Pinned => lines::pinned(field),
            SquareSet::Pawns(word) => pawns::of_word(field, *word, among),
            SquareSet::Outposts => pawns::outposts(field, among),
            SquareSet::Fianchettos(files) => fianchettos(field, *files),
            SquareSet::OpenFiles => pawns::on_files(open_files(field)),
            SquareSet::HalfOpenFiles => {
                [Color::White, Color::Black].iter().fold(0, |all, color| {
                    all | pawns::on_files(half_open_files(field, *color)) & field.of_color(*color)
                })
            }
        };
        all & among
    }

    /// Whether any of some squares is in the set: the first one that is found is enough.
    fn meets(&self, field: &RelationBoard<'_>, among: u64) -> bool {
        match self {
            SquareSet::And(parts) => {
                let Some((last, parts)) = parts.split_last() else {
                    return among != 0;
                };
                let mut all = among;
                for part in parts {
                    all = part.within(field, all);
                    if all == 0 {
                        return false;
                    }
                }
                last.meets(field, all)
            }
            SquareSet::Or(parts) => parts.iter().any(|part| part.meets(field, among)),
            SquareSet::Attacks(targets) => field.attacks_any(targets.of(field), among),
            SquareSet::AttackedBy(pieces) => field.attacks_any(among, pieces.of(field)),
            other => other.within(field, among) != 0,
        }
    }

    /// Whether it rests on the square of a name.
    pub(crate) fn mentions(&self, name: usize) -> bool {
        match self {
            SquareSet::Named(known) => *known == name,
            SquareSet::And(parts) | SquareSet::Or(parts) => {
                parts.iter().any(|part| part.mentions(name))
            }
            SquareSet::Not(part)
            | SquareSet::Attacks(part)
            | SquareSet::AttackedBy(part)
            | SquareSet::XRays(part)
            | SquareSet::Near(_, part) => part.mentions(name),
            SquareSet::Between(from, to) => from.mentions(name) || to.mentions(name),
            SquareSet::Pieces(_)
            | SquareSet::Empty
            | SquareSet::Fixed(_)
            | SquareSet::Pinned
            | SquareSet::Pawns(_)
            | SquareSet::Outposts
            | SquareSet::Fianchettos(_)
            | SquareSet::OpenFiles
            | SquareSet::HalfOpenFiles => false,
        }
    }

    /// How dear it is to find the squares.
    fn cost(&self) -> u8 {
        match self {
            SquareSet::Pieces(_) | SquareSet::Empty | SquareSet::Fixed(_) | SquareSet::Named(_) => {
                0
            }
            SquareSet::Not(part) | SquareSet::Near(_, part) => part.cost(),
            SquareSet::And(parts) | SquareSet::Or(parts) => {
                parts.iter().map(SquareSet::cost).max().unwrap_or(0)
            }
            SquareSet::Pawns(_)
            | SquareSet::Outposts
            | SquareSet::Fianchettos(_)
            | SquareSet::OpenFiles
            | SquareSet::HalfOpenFiles => 1,
            SquareSet::Attacks(_)
            | SquareSet::AttackedBy(_)
            | SquareSet::XRays(_)
            | SquareSet::Between(..)
            | SquareSet::Pinned => 2,
        }
    }

    /// Squares that are in all of the sets. What is found cheaply is asked first.
    pub(crate) fn and(mut parts: Vec<SquareSet>) -> SquareSet {
        parts.sort_by_key(SquareSet::cost);
        SquareSet::And(parts)
    }
}

/// A question about sets of squares.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SquareRelation {
    /// A number of squares are in a set.
    Count(SquareSet, Vec<(i64, i64)>),
    /// The smallest number of king's moves between two sets.
    Distance(SquareSet, SquareSet, Vec<(i64, i64)>),
    /// Pieces of these sets are on a line in this order, with nothing between them.
    Ray(LineDirection, Vec<SquareSet>),
    /// A side (of these: White, Black) has bishops on squares of both colours.
    BishopPair([bool; 2]),
    /// A number of open files.
    OpenFiles(Vec<(i64, i64)>),
    /// A number of files that are half open for these sides.
    HalfOpenFiles([bool; 2], Vec<(i64, i64)>),
}

fn is_in(ranges: &[(i64, i64)], number: u32) -> bool {
    let number = i64::from(number);
    ranges
        .iter()
        .any(|(low, high)| (*low..=*high).contains(&number))
}

impl SquareRelation {
    /// Whether a position is as asked.
    #[inline(never)]
    pub(crate) fn matches(&self, scene: &PositionView<'_>) -> bool {
        let field = &RelationBoard::new(scene);
        let colors = |asked: &[bool; 2]| {
            let both = [Color::White, Color::Black].into_iter().zip(*asked);
            both.filter(|(_, asked)| *asked).map(|(color, _)| color)
        };
        match self {
            SquareRelation::Count(set, ranges) => match ranges.as_slice() {
                [(1, i64::MAX)] => set.meets(field, u64::MAX),
                [(0, 0)] => !set.meets(field, u64::MAX),
                ranges => is_in(ranges, set.of(field).count_ones()),
            },
            SquareRelation::Distance(from, to, ranges) => distance(from.of(field), to.of(field))
                .is_some_and(|moves| is_in(ranges, u32::from(moves))),
            SquareRelation::Ray(direction, sets) => lines::ray(field, *direction, sets),
            SquareRelation::BishopPair(asked) => colors(asked).any(|color| {
                let bishops = field.pieces[if color == Color::White { 2 } else { 8 }];
                bishops & LIGHT != 0 && bishops & !LIGHT != 0
            }),
            SquareRelation::OpenFiles(ranges) => is_in(ranges, open_files(field).count_ones()),
            SquareRelation::HalfOpenFiles(asked, ranges) => {
                let files = colors(asked).map(|color| half_open_files(field, color).count_ones());
                is_in(ranges, files.sum())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::position_view::PieceArrangement;
    use tabiya_model::Board;

    fn set(text: &str, fen: &str) -> Vec<String> {
        let board = Board::from_fen(fen).expect("fen").0;
        let standing = PieceArrangement::of(&board, false);
        let scene = PositionView::new(&board, &standing, 0, None);
        let set = parse_set(text, &[]).expect("a set");
        let squares = squares(set.of(&RelationBoard::new(&scene)));
        squares.map(|square| at(square).to_string()).collect()
    }

    #[test]
    fn sets_are_those_of_their_words() {
        let fen = "4k3/1pp2p2/8/2PP4/8/1B4P1/r2N2BP/3QK2R w K - 0 1";
        for (text, squares) in [
            ("passed", vec!["h2"]),
            ("isolated", vec!["f7"]),
            ("K or Q", vec!["d1", "e1"]),
            ("A attacks r", vec!["b3"]),
            ("r attacked-by A", vec!["a2"]),
            ("N pinned", vec![]),
            ("N x-rays k", vec![]),
            ("[a-b2-3] *", vec!["a2", "b3"]),
            ("fianchetto", vec!["g2"]),
            ("* near 1 K", vec!["d1", "e1", "d2"]),
            ("between Q [h1]", vec!["e1", "f1", "g1"]),
            ("hanging [c-d]", vec!["c5", "d5"]),
        ] {
            let files_c_d = "4k3/5p2/8/2PP4/8/1B4P1/r2N2BP/3QK2R w K - 0 1";
            let fen = if text.starts_with("hanging") {
                files_c_d
            } else {
                fen
            };
            assert_eq!(set(text, fen), squares, "{text}");
        }
        assert_eq!(distance(1, 1 << 63), Some(7));
        assert_eq!(distance(1, 0), None);
        assert_eq!(LIGHT & 1, 0, "a1 is dark");
    }
}
