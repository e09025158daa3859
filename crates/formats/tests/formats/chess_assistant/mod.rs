//! Chess Assistant, tested with databases of other programs, a second decoder, and damage.

// Tests skipped for lack of test data are printed.
#![allow(clippy::print_stderr)]

use crate::kept;

mod claims;
mod comments;
mod generate;
mod hostile;
mod law;
mod oracles;
mod second;

use tabiya_testing::shared;
