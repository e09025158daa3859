//! ChessBase databases, tested with those of other programs, an encoder of our own, and damage.

// Tests skipped for lack of test data are printed.
#![allow(clippy::print_stderr)]

use crate::games;

mod archives;
mod base;
mod blobs;
pub(crate) mod encode;
mod headers;
mod hostile;
mod law;
mod movetext;
mod oracles;
mod pack;
mod repairs;
mod samples;
mod walks;
mod written;

use tabiya_testing::shared;
