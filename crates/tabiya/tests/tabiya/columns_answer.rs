//! Searches and the explorer over Parquet files and lakes answer as reading every game does, whoever wrote the columns.

use std::path::{Path, PathBuf};

use tabiya::explore::explorer::{self, ExploreTallies, ExploreTarget};
use tabiya::formats::format::{Format, OpenOptions, WriteOptions};
use tabiya::formats::{lake, parquet, pgn};
use tabiya::model::database::{SinkWriter, for_each_game};
use tabiya::model::{Board, Control, Database, Game, GameNeeds, Losses, TapeOp};
use tabiya::query::{
    MatchedGame, Query, QueryContext, QueryEvaluator, QueryOptions, SearchShortcuts, search,
};
use tabiya_columns::{CellValue, ColumnValues, RowGroupBuilder};
use tabiya_testing::TestRandom;
use tabiya_testing::queries::{examples, hostile};
use tabiya_testing::{number_of, shared};

/// Games of tests, which have comments, variations, marks, set-ups and odd dates.
const GAMES: &str = r#"[Event "First"]
[Site "London"]
[Date "1851.06.21"]
[White "Anderssen, Adolf"]
[Black "Kieseritzky"]
[Result "1-0"]
[WhiteElo "2600"]

1. e4 e5 2. f4 exf4 3. Bc4 Qh4+ 4. Kf1 b5 5. Bxb5 Nf6 6. Nf3 Qh6 {a comment} 7. d3 Nh5 (7... g5 8. h4) 8. Nh4 $1 1-0

[Event "Open"]
[Date "2011.19.11"]
[White "Tal, M"]
[Black "Bird"]
[Result "*"]
[ScidFlags "DW"]

1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 6. Bg5 e6 7. f4 Qb6 8. Qd2 Qxb2 9. Rb1 Qa3 0-1

[White "Tal, M"]
[Black "Morphy"]
[Event "Order"]
[Result "1/2-1/2"]
[SetUp "1"]
[FEN "4k2r/1P6/8/8/8/8/8/R3K3 w Qk - 0 1"]

1. O-O-O O-O 2. b8=N+ 1/2-1/2

[Event "Castling"]
[White "A"]
[Black "B"]
[Date "2001.02.03"]
[ECO "C50"]
[Result "0-1"]

1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O Nf6 5. d3 O-O 6. e5 d5 7. exd6 Qxd6 0-1

"#;

fn games(folder: &Path) -> Vec<Game> {
    let own = folder.join("own.pgn");
    std::fs::write(&own, GAMES).expect("written");
    let first = usize::try_from(number_of("TABIYA_GAMES", 40)).expect("few");
    let mut games = Vec::new();
    let corpora = ["otb", "lichess-real", "annotated-human"];
    let corpora = corpora.map(|name| shared(format!("corpora/{name}.pgn.zst")));
    for path in corpora.into_iter().flatten().chain([own]) {
        let open = pgn::FORMAT.open.expect("it is read");
        let database = open(&path, &OpenOptions::default()).expect("opened");
        let mut source = database.source(None).expect("a source");
        let (mut game, mut count) = (Game::default(), 0);
        while let Some(mut block) = source.next_block().expect("a block") {
            while count < first && block.next(GameNeeds::ALL, &mut game).expect("a game") {
                count += 1;
                games.push(game.clone());
            }
            if count >= first {
                break;
            }
        }
    }
    games
}

fn written(format: &Format, path: &Path, games: &[Game]) {
    let create = format.create.expect("it is written");
    let mut writer = SinkWriter::new(create(path, &WriteOptions::default()).expect("a target"));
    let mut losses = Losses::default();
    for game in games {
        writer.write(game, &mut losses).expect("written");
    }
    writer.finish().expect("finished");
}

