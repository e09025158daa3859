//! The laws of reading, for any database: those that the tests have written, and the samples, including those of read-only
//! formats.

#![allow(clippy::print_stderr)] // The tests print which formats took part.

use shakmaty::Color;
use tabiya_formats::format::OpenOptions;
use tabiya_model::database::{Block, for_each_game};
use tabiya_model::facts::{FactFields, GameFacts};
use tabiya_model::{Control, Database, Game, GameNeeds, pipeline};

use crate::golden;

/// Every game of a database, in one stream.
pub(crate) fn read_all(database: &dyn Database, want: GameNeeds) -> Vec<Game> {
    let mut games = Vec::new();
    let mut source = database.source(None).expect("a source");
    for_each_game(&mut *source, want, |game| {
        games.push(game.clone());
        Ok(())
    })
    .expect("every game is read");
    games
}

/// Every game of a database, on a number of threads.
fn read_with(database: &dyn Database, threads: usize) -> Vec<Game> {
    let mut all = Vec::new();
    let mut count = 0;
    let mut source = database.source(None).expect("a source");
    let make = || {
        |block: &mut dyn Block| {
            let mut games = Vec::new();
            let mut game = Game::default();
            while block.next(GameNeeds::ALL, &mut game)? {
                games.push(game.clone());
            }
            Ok((block.first(), games))
        }
    };
    let control = Control::default().with_threads(threads);
    pipeline::run(&mut *source, &control, make, |(first, mut games)| {
        let base = if first.is_some() { 0 } else { count };
        count += games.len() as u64;
        for game in &mut games {
            pipeline::renumber(game, base);
        }
        all.append(&mut games);
        Ok(true)
    })
    .expect("every game is read");
    all
}

/// Threads change nothing, and games are numbered from 1.
pub(crate) fn threads_read_alike(name: &str, database: &dyn Database) {
    let one = read_with(database, 1);
    let numbers: Vec<u64> = one.iter().map(|game| game.origin.number).collect();
    let expected: Vec<u64> = (1..=one.len() as u64).collect();
    assert_eq!(numbers, expected, "{name}");
    for threads in [2, 5] {
        let read = read_with(database, threads);
        assert!(read == one, "{name} with {threads} threads");
    }
}

/// The results of reading the blocks of a database.
pub(crate) struct BlocksSeen {
    /// Whether each of them could give a game again.
    pub(crate) all_repeatable: bool,
}

/// A block that can go back returns the same game again, whatever was wanted of it at first.
pub(crate) fn blocks_read_again(name: &str, database: &dyn Database) -> BlocksSeen {
    let mut seen = BlocksSeen {
        all_repeatable: true,
    };
    let mut all = database.source(None).expect("a source");
    let mut twice = database.source(None).expect("a source");
    let (mut first, mut again) = (Game::default(), Game::default());
    while let Some(mut block) = all.next_block().expect("a block") {
        let mut other = twice
            .next_block()
            .expect("a block")
            .expect("the same block");
        if !other.is_repeatable() {
            seen.all_repeatable = false;
            continue;
        }
        let early = other.again(GameNeeds::ALL, &mut again);
        assert!(!early.expect("nothing was read"), "{name}");
        while block.next(GameNeeds::ALL, &mut first).expect("a game") {
            let next = other.next(GameNeeds::TAGS, &mut again).expect("a game");
            assert!(next, "{name}");
            let same = other.again(GameNeeds::ALL, &mut again).expect("the game");
            assert!(same, "{name}");
            assert!(again == first, "{name} game {}", first.origin.number);
        }
        let more = other.next(GameNeeds::TAGS, &mut again).expect("an end");
        assert!(!more, "{name}");
    }
    assert!(twice.next_block().expect("an end").is_none(), "{name}");
    seen
}

/// Reading less of the games gives a part of what reading everything gives.
pub(crate) fn less_is_a_part_of_all(name: &str, database: &dyn Database) {
    let all = read_all(database, GameNeeds::ALL);
    let tags = read_all(database, GameNeeds::TAGS);
    let main = read_all(database, GameNeeds::MAIN_LINE);
    assert_eq!(all.len(), tags.len(), "{name}");
    assert_eq!(all.len(), main.len(), "{name}");
    for ((all, tags), main) in all.iter().zip(&tags).zip(&main) {
        let at = format!("{name} game {}", all.origin.number);
        assert_eq!(all.tags, tags.tags, "{at}");
        assert_eq!(all.tags, main.tags, "{at}");
        assert_eq!(all.origin.number, tags.origin.number, "{at}");
        assert_eq!(all.origin.number, main.origin.number, "{at}");
        assert_eq!(all.start, main.start, "{at}");
        assert_eq!(all.variant, main.variant, "{at}");
        assert!(all.tape.main_line().eq(main.tape.main_line()), "{at}");
        assert_eq!(all.result(), main.result(), "{at}");
    }
}

