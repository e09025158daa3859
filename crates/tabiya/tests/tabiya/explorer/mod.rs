//! The explorer and the index of positions beside real Scid's tree and a slow count over shakmaty.

#![allow(clippy::print_stderr, reason = "what was skipped is said")]

mod changed;
mod lake;
mod moved;
mod random_games;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use shakmaty::{EnPassantMode, Position, fen::Fen};
use tabiya::explore::explorer::{self, ExploreOptions, ExploreTallies, ExploreTarget};
use tabiya::explore::index::{ExplorerIndex, IndexCheck, LayerAnswer};
use tabiya::explore::move_code::MoveCode;
use tabiya::explore::tally::PositionTally;
use tabiya::formats::format::{Format, OpenOptions, WriteOptions};
use tabiya::formats::options::FormatSettings;
use tabiya::formats::pgn::PIECE_LETTERS;
use tabiya::formats::registry::{FORMATS, by_name};
use tabiya::model::board::Board;
use tabiya::model::database::{SinkWriter, for_each_game};
use tabiya::model::facts::{FactFields, FactSource, GameFacts, PROMOTION, UNDER_PROMOTION};
use tabiya::model::game_offsets::GameOffsets;
use tabiya::model::outcome::Outcome;
use tabiya::model::positions::{PiecePlacement, PositionLookup};
use tabiya::model::{Control, Database, Game, GameNeeds, Losses, TapeOp};
use tabiya::openings::position_key::PositionKey;
use tabiya::sidecar::{self, IndexBuildOptions, Sidecar};
use tabiya::{Base, Opener};

use random_games::random_pgn;
fn making() -> IndexBuildOptions<'static> {
    static USUAL: std::sync::LazyLock<OpenOptions> = std::sync::LazyLock::new(OpenOptions::default);
    IndexBuildOptions {
        reading: &USUAL,
        extend: true,
        control: control(),
    }
}

/// Two threads, and so little memory that some of every index goes through a file.
fn control() -> &'static Control {
    static USUAL: std::sync::LazyLock<Control> =
        std::sync::LazyLock::new(|| Control::default().with_threads(2).with_memory(1 << 20));
    &USUAL
}

fn verify(database: &dyn Database, index: &ExplorerIndex) -> IndexCheck {
    sidecar::verify(database, index, &making()).expect("verified")
}

fn open(path: &Path) -> Base {
    tabiya::open(path).expect("opened").pop().expect("one")
}

fn board(fen: &str) -> Board {
    Board::from_fen(fen).expect("valid").0
}

fn san(board: &Board, step: MoveCode) -> String {
    let m = step.on(board).expect("a move");
    let mut text = Vec::new();
    board.write_san(m, &mut text);
    String::from_utf8(text).expect("ASCII")
}

/// Lines of Scid's tree: move, games, wins, draws, losses, mean rating, performance, rated games.
fn tree(tally: &PositionTally, board: &Board) -> Vec<String> {
    tally
        .moves()
        .iter()
        .filter(|(step, _)| *step != MoveCode::END)
        .map(|(step, score)| {
            let side = board.turn();
            let mean = score.mean_elo(side).unwrap_or(0.0);
            let performance = score.performance(side).unwrap_or(0.0);
            format!(
                "{} {} {} {} {} {mean:.6} {performance:.6} {}",
                san(board, *step).trim_end_matches(['+', '#']),
                score.games,
                score.white,
                score.draws,
                score.black,
                score.rated
            )
        })
        .collect()
}