/// The same games by another program: without sums, and what is reckoned from other columns is wrong.
fn written_by_a_liar(path: &Path, games: &[Game]) {
    const LIES: [&str; 6] = [
        "plies",
        "year",
        "month",
        "final_material",
        "home_pawns",
        "promotions",
    ];
    let mut rows = parquet::ParquetRowBuffer::default();
    for game in games {
        rows.push(game);
    }
    let fields = parquet::ParquetRowBuffer::fields();
    let columns = rows.take().into_columns();
    let mut group = RowGroupBuilder::new(&fields);
    let mut next = vec![0; columns.len()];
    for row in 0..games.len() {
        for (at, column) in columns.iter().enumerate() {
            let number = next[at];
            if at == 0 {
                group.push(at, CellValue::Int(i64::try_from(row).expect("few") + 1));
                continue;
            }
            if column.levels[row] == 0 {
                group.push(at, CellValue::Null);
                continue;
            }
            next[at] += 1;
            let is_lie = LIES.contains(&column.field.name);
            group.push(
                at,
                match &column.values {
                    ColumnValues::Ints(values) => {
                        CellValue::Int(values[number] + i64::from(is_lie))
                    }
                    ColumnValues::Reals(values) => CellValue::Real(values[number]),
                    ColumnValues::Bytes { .. } if is_lie => {
                        CellValue::Bytes(match column.field.name {
                            "final_material" => b"KvK",
                            "home_pawns" => b"Hh",
                            _ => b"q",
                        })
                    }
                    ColumnValues::Bytes { bytes, ends } => {
                        let start = number.checked_sub(1).map_or(0, |before| ends[before]);
                        CellValue::Bytes(&bytes[start..ends[number]])
                    }
                },
            );
        }
        group.end_row();
    }
    let mut writer = tabiya_columns::ParquetWriter::new(&fields, &[], 1, 50).expect("a writer");
    let mut bytes = Vec::new();
    let packed = writer.packer().pack(group).expect("packed");
    writer.add(packed, &mut bytes).expect("written");
    writer.finish(&[], &mut bytes).expect("written");
    std::fs::write(path, bytes).expect("written");
}

/// A file, a lake, and a file of somebody who lies.
fn bases(folder: &Path) -> Vec<(PathBuf, Box<dyn Database>)> {
    let games = games(folder);
    let paths = ["games.parquet", "games.lake", "lies.parquet"].map(|name| folder.join(name));
    let [file, whole, lies] = &paths;
    written(&parquet::FORMAT, file, &games);
    written(&lake::FORMAT, whole, &games);
    written_by_a_liar(lies, &games);
    let open = |path: PathBuf| {
        let is_lake = path.is_dir();
        let format = if is_lake {
            &lake::FORMAT
        } else {
            &parquet::FORMAT
        };
        let open = format.open.expect("it is read");
        let base = open(&path, &OpenOptions::default()).expect("opened");
        assert!(base.facts().is_some() && base.positions().is_some());
        (path, base)
    };
    paths.into_iter().map(open).collect()
}

type Hits = Vec<(u64, Option<u32>)>;

fn plain(database: &dyn Database, query: &Query) -> Hits {
    let mut evaluator = QueryEvaluator::new(query, true);
    let mut hits = Vec::new();
    let mut source = database.source(None).expect("a source");
    for_each_game(&mut *source, GameNeeds::ALL, |game| {
        let hit = evaluator.hit(game, game.origin.number);
        hits.extend(hit.map(|hit| (hit.number, hit.ply)));
        Ok(())
    })
    .expect("read");
    hits
}

fn searched(database: &dyn Database, query: &Query, options: QueryOptions) -> Hits {
    let mut hits = Vec::new();
    let mut each = |found: MatchedGame| {
        hits.push((found.hit.number, found.hit.ply));
        Ok(true)
    };
    let control = Control::default().with_threads(2);
    let report = search(database, query, options, &control, Some(&mut each)).expect("searched");
    assert_eq!(report.hits, hits.len() as u64);
    hits
}

