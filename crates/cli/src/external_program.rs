//! Jobs of other programs: SQL, and databases on a server. They are found as git finds its commands, first beside this program,
//! then on the path, and have the same version.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};
use clap::Args;
use tabiya_server::FetchProgram;

use super::commands::Cli;
use super::config_file;
use super::exit::Exit;

/// The program that answers SQL.
const SQL: &str = "tabiya-sql";

/// The name of that program in earlier versions.
const SQL_BEFORE: &str = "tabiya-lake";

/// The program that fetches games from sites.
const FETCH: &str = "tabiya-fetch";

/// The program that is this one with a client of MySQL servers in it.
const MYSQL: &str = "tabiya-mysql";

/// The version that all of them have.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Arguments that the other program reads.
#[derive(Args, Debug)]
pub(crate) struct ExternalProgramArgs {
    /// Arguments passed to tabiya-sql; `tabiya-sql help` lists them
    #[arg(
        value_name = "ARGUMENT",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    arguments: Vec<OsString>,
}

/// Arguments that the program for sites reads.
#[derive(Args, Debug)]
pub(crate) struct FetchArgs {
    /// Arguments passed to tabiya-fetch; `tabiya-fetch help` lists them
    #[arg(
        value_name = "ARGUMENT",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    arguments: Vec<OsString>,
}

/// Hands a command over to the program for sites, which ends as it ends.
pub(crate) fn fetch(args: &FetchArgs) -> Result<Exit> {
    let Some(program) = find(FETCH) else {
        bail!(
            "`tabiya fetch` needs the program {FETCH}, which is not installed; install it with `cargo install --locked --path \
             crates/fetch` in the project's folder"
        );
    };
    Err(hand_over(&program, &args.arguments))
}

/// How the app runs the program for sites, where it is installed: through this one, which adds the options of the
/// configuration file. Where one program cannot become another one, it would outlive the one that is ended, and runs alone,
/// with the options that the file has now.
pub(crate) fn fetch_program() -> Option<FetchProgram> {
    let program = find(FETCH)?;
    let own = std::env::current_exe().ok().filter(|_| cfg!(unix));
    Some(match own {
        Some(path) => FetchProgram {
            path,
            arguments: vec!["fetch".into()],
        },
        None => FetchProgram {
            path: program,
            // An error in the file was reported when this program read it for itself.
            arguments: config_file::expand(
                vec!["tabiya".into(), "fetch".into()],
                Cli::command_named,
            )
            .map(|words| words.into_iter().skip(2).collect())
            .unwrap_or_default(),
        },
    })
}

/// Where a program is.
fn find(name: &str) -> Option<PathBuf> {
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let beside = std::env::current_exe()
        .ok()
        .and_then(|own| Some(own.parent()?.join(&name)));
    let path = std::env::var_os("PATH").unwrap_or_default();
    beside
        .into_iter()
        .chain(std::env::split_paths(&path).map(|folder| folder.join(&name)))
        .find(|place| place.is_file())
}

/// The program for SQL, where it is installed and of this version.
pub(crate) fn sql() -> Option<PathBuf> {
    find(SQL).filter(|program| same_version(program).is_ok())
}

/// Hands a command over to the program for SQL, which ends as it ends.
pub(crate) fn run(command: &str, args: &ExternalProgramArgs) -> Result<Exit> {
    let Some(program) = find(SQL).or_else(|| find(SQL_BEFORE)) else {
        bail!(
            "`tabiya {command}` needs the program {SQL}, which is not installed; install it with `cargo install --locked --path \
             sql` in the project's folder"
        );
    };
    Err(hand_over(
        &program,
        [OsStr::new(command)]
            .into_iter()
            .chain(args.arguments.iter().map(OsString::as_os_str)),
    ))
}

/// The program that has to run this command line, because a word of it is the address of a server.
///
/// If it is not installed, the error for the address says how to get the program.
pub(crate) fn for_servers(words: &[OsString]) -> Option<PathBuf> {
    let is_address =
        |word: &OsString| tabiya::database_server::server_url(Path::new(word)).is_some();
    if tabiya::database_server::has_client() || !words.iter().skip(1).any(is_address) {
        return None;
    }
    find(MYSQL)
}

/// Becomes the program; if that fails, returns the reason.
pub(crate) fn hand_over(
    program: &Path,
    arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
) -> anyhow::Error {
    match same_version(program) {
        Err(error) => error,
        Ok(()) => {
            let mut call = Command::new(program);
            call.args(arguments);
            replace(call).context(program.display().to_string())
        }
    }
}

/// Refuses a program of another version, which may read and write otherwise.
fn same_version(program: &Path) -> Result<()> {
    let answer = Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .with_context(|| program.display().to_string())?;
    let answer = String::from_utf8_lossy(&answer.stdout);
    let version = answer.split_whitespace().nth(1).unwrap_or("none");
    if version != VERSION {
        bail!(
            "{} has version {version}, but this program has version {VERSION}: install the same version of both",
            program.display()
        );
    }
    Ok(())
}

/// Runs another program instead of this one.
#[cfg(unix)]
fn replace(mut call: Command) -> anyhow::Error {
    use std::os::unix::process::CommandExt as _;
    call.exec().into()
}

/// Runs another program and ends as it does.
#[cfg(not(unix))]
fn replace(mut call: Command) -> anyhow::Error {
    match call.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(2)),
        Err(error) => error.into(),
    }
}
