//! The configuration file: default options of commands.
//!
//! Options of the command line count before those of the variable `TABIYA_OPTIONS`, and these before those of the file.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use clap::Command;
use tabiya_io::regular_file;

use super::options_file;

/// The variable that names another file; empty for none.
const FILE: &str = "TABIYA_CONFIG";

/// The variable with options for all commands that have them.
const OPTIONS: &str = "TABIYA_OPTIONS";

/// Where the file is.
pub(crate) fn path() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os(FILE) {
        return (!path.is_empty()).then(|| PathBuf::from(path));
    }
    let folder = |name: &str| {
        let path = PathBuf::from(std::env::var_os(name)?);
        path.is_absolute().then_some(path)
    };
    let folder = match cfg!(windows) {
        true => folder("APPDATA"),
        false => folder("XDG_CONFIG_HOME").or_else(|| Some(folder("HOME")?.join(".config"))),
    };
    let path = folder?.join("tabiya").join("tabiya.conf");
    path.is_file().then_some(path)
}

/// The options of one section.
struct ConfigSection {
    /// The command, or `all`.
    command: String,
    words: Vec<OsString>,
}

/// Reads a file: `[COMMAND]` or `[all]`, then options as on the command line.
fn sections(text: &str) -> Result<Vec<ConfigSection>> {
    let mut sections = vec![ConfigSection {
        command: "all".to_owned(),
        words: Vec::new(),
    }];
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        let heading = line
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'));
        if let Some(command) = heading {
            sections.push(ConfigSection {
                command: command.trim().to_owned(),
                words: Vec::new(),
            });
            continue;
        }
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if !line.starts_with('-') {
            bail!(
                "line {}: expected an option that begins with `-`, or a command in [ ]",
                number + 1
            );
        }
        if let Some(section) = sections.last_mut() {
            section.words.extend(options_file::split(line)?);
        }
    }
    Ok(sections)
}

/// The options of `words` that a command has; the value of an option stays with it.
fn known(command: &Command, words: Vec<OsString>) -> Vec<OsString> {
    let mut known = Vec::new();
    let mut is_known = false;
    for word in words {
        let text = word.to_string_lossy();
        if let Some(long) = text.strip_prefix("--") {
            let name = long.split('=').next().unwrap_or(long);
            is_known = command.get_arguments().any(|arg| {
                arg.get_long() == Some(name)
                    || arg
                        .get_all_aliases()
                        .is_some_and(|aliases| aliases.contains(&name))
            });
        } else if let Some(short) = text.strip_prefix('-').and_then(|rest| rest.chars().next())
            && !short.is_ascii_digit()
        {
            is_known = command
                .get_arguments()
                .any(|arg| arg.get_short() == Some(short));
        }
        if is_known {
            known.push(word);
        }
    }
    known
}

/// The arguments with the options of the file and of the variable after the name of the command.
///
/// Options that the command line repeats are left out: those of the command line count first.
pub(crate) fn expand(
    words: Vec<OsString>,
    syntax: impl Fn(&str) -> Option<Command>,
) -> Result<Vec<OsString>> {
    let Some(name) = words.get(1).and_then(|word| word.to_str()) else {
        return Ok(words);
    };
    let mut options = Vec::new();
    let path = path();
    let variable = std::env::var(OPTIONS).unwrap_or_default();
    if name.starts_with('-') || (path.is_none() && variable.trim().is_empty()) {
        return Ok(words);
    }
    let Some(command) = syntax(name) else {
        return Ok(words);
    };
    if let Some(path) = path {
        let shown = || path.display().to_string();
        let text = regular_file::read_named_to_string(&path).with_context(shown)?;
        for section in sections(&text).with_context(shown)? {
            match section.command.as_str() {
                "all" => options.push(known(&command, section.words)),
                own if own == command.get_name() => options.push(section.words),
                _ => {}
            }
        }
    }
    let variable = options_file::split(&variable).with_context(|| OPTIONS.to_owned())?;
    options.push(known(&command, variable));
    let given: Vec<OsString> = words.get(2..).unwrap_or_default().to_vec();
    // Of options that exclude each other the nearer ones count.
    let command = command.args_override_self(true).no_binary_name(true);
    let mut taken = given.clone();
    for part in options.into_iter().rev() {
        let more: Vec<OsString> = part.into_iter().chain(taken.clone()).collect();
        if taken.is_empty() || command.clone().try_get_matches_from(&more).is_ok() {
            taken = more;
            continue;
        }
        // An error in the file itself is reported; a contradiction of the command line is not.
        let is_given_right = command.clone().try_get_matches_from(&given).is_ok();
        if !is_given_right {
            taken = more;
        }
    }
    let mut all: Vec<OsString> = words.into_iter().take(2).collect();
    all.extend(taken);
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_sections() {
        let text = "# mine\n--quiet\n[search]\n--limit 20 --sort=-date\n[all]\n-j 2\n";
        let sections = sections(text).expect("sections");
        let all: Vec<_> = sections
            .iter()
            .map(|section| (section.command.as_str(), section.words.len()))
            .collect();
        assert_eq!(all, [("all", 1), ("search", 3), ("all", 2)]);
        assert!(super::sections("limit = 20\n").is_err());
    }

    #[test]
    fn commands_take_the_options_that_they_have() {
        let command = Command::new("x")
            .arg(clap::Arg::new("jobs").long("jobs").short('j').num_args(1))
            .arg(clap::Arg::new("csv").long("csv").num_args(0));
        let words = ["--json", "-j", "2", "--csv", "--limit", "5"].map(OsString::from);
        let taken = known(&command, words.to_vec());
        assert_eq!(taken, ["-j", "2", "--csv"].map(OsString::from));
    }
}
