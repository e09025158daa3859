//! Every command that answers programs says what `docs/json.schema.json` describes.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tabiya::engine::program_path;
use tabiya_testing::answers::AnswerSchemas;

/// Games that make each command say something: doubles, a name in two ways, an event, a damaged game.
const GAMES: &str = "[Event \"Open\"]\n[Site \"Riga\"]\n[Date \"1960.01.02\"]\n[Round \"1\"]\n[White \"Tal, Mikhail\"]\n[Black \"Ivanov, Ivan\"]\n[Result \"1-0\"]\n[WhiteElo \"2700\"]\n[BlackElo \"2500\"]\n[ECO \"B96\"]\n\n1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 6. Bg5 e6 7. f4 Qb6 8. Qd2 Qxb2 9. Rb1 Qa3 10. f5 Nc6 11. fxe6 fxe6 12. Nxc6 bxc6 1-0\n\n\
[Event \"Open\"]\n[Site \"Riga\"]\n[Date \"1960.01.02\"]\n[Round \"1\"]\n[White \"Tal, Mikhail\"]\n[Black \"Ivanov, Ivan\"]\n[Result \"1-0\"]\n\n1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 6. Bg5 e6 7. f4 Qb6 8. Qd2 Qxb2 9. Rb1 Qa3 10. f5 Nc6 11. fxe6 fxe6 1-0\n\n\
[Event \"Open\"]\n[Site \"Riga\"]\n[Date \"1961.01.02\"]\n[Round \"2\"]\n[White \"Petrov, Petr\"]\n[Black \"Tal, Mikhail\"]\n[Result \"1-0\"]\n[WhiteElo \"2400\"]\n[BlackElo \"2700\"]\n\n1. e4 {[%clk 0:01:00]} c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 g6 1-0\n\n\
[Event \"Match\"]\n[Site \"Riga\"]\n[Date \"1961.01.03\"]\n[Round \"3\"]\n[White \"Tal, M\"]\n[Black \"Popov, P\"]\n[Result \"*\"]\n\n1. d4 d5 2. c4 e6 3. Nc3 *\n\n\
[Event \"Damaged\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"*\"]\n\n1. e4 e5 2. Ke3 Nf6 *\n\n";

/// A command, and the answers that its lines are; the last one stands for all lines that follow, and one alone may be the whole output.
const COMMANDS: &[(&[&str], &str)] = &[
    (
        &[
            "identify",
            "a.pgn",
            "other.abk",
            ".",
            "b.si4",
            "b.sg4",
            "nothing.xyz",
        ],
        "IdentityAnswer",
    ),
    (&["databases", "DBItems.cbini"], "WindowDatabaseAnswer"),
    (&["info", "--json", "a.pgn"], "InfoAnswer"),
    (&["info", "--full", "a.pgn", "b.si4"], "InfoAnswer"),
    (&["convert", "a.pgn", "f.si4"], "ConversionAnswer"),
    (&["repair", "a.pgn", "-o", "g.pgn"], "ConversionAnswer"),
    (&["ls", "a.pgn"], "GameRowAnswer"),
    (&["search", "a.pgn", "white:Tal"], "MatchRowAnswer"),
    (
        &["search", "a.pgn", "b.si4", "line:\"1.e4 c5\""],
        "MatchRowAnswer",
    ),
    (&["check", "a.pgn"], "SourceFindingAnswer"),
    (
        &["diff", "a.pgn", "c.pgn"],
        "DifferenceAnswer or DiffAnswer",
    ),
    (&["explore", "a.pgn"], "ExplorerAnswer"),
    (&["explore", "a.pgn", "--line", "1.e4 c5"], "ExplorerAnswer"),
    (
        &["book", "a.pgn", "-o", "h.bin", "--min-games", "1"],
        "BookAnswer",
    ),
    (&["explore", "a.pgn", "h.bin"], "ExplorerAnswer"),
    (&["eco", "a.pgn"], "EcoRowAnswer"),
    (&["formats"], "list of FormatAnswer"),
    (&["formats", "si4"], "FormatAnswer"),
    (&["stats", "a.pgn", "--full"], "StatisticsAnswer"),
    (&["dedupe", "a.pgn"], "DuplicatePairAnswer"),
    (&["novelty", "a.pgn"], "NoveltyAnswer"),
    (&["deepest", "a.pgn"], "NoveltyAnswer"),
    (&["crosstable", "a.pgn"], "EventsAnswer"),
    (&["names", "a.pgn"], "NamesAnswer"),
    (&["player", "Tal", "a.pgn"], "PlayerAnswer"),
    (
        &["repertoire", "check", "a.pgn", "--with", "r.pgn"],
        "RepertoireGameAnswer",
    ),
    (
        &[
            "repertoire",
            "check",
            "a.pgn",
            "--with",
            "r.pgn",
            "--summary",
        ],
        "RepertoireLineAnswer",
    ),
    (
        &[
            "repertoire",
            "gaps",
            "r.pgn",
            "--reference",
            "a.pgn",
            "--min-games",
            "1",
            "--share",
            "0",
        ],
        "RepertoireGapAnswer",
    ),
    (
        &["repertoire", "conflicts", "r.pgn"],
        "RepertoireConflictAnswer",
    ),
    (
        &["repertoire", "coverage", "r.pgn", "--reference", "a.pgn"],
        "RepertoireCoverageAnswer",
    ),
    (
        &["repertoire", "show", "r.pgn", "--reference", "a.pgn"],
        "RepertoirePositionAnswer",
    ),
    (
        &["repertoire", "due", "r.pgn", "--all", "--log", "none.log"],
        "RepertoireCardAnswer",
    ),
    (&["mistakes", "a.pgn", "--player", "Tal"], "MistakesAnswer"),
];

