use std::borrow::Cow;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use shakmaty::Color;

use super::*;
use crate::board::Board;
use crate::control::{Control, JobCompletion};
use crate::database::{Block, Database, DatabaseInfo, Source};
use crate::facts::{FactSource, GameFacts, NameTable};
use crate::game::Game;
use crate::outcome::Outcome;
use crate::positions::MoveDelta;

/// Games in memory, in blocks of seven, and a count of reads.
struct MemoryDatabase {
    games: Vec<Game>,
    /// Whether facts are known; the date of every fifth game never is.
    has_facts: bool,
    /// Whether blocks know the numbers of their games.
    is_numbered: bool,
    reads: AtomicU64,
}

const BLOCK: u64 = 7;

fn memory(count: u64, has_facts: bool, is_numbered: bool) -> MemoryDatabase {
    let games = (1..=count).map(|number| {
        let mut game = Game::default();
        game.origin.number = number;
        game.tags.push("White", &format!("W{}", number % 3));
        game.tags
            .push("Date", &format!("{}.01.01", 1900 + number % 10));
        game.outcome = Some(Outcome::WhiteWins);
        let mut board = Board::standard();
        for uci in ["e2e4", "e7e5", "g1f3"].iter().take(number as usize % 4) {
            let m = board.parse_uci(uci.as_bytes()).expect("legal");
            game.tape.push_move(m);
            board.play(m);
        }
        game
    });
    MemoryDatabase {
        games: games.collect(),
        has_facts,
        is_numbered,
        reads: AtomicU64::new(0),
    }
}

impl MemoryDatabase {
    fn get(&self, number: u64, game: &mut Game) {
        self.reads.fetch_add(1, Ordering::Relaxed);
        game.clone_from(&self.games[number as usize - 1]);
    }
}

impl FactSource for MemoryDatabase {
    fn len(&self) -> u64 {
        self.games.len() as u64
    }

    fn fact(&self, number: u64, _: FactFields) -> Option<GameFacts> {
        let game = self
            .games
            .get(usize::try_from(number.checked_sub(1)?).ok()?)?;
        let mut fact = GameFacts::of_game(game, |_, _| Some((number % 3) as u32));
        if number.is_multiple_of(5) {
            fact.unsaid = fact.unsaid.union(FactFields::DATE);
            fact.date = Default::default();
        }
        Some(fact)
    }

    fn has_more_tags(&self, _: u64, _: FactFields) -> bool {
        false
    }

    fn names(&self, _: NameTable) -> u32 {
        3
    }

    fn name(&self, _: NameTable, number: u32) -> Cow<'_, str> {
        format!("W{number}").into()
    }
}

struct MemorySource<'m>(&'m MemoryDatabase, Range<u64>);
struct MemoryGamesBlock<'m>(&'m MemoryDatabase, Range<u64>, u64);

impl<'m> Source<'m> for MemorySource<'m> {
    fn next_block(&mut self) -> Result<Option<Box<dyn Block + 'm>>> {
        if self.1.is_empty() {
            return Ok(None);
        }
        let end = self.1.end.min(self.1.start + BLOCK);
        let first = std::mem::replace(&mut self.1.start, end);
        Ok(Some(Box::new(MemoryGamesBlock(self.0, first..end, first))))
    }
}

impl Block for MemoryGamesBlock<'_> {
    fn next(&mut self, _: GameNeeds, game: &mut Game) -> Result<bool> {
        if self.1.is_empty() {
            return Ok(false);
        }
        self.0.get(self.1.start, game);
        self.1.start += 1;
        if !self.0.is_numbered {
            game.origin.number = self.1.start - self.2;
        }
        Ok(true)
    }

    fn first(&self) -> Option<u64> {
        self.0.is_numbered.then_some(self.2)
    }
}

impl Database for MemoryDatabase {
    fn info(&self) -> DatabaseInfo {
        DatabaseInfo::default()
    }

    fn len(&self) -> Result<u64> {
        Ok(self.games.len() as u64)
    }

    fn read(&self, number: u64, _: GameNeeds, game: &mut Game) -> Result<()> {
        self.get(number, game);
        Ok(())
    }

    fn source(&self, games: Option<Range<u64>>) -> Result<Box<dyn Source<'_> + '_>> {
        let end = self.games.len() as u64 + 1;
        let games = games.unwrap_or(1..end);
        Ok(Box::new(MemorySource(
            self,
            games.start..games.end.min(end),
        )))
    }

