//! The tools, asked as clients ask them.

mod edits;
mod hostile;
mod moves;
mod protocol;
mod repertoires;
mod selection;
mod stops;
mod tools;

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use tabiya::Opener;
use tabiya_mcp::{McpConfig, McpFolders, McpServer};
use tabiya_model::Control;

/// The tools over a folder.
pub(crate) struct Tools {
    pub(crate) server: McpServer,
}

impl Tools {
    pub(crate) fn of(folder: &Path, edits: bool) -> Tools {
        let bases = McpFolders::open(Opener::default(), &[folder.to_owned()]);
        let config = McpConfig { edits, sql: None };
        Tools {
            server: McpServer::new(Arc::new(bases), config),
        }
    }

    /// The answer to a message of an earlier version.
    pub(crate) fn ask(&self, method: &str, params: Value) -> Value {
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let reply = self
            .server
            .answer(message.to_string().as_bytes(), None, &Control::default());
        let body = reply.body.expect("an answer");
        serde_json::from_str(&body).expect("JSON")
    }

    /// The result of a tool, or why it refuses. A job is waited for.
    pub(crate) fn call(&self, name: &str, arguments: Value) -> Result<Value, Value> {
        let result = self.result(name, arguments);
        let text = result["content"][0]["text"].as_str().expect("a text");
        let told: Value = serde_json::from_str(text).expect("JSON");
        if result["isError"] == true {
            assert!(
                told["error"].is_string() && told["code"].is_string(),
                "{told}"
            );
            return Err(told);
        }
        assert_eq!(result["structuredContent"], told);
        let Some(job) = told["job"]["id"].as_str().map(str::to_owned) else {
            return Ok(told);
        };
        match name {
            "job" => Ok(told),
            _ => loop {
                let told = self.call("job", json!({ "job": job }))?;
                if told["job"]["state"] != "running" {
                    break Ok(answer_of_job(&told));
                }
            },
        }
    }

    /// The result of a call, as clients get it.
    pub(crate) fn result(&self, name: &str, arguments: Value) -> Value {
        let answer = self.ask(
            "tools/call",
            json!({ "name": name, "arguments": arguments }),
        );
        answer["result"].clone()
    }
}

/// The answer of a job, with what was cut of it.
fn answer_of_job(told: &Value) -> Value {
    let mut answer = told["answer"].clone();
    let mut cuts = told["cut"].clone();
    for cut in cuts.as_array_mut().into_iter().flatten() {
        let path = cut["path"]
            .as_str()
            .and_then(|path| path.strip_prefix("/answer"));
        cut["path"] = json!(path.expect("a place in the answer"));
    }
    if cuts.is_array() {
        answer["cut"] = cuts;
    }
    answer
}

/// A folder with some games under a name.
pub(crate) fn folder_with(name: &str, games: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join(name), games).expect("written");
    folder
}

/// Games that have everything that can be edited.
pub(crate) const GAMES: &str = "[Event \"Club\"]\n[Site \"?\"]\n[Date \"1999.??.??\"]\n[Round \"1\"]\n[White \"Adams\"]\n[Black \"Bird\"]\n[Result \"1-0\"]\n\n\
    1. e4 {good [%eval 0.3,20] [%cal Ge2e4]} e5 $1 (1... c5 2. Nf3 (2. c3 {slow}) 2... d6) 2. Nf3 Nc6 1-0\n\n\
    [Event \"Club\"]\n[Site \"?\"]\n[Date \"2001.??.??\"]\n[Round \"2\"]\n[White \"Cook\"]\n[Black \"Adams\"]\n[Result \"*\"]\n\n\
    1. d4 d5 2. c4 *\n\n";
