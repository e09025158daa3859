//! A game as a list of nodes that name the node before them, and moves as models must write them: in standard notation only.

use std::collections::BTreeMap;

use tabiya_answers::server::BoardMarkAnswer;
use tabiya_answers::{McpEvaluationAnswer, McpNagAnswer, McpNodeAnswer};
use tabiya_model::board::SanError;
use tabiya_model::command::{
    BoardMark, ClockKind, CommentCommand, Evaluation, commands, plain_text,
};
use tabiya_model::game::StartingPosition;
use tabiya_model::{Board, Game, Move, TapeOp};

use crate::error::McpRefusal;

/// The id of the start of every game.
pub(crate) const START: &str = "start";

/// Moves of the longest line that is taken.
const LINE: usize = 600;

/// The ids of the moves of a game, and the places of the editor behind them.
pub(crate) struct TreeNodes(BTreeMap<String, usize>);

impl TreeNodes {
    pub(crate) fn of(game: &Game) -> TreeNodes {
        let mut places = BTreeMap::from([(START.to_owned(), 0)]);
        walk(game, |step| {
            if let TreeStep::Move { hash, place, .. } = step {
                // Where a move stands twice, the first one is meant.
                places.entry(id_of(hash)).or_insert(place);
            }
        });
        TreeNodes(places)
    }

    /// The place of the editor behind a node.
    pub(crate) fn place(&self, id: &str) -> Result<usize, McpRefusal> {
        self.0.get(id).copied().ok_or_else(|| {
            McpRefusal::new("no-such-node", format!("the game has no node {id:.40}"))
                .with_help("the tool `game` returns the ids of all nodes; `start` is the start")
        })
    }

    /// The id of the node behind which a place of the editor is.
    pub(crate) fn id(&self, place: usize) -> Option<String> {
        let mut all = self.0.iter();
        all.find(|(_, at)| **at == place).map(|(id, _)| id.clone())
    }
}

/// The id of what was hashed.
fn id_of(hash: u64) -> String {
    format!("n{:012x}", hash & 0xffff_ffff_ffff)
}

/// A step of FNV-1a.
fn hashed(mut hash: u64, bytes: &[u8]) -> u64 {
    for byte in bytes {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    hash
}

/// What a walk through a game meets.
enum TreeStep<'g> {
    /// A move.
    Move {
        m: Move,
        /// The position before it.
        before: &'g Board,
        /// Of all moves up to here.
        hash: u64,
        /// Of those before; none at the start.
        parent: Option<u64>,
        ply: u64,
        /// The place in the editor after it.
        place: usize,
        depth: usize,
    },
    /// Something else there.
    Other(TapeOp),
}

/// Where a walk is in a line.
struct TreeLinePosition {
    board: Board,
    /// Before the last move of the line; none if it has no move yet.
    before: Option<(Board, Option<u64>)>,
    hash: Option<u64>,
    ply: u64,
}

fn walk(game: &Game, mut visit: impl FnMut(TreeStep<'_>)) {
    let start = game.start_board();
    let root = match &game.start {
        StartingPosition::Setup(..) => hashed(0xcbf2_9ce4_8422_2325, start.to_fen().as_bytes()),
        _ => 0xcbf2_9ce4_8422_2325,
    };
    let mut here = TreeLinePosition {
        board: start,
        before: None,
        hash: None,
        ply: 0,
    };
    let mut above: Vec<TreeLinePosition> = Vec::new();
    let mut at = 0;
    while let Some(op) = game.tape.get(at) {
        match op {
            TapeOp::Move(m) => {
                let before = here.board.clone();
                let parent = here.hash;
                let hash = hashed(parent.unwrap_or(root), &m.bits().to_le_bytes());
                here.board.play(m);
                here.ply += 1;
                visit(TreeStep::Move {
                    m,
                    before: &before,
                    hash,
                    parent,
                    ply: here.ply,
                    place: at + 1,
                    depth: above.len(),
                });
                here.before = Some((before, parent));
                here.hash = Some(hash);
            }
            TapeOp::Begin(_) => {
                let Some((board, hash)) = here.before.clone() else {
                    at = game.tape.skip(at);
                    continue;
                };
                visit(TreeStep::Other(op));
                let line = TreeLinePosition {
                    board,
                    before: None,
                    hash,
                    ply: here.ply - 1,
                };
                above.push(std::mem::replace(&mut here, line));
            }
            TapeOp::End => {
                if let Some(outer) = above.pop() {
                    here = outer;
                }
                visit(TreeStep::Other(op));
            }
            other => visit(TreeStep::Other(other)),
        }
        at += 1;
    }
}

/// What is being put together.
struct NodeList<'g> {
    game: &'g Game,
    nodes: Vec<McpNodeAnswer>,
    /// The node that what stands in the tape belongs to, for each line that is open.
    lines: Vec<usize>,
    /// A comment that belongs to the next move of the line.
    waiting: Vec<String>,
    /// Whether the next comment is before a move.
    is_before: bool,
    /// The first node of each position.
    positions: BTreeMap<u64, String>,
}