    fn facts(&self) -> Option<&dyn FactSource> {
        self.has_facts.then_some(self as &dyn FactSource)
    }
}

/// The games of one year with White's name, in their order.
struct YearCollector(u16);

impl Statistic for YearCollector {
    type Sum = Vec<(u64, String)>;

    fn needs(&self) -> CollectorNeeds {
        CollectorNeeds::facts(FactFields::DATE.union(FactFields::WHITE))
    }

    fn see(&self, sum: &mut Self::Sum, game: &mut GameView<'_>) -> Result<()> {
        if game.fact()?.date.year == Some(self.0) {
            let name = game.player(Color::White)?.into_owned();
            sum.push((game.place(), name));
        }
        Ok(())
    }

    fn add(&self, sum: &mut Self::Sum, part: Self::Sum, first: u64) {
        sum.extend(part.into_iter().map(|(place, name)| (first + place, name)));
    }
}

/// Plies.
struct PlyStatistic;

impl Statistic for PlyStatistic {
    type Sum = u64;

    fn needs(&self) -> CollectorNeeds {
        CollectorNeeds::default().with_steps(StepScope::MainLine)
    }

    fn see(&self, sum: &mut u64, game: &mut GameView<'_>) -> Result<()> {
        *sum += game.steps()?.iter().filter(|step| step.is_move()).count() as u64;
        Ok(())
    }

    fn add(&self, sum: &mut u64, part: u64, _: u64) {
        *sum += part;
    }
}

fn expected(range: Range<u64>, year: u64) -> Vec<(u64, String)> {
    range
        .filter(|number| 1900 + number % 10 == year)
        .map(|number| (number, format!("W{}", number % 3)))
        .collect()
}

#[test]
fn one_pass_feeds_several_whatever_the_threads_and_the_way() {
    for threads in [1, 3] {
        for (has_facts, is_numbered) in [(true, true), (true, false), (false, true), (false, false)]
        {
            let database = memory(5000, has_facts, is_numbered);
            let control = Control::default().with_threads(threads);
            let (mut year, mut other, mut moves) = (Vec::new(), Vec::new(), 0);
            let (one, two) = (YearCollector(1903), YearCollector(1905));
            let mut pass = CollectorPass::new();
            pass.sum(&one, &mut year);
            pass.sum(&PlyStatistic, &mut moves);
            pass.sum(&two, &mut other);
            let ended = pass.run(&database, PassRange::Range(10..4000), &control);
            assert_eq!(ended.ok(), Some(JobCompletion::Whole));
            assert_eq!(year, expected(10..4000, 1903));
            assert_eq!(other, expected(10..4000, 1905));
            assert_eq!(moves, (10..4000_u64).map(|number| number % 4).sum::<u64>());
            assert_eq!(control.progress().games, 3990);
        }
    }
}

/// White's name, as a number or as text, and plies; it reads a tag of every game.
struct NameStatistic;

impl Statistic for NameStatistic {
    type Sum = Vec<(bool, Option<u32>)>;

    fn needs(&self) -> CollectorNeeds {
        let facts = FactFields::WHITE.union(FactFields::PLIES);
        CollectorNeeds::facts(facts).union(CollectorNeeds::game(GameNeeds::TAGS))
    }

    fn see(&self, sum: &mut Self::Sum, game: &mut GameView<'_>) -> Result<()> {
        let number = game.number();
        let plies = game.fact()?.plies;
        let expected = format!("W{}", game.game(GameNeeds::TAGS)?.origin.number % 3);
        let is_number = match game.name(NameField::White)? {
            NameRef::Number(name) => {
                assert_eq!(number.map(|number| number % 3), Some(u64::from(name)));
                true
            }
            NameRef::Text(name) => {
                assert!(number.is_none() || name == expected);
                false
            }
        };
        sum.push((is_number, plies));
        Ok(())
    }

    fn add(&self, sum: &mut Self::Sum, part: Self::Sum, _: u64) {
        sum.extend(part);
    }
}

#[test]
fn names_are_numbers_where_facts_know_them_even_while_games_are_read() {
    for (has_facts, is_numbered) in [(true, true), (true, false), (false, true), (false, false)] {
        let database = memory(500, has_facts, is_numbered);
        let mut seen = Vec::new();
        let mut pass = CollectorPass::new();
        pass.sum(&NameStatistic, &mut seen);
        let ended = pass.run(
            &database,
            PassRange::All,
            &Control::default().with_threads(2),
        );
        assert_eq!(ended.ok(), Some(JobCompletion::Whole));
        let expected = (1..=500_u32).map(|number| (has_facts && is_numbered, Some(number % 4)));
        assert_eq!(seen, expected.collect::<Vec<_>>());
    }
}

