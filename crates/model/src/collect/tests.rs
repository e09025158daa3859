use std::borrow::Cow;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use shakmaty::Color;

use super::*;
use crate::board::Board;
use crate::control::{Control, Ended};
use crate::database::{Block, Database, Info, Source};
use crate::facts::{Fact, Facts, NameTable};
use crate::game::Game;
use crate::outcome::Outcome;
use crate::positions::Delta;

/// Games in memory, by blocks of seven, and how often one was read.
struct Memory {
    games: Vec<Game>,
    /// Whether facts are known: but not the date of every fifth game.
    has_facts: bool,
    /// Whether blocks know the numbers of their games.
    is_numbered: bool,
    reads: AtomicU64,
}

const BLOCK: u64 = 7;

fn memory(count: u64, has_facts: bool, is_numbered: bool) -> Memory {
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
    Memory {
        games: games.collect(),
        has_facts,
        is_numbered,
        reads: AtomicU64::new(0),
    }
}

impl Memory {
    fn get(&self, number: u64, game: &mut Game) {
        self.reads.fetch_add(1, Ordering::Relaxed);
        game.clone_from(&self.games[number as usize - 1]);
    }
}

impl Facts for Memory {
    fn len(&self) -> u64 {
        self.games.len() as u64
    }

    fn fact(&self, number: u64, _: Fields) -> Option<Fact> {
        let game = self
            .games
            .get(usize::try_from(number.checked_sub(1)?).ok()?)?;
        let mut fact = Fact::of_game(game, |_, _| Some((number % 3) as u32));
        if number.is_multiple_of(5) {
            fact.unsaid = fact.unsaid.union(Fields::DATE);
            fact.date = Default::default();
        }
        Some(fact)
    }

    fn has_more_tags(&self, _: u64, _: Fields) -> bool {
        false
    }

    fn names(&self, _: NameTable) -> u32 {
        3
    }

    fn name(&self, _: NameTable, number: u32) -> Cow<'_, str> {
        format!("W{number}").into()
    }
}

struct Blocks<'m>(&'m Memory, Range<u64>);
struct Few<'m>(&'m Memory, Range<u64>, u64);

impl<'m> Source<'m> for Blocks<'m> {
    fn next_block(&mut self) -> Result<Option<Box<dyn Block + 'm>>> {
        if self.1.is_empty() {
            return Ok(None);
        }
        let end = self.1.end.min(self.1.start + BLOCK);
        let first = std::mem::replace(&mut self.1.start, end);
        Ok(Some(Box::new(Few(self.0, first..end, first))))
    }
}

