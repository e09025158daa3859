//! Opening books as trees of moves: the common part of the book formats.

use std::fmt::Write;

use tabiya_model::nag::Nag;
use tabiya_model::outcome::Outcome;
pub use tabiya_model::position_book::{BookAdvice, BookMoveNotes, BookMoveWeight, PositionBook};
use tabiya_model::tags::ROSTER;
use tabiya_model::{Board, Game, Losses, Move, Tape, TapeOp, tag_name};

/// A place in a [`BookTree`]; the root is [`ROOT`].
pub type BookNodeId = u32;

/// The place before the first move.
pub const ROOT: BookNodeId = 0;

/// No place.
const NONE: BookNodeId = u32::MAX;

/// A move of a book.
#[derive(Clone, Debug)]
struct BookNode {
    m: Move,
    mark: BookMoveWeight,
    parent: BookNodeId,
    first: BookNodeId,
    last: BookNodeId,
    next: BookNodeId,
}

/// The data about a move as commands of a comment; empty if there is none.
fn commands(mark: &BookMoveWeight) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let mut say = |name: &str, value: String| {
        let _ = write!(text, "[%{name} {value}]");
    };
    if let Some(weight) = mark.weight {
        say("weight", weight.to_string());
    }
    let notes = mark.notes;
    if let Some(priority) = notes.priority {
        say("prio", priority.to_string());
    }
    if let Some([games, white, drawn, black]) = notes.games {
        say("games", format!("{games},{white},{drawn},{black}"));
    }
    if let Some(rating) = notes.rating {
        say("rating", rating.to_string());
    }
    match notes.advice {
        Some(BookAdvice::Play) => say("book", "play".to_owned()),
        Some(BookAdvice::Avoid) => say("book", "avoid".to_owned()),
        None => {}
    }
    if notes.is_deleted {
        say("book", "deleted".to_owned());
    }
    text
}

/// Reads the data about a move from the commands of a comment.
fn take_commands(mark: &mut BookMoveWeight, text: &str) {
    if let Some(weight) = weight_of_comment(text) {
        mark.weight = Some(weight);
    }
    let notes = &mut mark.notes;
    if let Some(priority) = value_of(text, "prio").and_then(|value| value.parse().ok()) {
        notes.priority = Some(priority);
    }
    if let Some(counts) = value_of(text, "games") {
        let mut counts = counts.split(',').map(|count| count.parse().ok());
        let mut count = || counts.next().flatten();
        if let (Some(games), Some(white), Some(drawn), Some(black)) =
            (count(), count(), count(), count())
        {
            notes.games = Some([games, white, drawn, black]);
        }
    }
    notes.is_deleted |= text.contains("[%book deleted]");
    if text.contains("[%book play]") {
        notes.advice = Some(BookAdvice::Play);
    } else if text.contains("[%book avoid]") {
        notes.advice = Some(BookAdvice::Avoid);
    }
}

/// The value of a command in a comment.
fn value_of<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("[%{name} "))?;
    Some(rest.split_once(']')?.0)
}

/// The data that a format of books holds about moves, besides an order of preference.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct BookCapabilities {
    /// Weights.
    pub(crate) weights: bool,
    /// How many games there were, and how they ended.
    pub(crate) games: bool,
    /// Priorities, and marks of deletion.
    pub(crate) priorities: bool,
}