#[test]
fn figures_are_those_of_scids_tree() {
    let Some(shared) = tabiya_testing::shared("") else {
        return;
    };
    let folder = shared.join("oracles/scid/s11_otb3000");
    let packed = std::fs::File::open(folder.join("search_oracle.tsv.gz")).expect("there");
    let mut rows = String::new();
    tabiya_io::compression::unpack_stream("oracle", Box::new(packed), &Default::default())
        .expect("gzip")
        .read_to_string(&mut rows)
        .expect("text");
    let temporary = tempfile::tempdir().expect("a folder");
    for name in ["w5.si5", "w5.sg5", "w5.sn5"] {
        std::fs::copy(folder.join(name), temporary.path().join(name)).expect("copied");
    }
    let input = open(&temporary.path().join("w5.si5"));
    let database = input.database().expect("a database");
    sidecar::make(database, &making()).expect("made");
    let index = fresh(database);
    let mut compared = 0;
    for row in rows.lines().filter(|row| row.starts_with("TREE")) {
        let fields: Vec<&str> = row.split('\t').collect();
        let board = board(fields[1]);
        let mut expected: Vec<String> = fields[3]
            .split('}')
            .filter_map(|entry| entry.trim().strip_prefix('{'))
            .map(|entry| {
                let f: Vec<&str> = entry.split(' ').collect();
                let number = |text: &str| text.parse::<f64>().expect("a number");
                let name = f[0].trim_end_matches(['+', '#']);
                format!(
                    "{name} {} {} {} {} {:.6} {:.6} {}",
                    f[1],
                    f[2],
                    f[3],
                    f[4],
                    number(f[5]),
                    number(f[6]),
                    f[7]
                )
            })
            .collect();
        expected.sort();
        for jobs in [1, 2] {
            let options = ExploreOptions::default();
            let control = control().clone().with_threads(jobs);
            let target = ExploreTarget::of_board(&board);
            let scanned =
                explorer::scan(database, None, &[target], &options, &control).expect("scanned");
            let mut ours = tree(&scanned.tallies[0], &board);
            ours.sort();
            assert_eq!(ours, expected, "{}", fields[1]);
            assert_eq!(scanned.tallies[0].total().games.to_string(), fields[2]);
            let looked_up = explorer::with_index(database, &index, &[target], &options, &control)
                .expect("looked up")
                .expect("sound");
            assert_eq!(looked_up.tallies, scanned.tallies);
        }
        compared += 1;
    }
    assert_eq!(compared, 8);
}

fn fresh(database: &dyn Database) -> Box<ExplorerIndex> {
    match sidecar::open(database, &OpenOptions::default()).expect("looked for") {
        Sidecar::Fresh(index) => index,
        other => panic!("no fresh index: {other:?}"),
    }
}

/// What a slow count over shakmaty finds in a position: each move with games, wins, draws and losses, and the games of
/// main lines and of variations.
#[derive(Default, PartialEq, Debug)]
struct Slow {
    moves: BTreeMap<String, [u64; 4]>,
    ended: u64,
    main: BTreeSet<u64>,
    anywhere: BTreeSet<u64>,
}

/// Everything that a key stands for, in FEN's letters.
fn placement(position: &shakmaty::Chess) -> String {
    let fen = Fen::from_position(position, EnPassantMode::Legal).to_string();
    fen.split(' ').take(2).collect::<Vec<_>>().join(" ")
}

fn slow_start(game: &Game) -> shakmaty::Chess {
    use shakmaty::{CastlingMode, FromSetup, PositionError};
    let setup = game.start_board().to_setup();
    let mode = CastlingMode::detect(&setup);
    shakmaty::Chess::from_setup(setup, mode)
        .or_else(PositionError::ignore_too_much_material)
        .or_else(PositionError::ignore_impossible_check)
        .or_else(PositionError::ignore_invalid_castling_rights)
        .or_else(PositionError::ignore_invalid_ep_square)
        .expect("a position")
}

