//! Scid's bases against Scid itself, against games of all kinds, and against damage.

// What was compared, and what is skipped for want of test data, is said aloud.
#![allow(clippy::print_stderr)]

use crate::kept;

mod edit;
mod hostile;
mod law;
mod live;
mod reader;
mod rescue;
mod support;
mod writer;