/// Reports what a format of books does not hold of the data that another book has about its moves, each kind once for a
/// line. A symbol counts only if the move has data of a book: the symbols of games are lost with the games.
pub(crate) fn report_lost_data(game: &Game, holds: BookCapabilities, losses: &mut Losses) {
    let mut lost: [Option<String>; 3] = [None, None, None];
    let [numbers, advice, symbols] = &mut lost;
    let mut sign = None;
    for op in game.tape.ops() {
        match op {
            TapeOp::Move(_) => sign = None,
            TapeOp::Nag(nag) => sign = Some(nag.0),
            TapeOp::Comment(id) => {
                let text = game.tape.text(id);
                let find = |kinds: &[(&str, bool)]| {
                    kinds.iter().find_map(|(name, is_held)| {
                        let value = value_of(text, name).filter(|_| !*is_held)?;
                        Some(format!("[%{name} {value}]"))
                    })
                };
                if numbers.is_none() {
                    *numbers = find(&[
                        ("games", holds.games),
                        ("rating", false),
                        ("weight", holds.weights),
                    ]);
                }
                if advice.is_none() {
                    let is_deletion = value_of(text, "book") == Some("deleted");
                    *advice = find(&[
                        ("prio", holds.priorities),
                        ("book", is_deletion && holds.priorities),
                    ]);
                }
                if symbols.is_none() && weight_of_comment(text).is_some() {
                    *symbols = sign.take().map(|sign| format!("${sign}"));
                }
            }
            TapeOp::Begin(_)
            | TapeOp::End
            | TapeOp::Raw(_)
            | TapeOp::Ext(_)
            | TapeOp::Outcome(_) => {}
        }
    }
    let kinds = [&LOST_NUMBERS, &LOST_ADVICE, &LOST_SYMBOL];
    for (kind, detail) in kinds.into_iter().zip(lost) {
        if let Some(detail) = detail {
            losses.report(kind, game.origin.number, detail);
        }
    }
}

/// The places of a tree by their positions: where several lines come to the same position, it is one.
#[derive(Clone, Debug, Default)]
pub struct BookPlaces {
    /// The hash of each position that has moves, with its place, in this order.
    places: Vec<(u64, BookNodeId)>,
}

impl BookPlaces {
    /// The places of a tree.
    pub fn of(tree: &BookTree) -> BookPlaces {
        let mut places = Vec::new();
        let mut open = vec![(ROOT, Board::standard())];
        while let Some((place, board)) = open.pop() {
            let from = open.len();
            for child in tree.children(place) {
                let Some((m, _)) = tree.move_to(child) else {
                    continue;
                };
                let mut next = board.clone();
                next.play(m);
                open.push((child, next));
            }
            if open.len() > from {
                places.push((board.zobrist(), place));
            }
        }
        places.sort_unstable();
        BookPlaces { places }
    }

    /// The places of each position, for all positions.
    pub fn positions(&self) -> impl Iterator<Item = &[(u64, BookNodeId)]> {
        self.places.chunk_by(|one, other| one.0 == other.0)
    }

    /// The legal moves of a position, each once, with its data of all places together.
    pub fn moves(&self, tree: &BookTree, board: &Board) -> Vec<(Move, BookMoveWeight)> {
        let key = board.zobrist();
        let from = self.places.partition_point(|(known, _)| *known < key);
        let places = self.places.get(from..).unwrap_or(&[]).iter();
        let places = places.take_while(|(known, _)| *known == key);
        let mut found: Vec<(Move, BookMoveWeight)> = Vec::new();
        for child in places.flat_map(|(_, place)| tree.children(*place)) {
            let Some((m, mark)) = tree.move_to(child) else {
                continue;
            };
            match found.iter_mut().find(|(known, _)| *known == m) {
                Some((_, known)) => add_up(known, mark),
                // Two positions may have the same hash.
                None if board.is_legal(m) => found.push((m, mark)),
                None => {}
            }
        }
        found
    }
}

/// Adds what a book says about a move at another place of the same position.
fn add_up(sum: &mut BookMoveWeight, other: BookMoveWeight) {
    sum.is_weak &= other.is_weak;
    sum.weight = sum.weight.max(other.weight);
    sum.sign = sum.sign.max(other.sign);
    let notes = &mut sum.notes;
    notes.priority = notes.priority.max(other.notes.priority);
    notes.is_deleted &= other.notes.is_deleted;
    notes.advice = notes.advice.or(other.notes.advice);
    notes.rating = notes.rating.or(other.notes.rating);
    notes.games = match (notes.games, other.notes.games) {
        (Some(games), Some(others)) => {
            let mut all = games;
            for (sum, more) in all.iter_mut().zip(others) {
                *sum = sum.saturating_add(more);
            }
            Some(all)
        }
        (games, others) => games.or(others),
    };
}

