//! Moves as bytes, the other way round: an encoder of our own that only tests use. It shares no code with the reader except
//! the tables of disguises, and keeps its pieces in plain lists.

use shakmaty::{Color, File, Role, Square};
use tabiya_formats::cbh::tables::{self, CbhPermutation};
use tabiya_model::tape::TapeOp;
use tabiya_model::{Board, Game, Move};

/// A move of a tree, with its annotations; node 0 is the start.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct Node {
    pub(crate) m: Option<Move>,
    pub(crate) children: Vec<usize>,
    pub(crate) nags: Vec<u32>,
    /// Texts before and after the move, as in the file.
    pub(crate) before: Vec<Vec<u8>>,
    pub(crate) after: Vec<Vec<u8>>,
}

/// The tree of a game. Texts after variations still belong to their move.
pub(crate) fn tree(game: &Game) -> Vec<Node> {
    let mut nodes = vec![Node::default()];
    let mut parents = vec![0];
    let (mut now, mut open, mut waiting) = (0, Vec::new(), Vec::new());
    let mut starts = false;
    for op in game.tape.ops() {
        match op {
            TapeOp::Move(m) => {
                let new = nodes.len();
                nodes[now].children.push(new);
                parents.push(now);
                nodes.push(Node {
                    m: Some(m),
                    before: std::mem::take(&mut waiting),
                    ..Node::default()
                });
                (now, starts) = (new, false);
            }
            TapeOp::Begin(_) => {
                open.push(now);
                (now, starts) = (parents[now], true);
            }
            TapeOp::End => {
                now = open.pop().expect("an open variation");
                // A variation without moves has no place for its texts.
                waiting.clear();
                starts = false;
            }
            TapeOp::Nag(nag) => nodes[now].nags.push(nag.0),
            TapeOp::Comment(id) => {
                let text = game.tape.texts().original(id).to_vec();
                match starts {
                    true => waiting.push(text),
                    false => nodes[now].after.push(text),
                }
            }
            TapeOp::Raw(_) | TapeOp::Ext(_) | TapeOp::Outcome(_) => {}
        }
    }
    nodes
}

/// The nodes of a tree in the order in which its lines are stored, each with the place of its parent: trees that differ only
/// in the numbers of their nodes give equal results.
pub(crate) fn listed(nodes: &[Node]) -> Vec<(usize, Node)> {
    let mut list = Vec::new();
    let mut waiting = vec![(0, 0)];
    while let Some((parent, node)) = waiting.pop() {
        let own = list.len();
        let children = nodes[node].children.iter().rev();
        waiting.extend(children.map(|child| (own, *child)));
        let mut bare = nodes[node].clone();
        bare.children.clear();
        list.push((parent, bare));
    }
    list
}

type PieceKind = (Color, Role);

/// Squares by files: a1, a2, and so on.
pub(crate) fn by_files(square: Square) -> usize {
    u32::from(square.file()) as usize * 8 + u32::from(square.rank()) as usize
}

/// The pieces of a position in lists.
#[derive(Clone)]
struct Pieces {
    at: [Option<PieceKind>; 64],
    lists: Vec<(PieceKind, Vec<usize>)>,
    pawns: [[Option<usize>; 8]; 2],
    turn: Color,
}

impl Pieces {
    fn of(board: &Board) -> Pieces {
        let mut pieces = Pieces {
            at: [None; 64],
            lists: Vec::new(),
            pawns: [[None; 8]; 2],
            turn: board.turn(),
        };
        let mut pawns = [0, 0];
        for file in File::ALL {
            for rank in shakmaty::Rank::ALL {
                let square = Square::from_coords(file, rank);
                let Some(piece) = board.piece_at(square) else {
                    continue;
                };
                let kind = (piece.color, piece.role);
                pieces.at[by_files(square)] = Some(kind);
                if piece.role == Role::Pawn {
                    let side = piece.color as usize;
                    if let Some(slot) = pieces.pawns[side].get_mut(pawns[side]) {
                        *slot = Some(by_files(square));
                    }
                    pawns[side] += 1;
                } else {
                    pieces.enlist(kind, by_files(square));
                }
            }
        }
        pieces
    }

