//! The table of stored lines: openings that Scid stores by number in the index of a database.
//!
//! The code of a game is the longest line of the table with which its main line begins. Moves are compared by their squares,
//! castling by its side.

use std::sync::OnceLock;

use tabiya_model::board::{Board, Move, parse_san};

/// The lines of the codes from 1 on.
#[rustfmt::skip]
pub const LINES: [&str; 254] = [
    "b3",
    "c4",
    "c4 c5",
    "c4 c5 Nf3",
    "c4 e5",
    "c4 e5 Nc3",
    "c4 e5 Nc3 Nf6",
    "c4 e6",
    "c4 e6 Nf3",
    "c4 g6",
    "c4 Nf6",
    "c4 Nf6 Nc3",
    "c4 Nf6 Nc3 e6",
    "c4 Nf6 Nc3 g6",
    "d4",
    "d4 d5",
    "d4 d5 c4",
    "d4 d5 c4 c6",
    "d4 d5 c4 c6 Nc3",
    "d4 d5 c4 c6 Nc3 Nf6",
    "d4 d5 c4 c6 Nc3 Nf6 Nf3",
    "d4 d5 c4 c6 Nf3",
    "d4 d5 c4 c6 Nf3 Nf6",
    "d4 d5 c4 c6 Nf3 Nf6 Nc3",
    "d4 d5 c4 c6 Nf3 Nf6 Nc3 e6",
    "d4 d5 c4 dxc4",
    "d4 d5 c4 dxc4 Nf3",
    "d4 d5 c4 dxc4 Nf3 Nf6",
    "d4 d5 c4 e6",
    "d4 d5 c4 e6 Nc3",
    "d4 d5 c4 e6 Nc3 c6",
    "d4 d5 c4 e6 Nc3 Nf6",
    "d4 d5 c4 e6 Nf3",
    "d4 d5 Nf3",
    "d4 d5 Nf3 Nf6",
    "d4 d5 Nf3 Nf6 c4",
    "d4 d5 Nf3 Nf6 c4 c6",
    "d4 d5 Nf3 Nf6 c4 e6",
    "d4 d6",
    "d4 d6 Nf3",
    "d4 e6",
    "d4 e6 c4",
    "d4 e6 c4 Nf6",
    "d4 f5",
    "d4 f5 g3 Nf6 Bg2",
    "d4 g6",
    "d4 g6 c4 Bg7",
    "d4 Nf6",
    "d4 Nf6 Bg5",
    "d4 Nf6 Bg5 Ne4",
    "d4 Nf6 c4",
    "d4 Nf6 c4 c5",
    "d4 Nf6 c4 c5 d5",
    "d4 Nf6 c4 c5 d5 b5",
    "d4 Nf6 c4 c5 d5 b5 cxb5 a6",
    "d4 Nf6 c4 e6 g3",
    "d4 Nf6 c4 e6 g3 d5",
    "d4 Nf6 c4 e6 Nc3",
    "d4 Nf6 c4 e6 Nc3 Bb4",
    "d4 Nf6 c4 e6 Nc3 Bb4 e3",
    "d4 Nf6 c4 e6 Nc3 Bb4 e3 O-O",
    "d4 Nf6 c4 e6 Nc3 Bb4 Qc2",
    "d4 Nf6 c4 e6 Nc3 Bb4 Qc2 O-O",
    "d4 Nf6 c4 e6 Nc3 Bb4 Qc2 O-O a3 Bxc3+ Qxc3",
    "d4 Nf6 c4 e6 Nc3 d5",
    "d4 Nf6 c4 e6 Nf3",
    "d4 Nf6 c4 e6 Nf3 b6",
    "d4 Nf6 c4 e6 Nf3 b6 a3",
    "d4 Nf6 c4 e6 Nf3 b6 g3",
    "d4 Nf6 c4 e6 Nf3 b6 g3 Ba6",
    "d4 Nf6 c4 e6 Nf3 Bb4+",
    "d4 Nf6 c4 e6 Nf3 d5",
    "d4 Nf6 c4 e6 Nf3 d5 Nc3",
    "d4 Nf6 c4 g6",
    "d4 Nf6 c4 g6 Nc3 Bg7",
    "d4 Nf6 c4 g6 Nc3 Bg7 e4",
    "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6",
    "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 Be2 O-O",
    "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 Be2 O-O Nf3",
    "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 f3",
    "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 f3 O-O",
    "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 f3 O-O Be3",
    "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 Nf3 O-O",
    "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 Nf3 O-O Be2",
    "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 Nf3 O-O Be2 e5",
    "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 Nf3 O-O Be2 e5 O-O",
    "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 Nf3 O-O Be2 e5 O-O Nc6 d5 Ne7",
    "d4 Nf6 c4 g6 Nc3 d5",
    "d4 Nf6 c4 g6 Nc3 d5 Nf3",
    "d4 Nf6 c4 g6 Nc3 d5 cxd5 Nxd5",
    "d4 Nf6 c4 g6 Nc3 d5 cxd5 Nxd5 e4 Nxc3 bxc3 Bg7",
    "d4 Nf6 Nf3",
    "d4 Nf6 Nf3 c5",
    "d4 Nf6 Nf3 d5",
    "d4 Nf6 Nf3 e6",
    "d4 Nf6 Nf3 e6 Bg5",
    "d4 Nf6 Nf3 e6 c4",
    "d4 Nf6 Nf3 g6",
    "d4 Nf6 Nf3 g6 Bg5",
    "d4 Nf6 Nf3 g6 c4",
    "d4 Nf6 Nf3 g6 c4 Bg7",
    "d4 Nf6 Nf3 g6 c4 Bg7 Nc3",
    "d4 Nf6 Nf3 g6 c4 Bg7 Nc3 O-O",
    "d4 Nf6 Nf3 g6 g3",
    "d4 Nf6 Nf3 g6 g3 Bg7 Bg2",
    "e4",
    "e4 c5",
    "e4 c5 c3",
    "e4 c5 c3 d5 exd5 Qxd5 d4",
    "e4 c5 c3 d5 exd5 Qxd5 d4 Nf6",
    "e4 c5 c3 Nf6 e5 Nd5",
    "e4 c5 c3 Nf6 e5 Nd5 d4 cxd4",
    "e4 c5 d4 cxd4",
    "e4 c5 Nc3",
    "e4 c5 Nc3 Nc6",
    "e4 c5 Nc3 Nc6 g3",
    "e4 c5 Nc3 Nc6 g3 g6",
    "e4 c5 Nc3 Nc6 g3 g6 Bg2 Bg7",
    "e4 c5 Nc3 Nc6 g3 g6 Bg2 Bg7 d3",
    "e4 c5 Nf3",
    "e4 c5 Nf3 d6",
    "e4 c5 Nf3 d6 Bb5+",
    "e4 c5 Nf3 d6 d4",
    "e4 c5 Nf3 d6 d4 cxd4",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 Bc4",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 Be2",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 Be3",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 Bg5",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 Bg5 e6",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 g6",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 g6 Be3 Bg7 f3",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 g6 Be3 Bg7 f3 O-O",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 Nc6",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 Nc6 Bg5",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 Nc6 Bg5 e6 Qd2",
    "e4 c5 Nf3 e6",
    "e4 c5 Nf3 e6 d3",
    "e4 c5 Nf3 e6 d4 cxd4 Nxd4",
    "e4 c5 Nf3 e6 d4 cxd4 Nxd4 a6",
    "e4 c5 Nf3 e6 d4 cxd4 Nxd4 a6 Bd3",
    "e4 c5 Nf3 e6 d4 cxd4 Nxd4 Nc6",
    "e4 c5 Nf3 e6 d4 cxd4 Nxd4 Nc6 Nc3",
    "e4 c5 Nf3 e6 d4 cxd4 Nxd4 Nc6 Nc3 Qc7",
    "e4 c5 Nf3 e6 d4 cxd4 Nxd4 Nf6",
    "e4 c5 Nf3 e6 d4 cxd4 Nxd4 Nf6 Nc3",
    "e4 c5 Nf3 e6 d4 cxd4 Nxd4 Nf6 Nc3 d6",
    "e4 c5 Nf3 Nc6",
    "e4 c5 Nf3 Nc6 Bb5",
    "e4 c5 Nf3 Nc6 Bb5 g6",
    "e4 c5 Nf3 Nc6 d4 cxd4 Nxd4",
    "e4 c5 Nf3 Nc6 d4 cxd4 Nxd4 e5",
    "e4 c5 Nf3 Nc6 d4 cxd4 Nxd4 g6",
    "e4 c5 Nf3 Nc6 d4 cxd4 Nxd4 Nf6 Nc3",
    "e4 c5 Nf3 Nc6 d4 cxd4 Nxd4 Nf6 Nc3 d6",
    "e4 c5 Nf3 Nc6 d4 cxd4 Nxd4 Nf6 Nc3 d6 Bg5",
    "e4 c5 Nf3 Nc6 d4 cxd4 Nxd4 Nf6 Nc3 e5",
    "e4 c5 Nf3 Nc6 d4 cxd4 Nxd4 Nf6 Nc3 e5 Ndb5 d6",
    "e4 c5 Nf3 Nc6 d4 cxd4 Nxd4 Nf6 Nc3 e5 Ndb5 d6 Bg5 a6",
    "e4 c5 Nf3 Nc6 d4 cxd4 Nxd4 Nf6 Nc3 e5 Ndb5 d6 Bg5 a6 Na3 b5",
    "e4 c6",
    "e4 c6 d4 d5",
    "e4 c6 d4 d5 e5",
    "e4 c6 d4 d5 e5 Bf5",
    "e4 c6 d4 d5 exd5 cxd5",
    "e4 c6 d4 d5 exd5 cxd5 c4 Nf6 Nc3",
    "e4 c6 d4 d5 Nc3",
    "e4 c6 d4 d5 Nc3 dxe4 Nxe4",
    "e4 c6 d4 d5 Nd2 dxe4 Nxe4",
    "e4 d5 exd5 Nf6",
    "e4 d5 exd5 Qxd5",
    "e4 d5 exd5 Qxd5 Nc3",
    "e4 d5 exd5 Qxd5 Nc3 Qa5",
    "e4 d6",
    "e4 d6 d4",
    "e4 d6 d4 Nf6",
    "e4 d6 d4 Nf6 Nc3",
    "e4 d6 d4 Nf6 Nc3 g6",
    "e4 d6 d4 Nf6 Nc3 g6 f4 Bg7 Nf3",
    "e4 d6 d4 Nf6 Nc3 g6 Nf3 Bg7",
    "e4 e5",
    "e4 e5 f4",
    "e4 e5 Nc3",
    "e4 e5 Nf3",
    "e4 e5 Nf3 Nc6",
    "e4 e5 Nf3 Nc6 Bb5",
    "e4 e5 Nf3 Nc6 Bb5 a6",
    "e4 e5 Nf3 Nc6 Bb5 a6 Ba4",
    "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6",
    "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O",
    "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O b5 Bb3",
    "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7",
    "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6",
    "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O",
    "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O h3",
    "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O h3 Na5 Bc2 c5 d4",
    "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 O-O",
    "e4 e5 Nf3 Nc6 Bb5 Nf6",
    "e4 e5 Nf3 Nc6 Bc4",
    "e4 e5 Nf3 Nc6 Bc4 Nf6",
    "e4 e5 Nf3 Nc6 d4 exd4",
    "e4 e5 Nf3 Nc6 d4 exd4 Nxd4",
    "e4 e5 Nf3 Nc6 Nc3",
    "e4 e5 Nf3 Nc6 Nc3 Nf6",
    "e4 e5 Nf3 Nf6",
    "e4 e5 Nf3 Nf6 Nxe5 d6",
    "e4 e6",
    "e4 e6 d3",
    "e4 e6 d4",
    "e4 e6 d4 d5",
    "e4 e6 d4 d5 e5 c5",
    "e4 e6 d4 d5 e5 c5 c3",
    "e4 e6 d4 d5 Nc3",
    "e4 e6 d4 d5 Nc3 Bb4",
    "e4 e6 d4 d5 Nc3 Bb4 e5",
    "e4 e6 d4 d5 Nc3 Bb4 e5 c5",
    "e4 e6 d4 d5 Nc3 Bb4 e5 c5 a3 Bxc3+ bxc3",
    "e4 e6 d4 d5 Nc3 Nf6",
    "e4 e6 d4 d5 Nc3 Nf6 Bg5",
    "e4 e6 d4 d5 Nd2",
    "e4 e6 d4 d5 Nd2 c5",
    "e4 e6 d4 d5 Nd2 Nf6",
    "e4 e6 d4 d5 Nd2 Nf6 e5 Nfd7",
    "e4 e6 d4 d5 Nd2 Nf6 e5 Nfd7 Bd3 c5 c3 Nc6 Ne2",
    "e4 g6",
    "e4 g6 d4",
    "e4 g6 d4 Bg7",
    "e4 g6 d4 Bg7 Nc3",
    "e4 g6 d4 Bg7 Nc3 d6",
    "e4 Nf6",
    "e4 Nf6 e5 Nd5",
    "e4 Nf6 e5 Nd5 d4 d6",
    "e4 Nf6 e5 Nd5 d4 d6 Nf3",
    "f4",
    "g3",
    "Nf3",
    "Nf3 c5",
    "Nf3 c5 c4",
    "Nf3 d5",
    "Nf3 d5 c4",
    "Nf3 d5 d4",
    "Nf3 d5 g3",
    "Nf3 g6",
    "Nf3 Nf6",
    "Nf3 Nf6 c4",
    "Nf3 Nf6 c4 c5",
    "Nf3 Nf6 c4 e6",
    "Nf3 Nf6 c4 g6",
    "Nf3 Nf6 c4 g6 Nc3",
    "Nf3 Nf6 g3",
    "Nf3 Nf6 g3 g6",
];