/// Walks all games of a database with shakmaty and counts every position.
fn slow(database: &dyn Database, take: impl Fn(&Game) -> bool) -> BTreeMap<String, Slow> {
    let mut all: BTreeMap<String, Slow> = BTreeMap::new();
    let mut game = Game::default();
    for number in 1..=database.len().expect("known") {
        database
            .read(number, GameNeeds::ALL, &mut game)
            .expect("read");
        if !take(&game) {
            continue;
        }
        let result = match game.result() {
            Outcome::WhiteWins => Some(1),
            Outcome::Draw => Some(2),
            Outcome::BlackWins => Some(3),
            Outcome::Unknown => None,
        };
        let mut seen: BTreeSet<String> = BTreeSet::new();
        let start = slow_start(&game);
        let mut lines = vec![(start.clone(), start, Vec::<String>::new())];
        let mut waiting: Option<String> = None;
        let mut visit = |position: &shakmaty::Chess, main: bool, waiting: &mut Option<String>| {
            let name = placement(position);
            let slow = all.entry(name.clone()).or_default();
            slow.anywhere.insert(number);
            if main {
                slow.main.insert(number);
                if seen.insert(name.clone()) {
                    *waiting = Some(name);
                }
            }
        };
        visit(&lines[0].0, true, &mut waiting);
        let mut played: Vec<(String, String)> = Vec::new();
        for op in game.tape.ops() {
            let depth = lines.len();
            match op {
                TapeOp::Move(m) => {
                    let (now, before, _) = lines.last_mut().expect("a line");
                    before.clone_from(now);
                    if m.is_null() {
                        *now = now.clone().swap_turn().expect("no check");
                    } else {
                        let board = Board::from_setup(&now.to_setup(EnPassantMode::Always)).0;
                        let m = m.to_shakmaty(&board).expect("a move");
                        if depth == 1 {
                            let san = shakmaty::san::San::from_move(now, m).to_string();
                            if let Some(name) = waiting.take() {
                                played.push((name, san));
                            }
                        }
                        now.play_unchecked(m);
                    }
                    if depth == 1
                        && m.is_null()
                        && let Some(name) = waiting.take()
                    {
                        played.push((name, "--".to_owned()));
                    }
                    let now = now.clone();
                    visit(&now, depth == 1, &mut waiting);
                }
                TapeOp::Begin(_) => {
                    let before = lines.last().expect("a line").1.clone();
                    lines.push((before.clone(), before, Vec::new()));
                }
                TapeOp::End => {
                    lines.pop();
                }
                _ => {}
            }
        }
        drop(seen);
        if let Some(name) = waiting {
            all.entry(name).or_default().ended += 1;
        }
        for (name, san) in played {
            let counts = all.entry(name).or_default().moves.entry(san).or_default();
            counts[0] += 1;
            if let Some(result) = result {
                counts[result] += 1;
            }
        }
    }
    all
}

fn slow_of(tally: &PositionTally, board: &Board) -> (BTreeMap<String, [u64; 4]>, u64) {
    let mut moves = BTreeMap::new();
    let mut ended = 0;
    for (step, score) in tally.moves() {
        if step == MoveCode::END {
            ended = score.games;
        } else {
            moves.insert(
                san(board, step),
                [score.games, score.white, score.draws, score.black],
            );
        }
    }
    (moves, ended)
}

/// Compares every n-th position of a slow count with a scan and, where there is one, an index.
fn compare(
    database: &dyn Database,
    index: Option<&ExplorerIndex>,
    every: usize,
    options: &ExploreOptions<'_>,
    slow: &BTreeMap<String, Slow>,
) {
    let mut compared = 0;
    for (name, slow) in slow
        .iter()
        .enumerate()
        .filter(|(at, (_, slow))| at % every == 0 || slow.anywhere.len() > 100)
        .map(|(_, entry)| entry)
    {
        let board = board(&format!("{name} KQkq - 0 1"));
        let target = ExploreTarget::of_board(&board);
        let check = |explored: ExploreTallies, how: &str| {
            let (moves, ended) = slow_of(&explored.tallies[0], &board);
            assert_eq!((&moves, ended), (&slow.moves, slow.ended), "{name} {how}");
        };
        // Scans are slow: a few of them will do.
        if compared % 16 == 0 {
            check(
                explorer::scan(database, None, &[target], options, control()).expect("scanned"),
                "scanned",
            );
        }
        compared += 1;
        let Some(index) = index else { continue };
        let explored = explorer::with_index(database, index, &[target], options, control())
            .expect("looked up")
            .expect("sound");
        check(explored, "looked up");
        if options.filter.is_some() {
            continue;
        }
        for variations in [false, true] {
            let listed = index
                .games(&PiecePlacement::of(&board), board.turn(), variations)
                .expect("sound");
            let right = if variations {
                &slow.anywhere
            } else {
                &slow.main
            };
            assert!(listed.games.is_sorted());
            let matching = |games: &[u64]| {
                let found = explorer::matching(database, games, target, variations, control());
                found.expect("read").0
            };
            let mut games = listed.games;
            if !listed.exact {
                games = matching(&games);
            }
            games.extend(matching(index.unsure()));
            games.sort_unstable();
            games.dedup();
            assert!(games.iter().eq(right.iter()), "{name}");
        }
    }
    assert!(compared > 10);
}

