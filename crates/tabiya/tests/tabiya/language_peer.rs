//! Random queries about people, moves and the order of events beside a plain computation with python-chess, over several
//! formats, with every short cut on and off, with an index and without; and what scoutfish finds for its own queries.

use std::path::Path;

use tabiya::Base;
use tabiya::Selection;
use tabiya::explore::IndexedDatabase;
use tabiya::formats::format::{OpenOptions, WriteOptions};
use tabiya::formats::registry;
use tabiya::model::database::SinkWriter;
use tabiya::model::{Control, Database, Game, GameNeeds, Losses};
use tabiya::query::{MatchedGame, Query, QueryContext, QueryOptions, SearchShortcuts, search};
use tabiya::sidecar::{self, IndexBuildOptions, Sidecar};

const FAMOUS: &str = "corpora/nasty/mcostalba_scoutfish__pgn_famous_games.pgn";

/// Formats that keep what the queries ask, and whether variations are among it.
const FORMATS: [(&str, bool); 6] = [
    ("pgn", true),
    ("si4", true),
    ("si5", true),
    ("cbf", false),
    ("ca", false),
    ("jose", true),
];

/// Games with comments, NAGs, clocks, evaluations and marks.
const ANNOTATED: [(&str, &[(&str, bool)]); 3] = [
    ("corpora/annotated-human.pgn.zst", ALL_MOVES),
    ("corpora/annotated.pgn.zst", ALL_MOVES),
    // Some of its games are Chess960.
    (
        "corpora/lichess-real.pgn.zst",
        &[("pgn", true), ("si5", true)],
    ),
];

/// Formats that keep annotations and variations as they are.
const ALL_MOVES: &[(&str, bool)] = &[("pgn", true), ("si4", true), ("si5", true), ("jose", true)];

/// What formats without variations do not keep as it is, so that they are not asked.
const BEYOND: [&str; 22] = [
    "month",
    "date",
    "[variations]",
    "winner",
    "loser",
    "player",
    "with=",
    "against",
    "tag[",
    "annotator",
    "opening",
    "round",
    "title",
    "country",
    "time-control",
    "speed",
    "event",
    "site",
    "has:",
    "nag:",
    "comment",
    "clock",
];

type Hits = Vec<(u64, Option<u32>)>;

/// A query, and the games that it finds, each with its ply where one is told.
type Answer = (String, Vec<(u64, Option<Option<u32>>)>);

/// A query in our words, how many games it finds, and the first of them.
type Scouted = (&'static str, usize, &'static [(usize, u32)]);

fn open(path: &Path) -> Base {
    tabiya::open(path).expect("opened").pop().expect("one")
}

/// The first games of a database in another format.
fn written(database: &dyn Database, most: u64, name: &str, folder: &Path) -> Base {
    let format = registry::by_name(name).expect("a format");
    let extension = format.extensions.first().expect("an extension");
    let path = folder.join(format!("games.{extension}"));
    let sink = format.create.expect("it can be written")(&path, &WriteOptions::default());
    let mut writer = SinkWriter::new(sink.expect("created"));
    let mut source = database.source(None).expect("a source");
    let (mut game, mut left) = (Game::default(), most);
    while left > 0
        && let Some(mut block) = source.next_block().expect("a block")
    {
        while left > 0 && block.next(GameNeeds::ALL, &mut game).expect("a game") {
            left -= 1;
            let written = writer.write(&game, &mut Losses::default());
            written.expect("written");
        }
    }
    writer.finish().expect("finished");
    open(&path)
}

fn hits(database: &dyn Database, query: &Query, options: QueryOptions) -> Hits {
    let mut hits = Vec::new();
    let mut each = |found: MatchedGame| {
        hits.push((found.hit.number, found.hit.ply));
        Ok(true)
    };
    let control = Control::default().with_threads(1);
    search(database, query, options, &control, Some(&mut each)).expect("searched");
    let counting = QueryOptions {
        plies: false,
        ..options
    };
    let counted = search(database, query, counting, &control, None).expect("counted");
    assert_eq!(counted.hits, hits.len() as u64);
    hits
}

