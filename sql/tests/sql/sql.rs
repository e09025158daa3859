//! The program as its users run it, beside the library's own searches.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tabiya::model::Control;
use tabiya::query::{Query, QueryContext};
use tabiya::{Selection, Target, convert, search};

use crate::games::{FORMATS, QUESTIONS, TestGames, corpus, parquet_files};

#[test]
fn every_format_gives_the_same_answers() {
    let games = TestGames::new();
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
    let games = TestGames::new();
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

#[test]
fn a_lake_is_what_its_manifest_lists() {
    let games = TestGames::new();
    let lake = games.lake("lake");
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
            "SELECT count(*), max(plies) FROM 'lake/games/1858'".to_owned(),
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
    let games = TestGames::new();
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
    let games = TestGames::new();
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
    let games = TestGames::many();
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
        let query = Query::parse(&language, QueryContext::default()).expect("a query");
        let control = Control::default();
        let expected = search::count(
            &Selection::of(&bases[..]).matching(query),
            &search::SearchOptions::default(),
            &control,
        )
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
fn positions_of_a_lake_come_from_its_table() {
    let games = TestGames::many();
    let lake = games.lake("lake");
    let mut found = 0;
    for fen in [
        "rnbqkb1r/1p2pppp/p2p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R w",
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR",
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR b",
        "8/8/8/8/8/8/8/KkQ5",
    ] {
        let asked = |table: &str| {
            let condition = format!("has_position(moves, '{fen}', fen) AND plies > 10");
            games.count(&format!("SELECT count(*) FROM '{table}' WHERE {condition}"))
        };
        let expected = asked("games.pgn");
        assert_eq!(asked("lake"), expected, "{fen}");
        found += expected;
    }
    assert!(found > 0);
    let explain = |table: &str| {
        let fen = "8/8/8/8/8/8/8/KkQ5";
        games.rows(&format!(
            "EXPLAIN SELECT white FROM '{table}' WHERE has_position(moves, '{fen}')"
        ))
    };
    // Nothing is read where the table has no game.
    assert!(
        !explain("lake").contains("DataSourceExec"),
        "{}",
        explain("lake")
    );
    std::fs::remove_dir_all(lake.join("positions")).expect("removed");
    let refusal = games
        .refusal("SELECT count(*) FROM 'lake' WHERE has_position(moves, '8/8/8/8/8/8/8/KkQ5')");
    assert!(refusal.contains("positions"), "{refusal}");
}

#[test]
fn openings_have_the_names_that_their_moves_have() {
    let games = TestGames::many();
    for name in FORMATS {
        let from = format!("FROM '{name}' WHERE line_name(moves, fen) IS NOT NULL");
        assert!(games.count(&format!("SELECT count(*) {from}")) > 0);
        let other = format!(
            "{from} AND coalesce(opening_name, opening) IS DISTINCT FROM line_name(moves, fen)"
        );
        assert_eq!(
            games.count(&format!("SELECT count(*) {other}")),
            0,
            "{name}"
        );
        let twice = games.count(&format!(
            "SELECT count(*) FROM '{name}' WHERE opening_name = opening"
        ));
        assert_eq!(twice, 0, "{name}");
    }
}

#[test]
fn positions_moves_and_names_are_told() {
    let games = TestGames::of(&[corpus("pgn/ok/opera.pgn")]);
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
    let games = TestGames::new();
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
    let games = TestGames::new();
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
    let games = TestGames::new();
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
    let games = TestGames::new();
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
    let games = TestGames::new();
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
    let games = TestGames::new();
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
    let games = TestGames::new();
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
        assert!(tabiya_testing::send_signal(child.id(), "INT"));
        let status = child.wait().expect("an end");
        assert_eq!(status.code(), Some(130), "{query}");
        let left = std::fs::read_dir(spill.path()).expect("a folder").count();
        assert_eq!(left, 0, "{query}");
    }
}

#[test]
fn memory_is_bounded_by_spilling_and_by_refusal() {
    let games = TestGames::new();
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

#[test]
fn damaged_and_foreign_files_end_in_a_sentence() {
    let games = TestGames::new();
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