#[test]
fn a_slow_count_agrees_with_and_without_an_index_fresh_and_extended() {
    let folder = tempfile::tempdir().expect("a folder");
    // Each so many positions are compared.
    let each = tabiya_testing::by_form(5, 3, 1);
    let path = folder.path().join("games.pgn");
    std::fs::write(&path, random_pgn(700, 1)).expect("written");
    {
        let input = open(&path);
        let database = input.database().expect("a database");
        let (built, extended) = sidecar::make(database, &making()).expect("made");
        assert!(!extended);
        assert_eq!((built.games, built.new_games), (700, 700));
        let counted = slow(database, |_| true);
        assert!(
            counted
                .values()
                .map(|slow| slow.anywhere.len() as u64)
                .sum::<u64>()
                <= built.positions
        );
        let index = fresh(database);
        assert_eq!(verify(database, &index), IndexCheck::Sound);
        compare(
            database,
            Some(&index),
            7 * each,
            &ExploreOptions::default(),
            &counted,
        );
        // A filter is asked about every game, and figures for all games are of no use then.
        let filter = |asked: &explorer::FilterInput<'_>| asked.facts.white_elo >= 2000;
        let options = ExploreOptions {
            filter: Some(&filter),
            ..ExploreOptions::default()
        };
        let counted = slow(database, |game| game.tags.number("WhiteElo") >= Some(2000));
        compare(database, Some(&index), 9 * each, &options, &counted);
        assert!(counted.values().any(|slow| slow.main.len() > 256));
    }
    // Games are appended: the index is stale, and extended.
    let mut text = std::fs::read_to_string(&path).expect("read");
    text.push_str(&random_pgn(300, 2));
    std::fs::write(&path, &text).expect("written");
    {
        let input = open(&path);
        let database = input.database().expect("a database");
        assert!(matches!(
            sidecar::open(database, &OpenOptions::default()).expect("looked for"),
            Sidecar::Stale(_)
        ));
        let (built, extended) = sidecar::make(database, &making()).expect("made");
        assert!(extended);
        assert_eq!((built.games, built.new_games), (1000, 300));
        let index = fresh(database);
        assert_eq!(index.layers().len(), 2);
        assert_eq!(verify(database, &index), IndexCheck::Sound);
        rows_are_those_of_the_games(&index, database);
        compare(
            database,
            Some(&index),
            7 * each,
            &ExploreOptions::default(),
            &slow(database, |_| true),
        );
    }
    // An old game was changed as well, in a result or in a name: nothing may be taken over from the index.
    for (seed, [old, new]) in (3..).zip([["1-0", "0-1"], ["Event \"?\"", "Event \"!\""]]) {
        text = text.replacen(old, new, 2) + &random_pgn(20, seed);
        std::fs::write(&path, &text).expect("written");
        let input = open(&path);
        let database = input.database().expect("a database");
        let (built, extended) = sidecar::make(database, &making()).expect("made");
        assert!(!extended);
        assert_eq!(built.games, built.new_games);
        rows_are_those_of_the_games(&fresh(database), database);
    }
    let input = open(&path);
    let database = input.database().expect("a database");
    let index = fresh(database);
    compare(
        database,
        Some(&index),
        23 * each,
        &ExploreOptions::default(),
        &slow(database, |_| true),
    );
}

/// The rows of an index say of every game what reading it shows.
fn rows_are_those_of_the_games(index: &ExplorerIndex, database: &dyn Database) {
    let rows = index.facts().expect("rows");
    assert_eq!(Some(rows.len()), database.len().ok());
    let mut source = database.source(None).expect("a source");
    for_each_game(&mut *source, GameNeeds::ALL, |game| {
        let number = game.origin.number;
        let said = rows.fact(number, FactFields::ALL).expect("a row");
        if index.changed_games().contains(&number) {
            // It is asked itself.
            assert_eq!(said.unsaid, FactFields::ALL, "game {number}");
            return Ok(());
        }
        let mut names = Vec::new();
        let expected = GameFacts::of_game(game, |table, name| {
            names.push((table, name.to_owned()));
            Some(0)
        });
        let [white, black] = said.players;
        let numbers = [white, black, said.event, said.site, said.round];
        for ((table, name), number) in names.iter().zip(numbers) {
            assert_eq!(rows.name(*table, number), *name, "game {number}");
        }
        let unnamed = GameFacts {
            players: [0; 2],
            event: 0,
            site: 0,
            round: 0,
            moves: None,
            flags: said.flags & !(PROMOTION | UNDER_PROMOTION),
            ..said
        };
        assert_eq!(unnamed, expected, "game {number}");
        assert!(said.moves.is_some(), "game {number}");
        Ok(())
    })
    .expect("read");
}

