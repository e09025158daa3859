//! Other games merged into one: a game as a variation, many games as a tree.

use crate::board::{Board, Move};
use crate::game::Game;
use crate::tape::{Replay, Tape, TapeOp};

use super::change::{PatchList, TapeItem};
use super::{EditError, GameEditor, tree};

/// How games are merged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MergeOptions {
    /// The maximum number of plies of a line, from the cursor on.
    pub plies: usize,
    /// The maximum number of games in a tree.
    pub games: usize,
    /// Whether comments, NAGs, variations and extensions are merged too; a tree takes only moves.
    pub annotations: bool,
    /// Whether to add a comment after the last move with players, event, date and result.
    pub names: bool,
}

impl Default for MergeOptions {
    fn default() -> MergeOptions {
        MergeOptions {
            plies: 1_000,
            games: 1_000,
            annotations: true,
            names: true,
        }
    }
}

/// New items, and the place of the tape where they are inserted.
type TapeInsertion = (usize, Vec<TapeItem>);

impl GameEditor {
    /// Merges the main line of another game from the position at the cursor on: along the existing moves, then as a
    /// variation, or at the end of the line if nothing follows. The cursor stays.
    ///
    /// # Errors
    ///
    /// [`EditError::NotReached`] if the other game does not reach this position.
    pub fn merge(&mut self, other: &Game, options: &MergeOptions) -> Result<(), EditError> {
        let from = reaches(other, self.board()).ok_or(EditError::NotReached)?;
        let theirs = &other.tape;
        let tape = self.tape();
        let mut place = self.place();
        let mut at = tree::next_move(theirs, from);
        let mut plies = 0;
        let mut branches = tree::branches(tape, place);
        while let Some(TapeOp::Move(m)) = theirs.get(at)
            && plies < options.plies
            && let Some(branch) = branches.iter().find(|branch| branch.m == Some(m))
        {
            plies += 1;
            place = branch.place;
            branches = tree::branches(tape, place);
            at = tree::next_move(theirs, at + 1);
        }
        let names = options.names.then(|| TapeItem::comment(&names_of(other)));
        let is_over = plies >= options.plies || !tree::is_move(theirs, at);
        let insertion = if is_over {
            let slot = match place.checked_sub(1) {
                Some(m) if tree::is_move(tape, m) => tree::around(tape, m).notes_end,
                _ => place,
            };
            let Some(names) = names else {
                return Err(EditError::NothingToDo);
            };
            (slot, vec![names])
        } else {
            let room = options.plies - plies;
            let (line, beside) = their_line(theirs, at, room, options.annotations);
            if branches.is_empty() {
                let mut items = line;
                // Alternatives to the first of these moves follow it.
                let behind = items
                    .iter()
                    .skip(1)
                    .position(|item| {
                        !matches!(
                            item,
                            TapeItem::Nag(_) | TapeItem::Comment(_) | TapeItem::Ext(_)
                        )
                    })
                    .map_or(items.len(), |more| more + 1);
                let rest = items.split_off(behind);
                items.extend(beside);
                items.extend(rest);
                items.extend(names);
                (tree::append_slot(tape, place), items)
            } else {
                let mut items = vec![TapeItem::Begin];
                items.extend(line);
                items.extend(names);
                items.push(TapeItem::End);
                items.extend(beside);
                let slot = tree::variation_slot(tape, tree::next_move(tape, place));
                (slot, items)
            }
        };
        self.insert_all("merge", vec![insertion])
    }

