//! Makes an opening book from games: their positions with weighted moves.
//!
//! The moves of all games are counted by position, whatever moves led there. Which of them the book has, and how it weighs
//! them, are [`BookOptions`]. A Polyglot book holds positions. A book of Arena holds lines: a second pass follows the games as
//! long as the book has their moves.

use std::io::Write as _;

use shakmaty::Color;
use tabiya_answers::BookAnswer;
use tabiya_formats::book::{BookMoveNotes, BookMoveWeight, BookPlaces, BookTree, ROOT};
use tabiya_formats::polyglot::{PolyglotBookBuilder, moves, write_entries};
use tabiya_formats::{abk, polyglot};
use tabiya_io::output::{OutputFile, OutputOptions};
use tabiya_model::collect::{CollectorNeeds, CollectorPass, GameView, Statistic};
use tabiya_model::outcome::Outcome;
use tabiya_model::tags::TagSet;
use tabiya_model::{Board, Control, Error, Game, GameNeeds, JobCompletion, Move, Result};

use crate::error_codes;
use crate::open::base::Base;
use crate::select::base_view::{self, BaseView};
use crate::select::selection::Selection;
use crate::write::target::Target;

/// Which moves a book has, and how it weighs them.
#[derive(Clone, Debug)]
pub struct BookOptions {
    /// The number of plies of each game that count.
    pub plies: u32,
    /// The minimum number of games with a move.
    pub min_games: u32,
    /// The minimum score of a move for the side that plays it, in per cent. A move that never scored is always left out.
    pub min_score: f64,
    /// Only moves of this side.
    pub color: Option<Color>,
    /// How moves are weighed.
    pub weights: BookWeightRule,
}

impl Default for BookOptions {
    fn default() -> BookOptions {
        BookOptions {
            plies: 60,
            min_games: 3,
            min_score: 0.0,
            color: None,
            weights: BookWeightRule::Points,
        }
    }
}

/// How the moves of a position are weighed.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum BookWeightRule {
    /// Two for each game won by the side that moves, one for each drawn or unfinished one.
    #[default]
    Points,
    /// One for each game.
    Games,
    /// The score in per cent, at least 1.
    Score,
    /// All alike.
    Uniform,
}

/// The book that was made.
#[derive(Clone, Debug, Default)]
pub struct BookReport {
    /// Games that were counted.
    pub games: u64,
    /// Games from other starting positions, or without a move: they were not counted.
    pub skipped: u64,
    /// Damaged games: they were counted up to the damage.
    pub damaged: u64,
    /// Positions of the book.
    pub positions: u64,
    /// Moves of these positions.
    pub moves: u64,
    /// Moves of the games that the book does not have.
    pub left_out: u64,
    /// Bytes written.
    pub bytes: u64,
    /// Notes on indexes that are not used.
    pub notes: Vec<String>,
    /// Whether all games were counted: otherwise no book was written.
    pub ended: JobCompletion,
}

impl BookReport {
    /// The report for programs.
    pub fn answer(&self, target: &Target) -> BookAnswer {
        BookAnswer {
            target: target.path.display().to_string(),
            format: target.format.name,
            games: self.games,
            skipped: self.skipped,
            damaged: self.damaged,
            positions: self.positions,
            moves: self.moves,
            left_out: self.left_out,
            bytes: self.bytes,
            notes: self.notes.clone(),
            whole: self.ended.is_whole(),
        }
    }
}

/// A move of a position, and how its games ended.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct BookMoveCount {
    /// The hash of the position.
    key: u64,
    /// The move in the form of Polyglot.
    code: u16,
    is_black: bool,
    games: u32,
    /// Won and lost by the side that moves.
    won: u32,
    lost: u32,
}

impl BookMoveCount {
    /// Two for each game won, one for each drawn or unfinished one.
    fn points(self) -> u64 {
        (u64::from(self.games) + u64::from(self.won)).saturating_sub(u64::from(self.lost))
    }

    fn color(self) -> Color {
        match self.is_black {
            true => Color::Black,
            false => Color::White,
        }
    }

    /// Whether the book has the move as one to play.
    #[allow(clippy::cast_precision_loss)]
    fn is_played(self, options: &BookOptions) -> bool {
        let score = self.points() as f64 / f64::from(self.games) / 2.0;
        options.color.is_none_or(|color| color == self.color())
            && self.games >= options.min_games
            && self.points() > 0
            && score >= options.min_score / 100.0
    }

