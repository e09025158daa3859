//! The opening tree from a position.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;

use shakmaty::Color;
use tabiya_answers::{Answer, ExplorerBranchAnswer, ExplorerTreeAnswer};
use tabiya_explore::explorer::ExploreTarget;
use tabiya_explore::move_code::MoveCode;
use tabiya_explore::tally::{MoveScore, PositionTally};
use tabiya_formats::polyglot::{PolyglotBookBuilder, write_entries};
use tabiya_io::output::{OutputFile, OutputOptions};
use tabiya_model::board::Board;
use tabiya_model::game::StartingPosition;
use tabiya_model::{Control, DatabaseMetadata, Error, Game, Result, UserHint};
use tabiya_openings::position_key::PositionKey;

use super::{ExploreAnswer, Explorer, answers, san_of};
use crate::error_codes;
use crate::open::base::Base;
use crate::write::convert::Conversion;
use crate::write::report::SourceReport;
use crate::write::target;

/// Positions that a tree holds at most.
const MOST: usize = 1_000_000;

/// The bounds of an opening tree.
#[derive(Copy, Clone, Debug)]
pub struct OpeningTreeBounds {
    /// Plies from the root.
    pub depth: usize,
    /// The minimum number of games with a move.
    pub least: u64,
}

/// A position and what was played there.
pub(crate) struct OpeningTreeNode {
    pub(super) board: Board,
    /// The moves that were played often enough, the most frequent first, each with the node that it leads to.
    pub(super) moves: Vec<(MoveCode, MoveScore, Option<usize>)>,
}

/// A move of a tree.
#[derive(Clone, Debug)]
pub(crate) struct OpeningTreeBranch {
    /// The position before it.
    pub(crate) board: Board,
    /// The moves before it, with their numbers.
    pub(crate) before: Vec<String>,
    /// Its place among the moves there, the most frequent first.
    pub(crate) place: usize,
    /// The move.
    pub(crate) step: MoveCode,
    /// The move in SAN.
    pub(crate) san: String,
    /// How it scored.
    pub(crate) score: MoveScore,
}

/// Positions, each once, by whatever moves it is reached; the root is the first.
///
/// ```
/// # fn main() -> tabiya::model::Result<()> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/pgn/ok/opera.pgn");
/// use tabiya::Selection;
/// use tabiya::explorer::{OpeningTreeBounds, ExploreFilter, Explorer, ExploreLine, OpeningTree};
/// use tabiya::model::Control;
///
/// let control = Control::default();
/// let explorer = Explorer::new(Selection::of(tabiya::open(path)?), &ExploreFilter::default(), &control)?;
/// let line = ExploreLine::read(None, "")?;
/// let found = explorer.ask(&line, &control)?;
/// let bounds = OpeningTreeBounds { depth: 3, least: 1 };
/// let tree = OpeningTree::grow(&explorer, line.board(), &found, bounds, &control)?;
/// assert_eq!(tree.game().tape.plies(), 3);
/// # Ok(())
/// # }
/// ```
pub struct OpeningTree {
    pub(crate) nodes: Vec<OpeningTreeNode>,
}

