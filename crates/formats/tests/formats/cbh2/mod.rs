//! ChessBase's newer databases, tested with those that another program made from the description, an encoder of our own, and
//! damage.

// Tests skipped for lack of test data are printed.
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
mod written;

use tabiya_testing::shared;
