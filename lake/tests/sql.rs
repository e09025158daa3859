//! The program as its users run it, beside the library's own searches and beside DuckDB.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use tabiya::formats::lake as format;
use tabiya::lake::{self, Tables};
use tabiya::model::Control;
use tabiya::query::{Context, Query};
use tabiya::{Target, convert, search};
use tempfile::TempDir;

const PROGRAM: &str = env!("CARGO_BIN_EXE_tabiya-lake");

fn corpus(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../corpus")
        .join(name)
}

/// A folder with the same games in several formats.
struct Games {
    folder: TempDir,
}

/// The first is what the others are made of.
const FORMATS: [&str; 4] = ["games.pgn", "games.si5", "games.parquet", "games.ndjson"];

impl Games {
    fn new() -> Games {
        Games::of(&games_of_all_kinds())
    }

    fn of(sources: &[PathBuf]) -> Games {
        let folder = tempfile::tempdir().expect("a folder");
        let mut bases: Vec<_> = sources
            .iter()
            .flat_map(|path| tabiya::open(path).expect("a base"))
            .collect();
        for name in FORMATS {
            let path = folder.path().join(name);
            let target = Target::new(&path, None, Default::default()).expect("a target");
            convert::convert(&bases, &target, &Default::default(), &Control::default())
                .expect("a conversion");
            bases = tabiya::open(folder.path().join(FORMATS[0])).expect("a base");
        }
        Games { folder }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command
            .arg("sql")
            .args(args)
            .current_dir(self.folder.path());
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command(args)
            .stdin(Stdio::null())
            .output()
            .expect("the program")
    }

    /// The rows of an answer, without the names of the columns, which name the file.
    fn rows(&self, query: &str) -> String {
        let csv = self.csv(query);
        csv.split_once('\n')
            .map_or(String::new(), |(_, rows)| rows.to_owned())
    }

    /// The answer as CSV.
    fn csv(&self, query: &str) -> String {
        let output = self.run(&["--csv", query]);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{query}: {errors}");
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    /// What is said about a query that is not answered.
    fn refusal(&self, query: &str) -> String {
        let output = self.run(&["--csv", query]);
        assert_eq!(output.status.code(), Some(2), "{query}");
        assert!(output.stdout.is_empty(), "{query}");
        String::from_utf8(output.stderr).expect("UTF-8")
    }

    fn count(&self, query: &str) -> u64 {
        let csv = self.csv(query);
        csv.lines()
            .nth(1)
            .and_then(|line| line.parse().ok())
            .expect("a number")
    }
}

fn games_of_all_kinds() -> Vec<PathBuf> {
    let folder = corpus("pgn/ok");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("the corpus")
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|it| it == "pgn"))
        .collect();
    paths.sort();
    paths
}

const QUESTIONS: [&str; 8] = [
    "SELECT count(*) FROM 'FILE'",
    "SELECT white, count(*) AS games, sum(score) FROM 'FILE' GROUP BY white ORDER BY games DESC, white LIMIT 20",
    "SELECT eco, year, count(*), avg(white_elo) FROM 'FILE' GROUP BY eco, year ORDER BY eco, year",
    "SELECT game, date, event, site, round, black, black_elo, plies FROM 'FILE' WHERE plies > 20 ORDER BY game",
    "SELECT game, final_material, time_base FROM 'FILE' WHERE score = 1 OR fen IS NOT NULL ORDER BY game",
    "SELECT game, moves FROM 'FILE' WHERE year IS NULL ORDER BY game",
    "SELECT a.game, b.game FROM 'FILE' a JOIN 'FILE' b ON a.white = b.black AND a.game < b.game ORDER BY 1, 2",
    "SELECT result, count(*) FROM 'FILE' WHERE white LIKE '%a%' GROUP BY result ORDER BY result LIMIT 3",
];

#[test]
fn every_format_gives_the_same_answers() {
    let games = Games::new();
    for question in QUESTIONS {
        let answers = FORMATS.map(|name| games.rows(&question.replace("FILE", name)));
        assert!(!answers[0].is_empty(), "{question}");
        for (name, answer) in FORMATS.iter().zip(&answers) {
            // A base of Scid makes roster tags of what is missing, so that an unknown date is one.
            if *name != "games.si5" {
                assert_eq!(answer, &answers[0], "{question} from {name}");
            }
        }
    }
    let whole = |name: &str| games.count(&format!("SELECT count(*) FROM '{name}'"));
    assert_eq!(whole("games.si5"), whole("games.pgn"));
}