/// One answer of the peer.
fn read(line: &str) -> Answer {
    let value: serde_json::Value = serde_json::from_str(line).expect("JSON");
    let query = value["query"].as_str().expect("a query").to_owned();
    let games = value["games"].as_array().expect("games").iter();
    let games = games.map(|game| {
        let ply = match &game[1] {
            serde_json::Value::Null => Some(None),
            serde_json::Value::Number(ply) => Some(ply.as_u64().and_then(|n| n.try_into().ok())),
            _ => None,
        };
        (game[0].as_u64().expect("a number"), ply)
    });
    (query, games.collect())
}

/// The first games of packed movetext, unpacked for those who cannot.
fn plainly(path: &Path, most: u64, target: &Path) {
    let base = open(path);
    let database = base.database().expect("a database");
    let written = written(database, most, "pgn", target.parent().expect("a folder"));
    std::fs::rename(target.with_file_name("games.pgn"), target).expect("renamed");
    drop(written);
}

fn compare(path: &Path, formats: &[(&str, bool)], seed: u64, count: u64, most: u64) {
    let folder = tempfile::tempdir().expect("a folder");
    let plain = folder.path().join("plain.pgn");
    let path = match path.extension().is_some_and(|end| end == "zst") {
        true => {
            plainly(path, most, &plain);
            plain.as_path()
        }
        false => path,
    };
    let Some(answers) = answers_of("language.py", path, &[seed, count, most]) else {
        return;
    };
    assert_eq!(answers.len() as u64, count);
    let original = open(path);
    let original = original.database().expect("a database");
    let mut found = 0;
    for &(name, has_variations) in formats {
        let folder = tempfile::tempdir().expect("a folder");
        let base = written(original, most, name, folder.path());
        let database = base.database().expect("a database");
        let making = IndexBuildOptions {
            reading: &OpenOptions::default(),
            extend: false,
            control: &Control::default().with_threads(1).with_memory(1 << 20),
        };
        sidecar::make(database, &making).expect("made");
        let Sidecar::Fresh(index) = sidecar::open(database, making.reading).expect("opened") else {
            panic!("the index is not of this database");
        };
        let indexed = IndexedDatabase::new(database, &*index);
        // Databases that are read slowly are asked less.
        let step = if ["ca", "jose"].contains(&name) {
            10
        } else {
            1
        };
        for (text, expected) in answers.iter().step_by(step) {
            if !has_variations && BEYOND.iter().any(|word| text.contains(word)) {
                continue;
            }
            let query = Query::parse(text, QueryContext::default())
                .unwrap_or_else(|error| panic!("{}", error.render(text)));
            for switches in [0, 1, 2, 4, 7] {
                let on = |bit: u32| switches & bit != 0;
                let options = QueryOptions {
                    plies: true,
                    shortcuts: SearchShortcuts {
                        facts: on(1),
                        hints: on(2),
                        compact: on(4),
                        ..SearchShortcuts::default()
                    },
                    ..QueryOptions::default()
                };
                for database in [database, &indexed as &dyn Database] {
                    let hits = hits(database, &query, options);
                    let numbers: Vec<u64> = hits.iter().map(|(number, _)| *number).collect();
                    let wanted: Vec<u64> = expected.iter().map(|(number, _)| *number).collect();
                    assert_eq!(numbers, wanted, "{name}: {text} {options:?}");
                    for ((number, ply), (_, wanted)) in hits.iter().zip(expected) {
                        if let Some(wanted) = wanted {
                            assert_eq!(ply, wanted, "{name}: {text}, game {number} {options:?}");
                        }
                    }
                    found += hits.len();
                }
            }
        }
    }
    assert!(found > 400, "{found} hits");
}

/// What the peer's script of a name says of a file, in one line a query.
fn answers_of(script: &str, file: &Path, arguments: &[u64]) -> Option<Vec<Answer>> {
    let mut python = tabiya_testing::python_with("chess.pgn")?;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers");
    let output = python
        .arg(folder.join(script))
        .arg(file)
        .args(arguments.iter().map(u64::to_string))
        .output()
        .expect("python");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let lines = String::from_utf8(output.stdout).expect("UTF-8");
    Some(lines.lines().map(read).collect())
}