    /// Whether a line of the book goes on with the move: also with those of the other side, which are not its choice.
    fn leads_on(self, options: &BookOptions) -> bool {
        let is_other = options.color.is_some_and(|color| color != self.color());
        self.is_played(options) || is_other && self.games >= options.min_games
    }

    fn weight(self, weighting: BookWeightRule) -> u64 {
        match weighting {
            BookWeightRule::Points => self.points(),
            BookWeightRule::Games => u64::from(self.games),
            BookWeightRule::Score => {
                let games = u64::from(self.games).max(1);
                ((self.points() * 50 + games / 2) / games).max(1)
            }
            BookWeightRule::Uniform => 1,
        }
    }
}

/// How many new moves are collected before equal ones are added up.
const GATHERED: usize = 1 << 20;

/// The moves of games by position.
#[derive(Default)]
struct BookCounts {
    counts: Vec<BookMoveCount>,
    /// How many of them are sorted and added up.
    settled: usize,
    games: u64,
    skipped: u64,
    damaged: u64,
}

impl BookCounts {
    fn push(&mut self, count: BookMoveCount) {
        self.counts.push(count);
        if self.counts.len() - self.settled > GATHERED.max(self.settled) {
            self.settle();
        }
    }

    /// Sorts the moves and adds up equal ones.
    fn settle(&mut self) {
        self.counts.sort_unstable();
        self.counts.dedup_by(|next, kept| {
            let is_same = (next.key, next.code) == (kept.key, kept.code);
            if is_same {
                kept.games = kept.games.saturating_add(next.games);
                kept.won = kept.won.saturating_add(next.won);
                kept.lost = kept.lost.saturating_add(next.lost);
            }
            is_same
        });
        self.settled = self.counts.len();
    }

    /// The moves of a position.
    fn of_position(&self, key: u64) -> impl Iterator<Item = BookMoveCount> + '_ {
        let from = self.counts.partition_point(|count| count.key < key);
        let counts = self.counts.get(from..).unwrap_or(&[]).iter().copied();
        counts.take_while(move |count| count.key == key)
    }

    /// A move of a position.
    fn find(&self, key: u64, code: u16) -> Option<BookMoveCount> {
        let found = self
            .counts
            .binary_search_by_key(&(key, code), |count| (count.key, count.code));
        self.counts.get(found.ok()?).copied()
    }
}

/// The first moves of the main line of a game that can be played, each with the position before it.
fn each_move(game: &Game, plies: u32, mut each: impl FnMut(&Board, Move) -> bool) {
    let mut board = game.start_board();
    for (m, _) in game.tape.main_line().zip(0..plies) {
        if m.is_null() || !board.is_legal(m) || !each(&board, m) {
            return;
        }
        board.play_legal(m);
    }
}

/// What is read of every game.
fn needs() -> CollectorNeeds {
    CollectorNeeds::game(wanted())
}

fn wanted() -> GameNeeds {
    GameNeeds {
        tags: TagSet::of(&["Result", "FEN", "SetUp", "Variant"]),
        ..GameNeeds::MAIN_LINE
    }
}

/// Counts moves by position.
struct BookMoveCounter {
    plies: u32,
}

impl Statistic for BookMoveCounter {
    type Sum = BookCounts;

    fn needs(&self) -> CollectorNeeds {
        needs()
    }

    fn see(&self, sum: &mut BookCounts, view: &mut GameView<'_>) -> Result<()> {
        let game = view.game(wanted())?;
        if game.start_board() != Board::standard() || game.tape.main_line().next().is_none() {
            sum.skipped += 1;
            return Ok(());
        }
        let winner = game.result().winner();
        each_move(game, self.plies, |board, m| {
            if let Some(code) = moves::encode(m) {
                sum.push(BookMoveCount {
                    key: board.zobrist(),
                    code,
                    is_black: board.turn() == Color::Black,
                    games: 1,
                    won: u32::from(winner == Some(board.turn())),
                    lost: u32::from(winner == Some(!board.turn())),
                });
            }
            true
        });
        sum.games += 1;
        sum.damaged += u64::from(view.is_damaged());
        Ok(())
    }

