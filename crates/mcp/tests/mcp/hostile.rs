//! Messages that mean harm, or nothing: each is answered or refused, and the tools go on.

use serde_json::{Map, Value, json};
use tabiya_model::Control;
use tabiya_testing::{TestRandom, is_full, seed};

use super::{GAMES, Tools, folder_with};

/// Words that messages are made of.
const WORDS: [&str; 40] = [
    "jsonrpc",
    "2.0",
    "id",
    "method",
    "params",
    "_meta",
    "name",
    "arguments",
    "cursor",
    "uri",
    "tools/call",
    "tools/list",
    "initialize",
    "server/discover",
    "resources/read",
    "tasks/get",
    "tasks/cancel",
    "notifications/cancelled",
    "search",
    "game",
    "position",
    "edit",
    "undo",
    "convert",
    "more",
    "job",
    "bases",
    "base",
    "query",
    "fen",
    "line",
    "changes",
    "kind",
    "at",
    "moves",
    "io.modelcontextprotocol/protocolVersion",
    "2026-07-28",
    "taskId",
    "../../etc/passwd",
    "1.e4 e5",
];

/// Some value; deep ones are rare.
fn value(random: &mut TestRandom, depth: usize) -> Value {
    match random.below(if depth > 4 { 6 } else { 9 }) {
        0 => Value::Null,
        1 => Value::from(random.chance(50)),
        2 => Value::from(random.number()),
        3 => Value::from(-(random.below(1_000) as i64)),
        4 => Value::from(*random.pick(&WORDS)),
        5 => {
            let letters = "aäß♞𝄞\u{0}\"\\\n{}[]():;$%&=?1e4Nf3";
            let letters: Vec<char> = letters.chars().collect();
            let count = random.below(60);
            Value::from(
                (0..count)
                    .map(|_| *random.pick(&letters))
                    .collect::<String>(),
            )
        }
        6 => (0..random.below(5))
            .map(|_| value(random, depth + 1))
            .collect(),
        _ => Value::Object(object(random, depth + 1)),
    }
}

fn object(random: &mut TestRandom, depth: usize) -> Map<String, Value> {
    (0..random.below(5))
        .map(|_| ((*random.pick(&WORDS)).to_owned(), value(random, depth)))
        .collect()
}

/// A message that is nearly right.
fn message(random: &mut TestRandom, tools: &[Value]) -> Value {
    let tool = random.pick(tools);
    let fields = tool["inputSchema"]["properties"]
        .as_object()
        .expect("fields");
    let names: Vec<&String> = fields.keys().collect();
    let mut arguments = Map::new();
    for _ in 0..random.below(5) {
        if let Some(name) = names.get(random.below(names.len().max(1))) {
            arguments.insert((*name).clone(), value(random, 2));
        }
    }
    let mut told = json!({
        "jsonrpc": "2.0",
        "id": random.below(9),
        "method": "tools/call",
        "params": { "name": tool["name"], "arguments": arguments },
    });
    if random.one_in(4) {
        told["params"] = Value::Object(object(random, 1));
    }
    if random.one_in(4) {
        told["method"] = Value::from(*random.pick(&WORDS));
    }
    if random.one_in(6) {
        let name = *random.pick(&["jsonrpc", "id", "method", "params"]);
        told[name] = value(random, 1);
    }
    told
}

#[test]
fn ten_thousand_random_messages_are_answered_or_refused() {
    let folder = folder_with("club.pgn", GAMES);
    let tools = Tools::of(folder.path(), false);
    let before = std::fs::read(folder.path().join("club.pgn")).expect("read");
    let listed = tools.ask("tools/list", json!({}))["result"]["tools"].clone();
    // Engines have tests of their own, and take the machine.
    let all = listed.as_array().expect("tools").iter();
    let listed: Vec<Value> = all
        .filter(|tool| tool["name"] != "analyse")
        .cloned()
        .collect();
    let mut random = TestRandom::new(seed());
    let count = if is_full() { 100_000 } else { 10_000 };
    let (mut answered, mut refused) = (0, 0);
    for _ in 0..count {
        let told = match random.below(3) {
            0 => value(&mut random, 0),
            _ => message(&mut random, &listed),
        };
        let mut bytes = told.to_string().into_bytes();
        if random.one_in(5) && !bytes.is_empty() {
            let at = random.below(bytes.len());
            match random.below(3) {
                0 => bytes.truncate(at),
                1 => bytes[at] = u8::try_from(random.below(256)).expect("a byte"),
                _ => {
                    bytes.remove(at);
                }
            }
        }
        let reply = tools.server.answer(&bytes, None, &Control::default());
        assert!(
            matches!(reply.status, 200 | 202 | 400 | 404),
            "{}",
            reply.status
        );
        if let Some(body) = reply.body {
            assert!(body.len() < 50_000, "{} bytes", body.len());
            let told: Value = serde_json::from_str(&body).expect("JSON");
            assert_ne!(told["error"]["code"], -32603, "{body}");
            assert!(!body.contains("an internal error"), "{body}");
            match told.get("result") {
                Some(_) => answered += 1,
                None => refused += 1,
            }
        }
    }
    assert!(
        answered > 100 && refused > 100,
        "{answered} answered, {refused} refused"
    );
    assert_eq!(
        std::fs::read(folder.path().join("club.pgn")).expect("read"),
        before
    );
    let files = std::fs::read_dir(folder.path()).expect("listed").count();
    assert_eq!(files, 1, "nothing is written");
    let found = tools
        .call("search", json!({ "query": "white:Adams" }))
        .expect("it goes on");
    assert_eq!(found["total"], 1);
}