impl OpeningTree {
    /// Explores level by level, so that without an index a level needs one pass through the games.
    pub fn grow(
        explorer: &Explorer,
        root: &Board,
        first: &ExploreAnswer,
        bounds: OpeningTreeBounds,
        control: &Control,
    ) -> Result<OpeningTree> {
        let mut tree = OpeningTree {
            nodes: vec![OpeningTreeNode {
                board: root.clone(),
                moves: Vec::new(),
            }],
        };
        let mut known = HashMap::from([(PositionKey::of_board(root), 0)]);
        let mut level = vec![0];
        let mut tallies: Vec<PositionTally> = vec![first.tally.clone()];
        for depth in 1..=bounds.depth {
            let mut next = Vec::new();
            for (at, tally) in std::mem::take(&mut level)
                .into_iter()
                .zip(tallies.drain(..))
            {
                let Some(board) = tree.nodes.get(at).map(|node| node.board.clone()) else {
                    continue;
                };
                let mut moves = Vec::new();
                for (step, score) in tally.moves() {
                    if score.games < bounds.least {
                        continue;
                    }
                    let Some(m) = step.on(&board) else {
                        continue;
                    };
                    let mut after = board.clone();
                    after.play(m);
                    let child = *known
                        .entry(PositionKey::of_board(&after))
                        .or_insert_with(|| {
                            tree.nodes.push(OpeningTreeNode {
                                board: after,
                                moves: Vec::new(),
                            });
                            next.push(tree.nodes.len() - 1);
                            tree.nodes.len() - 1
                        });
                    moves.push((step, score, Some(child)));
                }
                if let Some(node) = tree.nodes.get_mut(at) {
                    node.moves = moves;
                }
            }
            if next.is_empty() || depth == bounds.depth || control.is_stopped() {
                break;
            }
            if tree.nodes.len() > MOST {
                return Err(Error::new(
                    &error_codes::TREE_TOO_LARGE,
                    format!("the tree has more than {MOST} positions"),
                )
                .with_hint(UserHint::SmallerTree));
            }
            let targets: Vec<ExploreTarget> = next
                .iter()
                .filter_map(|at| {
                    tree.nodes
                        .get(*at)
                        .map(|node| ExploreTarget::of_board(&node.board))
                })
                .collect();
            tallies = explorer.explore(&targets, control)?.tallies;
            level = next;
        }
        Ok(tree)
    }

    /// Walks the tree in the order of reading. Each position is entered once, from its first parent. `visit` gets the
    /// depth, the node, the index of the move there, and whether the position after it follows.
    fn walk(
        &self,
        mut visit: impl FnMut(usize, &OpeningTreeNode, usize, bool) -> Result<()>,
    ) -> Result<()> {
        let mut entered = vec![false; self.nodes.len()];
        let mut stack = vec![(0, 0)];
        if let Some(root) = entered.first_mut() {
            *root = true;
        }
        while let Some((at, index)) = stack.pop() {
            let Some(node) = self.nodes.get(at) else {
                continue;
            };
            let Some((_, _, child)) = node.moves.get(index) else {
                continue;
            };
            let depth = stack.len();
            stack.push((at, index + 1));
            let fresh = child.filter(|child| {
                entered
                    .get_mut(*child)
                    .is_some_and(|entered| !std::mem::replace(entered, true))
            });
            let follows = fresh
                .and_then(|child| self.nodes.get(child))
                .is_some_and(|node| !node.moves.is_empty());
            visit(depth, node, index, follows)?;
            if let Some(child) = fresh {
                stack.push((child, 0));
            }
        }
        Ok(())
    }

    /// Its moves in the order of reading, each with the line that leads to it.
    pub(crate) fn branches(&self) -> Result<Vec<OpeningTreeBranch>> {
        let mut branches = Vec::new();
        let mut line: Vec<String> = Vec::new();
        self.walk(|depth, node, index, _| {
            let Some((step, score, _)) = node.moves.get(index) else {
                return Ok(());
            };
            let board = &node.board;
            line.truncate(depth);
            let before = line.clone();
            let number = board.fullmoves();
            let san = san_of(board, *step);
            line.push(match board.turn() {
                Color::White => format!("{number}.{san}"),
                Color::Black if depth == 0 => format!("{number}...{san}"),
                Color::Black => san.clone(),
            });
            branches.push(OpeningTreeBranch {
                board: board.clone(),
                before,
                place: index,
                step: *step,
                san,
                score: *score,
            });
            Ok(())
        })?;
        Ok(branches)
    }

