//! The same queries over every format, with every short cut on and off.

use std::io;
use std::path::Path;

use tabiya::Base;
use tabiya::explore::IndexedDatabase;
use tabiya::explore::index::{self, ExplorerIndex, SpillFile};
use tabiya::formats::format::{Format, OpenOptions, WriteOptions};
use tabiya::formats::registry;
use tabiya::model::board::MoveList;
use tabiya::model::database::SinkWriter;
use tabiya::model::outcome::Outcome;
use tabiya::model::{Board, Control, Database, Game, GameNeeds, Losses, TapeOp};
use tabiya::query::{
    MatchedGame, Query, QueryContext, QueryEvaluator, QueryOptions, SearchShortcuts, search,
};
use tabiya::sidecar::{self, IndexBuildOptions, Sidecar};
use tabiya_testing::TestRandom;

/// Queries about what every format holds: names, results and the moves of the main line.
const NEUTRAL: [&str; 24] = [
    "white:Morphy",
    "player~a",
    "result:1-0",
    "not result:1-0",
    "plies:20..60",
    "moves>40",
    "position:\"rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2\"",
    "position[castling,ep]:\"rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2\"",
    "structure:\"8/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/8\"",
    "files:\"8/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/8\"",
    "material[lasting 3]:\"KRP* v KRP*\"",
    "material[either]:\"any, wvalue-bvalue>=9\"",
    "pattern[mirror]:\"8/8/8/8/5N2/8/8/8\"",
    "pattern[shift,flip]:\"PPP\"",
    "line:\"1.e4 e5 2.Nf3\"",
    "sequence:\"w.Nf3 w.O-O\"",
    "castling:queen-side",
    "promotion or en-passant",
    "mate",
    "ends:(check not mate)",
    "same[moves 5..25]:(check turn:black)",
    "ends:material:\"any, queens=0\"",
    "white:Morphy and (check or promotion)",
    "result:1-0 and not material:\"any, queens=0\"",
];

/// Queries whose answers depend on what a format holds.
const OTHER: [&str; 22] = [
    "elo>2000",
    "any-elo>1000",
    "elo-diff<0",
    "date:1850..1990",
    "opening:gambit",
    "opening!=\"King's Knight Opening\" plies<30",
    "not opening:/^$/ and (check or promotion)",
    "opening=\"\"",
    "eco:C",
    "eco!=C50 plies<40",
    "B20-C99 and (check or white:Morphy)",
    "has:comments",
    "has:variations",
    "has:nags",
    "nag:!",
    "flag:D",
    "comment~a",
    "variations:(check and material:\"any, men<=20\")",
    "position[variations]:\"rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2\"",
    "has:setup or event:/o/",
    "number:3..7 or annotator!=\"\"",
    "sequence[variations]:\"Nf3 Nxe5\"",
];

/// Short cuts that are taken: none, each alone, all, and all but each.
const SWITCHES: [u32; 12] = [0, 1, 2, 4, 8, 16, 31, 30, 29, 27, 23, 15];

type Hits = Vec<(u64, Option<u32>)>;

/// The answers of the plain evaluator.
fn plain(database: &dyn Database, query: &Query) -> Hits {
    let mut evaluator = QueryEvaluator::new(query, true);
    let mut hits = Vec::new();
    let mut source = database.source(None).expect("a source");
    tabiya::model::database::for_each_game(&mut *source, GameNeeds::ALL, |game| {
        let hit = evaluator.hit(game, game.origin.number);
        hits.extend(hit.map(|hit| (hit.number, hit.ply)));
        Ok(())
    })
    .expect("read");
    hits
}

/// A place for what does not fit into memory, where everything does.
struct Nowhere;

impl SpillFile for Nowhere {
    fn append(&self, _: &[u8]) -> io::Result<u64> {
        Err(io::Error::other("there is no such place"))
    }

    fn read(&self, _: u64, _: &mut [u8]) -> io::Result<()> {
        Err(io::Error::other("there is no such place"))
    }
}