/// A node of the tree of lines.
#[derive(Debug, Default)]
struct ScidLineNode {
    code: u8,
    /// Moves from here by their squares, with the index of the node after them.
    next: Vec<(u16, u16)>,
}

/// Follows a main line through the table, move by move.
#[derive(Debug, Clone, Copy)]
pub struct ScidLineTracker {
    tree: &'static [ScidLineNode],
    /// The current node of the game; `None` once it has left the table.
    at: Option<u16>,
    code: u8,
}

impl ScidLineTracker {
    /// Starts at the normal start.
    #[inline]
    pub fn new() -> ScidLineTracker {
        ScidLineTracker {
            tree: tree(),
            at: Some(0),
            code: 0,
        }
    }

    /// Follows a move of the main line.
    #[inline]
    pub fn play(&mut self, m: Move) {
        let Some(node) = self.at.and_then(|at| self.tree.get(usize::from(at))) else {
            return;
        };
        let key = key(m);
        let next = node.next.iter().find(|(k, _)| *k == key);
        self.at = next.map(|(_, at)| *at);
        if let Some(node) = self.at.and_then(|at| self.tree.get(usize::from(at)))
            && node.code != 0
        {
            self.code = node.code;
        }
    }

    /// The code of the longest line that was followed to its end, 0 for none.
    #[inline]
    pub fn code(&self) -> u8 {
        self.code
    }
}