#[test]
fn the_examples_of_cql_find_what_a_plain_computation_finds() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/query.md");
    let page = std::fs::read_to_string(page).expect("the reference");
    let most = if tabiya_testing::is_full() { 600 } else { 25 };
    let mut found = 0;
    for corpus in [FAMOUS, "corpora/lichess-real.pgn.zst"] {
        let Some(path) = tabiya_testing::shared(corpus) else {
            return;
        };
        let folder = tempfile::tempdir().expect("a folder");
        let plain = folder.path().join("plain.pgn");
        plainly(&path, most, &plain);
        let Some(answers) = answers_of("cql.py", &plain, &[most]) else {
            return;
        };
        assert_eq!(answers.len(), 25);
        let base = open(&plain);
        let database = base.database().expect("a database");
        for (text, expected) in answers {
            assert!(page.contains(&format!("\n{text} # ")), "{text} is listed");
            let query = Query::parse(&text, QueryContext::default())
                .unwrap_or_else(|error| panic!("{}", error.render(&text)));
            let hits = hits(database, &query, QueryOptions::default());
            let numbers: Vec<u64> = hits.iter().map(|(number, _)| *number).collect();
            let wanted: Vec<u64> = expected.iter().map(|(number, _)| *number).collect();
            assert_eq!(numbers, wanted, "{corpus}: {text}");
            found += hits.len();
        }
    }
    assert!(found > 20, "{found} hits");
}

#[test]
fn what_is_found_is_sorted_by_nearness() {
    let long = tabiya_testing::is_full();
    let (count, most) = if long { (200, 500) } else { (40, 100) };
    let Some(path) = tabiya_testing::shared(FAMOUS) else {
        return;
    };
    let Some(answers) = answers_of("near.py", &path, &[1, count, most]) else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let original = open(&path);
    let bases = [written(
        original.database().expect("a database"),
        most,
        "si5",
        folder.path(),
    )];
    let mut several = 0;
    for (text, mut expected) in answers {
        let query = Query::parse(&text, QueryContext::default()).expect("a query");
        expected.sort_by_key(|(number, near)| (*near, *number));
        let wanted: Vec<u64> = expected.iter().map(|(number, _)| *number).collect();
        let options = tabiya::search::SearchOptions {
            sort: Some("near".parse().expect("an order")),
            ..Default::default()
        };
        let mut found = Vec::new();
        let control = Control::default();
        let games = Selection::of(&bases[..]).matching(query);
        tabiya::search::search(&games, &options, &control, &mut |_, hit| {
            found.push(hit.hit.number);
            Ok(std::ops::ControlFlow::Continue(()))
        })
        .expect("searched");
        assert_eq!(found, wanted, "{text}");
        let nearness = |(_, near): &(u64, Option<Option<u32>>)| *near;
        several += usize::from(expected.first().map(nearness) != expected.last().map(nearness));
    }
    assert!(
        several > 3,
        "{several} queries find games that are not equally near"
    );
    let error = tabiya::search::search(
        &Selection::of(bases)
            .matching(Query::parse("check", QueryContext::default()).expect("a query")),
        &tabiya::search::SearchOptions {
            sort: Some("near".parse().expect("an order")),
            ..Default::default()
        },
        &Control::default(),
        &mut |_, _| Ok(std::ops::ControlFlow::Continue(())),
    );
    assert!(error.is_err_and(|error| error.message.contains("similar:")));
}

#[test]
fn random_queries_find_what_a_plain_computation_finds() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/pgn/ok");
    let (count, most) = tabiya_testing::by_form((40, 25), (60, 25), (2_000, 60));
    let count = tabiya_testing::number_of("TABIYA_QUERIES", count);
    let seed = tabiya_testing::number_of("TABIYA_SEED", 1);
    let own = corpus.join("annotated.pgn");
    // The samples hold results and names that other formats have no place for.
    compare(&own, &FORMATS[..1], seed, count, 10);
    if let Some(path) = tabiya_testing::shared(FAMOUS) {
        compare(&path, &FORMATS, seed, count, most);
    }
    for (corpus, formats) in ANNOTATED {
        if let Some(path) = tabiya_testing::shared(corpus) {
            compare(&path, formats, seed + 1, count / 3, 20);
        }
    }
}

