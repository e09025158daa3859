//! The tools for language models, as a client starts them: the examples of the page, conversations beside the command line and
//! python-chess, and the official client.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};
use tabiya_testing::{TestRandom, python_with, seed, skip};

use crate::program::{tabiya, text};

/// The program with its tools, and what is said to it and by it.
struct ToolProgram {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    count: u64,
}

impl ToolProgram {
    fn start(folder: &Path, more: &[&str]) -> ToolProgram {
        ToolProgram::with_engines(folder, more, Path::new("/no/such/file"))
    }

    /// The same with engines of a settings file. Those of whoever runs the tests are none of theirs.
    fn with_engines(folder: &Path, more: &[&str], engines: &Path) -> ToolProgram {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tabiya"))
            .arg("mcp")
            .arg(folder)
            .args(more)
            .env("TABIYA_ENGINES", engines)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it runs");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("an output"));
        ToolProgram {
            child,
            input,
            output,
            count: 0,
        }
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.count += 1;
        let message =
            json!({ "jsonrpc": "2.0", "id": self.count, "method": method, "params": params });
        writeln!(self.input.as_mut().expect("open"), "{message}").expect("sent");
        let mut line = String::new();
        self.output.read_line(&mut line).expect("an answer");
        assert!(line.len() < 50_001, "{} bytes", line.len());
        let answer: Value = serde_json::from_str(&line).expect("JSON");
        assert_eq!(answer["id"], self.count);
        answer
    }

    /// What a tool says, be it a job.
    fn told(&mut self, name: &str, arguments: &Value) -> Value {
        let params = json!({ "name": name, "arguments": arguments });
        let answer = self.ask("tools/call", &params);
        let result = &answer["result"];
        assert_eq!(result["isError"], false, "{name} {arguments}: {answer}");
        result["structuredContent"].clone()
    }

    /// Why a tool refuses. A job is waited for: on a busy machine the refusal may come after its id.
    fn refusal(&mut self, name: &str, arguments: &Value) -> Value {
        let params = json!({ "name": name, "arguments": arguments });
        let answer = self.ask("tools/call", &params);
        let result = &answer["result"];
        let job = &result["structuredContent"]["job"];
        if job["state"] == "running" {
            return self.refusal("job", &json!({ "job": job["id"] }));
        }
        assert_eq!(result["isError"], true, "{name} {arguments}: {answer}");
        serde_json::from_str(result["content"][0]["text"].as_str().expect("a text")).expect("JSON")
    }

    /// The answer of a tool; a job is waited for.
    fn call(&mut self, name: &str, arguments: &Value) -> Value {
        let mut told = self.told(name, arguments);
        while let Some(job) = told["job"]["id"].as_str().map(str::to_owned) {
            if told["answer"].is_object() {
                return told["answer"].clone();
            }
            told = self.told("job", &json!({ "job": job }));
        }
        told
    }