/// The index of a database, beside no file.
fn index_in_memory(database: &dyn Database) -> ExplorerIndex {
    let control = Control::default().with_threads(1).with_memory(u64::MAX);
    let mut bytes = Vec::new();
    index::build(database, &[], &Nowhere, &control, &mut bytes).expect("built");
    ExplorerIndex::open(Box::new(bytes)).expect("an index")
}

/// Calls `each` with nothing and with the index of a database beside it.
fn with_and_without(
    database: &dyn Database,
    index: &ExplorerIndex,
    mut each: impl FnMut(&dyn Database),
) {
    each(database);
    let is_read = database.positions().is_none() || database.reads_in_rows();
    let is_read = is_read && !database.is_empty().expect("counted");
    assert_eq!(index.facts().is_some(), is_read);
    let indexed = IndexedDatabase::new(database, index);
    // Columns say nothing of moves, an index does.
    if let Some(facts) = indexed.facts().filter(|_| is_read) {
        assert!(facts.never_says().is_empty());
    }
    each(&indexed);
}

fn compare(name: &str, database: &dyn Database) -> Vec<Hits> {
    let mut all = Vec::new();
    let index = index_in_memory(database);
    for text in NEUTRAL.iter().chain(&OTHER) {
        let query = Query::parse(text, QueryContext::default())
            .unwrap_or_else(|e| panic!("{}", e.render(text)));
        let expected = plain(database, &query);
        with_and_without(database, &index, |database| {
            for switches in SWITCHES {
                same_answers(name, database, (text, &query), switches, &expected);
            }
        });
        all.push(expected);
    }
    all
}

fn same_answers(
    name: &str,
    database: &dyn Database,
    (text, query): (&str, &Query),
    switches: u32,
    expected: &Hits,
) {
    let on = |bit: u32| switches & bit != 0;
    let control = Control::default().with_threads(if on(1) { 3 } else { 1 });
    let options = QueryOptions {
        shortcuts: SearchShortcuts {
            lookup: true,
            facts: on(2),
            hints: on(4),
            compact: on(8),
            gate: on(16),
        },
        plies: true,
        keep: on(1).then_some(GameNeeds::TAGS),
        timed: false,
    };
    let told = || {
        let with = if database.lookup().is_some() {
            "with"
        } else {
            "without"
        };
        format!("{name}: {text} {options:?}, {with} an index")
    };
    let mut hits = Vec::new();
    let mut each = |found: MatchedGame| {
        assert_eq!(found.game.is_some(), on(1));
        hits.push((found.hit.number, found.hit.ply));
        Ok(true)
    };
    let report = search(database, query, options, &control, Some(&mut each));
    let report = report.expect("searched");
    assert_eq!(&hits, expected, "{}", told());
    assert_eq!(report.hits, hits.len() as u64);
    let counting = QueryOptions {
        plies: false,
        keep: None,
        ..options
    };
    let counted = search(database, query, counting, &control, None).expect("counted");
    assert_eq!(counted.hits, report.hits, "{}", told());
}

/// How many games are written in every format.
const GAMES: u64 = 24;