    fn add(&self, sum: &mut BookCounts, part: BookCounts, _first: u64) {
        for count in part.counts {
            sum.push(count);
        }
        sum.games += part.games;
        sum.skipped += part.skipped;
        sum.damaged += part.damaged;
    }
}

/// The lines of games as far as a book has their moves.
#[derive(Default)]
struct BookGameLines {
    /// The lines of a part.
    lines: Vec<(Outcome, Vec<Move>)>,
    /// All lines of the parts before.
    tree: BookTree,
}

/// Follows games through the moves that a book has.
struct BookLineCounter<'c> {
    counts: &'c BookCounts,
    options: &'c BookOptions,
}

impl Statistic for BookLineCounter<'_> {
    type Sum = BookGameLines;

    fn needs(&self) -> CollectorNeeds {
        needs()
    }

    fn see(&self, sum: &mut BookGameLines, view: &mut GameView<'_>) -> Result<()> {
        let game = view.game(wanted())?;
        if game.start_board() != Board::standard() {
            return Ok(());
        }
        let mut line = Vec::new();
        each_move(game, self.options.plies, |board, m| {
            let count = moves::encode(m).and_then(|code| self.counts.find(board.zobrist(), code));
            let leads_on = count.is_some_and(|count| count.leads_on(self.options));
            if leads_on {
                line.push(m);
            }
            leads_on
        });
        if !line.is_empty() {
            sum.lines.push((game.result(), line));
        }
        Ok(())
    }

    fn add(&self, sum: &mut BookGameLines, part: BookGameLines, _first: u64) {
        for (outcome, line) in part.lines {
            let mut place = ROOT;
            for m in line {
                place = sum.tree.add(place, m, BookMoveWeight::default());
                sum.tree.count_game(place, outcome);
            }
        }
    }
}

/// The highest priority of a move.
const HIGHEST: u64 = 9;

/// Gives each move of a tree its priority: 9 for the highest weight of its position, 0 for moves that are not to be played.
fn set_priorities(tree: &mut BookTree, counts: &BookCounts, options: &BookOptions) {
    let places = BookPlaces::of(tree);
    for places in places.positions() {
        let known = &*tree;
        let children = places
            .iter()
            .flat_map(|(key, place)| known.children(*place).map(move |child| (*key, child)));
        let weighed: Vec<_> = children
            .filter_map(|(key, child)| {
                let (m, mark) = known.move_to(child)?;
                let count = counts.find(key, moves::encode(m)?)?;
                let weight = match count.is_played(options) {
                    true => count.weight(options.weights),
                    false => 0,
                };
                Some((child, mark, weight))
            })
            .collect();
        // Also of moves to which no line of the book leads: the priority depends on the position alone.
        let all = places.first().map(|(key, _)| counts.of_position(*key));
        let played = all
            .into_iter()
            .flatten()
            .filter(|count| count.is_played(options));
        let highest = played.map(|count| count.weight(options.weights)).max();
        let highest = highest.unwrap_or(0).max(1);
        for (child, mark, weight) in weighed {
            let priority = match weight {
                0 => 0,
                weight => 1 + weight * (HIGHEST - 1) / highest,
            };
            let priority = u8::try_from(priority).unwrap_or(0);
            let notes = BookMoveNotes {
                priority: Some(priority),
                ..mark.notes
            };
            let mark = BookMoveWeight { notes, ..mark };
            tree.set_mark(child, mark);
        }
    }
}