    /// Ends as a client ends it: by closing the input.
    fn end(mut self) {
        drop(self.input.take());
        assert!(self.child.wait().expect("it ends").success());
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A folder with the games of the documentation.
fn classics() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let from = root().join("docs/samples/classics.pgn");
    std::fs::copy(from, folder.path().join("classics.pgn")).expect("copied");
    folder
}

#[test]
fn the_examples_of_the_page_lead_to_what_is_said_there() {
    let page = std::fs::read_to_string(root().join("docs/mcp.md")).expect("the page");
    let (_, examples) = page.split_once("## Ten questions").expect("the examples");
    let (examples, _) = examples.split_once("\n## ").expect("an end");
    assert_eq!(examples.matches("\n### ").count(), 10);
    let folder = classics();
    let mut tools = ToolProgram::start(folder.path(), &["--allow-edits"]);
    let mut lines = examples.lines();
    let (mut calls, mut parts) = (0, 0);
    let mut told = Value::Null;
    while let Some(line) = lines.next() {
        if line == "```json" {
            let call: Value = serde_json::from_str(lines.next().expect("a call")).expect("JSON");
            told = tools.call(call["name"].as_str().expect("a name"), &call["arguments"]);
            calls += 1;
        } else if let Some(part) = line.strip_prefix("* `") {
            let (pointer, value) = part.split_once("` is `").expect("a part");
            let value: Value = serde_json::from_str(value.trim_end_matches('`')).expect("JSON");
            assert_eq!(told.pointer(pointer), Some(&value), "{pointer} in {told:#}");
            parts += 1;
        }
    }
    assert!(calls >= 12 && parts >= 15, "{calls} calls, {parts} parts");
    let before = std::fs::read(root().join("docs/samples/classics.pgn")).expect("read");
    assert_eq!(
        std::fs::read(folder.path().join("classics.pgn")).expect("read"),
        before
    );
    tools.end();
}

/// What the command line says, each line as a value; the same words are run once.
#[derive(Default)]
struct CommandAnswers(BTreeMap<String, Vec<Value>>);

impl CommandAnswers {
    fn of(&mut self, folder: &Path, args: &[&str]) -> Vec<Value> {
        let key = args.join("\u{1f}");
        if let Some(known) = self.0.get(&key) {
            return known.clone();
        }
        let output = tabiya(folder, args);
        let told: Vec<Value> = text(&output)
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect();
        self.0.insert(key, told.clone());
        told
    }