/// A game of legal moves: an opening that the queries know, then whatever comes, with a liking for what is rare.
fn random_game(number: u64) -> Game {
    const NAMES: [&str; 5] = [
        "Morphy, Paul",
        "Anderssen, Adolf",
        "Steinitz, W",
        "Zukertort",
        "Bird",
    ];
    const OPENINGS: [&str; 4] = [
        "e2e4 e7e5 g1f3 b8c6 f1c4",
        "d2d4 d7d5",
        "f2f3 e7e5 g2g4 d8h4",
        "",
    ];
    let mut random = TestRandom::new(number);
    let mut below = |limit: usize| random.below(limit.max(1));
    let mut game = Game::default();
    game.origin.number = number;
    let mut board = Board::standard();
    let play = |game: &mut Game, board: &mut Board, m| {
        game.tape.push_move(m);
        board.play(m);
    };
    for uci in OPENINGS[below(OPENINGS.len())].split_whitespace() {
        let m = board.parse_uci(uci.as_bytes()).expect("a legal move");
        play(&mut game, &mut board, m);
    }
    let mut list = MoveList::new();
    for _ in 0..below(200) {
        board.legal_moves(&mut list);
        let rare: Vec<_> = list
            .iter()
            .filter(|m| {
                m.promotion().is_some() || m.is_castle() || m.is_en_passant() || m.is_capture()
            })
            .collect();
        let m = match (rare.len(), list.len()) {
            (_, 0) => break,
            (1.., _) if below(2) == 0 => *rare[below(rare.len())],
            (_, all) => list[below(all)],
        };
        play(&mut game, &mut board, m);
    }
    let outcome = Outcome::ALL[below(Outcome::ALL.len())];
    for (name, value) in [
        ("Event", "Casual"),
        ("Site", "?"),
        ("Date", "1858.11.02"),
        ("Round", "?"),
        ("White", NAMES[below(NAMES.len())]),
        ("Black", NAMES[below(NAMES.len())]),
        ("Result", outcome.as_pgn()),
    ] {
        game.tags.push(name, value);
    }
    game.outcome = Some(outcome);
    game
}

/// The position at the end of a game's main line.
fn last_board(game: &Game) -> Board {
    let mut board = game.start_board();
    for op in game.tape.ops() {
        if let TapeOp::Move(m) = op {
            board.play(m);
        }
    }
    board
}

fn each_file(folder: &Path, each: &mut dyn FnMut(&Path)) {
    let mut entries: Vec<_> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|e| e.path())
        .collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            each_file(&entry, each);
        } else {
            each(&entry);
        }
    }
}

/// Writes games into a new database of a format and opens that, where the format can be written.
fn written(format: &Format, folder: &Path, games: &[Game]) -> Option<Vec<Base>> {
    let (create, _) = (format.create?, format.open?);
    let extension = format.extensions.first().unwrap_or(&"");
    let target = folder.join(format!("games.{extension}"));
    let mut writer = SinkWriter::new(create(&target, &WriteOptions::default()).ok()?);
    let mut losses = Losses::default();
    for game in games {
        writer.write(game, &mut losses).expect("written");
    }
    writer.finish().expect("finished");
    let inputs = tabiya::open(&target);
    Some(inputs.unwrap_or_else(|error| panic!("{}: {error}", format.name)))
}

/// An index beside a database that was written for a test.
fn index_of(database: &dyn Database) -> Box<ExplorerIndex> {
    let reading = OpenOptions::default();
    let making = IndexBuildOptions {
        reading: &reading,
        extend: false,
        control: &Control::default().with_threads(1).with_memory(1 << 20),
    };
    sidecar::make(database, &making).expect("made");
    let Sidecar::Fresh(index) = sidecar::open(database, &reading).expect("opened") else {
        panic!("the index is not of this database");
    };
    index
}

