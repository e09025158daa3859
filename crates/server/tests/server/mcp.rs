//! The tools for language models behind the door: who may ask, both versions over HTTP, and edits of what the app shows.

use serde_json::{Value, json};
use tabiya_mcp::McpConfig;
use tabiya_server::ServerConfig;

use crate::server::{Reply, Server, corpus};

const TOKEN: &str = "0123456789abcdef0123";

fn server(edits: bool, read_only: bool) -> Server {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::copy(corpus().join("opera.pgn"), folder.path().join("opera.pgn")).expect("a sample");
    let config = ServerConfig {
        token: Some(TOKEN.to_owned()),
        tools: McpConfig { edits, sql: None },
        read_only,
        ..ServerConfig::default()
    };
    Server::with(folder, config)
}

/// Sends a message with these headers.
fn send(server: &Server, headers: &str, body: &str) -> Reply {
    server.ask(&format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: {}\r\n{headers}\r\n{body}",
        server.address(),
        body.len()
    ))
}

fn bearer(more: &str) -> String {
    format!("Authorization: Bearer {TOKEN}\r\n{more}")
}

fn call(name: &str, arguments: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": name, "arguments": arguments } }).to_string()
}

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

#[test]
fn only_who_brings_the_token_reaches_the_tools() {
    let server = server(false, false);
    let address = server.address();
    assert_eq!(send(&server, &bearer(""), PING).status, 200);
    assert_eq!(send(&server, &bearer(""), PING).json()["result"], json!({}));
    // No token, a wrong one, one of another kind.
    for headers in [
        "",
        "Authorization: Bearer 0123456789abcdef0124\r\n",
        "Authorization: Basic x\r\n",
    ] {
        assert_eq!(send(&server, headers, PING).status, 401, "{headers}");
    }
    // A page of this server has the cookie, and needs the mark as for everything that is sent.
    let cookie = format!("Cookie: {}\r\n", server.cookie);
    assert_eq!(send(&server, &cookie, PING).status, 403);
    assert_eq!(
        send(&server, &format!("{cookie}X-Tabiya: 1\r\n"), PING).status,
        200
    );
    // Pages of others, with the token or without it.
    for origin in ["http://evil.example", "null", "http://localhost:1"] {
        assert_eq!(
            send(&server, &bearer(&format!("Origin: {origin}\r\n")), PING).status,
            403,
            "{origin}"
        );
    }
    assert_eq!(
        send(
            &server,
            &bearer(&format!("Origin: http://{address}\r\n")),
            PING
        )
        .status,
        200
    );
    assert_eq!(
        send(&server, &bearer("Sec-Fetch-Site: cross-site\r\n"), PING).status,
        403
    );
    // Other names of this machine.
    for host in ["evil.example", "127.0.0.1:1", "127.0.0.1.evil.example:80"] {
        let reply = server.ask(&format!(
            "POST /mcp HTTP/1.1\r\nHost: {host}\r\n{}Content-Length: {}\r\n\r\n{PING}",
            bearer(""),
            PING.len()
        ));
        assert_eq!(reply.status, 421, "{host}");
    }
    for method in ["GET", "DELETE", "PUT"] {
        let reply = server.ask(&format!(
            "{method} /mcp HTTP/1.1\r\nHost: {address}\r\n{}\r\n",
            bearer("X-Tabiya: 1\r\n")
        ));
        assert_eq!(reply.status, 405, "{method}");
    }
    // What is too large.
    let large = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"a":"{}"}}}}"#,
        "x".repeat(200_000)
    );
    assert_eq!(send(&server, &bearer(""), &large).status, 413);
    assert_eq!(send(&server, &bearer(""), "{").status, 400);
    assert_eq!(send(&server, &bearer(""), PING).status, 200);
}

#[test]
fn a_server_without_a_token_of_its_own_has_no_tools() {
    let server = Server::start(false);
    assert_eq!(send(&server, &bearer(""), PING).status, 401);
}

