//! How games are scanned for their positions: walked if a database has a fast way to them and rows for the rest, read
//! otherwise.

use tabiya_model::board::Board;
use tabiya_model::collect::{
    Collector, CollectorNeeds, CollectorPass, CollectorWorker, GameRun, GameView, PassRange,
    StepScope,
};
use tabiya_model::positions::WalkStart;
use tabiya_model::{Control, Database, Game, GameNeeds, JobCompletion, Result};

use crate::game_brief::GameBrief;
use tabiya_openings::position_key::PositionKey;

/// How games are read.
#[derive(Copy, Clone, Debug)]
pub(crate) struct ReadMode {
    steps: StepScope,
    /// What is read of each game, if games are not walked.
    want: Option<GameNeeds>,
}

/// The start of a game.
#[derive(Copy, Clone, Debug)]
pub(crate) struct GameStart {
    pub(crate) key: PositionKey,
    /// Pieces on the board.
    pub(crate) pieces: u32,
    /// Whether the game can be decoded at all.
    pub(crate) is_readable: bool,
}

impl ReadMode {
    /// For games of a stream, with their variations or without.
    pub(crate) fn at_source(variations: bool) -> ReadMode {
        ReadMode {
            steps: if variations {
                StepScope::Variations
            } else {
                StepScope::MainLine
            },
            want: Some(GameNeeds {
                variations,
                annotations: false,
                ..GameNeeds::ALL
            }),
        }
    }

    /// For games of a database.
    pub(crate) fn at(database: &dyn Database, variations: bool) -> ReadMode {
        let look = ReadMode::at_source(variations);
        // Ratings and dates must be available as fast as positions.
        match (database.positions(), database.facts()) {
            (Some(_), Some(_)) => ReadMode { want: None, ..look },
            _ => look,
        }
    }

    /// For games of a database whose index is being made. If facts come from columns, the games are read: the index has more
    /// facts than those.
    pub(crate) fn for_index(database: &dyn Database) -> ReadMode {
        let look = match database.reads_in_rows() {
            true => ReadMode::at_source(true),
            false => ReadMode::at(database, true),
        };
        ReadMode {
            want: look.want.map(|_| GameNeeds::ALL),
            ..look
        }
    }

    /// Whether games are read rather than walked.
    pub(crate) fn reads(self) -> bool {
        self.want.is_some()
    }

    pub(crate) fn needs(self) -> CollectorNeeds {
        let needs = match self.want {
            Some(want) => CollectorNeeds::game(want),
            None => CollectorNeeds::facts(GameBrief::FIELDS),
        };
        needs.with_steps(self.steps)
    }

    /// The game with its tags, if it is read.
    pub(crate) fn game<'s>(self, seen: &'s mut GameView<'_>) -> Result<Option<&'s Game>> {
        self.want.map(|want| seen.game(want)).transpose()
    }

    /// Ratings, date and result.
    #[inline]
    pub(crate) fn brief(self, seen: &mut GameView<'_>) -> Result<GameBrief> {
        match self.game(seen)? {
            Some(game) => Ok(GameBrief::of_game(game)),
            None => Ok(GameBrief::from(seen.fact()?)),
        }
    }

    #[inline]
    pub(crate) fn start(self, seen: &mut GameView<'_>) -> Result<GameStart> {
        // So that it is read only once, and only the needed parts of it.
        self.game(seen)?;
        let (key, pieces, is_readable) = match seen.start()? {
            WalkStart::Standard => (PositionKey::standard(), 32, true),
            WalkStart::Setup(board) => (PositionKey::of_board(board), piece_count_on(board), true),
            WalkStart::Unreadable => (PositionKey(0), 0, false),
        };
        Ok(GameStart {
            key,
            pieces,
            is_readable,
        })
    }
}

fn piece_count_on(board: &Board) -> u32 {
    board.occupied().count() as u32
}

/// The results for each game of a list of ascending numbers, in order; after a stop, only the first ones.
pub(crate) fn each<T: Send + 'static>(
    database: &dyn Database,
    numbers: &[u64],
    look: ReadMode,
    control: &Control,
    see: impl Fn(&mut GameView<'_>) -> Result<T> + Sync,
) -> Result<(Vec<T>, JobCompletion)> {
    let mut all = Vec::with_capacity(numbers.len());
    let each = GameCollector { look, see };
    let mut pass = CollectorPass::new();
    pass.add(&each, |part: Vec<T>, _: GameRun| {
        all.extend(part);
        Ok(true)
    });
    let ended = pass.run(database, PassRange::List(numbers), control)?;
    Ok((all, ended))
}

struct GameCollector<F> {
    look: ReadMode,
    see: F,
}

struct GameCollectorWorker<'e, F, T> {
    each: &'e GameCollector<F>,
    found: Vec<T>,
}

impl<T: Send + 'static, F: Fn(&mut GameView<'_>) -> Result<T> + Sync> Collector
    for GameCollector<F>
{
    type Part = Vec<T>;

    fn needs(&self) -> CollectorNeeds {
        self.look.needs()
    }

    fn worker(&self) -> impl CollectorWorker<Part = Vec<T>> {
        GameCollectorWorker {
            each: self,
            found: Vec::new(),
        }
    }
}

impl<T, F: Fn(&mut GameView<'_>) -> Result<T>> CollectorWorker for GameCollectorWorker<'_, F, T> {
    type Part = Vec<T>;

    fn see(&mut self, game: &mut GameView<'_>) -> Result<()> {
        let found = (self.each.see)(game)?;
        self.found.push(found);
        Ok(())
    }

    fn take(&mut self) -> Result<Vec<T>> {
        Ok(std::mem::take(&mut self.found))
    }
}
