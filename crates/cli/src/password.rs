//! Passwords of encrypted archives: from a file, or typed at a terminal that does not show them. Never from an argument,
//! which other users can see.

use std::collections::BTreeMap;
use std::io::{IsTerminal, stderr, stdin};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tabiya::Password;

use super::output::printable;

/// Reads a password from a file.
pub(crate) fn from_file(path: &str) -> Result<Password, String> {
    let bytes =
        tabiya_io::regular_file::read_named(path.as_ref()).map_err(|error| error.to_string())?;
    of_line(&bytes).ok_or_else(|| "the file is empty".to_owned())
}

/// A password without the line break that ends it.
fn of_line(bytes: &[u8]) -> Option<Password> {
    let line = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    (!line.is_empty()).then(|| Password::new(line))
}

/// Answers by the file that they are for: a command may open a file more than once.
static ANSWERS: Mutex<BTreeMap<PathBuf, Option<Password>>> = Mutex::new(BTreeMap::new());

/// Asks for the password of a file, once; nothing where no terminal is there or the answer is empty.
pub(crate) fn ask(path: &Path) -> Option<Password> {
    if !stdin().is_terminal() || !stderr().is_terminal() {
        return None;
    }
    let mut answers = ANSWERS.lock().unwrap_or_else(PoisonError::into_inner);
    let answer = answers.entry(path.to_path_buf()).or_insert_with(|| {
        let question = format!("Password for {}: ", printable(&path.display().to_string()));
        hidden_line(&question).ok().and_then(|line| of_line(&line))
    });
    answer.clone()
}

/// A line that is typed at the terminal and not shown.
#[cfg(unix)]
fn hidden_line(question: &str) -> std::io::Result<Vec<u8>> {
    use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
    use std::fs::File;
    use std::io::{BufRead, BufReader, Read, Write};

    /// Longer ones are no passwords.
    const LONGEST: u64 = 4096;

    /// Turns the echo of the terminal on again, however this ends.
    struct EchoGuard<'a>(&'a File, Termios);

    impl Drop for EchoGuard<'_> {
        fn drop(&mut self) {
            let _ = tcsetattr(self.0, OptionalActions::Now, &self.1);
        }
    }

    let terminal = File::options().read(true).write(true).open("/dev/tty")?;
    let before = tcgetattr(&terminal)?;
    let mut silent = before.clone();
    silent.local_modes.remove(LocalModes::ECHO);
    silent.local_modes.insert(LocalModes::ECHONL);
    let _shown = EchoGuard(&terminal, before);
    tcsetattr(&terminal, OptionalActions::Flush, &silent)?;
    (&terminal).write_all(question.as_bytes())?;
    let mut line = Vec::new();
    BufReader::new((&terminal).take(LONGEST)).read_until(b'\n', &mut line)?;
    Ok(line)
}

/// Elsewhere a terminal would show it, so that nothing is asked.
#[cfg(not(unix))]
fn hidden_line(_: &str) -> std::io::Result<Vec<u8>> {
    Err(std::io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_break_is_no_part_of_a_password() {
        for line in [&b"pass"[..], b"pass\n", b"pass\r\n"] {
            assert!(of_line(line).is_some());
        }
        for line in [&b""[..], b"\n", b"\r\n"] {
            assert!(of_line(line).is_none());
        }
    }
}