#[test]
fn indexed_bases_answer_as_when_they_are_read() {
    let games = Games::new();
    let copy = games.folder.path().join("of-scid.parquet");
    let bases = tabiya::open(games.folder.path().join("games.si5")).expect("a base");
    let target = Target::new(&copy, None, Default::default()).expect("a target");
    convert::convert(&bases, &target, &Default::default(), &Control::default()).expect("a copy");
    for question in QUESTIONS {
        let ours = games.rows(&question.replace("FILE", "games.si5"));
        let copied = games.rows(&question.replace("FILE", "of-scid.parquet"));
        assert_eq!(ours, copied, "{question}");
    }
}

/// The Parquet files in a folder and its folders.
fn parquet_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            files.extend(parquet_files(&path));
        } else if path.extension().is_some_and(|it| it == "parquet") {
            files.push(path);
        }
    }
    files.sort();
    files
}

#[test]
fn a_lake_is_what_its_manifest_lists() {
    let games = Games::new();
    let lake = games.folder.path().join("lake");
    let bases = tabiya::open(games.folder.path().join("games.pgn")).expect("a base");
    let mut target = Target::new(&lake, Some(&format::FORMAT), Default::default()).expect("a lake");
    format::by_months(&mut target.options.settings).expect("set");
    let tables = Tables {
        positions: true,
        ..Tables::default()
    };
    lake::build(&bases, &target, &tables, &Control::default()).expect("a lake");
    let question = "SELECT count(*), count(DISTINCT white), sum(plies) FROM 'FILE'";
    let expected = games.rows(&question.replace("FILE", "games.pgn"));
    let questions = [
        (question.replace("FILE", "lake"), expected.clone()),
        (question.replace("FILE", "lake/"), expected.clone()),
        (question.replace("FILE", "lake/games"), expected.clone()),
        (
            "SELECT sum(white_games) FROM 'lake/players'".to_owned(),
            games.rows("SELECT count(*) FROM 'games.pgn'"),
        ),
        (
            "SELECT count(*), max(plies) FROM 'lake/games/year=1858'".to_owned(),
            games.rows("SELECT count(*), max(plies) FROM 'games.pgn' WHERE year = 1858"),
        ),
        (
            "SELECT count(*), sum(games), sum(white) FROM 'lake/explorer'".to_owned(),
            String::new(),
        ),
        (
            "SELECT count(*), max(ply), count(DISTINCT game) FROM 'lake/positions'".to_owned(),
            String::new(),
        ),
    ];
    let asked = |(query, expected): &(String, String)| {
        let rows = games.rows(query);
        if !expected.is_empty() {
            assert_eq!(&rows, expected, "{query}");
        }
        rows
    };
    let before: Vec<String> = questions.iter().map(asked).collect();
    // What a change that was cut off has left does not exist.
    let files = parquet_files(&lake);
    assert!(files.len() > 5, "{files:?}");
    for file in &files {
        std::fs::copy(file, file.with_file_name("999-0.parquet")).expect("a copy");
    }
    std::fs::write(lake.join("games/998.parquet"), b"PAR1 cut off").expect("a file");
    let after: Vec<String> = questions.iter().map(asked).collect();
    assert_eq!(after, before);
    // What the manifest lists is there, or is missed.
    let gone = files
        .iter()
        .find(|file| file.starts_with(lake.join("games")));
    std::fs::remove_file(gone.expect("games")).expect("removed");
    let words = games.refusal(&questions[0].0);
    assert!(words.contains("No such file"), "{words}");
}

#[test]
fn changed_columns_are_refused_and_never_believed() {
    let games = Games::new();
    let whole = std::fs::read(games.folder.path().join("games.parquet")).expect("a file");
    let query = "SELECT game, white, plies, score, moves, annotations FROM 'FILE' WHERE plies > 3 ORDER BY game";
    let expected = games.rows(&query.replace("FILE", "games.parquet"));
    let mut refused = 0;
    let places = (4..whole.len()).step_by(whole.len() / 40);
    for (at, place) in places.enumerate() {
        let mut changed = whole.clone();
        changed[place] ^= 1 << (at % 8);
        std::fs::write(games.folder.path().join("changed.parquet"), changed).expect("a file");
        let output = games.run(&["--csv", &query.replace("FILE", "changed.parquet")]);
        if output.status.success() {
            let csv = String::from_utf8(output.stdout).expect("UTF-8");
            let (_, rows) = csv.split_once('\n').expect("rows");
            assert_eq!(rows, expected, "byte {place}");
        } else {
            let words = String::from_utf8_lossy(&output.stderr);
            assert!(words.contains("changed.parquet"), "byte {place}: {words}");
            refused += 1;
        }
    }
    assert!(refused > 5, "{refused}");
}