    /// Writes lines for people.
    pub fn write_text(&self, out: &mut dyn Write) -> Result<()> {
        self.walk(|depth, node, index, _| {
            let Some((step, score, _)) = node.moves.get(index) else {
                return Ok(());
            };
            let board = &node.board;
            let number = board.fullmoves();
            let dots = board.turn().fold_wb(".", "...");
            let name = crate::study::explorer::opening_after(board, *step);
            writeln!(
                out,
                "{:indent$}{number}{dots}{}  {} {}{}",
                "",
                san_of(board, *step),
                score.games,
                crate::study::explorer::percentages(score),
                name.map(|name| format!("  {} {}", name.eco, name.name))
                    .unwrap_or_default(),
                indent = depth * 2,
            )?;
            Ok(())
        })
    }

    /// The tree for programs: each move with its figures and the moves after it.
    pub fn answer(&self) -> ExplorerTreeAnswer {
        // From the last position to the first: positions come after the first that leads to them, so that children
        // are ready when their parent wants them.
        let mut ready: Vec<Option<Vec<ExplorerBranchAnswer>>> = vec![None; self.nodes.len()];
        let mut parents: HashMap<usize, (usize, usize)> = HashMap::new();
        for (at, node) in self.nodes.iter().enumerate() {
            for (index, (_, _, child)) in node.moves.iter().enumerate() {
                if let Some(child) = child.filter(|child| *child > at) {
                    parents.entry(child).or_insert((at, index));
                }
            }
        }
        for (at, node) in self.nodes.iter().enumerate().rev() {
            let moves = node
                .moves
                .iter()
                .enumerate()
                .map(|(index, (step, score, child))| {
                    let mut branch = answers::branch(&node.board, *step, score, node.board.turn());
                    let own = child.filter(|child| parents.get(child) == Some(&(at, index)));
                    let after = own.map(|child| ready.get_mut(child).and_then(Option::take));
                    branch.transposes = after.is_none().then_some(true);
                    branch.moves = after.map(Option::unwrap_or_default);
                    branch
                })
                .collect();
            if let Some(slot) = ready.get_mut(at) {
                *slot = Some(moves);
            }
        }
        ExplorerTreeAnswer {
            fen: self.nodes.first().map(|node| node.board.to_fen()),
            moves: ready.first_mut().and_then(Option::take).unwrap_or_default(),
        }
    }

    /// Writes a Polyglot book. Counts are added up as for books of whole games.
    pub fn write_book(&self, out: &mut dyn Write) -> Result<()> {
        let mut book = PolyglotBookBuilder::new();
        for node in &self.nodes {
            for (step, score, _) in &node.moves {
                let Some(m) = step.on(&node.board) else {
                    continue;
                };
                let won = node.board.turn().fold_wb(score.white, score.black);
                let lost = node.board.turn().fold_wb(score.black, score.white);
                // Draws and games without a result count one.
                book.add(
                    &node.board,
                    m,
                    won.saturating_add(score.games.saturating_sub(lost)),
                );
            }
        }
        write_entries(&book.finish(), out)?;
        Ok(())
    }

