//! Tools for language models: the jobs of the library as a server of the Model Context Protocol.
//!
//! A model asks in JSON and gets the same answers as the command line prints with `--json`. It cannot invent moves: an
//! illegal move, or one that is not in standard notation, is refused with a list of the legal ones. Nothing is changed
//! unless that is allowed, and one call undoes every change. The crate knows neither HTTP nor arguments of a command line:
//! [`serve_stdio`] answers on standard input and output, and a web server passes requests on ([`McpServer::answer`]).
//!
//! It speaks two versions of the protocol: 2026-07-28, in which every request is self-contained, and those up to
//! 2025-11-25, which begin with `initialize`. Each request shows its version; there are no sessions.
//!
//! ```
//! use std::sync::Arc;
//! use tabiya_mcp::{McpConfig, McpFolders, McpServer};
//! use tabiya_model::Control;
//!
//! # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/pgn/ok/opera.pgn");
//! let bases = Arc::new(McpFolders::open(tabiya::Opener::default(), &[path.into()]));
//! let server = McpServer::new(bases, McpConfig::default());
//! let question = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"position","arguments":{"line":"1.e4 e5"}}}"#;
//! let reply = server.answer(question.as_bytes(), None, &Control::default());
//! assert!(reply.body.expect("an answer").contains("Nf3"));
//! ```

mod bases;
mod cut;
mod error;
mod evaluations;
mod jobs;
mod json_rpc;
mod offer;
mod protocol;
mod resources;
mod sql;
mod stdio;
mod tools;
mod tree;

pub use bases::{McpBase, McpBases, McpFolders};
pub use error::McpRefusal;
pub use offer::McpConfig;
pub use protocol::{McpReply, McpRequestHead, McpServer};
pub use stdio::serve_stdio;
