//! Moves as words, the other way round: an encoder of our own that only tests use. It shares no code with the reader, and
//! computes the numbers of moves, while the reader lists them.

use shakmaty::{CastlingSide, Color, File, Rank, Role, Square};
use tabiya_model::{Board, Move};

use crate::cbh::encode::Node;

/// The pieces that can be captured, after "nothing".
const TAKEN: [Role; 5] = [
    Role::Queen,
    Role::Knight,
    Role::Bishop,
    Role::Rook,
    Role::Pawn,
];

fn file(square: Square) -> i32 {
    u32::from(square.file()) as i32
}

fn rank(square: Square) -> i32 {
    u32::from(square.rank()) as i32
}

/// Squares in the order a1, a2 … h8.
fn by_files() -> impl Iterator<Item = Square> {
    File::ALL
        .into_iter()
        .flat_map(|file| Rank::ALL.map(move |rank| Square::from_coords(file, rank)))
}

/// The directions of a piece, in order.
fn directions(role: Role) -> Vec<(i32, i32)> {
    let bishop = vec![(-1, -1), (1, -1), (1, 1), (-1, 1)];
    let rook = vec![(-1, 0), (0, -1), (1, 0), (0, 1)];
    match role {
        Role::Bishop => bishop,
        Role::Rook => rook,
        Role::Queen => [bishop, rook].concat(),
        // By files and ranks, from the lower left.
        Role::King => (-1..=1)
            .flat_map(|files| (-1..=1).map(move |ranks| (files, ranks)))
            .filter(|step| *step != (0, 0))
            .collect(),
        Role::Knight => vec![
            (-2, -1),
            (-2, 1),
            (2, -1),
            (2, 1),
            (-1, -2),
            (-1, 2),
            (1, -2),
            (1, 2),
        ],
        Role::Pawn => Vec::new(),
    }
}

/// The squares that a piece reaches from a square, in order.
fn targets(role: Role, from: Square) -> Vec<Square> {
    let reach = match role {
        Role::King | Role::Knight => 1,
        _ => 7,
    };
    let mut found = Vec::new();
    for (files, ranks) in directions(role) {
        for step in 1..=reach {
            let to = (file(from) + files * step, rank(from) + ranks * step);
            let inside = (0..8).contains(&to.0) && (0..8).contains(&to.1);
            if inside {
                found.push(Square::new((to.1 * 8 + to.0) as u32));
            }
        }
    }
    found
}

/// The first number of a piece.
fn first_word(color: Color, role: Role) -> u32 {
    match (color, role) {
        (Color::White, Role::King) => 0x0001,
        (Color::White, Role::Queen) => 0x09d9,
        (Color::White, Role::Knight) => 0x2bf9,
        (Color::White, Role::Bishop) => 0x33d9,
        (Color::White, Role::Rook) => 0x40f9,
        (Color::Black, Role::King) => 0x55f9,
        (Color::Black, Role::Queen) => 0x5fd1,
        (Color::Black, Role::Knight) => 0x81f1,
        (Color::Black, Role::Bishop) => 0x89d1,
        (Color::Black, Role::Rook) => 0x96f1,
        (Color::White, Role::Pawn) => 0xabf1,
        (Color::Black, Role::Pawn) => 0xae8d,
    }
}

/// The number of a move on a board; `start` is the number of the Chess960 start.
pub(crate) fn word(board: &Board, m: Move, start: Option<u16>) -> u16 {
    if m.is_null() {
        return 0xfffa;
    }
    let color = board.turn();
    if let Some(side) = m.castling_side() {
        let first = start.map_or(0xb129, |number| 0xb12d + 4 * u32::from(number));
        let short = u32::from(side == CastlingSide::KingSide);
        let black = u32::from(color.is_black());
        return (first + 2 * black + short) as u16;
    }
    let taken = match m.is_en_passant() {
        true => Some(Role::Pawn),
        false => board.role_at(m.to()),
    };
    let number = match m.role() {
        Role::Pawn => pawn(color, m, taken),
        role => {
            let before: usize = by_files()
                .take_while(|square| *square != m.from())
                .map(|square| targets(role, square).len())
                .sum();
            let own = targets(role, m.from());
            let own = own.iter().position(|to| *to == m.to()).expect("a way");
            let taken = taken.map_or(0, |taken| place(taken) + 1);
            6 * (before + own) as u32 + taken
        }
    };
    (first_word(color, m.role()) + number) as u16
}

fn place(taken: Role) -> u32 {
    TAKEN
        .iter()
        .position(|role| *role == taken)
        .expect("no king") as u32
}

