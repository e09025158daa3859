//! The server, asked over the net. What uses up the machine, or looks at the whole process, is in programs beside this one.

mod answers;
mod browsing;
mod completions;
mod door;
mod edits;
mod lichess_client;
mod live;
mod logins;
mod making;
mod mcp;
mod pages;
mod proxy;
mod remembered;
mod renewals;
mod repertoires;
mod research;
mod second_start;
mod selection;
#[allow(dead_code, reason = "the tests of the neighbours use the rest of it")]
mod server;