/// Words that the peer has no need to make: what evaluations of whole games say is asked beside python-chess where games
/// are analysed, flags are of Scid's files alone, and repertoires are files, which are asked beside python-chess where they are made.
const ELSEWHERE: [&str; 7] = [
    "missed-mate",
    "best-move",
    "accuracy",
    "acpl",
    "flag",
    "repertoire",
    "leaves",
];

#[test]
fn random_queries_are_of_the_whole_language() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/pgn/ok/annotated.pgn");
    let Some(answers) = answers_of("language.py", &own, &[1, 6_000, 2]) else {
        return;
    };
    let mut made = std::collections::HashSet::new();
    for (text, _) in &answers {
        made.extend(text.split(|c: char| c != '-' && !c.is_ascii_lowercase()));
    }
    let missing: Vec<&str> = tabiya::query::KEYS
        .iter()
        .copied()
        .filter(|word| !made.contains(word) && !ELSEWHERE.contains(word))
        .collect();
    assert!(missing.is_empty(), "never asked: {missing:?}");
}

/// Scoutfish's own queries in our words, how many games it finds, and the first of them: the bytes before the game, and the
/// half-moves before the position; a move leads to the one after it.
const SCOUTFISH: [Scouted; 29] = [
    (
        "same:(pattern:\"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR\" turn:white)",
        501,
        &[(0, 0), (666, 0)],
    ),
    (
        "pattern:\"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR\"",
        229,
        &[(666, 1), (2008, 1)],
    ),
    (
        "pattern:\"8/8/p7/8/8/1B3N2/8/8\"",
        29,
        &[(90547, 11), (106_231, 13)],
    ),
    (
        "pattern:\"8/8/8/8/1k6/8/8/8\" result:1/2-1/2",
        1,
        &[(810_760, 98)],
    ),
    (
        "same:(pattern:\"8/8/8/q7/8/8/8/8\" or pattern:\"8/8/8/r7/8/8/8/8\")",
        72,
        &[(42247, 6), (45161, 34)],
    ),
    (
        "same:(material:\"KQRRBNPPPP v KQRRNNPPPP\" turn:black)",
        2,
        &[(576_617, 49), (611_693, 43)],
    ),
    (
        "material:\"KQRRBNNPPPP v KQRRBNNPPPP\" result:0-1",
        2,
        &[(611_693, 39), (692_493, 60)],
    ),
    (
        "same:(material:\"KRBPPP v KRPPP\" or material:\"KRPPP v KRPPP\")",
        4,
        &[(666, 77), (164_246, 83)],
    ),
    ("move[white]:\"Nb7\"", 6, &[(141_745, 35), (538_533, 37)]),
    ("move[black]:\"c3\"", 27, &[(10226, 34), (26360, 8)]),
    ("move[black]:\"e1=Q\"", 1, &[(666, 104)]),
    ("move[black]:\"O-O\"", 354, &[(0, 16), (666, 32)]),
    ("move[black]:\"O-O\"", 354, &[(0, 16)]),
    ("move[black]:\"O-O-O\"", 28, &[(10226, 36), (64548, 32)]),
    ("move[black]:\"O-O-O,O-O\"", 382, &[(0, 16), (666, 32)]),
    (
        "move[white]:\"a7,b7,Rac1\"",
        120,
        &[(666, 39), (2008, 33), (10226, 39)],
    ),
    (
        "material:\"any, wp-bp=-2, wn-bn=0, wb-bb=0, wr-br=0, wq-bq=0\"",
        52,
        &[(3313, 12), (8436, 12)],
    ),
    (
        "same:(material:\"any, wp-bp=0, wn-bn=-1, wb-bb=1, wr-br=0, wq-bq=0\" or material:\"any, wp-bp=0, wn-bn=2, wb-bb=-1, wr-br=0, wq-bq=0\")",
        142,
        &[(666, 42), (16551, 25)],
    ),
    (
        "captured:Q by:KP result:1-0,0-1",
        48,
        &[(666, 46), (8436, 42)],
    ),
    ("ends:mate result:0-1", 10, &[(11831, 24), (30634, 40)]),
    (
        "same:(pattern:\"rnbqkbnr/pp1p1ppp/2p5/4p3/3PP3/8/PPP2PPP/RNBQKBNR\" or pattern:\"rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R\")",
        50,
        &[(16551, 3), (75579, 3)],
    ),
    (
        "(pattern:\"8/3p4/8/8/8/8/8/8\" then pattern:\"8/2q5/8/8/8/8/8/R6R\") result:1-0",
        8,
        &[(195_418, 42), (323_394, 8)],
    ),
    (
        "pattern:\"r1bqkb1r/pppp1ppp/2n2n2/1B2p3/4P3/2N2N2/PPPP1PPP/R1BQK2R\" then pattern:\"8/8/8/8/2B5/8/8/8\" then pattern:\"8/8/8/8/8/5B2/8/8\"",
        2,
        &[(19722, 21), (21321, 21)],
    ),
    (
        "(pattern:\"r1bqkb1r/pppp1ppp/2n2n2/1B2p3/4P3/2N2N2/PPPP1PPP/R1BQK2R\" then within 2 plies at-ply:9) result:0-1",
        2,
        &[(19722, 9), (21321, 9)],
    ),
    (
        "pattern:\"rnbqkb1r/pp1p1ppp/4pn2/2pP4/2P5/2N5/PP2PPPP/R1BQKBNR\" then move[white]:\"e5\" then within 1 ply move[black]:\"dxe5\" then within 1 ply move[white]:\"f5\" then move[white]:\"Ne4\"",
        1,
        &[(0, 43)],
    ),
    (
        "pattern:\"rnbqkb1r/pp1p1ppp/4pn2/2pP4/2P5/2N5/PP2PPPP/R1BQKBNR\" then move[white]:\"e5\" then within 1 ply move[black]:\"dxe5\" then within 1 ply move[white]:\"f5\" then within 1 ply move[white]:\"Ne4\"",
        0,
        &[],
    ),
    (
        "pattern:\"rnbqkb1r/pp1p1ppp/4pn2/2pP4/2P5/2N5/PP2PPPP/R1BQKBNR\" then move[white]:\"e5\" then within 1 move move[white]:\"f5\" then move[white]:\"Ne4\"",
        1,
        &[(0, 43)],
    ),
    (
        "material[lasting 3]:\"any, wp-bp=0, wn-bn=2, wb-bb=-1, wr-br=0, wq-bq=0\"",
        4,
        &[(82982, 39), (99933, 37)],
    ),
    (
        "captured:Q by:P then within 1 ply not captured:any",
        24,
        &[(19722, 36), (21321, 36)],
    ),
];