#[test]
fn an_index_of_positions_changes_no_answer() {
    let games: Vec<Game> = (1..=GAMES).map(random_game).collect();
    let after_e5 = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let mate = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3";
    let nowhere = "7k/8/8/8/8/8/8/K7 b - - 0 1";
    let once = last_board(&games[6]).to_fen();
    let queries = [
        format!("position:\"{after_e5}\""),
        format!("position[castling,ep]:\"{after_e5}\""),
        format!("position[variations]:\"{after_e5}\" result:1-0"),
        format!("position[moves 1..1]:\"{after_e5}\""),
        format!("not position:\"{after_e5}\" and white:Morphy"),
        format!("position:\"{start}\" or result:1-0"),
        format!("position:\"{start}\" and position:\"{mate}\""),
        format!("position:\"{mate}\" and (mate or white:Morphy)"),
        format!("position:\"{nowhere}\""),
        format!("position:\"{nowhere}\" or material:\"any, queens=0\""),
        format!("position:\"{once}\""),
        format!("position:\"{once}\" or position:\"{mate}\""),
        format!("position:\"{once}\" and number:7 and plies>0"),
    ];
    let mut listed = 0;
    for format in registry::FORMATS {
        let folder = tempfile::tempdir().expect("a folder");
        let Some(inputs) = written(format, folder.path(), &games) else {
            continue;
        };
        let database = inputs[0].database().expect("a database");
        if sidecar::path_of(database).is_none() {
            continue;
        }
        let index = index_of(database);
        let database = &IndexedDatabase::new(database, &*index);
        for text in &queries {
            let query = Query::parse(text, QueryContext::default())
                .unwrap_or_else(|error| panic!("{}", error.render(text)));
            assert!(query.asks_for_positions(), "{text}");
            let expected = plain(database, &query);
            for switches in 0..32 {
                let on = |bit: u32| switches & bit != 0;
                let control = Control::default().with_threads(if on(1) { 3 } else { 1 });
                let options = QueryOptions {
                    plies: on(2),
                    shortcuts: SearchShortcuts {
                        facts: on(4),
                        hints: on(8),
                        compact: on(16),
                        ..SearchShortcuts::default()
                    },
                    ..QueryOptions::default()
                };
                let mut hits = Vec::new();
                let mut each = |found: MatchedGame| {
                    hits.push((found.hit.number, found.hit.ply));
                    Ok(true)
                };
                search(database, &query, options, &control, Some(&mut each)).expect("searched");
                let expected: Hits = expected
                    .iter()
                    .map(|(number, ply)| (*number, ply.filter(|_| options.plies)))
                    .collect();
                assert_eq!(hits, expected, "{}: {text} {options:?}", format.name);
                let counted = search(database, &query, options, &control, None).expect("counted");
                assert_eq!(counted.hits, hits.len() as u64, "{text} {options:?}");
                listed += hits.len();
            }
        }
    }
    assert!(listed > 1000, "{listed} hits");
}

#[test]
fn a_damaged_index_changes_no_answer() {
    let games: Vec<Game> = (1..=GAMES).map(random_game).collect();
    let once = last_board(&games[6]).to_fen();
    let after_e4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
    let queries = [
        format!("position:\"{after_e4}\""),
        format!("position:\"{once}\""),
        "white:Morphy or black:Bird".to_owned(),
        "plies>30 and not result:1-0".to_owned(),
        "material:\"any, queens=0\"".to_owned(),
    ]
    .map(|text| Query::parse(&text, QueryContext::default()).expect("a query"));
    for format in ["si5", "pgn"].map(|name| registry::by_name(name).expect("there")) {
        let folder = tempfile::tempdir().expect("a folder");
        let inputs = written(format, folder.path(), &games).expect("written");
        let database = inputs[0].database().expect("a database");
        index_of(database);
        let path = sidecar::path_of(database).expect("a file");
        let whole = std::fs::read(&path).expect("read");
        for length in (0..whole.len()).step_by(11) {
            assert!(ExplorerIndex::open(Box::new(whole[..length].to_vec())).is_none());
        }
        let expected = queries.each_ref().map(|query| plain(database, query));
        assert!(expected.iter().all(|hits| !hits.is_empty()));
        let (mut opened, mut noticed) = (0, 0);
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << (at % 8);
            let Some(index) = ExplorerIndex::open(Box::new(bytes)) else {
                continue;
            };
            opened += 1;
            let indexed = IndexedDatabase::new(database, &index);
            for (query, expected) in queries.iter().zip(&expected) {
                for plies in [true, false] {
                    let control = Control::default().with_threads(1);
                    let options = QueryOptions {
                        plies,
                        ..QueryOptions::default()
                    };
                    let found = search(&indexed, query, options, &control, None);
                    let hits = found.expect("searched").hits;
                    assert_eq!(hits, expected.len() as u64, "{} byte {at}", format.name);
                }
            }
            noticed += u32::from(index.is_damaged());
        }
        assert!(opened > 50 && noticed > 20, "{opened} {noticed}");
    }
}

