//! The readers in the documentation, run unchanged.

use tabiya_formats::parquet;
use tabiya_testing::python_with;

use super::{GAMES, games_of, write};

const DOCS: &str = include_str!("../../../../../docs/formats/lake.md");

fn block(heading: &str) -> &'static str {
    let (_, rest) = DOCS.split_once(heading).expect("the heading");
    let (_, rest) = rest.split_once('\n').expect("lines");
    let (_, rest) = rest.split_once("```python").expect("a block");
    let (_, rest) = rest.split_once('\n').expect("lines");
    rest.split_once("```").expect("its end").0
}

#[test]
fn the_documented_readers_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("own.pgn");
    std::fs::write(&source, GAMES).expect("written");
    write(
        &parquet::FORMAT,
        &folder.path().join("games.parquet"),
        &games_of(&source, 3),
    );
    for (heading, modules, expected) in [
        (
            "\nDuckDB, with python-chess",
            "duckdb, chess",
            &[
                "A r1bqkb1r/pppp1Qpp/2n2n2/4p3/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 0 4",
                "C 1q2kbnr/1bp1pppp/8/1p6/2pPP3/8/1P3PPP/1NBQKBNR w Kk - 0 8",
            ][..],
        ),
        (
            "\nPolars,",
            "polars",
            &["│ A     ┆ 1     ┆ 1.0", "│ E     ┆ 1     ┆ null"],
        ),
        (
            "\npandas,",
            "pandas, pyarrow",
            &["('A', [", "180.0", "179.5", "178.0", "181.0"],
        ),
        ("\nSpark:", "pyspark", &["|    A|", "1.0"]),
    ] {
        let script = block(heading);
        assert!(script.lines().count() <= 13, "{heading}");
        let Some(mut command) = python_with(modules) else {
            continue;
        };
        let output = command
            .args(["-c", script])
            .current_dir(folder.path())
            .env("PYTHONIOENCODING", "utf-8")
            .output()
            .expect("it runs");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{heading}: {error}");
        let said = String::from_utf8_lossy(&output.stdout);
        for line in expected {
            assert!(said.contains(line), "{heading}: {line} in {said}");
        }
    }
}