/// The moves of a book, from the normal starting position. Alternatives keep their order.
#[derive(Clone, Debug)]
pub struct BookTree {
    nodes: Vec<BookNode>,
}

impl Default for BookTree {
    fn default() -> BookTree {
        BookTree {
            nodes: vec![BookNode {
                m: Move::NULL,
                mark: BookMoveWeight::default(),
                parent: NONE,
                first: NONE,
                last: NONE,
                next: NONE,
            }],
        }
    }
}

/// NAGs that call a move bad.
fn is_bad(nag: Nag) -> bool {
    matches!(nag.0, 2 | 4)
}

/// The weight in a comment such as `[%weight 12]`.
pub fn weight_of_comment(text: &str) -> Option<u32> {
    value_of(text, "weight")?.trim().parse().ok()
}

impl BookTree {
    /// The number of moves.
    pub fn len(&self) -> usize {
        self.nodes.len() - 1
    }

    /// Whether there is no move.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn node(&self, id: BookNodeId) -> Option<&BookNode> {
        self.nodes.get(usize::try_from(id).ok()?)
    }

    fn node_mut(&mut self, id: BookNodeId) -> Option<&mut BookNode> {
        self.nodes.get_mut(usize::try_from(id).ok()?)
    }

    /// The move before a place.
    pub fn move_to(&self, id: BookNodeId) -> Option<(Move, BookMoveWeight)> {
        let node = self.node(id)?;
        (id != ROOT).then_some((node.m, node.mark))
    }

    /// Replaces the data about the move before a place.
    pub fn set_mark(&mut self, id: BookNodeId, mark: BookMoveWeight) {
        if id != ROOT
            && let Some(node) = self.node_mut(id)
        {
            node.mark = mark;
        }
    }

    /// Counts a game with the move before a place.
    pub fn count_game(&mut self, id: BookNodeId, outcome: Outcome) {
        let Some(node) = self.node_mut(id).filter(|_| id != ROOT) else {
            return;
        };
        let [games, white, drawn, black] = node.mark.notes.games.get_or_insert([0; 4]);
        *games = games.saturating_add(1);
        let ended = match outcome {
            Outcome::WhiteWins => white,
            Outcome::Draw => drawn,
            Outcome::BlackWins => black,
            Outcome::Unknown => return,
        };
        *ended = ended.saturating_add(1);
    }

    /// The places after one more move.
    pub fn children(&self, id: BookNodeId) -> impl Iterator<Item = BookNodeId> + '_ {
        let first = self.node(id).map_or(NONE, |node| node.first);
        std::iter::successors(Some(first), |id| self.node(*id).map(|node| node.next))
            .take_while(|id| *id != NONE)
    }

    /// The place after a move: an existing one, or a new one after all others. A mark with content is copied.
    pub fn add(&mut self, parent: BookNodeId, m: Move, mark: BookMoveWeight) -> BookNodeId {
        let known = self
            .children(parent)
            .find(|id| self.node(*id).is_some_and(|node| node.m == m));
        if let Some(id) = known {
            if let Some(node) = self.node_mut(id) {
                node.mark.is_weak |= mark.is_weak;
                node.mark.weight = node.mark.weight.max(mark.weight);
                if node.mark.notes == BookMoveNotes::default() {
                    node.mark.notes = mark.notes;
                }
            }
            return id;
        }
        let Ok(id) = BookNodeId::try_from(self.nodes.len()) else {
            // Four thousand million moves: no book is that large, and no more are accepted.
            return parent;
        };
        self.nodes.push(BookNode {
            m,
            mark,
            parent,
            first: NONE,
            last: NONE,
            next: NONE,
        });
        let before = self.node(parent).map_or(NONE, |node| node.last);
        if let Some(node) = self.node_mut(before) {
            node.next = id;
        }
        if let Some(node) = self.node_mut(parent) {
            if node.first == NONE {
                node.first = id;
            }
            node.last = id;
        }
        id
    }

    /// The ends of all lines, in the order of the tree.
    pub fn leaves(&self) -> Vec<BookNodeId> {
        let mut leaves = Vec::new();
        let mut open = vec![ROOT];
        while let Some(id) = open.pop() {
            let from = open.len();
            open.extend(self.children(id));
            if let Some(children) = open.get_mut(from..) {
                children.reverse();
            }
            if open.len() == from && id != ROOT {
                leaves.push(id);
            }
        }
        leaves
    }

    /// The places on the path to one, without the root.
    pub fn line(&self, end: BookNodeId) -> Vec<BookNodeId> {
        let mut line: Vec<BookNodeId> =
            std::iter::successors(Some(end), |id| self.node(*id).map(|node| node.parent))
                .take_while(|id| *id != ROOT && *id != NONE)
                .collect();
        line.reverse();
        line
    }

    /// Adds all moves of another tree.
    pub fn merge(&mut self, other: &BookTree) {
        let mut open = vec![(ROOT, ROOT)];
        while let Some((there, here)) = open.pop() {
            for child in other.children(there) {
                if let Some((m, mark)) = other.move_to(child) {
                    open.push((child, self.add(here, m, mark)));
                }
            }
        }
    }

    /// Adds the moves of a game with its variations. Bad moves (`$2`, `$4`) become weak ones, and comments such as `[%weight
    /// 12]` give weights. `takes` decides which moves the book can hold; a line ends before others.
    pub fn add_game(&mut self, game: &Game, takes: impl Fn(&Board, Move) -> bool) {
        let start = game.start_board();
        if start != Board::standard() {
            return;
        }
        // The place before the last move, the place after it (`None` once the line is cut), and the boards there.
        let mut line = (ROOT, Some(ROOT), start.clone(), start);
        let mut outer = Vec::new();
        for op in game.tape.ops() {
            match op {
                TapeOp::Move(m) => {
                    let (_, after, _, board) = &line;
                    let mut next = board.clone();
                    let place = after.filter(|_| !m.is_null() && takes(board, m));
                    next.play(m);
                    line = match place {
                        Some(place) => {
                            let id = self.add(place, m, BookMoveWeight::default());
                            (place, Some(id), board.clone(), next)
                        }
                        None => (ROOT, None, board.clone(), next),
                    };
                }
                TapeOp::Begin(_) => {
                    let (before, after, board, _) = &line;
                    // A line that was cut has no place for variations either.
                    let place = after.map(|_| *before);
                    let inner = (*before, place, board.clone(), board.clone());
                    outer.push(std::mem::replace(&mut line, inner));
                }
                TapeOp::End => {
                    if let Some(back) = outer.pop() {
                        line = back;
                    }
                }
                TapeOp::Nag(nag) if is_bad(nag) => {
                    if let Some(node) = line.1.and_then(|id| self.node_mut(id)) {
                        node.mark.is_weak = true;
                    }
                }
                TapeOp::Comment(id) => {
                    let text = game.tape.text(id);
                    if text.contains("[%")
                        && let Some(node) = line.1.and_then(|id| self.node_mut(id))
                    {
                        take_commands(&mut node.mark, text);
                    }
                }
                TapeOp::Nag(_) | TapeOp::Raw(_) | TapeOp::Ext(_) | TapeOp::Outcome(_) => {}
            }
        }
    }

    /// Writes one line to a tape; weak moves get the given NAG.
    pub fn write_line(&self, end: BookNodeId, weak: Option<Nag>, tape: &mut Tape) {
        for id in self.line(end) {
            self.write_move(id, weak, tape);
        }
    }

    fn write_move(&self, id: BookNodeId, weak: Option<Nag>, tape: &mut Tape) {
        let Some((m, mark)) = self.move_to(id) else {
            return;
        };
        tape.push_move(m);
        if mark.is_weak
            && let Some(nag) = weak
        {
            tape.push_nag(nag);
        }
        if mark.sign != 0 {
            tape.push_nag(Nag(u32::from(mark.sign)));
        }
        let commands = commands(&mark);
        if !commands.is_empty() {
            tape.push_comment(&commands);
        }
    }

    /// Writes the whole tree to a tape: first alternatives are the main line, the others variations.
    pub fn write_tree(&self, weak: Option<Nag>, tape: &mut Tape) {
        enum BookWriteStep {
            Children(BookNodeId),
            Variation(BookNodeId),
            End,
        }
        let mut tasks = vec![BookWriteStep::Children(ROOT)];
        while let Some(task) = tasks.pop() {
            match task {
                BookWriteStep::Children(id) => {
                    let mut children = self.children(id);
                    let Some(main) = children.next() else {
                        continue;
                    };
                    self.write_move(main, weak, tape);
                    tasks.push(BookWriteStep::Children(main));
                    let others: Vec<BookNodeId> = children.collect();
                    for other in others.into_iter().rev() {
                        tasks.push(BookWriteStep::End);
                        tasks.push(BookWriteStep::Children(other));
                        tasks.push(BookWriteStep::Variation(other));
                    }
                }
                BookWriteStep::Variation(id) => {
                    tape.begin_variation();
                    self.write_move(id, weak, tape);
                }
                BookWriteStep::End => {
                    tape.end_variation();
                }
            }
        }
    }
}