#[test]
fn an_index_reports_the_damage_that_reading_shows() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("games.pgn");
    let game = |moves: &str| format!("[White \"A\"]\n\n{moves} *\n\n");
    let text = game("1. e4 Ke4") + &game("1. e4 e5 2. Nf3").repeat(20);
    std::fs::write(&path, text).expect("written");
    let inputs = tabiya::open(&path).expect("opened");
    let database = inputs[0].database().expect("a database");
    let index = index_in_memory(database);
    assert_eq!(index.damaged_games(), [1]);
    for (text, damaged) in [
        ("white:A plies>3", 1),
        // The tags decide before the moves are read.
        ("white:Z plies>3", 0),
        ("plies>3", 1),
        ("annotator:Z and mate", 0),
    ] {
        let query = Query::parse(text, QueryContext::default()).expect("a query");
        with_and_without(database, &index, |database| {
            let report = search(
                database,
                &query,
                QueryOptions::default(),
                &Control::default(),
                None,
            );
            let report = report.expect("searched");
            assert_eq!((report.hits, report.damaged), (0, damaged), "{text}");
        });
    }
}

#[test]
fn every_sample_has_the_same_answers_whatever_the_short_cuts() {
    let corpus = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus"));
    // Every sample that opens, damaged ones among them; in the shorter forms some of them.
    let largest = tabiya_testing::by_form(2_000, 4_000, 60_000);
    let each = tabiya_testing::by_form(5, 2, 1);
    let mut samples = 0;
    let mut bases = 0;
    each_file(corpus, &mut |file| {
        let size = file.metadata().map_or(0, |m| m.len());
        samples += 1;
        if size >= largest || samples % each != 0 {
            return;
        }
        let Ok(inputs) = tabiya::open(file) else {
            return;
        };
        for input in &inputs {
            if let Some(database) = input.database() {
                compare(input.name(), database);
                bases += 1;
            }
        }
    });
    assert!(bases > 0);
}

/// The same games in every format that can be written.
#[test]
fn every_format_has_the_same_answers_whatever_the_short_cuts() {
    let games: Vec<Game> = (1..=GAMES).map(random_game).collect();
    let mut neutral: Option<Vec<Hits>> = None;
    for format in registry::FORMATS {
        let folder = tempfile::tempdir().expect("a folder");
        let Some(inputs) = written(format, folder.path(), &games) else {
            continue;
        };
        let database = inputs
            .first()
            .and_then(|input| input.database())
            .expect("a database");
        let answers = compare(format.name, database);
        let len = database.len().expect("counted");
        if len != games.len() as u64 || format.name == "cbf" {
            // It could not hold all of the games, or holds less than all of their names.
            continue;
        }
        let answers = answers.into_iter().take(NEUTRAL.len()).collect();
        match &neutral {
            None => neutral = Some(answers),
            Some(expected) => {
                for ((text, expected), answer) in NEUTRAL.iter().zip(expected).zip(&answers) {
                    assert_eq!(answer, expected, "{}: {text}", format.name);
                }
            }
        }
    }
    let neutral = neutral.expect("some format holds all of the games");
    let answered = neutral.iter().filter(|hits| !hits.is_empty()).count();
    assert!(answered >= 18, "only {answered} queries find anything");
}

#[test]
fn a_search_says_how_far_it_is_and_stops() {
    let games: Vec<Game> = (1..=GAMES).map(random_game).collect();
    let folder = tempfile::tempdir().expect("a folder");
    let format = registry::by_name("si5").expect("Scid's");
    let bases = written(format, folder.path(), &games).expect("it can be written");
    let database = bases.first().and_then(Base::database).expect("a database");
    let query = Query::parse("legal-moves:1 or check", QueryContext::default()).expect("a query");
    for threads in [1, 2] {
        let control = Control::default().with_threads(threads);
        let ask = || search(database, &query, QueryOptions::default(), &control, None);
        let report = ask().expect("searched");
        let progress = control.progress();
        assert!(report.hits > 0 && report.ended.is_whole());
        assert_eq!((progress.games, progress.done), (GAMES, GAMES));
        assert_eq!(progress.total, Some(GAMES));
        control.stop();
        let report = ask().expect("searched");
        assert!(report.hits == 0 && !report.ended.is_whole());
    }
}
