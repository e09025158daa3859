//! The resources besides the tools: the query language, and how to use the tools.

use serde_json::{Value, json};

/// A text that clients can read.
struct McpResource {
    uri: &'static str,
    name: &'static str,
    title: &'static str,
    about: &'static str,
    text: &'static str,
}

/// All of them.
static RESOURCES: [McpResource; 2] = [
    McpResource {
        uri: "tabiya://query",
        name: "query",
        title: "The query language",
        about: "Every term of the queries that `search` and the other tools take, with examples.",
        text: include_str!("../../../docs/query.md"),
    },
    McpResource {
        uri: "tabiya://guide",
        name: "guide",
        title: "How to use the tools",
        about: "The tools, and ten questions with the calls that answer them.",
        text: include_str!("../../../docs/mcp.md"),
    },
];

/// The list of all.
pub(crate) fn list() -> Vec<Value> {
    let told = |resource: &McpResource| {
        json!({
            "uri": resource.uri,
            "name": resource.name,
            "title": resource.title,
            "description": resource.about,
            "mimeType": "text/markdown",
            "size": resource.text.len(),
        })
    };
    RESOURCES.iter().map(told).collect()
}

/// The text of one.
pub(crate) fn read(uri: &str) -> Option<Value> {
    let resource = RESOURCES.iter().find(|resource| resource.uri == uri)?;
    Some(json!({ "uri": uri, "mimeType": "text/markdown", "text": resource.text }))
}