    /// Merges the main lines of many games from the position at the cursor on as one tree, the most frequent moves first.
    /// Games that do not reach the position are skipped. Returns the number of merged games; the cursor stays.
    ///
    /// # Errors
    ///
    /// [`EditError::NotReached`] if none of them reaches this position, [`EditError::NothingToDo`] if all of their moves
    /// are already there.
    pub fn merge_tree<'g>(
        &mut self,
        games: impl IntoIterator<Item = &'g Game>,
        options: &MergeOptions,
    ) -> Result<usize, EditError> {
        let mut trie = MoveTrie::default();
        let mut taken = 0;
        for game in games {
            if taken >= options.games {
                break;
            }
            let Some(from) = reaches(game, self.board()) else {
                continue;
            };
            taken += 1;
            let mut node = 0;
            let mut at = tree::next_move(&game.tape, from);
            for _ in 0..options.plies {
                let Some(TapeOp::Move(m)) = game.tape.get(at) else {
                    break;
                };
                node = trie.child(node, m);
                at = tree::next_move(&game.tape, at + 1);
            }
            if options.names {
                trie.name(node, names_of(game));
            }
        }
        if taken == 0 {
            return Err(EditError::NotReached);
        }
        let insertions = self.overlay(&trie);
        self.insert_all("merge tree", insertions)?;
        Ok(taken)
    }

    /// The places where the lines of a trie leave the tree at the cursor, and the items to insert there.
    fn overlay(&self, trie: &MoveTrie) -> Vec<TapeInsertion> {
        let tape = self.tape();
        let mut insertions = Vec::new();
        let mut open = vec![(self.place(), 0)];
        while let Some((place, node)) = open.pop() {
            let branches = tree::branches(tape, place);
            let mut new = Vec::new();
            for child in trie.children(node) {
                match branches.iter().find(|branch| branch.m == trie.m(child)) {
                    Some(branch) => open.push((branch.place, child)),
                    None => new.push(child),
                }
            }
            if new.is_empty() {
                continue;
            }
            if branches.is_empty() {
                insertions.push((tree::append_slot(tape, place), trie.write(&new)));
                continue;
            }
            let slot = tree::variation_slot(tape, tree::next_move(tape, place));
            for child in new {
                let mut items = vec![TapeItem::Begin];
                items.extend(trie.write(&[child]));
                items.push(TapeItem::End);
                insertions.push((slot, items));
            }
        }
        insertions
    }

    /// Inserts items at several places, as one step. The cursor does not move.
    fn insert_all(
        &mut self,
        wish: &str,
        mut insertions: Vec<TapeInsertion>,
    ) -> Result<(), EditError> {
        if insertions.is_empty() {
            return Err(EditError::NothingToDo);
        }
        insertions.sort_by_key(|(slot, _)| *slot);
        let mut pieces = PatchList::default();
        let mut done = 0;
        for (slot, items) in insertions {
            pieces.keep(done..slot);
            pieces.put_all(items);
            done = slot;
        }
        pieces.keep(done..self.tape().len());
        let last = self.place().checked_sub(1);
        self.commit_pieces(wish, pieces, last)
    }
}

/// The place in the main line of a game where it reaches a position for the first time, regardless of its counters.
fn reaches(game: &Game, board: &Board) -> Option<usize> {
    let hash = board.zobrist();
    let is_same = |other: &Board| {
        other.occupied() == board.occupied()
            && other.us() == board.us()
            && other.turn() == board.turn()
            && other.castling_rooks() == board.castling_rooks()
            && other.zobrist() == hash
    };
    let mut replay = Replay::new(&game.start_board());
    replay.expect_variations(false);
    if is_same(replay.now()) {
        return Some(0);
    }
    let mut at = tree::next_move(&game.tape, 0);
    while let Some(TapeOp::Move(m)) = game.tape.get(at) {
        replay.play(m);
        if is_same(replay.now()) {
            return Some(at + 1);
        }
        at = tree::next_move(&game.tape, at + 1);
    }
    None
}

/// The line of a game from a move on, up to a number of moves, and separately the alternatives to its first move.
fn their_line(
    tape: &Tape,
    first: usize,
    plies: usize,
    annotations: bool,
) -> (Vec<TapeItem>, Vec<TapeItem>) {
    let around = tree::around(tape, first);
    let (mut line, mut beside) = (Vec::new(), Vec::new());
    let mut left = plies;
    let mut i = first;
    while let Some(op) = tape.get(i) {
        match op {
            TapeOp::Move(_) if left == 0 => break,
            TapeOp::Move(_) => {
                left -= 1;
                line.push(TapeItem::of(tape, op));
            }
            TapeOp::End => break,
            TapeOp::Begin(_) => {
                let end = tape.skip(i);
                if annotations {
                    let to = if i < around.rest {
                        &mut beside
                    } else {
                        &mut line
                    };
                    let ops = (i..end).filter_map(|index| tape.get(index));
                    to.extend(ops.map(|op| TapeItem::of(tape, op)));
                }
                i = end;
                continue;
            }
            // Unreadable movetext counts as moves.
            TapeOp::Raw(_) => line.push(TapeItem::of(tape, op)),
            TapeOp::Nag(_) | TapeOp::Comment(_) | TapeOp::Ext(_) | TapeOp::Outcome(_)
                if annotations =>
            {
                line.push(TapeItem::of(tape, op));
            }
            _ => {}
        }
        i += 1;
    }
    (line, beside)
}

