//! CBF against databases that others wrote, against a second decoder, and against damage.

// What is skipped for want of test data is said aloud.
#![allow(clippy::print_stderr)]

use crate::kept;

mod cblib;
mod claims;
mod hostile;
mod law;
mod oracles;
mod plain;
mod second;
mod through_pgn;

use tabiya_testing::shared;