/// Writes games into a new database of a format.
fn convert(from: &Path, to: &Path, format: &Format) {
    let input = open(from);
    let create = format.create.expect("it is written");
    let mut writer = SinkWriter::new(create(to, &WriteOptions::default()).expect("made"));
    let mut source = input
        .database()
        .expect("a database")
        .source(None)
        .expect("a source");
    for_each_game(&mut *source, GameNeeds::ALL, |game| {
        writer.write(game, &mut Losses::default())
    })
    .expect("written");
    writer.finish().expect("finished");
}

#[test]
fn a_slow_count_agrees_in_every_format() {
    let folder = tempfile::tempdir().expect("a folder");
    let games = folder.path().join("random.pgn");
    let count = tabiya_testing::by_form(150, 250, 500);
    std::fs::write(&games, random_pgn(count, 11)).expect("written");
    let mut tried = 0;
    for format in FORMATS {
        let (Some(_), Some(_), Some(extension)) =
            (format.create, format.open, format.extensions.first())
        else {
            continue;
        };
        let place = folder.path().join(format.name);
        std::fs::create_dir(&place).expect("a folder");
        let path = place.join(format!("games.{extension}"));
        convert(&games, &path, format);
        let input = open(&path);
        let database = input.database().expect("a database");
        let (built, _) = sidecar::make(database, &making()).expect("made");
        assert_eq!(
            Ok(built.games),
            database.len().map_err(|_| ()),
            "{}",
            format.name
        );
        let index = fresh(database);
        assert_eq!(verify(database, &index), IndexCheck::Sound);
        let counted = slow(database, |_| true);
        let every = (counted.len() / 300).max(1);
        compare(
            database,
            Some(&index),
            every,
            &ExploreOptions::default(),
            &counted,
        );
        tried += 1;
    }
    assert!(tried > 6, "{tried}");
}

#[test]
fn games_far_apart_are_walked_as_games_in_a_row() {
    let folder = tempfile::tempdir().expect("a folder");
    let games = folder.path().join("random.pgn");
    let setups = "\n[FEN \"4k3/8/8/8/8/8/4P3/4K2R w K - 0 1\"]\n\n1. O-O (1. e4 Kd7) 1... Kd7 *\n";
    std::fs::write(&games, random_pgn(60, 4) + setups).expect("written");
    for name in ["si4", "si5"] {
        let path = folder.path().join(format!("games.{name}"));
        convert(&games, &path, by_name(name).expect("known"));
        for mmap in [true, false] {
            let inputs = Opener {
                options: OpenOptions {
                    mmap,
                    ..OpenOptions::default()
                },
                ..Opener::default()
            };
            let opened = inputs.open(&path).expect("opened");
            let database = opened[0].database().expect("a database");
            let positions = database.positions().expect("positions at speed");
            let (mut walker, mut visitor) = (positions.walker(), positions.visitor());
            for variations in [false, true] {
                for number in 1..=database.len().expect("known") {
                    let mut steps = [Vec::new(), Vec::new()];
                    let starts = [
                        walker.open(number).expect("opened"),
                        visitor.open(number).expect("opened"),
                    ];
                    assert_eq!(starts[0], starts[1]);
                    while walker.steps(variations, 7, &mut steps[0]).expect("walked") {}
                    while visitor.steps(variations, 7, &mut steps[1]).expect("walked") {}
                    assert_eq!(steps[0], steps[1]);
                    assert!(!walker.is_damaged() && !visitor.is_damaged());
                }
            }
            assert!(visitor.open(0).is_err() && visitor.open(62).is_err());
        }
    }
}

