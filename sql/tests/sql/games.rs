//! The same games in several formats, and the program over them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tabiya::formats::lake as format;
use tabiya::lake::{self, LakeTableOptions};
use tabiya::model::Control;
use tabiya::{Target, convert};
use tempfile::TempDir;

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_tabiya-sql");

pub(crate) const QUESTIONS: [&str; 8] = [
    "SELECT count(*) FROM 'FILE'",
    "SELECT white, count(*) AS games, sum(score) FROM 'FILE' GROUP BY white ORDER BY games DESC, white LIMIT 20",
    "SELECT eco, year, count(*), avg(white_elo) FROM 'FILE' GROUP BY eco, year ORDER BY eco, year",
    "SELECT game, date, event, site, round, black, black_elo, plies FROM 'FILE' WHERE plies > 20 ORDER BY game",
    "SELECT game, final_material, time_base FROM 'FILE' WHERE score = 1 OR fen IS NOT NULL ORDER BY game",
    "SELECT game, moves FROM 'FILE' WHERE year IS NULL ORDER BY game",
    "SELECT a.game, b.game FROM 'FILE' a JOIN 'FILE' b ON a.white = b.black AND a.game < b.game ORDER BY 1, 2",
    "SELECT result, count(*) FROM 'FILE' WHERE white LIKE '%a%' GROUP BY result ORDER BY result LIMIT 3",
];

pub(crate) fn corpus(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../corpus")
        .join(name)
}

/// A folder with the same games in several formats.
pub(crate) struct TestGames {
    pub(crate) folder: TempDir,
}

/// The first is what the others are made of.
pub(crate) const FORMATS: [&str; 4] = ["games.pgn", "games.si5", "games.parquet", "games.ndjson"];

impl TestGames {
    pub(crate) fn new() -> TestGames {
        TestGames::of(&games_of_all_kinds())
    }

    /// Some thousand games more, where they are there.
    pub(crate) fn many() -> TestGames {
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
        TestGames::of(&sources)
    }

    pub(crate) fn of(sources: &[PathBuf]) -> TestGames {
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
        TestGames { folder }
    }

    /// Makes a lake of the games in a folder of this name.
    pub(crate) fn lake(&self, name: &str) -> PathBuf {
        let lake = self.folder.path().join(name);
        let bases = tabiya::open(self.folder.path().join(FORMATS[0])).expect("a base");
        let mut target =
            Target::new(&lake, Some(&format::FORMAT), Default::default()).expect("a lake");
        format::by_months(&mut target.options.settings).expect("set");
        let tables = LakeTableOptions {
            positions: true,
            ..LakeTableOptions::default()
        };
        lake::build(&bases, &target, &tables, &Control::default()).expect("a lake");
        lake
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = program();
        command
            .arg("sql")
            .args(args)
            .current_dir(self.folder.path());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.command(args)
            .stdin(Stdio::null())
            .output()
            .expect("the program")
    }

    /// The rows of an answer, without the names of the columns, which name the file.
    pub(crate) fn rows(&self, query: &str) -> String {
        let csv = self.csv(query);
        csv.split_once('\n')
            .map_or(String::new(), |(_, rows)| rows.to_owned())
    }

    /// The answer as CSV.
    pub(crate) fn csv(&self, query: &str) -> String {
        let output = self.run(&["--csv", query]);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{query}: {errors}");
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    /// What is said about a query that is not answered.
    pub(crate) fn refusal(&self, query: &str) -> String {
        let output = self.run(&["--csv", query]);
        assert_eq!(output.status.code(), Some(2), "{query}");
        assert!(output.stdout.is_empty(), "{query}");
        String::from_utf8(output.stderr).expect("UTF-8")
    }

    pub(crate) fn count(&self, query: &str) -> u64 {
        let csv = self.csv(query);
        csv.lines()
            .nth(1)
            .and_then(|line| line.parse().ok())
            .expect("a number")
    }
}

/// The program, with keys for object stores that are none, so that no test asks anybody for some.
pub(crate) fn program() -> Command {
    let mut command = Command::new(PROGRAM);
    command
        .env("AWS_ACCESS_KEY_ID", "no-key")
        .env("AWS_SECRET_ACCESS_KEY", "no-secret")
        .env("AWS_EC2_METADATA_DISABLED", "true")
        .env_remove("TABIYA_CLUSTER_SECRET");
    command
}

pub(crate) fn games_of_all_kinds() -> Vec<PathBuf> {
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

/// The Parquet files in a folder and its folders.
pub(crate) fn parquet_files(folder: &Path) -> Vec<PathBuf> {
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
