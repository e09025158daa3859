//! ChessBase's newer databases against those that another program made after the description, against an encoder of our own, and
//! against damage.

// What is skipped for want of test data is said aloud.
#![allow(clippy::print_stderr)]

use crate::games;

mod base;
mod encode;
mod expectations;
mod hostile;
mod law;
mod oracles;
mod repairs;
mod samples;

use tabiya_testing::shared;