/// Makes a game of a book's moves: all roster tags are unknown except the event, which is the name of the book.
pub fn game_tags(book: &str, game: &mut Game) {
    for name in ROSTER {
        let value = match name {
            "Event" if !book.is_empty() => book,
            name => tag_name::missing_value(name),
        };
        game.tags.push(name, value);
    }
    game.outcome = Some(Outcome::Unknown);
}

tabiya_model::losses! {
    LOST_GAME = "book-game", Game,
        "A book holds only the moves of games from the normal starting position, merged into one tree.";
    LOST_NUMBERS = "book-numbers", Comments,
        "The format of the book has no place for these numbers about a move: games, results, ratings or weights.";
    LOST_ADVICE = "book-advice", Comments,
        "The format of the book has no place for the recommendation, the priority or the mark of deletion of a move.";
    LOST_SYMBOL = "book-symbol", Nags,
        "The format of the book has no place for the annotation symbol of a move.";
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(tree: &mut BookTree, moves: &str) -> BookNodeId {
        let mut board = Board::standard();
        moves.split(' ').fold(ROOT, |place, text| {
            let m = board.parse_uci(text.as_bytes()).expect("a move");
            board.play(m);
            tree.add(place, m, BookMoveWeight::default())
        })
    }

    #[test]
    fn lines_and_variations_are_the_same_tree() {
        let mut tree = BookTree::default();
        for moves in [
            "e2e4 e7e5 g1f3",
            "e2e4 c7c5",
            "d2d4 d7d5",
            "e2e4 e7e5 f1c4 g8f6",
        ] {
            line(&mut tree, moves);
        }
        assert_eq!((tree.len(), tree.leaves().len()), (8, 4));
        let mut game = Game::default();
        tree.write_tree(None, &mut game.tape);
        let mut again = BookTree::default();
        again.add_game(&game, |_, _| true);
        let lines = |tree: &BookTree| {
            let mut lines: Vec<Vec<Move>> = tree
                .leaves()
                .into_iter()
                .map(|leaf| tree.line(leaf))
                .map(|line| {
                    line.into_iter()
                        .filter_map(|id| tree.move_to(id))
                        .map(|(m, _)| m)
                        .collect()
                })
                .collect();
            lines.sort();
            lines
        };
        assert_eq!(lines(&again), lines(&tree));
        let mut merged = BookTree::default();
        line(&mut merged, "d2d4 g8f6");
        merged.merge(&tree);
        assert_eq!((merged.len(), merged.leaves().len()), (9, 5));
    }

    #[test]
    fn a_line_ends_before_what_the_book_cannot_hold() {
        let mut tree = BookTree::default();
        line(&mut tree, "e2e4 e7e5 g1f3");
        let mut game = Game::default();
        tree.write_tree(None, &mut game.tape);
        let mut cut = BookTree::default();
        cut.add_game(&game, |board, _| board.fullmoves() < 2);
        assert_eq!(cut.len(), 2);
    }
}
