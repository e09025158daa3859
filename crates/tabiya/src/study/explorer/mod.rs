//! What was played in a position of some bases, how it scored, what books say there, and the opening tree from there.

mod answers;
mod books;
mod filter;
mod position;
mod tree;

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tabiya_explore::explorer::{
    self as scan, ExploreOptions, ExploreTallies, ExploreTarget, FilterInput,
};
use tabiya_explore::index::ExplorerIndex;
use tabiya_explore::move_code::MoveCode;
use tabiya_explore::tally::{PositionTally, ShownGame};
use tabiya_model::positions::PositionLookup;
use tabiya_model::tags::TagSet;
use tabiya_model::{Control, Database, Error, ErrorKind, Game, GameNeeds, JobCompletion, Result};

pub use answers::{ExploreLimits, LichessEndpoint, answer};
pub use books::{ask_books, split_books};
pub use filter::ExploreFilter;
pub use position::{ExploreLine, key_after, opening_after, percentages, san_of, uci_of};
pub(crate) use tree::OpeningTreeBranch;
pub use tree::{OpeningTree, OpeningTreeBounds, OpeningTreeFormat};

use crate::error_codes;
use crate::open::base::Base;
use crate::open::lake_tables::{self, LakeExplorer};
use crate::open::opener::BaseFailure;
use crate::open::sidecar;
use crate::select::base_view::{IndexUse, index_note, index_of};
use crate::select::selection::Selection;
use filter::ParsedExploreFilter;

/// One base that is explored. What is found to be damaged is left out from then on.
struct ExploredBase {
    base: Base,
    /// Whether the index beside it may be asked.
    is_indexed: bool,
    /// The games that count, rising, where they were listed.
    listed: Option<Vec<u64>>,
    /// The table of a lake, where all games count.
    table: Option<LakeExplorer>,
    is_index_damaged: AtomicBool,
    is_table_damaged: AtomicBool,
    /// Whether it could not be asked.
    is_out: AtomicBool,
}

impl ExploredBase {
    fn index(&self) -> Option<&ExplorerIndex> {
        let is_asked = self.is_indexed && !self.is_index_damaged.load(Relaxed);
        index_of(&self.base, is_asked, IndexUse::Positions)
    }

    fn table(&self) -> Option<&LakeExplorer> {
        let table = self.table.as_ref();
        table.filter(|_| !self.is_table_damaged.load(Relaxed))
    }
}

/// Bases whose positions can be explored.
///
/// ```
/// # fn main() -> tabiya::model::Result<()> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/si5/ok/sample.si5");
/// use tabiya::Selection;
/// use tabiya::explorer::{ExploreFilter, Explorer, ExploreLine, percentages, san_of};
/// use tabiya::model::Control;
///
/// let control = Control::default();
/// let games = Selection::of(tabiya::open(path)?);
/// let explorer = Explorer::new(games, &ExploreFilter::default(), &control)?;
/// let line = ExploreLine::read(None, "1.e4")?;
/// let found = explorer.ask(&line, &control)?;
/// for (step, score) in found.tally.moves() {
///     println!("{}: {} games, {}", san_of(line.board(), step), score.games, percentages(&score));
/// }
/// assert_eq!(found.tally.total().games, 2);
/// # Ok(())
/// # }
/// ```
pub struct Explorer {
    parts: Vec<ExploredBase>,
    rules: ParsedExploreFilter,
    variations: bool,
    /// Notes on indexes that are not used.
    notes: Mutex<Vec<String>>,
    /// The bases that failed, while others did not.
    failed: Mutex<Vec<BaseFailure>>,
}

/// The result for one position.
#[derive(Clone, Debug, Default)]
pub struct ExploreAnswer {
    /// What was played there.
    pub tally: PositionTally,
    /// How many games could not be decoded, or not to their end.
    pub damaged: u64,
    /// Whether all games were counted.
    pub ended: JobCompletion,
}

/// The names of a game that is shown.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GamePlayers {
    /// White's name.
    pub white: String,
    /// Black's name.
    pub black: String,
}

/// From how many listed games on the index is asked first: fewer are replayed in no time.
const LONG_LIST: usize = 1500;

impl Explorer {
    /// Prepares the chosen games for exploring.
    pub fn new(games: Selection, filter: &ExploreFilter, control: &Control) -> Result<Explorer> {
        let mut explorer = Explorer {
            parts: Vec::new(),
            rules: ParsedExploreFilter::of(games, filter)?,
            variations: filter.variations,
            notes: Mutex::default(),
            failed: Mutex::default(),
        };
        let bases = explorer.rules.games.bases.clone();
        let is_one = bases.len() == 1;
        for base in bases {
            let name = base.name().to_owned();
            match explorer.part(base, control) {
                Ok(part) => explorer.parts.push(part),
                Err(error) if is_one || is_of_the_wish(&error) => return Err(error),
                Err(error) => held(&explorer.failed).push(BaseFailure { name, error }),
            }
        }
        explorer.or_fail()?;
        let is_nobody = |part: &ExploredBase| part.listed.as_ref().is_some_and(Vec::is_empty);
        if explorer.parts.iter().all(is_nobody) {
            explorer.note(explorer.rules.hint(control));
        }
        Ok(explorer)
    }