/// A repertoire with two answers to one move.
const REPERTOIRE: &str =
    "[Repertoire \"white\"]\n\n1. e4 c5 (1... e5 2. Nf3 (2. Bc4 $2)) 2. Nf3 (2. c3) *\n";

fn run(folder: &Path, args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_tabiya"))
        .args(args)
        .current_dir(folder)
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    let code = output.status.code();
    assert!(matches!(code, Some(0 | 1 | 3)), "{args:?}: {code:?} {said}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The values of an output: one that spans lines, or one a line.
fn values(text: &str) -> Vec<Value> {
    match serde_json::from_str(text) {
        Ok(whole) => vec![whole],
        Err(_) => {
            let lines = text.lines().map(serde_json::from_str);
            lines.map(|line| line.expect("JSON")).collect()
        }
    }
}

/// Judges the values of an output; those of a list are judged one by one.
fn judge(
    schemas: &AnswerSchemas,
    seen: &mut BTreeSet<String>,
    what: &str,
    names: &str,
    text: &str,
) {
    let mut all = values(text);
    let mut names = names.to_owned();
    if let Some(name) = names.strip_prefix("list of ") {
        all = all
            .first()
            .and_then(Value::as_array)
            .expect("a list")
            .clone();
        names = name.to_owned();
    }
    assert!(!all.is_empty(), "{what}: it says nothing");
    for value in all {
        let mut faults = Vec::new();
        for name in names.split(" or ") {
            let found = schemas.faults(name, &value);
            if found.is_empty() {
                seen.insert(name.to_owned());
                faults.clear();
                break;
            }
            faults.extend(found);
        }
        assert!(faults.is_empty(), "{what}: {faults:#?}\n{value}");
    }
}

/// What needs an engine, where there is one.
fn with_engine(schemas: &AnswerSchemas, seen: &mut BTreeSet<String>, at: &Path) {
    let names = ["AnalysisAnswer", "PuzzleAnswer"];
    let Some(engine) = program_path::program(program_path::USUAL) else {
        tabiya_testing::skip("no engine is installed: analyse and tactics are not judged");
        seen.extend(names.map(str::to_owned));
        return;
    };
    let engine = engine.to_string_lossy().into_owned();
    let nodes = ["--engine", &engine, "--nodes", "2000"];
    let args = [
        &[
            "analyse",
            "a.pgn",
            "-o",
            "d.pgn",
            "--report",
            "analysis.json",
        ][..],
        &nodes,
    ];
    run(at, &args.concat());
    let report = std::fs::read_to_string(at.join("analysis.json")).expect("a report");
    judge(schemas, seen, "analyse", names[0], &report);
    let mates = "[Result \"1-0\"]\n\n1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0\n";
    std::fs::write(at.join("mates.pgn"), mates).expect("a file");
    let text = run(at, &["tactics", "mates.pgn", "--json", "--engine", &engine]);
    judge(schemas, seen, "tactics", names[1], &text);
}

#[test]
fn every_command_answers_programs_as_described() {
    let schemas = AnswerSchemas::of_commands();
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    std::fs::write(at.join("a.pgn"), GAMES).expect("a file");
    std::fs::write(at.join("r.pgn"), REPERTOIRE).expect("a file");
    std::fs::write(at.join("other.abk"), "nothing of ours").expect("a file");
    std::fs::write(at.join("nothing.xyz"), "nothing at all").expect("a file");
    std::fs::write(at.join("DBItems.cbini"), window_list()).expect("a file");
    let one = GAMES
        .split_inclusive("\n\n[Event")
        .next()
        .unwrap_or_default();
    let changed = one.trim_end_matches("[Event").replace("Riga", "Tallinn");
    std::fs::write(at.join("c.pgn"), changed).expect("a file");
    let mut seen = BTreeSet::new();

    run(
        at,
        &[
            "convert",
            "a.pgn",
            "b.si4",
            "--report",
            "copy.json",
            "--verify",
        ],
    );
    let copy = std::fs::read_to_string(at.join("copy.json")).expect("a report");
    judge(&schemas, &mut seen, "convert", "ConversionAnswer", &copy);
    for (args, names) in COMMANDS {
        let mut args = args.to_vec();
        if !args.contains(&"--json") {
            args.push("--json");
        }
        let text = run(at, &args);
        judge(&schemas, &mut seen, &args.join(" "), names, &text);
    }
    for shape in ["masters", "lichess", "player"] {
        let text = run(
            at,
            &["explore", "a.pgn", "--player", "Tal", "--json", shape],
        );
        judge(&schemas, &mut seen, shape, "ExplorerAnswer", &text);
    }
    let tree = run(
        at,
        &["explore", "a.pgn", "--tree", "json", "--min-games", "1"],
    );
    judge(
        &schemas,
        &mut seen,
        "explore --tree",
        "ExplorerTreeAnswer",
        &tree,
    );
    std::fs::write(at.join("names.ssp"), "@PLAYER\nTal, Mikhail\n= Tal, M\n").expect("a file");
    let applied = run(
        at,
        &[
            "names",
            "a.pgn",
            "--apply",
            "names.ssp",
            "-o",
            "e.pgn",
            "--json",
        ],
    );
    judge(
        &schemas,
        &mut seen,
        "names --apply",
        "NameCorrectionAnswer",
        &applied,
    );
    with_engine(&schemas, &mut seen, at);

    let mut described: BTreeSet<String> = schemas.names("commands").into_iter().collect();
    // The program for sites answers with it, and its own tests judge that.
    assert!(described.remove("FetchAnswer"));
    let unseen: Vec<&String> = described.difference(&seen).collect();
    assert!(unseen.is_empty(), "no command has answered with {unseen:?}");
}

/// The list of the databases that ChessBase shows, with one that is there and one that is not.
fn window_list() -> Vec<u8> {
    let text = |text: &str| {
        let length = u32::try_from(text.len()).expect("short");
        [&length.to_le_bytes()[..], text.as_bytes()].concat()
    };
    let mut items = [&[0xff][..], &text("Databases")].concat();
    for (path, value) in [
        ("a.pgn", "First, and best,0,3,2,5,1037620,1037559"),
        ("D:\\gone.2cbh", "Gone,0,28,7,1,0,0"),
    ] {
        items.push(0x19);
        items.extend(text(value));
        items.extend(text(path));
    }
    let length = u32::try_from(items.len()).expect("short");
    [&[0x0c, 0x0b, 0x0a, 0x0e][..], &length.to_be_bytes(), &items].concat()
}

/// A command that is new, or that answers programs from now on, is judged as well.
#[test]
fn every_command_with_json_is_judged() {
    let text = include_str!("../../../../docs/cli.md");
    // Of commands that have commands of their own, both words.
    let judged: BTreeSet<String> = COMMANDS
        .iter()
        .flat_map(|(args, _)| {
            let both = args.get(..2).map(|both| both.join(" "));
            args.first()
                .map(|first| (*first).to_owned())
                .into_iter()
                .chain(both)
        })
        .collect();
    let mut command = "";
    let mut count = 0;
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("## tabiya ") {
            command = name;
        }
        // A game as a whole has a schema of its own, and tactics needs an engine.
        if line.trim_start().starts_with("--json") && !["cat", "tactics"].contains(&command) {
            count += 1;
            assert!(
                judged.contains(command),
                "tabiya {command} --json is not judged"
            );
        }
    }
    assert!(count >= 16, "{count}");
}