/// How many numbers a pawn has on a square, by its possible moves there.
fn pawn_words(color: Color, square: Square) -> [u32; 3] {
    let relative = match color {
        Color::White => rank(square),
        Color::Black => 7 - rank(square),
    };
    let (ahead, capture) = match relative {
        1 => (2, 5),
        6 => (4, 16),
        4 => (1, 6),
        _ => (1, 5),
    };
    let sides = [file(square) > 0, file(square) < 7];
    [
        ahead,
        capture * u32::from(sides[0]),
        capture * u32::from(sides[1]),
    ]
}

fn pawn(color: Color, m: Move, taken: Option<Role>) -> u32 {
    let squares = by_files().filter(|square| (1..7).contains(&rank(*square)));
    let before: u32 = squares
        .take_while(|square| *square != m.from())
        .map(|square| pawn_words(color, square).iter().sum::<u32>())
        .sum();
    let [ahead, left, _] = pawn_words(color, m.from());
    let promoted = m.promotion().map(place);
    let Some(taken) = taken else {
        let double = (rank(m.from()) - rank(m.to())).abs() == 2;
        // The double step comes first.
        let own = match promoted {
            Some(promoted) => promoted,
            None if ahead == 2 && !double => 1,
            None => 0,
        };
        return before + own;
    };
    let side = ahead
        + if m.to().file() > m.from().file() {
            left
        } else {
            0
        };
    let own = match promoted {
        Some(promoted) => 4 * place(taken) + promoted,
        None if m.is_en_passant() => 5,
        None => place(taken),
    };
    before + side + own
}

/// A piece on a square, in start positions.
fn piece(board: &Board, square: Square) -> Option<u16> {
    let piece = board.piece_at(square)?;
    let (file, rank) = (file(square) as u32, rank(square) as u32);
    let black = u32::from(piece.color.is_black());
    let order = [
        Role::King,
        Role::Queen,
        Role::Knight,
        Role::Bishop,
        Role::Rook,
    ];
    let number = match order.iter().position(|role| *role == piece.role) {
        Some(role) => 0xc02d + 320 * black + 64 * role as u32 + 8 * file + rank,
        None => 0xc2ad + 48 * black + 6 * file + rank - 1,
    };
    Some(number as u16)
}

/// The section of a custom starting position.
pub(crate) fn setup(board: &Board, is_chess960: bool) -> Vec<u16> {
    let mut words = vec![0xfffb];
    if is_chess960 {
        words.push(1000);
    }
    let rights = [
        (Color::White, CastlingSide::QueenSide),
        (Color::White, CastlingSide::KingSide),
        (Color::Black, CastlingSide::QueenSide),
        (Color::Black, CastlingSide::KingSide),
    ];
    let mut high = 0;
    for (bit, (color, side)) in rights.into_iter().enumerate() {
        high |= u16::from(board.castling_rook(color, side).is_some()) << bit;
    }
    words.push(board.fullmoves() as u16);
    words.push(high << 8 | u16::from(board.turn().is_black()));
    let passing = board.pseudo_legal_ep_square();
    words.push(passing.map_or(0, |square| file(square) as u16 + 1));
    words.extend(by_files().filter_map(|square| piece(board, square)));
    words
}

/// The lines of a tree as words, the main line first and the latest alternative next.
pub(crate) fn lines(nodes: &[Node], board: &Board, start: Option<u16>) -> Vec<u16> {
    let mut words = Vec::new();
    // Alternatives still to be written, with the position before them; the latest one last.
    let mut waiting: Vec<(Board, Vec<usize>)> = vec![(board.clone(), nodes[0].children.clone())];
    while let Some((mut board, mut children)) = waiting.pop() {
        while let Some((node, others)) = children.split_first() {
            let m = nodes[*node].m.expect("a move");
            words.push(word(&board, m, start));
            if !others.is_empty() {
                words.push(0xfffd);
                waiting.push((board.clone(), others.to_vec()));
            }
            board.play(m);
            children = nodes[*node].children.clone();
        }
        words.push(0xffff);
    }
    words
}

/// The nodes of a tree in the order in which PGN prints them.
pub(crate) fn printed(nodes: &[Node]) -> Vec<usize> {
    let mut order = Vec::new();
    // The next item is last: a line that continues from a node, or a move with everything after it.
    enum Step {
        Behind(usize),
        From(usize),
    }
    let mut steps = vec![Step::Behind(0)];
    while let Some(step) = steps.pop() {
        match step {
            Step::From(node) => {
                order.push(node);
                steps.push(Step::Behind(node));
            }
            Step::Behind(node) => {
                let Some((main, others)) = nodes[node].children.split_first() else {
                    continue;
                };
                order.push(*main);
                steps.push(Step::Behind(*main));
                steps.extend(others.iter().rev().map(|other| Step::From(*other)));
            }
        }
    }
    order
}