    fn one(&mut self, folder: &Path, args: &[&str]) -> Value {
        self.of(folder, args).first().cloned().unwrap_or_default()
    }
}

/// The explorer's answer of the command line, with its moves in letters alone as tools tell them. The judge knows the letters from
/// the list of moves.
fn in_letters(answer: &mut Value) {
    let mut letters = BTreeMap::new();
    for told in answer["moves"].as_array_mut().expect("moves") {
        let fields = told.as_object_mut().expect("a move");
        let uci = fields.remove("uci").expect("its squares").to_string();
        letters.insert(uci, fields["san"].clone());
    }
    let san = |game: &mut Value| {
        if let Some(fields) = game.as_object_mut() {
            let uci = fields.remove("uci").expect("its squares").to_string();
            fields.insert(
                "san".to_owned(),
                letters.get(&uci).cloned().unwrap_or_default(),
            );
        }
    };
    for told in answer["moves"].as_array_mut().expect("moves") {
        san(&mut told["game"]);
    }
    for list in ["topGames", "recentGames"] {
        answer[list]
            .as_array_mut()
            .into_iter()
            .flatten()
            .for_each(san);
    }
}

const QUERIES: [&str; 16] = [
    "ends:mate",
    "eco:C",
    "white:Anderssen",
    "player:Kasparov",
    "result:0-1",
    "result:1/2-1/2",
    "date:1850..1870",
    "plies:..50",
    "event:\"World Championship\"",
    "player:Lasker result:1-0",
    "not result:1-0",
    "elo:2700..",
    "player:Nobody",
    "comment:brilliant",
    "eco:B or eco:D",
    "black:Nimzowitsch",
];
const LEAVING: [&str; 5] = [
    "leaves:white.pgn",
    "leaves[by me]:white.pgn",
    "leaves[by opponent, after 3]:white.pgn",
    "leaves[by nobody]:white.pgn",
    "repertoire[until 6]:white.pgn",
];
const PLAYERS: [&str; 10] = [
    "Morphy",
    "Kasparov",
    "Lasker",
    "Anderssen",
    "Capablanca",
    "Fischer",
    "Nimzowitsch",
    "Carlsen",
    "Karpov",
    "Reti",
];
const STATISTICS: [&str; 6] = [
    "results", "years", "openings", "players", "events", "lengths",
];

#[test]
fn two_hundred_conversations_say_what_the_command_line_says() {
    let folder = classics();
    let at = folder.path();
    let beside = classics();
    let lines = beside.path();
    let white = root().join("docs/samples/white.pgn");
    std::fs::copy(white, lines.join("white.pgn")).expect("copied");
    let copies = tempfile::tempdir().expect("a folder");
    let mut repertoire_tools = ToolProgram::start(lines, &[]);
    let mut tools = ToolProgram::start(at, &[]);
    let mut commands = CommandAnswers::default();
    let mut random = TestRandom::new(seed());
    let mut judged = Vec::new();
    for round in 0..200 {
        let number = 1 + random.below(37) as u64;
        let shown = number.to_string();
        let game = tools.call("game", &json!({ "game": number }));
        let moves: Vec<&str> = (game["nodes"].as_array().expect("nodes").iter())
            .filter(|node| node["main"] == true)
            .filter_map(|node| node["san"].as_str())
            .collect();
        let from_start = game["nodes"][0]["fen"]
            .as_str()
            .expect("a start")
            .to_owned();
        let line = moves[..random.below(moves.len().min(24) + 1)].join(" ");
        match round % 10 {
            0 => {
                let query = *random.pick(&QUERIES);
                let found = tools.call("search", &json!({ "query": query, "limit": 50 }));
                let told = commands.of(at, &["search", "classics.pgn", query, "--json"]);
                assert_eq!(found["rows"], Value::from(told.clone()), "{query}");
                assert_eq!(found["total"], told.len(), "{query}");
                // A page is a part of it.
                let page = tools.call("search", &json!({ "query": query, "limit": 2, "from": 1 }));
                let part: Vec<Value> = told.iter().skip(1).take(2).cloned().collect();
                assert_eq!(page["rows"], Value::from(part), "{query}");
            }
            1 => {
                let mut told = commands.one(
                    at,
                    &[
                        "explore",
                        "classics.pgn",
                        "--fen",
                        &from_start,
                        "--line",
                        &line,
                        "--json",
                        "lichess",
                        "-n",
                        "200",
                        "--top-games",
                        "4",
                        "--recent-games",
                        "4",
                    ],
                );
                let mut answer = tools.call(
                    "explore",
                    &json!({ "fen": from_start, "line": line, "limit": 200 }),
                );
                let fields = answer.as_object_mut().expect("fields");
                assert_eq!(fields.remove("bases"), Some(json!(["classics.pgn"])));
                fields.remove("notes");
                in_letters(&mut told);
                assert_eq!(answer, told, "{line}");
            }
            2 => {
                let name = *random.pick(&PLAYERS);
                let told = commands.one(at, &["player", name, "classics.pgn", "--json"]);
                assert_eq!(
                    tools.call("player", &json!({ "name": name })),
                    told,
                    "{name}"
                );
            }
            3 => {
                let name = *random.pick(&STATISTICS);
                let query = *random.pick(&QUERIES[..10]);
                let told = commands.one(
                    at,
                    &[
                        "stats",
                        "classics.pgn",
                        "--only",
                        name,
                        "--query",
                        query,
                        "-n",
                        "10",
                        "--json",
                    ],
                );
                let answer = tools.call("stats", &json!({ "only": [name], "query": query }));
                assert_eq!(answer, told, "{name} {query}");
            }
            4 => {
                let told = commands.one(
                    at,
                    &["crosstable", "classics.pgn", "--game", &shown, "--json"],
                );
                assert_eq!(
                    tools.call("crosstable", &json!({ "of_game": number })),
                    told,
                    "{number}"
                );
            }
            5 => {
                let told = commands.of(
                    at,
                    &["novelty", "classics.pgn", "--games", &shown, "--json"],
                );
                let answer = tools.call("novelty", &json!({ "games": shown }));
                assert_eq!(answer["novelties"], Value::from(told), "{number}");
            }
            6 => {
                let told = commands.of(at, &["dedupe", "classics.pgn", "--json"]);
                let answer = tools.call("duplicates", &json!({}));
                assert_eq!(answer["pairs"], Value::from(told));
                let told = commands.one(at, &["info", "classics.pgn", "--json"]);
                let mut answer = tools.call("bases", &json!({ "base": "classics.pgn" }))["bases"]
                    [0]["info"]
                    .clone();
                // The command says the path as it was given.
                answer["files"][0]["path"] = told["files"][0]["path"].clone();
                answer["name"] = told["name"].clone();
                assert_eq!(answer, told);
            }
            7 => {
                let asked = [
                    "repertoire",
                    "check",
                    "classics.pgn",
                    "--with",
                    "white.pgn",
                    "--games",
                    &shown,
                ];
                let told = commands.of(lines, &[&asked[..], &["--json"]].concat());
                let summary = commands.of(lines, &[&asked[..], &["--summary", "--json"]].concat());
                let arguments =
                    json!({ "repertoire": "white.pgn", "bases": ["classics.pgn"], "games": shown });
                let answer = repertoire_tools.call("repertoire_check", &arguments);
                let one = &answer["repertoires"][0];
                assert_eq!(one["rows"], Value::from(told), "{number}");
                assert_eq!(one["lines"], Value::from(summary), "{number}");
                let query = *random.pick(&LEAVING);
                let found = commands.of(lines, &["search", "classics.pgn", query, "--json"]);
                let arguments = json!({ "query": query, "bases": ["classics.pgn"], "limit": 50 });
                let answer = repertoire_tools.call("search", &arguments);
                assert_eq!(answer["rows"], Value::from(found), "{query}");
            }
            8 => {
                let format = *random.pick(&["cbf", "si4", "ndjson", "pgn"]);
                let path = copies.path().join(format!("copy{round}.{format}"));
                let report = copies.path().join("report.json");
                let (path, report_path) =
                    (path.display().to_string(), report.display().to_string());
                tabiya(
                    at,
                    &["convert", "classics.pgn", &path, "--report", &report_path],
                );
                let mut told: Value =
                    serde_json::from_slice(&std::fs::read(&report).expect("a report"))
                        .expect("JSON");
                let answer = tools.call(
                    "convert",
                    &json!({ "bases": ["classics.pgn"], "format": format }),
                );
                let mut report = answer["report"].clone();
                // It was written elsewhere.
                for name in ["target", "files"] {
                    for one in [&mut told, &mut report] {
                        one.as_object_mut().expect("fields").remove(name);
                    }
                }
                assert_eq!(report, told, "{format}");
                assert_eq!(answer["written"], false);
            }
            _ => {
                let told = commands.one(at, &["cat", "classics.pgn", &shown, "--json"]);
                let tags: Vec<Value> = (game["tags"].as_array().expect("tags").iter())
                    .map(|tag| json!([tag["name"], tag["value"]]))
                    .collect();
                assert_eq!(Value::from(tags), told["tags"], "{number}");
                assert_eq!(game["plies"], told["plies"]);
                let pgn = text(&tabiya(at, &["cat", "classics.pgn", &shown]));
                judged.push(json!({ "game": game, "pgn": pgn }));
            }
        }
        let position = tools.call("position", &json!({ "fen": from_start, "line": line }));
        assert_eq!(
            position["line"].as_array().map(Vec::len),
            Some(line.split_whitespace().count())
        );
        judged.push(json!({ "position": position }));
    }
    tools.end();
    repertoire_tools.end();
    let Some(mut python) = python_with("chess") else {
        return;
    };
    let peers = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/mcp_positions.py");
    let mut child = python
        .arg(peers)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python");
    let mut input = child.stdin.take().expect("an input");
    let count = judged.len();
    let writing = std::thread::spawn(move || {
        for told in judged {
            writeln!(input, "{told}").expect("sent");
        }
    });
    let output = child.wait_with_output().expect("it ends");
    writing.join().expect("sent");
    assert!(output.status.success());
    assert_eq!(text(&output), format!("{count} judged\n"));
}

/// The engine that the tests of the driver have; it is built with the workspace.
fn fake_engine() -> Option<PathBuf> {
    let name = format!("tabiya-fake-engine{}", std::env::consts::EXE_SUFFIX);
    let path = Path::new(env!("CARGO_BIN_EXE_tabiya")).with_file_name(name);
    if !path.exists() {
        skip("tabiya-fake-engine is not there; `cargo build -p tabiya-engine` makes it");
        return None;
    }
    Some(path)
}

/// A settings file that names two engines: one that answers, and one that thinks until it is stopped.
fn engine_settings(folder: &Path, program: &Path, ways: [&str; 2]) -> PathBuf {
    let path = folder.join("engines.conf");
    let section = |name: &str, way: &str| {
        format!(
            "[{name}]\nprogram = {}\narguments = {way}\n",
            program.display()
        )
    };
    let text = section("quick", ways[0]) + &section("patient", ways[1]);
    std::fs::write(&path, text).expect("written");
    path
}

#[test]
fn an_engine_is_a_job_that_is_asked_about_and_stopped() {
    let Some(engine) = fake_engine() else { return };
    let (folder, own) = (classics(), tempfile::tempdir().expect("a folder"));
    let settings = engine_settings(own.path(), &engine, ["well-behaved", "same-info"]);
    let path = folder.path().join("classics.pgn");
    let before = std::fs::read(&path).expect("read");
    let mut tools = ToolProgram::with_engines(folder.path(), &["--allow-edits"], &settings);
    // It thinks on, and is stopped: what it had said by then is told.
    let told = tools.told(
        "analyse",
        &json!({ "line": "1.e4 e5", "engine": "patient" }),
    );
    let job = told["job"].clone();
    assert_eq!(job["state"], "running", "{told}");
    let mut told = tools.told("job", &json!({}));
    assert_eq!(told["jobs"][0]["id"], job["id"]);
    assert_eq!(told["jobs"][0]["tool"], "analyse");
    // As long as it goes on it has no answer.
    told = tools.told("job", &json!({ "job": job["id"] }));
    assert_eq!(told["job"]["state"], "running");
    assert!(told.get("answer").is_none());
    told = tools.told("job", &json!({ "job": job["id"], "stop": true }));
    while told["job"]["state"] == "running" {
        told = tools.told("job", &json!({ "job": job["id"] }));
    }
    assert_eq!(told["job"]["state"], "stopped", "{told}");
    // One that ends by itself. White has a queen more, Black is to move: seen from White that is good.
    let fen = "4k3/8/8/8/8/8/8/3QK3 b - - 0 1";
    let told = tools.call("analyse", &json!({ "fen": fen, "nodes": 1_000 }));
    let line = &told["lines"][0];
    // It is called as it calls itself.
    assert_eq!(told["engine"], "Fake 1");
    assert_eq!(line["evaluation"]["seen_from"], "White");
    let found = line["evaluation"]["centipawns"].as_i64().expect("a number");
    assert!(found > 500, "{told}");
    let best = line["moves"][0].as_str().expect("a move");
    assert!(best.starts_with('K'), "{best}");
    // Whoever asks about the position is told so from then on.
    let position = tools.call("position", &json!({ "fen": fen }));
    assert_eq!(position["evaluation"]["centipawns"], found);
    assert_eq!(position["evaluation"]["by"], "Fake 1");
    // A whole game is analysed, saved as one change, and brought back by one call.
    let told = tools.call(
        "analyse",
        &json!({ "game": 6, "whole_game": true, "nodes": 1_000 }),
    );
    assert_eq!(told["saved"], false);
    assert_eq!(std::fs::read(&path).expect("read"), before);
    let told = tools.call(
        "analyse",
        &json!({ "game": 6, "save": true, "nodes": 1_000 }),
    );
    assert_eq!(told["saved"], true);
    let nodes = told["game"]["nodes"].as_array().expect("nodes");
    let evaluated = nodes
        .iter()
        .filter(|node| node["evaluation"]["seen_from"] == "White");
    assert!(evaluated.count() > 20, "{told}");
    assert_ne!(std::fs::read(&path).expect("read"), before);
    tools.call("undo", &json!({}));
    assert_eq!(std::fs::read(&path).expect("read"), before);
    // Only engines of the settings are started.
    let refusal = tools.refusal("analyse", &json!({ "engine": "/bin/sh" }));
    assert_eq!(refusal["code"], "no-such-engine");
    assert_eq!(refusal["choices"], json!(["quick", "patient"]));
    let mate = "1.f3 e5 2.g4 Qh4#";
    let refusal = tools.refusal("analyse", &json!({ "line": mate }));
    assert_eq!(refusal["code"], "game-over");
    tools.end();
}

#[test]
fn stockfish_is_asked_and_its_mates_are_seen_from_white() {
    let usual = tabiya::engine::program_path::USUAL;
    let Some(engine) = tabiya::engine::program_path::program(usual) else {
        return skip("there is no Stockfish");
    };
    let (folder, own) = (classics(), tempfile::tempdir().expect("a folder"));
    let settings = own.path().join("engines.conf");
    let text = format!("[Fish]\nprogram = {}\n", engine.display());
    std::fs::write(&settings, text).expect("written");
    let mut tools = ToolProgram::with_engines(folder.path(), &[], &settings);
    for (line, mate, best) in [
        ("1.f3 e5 2.g4", -1, "Qh4#"),
        ("1.e4 e5 2.Qh5 Nc6 3.Bc4 Nf6", 1, "Qxf7#"),
    ] {
        let told = tools.call("analyse", &json!({ "line": line, "depth": 5 }));
        let first = &told["lines"][0];
        assert_eq!(first["evaluation"]["mate"], mate, "{told}");
        assert_eq!(first["evaluation"]["centipawns"], Value::Null);
        assert_eq!(first["moves"], json!([best]));
        assert_eq!(told["whole"], true);
        let position = tools.call("position", &json!({ "line": line }));
        assert_eq!(position["evaluation"]["mate"], mate);
        assert!(
            position["legal_moves"]
                .as_array()
                .is_some_and(|all| all.contains(&json!(best)))
        );
    }
    let told = tools.call("analyse", &json!({ "depth": 6, "lines": 3 }));
    assert_eq!(told["lines"].as_array().map(Vec::len), Some(3));
    // A search without an end in sight is ended by a word.
    let told = tools.told("analyse", &json!({ "nodes": 1_000_000_000_u64 }));
    let job = told["job"]["id"].clone();
    assert_eq!(told["job"]["state"], "running", "{told}");
    let mut told = tools.told("job", &json!({ "job": job, "stop": true }));
    while told["job"]["state"] == "running" {
        told = tools.told("job", &json!({ "job": job }));
    }
    assert_eq!(told["job"]["state"], "stopped");
    tools.end();
}

#[test]
fn sql_is_answered_where_its_program_is_installed() {
    let folder = classics();
    let mut tools = ToolProgram::start(folder.path(), &[]);
    let listed = tools.ask("tools/list", &json!({}))["result"]["tools"].clone();
    let names = listed.as_array().expect("tools").iter();
    if !names.into_iter().any(|tool| tool["name"] == "sql") {
        return skip("tabiya-sql of this version is neither beside tabiya nor on the path");
    }
    let query = "SELECT result, count(*) AS n FROM 'classics.pgn' GROUP BY result ORDER BY result";
    let told = tools.call("sql", &json!({ "query": query }));
    let counts = tools.call("stats", &json!({ "only": ["results"] }));
    let sum: u64 = (told["rows"].as_array().expect("rows").iter())
        .filter_map(|row| row["n"].as_u64())
        .sum();
    assert_eq!(counts["games"], sum);
    assert_eq!(told["rows"][0]["result"], "0-1");
    tools.end();
}

/// Runs the official client.
fn official_client(args: &[&str]) {
    let Some(mut python) = python_with("mcp") else {
        return;
    };
    let peers = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/mcp_client.py");
    let output = python.arg(peers).args(args).output().expect("python");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(text(&output).matches("as it should be").count(), 3);
}

#[test]
fn the_official_client_talks_on_standard_input_and_output() {
    let folder = classics();
    official_client(&[
        "stdio",
        env!("CARGO_BIN_EXE_tabiya"),
        folder.path().to_str().expect("a path"),
    ]);
}

/// `tabiya serve`, with its port.
struct ServedTools {
    child: Child,
    port: u16,
    _folder: tempfile::TempDir,
}

const TOKEN: &str = "0123456789abcdef0123";

impl ServedTools {
    fn start() -> ServedTools {
        let folder = classics();
        let token = folder.path().join("token");
        std::fs::write(&token, TOKEN).expect("written");
        #[cfg(unix)]
        {
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
            std::fs::set_permissions(&token, mode).expect("closed");
        }
        let mut child = Command::new(env!("CARGO_BIN_EXE_tabiya"))
            .arg("serve")
            .arg(folder.path().join("classics.pgn"))
            .args(["--no-open", "--token-file"])
            .arg(&token)
            .env("XDG_DATA_HOME", folder.path().join("data"))
            .env("XDG_CONFIG_HOME", folder.path().join("config"))
            .stderr(Stdio::piped())
            .spawn()
            .expect("it runs");
        let mut lines = BufReader::new(child.stderr.take().expect("an output")).lines();
        let port = loop {
            let line = lines.next().expect("a line").expect("a text");
            if let Some((_, rest)) = line.split_once("127.0.0.1:") {
                break rest.trim_end_matches('/').parse().expect("a port");
            }
        };
        std::thread::spawn(move || lines.for_each(drop));
        ServedTools {
            child,
            port,
            _folder: folder,
        }
    }
}

impl Drop for ServedTools {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_official_client_talks_over_http() {
    let served = ServedTools::start();
    official_client(&[
        "http",
        &format!("http://127.0.0.1:{}/mcp", served.port),
        TOKEN,
    ]);
}

/// The parts of the official conformance suite that ask for no tools made for it, with those of them that are not offered here.
const SCENARIOS: [&str; 5] = [
    "server-initialize",
    "ping",
    "tools-list",
    "resources-list",
    "dns-rebinding-protection",
];

#[test]
fn the_official_conformance_suite_finds_nothing() {
    let Some(suite) = std::env::var_os("TABIYA_MCP_CONFORMANCE") else {
        return skip(
            "TABIYA_MCP_CONFORMANCE does not name the folder in which the official conformance suite is installed",
        );
    };
    let suite = PathBuf::from(suite).join("node_modules");
    let own = suite.join(".bin/node");
    let node = if own.exists() {
        own
    } else {
        PathBuf::from("node")
    };
    let served = ServedTools::start();
    // The suite brings no token: it is added on the way.
    let proxy = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/mcp_proxy.mjs");
    let mut between = Command::new(&node)
        .arg(proxy)
        .args([served.port.to_string(), TOKEN.to_owned()])
        .stdout(Stdio::piped())
        .spawn()
        .expect("node");
    let mut line = String::new();
    let mut output = BufReader::new(between.stdout.take().expect("an output"));
    output.read_line(&mut line).expect("a port");
    let url = format!("http://localhost:{}/mcp", line.trim());
    let results = tempfile::tempdir().expect("a folder");
    let mut faults = Vec::new();
    for scenario in SCENARIOS {
        let output = Command::new(&node)
            .arg(suite.join("@modelcontextprotocol/conformance/dist/index.js"))
            .args(["server", "--url", &url, "--scenario", scenario])
            .current_dir(results.path())
            .output()
            .expect("node");
        if !output.status.success() {
            faults.push(format!(
                "{scenario}: {}{}",
                text(&output),
                String::from_utf8_lossy(&output.stderr)
            ));
        }
    }
    let _ = between.kill();
    let _ = between.wait();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
