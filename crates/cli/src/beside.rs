//! Commands that are a program of their own, found as git finds its commands: beside this program, then on the path.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use clap::Args;

use super::exit::Exit;

/// The program that answers SQL.
const LAKE: &str = "tabiya-lake";

/// Arguments that the other program reads.
#[derive(Args, Debug)]
pub(crate) struct BesideArgs {
    /// What the program is told; `tabiya-lake help` lists it
    #[arg(
        value_name = "ARGUMENT",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    arguments: Vec<OsString>,
}

/// Where the program is.
fn find() -> Option<PathBuf> {
    let name = format!("{LAKE}{}", std::env::consts::EXE_SUFFIX);
    let beside = std::env::current_exe()
        .ok()
        .and_then(|own| Some(own.parent()?.join(&name)));
    let path = std::env::var_os("PATH").unwrap_or_default();
    beside
        .into_iter()
        .chain(std::env::split_paths(&path).map(|folder| folder.join(&name)))
        .find(|place| place.is_file())
}

/// Hands a command over to the program, which ends as it ends.
pub(crate) fn run(command: &str, args: &BesideArgs) -> Result<Exit> {
    let Some(program) = find() else {
        bail!(
            "`tabiya {command}` needs the program {LAKE}, which is not installed: `cargo install --locked --path lake` in the \
             project's folder builds it"
        );
    };
    let mut call = Command::new(&program);
    call.arg(command).args(&args.arguments);
    hand_over(call).with_context(|| program.display().to_string())
}

/// Becomes the program.
#[cfg(unix)]
fn hand_over(mut call: Command) -> Result<Exit> {
    use std::os::unix::process::CommandExt as _;
    // Whatever comes back is why it could not be started.
    Err(call.exec().into())
}

/// Waits for the program.
#[cfg(not(unix))]
fn hand_over(mut call: Command) -> Result<Exit> {
    let status = call.status()?;
    std::process::exit(status.code().unwrap_or(2))
}
