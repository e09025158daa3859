//! The law of mutations through the program: what `convert --verify` says of a file agrees with its exit code.
//!
//! `TABIYA_MUTATIONS` says how many files are tried, `TABIYA_FIRST_MUTATION` with which one they begin.

#![allow(clippy::print_stderr)] // How many conversions there were is said aloud.

use std::path::Path;
use std::process::{Command, Stdio};

use tabiya_formats::pgn;

#[path = "../../../formats/tests/games/mod.rs"]
#[expect(
    dead_code,
    reason = "only the dice and a part of the games are used here"
)]
mod games;

#[path = "../../../formats/tests/laws/mutations/texts.rs"]
mod texts;

const TARGETS: [&str; 9] = [
    "pgn", "si5", "si4", "ndjson", "cbf", "cbh", "2cbh", "sql", "cdp",
];

/// What is wrong with the answer of the program, if anything is; and how it ended.
fn convert(folder: &Path, extension: &str) -> (i32, Option<String>) {
    let target = format!("out.{extension}");
    let output = Command::new(env!("CARGO_BIN_EXE_tabiya"))
        .current_dir(folder)
        .args(["convert", "--force", "--verify", "mutated.pgn", &target])
        .stdin(Stdio::null())
        .output()
        .expect("the program starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let says = |words: &str| said.contains(words);
    let code = output.status.code().unwrap_or(-1);
    let nothing_lost = says(", nothing lost");
    let bad = says("not the same:") || says("panicked");
    let is_told = says(" lost: ") || says("damaged: everything that could be read was kept");
    let agrees = match code {
        0 => nothing_lost && !is_told,
        2 => !nothing_lost && says("error:"),
        3 => !nothing_lost && is_told,
        _ => false,
    };
    let fault = (bad || !agrees).then(|| format!("{extension} ended with {code}: {said}"));
    (code, fault)
}

#[test]
fn what_is_said_of_a_mutated_file_is_true() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = tabiya_testing::number_of("TABIYA_FIRST_MUTATION", 0);
    let count = tabiya_testing::number_of("TABIYA_MUTATIONS", 40);
    let mut faults = Vec::new();
    let mut ends = [0_u64; 4];
    for seed in first..first + count {
        let text = texts::mutated(seed);
        std::fs::write(folder.path().join("mutated.pgn"), &text).expect("written");
        for extension in TARGETS {
            let (code, fault) = convert(folder.path(), extension);
            if let Some(end) = usize::try_from(code)
                .ok()
                .and_then(|code| ends.get_mut(code))
            {
                *end += 1;
            }
            let shown = || String::from_utf8_lossy(&text);
            faults.extend(fault.map(|fault| format!("seed {seed}: {fault}of {:?}", shown())));
        }
    }
    eprintln!(
        "{} conversions: {} ended with 0, {} with 2, {} with 3",
        ends.iter().sum::<u64>(),
        ends[0],
        ends[2],
        ends[3]
    );
    assert!(ends[0] > 0 && ends[3] > 0, "both ends are met: {ends:?}");
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults
            .iter()
            .take(20)
            .cloned()
            .collect::<Vec<_>>()
            .join("\n")
    );
}
