//! What the documents promise: every example, bounds of memory, sums that do not run over, joins that go to disk.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use tabiya::model::Control;
use tabiya::{Target, convert};

use crate::games::{PROGRAM, TestGames};

fn document(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|_| panic!("{}", path.display()))
}

/// Gives some games the names that examples have for theirs.
fn name_as_in_examples(games: &TestGames) {
    let folder = games.folder.path();
    let bases = tabiya::open(folder.join("games.pgn")).expect("a base");
    for name in ["mega.si4", "lichess.parquet"] {
        let target = Target::new(folder.join(name), None, Default::default()).expect("a target");
        convert::convert(&bases, &target, &Default::default(), &Control::default()).expect(name);
    }
}

/// The queries that stand behind `tabiya sql` in a text, with what stands before them on the line.
fn queries(text: &str) -> Vec<(String, String)> {
    let lines = text
        .lines()
        .filter_map(|line| line.split_once("tabiya sql "));
    let quoted = lines.filter_map(|(before, rest)| {
        let (options, rest) = rest.split_once('"')?;
        let (query, _) = rest.rsplit_once('"')?;
        Some((format!("{before}|{options}"), query.to_owned()))
    });
    quoted.collect()
}

#[test]
fn every_example_gives_an_answer() {
    let games = TestGames::many();
    name_as_in_examples(&games);
    // Those of the help, which is broken into lines where it is shown.
    let help = document("sql/src/run.rs").replace("\\\"", "\"");
    let mut examples = queries(&document("docs/sql.md"));
    examples.extend(queries(&help));
    assert!(examples.len() > 5, "{examples:?}");
    for (around, query) in examples {
        let mut command = games.command(&["--csv", &query]);
        if around.contains("zstdcat") {
            let file = games.folder.path().join("games.pgn");
            command.stdin(std::fs::File::open(file).expect("a file"));
        } else {
            command.stdin(Stdio::null());
        }
        let output = command.output().expect("the program");
        let words = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{query}: {words}");
        let rows = String::from_utf8_lossy(&output.stdout).lines().count();
        assert!(rows > 0, "{query}: no answer");
    }
}

/// What stands in the first column of the tables of a document, where it is a call.
fn calls(text: &str) -> Vec<String> {
    let cells = text.lines().filter_map(|line| {
        let (cell, _) = line.strip_prefix("| `")?.split_once("` |")?;
        Some(cell.to_owned())
    });
    cells.filter(|cell| cell.contains('(')).collect()
}

#[test]
fn every_function_is_called_as_the_document_says() {
    let games = TestGames::many();
    let calls = calls(&document("docs/sql.md"));
    assert!(calls.len() > 5, "{calls:?}");
    for call in calls {
        let call = call
            .replace("'FEN'", "'rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR'")
            .replace("ply", "3")
            .replace("'QUERY'", "'eco:C'");
        for name in ["games.pgn", "games.si5"] {
            let query = match call.starts_with("matches") {
                true => format!("SELECT count(*) FROM '{name}' WHERE {call}"),
                false => format!("SELECT count({call}) FROM '{name}'"),
            };
            assert!(games.count(&query) > 0, "{query}");
        }
    }
    // The material of a column is that of a text.
    for name in ["games.pgn", "games.si5", "games.parquet"] {
        let met = games.count(&format!(
            "SELECT count(*) FROM '{name}' WHERE material(moves, final_material, fen)"
        ));
        let all = games.count(&format!(
            "SELECT count(*) FROM '{name}' WHERE fen IS NULL OR fen LIKE '%/%'"
        ));
        assert!(met > 0 && met <= all, "{met} of {all}");
        let query = format!(
            "SELECT count(*) FROM '{name}' WHERE fen IS NULL AND NOT material(moves, final_material)"
        );
        assert_eq!(games.count(&query), 0, "{name}");
    }
}