/// The start and the moves of a game, in reading order.
pub(crate) fn nodes(game: &Game) -> Vec<McpNodeAnswer> {
    let start = game.start_board();
    let root = McpNodeAnswer {
        id: START.to_owned(),
        main: true,
        fen: Some(start.to_fen()),
        ..McpNodeAnswer::default()
    };
    let mut list = NodeList {
        game,
        nodes: vec![root],
        lines: vec![0],
        waiting: Vec::new(),
        is_before: false,
        positions: BTreeMap::from([(start.zobrist(), START.to_owned())]),
    };
    walk(game, |step| list.take(step));
    list.settle();
    list.nodes
}

impl NodeList<'_> {
    fn take(&mut self, step: TreeStep<'_>) {
        match step {
            TreeStep::Move {
                m,
                before,
                hash,
                parent,
                ply,
                depth,
                ..
            } => {
                let (san, after) = san_of(before, m);
                let id = id_of(hash);
                let known = self.positions.get(&after.zobrist());
                let transposes = known.filter(|known| **known != id).cloned();
                self.positions
                    .entry(after.zobrist())
                    .or_insert_with(|| id.clone());
                let comment = self.waiting.join(" ");
                self.waiting.clear();
                self.nodes.push(McpNodeAnswer {
                    id,
                    parent: Some(parent.map_or_else(|| START.to_owned(), id_of)),
                    ply,
                    san: Some(san),
                    main: depth == 0,
                    before: (!comment.is_empty()).then_some(comment),
                    transposes,
                    ..McpNodeAnswer::default()
                });
                if let Some(line) = self.lines.last_mut() {
                    *line = self.nodes.len() - 1;
                }
                self.is_before = false;
            }
            TreeStep::Other(TapeOp::Begin(_)) => {
                self.settle();
                self.lines.push(self.lines.last().copied().unwrap_or(0));
                self.is_before = true;
            }
            TreeStep::Other(TapeOp::End) => {
                self.settle();
                if self.lines.len() > 1 {
                    self.lines.pop();
                }
                self.is_before = true;
            }
            TreeStep::Other(TapeOp::Nag(nag)) => {
                let told = McpNagAnswer {
                    nag: nag.0,
                    meaning: nag.name(),
                };
                if let Some(node) = self.node() {
                    node.nags.push(told);
                }
            }
            TreeStep::Other(TapeOp::Comment(id)) => {
                let game = self.game;
                self.comment(game.tape.text(id));
            }
            TreeStep::Other(_) => {}
        }
    }

    fn node(&mut self) -> Option<&mut McpNodeAnswer> {
        let at = self.lines.last().copied().unwrap_or(0);
        self.nodes.get_mut(at)
    }

    fn comment(&mut self, comment: &str) {
        let text = plain_text(comment);
        let is_before = self.is_before;
        if is_before && !text.is_empty() {
            self.waiting.push(text.clone());
        }
        let Some(node) = self.node() else { return };
        if !is_before {
            add_text(&mut node.comment, &text);
        }
        for command in commands(comment) {
            node.marks.extend(command.marks().iter().map(mark_answer));
            match command {
                CommentCommand::Clock(ClockKind::Remaining, time) if node.clock.is_none() => {
                    let seconds = time.amount.as_secs_f64();
                    node.clock = Some(if time.negative { -seconds } else { seconds });
                }
                CommentCommand::Eval(score, depth) if node.evaluation.is_none() => {
                    node.evaluation = Some(evaluation(score, depth, "the game"));
                }
                _ => {}
            }
        }
    }

    /// A comment after which no move of its line comes belongs to the last one.
    fn settle(&mut self) {
        let text = self.waiting.join(" ");
        self.waiting.clear();
        if let Some(node) = self.node() {
            add_text(&mut node.comment, &text);
        }
    }
}

