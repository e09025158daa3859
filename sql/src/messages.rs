//! Messages beside the answers.

use std::io::{self, IsTerminal, Write};

use tabiya_io::terminal_filter::{ControlCharacterMode, TerminalFilter, is_order};

/// The care that is taken of text: a terminal is given no orders, a file or another program gets what is there.
pub(crate) fn care(is_terminal: bool) -> ControlCharacterMode {
    if is_terminal {
        ControlCharacterMode::Show
    } else {
        ControlCharacterMode::Pass
    }
}

/// Says something beside the answer.
pub(crate) fn say(words: &str) {
    let stderr = io::stderr();
    let care = care(stderr.is_terminal());
    let mut out = TerminalFilter::new(stderr, care);
    let _ = writeln!(out, "{words}").and_then(|()| out.flush());
}

/// Shows help, the version, or what is wrong with the arguments, which may hold whatever a file's name does.
pub(crate) fn print(message: &clap::Error) {
    let text = message.render().to_string();
    if text.chars().any(|c| is_order(c) && c != '\n') {
        say(text.trim_end());
    } else {
        let _ = message.print();
    }
}

/// Says what went wrong.
pub(crate) fn complain(command: &str, words: &str) {
    say(&format!("tabiya {command}: {words}"));
}