    /// Makes one base ready.
    fn part(&self, base: Base, control: &Control) -> Result<ExploredBase> {
        let is_indexed = self.rules.games.index;
        self.note(index_note(&base, is_indexed, IndexUse::Positions));
        let mut part = ExploredBase {
            listed: self.rules.games(&base, control)?,
            base,
            is_indexed,
            table: None,
            is_index_damaged: AtomicBool::new(false),
            is_table_damaged: AtomicBool::new(false),
            is_out: AtomicBool::new(false),
        };
        if let (Some(database), Some(_)) = (part.base.database(), &part.listed) {
            let damage = |index| sidecar::damage(database, index);
            self.note(part.index().and_then(damage));
            self.note(database.lookup().and_then(PositionLookup::damage));
        }
        if is_indexed && part.listed.is_none() && !self.variations {
            part.table = lake_tables::explorer_of(&part.base)?;
        }
        Ok(part)
    }

    fn note(&self, note: impl IntoIterator<Item = String>) {
        held(&self.notes).extend(note);
    }

    /// Fails where no base could be asked.
    fn or_fail(&self) -> Result<()> {
        let mut failed = held(&self.failed);
        let is_in = |part: &ExploredBase| !part.is_out.load(Relaxed);
        match failed.is_empty() || self.parts.iter().any(is_in) {
            true => Ok(()),
            false => Err(failed.swap_remove(0).error),
        }
    }

    /// The bases.
    pub fn bases(&self) -> Vec<Base> {
        self.parts.iter().map(|part| part.base.clone()).collect()
    }

    /// Notes on indexes that are not used, each once.
    pub fn notes(&self) -> Vec<String> {
        std::mem::take(&mut *held(&self.notes))
    }

    /// The bases that failed while others did not, each once.
    pub fn failed(&self) -> Vec<BaseFailure> {
        std::mem::take(&mut *held(&self.failed))
    }

    /// Explores one position.
    pub fn ask(&self, line: &ExploreLine, control: &Control) -> Result<ExploreAnswer> {
        let explored = self.explore(&[ExploreTarget::of_board(line.board())], control)?;
        Ok(ExploreAnswer {
            tally: explored.tallies.into_iter().next().unwrap_or_default(),
            damaged: explored.damaged,
            ended: explored.ended,
        })
    }

    /// Explores several positions in one pass.
    pub fn explore(&self, targets: &[ExploreTarget], control: &Control) -> Result<ExploreTallies> {
        let mut all = ExploreTallies {
            tallies: vec![PositionTally::default(); targets.len()],
            ..ExploreTallies::default()
        };
        let is_one = self.rules.games.bases.len() == 1;
        for (number, part) in (0..).zip(&self.parts) {
            if control.is_stopped() {
                all.ended = control.completion();
                break;
            }
            if part.is_out.load(Relaxed) {
                continue;
            }
            let explored = match self.explore_base(part, targets, control) {
                Ok(explored) => explored,
                Err(error) if is_one || is_of_the_wish(&error) => return Err(error),
                Err(error) => {
                    part.is_out.store(true, Relaxed);
                    let name = part.base.name().to_owned();
                    held(&self.failed).push(BaseFailure { name, error });
                    continue;
                }
            };
            for (tally, mut part) in all.tallies.iter_mut().zip(explored.tallies) {
                part.place(number, 0);
                tally.merge(&part);
            }
            all.damaged += explored.damaged;
            all.ended = all.ended.and(explored.ended);
        }
        self.or_fail()?;
        Ok(all)
    }

    fn explore_base(
        &self,
        part: &ExploredBase,
        targets: &[ExploreTarget],
        control: &Control,
    ) -> Result<ExploreTallies> {
        let options = ExploreOptions {
            variations: self.variations,
            ..ExploreOptions::default()
        };
        if let Some(table) = part.table() {
            let tallies: Result<Vec<_>> =
                targets.iter().map(|target| table.ask(target.key)).collect();
            match tallies {
                Ok(mut tallies) => {
                    let ended = match table.has_singles() {
                        true => JobCompletion::Whole,
                        false => self.singles(&part.base, targets, &mut tallies, control)?,
                    };
                    return Ok(ExploreTallies {
                        tallies,
                        damaged: table.damaged(),
                        ended,
                    });
                }
                Err(error) => self.note([format!("{error}; all games are read instead")]),
            }
            part.is_table_damaged.store(true, Relaxed);
        }
        let Some(database) = part.base.database() else {
            let filter = |asked: &FilterInput<'_>| self.rules.take(asked.game);
            let options = ExploreOptions {
                filter: Some(&filter),
                ..options
            };
            let mut source = part.base.source(control)?;
            return scan::scan_source(&mut *source, targets, &options, control);
        };
        let index = part.index();
        if let Some(index) = index {
            match indexed(part, database, index, targets, &options, control)? {
                Some(Some(explored)) => return Ok(explored),
                Some(None) => {
                    self.note([format!(
                        "{}: its index is damaged and not used; rebuild it",
                        part.base.name()
                    )]);
                    part.is_index_damaged.store(true, Relaxed);
                }
                None => {}
            }
        }
        match &part.listed {
            Some(numbers) => scan::replay(database, numbers, targets, &options, control),
            None => scan::scan(database, None, targets, &options, control),
        }
    }