fn add_text(comment: &mut Option<String>, text: &str) {
    if text.is_empty() {
        return;
    }
    match comment {
        Some(known) => {
            known.push(' ');
            known.push_str(text);
        }
        None => *comment = Some(text.to_owned()),
    }
}

fn mark_answer(mark: &BoardMark) -> BoardMarkAnswer {
    match mark {
        BoardMark::Arrow { from, to, colour } => BoardMarkAnswer::Arrow {
            from: from.to_string(),
            to: to.to_string(),
            colour: colour.name(),
        },
        BoardMark::Square { square, colour, .. } => BoardMarkAnswer::Square {
            square: square.to_string(),
            colour: colour.name(),
        },
    }
}

/// An evaluation as it is told.
pub(crate) fn evaluation(score: Evaluation, depth: Option<u32>, by: &str) -> McpEvaluationAnswer {
    let (centipawns, mate) = match score {
        Evaluation::Centipawns(number) => (Some(number), None),
        Evaluation::Mate(number) => (None, Some(number)),
    };
    McpEvaluationAnswer {
        centipawns,
        mate,
        depth,
        by: by.to_owned(),
        seen_from: "White",
    }
}

/// A move in standard notation, and the position after it.
pub(crate) fn san_of(board: &Board, m: Move) -> (String, Board) {
    let mut after = board.clone();
    let mut san = Vec::new();
    after.play_san(m, &mut san);
    (String::from_utf8_lossy(&san).into_owned(), after)
}

/// The legal moves in standard notation, in the order of their letters.
pub(crate) fn legal_moves(board: &Board) -> Vec<String> {
    let mut moves = Vec::new();
    board.legal_moves(&mut moves);
    let mut all: Vec<String> = moves.iter().map(|m| san_of(board, *m).0).collect();
    all.sort();
    all
}

/// Reads a move in standard notation. What is not exactly one legal move is refused with those that are legal.
pub(crate) fn read_move(board: &Board, text: &str) -> Result<Move, McpRefusal> {
    let shown: String = text.chars().take(40).collect();
    let refuse = |code: &str, why: &str| {
        Err(McpRefusal::new(code, format!("{shown}: {why}")).on_board(board))
    };
    let word = text.trim();
    if is_by_squares(word) {
        return refuse(
            "illegal-move",
            "write moves in standard notation, such as Nf3, not by their squares alone",
        );
    }
    if word.starts_with('x') {
        return refuse(
            "illegal-move",
            "write the piece that captures, or the file from which a pawn captures",
        );
    }
    let word = match word.strip_prefix("0-0-0") {
        Some(rest) => format!("O-O-O{rest}"),
        None => match word.strip_prefix("0-0") {
            Some(rest) => format!("O-O{rest}"),
            None => word.to_owned(),
        },
    };
    let Some((found, used)) = board.read_san(word.as_bytes()) else {
        return refuse("illegal-move", "this is not a move in standard notation");
    };
    let rest = word.get(used..).unwrap_or(" ");
    if !rest.chars().all(|c| matches!(c, '+' | '#' | '!' | '?')) {
        return refuse("illegal-move", "this is not a move in standard notation");
    }
    match found {
        Ok(m) if !m.is_null() && board.is_legal(m) => match false_claim(board, m, &word) {
            Some(why) => refuse("illegal-move", why),
            None => Ok(m),
        },
        Ok(_) | Err(SanError::NoSuchMove) => refuse(
            "illegal-move",
            "no piece can make this move in this position",
        ),
        Err(SanError::Illegal(_)) => {
            refuse("illegal-move", "the move leaves its own king in check")
        }
        Err(SanError::Ambiguous(_)) => refuse(
            "ambiguous-move",
            "several moves match: write the file or the rank that the piece leaves",
        ),
    }
}

