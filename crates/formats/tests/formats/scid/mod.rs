//! Scid's databases, tested with Scid itself, with games of all kinds, and with damage.

// Compared data, and tests skipped for lack of test data, are printed.
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
