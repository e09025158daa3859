//! ChessBase databases against those that others wrote, against an encoder of our own, and against damage.

// What is skipped for want of test data is said aloud.
#![allow(clippy::print_stderr)]

#[path = "../games/mod.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod games;

mod archives;
mod base;
mod blobs;
mod encode;
mod headers;
mod hostile;
mod law;
mod movetext;
mod oracles;
mod pack;
mod repairs;
mod samples;
mod walks;

use tabiya_testing::shared;
