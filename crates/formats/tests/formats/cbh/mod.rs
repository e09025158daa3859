//! ChessBase databases against those that others wrote, against an encoder of our own, and against damage.

// What is skipped for want of test data is said aloud.
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
