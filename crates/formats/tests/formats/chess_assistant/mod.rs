//! Chess Assistant against databases that others made, against a second decoder, and against damage.

// What is skipped for want of test data is said aloud.
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