#[test]
fn plans_tell_what_is_read() {
    let games = Games::new();
    let plan = |query: &str| games.csv(&format!("EXPLAIN {query}"));
    let facts = plan("SELECT white, avg(score) FROM 'games.si5' WHERE year >= 1900 GROUP BY white");
    assert!(facts.contains("no game read"), "{facts}");
    assert!(facts.contains("filter=year"), "{facts}");
    assert!(!facts.contains("FilterExec"), "{facts}");
    let moves = plan(
        "SELECT game FROM 'games.si5' WHERE has_position(moves, '8/8/8/8/8/8/8/8') AND year = 1900",
    );
    assert!(moves.contains("read moves for=[moves]"), "{moves}");
    let count = plan("SELECT count(*) FROM 'games.si5'");
    assert!(!count.contains("BaseScan"), "{count}");
    let searched = plan("SELECT game FROM 'games.pgn' WHERE matches(game, 'eco:B')");
    assert!(searched.contains("query=\"\"eco:B\"\""), "{searched}");
}

#[test]
fn functions_agree_with_our_queries() {
    let mut sources = games_of_all_kinds();
    if let Some(more) = tabiya_testing::shared("oracles/scid/s11_otb3000") {
        sources.extend(
            std::fs::read_dir(more)
                .expect("a folder")
                .flatten()
                .map(|entry| entry.path())
                .filter(|path| {
                    path.extension()
                        .is_some_and(|it| it == "si5" || it == "si4")
                })
                .take(1),
        );
    }
    let games = Games::of(&sources);
    let path = games.folder.path().join("games.pgn");
    let bases = tabiya::open(&path).expect("a base");
    let najdorf = "rnbqkb1r/1p2pppp/p2p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R w KQkq - 0 6";
    let placed = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR";
    let mut found = 0;
    for (language, function) in [
        (
            format!("position:\"{najdorf}\""),
            format!("has_position(moves, '{najdorf}', fen)"),
        ),
        (
            format!("position:\"{placed}\""),
            format!("has_position(moves, '{placed}', fen)"),
        ),
        (
            "material:\"KRP v KR\"".into(),
            "material(moves, 'KRP v KR', fen)".to_owned(),
        ),
        (
            "material[either]:\"KRP... v KR\"".into(),
            "(material(moves, 'KRP... v KR', fen) OR material(moves, 'KR v KRP...', fen))"
                .to_owned(),
        ),
        (
            "material:\"any, bishops=opposite\"".into(),
            "material(moves, 'any, bishops=opposite', fen)".to_owned(),
        ),
    ] {
        let query = Query::parse(&language, Context::default()).expect("a query");
        let control = Control::default();
        let expected = search::count(&bases, &query, &search::Options::default(), &control)
            .expect("a search")
            .hits();
        found += expected;
        for name in FORMATS {
            let asked = games.count(&format!("SELECT count(*) FROM '{name}' WHERE {function}"));
            assert_eq!(asked, expected, "{function} over {name}");
        }
        let escaped = language.replace('\'', "''");
        for name in FORMATS {
            let asked = games.count(&format!(
                "SELECT count(*) FROM read_games('{name}', query => '{escaped}')"
            ));
            assert_eq!(asked, expected, "{language} over {name}");
        }
        for name in ["games.si5", "games.pgn"] {
            let asked = games.count(&format!(
                "SELECT count(*) FROM '{name}' WHERE matches(game, '{escaped}') AND game > 0"
            ));
            assert_eq!(asked, expected, "{language} in {name}");
        }
    }
    assert!(found > 3);
}