    /// The tree as one game: the most frequent moves are the main line, all others variations, each move with its figures
    /// as a comment.
    pub fn game(&self) -> Game {
        let mut game = Game::default();
        let Some(root) = self.nodes.first() else {
            return game;
        };
        for (name, value) in [
            ("Event", "Opening tree"),
            ("Site", "?"),
            ("Date", "????.??.??"),
            ("Round", "?"),
            ("White", "?"),
            ("Black", "?"),
            ("Result", "*"),
        ] {
            game.tags.push(name, value);
        }
        if root.board != Board::standard() {
            game.tags.push("SetUp", "1");
            game.tags.push("FEN", &root.board.to_fen());
            game.start = StartingPosition::Setup(
                Box::new(root.board.clone()),
                tabiya_model::board::PositionProblems::NONE,
            );
        }
        let mut entered = vec![false; self.nodes.len()];
        let tape = &mut game.tape;
        let push =
            |tape: &mut tabiya_model::Tape, board: &Board, step: MoveCode, score: &MoveScore| {
                if let Some(m) = step.on(board) {
                    tape.push_move(m);
                    tape.push_comment(&format!(
                        "{} {}",
                        score.games,
                        crate::study::explorer::percentages(score)
                    ));
                }
            };
        // What is still to be written: a line that goes on at a node, or the end of a variation.
        enum OpeningTreeTask {
            Line(usize),
            Variation(usize, usize),
            End,
        }
        let mut stack = vec![OpeningTreeTask::Line(0)];
        while let Some(todo) = stack.pop() {
            match todo {
                OpeningTreeTask::Line(at) => {
                    let fresh = entered
                        .get_mut(at)
                        .is_some_and(|entered| !std::mem::replace(entered, true));
                    let Some(node) = self.nodes.get(at).filter(|_| fresh) else {
                        continue;
                    };
                    let Some((step, score, child)) = node.moves.first() else {
                        continue;
                    };
                    push(tape, &node.board, *step, score);
                    if let Some(child) = child {
                        stack.push(OpeningTreeTask::Line(*child));
                    }
                    for index in (1..node.moves.len()).rev() {
                        stack.push(OpeningTreeTask::Variation(at, index));
                    }
                }
                OpeningTreeTask::Variation(at, index) => {
                    let Some(node) = self.nodes.get(at) else {
                        continue;
                    };
                    let Some((step, score, child)) = node.moves.get(index) else {
                        continue;
                    };
                    tape.begin_variation();
                    push(tape, &node.board, *step, score);
                    stack.push(OpeningTreeTask::End);
                    if let Some(child) = child {
                        stack.push(OpeningTreeTask::Line(*child));
                    }
                }
                OpeningTreeTask::End => {
                    tape.end_variation();
                }
            }
        }
        game.origin.number = 1;
        game
    }

    /// Writes the tree as one game into a target, like any other game.
    pub fn write_game(
        &self,
        target: &target::Target,
        bases: &[Base],
        control: &Control,
    ) -> Result<Conversion> {
        let mut writing = target.begin(bases)?;
        let report = SourceReport {
            name: "the tree".to_owned(),
            is_table: target.format.is_table(),
            ..SourceReport::default()
        };
        // A new game says nothing about a database, and what the bases say is not about it.
        let mut feed = writing.feed(DatabaseMetadata::default(), report);
        let mut singles = feed.singles(1);
        singles.push(self.game())?;
        singles.finish()?;
        let report = feed.report;
        let ended = control.completion();
        let summary = if ended.is_whole() {
            Some(writing.finish()?)
        } else {
            None
        };
        Ok(Conversion {
            summary,
            sources: vec![report],
            ended,
            ..Conversion::default()
        })
    }

    /// Writes the tree in a format of its own into a file, or to standard output for `-`.
    pub fn write(
        &self,
        form: OpeningTreeFormat,
        path: &Path,
        force: bool,
        bases: &[Base],
    ) -> Result<()> {
        let options = OutputOptions {
            force,
            sources: bases.iter().flat_map(Base::files).collect(),
        };
        let failed = |error| Error::from(std::io::Error::from(error));
        let mut out = OutputFile::create(path, &options).map_err(failed)?;
        match form {
            OpeningTreeFormat::Text => self.write_text(&mut out)?,
            OpeningTreeFormat::Json => writeln!(out, "{}", self.answer().json())?,
            OpeningTreeFormat::Book => self.write_book(&mut out)?,
        }
        out.commit().map_err(failed)
    }
}

/// Formats of a tree other than a game.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum OpeningTreeFormat {
    /// Lines for people.
    Text,
    /// JSON.
    Json,
    /// A Polyglot book; the weight of a move is two for each game won with it, and one for each drawn or unfinished one.
    Book,
}