#[test]
fn without_leave_nothing_is_changed() {
    let folder = folder_with("club.pgn", GAMES);
    let tools = Tools::of(folder.path(), false);
    let listed = tools.ask("tools/list", json!({}))["result"]["tools"].clone();
    let names: Vec<&str> = listed
        .as_array()
        .expect("tools")
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    assert!(
        !names.contains(&"edit") && !names.contains(&"undo"),
        "{names:?}"
    );
    for name in ["edit", "undo"] {
        let told = tools.ask("tools/call", json!({ "name": name, "arguments": {} }));
        assert_eq!(told["error"]["code"], -32602, "{told}");
    }
    let refusal = tools
        .call("convert", json!({ "target": "copy.si5" }))
        .expect_err("refused");
    assert_eq!(refusal["code"], "read-only");
    let refusal = tools
        .call("analyse", json!({ "game": 1, "save": true }))
        .expect_err("refused");
    assert_eq!(refusal["code"], "read-only");
    // What is only tried leaves nothing.
    let tried = tools
        .call("convert", json!({ "format": "cbf" }))
        .expect("tried");
    assert_eq!(tried["written"], false);
    assert_eq!(tried["report"]["games"], 2);
    assert_eq!(std::fs::read_dir(folder.path()).expect("listed").count(), 1);
}

#[test]
fn nothing_outside_the_folders_is_read_or_written() {
    let folder = folder_with("club.pgn", GAMES);
    let outside = folder_with("secret.pgn", GAMES);
    let tools = Tools::of(folder.path(), true);
    let secret = outside.path().join("secret.pgn").display().to_string();
    for name in [secret.as_str(), "../secret.pgn", "/etc/passwd"] {
        for (tool, arguments) in [
            ("game", json!({ "base": name, "game": 1 })),
            ("search", json!({ "bases": [name] })),
            (
                "edit",
                json!({ "base": name, "game": 1, "changes": [{ "kind": "tag", "name": "White", "value": "x" }] }),
            ),
            ("undo", json!({ "base": name })),
            ("history", json!({ "base": name })),
        ] {
            let refusal = tools.call(tool, arguments).expect_err("refused");
            assert_eq!(refusal["code"], "no-such-database", "{tool} {name}");
        }
    }
    let there = outside.path().join("new.pgn").display().to_string();
    for target in [there.as_str(), "../new.pgn", ".hidden.pgn", "club.pgn"] {
        let refusal = tools
            .call("convert", json!({ "target": target }))
            .expect_err("refused");
        let wanted = if target == "club.pgn" {
            "target-exists"
        } else {
            "outside-folders"
        };
        let is_source = refusal["code"] == "target-is-source";
        assert!(
            refusal["code"] == wanted || (target == "club.pgn" && is_source),
            "{target}: {refusal}"
        );
    }
    assert_eq!(
        std::fs::read_dir(outside.path()).expect("listed").count(),
        1
    );
    assert_eq!(std::fs::read_dir(folder.path()).expect("listed").count(), 1);
    // Within, it is written, and can be asked about.
    let made = tools
        .call("convert", json!({ "target": "copy.si5", "verify": true }))
        .expect("written");
    assert_eq!(made["written"], true);
    assert_eq!(made["report"]["target"], "copy.si5");
    let found = tools
        .call("search", json!({ "bases": ["copy.si5"] }))
        .expect("found");
    assert_eq!(found["total"], 2);
}
