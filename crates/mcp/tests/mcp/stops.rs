//! A stop ends the work, whoever says it.

use std::fmt::Write as _;

use serde_json::{Value, json};
use tabiya_model::Control;

use super::{Tools, folder_with};

/// A query that looks at each pair of squares of each position in many ways of its own, and finds nothing.
fn slow_query() -> String {
    let ways = (65..81).map(|count| {
        format!(
            "(some[x]:\"(* or -)\" (some[y]:\"(* or -)\" men:\"(A attacked-by (* attacks *))\">={count}))"
        )
    });
    ways.collect::<Vec<_>>().join(" or ")
}

/// Long games, each of which keeps this query busy for some tenths of a second, or for seconds where nothing is optimised.
fn with_long_games() -> (tempfile::TempDir, Tools) {
    let mut game = "[White \"Long\"]\n[Result \"*\"]\n\n".to_owned();
    let moves = ["Nf3", "Nf6", "Ng1", "Ng8"].iter().cycle();
    for (at, san) in moves.take(40_000).enumerate() {
        if at % 2 == 0 {
            write!(game, "{}. ", at / 2 + 1).expect("written");
        }
        game.push_str(san);
        game.push(if at % 16 == 15 { '\n' } else { ' ' });
    }
    game.push_str("*\n\n");
    let folder = folder_with("long.pgn", &game.repeat(60));
    let tools = Tools::of(folder.path(), true);
    (folder, tools)
}

fn jobs(tools: &Tools) -> Vec<Value> {
    let told = tools.call("job", json!({})).expect("jobs");
    told["jobs"].as_array().expect("a list").clone()
}

/// Waits until a job has ended, and tells how.
fn ended(tools: &Tools, id: &Value) -> Value {
    loop {
        let told = tools.call("job", json!({ "job": id })).expect("a job");
        if told["job"]["state"] != "running" {
            return told["job"]["state"].clone();
        }
    }
}

#[test]
fn what_takes_long_is_a_job_that_can_be_stopped() {
    let (_folder, tools) = with_long_games();
    let result = tools.result("search", json!({ "query": slow_query() }));
    let job = &result["structuredContent"]["job"];
    assert_eq!(
        (&job["tool"], &job["state"]),
        (&json!("search"), &json!("running"))
    );
    assert_eq!(jobs(&tools)[0]["id"], job["id"]);
    assert!(tools.server.is_busy());
    tools
        .call("job", json!({ "job": job["id"], "stop": true }))
        .expect("told");
    assert_eq!(ended(&tools, &job["id"]), "stopped");
    assert!(!tools.server.is_busy());
    let refusal = tools
        .call("job", json!({ "job": "j77" }))
        .expect_err("none");
    assert_eq!(refusal["code"], "no-such-job");
}

#[test]
fn a_request_that_is_taken_back_ends_its_work() {
    let (_folder, tools) = with_long_games();
    for name in ["search", "stats", "explore"] {
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": { "name": name, "arguments": { "query": slow_query() } } });
        // It is taken back while it is read: later it would be a job, which goes on.
        let control = Control::default();
        control.stop();
        let call = call.to_string();
        tools.server.answer(call.as_bytes(), None, &control);
        let job = jobs(&tools).pop().expect("a job");
        assert_eq!(job["tool"], name);
        assert_eq!(ended(&tools, &job["id"]), "stopped", "{name}");
    }
}

#[test]
fn a_copy_that_is_stopped_leaves_nothing() {
    let (folder, tools) = with_long_games();
    let before = std::fs::read(folder.path().join("long.pgn")).expect("read");
    let result = tools.result(
        "convert",
        json!({ "query": slow_query(), "target": "copy.pgn" }),
    );
    let job = &result["structuredContent"]["job"];
    assert_eq!(job["state"], "running", "{result}");
    tools
        .call("job", json!({ "job": job["id"], "stop": true }))
        .expect("told");
    assert_eq!(ended(&tools, &job["id"]), "stopped");
    assert_eq!(std::fs::read_dir(folder.path()).expect("listed").count(), 1);
    assert_eq!(
        std::fs::read(folder.path().join("long.pgn")).expect("read"),
        before
    );
}

#[test]
fn the_end_of_the_program_ends_all_work() {
    let (_folder, tools) = with_long_games();
    let call = || tools.result("search", json!({ "query": slow_query() }));
    let ids = [call(), call()].map(|told| told["structuredContent"]["job"]["id"].clone());
    assert_eq!(jobs(&tools).len(), 2);
    tools.server.stop();
    for id in &ids {
        assert_eq!(ended(&tools, id), "stopped");
    }
}