    fn list(&mut self, piece: PieceKind) -> &mut Vec<usize> {
        let at = match self.lists.iter().position(|(own, _)| *own == piece) {
            Some(at) => at,
            None => {
                self.lists.push((piece, Vec::new()));
                self.lists.len() - 1
            }
        };
        &mut self.lists[at].1
    }

    fn enlist(&mut self, piece: PieceKind, square: usize) {
        let list = self.list(piece);
        if list.len() < 3 {
            list.push(square);
        }
    }

    fn strike(&mut self, piece: PieceKind, square: usize) {
        self.at[square] = None;
        if piece.1 == Role::Pawn {
            for slot in &mut self.pawns[piece.0 as usize] {
                if *slot == Some(square) {
                    *slot = None;
                }
            }
        } else {
            self.list(piece).retain(|own| *own != square);
        }
    }

    fn put(&mut self, piece: PieceKind, from: usize, to: usize) {
        self.at[from] = None;
        self.at[to] = Some(piece);
        for slot in &mut self.pawns[piece.0 as usize] {
            if piece.1 == Role::Pawn && *slot == Some(from) {
                *slot = Some(to);
            }
        }
        if piece.1 != Role::Pawn {
            for own in self.list(piece) {
                if *own == from {
                    *own = to;
                }
            }
        }
    }

    fn play(&mut self, m: Move) {
        let turn = self.turn;
        self.turn = !turn;
        if m.is_null() {
            return;
        }
        let from = by_files(m.from());
        if m.is_castle() {
            let rook = by_files(m.to());
            let (king, tower) = ((turn, Role::King), (turn, Role::Rook));
            let targets = [by_files(m.king_target()), by_files(m.rook_target())];
            // Both leave their squares first: in Chess960 they may swap places.
            self.put(king, from, from);
            let list = self.list(tower);
            for own in list.iter_mut() {
                if *own == rook {
                    *own = targets[1];
                }
            }
            for own in self.list(king) {
                *own = targets[0];
            }
            self.at[from] = None;
            self.at[rook] = None;
            self.at[targets[0]] = Some(king);
            self.at[targets[1]] = Some(tower);
            return;
        }
        let to = by_files(m.to());
        let taken = match m.is_en_passant() {
            true => to / 8 * 8 + from % 8,
            false => to,
        };
        if let Some(piece) = self.at[taken] {
            self.strike(piece, taken);
        }
        let piece = (turn, m.role());
        match m.promotion() {
            Some(role) => {
                self.strike(piece, from);
                self.at[to] = Some((turn, role));
                self.enlist((turn, role), to);
            }
            None => self.put(piece, from, to),
        }
    }

