//! `convert --verify` beside every other option: what an option asks for is no difference, and hides none.
//!
//! The options of formats are those that they declare; those of the command itself stand here.

#![allow(clippy::print_stderr)] // What was refused is said aloud.

use std::path::Path;
use std::process::{Command, Stdio};

use tabiya_formats::options::{FormatOption, OptionArgument};
use tabiya_formats::registry::FORMATS;

/// Games with something of everything that an option may ask for.
const RICH: &str = r#"[Event "Rich"]
[Site "Paris"]
[Date "2001.02.03"]
[Round "1"]
[White "Tal, Mihail"]
[Black "Müller"]
[Result "1-0"]
[ECO "C41"]
[WhiteElo "2700"]
[Annotator "x"]
[Annotator "y"]
[Note "a"]

{Before} 1. e4 $1 {[%clk 0:10:00] [%csl Gd4,Re5][%cal Re2e4] see} e5 $2 $13 (1... c5 $5 {why} 2. Nf3
(2. c3 d5) 2... d6) 2. Nf3 {[%draw arc,g1,f3,red] two  spaces} 2... Nc6 {[%eval 0.3] [%emt 0:00:05]} 3. Bb5 a6
4. Bxc6 dxc6 5. O-O Bg4 6. h3 h5 {so} 7. Re1 Qf6 $6 1-0

[Event "From a position"]
[Site "?"]
[Date "????.??.??"]
[Round "?"]
[White "A"]
[Black "B"]
[Result "*"]
[SetUp "1"]
[FEN "4k3/P7/8/8/8/8/p7/R3K3 w Q - 3 20"]

20. a8=N+ {check} (20. a8=Q+ Kd7 21. O-O-O+) 20... Kd7 21. Nb6+ *

[Event "No set-up tag"]
[Site "?"]
[Date "????.??.??"]
[Round "?"]
[White "A"]
[Black "B"]
[Result "0-1"]
[FEN "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1"]

1... Kd7 2. e4 Kd6 0-1

[Event "Another game"]
[Site "?"]
[Date "2001.??.??"]
[Round "2"]
[White "C"]
[Black "D"]
[Result "1/2-1/2"]
[Variant "Chess960"]
[FEN "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9"]
[SetUp "1"]

9. Nf3 Nd7 10. Ng5 {[%csl Ya1]} 1/2-1/2

[Event "Two results"]
[Site "?"]
[Date "????.??.??"]
[Round "?"]
[White "E"]
[Black "F"]
[Result "1-0"]

1. d4 d5 2. c4 0-1

[Event ""]
[Site "?"]
[Date "????.??.??"]
[Round "?"]
[White ""]
[Black "G"]
[Result "1/2"]
[SetUp "0"]

1. e4 -- 2. d4 e9 xyzzy {rest} *
"#;

/// Values to be tried with an option.
fn tries(option: &FormatOption) -> Vec<Vec<String>> {
    let name = format!("--{}", option.name);
    let with = |value: &str| vec![name.clone(), value.to_owned()];
    match (option.takes, option.name) {
        (OptionArgument::Nothing, _) => vec![vec![name.clone()]],
        (OptionArgument::OneOf(words), _) => words.iter().map(|(word, _)| with(word)).collect(),
        (OptionArgument::Number(_), _) => ["0", "1", "2", "40"].into_iter().map(with).collect(),
        (OptionArgument::List(_), _) => [
            "roster",
            "White",
            "Annotator,Nothing",
            "FEN",
            "Event,Result",
        ]
        .into_iter()
        .map(with)
        .collect(),
        (OptionArgument::Text(_), "pieces") => ["figurine", "german", "french", "KDTLS"]
            .into_iter()
            .map(with)
            .collect(),
        (OptionArgument::Text(_), "piece-letters") => vec![with("KDTLS"), with("RDTFC")],
        (OptionArgument::Text(_), other) => panic!("{other}: no values to be tried"),
    }
}

/// Options of the command itself that change what is written.
const OF_THE_COMMAND: [&[&str]; 44] = [
    &[],
    &["--strip", "comments"],
    &["--strip", "variations,nags"],
    &["--strip", "clocks,evaluations,marks"],
    &["--strip", "tag:FEN"],
    &["--strip", "tag:Result"],
    &["--keep", "comments"],
    &["--keep", "tag:White"],
    &["--cut", "..2"],
    &["--cut", "2.."],
    &["--cut-before", "why"],
    &["--set", "Event=New"],
    &["--set", "Result=0-1"],
    &["--set", "Event="],
    &["--rename-tag", "Note=Remark"],
    &["--rename-tag", "ECO=Code"],
    &["--tag-order", "Round,White"],
    &["--fix-results"],
    &["--compute", "eco,opening,ply-count,material"],
    &["--compute", "final-fen,position-hash,moves-hash"],
    &["--fen-comments"],
    &["--fen-comments=end"],
    &["--hash-comments=2"],
    &["--times", "emt"],
    &["--times", "clk"],
    &["--query", "white:Tal"],
    &["--query", "white:Tal", "--variations"],
    &["--skip-deleted"],
    &["--unfinished"],
    &["--description", "text"],
    &["--database-type", "3"],
    &["--autoload", "2"],
    &["--flag-labels", "a,b"],
    &["--target-encoding", "cp1252"],
    &["--target-encoding", "cp1251"],
    &["--encoding", "cp1251"],
    &["--redecode", "cp1252:utf-8"],
    &["--redecode", "cp1252:cp1251"],
    &["--no-mmap"],
    &["--max-ratio", "100000"],
    &["--max-window", "100000000"],
    &["--nested-comments"],
    &["--jobs", "1"],
    &["--report", "report.json"],
];