/// Makes an opening book from the main lines of games: a Polyglot book, or a book of Arena (ABK). Games from other starting
/// positions are not counted.
///
/// ```
/// # fn main() -> tabiya::model::Result<()> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/pgn/ok/opera.pgn");
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("opera.bin");
/// use tabiya::book::{BookOptions, make};
/// use tabiya::model::Control;
/// use tabiya::{Selection, Target};
///
/// let games = Selection::of(tabiya::open(path)?);
/// let target = Target::new(target, None, Default::default())?;
/// let options = BookOptions { plies: 10, min_games: 1, ..BookOptions::default() };
/// let made = make(&games, &options, &target, &Control::default())?;
/// // White won: Black's moves never scored.
/// assert_eq!((made.games, made.moves, made.left_out), (1, 5, 5));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// If a base is itself an opening book, if the target has another format or exists already, and for a book of Arena, if a
/// base can be read only once.
pub fn make(
    games: &Selection,
    options: &BookOptions,
    target: &Target,
    control: &Control,
) -> Result<BookReport> {
    let is_tree = target.format.name == abk::FORMAT.name;
    if !is_tree && target.format.name != polyglot::FORMAT.name {
        return Err(Error::new(
            &error_codes::UNKNOWN_TARGET,
            format!(
                "{} is not a book that is made from games: name the target .bin (Polyglot) or .abk (Arena)",
                target.format.title
            ),
        ));
    }
    for base in &games.bases {
        if is_book(base) {
            return Err(Error::new(
                &error_codes::IS_A_BOOK,
                "an opening book has no games to count; convert it instead",
            )
            .in_file(base.name().to_owned()));
        }
    }
    let permitted = OutputOptions {
        force: target.options.force,
        sources: games.bases.iter().flat_map(Base::files).collect(),
    };
    let failed = |error| Error::from(std::io::Error::from(error));
    let mut output = OutputFile::create(&target.path, &permitted).map_err(failed)?;
    let mut report = BookReport::default();
    let mut counts = BookCounts::default();
    let counter = BookMoveCounter {
        plies: options.plies,
    };
    over_all(games, &counter, &mut counts, is_tree, &mut report, control)?;
    counts.settle();
    (report.games, report.skipped) = (counts.games, counts.skipped);
    report.damaged = counts.damaged;
    let all = counts.counts.len() as u64;
    counts.counts.retain(|count| count.leads_on(options));
    let mut bytes = Vec::new();
    if report.ended.is_whole() {
        bytes = match is_tree {
            true => tree_bytes(games, options, &counts, &mut report, control)?,
            false => {
                counts.counts.retain(|count| count.is_played(options));
                entries(options, &counts, &mut report)?
            }
        };
    }
    report.left_out = all.saturating_sub(counts.counts.len() as u64);
    if report.ended.is_whole() {
        output.write_all(&bytes)?;
        output.commit().map_err(failed)?;
        report.bytes = bytes.len() as u64;
    }
    Ok(report)
}

/// Whether a base is an opening book.
pub fn is_book(base: &Base) -> bool {
    base.database()
        .is_some_and(|database| database.book().is_some())
}

/// Shows the games of all bases to a statistic.
fn over_all<S: Statistic>(
    games: &Selection,
    statistic: &S,
    sum: &mut S::Sum,
    is_read_twice: bool,
    report: &mut BookReport,
    control: &Control,
) -> Result<()> {
    for base in &games.bases {
        if control.is_stopped() {
            break;
        }
        let view = match is_read_twice {
            true => Some(BaseView::of_file(games, base, control, &mut report.notes)?),
            false => BaseView::open(games, base, control, &mut report.notes)?,
        };
        let mut pass = CollectorPass::new();
        pass.sum(statistic, sum);
        let ended = base_view::run(base, view.as_ref(), pass, control)?;
        report.ended = report.ended.and(ended);
    }
    report.ended = report.ended.and(control.completion());
    Ok(())
}

/// The book as positions.
fn entries(options: &BookOptions, counts: &BookCounts, report: &mut BookReport) -> Result<Vec<u8>> {
    let mut builder = PolyglotBookBuilder::new();
    for count in &counts.counts {
        builder.add_code(count.key, count.code, count.weight(options.weights));
    }
    let positions = counts.counts.chunk_by(|one, other| one.key == other.key);
    report.positions = positions.count() as u64;
    report.moves = counts.counts.len() as u64;
    let mut bytes = Vec::new();
    write_entries(&builder.finish(), &mut bytes)?;
    Ok(bytes)
}

/// The book as lines.
fn tree_bytes(
    games: &Selection,
    options: &BookOptions,
    counts: &BookCounts,
    report: &mut BookReport,
    control: &Control,
) -> Result<Vec<u8>> {
    let counter = BookLineCounter { counts, options };
    let mut lines = BookGameLines::default();
    let mut again = BookReport::default();
    over_all(games, &counter, &mut lines, true, &mut again, control)?;
    report.ended = report.ended.and(again.ended);
    let mut tree = lines.tree;
    set_priorities(&mut tree, counts, options);
    report.positions = BookPlaces::of(&tree).positions().count() as u64;
    report.moves = tree.len() as u64;
    Ok(abk::encode_tree(&tree))
}
