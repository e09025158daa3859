//! CBF, tested with databases of other programs, a second decoder, and damage.

// Tests skipped for lack of test data are printed.
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
