//! Games as statistics and indexes want them: their moves as steps, their ratings, date and result.
//!
//! A database with a fast way to positions is walked in it, and its rows give the rest; games of the others are read.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tabiya_model::board::Board;
use tabiya_model::facts::Facts;
use tabiya_model::pipeline;
use tabiya_model::positions::{Delta, From, Positions, Walker};
use tabiya_model::{
    Block, Control, Database, Ended, Error, ErrorKind, Game, Op, Replay, Result, Severity, Source,
    Want,
};

use crate::brief::Brief;
use crate::key::Key;

/// Games that one thread takes at a time from a database with fast positions.
const RUN: u64 = 1 << 11;

/// Games of a list lie far apart where only one in so many is listed.
const SPARSE: u64 = 64;

/// One game under way.
pub struct Visit<'v> {
    /// Its number, from 1; in a run that says so, from the start of the run.
    pub number: u64,
    kind: Kind<'v>,
    steps: &'v mut Vec<Delta>,
    start: Key,
    men: u32,
    readable: bool,
}

enum Kind<'v> {
    Walked {
        walker: &'v mut dyn Walker,
        rows: Option<&'v dyn Facts>,
        number: u64,
        variations: bool,
        more: bool,
    },
    Read {
        game: &'v Game,
        given: bool,
    },
}

impl Visit<'_> {
    /// The key of the position from which the game starts.
    #[inline]
    pub fn start(&self) -> Key {
        self.start
    }

    /// Whether the game can be decoded at all.
    #[inline]
    pub fn is_readable(&self) -> bool {
        self.readable
    }

    /// The number of men on the board at the start.
    #[inline]
    pub fn men(&self) -> u32 {
        self.men
    }

    /// The next steps, about `most`; `None` at the end of the game.
    #[inline]
    pub fn run(&mut self, most: usize) -> Result<Option<&[Delta]>> {
        if !self.readable {
            return Ok(None);
        }
        match &mut self.kind {
            Kind::Walked {
                walker,
                variations,
                more,
                ..
            } => {
                if !*more {
                    return Ok(None);
                }
                self.steps.clear();
                *more = walker.steps(*variations, most, self.steps)?;
                Ok(Some(self.steps))
            }
            Kind::Read { given, .. } => {
                if std::mem::replace(given, true) {
                    return Ok(None);
                }
                Ok(Some(self.steps))
            }
        }
    }

    /// Ratings, date and result.
    #[inline]
    pub fn facts(&self) -> Brief {
        match &self.kind {
            Kind::Walked { rows, number, .. } => rows
                .and_then(|rows| rows.fact(*number, Brief::FIELDS))
                .map_or_else(Brief::default, |fact| Brief::from(&fact)),
            Kind::Read { game, .. } => Brief::of_game(game),
        }
    }

    /// The game with its tags, where it was read.
    pub fn game(&self) -> Option<&Game> {
        self.read().map(|(game, _)| game)
    }

    /// The game with all of its steps, where it was read.
    pub fn read(&self) -> Option<(&Game, &[Delta])> {
        match &self.kind {
            Kind::Walked { .. } => None,
            Kind::Read { game, .. } => Some((game, self.steps)),
        }
    }

    /// Whether the game could not be decoded, or not to its end; known when all steps were taken.
    #[inline]
    pub fn is_damaged(&self) -> bool {
        match &self.kind {
            Kind::Walked { walker, .. } => !self.readable || walker.is_damaged(),
            Kind::Read { game, .. } => game.diagnostics.at_least(Severity::Damage) > 0,
        }
    }
}

/// The steps of a game's tape.
fn steps_of(game: &Game, variations: bool, replay: &mut Replay, steps: &mut Vec<Delta>) {
    steps.clear();
    replay.reset(&game.start_board());
    let mut at = 0;
    while let Some(op) = game.tape.get(at) {
        match op {
            Op::Begin(_) if !variations => {
                at = game.tape.skip(at);
                continue;
            }
            Op::Move(m) => steps.push(Delta::of_move(replay.now(), m)),
            Op::Begin(_) => steps.push(Delta::BEGIN),
            Op::End => steps.push(Delta::END),
            _ => {}
        }
        replay.follow(op);
        at += 1;
    }
}

fn men_on(board: &Board) -> u32 {
    board.occupied().count() as u32
}