#[test]
fn a_sum_that_runs_over_is_refused() {
    let games = TestGames::new();
    let most = i64::MAX;
    for query in [
        format!("SELECT sum(x) FROM (VALUES ({most}), (1)) t(x)"),
        format!("SELECT k, sum(x) FROM (VALUES (1, {most}), (2, 5), (1, 1)) t(k, x) GROUP BY k"),
        format!("SELECT sum(x) OVER (ORDER BY x) FROM (VALUES ({most}), (1)) t(x)"),
        format!(
            "SELECT sum(x) OVER (ORDER BY x ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM (VALUES ({most}), (1)) t(x)"
        ),
        format!("SELECT sum(DISTINCT x) FROM (VALUES ({most}), (1), (1)) t(x)"),
        format!(
            "SELECT sum(DISTINCT x) OVER (ORDER BY x ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM (VALUES ({most}), (1)) t(x)"
        ),
        format!("SELECT sum(x + 1) FROM (VALUES ({}), (1)) t(x)", most - 1),
        "SELECT sum(x) FROM (SELECT CAST(18446744073709551615 AS BIGINT UNSIGNED) AS x UNION ALL SELECT CAST(1 AS BIGINT UNSIGNED))".into(),
        "SELECT sum(x) FROM (SELECT CAST('99999999999999999999999999999999999999' AS DECIMAL(38, 0)) AS x FROM generate_series(1, 3))".into(),
        format!("SELECT sum(value * 0 + {most}) FROM generate_series(1, 100000)"),
        format!("SELECT sum(CAST('{}' AS DECIMAL(76, 0))) FROM generate_series(1, 6)", "9".repeat(76)),
        "SELECT sum(x) FROM (SELECT INTERVAL '2000000000 months' AS x FROM generate_series(1, 2))".into(),
        "SELECT k, sum(x) FROM (SELECT value % 2 AS k, INTERVAL '2000000000 days' AS x FROM generate_series(1, 4)) GROUP BY k".into(),
    ] {
        // Rows before it may have been shown.
        let output = games.run(&["--csv", &query]);
        let words = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{query}: {words}");
        assert!(words.contains("larger than its type"), "{query}: {words}");
    }
    for (query, expected) in [
        // What runs over on the way and comes back is no error.
        (
            format!("SELECT sum(x) FROM (VALUES ({most}), ({most}), (-{most}), (-{most}), (7)) t(x)"),
            "7",
        ),
        ("SELECT sum(x) FROM (SELECT 1 AS x WHERE false)".into(), ""),
        ("SELECT sum(DISTINCT x) FROM (VALUES (5), (5), (2)) t(x)".into(), "7"),
        ("SELECT sum(x) FROM (VALUES (1.25), (2.5)) t(x)".into(), "3.75"),
        ("SELECT sum(CAST(x AS DOUBLE)) FROM (VALUES (1), (2)) t(x)".into(), "3.0"),
        ("SELECT sum(value) FROM generate_series(1, 1000000)".into(), "500000500000"),
        ("SELECT sum(CAST(value AS DECIMAL(60, 1))) FROM generate_series(1, 1000)".into(), "500500.0"),
        (
            "SELECT sum(CAST(value % 2 AS DECIMAL(60, 0))) AS s FROM generate_series(1, 9) GROUP BY value % 3 ORDER BY s LIMIT 1".into(),
            "1",
        ),
        ("SELECT CAST(sum(x) AS VARCHAR) FROM (SELECT INTERVAL '1 month' AS x FROM generate_series(1, 5))".into(), "5 mons"),
        (
            "SELECT max(s) FROM (SELECT sum(value) OVER (ORDER BY value ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS s FROM generate_series(1, 100))".into(),
            "297",
        ),
    ] {
        let rows = games.rows(&query);
        assert_eq!(rows.trim_matches(['"', '\n']), expected, "{query}");
    }
}

/// Runs a query in a shell that has no more than so many kilobytes of address space.
#[cfg(target_os = "linux")]
fn run_within(games: &TestGames, kilobytes: u64, args: &[&str]) -> Output {
    let mut command = Command::new("sh");
    command
        .args(["-c", &format!("ulimit -v {kilobytes} && exec \"$@\""), "sh"])
        .arg(PROGRAM)
        .arg("sql")
        .args(args)
        .current_dir(games.folder.path())
        .stdin(Stdio::null());
    command.output().expect("the program")
}