#[test]
fn both_versions_are_spoken_over_http() {
    let server = server(false, false);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let modern = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "search", "arguments": { "query": "white:Morphy" }, "_meta": meta } })
    .to_string();
    let heads =
        "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: search\r\n";
    let told = send(&server, &bearer(heads), &modern);
    assert_eq!(
        (told.status, told.header("content-type")),
        (200, Some("application/json"))
    );
    assert_eq!(told.json()["result"]["resultType"], "complete");
    assert_eq!(told.json()["result"]["structuredContent"]["total"], 1);
    for wrong in [
        "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: game\r\n",
        "MCP-Protocol-Version: 2026-07-28\r\nMcp-Name: search\r\n",
        "Mcp-Method: tools/call\r\nMcp-Name: search\r\n",
        "MCP-Protocol-Version: 2025-11-25\r\nMcp-Method: tools/call\r\nMcp-Name: search\r\n",
    ] {
        let told = send(&server, &bearer(wrong), &modern);
        assert_eq!(
            (told.status, told.json()["error"]["code"].as_i64()),
            (400, Some(-32020)),
            "{wrong}"
        );
    }
    let begin = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": { "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "x", "version": "1" } } });
    let told = send(&server, &bearer(""), &begin.to_string()).json();
    assert_eq!(told["result"]["protocolVersion"], "2025-11-25");
    let begun = send(
        &server,
        &bearer("MCP-Protocol-Version: 2025-11-25\r\n"),
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    );
    assert_eq!((begun.status, begun.body.len()), (202, 0));
    let told = send(
        &server,
        &bearer("MCP-Protocol-Version: 2025-11-25\r\n"),
        &call("bases", &json!({})),
    );
    assert_eq!(
        told.json()["result"]["structuredContent"]["bases"][0]["base"],
        "opera.pgn"
    );
    assert_eq!(
        send(
            &server,
            &bearer("MCP-Protocol-Version: 1900-01-01\r\n"),
            PING
        )
        .status,
        400
    );
}

#[test]
fn edits_are_seen_in_the_app_and_taken_back_by_one_call() {
    let server = server(true, false);
    let ask = |name: &str, arguments: Value| {
        let told = send(&server, &bearer(""), &call(name, &arguments)).json();
        assert_eq!(told["result"]["isError"], false, "{told}");
        told["result"]["structuredContent"].clone()
    };
    let path = server.folder.path().join("opera.pgn");
    let before = std::fs::read(&path).expect("read");
    let change = json!({ "game": 1, "changes": [{ "kind": "tag", "name": "Annotator", "value": "An assistant" }] });
    assert_eq!(ask("edit", change)["changed"], true);
    let base = server.base();
    let game = server.get(&format!("/api/v1/bases/{base}/games/1"));
    assert!(String::from_utf8_lossy(&game.body).contains("An assistant"));
    assert_eq!(ask("undo", json!({}))["whole"], true);
    assert_eq!(std::fs::read(&path).expect("read"), before);
    let made = ask("convert", json!({ "target": "copy.si5" }));
    let made = match made["job"]["id"].as_str() {
        None => made,
        Some(job) => loop {
            let told = ask("job", json!({ "job": job }));
            if told["answer"].is_object() {
                break told["answer"].clone();
            }
        },
    };
    assert_eq!(made["written"], true);
    assert!(server.folder.path().join("copy.si5").exists());
    let outside = send(
        &server,
        &bearer(""),
        &call("convert", &json!({ "target": "../copy.si5" })),
    )
    .json();
    assert_ne!(outside["result"]["structuredContent"]["written"], true);
}

#[test]
fn a_server_that_is_read_only_lets_no_tool_edit() {
    for (edits, read_only) in [(false, false), (true, true)] {
        let server = server(edits, read_only);
        let told = send(&server, &bearer(""), &call("edit", &json!({}))).json();
        assert_eq!(told["error"]["code"], -32602, "{told}");
    }
}