/// Options that choose games by their places among others, or write none: the program refuses to compare.
const REFUSED: [&[&str]; 8] = [
    &["--unique"],
    &["--sort", "white"],
    &["--only", "1-2"],
    &["--first", "2"],
    &["--sample", "2"],
    &["--split-by", "year"],
    &["--rest", "rest.pgn", "--query", "white:Tal"],
    &["--positions", "last"],
];

/// What the program says, and how it ends.
fn convert(folder: &Path, target: &str, options: &[&str]) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_tabiya"))
        .current_dir(folder)
        .args(["convert", "--force", "--verify"])
        .args(options)
        .args(["rich.pgn", target])
        .stdin(Stdio::null())
        .output()
        .expect("the program starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code().unwrap_or(-1), said)
}

#[test]
fn what_an_option_asks_for_is_no_difference() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("rich.pgn"), RICH).expect("written");
    let mut faults = Vec::new();
    let mut runs = 0;
    let mut seen = Vec::new();
    let mut run = |target: &str, options: &[&str]| {
        runs += 1;
        let (code, said) = convert(folder.path(), target, options);
        let is_verified =
            matches!(code, 0 | 3) && said.contains("verified, no unreported difference");
        if is_verified {
            return;
        }
        // Two options may contradict each other, which is told before anything is done.
        let is_refused =
            code == 2 && (said.contains("keep one of them") || said.contains("is not possible"));
        if !is_refused {
            faults.push(format!("{options:?} to {target}: {code}: {said}"));
        }
    };
    for format in FORMATS {
        let is_written = format.create.is_some() && format.open.is_some();
        let extension = format.extensions.first().copied().unwrap_or("");
        if !is_written || ["fbk", "bin", "abk"].contains(&extension) {
            continue;
        }
        let target = match format.name {
            "lake" => "out.lake/".to_owned(),
            _ => format!("out.{extension}"),
        };
        // How a lake spreads games over files is said below.
        let plain: &[&str] = match format.name {
            "lake" => &["--partition", "none"],
            _ => &[],
        };
        run(&target, plain);
        for option in format
            .write_options
            .iter()
            .filter(|it| it.name != "partition")
        {
            for options in tries(option) {
                let mut options: Vec<&str> = options.iter().map(String::as_str).collect();
                options.extend_from_slice(plain);
                run(&target, &options);
            }
        }
        seen.push(format.name);
    }
    for option in FORMATS.iter().flat_map(|format| format.open_options) {
        for options in tries(option) {
            let options: Vec<&str> = options.iter().map(String::as_str).collect();
            run("out.pgn", &options);
        }
    }
    for options in OF_THE_COMMAND {
        run("out.pgn", options);
        run("out.si5", options);
    }
    assert!(seen.len() > 7, "{seen:?}");
    assert!(
        faults.is_empty(),
        "{} of {runs}:\n{}",
        faults.len(),
        faults.join("\n")
    );
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("rich.pgn"), RICH).expect("written");
    for options in REFUSED {
        let (code, said) = convert(folder.path(), "out.pgn", options);
        assert_eq!(code, 2, "{options:?}: {said}");
        assert!(said.contains("--verify"), "{options:?}: {said}");
    }
}

#[test]
fn what_an_option_leaves_alone_is_still_compared() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("rich.pgn"), RICH).expect("written");
    // Without its tags a game from a position can still be played.
    let (code, said) = convert(folder.path(), "out.pgn", &["--no-tags"]);
    assert!(matches!(code, 0 | 3), "{said}");
    let text = std::fs::read_to_string(folder.path().join("out.pgn")).expect("written");
    assert!(
        text.contains("[FEN \"4k3/P7/8/8/8/8/p7/R3K3 w Q - 3 20\"]"),
        "{text}"
    );
    assert!(text.contains("[Variant \"Chess960\"]"), "{text}");
    assert!(!text.contains("[White "), "{text}");
    // Marks are translated, and the comments around them stay.
    let (_, said) = convert(folder.path(), "out.pgn", &["--marks", "scid"]);
    assert!(!said.contains("not the same"), "{said}");
    let text = std::fs::read_to_string(folder.path().join("out.pgn")).expect("written");
    assert!(
        text.contains("[%draw ") && !text.contains("[%cal "),
        "{text}"
    );
    // Of a name that stands there twice, both are written where it is asked for.
    convert(folder.path(), "out.pgn", &["--tags", "Annotator"]);
    let text = std::fs::read_to_string(folder.path().join("out.pgn")).expect("written");
    assert!(
        text.contains("[Annotator \"x\"]\n[Annotator \"y\"]"),
        "{text}"
    );
}