/// What a word says of a move that is not so: whoever writes it takes the position for another one.
fn false_claim(board: &Board, m: Move, word: &str) -> Option<&'static str> {
    let after = || {
        let mut after = board.clone();
        after.play(m);
        after
    };
    if word.contains('x') && !m.is_capture() {
        Some("there is nothing to capture on this square")
    } else if word.contains('#') && !after().is_checkmate() {
        Some("the move does not mate")
    } else if word.contains('+') && !after().is_check() {
        Some("the move does not give check")
    } else {
        None
    }
}

/// Whether a word names a move by its squares, as engines do: `e2e4`, `e7e8q`.
fn is_by_squares(word: &str) -> bool {
    let bytes = word.as_bytes();
    let is_square = |at: usize| {
        let file = bytes.get(at).is_some_and(|b| (b'a'..=b'h').contains(b));
        file && bytes.get(at + 1).is_some_and(|b| (b'1'..=b'8').contains(b))
    };
    (4..=5).contains(&bytes.len()) && is_square(0) && is_square(2)
}

/// The words of a line, without numbers of moves. What only a whole game has is refused.
pub(crate) fn words_of_line(text: &str) -> Result<Vec<&str>, McpRefusal> {
    if text.contains(['(', ')', '{', '}', '[', ']', ';', '$']) {
        return Err(McpRefusal::new(
            "bad-line",
            "a line has moves only: comments, variations and NAGs are separate changes",
        ));
    }
    let mut words = Vec::new();
    for word in text.split_whitespace() {
        let after = word.trim_start_matches(|c: char| c.is_ascii_digit());
        let word = match after.len() < word.len() && after.starts_with('.') {
            true => after.trim_start_matches('.'),
            false if after.is_empty() => "",
            false => word.trim_start_matches('.'),
        };
        if !word.is_empty() {
            words.push(word);
        }
        if words.len() > LINE {
            return Err(McpRefusal::new(
                "bad-line",
                format!("a line has at most {LINE} moves"),
            ));
        }
    }
    Ok(words)
}

/// Plays a line on a board; answers with its moves.
pub(crate) fn play_line(board: &mut Board, text: &str) -> Result<Vec<Move>, McpRefusal> {
    let mut moves = Vec::new();
    for word in words_of_line(text)? {
        let m = read_move(board, word)?;
        board.play(m);
        moves.push(m);
    }
    Ok(moves)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_read_in_standard_notation_alone() {
        let board = Board::standard();
        for good in ["e4", "Nf3", "e4!?", " Nc3 "] {
            assert!(read_move(&board, good).is_ok(), "{good}");
        }
        for bad in [
            "e2e4", "g1f3", "Ng5", "e5", "--", "O-O", "", "Nf3 Nf6", "(e4)", "Z0", "e4e5", "Nxf3",
            "e4+", "Nf3#",
        ] {
            let refusal = read_move(&board, bad).expect_err(bad);
            let told = refusal.json();
            assert_eq!(
                told["legal_moves"].as_array().map(Vec::len),
                Some(20),
                "{bad}"
            );
            assert!(told["fen"].is_string());
        }
    }

    #[test]
    fn what_several_pieces_can_do_is_refused() {
        let (board, _) = Board::from_fen("4k3/8/8/8/8/8/4K3/R6R w - - 0 1").expect("a position");
        let refusal = read_move(&board, "Rd1").expect_err("two rooks");
        assert_eq!(refusal.code(), "ambiguous-move");
        assert!(read_move(&board, "Rad1").is_ok());
    }

    #[test]
    fn lines_are_moves_with_or_without_numbers() {
        let mut board = Board::standard();
        let moves = play_line(&mut board, "1. e4 e5 2.Nf3 2...Nc6 3 Bb5").expect("a line");
        assert_eq!(moves.len(), 5);
        let refusal = play_line(&mut Board::standard(), "1.e4 (1.d4) e5").expect_err("refused");
        assert_eq!(refusal.code(), "bad-line");
    }
}
