//! Output to the terminal: data to standard output, everything else to standard error.

use std::borrow::Cow;
use std::io::{BufWriter, IsTerminal, StderrLock, StdoutLock, Write};

use tabiya_io::terminal_filter::{self, ControlCharacterMode, TerminalFilter, is_order, own};

use super::global_args::ColorChoice;
use super::pager;

/// Standard output, without control characters from files.
pub(crate) type Stdout = BufWriter<TerminalFilter<StdoutLock<'static>>>;

/// Buffered standard output.
pub(crate) fn stdout() -> Stdout {
    stdout_with(if pager::is_terminal() {
        ControlCharacterMode::Show
    } else {
        ControlCharacterMode::Pass
    })
}

/// The same for JSON, if JSON is written: its readers get no control characters either.
pub(crate) fn stdout_of(json: bool) -> Stdout {
    if json {
        stdout_with(ControlCharacterMode::Json)
    } else {
        stdout()
    }
}

fn stdout_with(care: ControlCharacterMode) -> Stdout {
    BufWriter::with_capacity(1 << 16, TerminalFilter::new(std::io::stdout().lock(), care))
}

/// Standard error, likewise.
pub(crate) fn stderr() -> TerminalFilter<StderrLock<'static>> {
    let stderr = std::io::stderr().lock();
    let care = if stderr.is_terminal() {
        ControlCharacterMode::Show
    } else {
        ControlCharacterMode::Pass
    };
    TerminalFilter::new(stderr, care)
}

/// A line on standard error, unless only results and errors are asked for.
pub(crate) fn say(line: &str) {
    if super::global_args::has_notes() {
        say_always(line);
    }
}

/// A line on standard error in any case.
pub(crate) fn say_always(line: &str) {
    if pager::is_in_use() {
        let mut out = stdout();
        let _ = writeln!(out, "{line}").and_then(|()| out.flush());
        return;
    }
    let mut out = stderr();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

/// Shows help, the version, or an error in the arguments, which may contain anything that a file name may contain.
pub(crate) fn print(message: &clap::Error) {
    let plain = message.render().to_string();
    if plain.chars().any(|c| is_order(c) && c != '\n') {
        say_always(plain.trim_end());
    } else {
        let _ = message.print();
    }
}

/// A line on standard error that says why the program stops.
pub(crate) fn print_error(line: &str) {
    say_always(&format!(
        "{} {line}",
        TerminalColors::of_stderr().red("error:")
    ));
}

/// Colours, where a terminal wants them.
#[derive(Copy, Clone, Debug)]
pub(crate) struct TerminalColors(bool);

impl TerminalColors {
    /// Colours for standard error.
    pub(crate) fn of_stderr() -> TerminalColors {
        TerminalColors(has_colors(std::io::stderr().is_terminal()))
    }

    /// Colours for standard output.
    pub(crate) fn of_stdout() -> TerminalColors {
        TerminalColors(has_colors(pager::is_terminal()))
    }

    fn code(self, code: &str, text: &str) -> String {
        if self.0 {
            format!("{}{text}{}", own(&format!("\x1b[{code}m")), own("\x1b[0m"))
        } else {
            text.to_owned()
        }
    }

    /// For failures and damage.
    pub(crate) fn red(self, text: &str) -> String {
        self.code("1;31", text)
    }

    /// For warnings.
    pub(crate) fn yellow(self, text: &str) -> String {
        self.code("33", text)
    }

    /// For headings.
    pub(crate) fn bold(self, text: &str) -> String {
        self.code("1", text)
    }

    /// For what matters less.
    pub(crate) fn dim(self, text: &str) -> String {
        self.code("2", text)
    }
}

/// Whether a stream has colours.
fn has_colors(is_terminal: bool) -> bool {
    match super::global_args::color() {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => {
            is_terminal
                && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
                && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
        }
    }
}

/// A number with a comma between its thousands.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number of things, in words.
pub(crate) fn count(number: u64, one: &str, many: &str) -> String {
    format!(
        "{} {}",
        grouped(number),
        if number == 1 { one } else { many }
    )
}

/// Text from a file within a line: characters that a terminal obeys are shown as signs.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    terminal_filter::plain(text)
}

/// How many characters of a file's text a report quotes.
const QUOTE: usize = 200;

/// Text of a report within a line, as [`printable`]; a long one is cut, and says by how much. `--json` has it whole.
pub(crate) fn excerpt(text: &str) -> Cow<'_, str> {
    // A little more than is quoted is not worth cutting.
    let rest = text.chars().count().saturating_sub(QUOTE);
    match text.char_indices().nth(QUOTE) {
        Some((end, _)) if rest > QUOTE / 2 => Cow::Owned(format!(
            "{} … ({} more characters)",
            printable(&text[..end]),
            grouped(rest as u64)
        )),
        _ => printable(text),
    }
}