#[test]
fn what_facts_say_is_not_read() {
    let database = memory(5000, true, true);
    let mut year = Vec::new();
    let statistic = YearCollector(1905);
    let mut pass = CollectorPass::new();
    pass.sum(&statistic, &mut year);
    let ended = pass.run(
        &database,
        PassRange::All,
        &Control::default().with_threads(2),
    );
    assert_eq!(ended.ok(), Some(JobCompletion::Whole));
    assert_eq!(year, expected(1..5001, 1905));
    // Every fifth game leaves its date unsaid.
    assert_eq!(database.reads.into_inner(), 1000);
}

#[test]
fn listed_games_alone_are_looked_at() {
    let numbers: Vec<u64> = (1..5000).step_by(7).collect();
    for has_facts in [true, false] {
        let database = memory(5000, has_facts, true);
        let mut moves = 0;
        let mut pass = CollectorPass::new();
        pass.sum(&PlyStatistic, &mut moves);
        let ended = pass.run(&database, PassRange::List(&numbers), &Control::default());
        assert_eq!(ended.ok(), Some(JobCompletion::Whole));
        assert_eq!(moves, numbers.iter().map(|number| number % 4).sum::<u64>());
        assert_eq!(database.reads.into_inner(), numbers.len() as u64);
    }
}

/// Counts games, and needs no more after a number of them.
#[test]
fn a_pass_ends_when_nobody_wants_more_and_when_it_is_told_to() {
    for has_facts in [true, false] {
        let database = memory(9000, has_facts, true);
        let statistic = YearCollector(1903);
        let control = Control::default().with_threads(2);
        let mut runs = 0;
        let mut pass = CollectorPass::new();
        pass.add(&statistic, |_, _| {
            runs += 1;
            Ok(runs < 2)
        });
        let ended = pass.run(&database, PassRange::All, &control);
        assert_eq!((ended.ok(), runs), (Some(JobCompletion::Whole), 2));

        let mut last = 0;
        let mut pass = CollectorPass::new();
        pass.add(&statistic, |_, run| {
            assert_eq!(run.first, last + 1, "a beginning without a gap");
            last = run.first + run.games - 1;
            control.stop();
            Ok(true)
        });
        let ended = pass.run(&database, PassRange::All, &control);
        assert_eq!(ended.ok(), Some(JobCompletion::Stopped));
        assert!(0 < last && last < 9000);
    }
}

#[test]
fn a_source_that_cannot_go_back_refuses_more_than_was_asked_for() {
    struct GreedyCollector;
    impl Statistic for GreedyCollector {
        type Sum = ();

        fn needs(&self) -> CollectorNeeds {
            CollectorNeeds::game(GameNeeds::TAGS)
        }

        fn see(&self, (): &mut (), game: &mut GameView<'_>) -> Result<()> {
            game.game(GameNeeds::ALL).map(drop)
        }

        fn add(&self, (): &mut (), (): (), _: u64) {}
    }
    let database = memory(20, false, false);
    let mut nothing = ();
    let mut pass = CollectorPass::new();
    pass.sum(&GreedyCollector, &mut nothing);
    assert!(
        pass.run(&database, PassRange::All, &Control::default())
            .is_err()
    );
}

#[test]
fn steps_are_those_of_the_moves() {
    let database = memory(3, false, true);
    struct LastGameCollector;
    impl Statistic for LastGameCollector {
        type Sum = Option<MoveDelta>;

        fn needs(&self) -> CollectorNeeds {
            CollectorNeeds::default().with_steps(StepScope::Variations)
        }

        fn see(&self, sum: &mut Self::Sum, game: &mut GameView<'_>) -> Result<()> {
            *sum = game.steps()?.last().copied();
            assert!(!game.is_damaged());
            Ok(())
        }

        fn add(&self, sum: &mut Self::Sum, part: Self::Sum, _: u64) {
            *sum = part;
        }
    }
    let mut last = None;
    let mut pass = CollectorPass::new();
    pass.sum(&LastGameCollector, &mut last);
    assert!(
        pass.run(&database, PassRange::All, &Control::default())
            .is_ok()
    );
    // 3. Nf3: from g1 to f3.
    assert_eq!(last.map(|step| (step.from(), step.to())), Some((6, 21)));
}
