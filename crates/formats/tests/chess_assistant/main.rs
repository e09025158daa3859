//! Chess Assistant against databases that others made, against a second decoder, and against damage.

// What is skipped for want of test data is said aloud.
#![allow(clippy::print_stderr)]

mod claims;
mod generate;
mod hostile;
mod law;
mod oracles;
mod second;

use tabiya_testing::shared;