impl Default for ScidLineTracker {
    fn default() -> Self {
        ScidLineTracker::new()
    }
}

/// The squares of a move; castling has a unique number, since its target is the rook.
fn key(m: Move) -> u16 {
    if m.is_null() {
        return u16::MAX;
    }
    let [from, to] = [m.from(), m.to()].map(|square| u16::try_from(u32::from(square)).unwrap_or(0));
    let castle = if m.is_castle() { 1 << 12 } else { 0 };
    from | to << 6 | castle
}

fn tree() -> &'static [ScidLineNode] {
    static TREE: OnceLock<Vec<ScidLineNode>> = OnceLock::new();
    TREE.get_or_init(build)
}

fn build() -> Vec<ScidLineNode> {
    let mut tree = vec![ScidLineNode::default()];
    for (line, code) in LINES.iter().zip(1_u8..) {
        let mut board = Board::standard();
        let mut at = 0_usize;
        for word in line.split(' ') {
            let Some(m) =
                parse_san(word.as_bytes()).and_then(|(san, _)| board.resolve_san(&san).ok())
            else {
                break;
            };
            board.play_legal(m);
            let known = tree
                .get(at)
                .and_then(|node| node.next.iter().find(|(k, _)| *k == key(m)))
                .map(|(_, next)| usize::from(*next));
            at = known.unwrap_or_else(|| {
                let next = tree.len();
                if let (Some(node), Ok(index)) = (tree.get_mut(at), u16::try_from(next)) {
                    node.next.push((key(m), index));
                }
                tree.push(ScidLineNode::default());
                next
            });
        }
        if let Some(node) = tree.get_mut(at)
            && node.code == 0
        {
            node.code = code;
        }
    }
    tree
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(moves: &str) -> u8 {
        let mut board = Board::standard();
        let mut follower = ScidLineTracker::new();
        for word in moves.split(' ').filter(|word| !word.is_empty()) {
            let (san, _) = parse_san(word.as_bytes()).expect("a move");
            let m = board.resolve_san(&san).expect("legal");
            board.play(m);
            follower.play(m);
        }
        follower.code()
    }

    #[test]
    fn every_line_has_its_own_code() {
        for (line, expected) in LINES.iter().zip(1_u8..) {
            assert_eq!(code(line), expected, "{line}");
        }
    }

    #[test]
    fn the_longest_line_counts() {
        assert_eq!(code(""), 0);
        assert_eq!(code("a4"), 0);
        assert_eq!(code("c4 c5 Nc3"), 3);
        assert_eq!(code("d4 f5 g3 Nf6"), 44);
        assert_eq!(code("d4 f5 g3 Nf6 Bg2 a6"), 45);
    }
}