#[test]
fn positions_moves_and_names_are_told() {
    let games = Games::of(&[corpus("pgn/ok/opera.pgn")]);
    let answer = games.csv(
        "SELECT fen_at(moves, 2), san(moves, 33), san(moves, 99), line_name(moves) FROM 'games.parquet'",
    );
    let line = answer.lines().nth(1).expect("a line");
    assert!(
        line.starts_with("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2,Rd8#,,"),
        "{line}"
    );
    assert!(line.contains("Philidor"), "{line}");
}

#[test]
fn answers_take_every_form() {
    let games = Games::new();
    let query = "SELECT game, white, score, moves FROM 'games.si5' ORDER BY game LIMIT 3";
    let json = games.run(&["--json", query]);
    let json = String::from_utf8(json.stdout).expect("UTF-8");
    let rows: Vec<serde_json::Value> = json
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(rows.len(), 3);
    assert_eq!(rows[0]["game"], 1);
    let table = games.run(&[query]);
    let table = String::from_utf8(table.stdout).expect("UTF-8");
    assert!(table.starts_with("game"), "{table}");
    assert!(table.trim_end().ends_with("3 rows"), "{table}");
    let arrow = games.run(&["--arrow", query]);
    assert!(arrow.stdout.len() > 100);
    let whole = "SELECT * FROM 'games.si5' ORDER BY game";
    assert!(
        games
            .run(&["--parquet", "out.parquet", whole])
            .status
            .success()
    );
    // Our own reader takes the answer for a database.
    let copy = games.csv("SELECT game, white, plies FROM read_games('out.parquet') ORDER BY game");
    assert_eq!(
        copy,
        games.csv("SELECT game, white, plies FROM 'games.si5' ORDER BY game")
    );
    let again = games.run(&["--parquet", "out.parquet", whole]);
    assert_eq!(again.status.code(), Some(2));
    let failed = games.run(&["--parquet", "none.parquet", "SELECT 1/0 FROM 'games.si5'"]);
    assert_eq!(failed.status.code(), Some(2));
    assert!(!games.folder.path().join("none.parquet").exists());
    let left: Vec<_> = std::fs::read_dir(games.folder.path())
        .expect("a folder")
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with('.'))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn standard_input_is_a_table() {
    let games = Games::new();
    let file = std::fs::File::open(games.folder.path().join("games.pgn")).expect("a file");
    let output = games
        .command(&["--csv", "SELECT count(*) FROM '-'"])
        .stdin(file)
        .output()
        .expect("the program");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let expected = games.csv("SELECT count(*) AS \"count(*)\" FROM 'games.pgn'");
    assert_eq!(text.lines().nth(1), expected.lines().nth(1));
}

#[test]
fn nothing_but_questions_is_answered() {
    let games = Games::new();
    for statement in [
        "CREATE TABLE t AS SELECT 1",
        "CREATE EXTERNAL TABLE t STORED AS PARQUET LOCATION '/etc'",
        "COPY (SELECT 1) TO 'x.csv'",
        "INSERT INTO 'games.si5' VALUES (1)",
        "DELETE FROM 'games.si5'",
        "DROP TABLE x",
        "SET datafusion.execution.batch_size = 1",
        "EXPLAIN COPY (SELECT 1) TO 'x.csv'",
        "PREPARE x AS SELECT 1",
        "SELECT 1; SELECT 2",
        "",
    ] {
        let words = games.refusal(statement);
        assert_eq!(words.lines().count(), 1, "{statement}: {words}");
    }
    assert!(!games.folder.path().join("x.csv").exists());
    assert!(
        games
            .csv("DESCRIBE 'games.si5'")
            .contains("white_elo,Int32,YES")
    );
    assert!(games.csv("SHOW TABLES").contains("games.parquet"));
}

