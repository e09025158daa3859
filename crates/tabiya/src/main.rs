//! The command line of Tabiya.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run()
}