/// Facts that are known about a game without reading it equal those that reading it shows.
fn facts_are_what_is_read(name: &str, database: &dyn Database, all: &[Game]) {
    let Some(facts) = database.facts() else {
        return;
    };
    let len = all.len() as u64;
    assert_eq!(facts.len(), len, "{name}");
    let is_no_game = |number| facts.fact(number, FactFields::ALL).is_none();
    assert!(is_no_game(0) && is_no_game(len + 1), "{name}");
    for (number, game) in (1..).zip(all) {
        let at = format!("{name} game {number}");
        let fact = facts.fact(number, FactFields::ALL).expect("a game");
        let read = GameFacts::of_game(game, |_, _| Some(0));
        let says = |field| fact.says(field) && read.says(field);
        let value = |tag| game.tags.value(tag);
        if says(FactFields::WHITE) {
            assert_eq!(facts.player(&fact, Color::White), value("White"), "{at}");
        }
        if says(FactFields::BLACK) {
            assert_eq!(facts.player(&fact, Color::Black), value("Black"), "{at}");
        }
        if says(FactFields::EVENT) {
            assert_eq!(facts.event(&fact), value("Event"), "{at}");
        }
        if says(FactFields::SITE) {
            assert_eq!(facts.site(&fact), value("Site"), "{at}");
        }
        if says(FactFields::ROUND) {
            assert_eq!(facts.round(&fact), value("Round"), "{at}");
        }
        if says(FactFields::OUTCOME) {
            assert_eq!(fact.outcome, read.outcome, "{at}");
        }
        let other_tags = |field| facts.has_more_tags(number, field);
        if says(FactFields::DATE) && !other_tags(FactFields::DATE) {
            assert_eq!(fact.date, read.date, "{at}");
        }
        if says(FactFields::ELOS) && !other_tags(FactFields::ELOS) {
            assert_eq!(fact.elos, read.elos, "{at}");
        }
        if says(FactFields::ECO) && !other_tags(FactFields::ECO) {
            assert_eq!(fact.eco, read.eco, "{at}");
        }
        if says(FactFields::FLAGS) && !other_tags(FactFields::FLAGS) {
            let of_tags = |fact: &GameFacts| (fact.flag_letters(), fact.is_setup());
            assert_eq!(of_tags(&fact), of_tags(&read), "{at}");
        }
        if let (Some(said), Some(plies)) = (fact.plies, read.plies) {
            assert_eq!(said, plies, "{at}");
        }
    }
}

/// A game by its number and a range of games equal those of a stream of all games, and there are none before the first or
/// after the last.
pub(crate) fn random_access_is_streaming(name: &str, database: &dyn Database) {
    let all = read_all(database, GameNeeds::ALL);
    let len = all.len() as u64;
    assert_eq!(database.len().expect("a count"), len, "{name}");
    facts_are_what_is_read(name, database, &all);
    let mut game = Game::default();
    let within = |number: &u64| (1..=len).contains(number);
    let some = [1, 2, 3, len / 2, len.saturating_sub(1), len];
    for number in some.into_iter().filter(within) {
        database
            .read(number, GameNeeds::ALL, &mut game)
            .unwrap_or_else(|error| panic!("{name} game {number}: {error}"));
        assert_eq!(game, all[number as usize - 1], "{name} game {number}");
    }
    for number in [0, len + 1, u64::MAX] {
        let read = database.read(number, GameNeeds::ALL, &mut game);
        assert!(read.is_err(), "{name} has no game {number}");
    }
    for range in [
        1..2,
        3..9,
        len.saturating_sub(2).max(1)..len + 1,
        len.max(1)..u64::MAX,
        5..5,
        len + 5..len + 9,
    ] {
        let mut part = Vec::new();
        let mut source = database.source(Some(range.clone())).expect("a source");
        for_each_game(&mut *source, GameNeeds::ALL, |game| {
            part.push(game.clone());
            Ok(())
        })
        .expect("the range is read");
        let from = (range.start.min(len + 1) - 1) as usize;
        let to = (range.end.min(len + 1) - 1) as usize;
        let expected = &all[from..to.max(from)];
        let numbers = |games: &[Game]| games.iter().map(|g| g.origin.number).collect::<Vec<_>>();
        assert!(
            part == expected,
            "{name} games {range:?}: {:?} instead of {:?}",
            numbers(&part),
            numbers(expected)
        );
    }
}

/// The laws above for samples made by others, or of formats that we do not write.
#[test]
fn sound_samples_keep_the_laws_of_reading() {
    let mut formats = Vec::new();
    for sample in golden::samples() {
        if sample.kind != "ok" {
            continue;
        }
        let name = sample.name();
        let open = sample.format.open.expect("a sample's format is read");
        let database = open(&sample.path, &OpenOptions::default()).expect("a sound sample");
        let database = &*database;
        threads_read_alike(&name, database);
        blocks_read_again(&name, database);
        less_is_a_part_of_all(&name, database);
        random_access_is_streaming(&name, database);
        if !formats.contains(&sample.format.name) {
            formats.push(sample.format.name);
        }
    }
    eprintln!("laws of reading, with samples: {}", formats.join(" "));
    for format in tabiya_formats::registry::FORMATS {
        let only_read = format.open.is_some() && format.create.is_none();
        let name = format.name;
        assert!(
            !only_read || formats.contains(&name),
            "{name} is only read, and has no sound sample in corpus/{name}/ok that it takes for its own"
        );
    }
}