#[test]
fn the_queries_of_scoutfish_find_what_it_finds() {
    let Some(path) = tabiya_testing::shared(FAMOUS) else {
        return;
    };
    let bytes = std::fs::read(&path).expect("read");
    let games: Vec<usize> = (0..bytes.len())
        .filter(|at| bytes[*at..].starts_with(b"[Event "))
        .collect();
    let base = open(&path);
    let database = base.database().expect("a database");
    let mut wrong = Vec::new();
    for (text_of, count, first) in SCOUTFISH {
        let query = Query::parse(text_of, QueryContext::default())
            .unwrap_or_else(|error| panic!("{}", error.render(text_of)));
        let hits = hits(
            database,
            &query,
            QueryOptions {
                plies: true,
                ..QueryOptions::default()
            },
        );
        let expected: Hits = first
            .iter()
            .map(|(offset, ply)| {
                // Scoutfish counts from the empty line before a game.
                let before = games.partition_point(|at| *at <= offset + 2);
                (before as u64, Some(*ply))
            })
            .collect();
        if hits.len() != count || hits.get(..first.len()) != Some(&expected[..]) {
            let begin = hits.get(..hits.len().min(3));
            wrong.push(format!(
                "{text_of}: {count} {expected:?}, found {} {begin:?}",
                hits.len()
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