#[test]
fn an_index_tells_where_the_games_of_a_file_stand() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("games.pgn");
    // Text before the first game, a name in an old charset, line ends of both kinds, two games in a line.
    let mut bytes = b"Some words.\r\n\r\n[White \"M\xfcller\"]\r\n\r\n1. e4 *\r\n\r\n".to_vec();
    bytes.extend_from_slice(random_pgn(50, 6).as_bytes());
    bytes.extend_from_slice(b"\n1. d4 * 1. c4 e5 *\n[White \"Last\"]\n\n1. f4 1-0\n\n");
    std::fs::write(&path, &bytes).expect("written");
    let input = open(&path);
    let scanned = input.database().expect("a database");
    sidecar::make(scanned, &making()).expect("made");
    let index = fresh(scanned);
    let places = scanned.places().expect("walked").expect("a plain file");
    let input = open(&path);
    let told = input.database().expect("a database");
    index.tell_places(told);
    assert_eq!(told.places().expect("told").as_ref(), Some(&places));
    assert_eq!(told.len().ok(), scanned.len().ok());
    let (mut one, mut other) = (Game::default(), Game::default());
    for number in 1..=scanned.len().expect("known") {
        told.read(number, GameNeeds::ALL, &mut one).expect("read");
        scanned
            .read(number, GameNeeds::ALL, &mut other)
            .expect("read");
        assert_eq!(format!("{one:?}"), format!("{other:?}"));
    }
    assert!(
        told.read(places.bytes.len() as u64 + 1, GameNeeds::ALL, &mut one)
            .is_err()
    );
    // Places that cannot be those of the file are not believed.
    for wrong in [
        GameOffsets {
            end: bytes.len() as u64 + 1,
            ..places.clone()
        },
        GameOffsets {
            lines: Vec::new(),
            ..places.clone()
        },
        GameOffsets {
            bytes: places.bytes.iter().rev().copied().collect(),
            ..places.clone()
        },
        GameOffsets {
            about: "no charset".to_owned(),
            ..places.clone()
        },
    ] {
        let input = open(&path);
        let database = input.database().expect("a database");
        database.keep_places(Arc::new(wrong));
        assert_eq!(database.places().expect("walked").as_ref(), Some(&places));
    }
    // What the user says about reading makes another database of it.
    let german = OpenOptions {
        settings: FormatSettings::default()
            .with(&PIECE_LETTERS, "KDTLS")
            .expect("letters"),
        ..OpenOptions::default()
    };
    assert!(matches!(
        sidecar::open(told, &german).expect("looked for"),
        Sidecar::Stale(_)
    ));
}

#[test]
fn an_index_tells_where_the_lines_of_games_stand() {
    let folder = tempfile::tempdir().expect("a folder");
    let pgn = folder.path().join("games.pgn");
    std::fs::write(&pgn, random_pgn(60, 7)).expect("written");
    let path = folder.path().join("games.ndjson");
    convert(&pgn, &path, by_name("ndjson").expect("there"));
    let lines = std::fs::read_to_string(&path).expect("read");
    std::fs::write(&path, format!("\n{}", lines.replace('\n', "\n \n\n"))).expect("written");
    let input = open(&path);
    let scanned = input.database().expect("a database");
    assert!(!scanned.finds_games());
    sidecar::make(scanned, &making()).expect("made");
    let index = fresh(scanned);
    let input = open(&path);
    let told = input.database().expect("a database");
    index.tell_places(told);
    assert!(told.finds_games());
    let mut one = Game::default();
    let mut source = scanned.source(None).expect("a source");
    let games = for_each_game(&mut *source, GameNeeds::ALL, |game| {
        told.read(game.origin.number, GameNeeds::ALL, &mut one)?;
        assert_eq!(format!("{one:?}"), format!("{game:?}"));
        Ok(())
    });
    assert_eq!(games.expect("read"), 60);
    assert!(told.read(61, GameNeeds::ALL, &mut one).is_err());
    assert_eq!(
        told.places().expect("told"),
        scanned.places().expect("walked")
    );
}