    /// The code of a move, if its piece has a number.
    fn code(&mut self, m: Move, is_chess960: bool) -> Option<u8> {
        if m.is_null() {
            return Some(0);
        }
        if m.is_castle() {
            let is_short = m.to() > m.from();
            return (!is_chess960).then_some(if is_short { 9 } else { 10 });
        }
        if m.promotion().is_some() {
            return None;
        }
        let (from, to) = (by_files(m.from()), by_files(m.to()));
        let (turn, role) = (self.turn, m.role());
        let side = |square: usize| [(square / 8) as i32, (square % 8) as i32];
        let ([file, rank], [to_file, to_rank]) = (side(from), side(to));
        let step = (to_file - file, to_rank - rank);
        let around = (step.0.rem_euclid(8), step.1.rem_euclid(8));
        let find = |ways: &[(i32, i32)]| {
            let is_it = |way: &&(i32, i32)| (way.0.rem_euclid(8), way.1.rem_euclid(8)) == around;
            ways.iter().position(|way| is_it(&way)).expect("a way") as u8
        };
        let straight = (1..8).map(|s| (0, s)).chain((1..8).map(|s| (s, 0)));
        let slanting = (1..8).map(|s| (s, s)).chain((1..8).map(|s| (s, -s)));
        if role == Role::Pawn {
            let number = self.pawns[turn as usize]
                .iter()
                .position(|slot| *slot == Some(from))?;
            let forward = turn.fold_wb(1, -1);
            let way = match (step.0 * forward, step.1 * forward) {
                (0, 1) => 0,
                (0, 2) => 1,
                (1, 1) => 2,
                (-1, 1) => 3,
                other => panic!("no way of a pawn: {other:?}"),
            };
            return Some(111 + 4 * number as u8 + way);
        }
        let number = self
            .list((turn, role))
            .iter()
            .position(|own| *own == from)?;
        let (bases, way) = match role {
            Role::King => {
                let ways = [
                    (0, 1),
                    (1, 1),
                    (1, 0),
                    (1, -1),
                    (0, -1),
                    (-1, -1),
                    (-1, 0),
                    (-1, 1),
                ];
                ([1, 1, 1], find(&ways))
            }
            Role::Queen => {
                let ways: Vec<_> = straight.chain(slanting).collect();
                ([11, 143, 171], find(&ways))
            }
            Role::Rook => ([39, 53, 199], find(&straight.collect::<Vec<_>>())),
            Role::Bishop => ([67, 81, 213], find(&slanting.collect::<Vec<_>>())),
            _ => {
                let ways = [
                    (2, 1),
                    (1, 2),
                    (-1, 2),
                    (-2, 1),
                    (-2, -1),
                    (-1, -2),
                    (1, -2),
                    (2, -1),
                ];
                ([95, 103, 227], find(&ways))
            }
        };
        Some(bases[number] + way)
    }

    /// The word of a move with its squares.
    fn word(&self, m: Move, is_chess960: bool) -> u16 {
        if m.is_null() {
            return 0;
        }
        let mut squares = [by_files(m.from()), by_files(m.to())];
        if m.is_castle() {
            squares[1] = by_files(m.king_target());
            if is_chess960 {
                squares[0] = squares[1];
            }
        }
        let promotion = match m.promotion() {
            Some(Role::Rook) => 1,
            Some(Role::Bishop) => 2,
            Some(Role::Knight) => 3,
            _ => 0,
        };
        squares[0] as u16 | (squares[1] as u16) << 6 | promotion << 12
    }
}

/// Bytes in the disguise of a mode.
struct Disguise {
    inverse: [u8; 256],
    is_late: bool,
    count: u8,
    bytes: Vec<u8>,
}

impl Disguise {
    fn push(&mut self, code: u8) {
        let byte = match self.is_late {
            true => self.inverse[usize::from(code.wrapping_add(self.count))],
            false => self.inverse[usize::from(code)].wrapping_add(self.count),
        };
        self.bytes.push(byte);
    }

    fn push_word(&mut self, word: u16) {
        for code in word.to_be_bytes() {
            self.push(code);
        }
    }
}

/// The moves of a tree in a mode, and its nodes in the stored order.
pub(crate) fn moves(nodes: &[Node], start: &Board, mode: u8) -> (Vec<u8>, Vec<usize>) {
    let (table, is_late): (&CbhPermutation, bool) = match mode {
        0 => (&tables::COMPACT, false),
        4 => (&tables::COMPACT_LATE, true),
        5 => (&tables::PLAIN, true),
        10 => (&tables::CHESS960, true),
        _ => panic!("mode {mode} has no table"),
    };
    let mut out = Disguise {
        inverse: [0; 256],
        is_late,
        count: 0,
        bytes: Vec::new(),
    };
    for (byte, code) in (0..=255).zip(table) {
        out.inverse[usize::from(*code)] = byte;
    }
    let (is_plain, is_chess960) = (mode == 5, mode == 10);
    let mut pieces = Pieces::of(start);
    let mut order = Vec::new();
    let mut waiting: Vec<(Pieces, usize, usize)> = Vec::new();
    let (mut node, mut choice) = (0, 0);
    loop {
        let children = &nodes[node].children;
        let Some(&next) = children.get(choice) else {
            if !is_plain {
                out.push(255);
            }
            match waiting.pop() {
                Some(saved) => (pieces, node, choice) = saved,
                None => return (out.bytes, order),
            }
            continue;
        };
        let has_more = choice + 1 < children.len();
        if has_more {
            if !is_plain {
                out.push(254);
            }
            waiting.push((pieces.clone(), node, choice + 1));
        }
        let m = nodes[next].m.expect("a move");
        if is_plain {
            let is_last = nodes[next].children.is_empty();
            let bits = u16::from(has_more) << 15 | u16::from(is_last) << 14;
            out.push_word(pieces.word(m, false) | bits);
        } else if let Some(code) = pieces.code(m, is_chess960) {
            out.push(code);
        } else {
            out.push(235);
            out.push_word(pieces.word(m, is_chess960));
        }
        out.count = out.count.wrapping_add(1);
        pieces.play(m);
        order.push(next);
        (node, choice) = (next, 0);
    }
}

