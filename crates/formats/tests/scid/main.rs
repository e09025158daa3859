//! Scid's bases against Scid itself, against games of all kinds, and against damage.

// What was compared, and what is skipped for want of test data, is said aloud.
#![allow(clippy::print_stderr)]

#[path = "../kept/mod.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod kept;

mod edit;
mod hostile;
mod law;
mod live;
mod reader;
mod rescue;
mod support;
mod writer;
