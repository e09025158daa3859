//! The same answers from DuckDB, Polars and Spark over the same files.

use std::path::Path;

use crate::games::TestGames;

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
    let games = TestGames::many();
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

/// Questions about a lake that every engine is asked, in SQL that all of them speak.
const OF_LAKES: [&str; 3] = [
    "SELECT white, count(*) AS games, sum(score) AS points FROM games GROUP BY white ORDER BY games DESC, white LIMIT 50",
    "SELECT eco, year, count(*) AS games, sum(plies) AS plies FROM games GROUP BY eco, year ORDER BY eco NULLS LAST, year NULLS LAST",
    "SELECT count(*) AS games, count(DISTINCT site) AS sites, max(white_elo) AS best, min(plies) AS shortest FROM games WHERE month = 5 OR plies > 60",
];

/// Answers them, one line a row, with an empty line behind each answer.
const PRINT: &str = "
import sys
def cell(value):
    if value is None: return ''
    if isinstance(value, float): return str(float(value))
    text = str(value)
    return '\"' + text + '\"' if ',' in text else text
def show(rows):
    for row in rows: print(','.join(cell(value) for value in row))
    print()
";

const POLARS: &str = "
import polars
games = polars.scan_parquet('lake/games/**/*.parquet', hive_partitioning=False)
context = polars.SQLContext(games=games)
for query in sys.argv[1:]: show(context.execute(query).collect().rows())
";

/// Two processes that compute, as on two machines.
const SPARK: &str = "
from pyspark.sql import SparkSession
session = SparkSession.builder.master('local-cluster[2,1,768]').config('spark.ui.enabled', 'false') \\
    .config('spark.executor.memory', '768m').config('spark.sql.shuffle.partitions', '2').getOrCreate()
session.sparkContext.setLogLevel('OFF')
session.read.parquet('lake/games').createOrReplaceTempView('games')
for query in sys.argv[1:]: show(session.sql(query).collect())
session.stop()
";

#[test]
fn polars_and_spark_read_a_lake() {
    let games = TestGames::many();
    games.lake("lake");
    let expected = OF_LAKES.map(|query| games.rows(&query.replace("FROM games", "FROM 'lake'")));
    for (module, script) in [("polars", POLARS), ("pyspark", SPARK)] {
        if module == "pyspark" && !tabiya_testing::is_full() {
            eprintln!("skipped: Spark takes long to start; TABIYA_FULL=1 asks it");
            continue;
        }
        let Some(mut python) = tabiya_testing::python_with(module) else {
            continue;
        };
        let has_java = std::process::Command::new("java").arg("-version").output();
        if module == "pyspark" && !has_java.is_ok_and(|output| output.status.success()) {
            eprintln!("skipped: Spark needs Java, which is not installed");
            continue;
        }
        let output = python
            .args(["-c", &format!("{PRINT}{script}")])
            .args(OF_LAKES)
            .current_dir(games.folder.path())
            .output()
            .expect("python");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{module}: {errors}");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        let answers: Vec<&str> = text.split("\n\n").collect();
        for ((query, expected), answer) in OF_LAKES.iter().zip(&expected).zip(answers) {
            assert_eq!(
                answer.trim_end(),
                expected.trim_end(),
                "{query} by {module}"
            );
        }
    }
}