/// Questions that columns answer.
const OF_COLUMNS: [&str; 30] = [
    "white:Tal",
    "player:Bird",
    "not black:Morphy",
    "event:Open or site:London",
    "round=\"?\"",
    "elo>=2000",
    "any-elo<2000",
    "date:1850..1900",
    "year=2001",
    "event-date:1990..2020",
    "month=2",
    "result:1-0",
    "eco:B",
    "eco:C50",
    "plies>=20",
    "moves<10",
    "flag:D",
    "has:setup",
    "has:comments",
    "has:variations not has:nags",
    "number:2..5",
    "white:Tal position:\"rnbqkb1r/1p2pppp/p2p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R w KQkq - 0 6\"",
    "material:KRPvKR or promotion",
    "material:\"KQ* v KQ*\"",
    "material:\"KRP* v KR*\" not promotion",
    "white:Tal or promotion",
    "structure:\"8/8/8/3p4/3P4/8/8/8\"",
    "position:\"rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2\"",
    "ends:(mate) or ends:(material:\"KR v K\")",
    "castling:queen-side or en-passant",
];

#[test]
fn searches_answer_as_reading_every_game_does() {
    let folder = tempfile::tempdir().expect("a folder");
    let examples = examples();
    let is_sound = |text: &str| Query::parse(text, QueryContext::default()).is_ok();
    let mut chance = TestRandom::new(number_of("TABIYA_SEED", 46));
    let mut queries: Vec<String> = OF_COLUMNS.map(str::to_owned).into();
    let random = number_of("TABIYA_QUERIES", 30);
    queries.extend((0..random).map(|at| hostile(&mut chance, &examples, at * 2, is_sound)));
    let (mut asked, mut found) = (0, 0);
    for (path, database) in bases(folder.path()) {
        for text in &queries {
            let query = Query::parse(text, QueryContext::default())
                .unwrap_or_else(|error| panic!("{}", error.render(text)));
            let expected = plain(&*database, &query);
            for (plies, lookup) in [(true, true), (true, false)] {
                let options = QueryOptions {
                    plies,
                    shortcuts: SearchShortcuts {
                        lookup,
                        ..SearchShortcuts::default()
                    },
                    ..QueryOptions::default()
                };
                let hits = searched(&*database, &query, options);
                assert_eq!(hits, expected, "{}: {text}", path.display());
            }
            let options = QueryOptions::default();
            let counted = search(&*database, &query, options, &Control::default(), None);
            let counted = counted.expect("counted").hits;
            assert_eq!(counted, expected.len() as u64, "{}: {text}", path.display());
            asked += 1;
            found += expected.len();
        }
    }
    eprintln!("{asked} queries, {found} hits");
    assert!(asked > 70 && found > 100);
}

#[test]
fn the_explorer_answers_as_reading_every_game_does() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut chance = TestRandom::new(number_of("TABIYA_SEED", 46));
    let mut tallied = 0;
    for (path, database) in bases(folder.path()) {
        // Positions of the games, and the start.
        let mut boards = vec![Board::standard()];
        let mut source = database.source(None).expect("a source");
        for_each_game(&mut *source, GameNeeds::ALL, |game| {
            let mut board = game.start_board();
            let last = chance.below(30);
            let moves = game.tape.ops().filter_map(|op| match op {
                TapeOp::Move(m) => Some(m),
                _ => None,
            });
            if !game.tape.has_variations() {
                moves.take(last).for_each(|m| board.play(m));
            }
            boards.push(board);
            Ok(())
        })
        .expect("read");
        for variations in [false, true] {
            for board in &boards {
                let targets = [ExploreTarget::of_board(board)];
                let options = explorer::ExploreOptions {
                    variations,
                    ..explorer::ExploreOptions::default()
                };
                let control = Control::default();
                let walked = explorer::scan(&*database, None, &targets, &options, &control);
                let mut source = database.source(None).expect("a source");
                let read = explorer::scan_source(&mut *source, &targets, &options, &control);
                let (walked, read): (ExploreTallies, ExploreTallies) =
                    (walked.expect("walked"), read.expect("read"));
                let at = format!("{}: {}", path.display(), board.to_fen());
                assert_eq!(walked.tallies, read.tallies, "{at}");
                assert_eq!(walked.damaged, read.damaged, "{at}");
                tallied += 1;
            }
        }
    }
    assert!(tallied > 20);
}