    /// Looks among the games for positions that a table without those of single games does not tell of.
    fn singles(
        &self,
        base: &Base,
        targets: &[ExploreTarget],
        tallies: &mut [PositionTally],
        control: &Control,
    ) -> Result<JobCompletion> {
        let is_untold = |(_, tally): &(&ExploreTarget, &mut PositionTally)| tally.is_empty();
        let mut untold: Vec<_> = targets.iter().zip(tallies).filter(is_untold).collect();
        let Some(database) = base.database().filter(|_| !untold.is_empty()) else {
            return Ok(JobCompletion::Whole);
        };
        let wanted: Vec<ExploreTarget> = untold.iter().map(|(target, _)| **target).collect();
        // The table of positions knows the games.
        let listed = lake_tables::games_with(base, &wanted).unwrap_or_else(|error| {
            self.note([format!("{error}; all games are read instead")]);
            None
        });
        let options = ExploreOptions::default();
        let explored = match listed {
            Some(games) => scan::replay(database, &games, &wanted, &options, control)?,
            None => scan::scan(database, None, &wanted, &options, control)?,
        };
        for ((_, tally), found) in untold.iter_mut().zip(explored.tallies) {
            **tally = found;
        }
        Ok(explored.ended)
    }

    /// The game of a move that only one of all games has; `None` where it is unknown it.
    pub(crate) fn single(
        &self,
        line: &ExploreLine,
        step: MoveCode,
        tally: &PositionTally,
    ) -> Result<Option<ShownGame>> {
        if let Some(shown) = tally.single(step) {
            return Ok(Some(*shown));
        }
        let board = line.board();
        let target = ExploreTarget::of_board(board);
        let behind = (step, key_after(target.key, board, step));
        let control = Control::default();
        for (number, part) in (0..).zip(&self.parts) {
            let (Some(database), Some(index)) = (part.base.database(), part.index()) else {
                continue;
            };
            let options = ExploreOptions {
                variations: self.variations,
                listed: part.listed.as_deref(),
                ..ExploreOptions::default()
            };
            let found = scan::single(database, index, target, behind, &options, &control)?;
            if let Some(shown) = found {
                return Ok(Some(ShownGame {
                    base: number,
                    ..shown
                }));
            }
        }
        Ok(None)
    }

    /// The label of a shown game: its number, with that of the base if there are several.
    pub fn id(&self, shown: &ShownGame) -> String {
        if self.parts.len() > 1 {
            format!("{}-{}", shown.base + 1, shown.number)
        } else {
            shown.number.to_string()
        }
    }

    /// The names of a shown game.
    pub fn header(&self, shown: &ShownGame) -> Result<GamePlayers> {
        let part = usize::try_from(shown.base)
            .ok()
            .and_then(|at| self.parts.get(at))
            .ok_or_else(|| Error::new(&error_codes::INTERNAL, "there is no such database"))?;
        if let Some(card) = part.index().and_then(|index| index.card(shown.number)) {
            return Ok(GamePlayers {
                white: card.white,
                black: card.black,
            });
        }
        let Some(database) = part.base.database() else {
            // What came through a pipe is gone.
            return Ok(GamePlayers::default());
        };
        if let Some([white, black]) = filter::names(database, shown.number) {
            return Ok(GamePlayers { white, black });
        }
        let mut game = Game::default();
        let want = GameNeeds {
            tags: TagSet::of(&["White", "Black"]),
            ..GameNeeds::TAGS
        };
        database.read(shown.number, want, &mut game)?;
        Ok(GamePlayers {
            white: game.tags.value("White").to_owned(),
            black: game.tags.value("Black").to_owned(),
        })
    }
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether an error is about what is asked for, and not about a base.
fn is_of_the_wish(error: &Error) -> bool {
    error.kind == ErrorKind::Interrupted
}

/// What the index answers: nothing where it is not asked, and nothing in it where it is damaged.
fn indexed(
    part: &ExploredBase,
    database: &dyn Database,
    index: &ExplorerIndex,
    targets: &[ExploreTarget],
    options: &ExploreOptions<'_>,
    control: &Control,
) -> Result<Option<Option<ExploreTallies>>> {
    let listed = part.listed.as_deref();
    if listed.is_some_and(|listed| listed.len() < LONG_LIST) {
        return Ok(None);
    }
    let options = ExploreOptions { listed, ..*options };
    Ok(Some(scan::with_index(
        database, index, targets, &options, control,
    )?))
}