#[test]
fn damage_anywhere_is_found_and_changes_no_answer() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("games.pgn");
    std::fs::write(&path, random_pgn(300, 5)).expect("written");
    let input = open(&path);
    let database = input.database().expect("a database");
    sidecar::make(database, &making()).expect("made");
    let bytes = std::fs::read(sidecar::path_of(database).expect("a path")).expect("read");
    let whole = ExplorerIndex::open(Box::new(bytes.clone())).expect("an index");
    let targets: Vec<ExploreTarget> = slow(database, |_| true)
        .keys()
        .enumerate()
        .filter(|(at, _)| at % 397 == 0)
        .map(|(_, name)| ExploreTarget::of_board(&board(&format!("{name} - - 0 1"))))
        .chain([ExploreTarget::of_board(&Board::standard())])
        .collect();
    let answer = |index: &ExplorerIndex| -> Option<Vec<(Vec<u64>, Option<PositionTally>)>> {
        let mut answers = Vec::new();
        for target in &targets {
            for layer in index.layers() {
                answers.push(match index.find(layer, target.key)? {
                    LayerAnswer::Listed(list) => (
                        index.list(layer, &list, true)?,
                        index.figures(layer, &list)?,
                    ),
                    LayerAnswer::Candidates(games) => (games, None),
                });
            }
        }
        Some(answers)
    };
    let right = answer(&whole).expect("sound");
    assert!(right.iter().any(|(_, figures)| figures.is_some()));
    for length in 0..bytes.len() {
        assert!(
            ExplorerIndex::open(Box::new(bytes[..length].to_vec())).is_none(),
            "{length}"
        );
    }
    let mut longer = bytes.clone();
    longer.push(0);
    assert!(ExplorerIndex::open(Box::new(longer)).is_none());
    let (mut refused, mut found, mut unseen) = (0, 0, 0);
    for at in 0..bytes.len() {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << (at % 8);
        let Some(index) = ExplorerIndex::open(Box::new(flipped)) else {
            refused += 1;
            continue;
        };
        match answer(&index) {
            None => {
                assert!(index.is_damaged());
                found += 1;
            }
            Some(answers) => {
                assert_eq!(answers, right, "{at}");
                unseen += 1;
            }
        }
        if at % 499 == 0 {
            assert!(verify(database, &index) == IndexCheck::Wrong, "{at}");
        }
    }
    assert!(refused > 0 && found > 0 && unseen > 0);
}

#[test]
fn several_positions_at_once_are_what_each_is_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("games.pgn");
    std::fs::write(&path, random_pgn(200, 9)).expect("written");
    let input = open(&path);
    let database = input.database().expect("a database");
    let targets: Vec<ExploreTarget> = slow(database, |_| true)
        .keys()
        .step_by(61)
        .map(|name| ExploreTarget::of_board(&board(&format!("{name} - - 0 1"))))
        .collect();
    assert!(targets.len() > 10);
    for variations in [false, true] {
        let options = ExploreOptions {
            variations,
            ..ExploreOptions::default()
        };
        let together =
            explorer::scan(database, None, &targets, &options, control()).expect("scanned");
        for (target, tally) in targets.iter().zip(&together.tallies) {
            let alone =
                explorer::scan(database, None, &[*target], &options, control()).expect("scanned");
            assert_eq!(&alone.tallies[0], tally);
        }
        assert_eq!(
            PositionKey::standard(),
            ExploreTarget::of_board(&Board::standard()).key
        );
    }
}

#[test]
fn listed_games_and_single_moves_are_those_of_a_walk() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("games.pgn");
    std::fs::write(&path, random_pgn(400, 5)).expect("written");
    let input = open(&path);
    let database = input.database().expect("a database");
    sidecar::make(database, &making()).expect("made");
    let index = fresh(database);
    let some: Vec<u64> = (1..=400).filter(|number| number % 7 < 3).collect();
    let mut singles = 0;
    for name in slow(database, |_| true).keys().step_by(31) {
        let board = board(&format!("{name} - - 0 1"));
        let target = ExploreTarget::of_board(&board);
        for listed in [None, Some(some.as_slice())] {
            let options = ExploreOptions {
                listed,
                ..ExploreOptions::default()
            };
            let all: Vec<u64> = (1..=400).collect();
            let numbers = listed.unwrap_or(&all);
            let plain = ExploreOptions::default();
            let walked = explorer::replay(database, numbers, &[target], &plain, control());
            let walked = &walked.expect("walked").tallies[0];
            let asked = explorer::with_index(database, &index, &[target], &options, control());
            assert_eq!(&asked.expect("asked").expect("sound").tallies[0], walked);
            for (step, score) in walked.moves() {
                if score.games != 1 || step == MoveCode::END {
                    continue;
                }
                let behind = (step, tabiya::explorer::key_after(target.key, &board, step));
                let found = explorer::single(database, &index, target, behind, &options, control());
                let found = found.expect("looked for").map(|shown| shown.number);
                assert_eq!(
                    found,
                    walked.single(step).map(|shown| shown.number),
                    "{name}"
                );
                singles += 1;
            }
        }
    }
    assert!(singles > 100, "{singles}");
}
