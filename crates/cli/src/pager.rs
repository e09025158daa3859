//! Long output on a terminal goes through a pager, as git's does.
//!
//! The program starts itself again with the pager as its standard output, so that all output goes there.

use std::io::IsTerminal;
use std::process::{Child, Command, ExitCode, Stdio};

/// Says to the second program that a pager shows on a terminal what it writes.
const IN_USE: &str = "TABIYA_PAGER_IN_USE";

/// The variables of users, the more specific one first. An empty value or `cat` means no pager.
const SETTINGS: [&str; 2] = ["TABIYA_PAGER", "PAGER"];

/// Ends after one screen, passes colours, and leaves the text where it is.
const LESS: &str = "FRX";

/// Whether a pager shows the output: notes and errors go there too, because on the terminal they would mix with its text.
pub(crate) fn is_in_use() -> bool {
    std::env::var_os(IN_USE).is_some()
}

/// Whether standard output is a terminal, or what a pager shows on one.
pub(crate) fn is_terminal() -> bool {
    is_in_use() || std::io::stdout().is_terminal()
}

/// Runs the command through a pager, if its output is long (`is_long`) and there is a pager; then its end is that of the
/// program.
pub(crate) fn run(is_long: bool) -> Option<ExitCode> {
    let may = is_long
        && super::global_args::has_pager()
        && !is_in_use()
        && std::io::stdout().is_terminal();
    let mut pager = start(&chosen().filter(|_| may)?)?;
    let code = write_to(&mut pager);
    // If the user closes the pager, the program ends at its next line.
    let _ = pager.wait();
    code
}

/// The pager that the user has set, or the one that every Unix has.
fn chosen() -> Option<String> {
    let set = SETTINGS.iter().find_map(|name| std::env::var(name).ok());
    let usual = || cfg!(unix).then(|| "less".to_owned());
    let pager = set.or_else(usual)?;
    let is_none = matches!(pager.trim(), "" | "cat");
    (!is_none).then_some(pager)
}

fn start(pager: &str) -> Option<Child> {
    let mut call = if cfg!(unix) {
        // A value may have options and quotes, as git's may.
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(format!("exec {pager}"));
        shell
    } else {
        let mut words = pager.split_whitespace();
        let mut call = Command::new(words.next()?);
        call.args(words);
        call
    };
    if std::env::var_os("LESS").is_none() {
        call.env("LESS", LESS);
    }
    call.stdin(Stdio::piped()).spawn().ok()
}

/// Starts this program once more, before the pager, and waits for its end.
fn write_to(pager: &mut Child) -> Option<ExitCode> {
    let input = pager.stdin.take()?;
    let own = std::env::current_exe().ok()?;
    // Ctrl-C goes to all three: the pager takes it as it likes, the second program ends as ever, and this one waits for both.
    let _ = ctrlc::set_handler(|| {});
    let mut call = Command::new(own);
    call.args(std::env::args_os().skip(1))
        .env(IN_USE, "1")
        .stdout(Stdio::from(input));
    let mut program = call.spawn().ok()?;
    drop(call);
    let status = program.wait().ok()?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Some(ExitCode::from(code.unwrap_or(1)))
}