impl Block for Few<'_> {
    fn next(&mut self, _: Want, game: &mut Game) -> Result<bool> {
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

impl Database for Memory {
    fn info(&self) -> Info {
        Info::default()
    }

    fn len(&self) -> Result<u64> {
        Ok(self.games.len() as u64)
    }

    fn read(&self, number: u64, _: Want, game: &mut Game) -> Result<()> {
        self.get(number, game);
        Ok(())
    }

    fn source(&self, games: Option<Range<u64>>) -> Result<Box<dyn Source<'_> + '_>> {
        let end = self.games.len() as u64 + 1;
        let games = games.unwrap_or(1..end);
        Ok(Box::new(Blocks(self, games.start..games.end.min(end))))
    }

    fn facts(&self) -> Option<&dyn Facts> {
        self.has_facts.then_some(self as &dyn Facts)
    }
}

/// The games of one year with White's name, in their order.
struct OfYear(u16);

impl Statistic for OfYear {
    type Sum = Vec<(u64, String)>;

    fn needs(&self) -> Needs {
        Needs::facts(Fields::DATE.union(Fields::WHITE))
    }

    fn see(&self, sum: &mut Self::Sum, game: &mut Seen<'_>) -> Result<()> {
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

/// Half-moves.
struct Moves;

impl Statistic for Moves {
    type Sum = u64;

    fn needs(&self) -> Needs {
        Needs::default().with_steps(Steps::MainLine)
    }

    fn see(&self, sum: &mut u64, game: &mut Seen<'_>) -> Result<()> {
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
            let (one, two) = (OfYear(1903), OfYear(1905));
            let mut pass = Pass::new();
            pass.sum(&one, &mut year);
            pass.sum(&Moves, &mut moves);
            pass.sum(&two, &mut other);
            let ended = pass.run(&database, Over::Range(10..4000), &control);
            assert_eq!(ended.ok(), Some(Ended::Whole));
            assert_eq!(year, expected(10..4000, 1903));
            assert_eq!(other, expected(10..4000, 1905));
            assert_eq!(moves, (10..4000_u64).map(|number| number % 4).sum::<u64>());
            assert_eq!(control.progress().games, 3990);
        }
    }
}

/// White's name, as a number or as text, and half-moves; a tag is read of every game.
struct Named;

impl Statistic for Named {
    type Sum = Vec<(bool, Option<u32>)>;

    fn needs(&self) -> Needs {
        let facts = Fields::WHITE.union(Fields::PLIES);
        Needs::facts(facts).union(Needs::game(Want::TAGS))
    }

    fn see(&self, sum: &mut Self::Sum, game: &mut Seen<'_>) -> Result<()> {
        let number = game.number();
        let plies = game.fact()?.plies;
        let expected = format!("W{}", game.game(Want::TAGS)?.origin.number % 3);
        let is_number = match game.name(NameOf::White)? {
            Name::Number(name) => {
                assert_eq!(number.map(|number| number % 3), Some(u64::from(name)));
                true
            }
            Name::Text(name) => {
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
        let mut pass = Pass::new();
        pass.sum(&Named, &mut seen);
        let ended = pass.run(&database, Over::All, &Control::default().with_threads(2));
        assert_eq!(ended.ok(), Some(Ended::Whole));
        let expected = (1..=500_u32).map(|number| (has_facts && is_numbered, Some(number % 4)));
        assert_eq!(seen, expected.collect::<Vec<_>>());
    }
}

#[test]
fn what_facts_say_is_not_read() {
    let database = memory(5000, true, true);
    let mut year = Vec::new();
    let statistic = OfYear(1905);
    let mut pass = Pass::new();
    pass.sum(&statistic, &mut year);
    let ended = pass.run(&database, Over::All, &Control::default().with_threads(2));
    assert_eq!(ended.ok(), Some(Ended::Whole));
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
        let mut pass = Pass::new();
        pass.sum(&Moves, &mut moves);
        let ended = pass.run(&database, Over::List(&numbers), &Control::default());
        assert_eq!(ended.ok(), Some(Ended::Whole));
        assert_eq!(moves, numbers.iter().map(|number| number % 4).sum::<u64>());
        assert_eq!(database.reads.into_inner(), numbers.len() as u64);
    }
}

/// Counts games, and has enough after so many.
#[test]
fn a_pass_ends_when_nobody_wants_more_and_when_it_is_told_to() {
    for has_facts in [true, false] {
        let database = memory(9000, has_facts, true);
        let statistic = OfYear(1903);
        let control = Control::default().with_threads(2);
        let mut runs = 0;
        let mut pass = Pass::new();
        pass.add(&statistic, |_, _| {
            runs += 1;
            Ok(runs < 2)
        });
        let ended = pass.run(&database, Over::All, &control);
        assert_eq!((ended.ok(), runs), (Some(Ended::Whole), 2));

        let mut last = 0;
        let mut pass = Pass::new();
        pass.add(&statistic, |_, run| {
            assert_eq!(run.first, last + 1, "a beginning without a gap");
            last = run.first + run.games - 1;
            control.stop();
            Ok(true)
        });
        let ended = pass.run(&database, Over::All, &control);
        assert_eq!(ended.ok(), Some(Ended::Stopped));
        assert!(0 < last && last < 9000);
    }
}

#[test]
fn a_source_that_cannot_go_back_refuses_more_than_was_asked_for() {
    struct Greedy;
    impl Statistic for Greedy {
        type Sum = ();

        fn needs(&self) -> Needs {
            Needs::game(Want::TAGS)
        }

        fn see(&self, (): &mut (), game: &mut Seen<'_>) -> Result<()> {
            game.game(Want::ALL).map(drop)
        }

        fn add(&self, (): &mut (), (): (), _: u64) {}
    }
    let database = memory(20, false, false);
    let mut nothing = ();
    let mut pass = Pass::new();
    pass.sum(&Greedy, &mut nothing);
    assert!(pass.run(&database, Over::All, &Control::default()).is_err());
}

#[test]
fn steps_are_those_of_the_moves() {
    let database = memory(3, false, true);
    struct Last;
    impl Statistic for Last {
        type Sum = Option<Delta>;

        fn needs(&self) -> Needs {
            Needs::default().with_steps(Steps::Variations)
        }

        fn see(&self, sum: &mut Self::Sum, game: &mut Seen<'_>) -> Result<()> {
            *sum = game.steps()?.last().copied();
            assert!(!game.is_damaged());
            Ok(())
        }

        fn add(&self, sum: &mut Self::Sum, part: Self::Sum, _: u64) {
            *sum = part;
        }
    }
    let mut last = None;
    let mut pass = Pass::new();
    pass.sum(&Last, &mut last);
    assert!(pass.run(&database, Over::All, &Control::default()).is_ok());
    // 3. Nf3: from g1 to f3.
    assert_eq!(last.map(|step| (step.from(), step.to())), Some((6, 21)));
}