#[cfg(target_os = "linux")]
#[test]
fn functions_take_no_more_memory_than_they_may() {
    let games = TestGames::new();
    let large = "repeat('x', 1000000)";
    // Each of them would take some gigabytes, of memory that is asked for and written to.
    for query in [
        "SELECT array_length(generate_series(1, 1000000000))".to_owned(),
        "SELECT array_length(range(1, 1000000000))".into(),
        "SELECT array_length(range(DATE '0001-01-01', DATE '9999-01-01', INTERVAL '1 microsecond'))".into(),
        "SELECT length(repeat('x', 2000000000))".into(),
        "SELECT length(lpad('x', 2000000000, 'y'))".into(),
        "SELECT length(rpad(white, 10000000)) FROM 'games.pgn'".into(),
        "SELECT array_length(array_repeat(1, 1000000000))".into(),
        "SELECT array_length(array_resize([1], 1000000000, 0))".into(),
        format!("SELECT length(replace({large}, 'x', {large}))"),
        format!("SELECT length(regexp_replace({large}, 'x', {large}, 'g'))"),
        format!("SELECT length(array_to_string(generate_series(1, 100000), {large}))"),
        format!("SELECT sum(length(concat({large}, value))) FROM generate_series(1, 100000)"),
        // No function makes these.
        "SELECT sum(length(repeat('x', 100000) || value)) FROM generate_series(1, 100000)".into(),
    ] {
        let output = run_within(&games, 7_000_000, &["--memory", "64M", &query]);
        let words = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{query}: {words}");
        assert!(words.contains("--memory"), "{query}: {words}");
        assert_eq!(words.lines().count(), 1, "{query}: {words}");
    }
    // What fits is made.
    for (query, expected) in [
        (
            "SELECT array_length(generate_series(1, 1000000))",
            "1000000",
        ),
        ("SELECT array_length(range(0, 10, 3))", "4"),
        ("SELECT length(repeat('ab', 1000000))", "2000000"),
        ("SELECT lpad('x', 3, 'y') || rpad('x', 2)", "yyxx "),
        (
            "SELECT replace('abc', 'b', 'xx') || concat('a', 1)",
            "axxca1",
        ),
        ("SELECT array_to_string(array_repeat('a', 3), '-')", "a-a-a"),
        (
            "SELECT array_length(generate_series(DATE '2020-01-01', DATE '2020-12-31', INTERVAL '1 month'))",
            "12",
        ),
    ] {
        assert_eq!(
            games.rows(query).trim_end_matches('\n').trim_matches('"'),
            expected,
            "{query}"
        );
    }
}

#[test]
fn joins_go_to_disk() {
    let games = TestGames::new();
    let rows = |name: &str, count: u32| {
        format!(
            "(SELECT value AS v, value % 1000 AS m, lpad(CAST(value AS VARCHAR), 60, '{name}') AS s FROM generate_series(1, {count}))"
        )
    };
    let (one, other) = (rows("a", 200_000), rows("b", 200_000));
    let few = rows("c", 20);
    for query in [
        format!(
            "SELECT count(*), sum(length(a.s) + length(b.s)) FROM {one} a JOIN {other} b ON a.v = b.v"
        ),
        format!(
            "SELECT count(*), sum(length(b.s)) FROM {one} a LEFT JOIN {other} b ON a.v = b.v + 100000"
        ),
        format!(
            "SELECT count(*), sum(length(a.s)), sum(length(b.s)) FROM {one} a FULL JOIN {other} b ON a.v = b.v + 100000"
        ),
        format!(
            "SELECT count(*), sum(length(s)) FROM {one} WHERE v IN (SELECT v * 2 FROM {other})"
        ),
        format!(
            "SELECT count(*), sum(length(s)) FROM {one} a WHERE NOT EXISTS (SELECT 1 FROM {other} b WHERE b.v = a.v * 2 AND length(b.s) > 3)"
        ),
        format!("SELECT count(*), sum(length(a.s) + length(b.s)) FROM {one} a CROSS JOIN {few} b"),
        format!(
            "SELECT count(*), sum(length(a.s) + length(b.s)) FROM {one} a JOIN {few} b ON a.v < b.v"
        ),
        // Rows of the first come while the second is still gathered.
        format!(
            "SELECT count(*), sum(n) FROM (SELECT length(a.s) AS n FROM {few} a JOIN {few} b ON a.v = b.v \
             UNION ALL SELECT length(a.s) + length(b.s) FROM {one} a JOIN {other} b ON a.v = b.v)"
        ),
    ] {
        let output = games.run(&["--csv", "--memory", "20M", "--threads", "2", &query]);
        let words = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{query}: {words}");
        let text = String::from_utf8_lossy(&output.stdout);
        let (_, found) = text.split_once('\n').expect("names");
        assert_eq!(found, games.rows(&query), "{query}");
    }
    // Rows that have come before a join has what it keeps come once.
    let query = format!(
        "SELECT a.v FROM {few} a JOIN {few} b ON a.v = b.v UNION ALL \
         SELECT a.v + length(a.s) + length(b.s) FROM {one} a JOIN {other} b ON a.v = b.v AND a.m = 7"
    );
    let output = games.run(&["--csv", "--memory", "20M", &query]);
    assert!(output.status.success());
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(text.lines().count(), 1 + 20 + 200);
}