/// The 28 bytes of a start position, and the eight of Chess960.
pub(crate) fn start(board: &Board, is_chess960: bool) -> Vec<u8> {
    let mut bytes = vec![1, 0, 0, 0];
    if let Some(square) = board.ep_square() {
        bytes[1] = u32::from(square.file()) as u8 + 1;
    }
    if board.turn() == Color::Black {
        bytes[1] |= 16;
    }
    let sides = [
        (Color::White, shakmaty::CastlingSide::QueenSide),
        (Color::White, shakmaty::CastlingSide::KingSide),
        (Color::Black, shakmaty::CastlingSide::QueenSide),
        (Color::Black, shakmaty::CastlingSide::KingSide),
    ];
    for (at, (color, side)) in sides.into_iter().enumerate() {
        bytes[2] |= u8::from(board.castling_rook(color, side).is_some()) << at;
    }
    bytes[3] = u8::try_from(board.fullmoves()).unwrap_or(0);
    let mut bits = Vec::new();
    for file in File::ALL {
        for rank in shakmaty::Rank::ALL {
            let Some(piece) = board.piece_at(Square::from_coords(file, rank)) else {
                bits.push(false);
                continue;
            };
            let role = match piece.role {
                Role::King => 1,
                Role::Queen => 2,
                Role::Knight => 3,
                Role::Bishop => 4,
                Role::Rook => 5,
                Role::Pawn => 6,
            };
            bits.extend([true, piece.color == Color::Black]);
            bits.extend([4, 2, 1].map(|bit| role & bit != 0));
        }
    }
    bits.resize(192, false);
    bytes.extend(
        bits.chunks(8)
            .map(|byte| byte.iter().fold(0, |sum, bit| sum << 1 | u8::from(*bit))),
    );
    if is_chess960 {
        let square = |square: Option<Square>| square.map_or(64, by_files) as u8;
        bytes.extend([Color::White, Color::Black].map(|color| square(board.king_of(color))));
        for at in [1, 0, 3, 2] {
            let (color, side) = sides[at];
            bytes.push(square(board.castling_rook(color, side)));
        }
        bytes.extend([0x03, 0x11]);
    }
    bytes
}

/// A complete record of `.cbg`.
pub(crate) fn record(flags: u8, content: &[u8]) -> Vec<u8> {
    let size = (content.len() as u32 + 4).to_be_bytes();
    [&[flags, size[1], size[2], size[3]], content].concat()
}

/// The record of a game's moves in a mode.
pub(crate) fn game(game: &Game, mode: u8) -> (Vec<u8>, Vec<usize>, Vec<Node>) {
    let nodes = tree(game);
    let board = game.start_board();
    let (bytes, order) = moves(&nodes, &board, mode);
    let has_start = game.start != tabiya_model::game::StartingPosition::Standard || mode == 10;
    let (mut flags, mut content) = (mode, Vec::new());
    if has_start {
        flags |= 64;
        content = start(&board, mode == 10);
    }
    content.extend(bytes);
    (record(flags, &content), order, nodes)
}