/// A walker, and the rows that belong to it.
type Fast<'d> = (Box<dyn Walker + 'd>, Option<&'d dyn Facts>);

/// Reads single games by their numbers.
pub struct Reader<'d> {
    database: &'d dyn Database,
    fast: Option<Fast<'d>>,
    variations: bool,
    want: Want,
    steps: Vec<Delta>,
    game: Game,
    replay: Replay,
}

impl<'d> Reader<'d> {
    /// A reader for one thread, which takes games in their order.
    pub fn new(database: &'d dyn Database, variations: bool) -> Reader<'d> {
        Reader::with(database, variations, |positions| positions.walker())
    }

    /// A reader for one thread, which takes the games of a list of rising numbers.
    pub fn of_list(database: &'d dyn Database, numbers: &[u64], variations: bool) -> Reader<'d> {
        let span = numbers
            .last()
            .zip(numbers.first())
            .map_or(0, |(last, first)| last.saturating_sub(*first));
        let apart = span / SPARSE > numbers.len() as u64;
        Reader::with(database, variations, |positions| {
            if apart {
                positions.visitor()
            } else {
                positions.walker()
            }
        })
    }

    fn with(
        database: &'d dyn Database,
        variations: bool,
        walker: impl Fn(&'d dyn Positions) -> Box<dyn Walker + 'd>,
    ) -> Reader<'d> {
        Reader {
            database,
            fast: fast(database).map(|positions| (walker(positions), database.facts())),
            variations,
            want: want(variations),
            steps: Vec::new(),
            game: Game::default(),
            replay: Replay::new(&Board::standard()),
        }
    }

    /// Where games are not walked, reads all of them: what is looked at for an index.
    #[must_use]
    pub fn reading_all(mut self) -> Reader<'d> {
        self.want = Want::ALL;
        self
    }

    /// Opens a game.
    pub fn visit(&mut self, number: u64) -> Result<Visit<'_>> {
        if let Some((walker, rows)) = &mut self.fast {
            let (start, men, readable) = match walker.open(number)? {
                From::Standard => (Key::standard(), 32, true),
                From::Setup(board) => (Key::of_board(&board), men_on(&board), true),
                From::Unreadable => (Key(0), 0, false),
            };
            return Ok(Visit {
                number,
                kind: Kind::Walked {
                    walker: &mut **walker,
                    rows: *rows,
                    number,
                    variations: self.variations,
                    more: true,
                },
                steps: &mut self.steps,
                start,
                men,
                readable,
            });
        }
        self.database.read(number, self.want, &mut self.game)?;
        Ok(visit_game(
            &self.game,
            number,
            self.variations,
            &mut self.replay,
            &mut self.steps,
        ))
    }
}

/// What has to be read of games that are not walked, for their moves.
#[must_use]
pub fn want(variations: bool) -> Want {
    Want {
        variations,
        annotations: false,
        ..Want::ALL
    }
}

fn visit_game<'v>(
    game: &'v Game,
    number: u64,
    variations: bool,
    replay: &mut Replay,
    steps: &'v mut Vec<Delta>,
) -> Visit<'v> {
    steps_of(game, variations, replay, steps);
    let (start, men) = match &game.start {
        tabiya_model::game::Start::Standard => (Key::standard(), 32),
        tabiya_model::game::Start::Setup(board, _) => (Key::of_board(board), men_on(board)),
    };
    Visit {
        number,
        kind: Kind::Read { game, given: false },
        steps,
        start,
        men,
        readable: true,
    }
}

/// The fast way of a database. Ratings and dates must come as fast, so that rows belong to it.
fn fast(database: &dyn Database) -> Option<&dyn Positions> {
    database.facts().and(database.positions())
}

/// Whether games of a database are walked and not read, so that their numbers are known from the start.
#[must_use]
pub fn is_fast(database: &dyn Database) -> bool {
    fast(database).is_some()
}

/// Games `first` and following, as many as `games`, were visited and left `result`.
pub struct Part<T> {
    /// The number of the first game.
    pub first: u64,
    /// How many games it was.
    pub games: u64,
    /// Whether numbers within the result count from 1 at the first game.
    pub relative: bool,
    /// What the visitor made of them.
    pub result: T,
}

