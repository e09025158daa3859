//! Both versions of the protocol, jobs, and what a client is told at its start.

use std::io::{BufReader, Read, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tabiya_mcp::{McpReply, McpRequestHead, serve_stdio};
use tabiya_model::Control;

use super::{GAMES, Tools, folder_with};

fn meta(version: &str) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

fn send(tools: &Tools, message: &Value, head: Option<&McpRequestHead>) -> McpReply {
    let text = message.to_string();
    tools
        .server
        .answer(text.as_bytes(), head, &Control::default())
}

fn body(reply: &McpReply) -> Value {
    let text = reply.body.as_deref().expect("an answer");
    assert!(!text.contains('\n'));
    serde_json::from_str(text).expect("JSON")
}

/// The result of a request of the newest version.
fn ask_modern(tools: &Tools, method: &str, params: &Value) -> Value {
    let mut params = params.clone();
    params["_meta"] = meta("2026-07-28");
    let message = json!({ "jsonrpc": "2.0", "id": "x", "method": method, "params": params });
    let answer = body(&send(tools, &message, None));
    assert_eq!(answer["id"], "x");
    assert_eq!(
        answer["result"]["resultType"], "complete",
        "{method}: {answer}"
    );
    let server = &answer["result"]["_meta"]["io.modelcontextprotocol/serverInfo"];
    assert_eq!(server["name"], "tabiya");
    answer["result"].clone()
}

#[test]
fn a_modern_client_discovers_and_asks() {
    let folder = folder_with("club.pgn", GAMES);
    let tools = Tools::of(folder.path(), false);
    let ask = |method: &str, params: &Value| ask_modern(&tools, method, params);
    let told = ask("server/discover", &json!({}));
    assert_eq!(told["supportedVersions"][0], "2026-07-28");
    assert!(told["capabilities"]["extensions"]["io.modelcontextprotocol/tasks"].is_object());
    for (method, list) in [
        ("server/discover", "supportedVersions"),
        ("tools/list", "tools"),
        ("resources/list", "resources"),
        ("resources/templates/list", "resourceTemplates"),
    ] {
        let told = ask(method, &json!({}));
        assert!(told[list].is_array(), "{method}");
        assert!(
            told["ttlMs"].is_u64() && told["cacheScope"] == "private",
            "{method}"
        );
    }
    let read = ask("resources/read", &json!({ "uri": "tabiya://query" }));
    assert!(
        read["contents"][0]["text"]
            .as_str()
            .is_some_and(|text| text.contains("material:"))
    );
    let found = ask(
        "tools/call",
        &json!({ "name": "search", "arguments": { "query": "white:Adams" } }),
    );
    assert_eq!(found["structuredContent"]["total"], 1);
    // The order of the tools is fixed, and their list is not long.
    assert!(ask("tools/list", &json!({})).to_string().len() < 50_000);
    assert_eq!(ask("tools/list", &json!({})), ask("tools/list", &json!({})));
}

#[test]
fn an_earlier_client_begins_with_initialize() {
    let folder = folder_with("club.pgn", GAMES);
    let tools = Tools::of(folder.path(), false);
    for (wanted, version) in [
        ("2025-11-25", "2025-11-25"),
        ("2025-06-18", "2025-06-18"),
        ("2024-11-05", "2024-11-05"),
        ("1999-01-01", "2025-11-25"),
    ] {
        let told = tools.ask(
            "initialize",
            json!({ "protocolVersion": wanted, "capabilities": {}, "clientInfo": {} }),
        );
        assert_eq!(told["result"]["protocolVersion"], version);
        assert_eq!(told["result"]["serverInfo"]["name"], "tabiya");
        assert!(told["result"].get("resultType").is_none());
    }
    let notification = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let reply = send(&tools, &notification, None);
    assert_eq!((reply.status, reply.body), (202, None));
    assert_eq!(tools.ask("ping", json!({}))["result"], json!({}));
    let found = tools
        .call("search", json!({ "query": "white:Adams" }))
        .expect("found");
    assert_eq!(found["rows"][0]["black"], "Bird");
}

#[test]
fn requests_that_do_not_say_what_they_have_to_are_refused() {
    let folder = folder_with("club.pgn", GAMES);
    let tools = Tools::of(folder.path(), false);
    let call = |meta: Value| {
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": { "name": "bases", "arguments": {}, "_meta": meta } })
    };
    let head = |version: &str, method: &str, name: &str| McpRequestHead {
        version: Some(version.to_owned()),
        method: Some(method.to_owned()),
        name: Some(name.to_owned()),
    };
    let right = head("2026-07-28", "tools/call", "bases");
    let coded = head("2026-07-28", "tools/call", "=?base64?YmFzZXM=?=");
    for head in [None, Some(&right), Some(&coded)] {
        assert_eq!(send(&tools, &call(meta("2026-07-28")), head).status, 200);
    }
    let refused = [
        (
            call(json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28" })),
            None,
            -32602,
        ),
        (call(json!({})), Some(right.clone()), -32602),
        (
            call(meta("2026-07-28")),
            Some(head("2025-11-25", "tools/call", "bases")),
            -32020,
        ),
        (
            call(meta("2026-07-28")),
            Some(head("2026-07-28", "tools/list", "bases")),
            -32020,
        ),
        (
            call(meta("2026-07-28")),
            Some(head("2026-07-28", "tools/call", "game")),
            -32020,
        ),
        (
            call(meta("2026-07-28")),
            Some(head("2026-07-28", "tools/call", "=?base64?!?=")),
            -32020,
        ),
        (
            call(meta("2026-07-28")),
            Some(McpRequestHead::default()),
            -32020,
        ),
        (call(meta("2031-01-01")), None, -32022),
        (
            call(meta("2031-01-01")),
            Some(head("2031-01-01", "tools/call", "bases")),
            -32022,
        ),
    ];
    for (message, head, code) in refused {
        let reply = send(&tools, &message, head.as_ref());
        let told = body(&reply);
        assert_eq!(
            (told["error"]["code"].as_i64(), reply.status),
            (Some(code), 400),
            "{told}"
        );
        if code == -32022 {
            assert_eq!(told["error"]["data"]["requested"], "2031-01-01");
            assert_eq!(told["error"]["data"]["supported"][0], "2026-07-28");
        }
    }
    // A header alone that names a version which nobody knows.
    let plain = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
    let odd = McpRequestHead {
        version: Some("1900-01-01".to_owned()),
        ..McpRequestHead::default()
    };
    assert_eq!(send(&tools, &plain, Some(&odd)).status, 400);
    // What there is not has the status of that in the version that knows it.
    let mut missing = json!({ "jsonrpc": "2.0", "id": 1, "method": "no/such", "params": {} });
    assert_eq!(send(&tools, &missing, None).status, 200);
    assert_eq!(body(&send(&tools, &missing, None))["error"]["code"], -32601);
    missing["params"]["_meta"] = meta("2026-07-28");
    assert_eq!(send(&tools, &missing, None).status, 404);
}

#[test]
fn a_client_that_knows_tasks_is_given_one() {
    let folder = folder_with("club.pgn", &GAMES.repeat(2_000));
    let tools = Tools::of(folder.path(), false);
    let ask = |method: &str, mut params: Value| {
        params["_meta"] = meta("2026-07-28");
        params["_meta"]["io.modelcontextprotocol/clientCapabilities"]["extensions"] =
            json!({ "io.modelcontextprotocol/tasks": {} });
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        body(&send(&tools, &message, None))
    };
    let told = ask(
        "tools/call",
        json!({ "name": "duplicates", "arguments": {} }),
    );
    let result = &told["result"];
    if result["resultType"] != "task" {
        // It was done before its patience was over.
        assert!(result["structuredContent"]["count"].is_u64(), "{told}");
        return;
    }
    let id = result["taskId"].clone();
    assert_eq!(result["status"], "working");
    let done = loop {
        let told = ask("tasks/get", json!({ "taskId": id }));
        assert_eq!(told["result"]["resultType"], "complete");
        if told["result"]["status"] != "working" {
            break told["result"].clone();
        }
    };
    assert_eq!(done["status"], "completed");
    assert!(
        done["result"]["structuredContent"]["count"]
            .as_u64()
            .is_some_and(|count| count > 0)
    );
    assert!(ask("tasks/cancel", json!({ "taskId": id }))["result"].is_object());
    assert_eq!(
        ask("tasks/get", json!({ "taskId": "j999" }))["error"]["code"],
        -32602
    );
}

#[test]
fn answers_are_short_and_what_was_cut_comes_by_cursors() {
    let game = |number: u32| {
        format!(
            "[White \"Player number {number}\"]\n[Black \"Somebody\"]\n[Result \"1-0\"]\n\n1. e4 e5 1-0\n\n"
        )
    };
    let all: String = (0..3_000).map(game).collect();
    let folder = folder_with("club.pgn", &all);
    let tools = Tools::of(folder.path(), false);
    let counts = tools
        .call("stats", json!({ "only": ["players"], "limit": 500 }))
        .expect("counted");
    let cut = &counts["cut"][0];
    let path = cut["path"].as_str().expect("a path");
    let mut rows = counts
        .pointer(path)
        .and_then(Value::as_array)
        .expect("rows")
        .clone();
    assert_eq!(cut["shown"], rows.len());
    assert_eq!(cut["total"], 500);
    let mut cursor = cut["cursor"].as_str().map(str::to_owned);
    while let Some(next) = cursor {
        let more = tools.call("more", json!({ "cursor": next })).expect("more");
        rows.extend(more["items"].as_array().expect("items").clone());
        cursor = more["next"].as_str().map(str::to_owned);
    }
    assert_eq!(rows.len(), 500);
    for (name, arguments) in [
        ("search", json!({ "limit": 200 })),
        ("stats", json!({ "limit": 500 })),
        ("bases", json!({ "base": "club.pgn" })),
    ] {
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": name, "arguments": arguments } });
        let reply = send(&tools, &message, None);
        let length = reply.body.map_or(0, |body| body.len());
        assert!((100..50_000).contains(&length), "{name}: {length}");
    }
}

/// A pipe whose other end the test holds.
struct TestInput(Receiver<Vec<u8>>, Vec<u8>);

impl Read for TestInput {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.1.is_empty() {
            self.1 = self.0.recv().unwrap_or_default();
        }
        let count = self.1.len().min(buffer.len());
        buffer[..count].copy_from_slice(&self.1[..count]);
        self.1.drain(..count);
        Ok(count)
    }
}

#[derive(Clone)]
struct TestOutput(Arc<Mutex<Sender<Vec<u8>>>>);

impl Write for TestOutput {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let _ = self.0.lock().expect("a sender").send(bytes.to_vec());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn each_line_is_a_message_and_what_was_taken_back_is_not_answered() {
    let folder = folder_with("club.pgn", GAMES);
    let tools = Tools::of(folder.path(), false);
    let (input, given) = channel();
    let (told, answers) = channel();
    let output = TestOutput(Arc::new(Mutex::new(told)));
    let thread = std::thread::spawn(move || {
        let input = BufReader::new(TestInput(given, Vec::new()));
        serve_stdio(&tools.server, input, output, &Control::default())
    });
    let say = |text: &str| input.send(text.as_bytes().to_vec()).expect("sent");
    say("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n\n");
    say("no JSON\n");
    say(&format!("{}\n", "x".repeat(3 << 20)));
    say(
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":99}}\n",
    );
    say("{\"jsonrpc\":\"2.0\",\"id\":\"last\",\"method\":\"ping\"}\n");
    drop(input);
    thread.join().expect("no panic").expect("served");
    let bytes: Vec<u8> = answers.into_iter().flatten().collect();
    let mut lines: Vec<Value> = String::from_utf8(bytes)
        .expect("UTF-8")
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(lines.len(), 4);
    lines.sort_by_key(ToString::to_string);
    let codes: Vec<Option<i64>> = lines
        .iter()
        .map(|line| line["error"]["code"].as_i64())
        .collect();
    assert!(codes.contains(&Some(-32700)) && codes.contains(&Some(-32600)));
    assert!(lines.iter().any(|line| line["id"] == "last"));
}