#[test]
fn files_outside_are_not_read() {
    let games = Games::new();
    let outside = tempfile::tempdir().expect("a folder");
    let secret = outside.path().join("secret.pgn");
    std::fs::copy(games.folder.path().join("games.pgn"), &secret).expect("a copy");
    let secret_parquet = outside.path().join("secret.parquet");
    std::fs::copy(games.folder.path().join("games.parquet"), &secret_parquet).expect("a copy");
    std::os::unix::fs::symlink(&secret_parquet, games.folder.path().join("link.parquet"))
        .expect("a link");
    let climbing = format!(
        "../{}/secret.pgn",
        outside
            .path()
            .file_name()
            .expect("a name")
            .to_string_lossy()
    );
    for path in [
        "/etc/passwd",
        "file:///etc/passwd",
        "../../../../etc/passwd",
        &climbing,
        &secret.display().to_string(),
        &secret_parquet.display().to_string(),
        "link.parquet",
        "https://example.com/x.parquet",
        "mysql://localhost/games",
        "games.par*",
    ] {
        for query in [
            format!("SELECT * FROM '{path}'"),
            format!("SELECT * FROM read_games('{path}', 'eco:B')"),
        ] {
            let words = games.refusal(&query);
            assert_eq!(words.lines().count(), 1, "{query}: {words}");
        }
    }
    let allowed = games.run(&[
        "--csv",
        "--allow",
        &outside.path().display().to_string(),
        &format!("SELECT count(*) FROM '{}'", secret.display()),
    ]);
    assert!(allowed.status.success());
}

#[test]
fn monstrous_queries_are_refused_in_a_sentence() {
    let games = Games::new();
    let sum = format!("SELECT 1{}", "+1".repeat(100_000));
    let deep = format!("SELECT {}1{}", "(".repeat(50_000), ")".repeat(50_000));
    let unions = vec!["SELECT 1"; 20_000].join(" UNION ALL ");
    let tables = format!("SELECT 1 FROM {}", vec!["'games.si5'"; 5_000].join(","));
    let long = format!("SELECT '{}'", "x".repeat(1 << 20));
    for query in [sum, deep, unions, tables, long] {
        let file = games.folder.path().join("query.sql");
        std::fs::write(&file, &query).expect("a file");
        let output = games.run(&["-f", "query.sql"]);
        assert_eq!(output.status.code(), Some(2));
        let words = String::from_utf8_lossy(&output.stderr);
        assert!(words.len() < 500, "{words}");
    }
    // Long, and let through.
    let most = format!("SELECT 1{}", "+1".repeat(900));
    std::fs::write(games.folder.path().join("query.sql"), most).expect("a file");
    assert!(games.run(&["-f", "query.sql"]).status.success());
}

const ENDLESS: &str = "SELECT count(*) FROM generate_series(1, 1000000) a CROSS JOIN generate_series(1, 1000000) b WHERE a.value % 7 = b.value % 11";

#[test]
fn a_query_without_end_ends_at_its_time_limit() {
    let games = Games::new();
    let output = games.run(&["--timeout", "1", "--memory", "64M", ENDLESS]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("time limit"));
}

/// One that writes to disk for as long as nobody stops it. The number of the row is read, since nobody computes what is not.
const SPILLING: &str = "SELECT sum(n % 7 * v) FROM (SELECT a.value AS v, row_number() OVER (ORDER BY a.value * b.value % 1000003) AS n FROM generate_series(1, 1000000) a CROSS JOIN generate_series(1, 1000000) b)";

/// Ticks of the processor that a process has had.
#[cfg(target_os = "linux")]
fn ticks(process: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).expect("a process");
    // The name, which stands in brackets, may hold anything.
    let (_, rest) = stat.rsplit_once(") ").expect("fields");
    let times = rest.split(' ').skip(11).take(2);
    times.map(|it| it.parse::<u64>().expect("a time")).sum()
}