/// Visits all games of a range on the threads of a control; those that are not walked are read for `want`.
///
/// `make` makes the state of a run of games, `each` takes a game, `finish` ends a run on its thread, and `done` takes
/// what it left: in any order where the database is fast, else in the order of the games, and on one thread at a time.
#[allow(clippy::too_many_arguments)]
pub fn for_all<T: Send>(
    database: &dyn Database,
    range: Range<u64>,
    want: Want,
    control: &Control,
    make: impl Fn() -> T + Sync,
    each: impl Fn(&mut T, &mut Visit<'_>) -> Result<()> + Sync,
    finish: impl Fn(&mut T) -> Result<()> + Sync,
    mut done: impl FnMut(Part<T>) -> Result<()> + Send,
) -> Result<Ended> {
    if fast(database).is_none() {
        let mut source = database.source(Some(range.clone()))?;
        control.expect_more(source.total_bytes());
        return for_source(
            &mut *source,
            range.start.max(1),
            want,
            control,
            make,
            each,
            finish,
            done,
        );
    }
    let end = range.end.min(database.len()?.saturating_add(1));
    let next = AtomicU64::new(range.start.max(1));
    let (stop, cut) = (AtomicBool::new(false), AtomicBool::new(false));
    let jobs = control.threads();
    control.expect_more(Some(end.saturating_sub(range.start.max(1))));
    let done = Mutex::new((&mut done, None));
    let work = || {
        let mut reader = Reader::new(database, want.variations);
        while !stop.load(Ordering::Relaxed) {
            let first = next.fetch_add(RUN, Ordering::Relaxed);
            if first >= end {
                return;
            }
            let last = first.saturating_add(RUN).min(end);
            let mut state = make();
            let outcome = (first..last).try_for_each(|number| {
                if cut.load(Ordering::Relaxed) || control.is_stopped() {
                    cut.store(true, Ordering::Relaxed);
                    return Ok(());
                }
                let mut visit = reader.visit(number)?;
                each(&mut state, &mut visit)
            });
            if cut.load(Ordering::Relaxed) {
                return;
            }
            control.advance(last - first, last - first);
            let outcome = outcome.and_then(|()| finish(&mut state));
            let mut done = done
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            let outcome = outcome.and_then(|()| {
                done.0(Part {
                    first,
                    games: last - first,
                    relative: false,
                    result: state,
                })
            });
            if let Err(error) = outcome {
                stop.store(true, Ordering::Relaxed);
                done.1.get_or_insert(error);
            }
        }
    };
    if jobs <= 1 || end.saturating_sub(range.start) <= RUN {
        work();
    } else {
        std::thread::scope(|scope| {
            for _ in 1..jobs {
                scope.spawn(work);
            }
            work();
        });
    }
    match done
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
        .1
    {
        Some(error) => Err(error),
        None if cut.into_inner() => Ok(Ended::Stopped),
        None => Ok(Ended::Whole),
    }
}

/// The same for games that come from a stream: the first has the number `first`.
#[allow(clippy::too_many_arguments)]
pub fn for_source<T: Send>(
    source: &mut dyn Source<'_>,
    first: u64,
    want: Want,
    control: &Control,
    make: impl Fn() -> T + Sync,
    each: impl Fn(&mut T, &mut Visit<'_>) -> Result<()> + Sync,
    finish: impl Fn(&mut T) -> Result<()> + Sync,
    mut done: impl FnMut(Part<T>) -> Result<()>,
) -> Result<Ended> {
    let mut next = first;
    pipeline::run(
        source,
        control,
        || {
            let mut game = Game::default();
            let mut replay = Replay::new(&Board::standard());
            let mut steps = Vec::new();
            let (make, each, finish) = (&make, &each, &finish);
            move |block: &mut dyn Block| {
                let mut state = make();
                let mut games = 0;
                while block.next(want, &mut game)? {
                    games += 1;
                    let mut visit =
                        visit_game(&game, games, want.variations, &mut replay, &mut steps);
                    each(&mut state, &mut visit)?;
                }
                finish(&mut state)?;
                Ok((state, games))
            }
        },
        |(result, games)| {
            let first = next;
            next = next
                .checked_add(games)
                .ok_or_else(|| Error::new(ErrorKind::Limit, "too many games"))?;
            done(Part {
                first,
                games,
                relative: true,
                result,
            })?;
            Ok(true)
        },
    )
}