/// The players of a game, its event, date and result.
fn names_of(game: &Game) -> String {
    let tags = &game.tags;
    let known = |name: &str| {
        let value = tags.value(name).trim();
        (!value.is_empty() && !value.starts_with('?')).then_some(value)
    };
    let players = format!(
        "{} - {}",
        known("White").unwrap_or("?"),
        known("Black").unwrap_or("?")
    );
    let year = known("Date").and_then(|date| date.get(..4));
    let event = [known("Event").or(known("Site")), year];
    let event: Vec<&str> = event.into_iter().flatten().collect();
    let mut parts = vec![players];
    if !event.is_empty() {
        parts.push(event.join(" "));
    }
    parts.push(game.result().as_pgn().to_owned());
    parts.join(", ")
}

/// Moves of many games as a tree; node 0 is the position that they have in common.
struct MoveTrie(Vec<MoveTrieNode>);

#[derive(Default)]
struct MoveTrieNode {
    m: Option<Move>,
    games: usize,
    children: Vec<usize>,
    /// The players of the games that end here.
    names: Vec<String>,
}

impl Default for MoveTrie {
    fn default() -> MoveTrie {
        MoveTrie(vec![MoveTrieNode::default()])
    }
}

impl MoveTrie {
    fn m(&self, node: usize) -> Option<Move> {
        self.0.get(node).and_then(|node| node.m)
    }

    /// The node after a move, created if it is missing; counts one more game for it.
    fn child(&mut self, node: usize, m: Move) -> usize {
        let children = self.0.get(node).map_or(&[][..], |node| &node.children);
        let known = children
            .iter()
            .copied()
            .find(|&child| self.m(child) == Some(m));
        let child = known.unwrap_or_else(|| {
            let child = self.0.len();
            self.0.push(MoveTrieNode {
                m: Some(m),
                ..MoveTrieNode::default()
            });
            if let Some(node) = self.0.get_mut(node) {
                node.children.push(child);
            }
            child
        });
        if let Some(node) = self.0.get_mut(child) {
            node.games += 1;
        }
        child
    }

    fn name(&mut self, node: usize, names: String) {
        if let Some(node) = self.0.get_mut(node) {
            node.names.push(names);
        }
    }

    /// The children of a node, those with the most games first.
    fn children(&self, node: usize) -> Vec<usize> {
        let mut children = self
            .0
            .get(node)
            .map_or_else(Vec::new, |node| node.children.clone());
        let games = |node: usize| self.0.get(node).map_or(0, |node| node.games);
        children.sort_by_key(|&child| std::cmp::Reverse(games(child)));
        children
    }

    /// Lines as items: the first one continues, the others are variations of its first move.
    fn write(&self, nodes: &[usize]) -> Vec<TapeItem> {
        enum MergeTask {
            Line(Vec<usize>),
            Variation(usize),
            End,
        }
        let mut items = Vec::new();
        let mut tasks = vec![MergeTask::Line(nodes.to_vec())];
        let step = |node: usize, items: &mut Vec<TapeItem>| {
            if let Some(node) = self.0.get(node) {
                items.extend(node.m.map(TapeItem::Move));
                items.extend(node.names.iter().map(|names| TapeItem::comment(names)));
            }
        };
        while let Some(task) = tasks.pop() {
            match task {
                MergeTask::Line(nodes) => {
                    let Some((&first, others)) = nodes.split_first() else {
                        continue;
                    };
                    step(first, &mut items);
                    tasks.push(MergeTask::Line(self.children(first)));
                    tasks.extend(others.iter().rev().map(|&node| MergeTask::Variation(node)));
                }
                MergeTask::Variation(node) => {
                    items.push(TapeItem::Begin);
                    step(node, &mut items);
                    tasks.push(MergeTask::End);
                    tasks.push(MergeTask::Line(self.children(node)));
                }
                MergeTask::End => items.push(TapeItem::End),
            }
        }
        items
    }
}