/// Whether there is a file in a folder, or in one of its folders.
#[cfg(target_os = "linux")]
fn has_files(folder: &Path) -> bool {
    std::fs::read_dir(folder).is_ok_and(|entries| {
        entries
            .flatten()
            .any(|entry| entry.path().is_file() || has_files(&entry.path()))
    })
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_stops_what_computes_and_what_spills() {
    let games = Games::new();
    for (query, spills) in [(ENDLESS, false), (SPILLING, true)] {
        let spill = tempfile::tempdir().expect("a folder");
        let mut child = games
            .command(&["--memory", "64M", query])
            .env("TMPDIR", spill.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program");
        let process = child.id();
        let is_at_work = || {
            if spills {
                has_files(spill.path())
            } else {
                ticks(process) > 50
            }
        };
        while !is_at_work() {
            let ended = child.try_wait().expect("a state");
            assert_eq!(ended, None, "{query}");
            std::thread::sleep(Duration::from_millis(10));
        }
        let killed = Command::new("kill")
            .args(["-INT", &child.id().to_string()])
            .status();
        assert!(killed.expect("kill").success());
        let status = child.wait().expect("an end");
        assert_eq!(status.code(), Some(130), "{query}");
        let left = std::fs::read_dir(spill.path()).expect("a folder").count();
        assert_eq!(left, 0, "{query}");
    }
}

#[test]
fn memory_is_bounded_by_spilling_and_by_refusal() {
    let games = Games::new();
    let sorted = "SELECT max(n) FROM (SELECT row_number() OVER (ORDER BY a.value * 7919 % 1000003) AS n FROM generate_series(1, 2000000) a)";
    let output = games.run(&["--csv", "--memory", "32M", sorted]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("2000000"));
    let gathered = "SELECT array_length(array_agg(a.value)) FROM generate_series(1, 100000000) a";
    let output = games.run(&["--memory", "16M", gathered]);
    assert_eq!(output.status.code(), Some(2));
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(words.contains("--memory"), "{words}");
}

/// Runs a query in DuckDB and hands back its rows as ours are written.
fn duckdb(folder: &Path, query: &str) -> Option<String> {
    let mut python = tabiya_testing::python_with("duckdb")?;
    let script = "import duckdb, sys\n\
        def cell(value):\n    \
            return '' if value is None else str(float(value)) if isinstance(value, float) else str(value)\n\
        for row in duckdb.sql(sys.argv[1]).fetchall():\n    \
            print(','.join(cell(value) for value in row))\n";
    let output = python
        .args(["-c", script, query])
        .current_dir(folder)
        .output()
        .expect("python");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Some(String::from_utf8(output.stdout).expect("UTF-8"))
}

#[test]
fn duckdb_answers_the_same() {
    let mut sources = games_of_all_kinds();
    if let Some(more) = tabiya_testing::shared("oracles/scid/s11_otb3000") {
        sources.extend(
            std::fs::read_dir(more)
                .expect("a folder")
                .flatten()
                .map(|entry| entry.path())
                .filter(|path| {
                    path.extension()
                        .is_some_and(|it| it == "si5" || it == "si4")
                })
                .take(1),
        );
    }
    let games = Games::of(&sources);
    for question in [
        "SELECT eco, year, count(*), sum(score) FROM 'FILE' GROUP BY eco, year ORDER BY eco NULLS LAST, year NULLS LAST",
        "SELECT count(*), count(DISTINCT site), sum(plies), max(white_elo), min(black_elo) FROM 'FILE'",
        "SELECT game, plies, white_elo FROM 'FILE' WHERE month = 5 AND white_elo > black_elo ORDER BY game LIMIT 50",
        "SELECT year, count(*) FILTER (WHERE score = 0.5) FROM 'FILE' WHERE plies BETWEEN 20 AND 60 GROUP BY year ORDER BY year NULLS LAST",
    ] {
        let Some(expected) = duckdb(
            games.folder.path(),
            &question.replace("FILE", "games.parquet"),
        ) else {
            return;
        };
        for name in ["games.parquet", "games.pgn"] {
            let ours = games.csv(&question.replace("FILE", name));
            let rows: Vec<&str> = ours.lines().skip(1).collect();
            assert_eq!(
                rows,
                expected.lines().collect::<Vec<_>>(),
                "{question} over {name}"
            );
        }
    }
}

#[test]
fn damaged_and_foreign_files_end_in_a_sentence() {
    let games = Games::new();
    let whole = std::fs::read(games.folder.path().join("games.parquet")).expect("a file");
    let mut flipped = whole.clone();
    for at in (100..flipped.len() - 2_000).step_by(97) {
        flipped[at] ^= 0x55;
    }
    for (name, bytes) in [
        ("cut.parquet", &whole[..whole.len() / 2]),
        ("tail.parquet", &whole[whole.len() / 2..]),
        ("flipped.parquet", &flipped[..]),
        ("empty.parquet", &[][..]),
        ("noise.si5", &[0x5a; 4_000][..]),
    ] {
        std::fs::write(games.folder.path().join(name), bytes).expect("a file");
        let output = games.run(&[
            "--csv",
            &format!("SELECT sum(plies), max(moves), max(white) FROM '{name}'"),
        ]);
        assert_eq!(output.status.code(), Some(2), "{name}");
        let words = String::from_utf8_lossy(&output.stderr);
        assert!(
            words.lines().count() == 1 && words.len() < 600,
            "{name}: {words}"
        );
    }
}
