//! The manual pages of the commands, made from their arguments.

use std::fmt::Write;
use std::path::Path;

use clap::{Arg, ArgAction, Command};

use super::roff::{escaped, inline};

/// The version at the foot of a page.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The heading of options that have none of their own.
const OPTIONS: &str = "Options";

/// Writes the page of a command and those of its subcommands, each to a file of its name.
pub(crate) fn write_all(mut command: Command, folder: &Path) -> std::io::Result<()> {
    command.build();
    write(&command, command.get_name(), folder)
}

fn write(command: &Command, name: &str, folder: &Path) -> std::io::Result<()> {
    let page = page(command, name);
    std::fs::write(folder.join(format!("{name}.1")), page)?;
    for own in subcommands(command) {
        write(own, &format!("{name}-{}", own.get_name()), folder)?;
    }
    Ok(())
}

fn subcommands(command: &Command) -> impl Iterator<Item = &Command> {
    let is_shown = |own: &&Command| own.get_name() != "help" && !own.is_hide_set();
    command.get_subcommands().filter(is_shown)
}

/// The page of a command; `name` has hyphens between the commands that lead to it.
fn page(command: &Command, name: &str) -> String {
    let short = command.get_about().map(ToString::to_string);
    let short = short.unwrap_or_default();
    let call = name.replace('-', " ");
    let mut out = format!(
        ".TH {name} 1 \"\" \"tabiya {VERSION}\" \"Tabiya\"\n.SH NAME\n{name} \\- {short}\n.SH SYNOPSIS\n\\fB{call}\\fR",
        name = escaped(name),
        short = inline(&short),
        call = escaped(&call),
    );
    let shown: Vec<&Arg> = command
        .get_arguments()
        .filter(|argument| !argument.is_hide_set())
        .collect();
    if shown.iter().any(|argument| !argument.is_positional()) {
        out.push_str(" [\\fIOPTIONS\\fR]");
    }
    for argument in shown.iter().filter(|argument| argument.is_positional()) {
        out.push(' ');
        out.push_str(&operand(argument));
    }
    if subcommands(command).next().is_some() {
        out.push_str(" \\fICOMMAND\\fR");
    }
    let long = command.get_long_about().or(command.get_about());
    section(
        &mut out,
        "Description",
        &long.map(ToString::to_string).unwrap_or_default(),
    );
    arguments(&mut out, &shown);
    if subcommands(command).next().is_some() {
        out.push_str(".SH COMMANDS\n");
        for own in subcommands(command) {
            let about = own.get_about().map(ToString::to_string);
            let page = format!("{name}-{}", own.get_name());
            let _ = writeln!(
                out,
                ".TP\n\\fB{}\\fR(1)\n{}",
                escaped(&page),
                inline(&about.unwrap_or_default())
            );
        }
    }
    let after = command.get_after_long_help().or(command.get_after_help());
    if let Some(after) = after {
        section(&mut out, "Notes", &after.to_string());
    }
    if let Some((above, _)) = name.rsplit_once('-') {
        let _ = writeln!(out, ".SH SEE ALSO\n\\fB{}\\fR(1)", escaped(above));
    }
    out
}

/// A section of paragraphs; indented lines are not changed.
fn section(out: &mut String, heading: &str, text: &str) {
    let _ = write!(out, "\n.SH {}\n", escaped(&heading.to_uppercase()));
    paragraphs(out, text);
}

fn paragraphs(out: &mut String, text: &str) {
    for line in text.lines() {
        if line.is_empty() {
            out.push_str(".PP\n");
        } else if line.starts_with("  ") {
            let _ = writeln!(out, ".br\n\\ \\ {}", inline(line.trim_start()));
        } else {
            let _ = writeln!(out, "{}", inline(line));
        }
    }
}

/// The operands, then the options under their headings, in the order of the help.
fn arguments(out: &mut String, shown: &[&Arg]) {
    let mut headings: Vec<&str> = Vec::new();
    for argument in shown {
        let heading = heading_of(argument);
        if !headings.contains(&heading) {
            headings.push(heading);
        }
    }
    for heading in headings {
        let _ = writeln!(out, ".SH \"{}\"", escaped(&heading.to_uppercase()));
        let of_heading = shown
            .iter()
            .filter(|argument| heading_of(argument) == heading);
        for argument in of_heading {
            entry(out, argument);
        }
    }
}

fn heading_of(argument: &Arg) -> &str {
    let usual = if argument.is_positional() {
        "Arguments"
    } else {
        OPTIONS
    };
    argument.get_help_heading().unwrap_or(usual)
}

/// An argument with its help, its values and its default.
fn entry(out: &mut String, argument: &Arg) {
    let mut names = Vec::new();
    if let Some(short) = argument.get_short() {
        names.push(format!("\\fB\\-{short}\\fR"));
    }
    if let Some(long) = argument.get_long() {
        names.push(format!("\\fB\\-\\-{}\\fR", escaped(long)));
    }
    let label = match names.is_empty() {
        true => operand(argument),
        false => format!("{}{}", names.join(", "), value(argument)),
    };
    let _ = writeln!(out, ".TP\n{label}");
    let help = argument.get_long_help().or(argument.get_help());
    paragraphs(out, &help.map(ToString::to_string).unwrap_or_default());
    let takes_value = matches!(argument.get_action(), ArgAction::Set | ArgAction::Append);
    if takes_value && !argument.is_hide_possible_values_set() {
        for possible in argument.get_possible_values() {
            if possible.is_hide_set() {
                continue;
            }
            let help = possible.get_help().map(ToString::to_string);
            let help = help
                .map(|help| format!(": {}", inline(&help)))
                .unwrap_or_default();
            let _ = writeln!(out, ".br\n\\fI{}\\fR{help}", escaped(possible.get_name()));
        }
    }
    let default = argument.get_default_values();
    if takes_value && !default.is_empty() && !argument.is_hide_default_value_set() {
        let default: Vec<_> = default
            .iter()
            .map(|value| value.to_string_lossy())
            .collect();
        let _ = writeln!(out, ".br\n[default: {}]", escaped(&default.join(",")));
    }
}

/// The value after an option.
fn value(argument: &Arg) -> String {
    let Some(range) = argument.get_num_args().filter(|range| range.takes_values()) else {
        return String::new();
    };
    let names = argument.get_value_names().unwrap_or_default();
    let names: Vec<String> = names
        .iter()
        .map(|name| format!("\\fI{}\\fR", escaped(name)))
        .collect();
    let names = names.join(" ");
    match range.min_values() == 0 {
        true => format!("[={names}]"),
        false => format!(" {names}"),
    }
}

/// A value without an option.
fn operand(argument: &Arg) -> String {
    let names = argument.get_value_names().unwrap_or_default();
    let mut text = names.join(" ");
    if text.is_empty() {
        text = argument.get_id().as_str().to_uppercase();
    }
    let is_many = argument
        .get_num_args()
        .is_some_and(|range| range.max_values() > names.len().max(1));
    let text = format!(
        "\\fI{}\\fR{}",
        escaped(&text),
        if is_many { "…" } else { "" }
    );
    match argument.is_required_set() {
        true => text,
        false => format!("[{text}]"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_all_that_the_help_has() {
        let command = Command::new("tool")
            .about("Do things")
            .arg(
                Arg::new("base")
                    .required(true)
                    .value_name("BASE")
                    .help("A base"),
            )
            .arg(
                Arg::new("level")
                    .short('l')
                    .long("the-level")
                    .value_name("N")
                    .default_value("1")
                    .value_parser(["1", "2"])
                    .help("How much")
                    .help_heading("More"),
            )
            .arg(
                Arg::new("old")
                    .long("old")
                    .hide(true)
                    .action(ArgAction::SetTrue),
            )
            .subcommand(Command::new("part").about("Do a part"));
        let folder = tempfile::tempdir().expect("a folder");
        write_all(command, folder.path()).expect("written");
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("a page");
        let page = read("tool.1");
        for line in [
            "tool \\- Do things",
            "\\fBtool\\fR [\\fIOPTIONS\\fR] \\fIBASE\\fR \\fICOMMAND\\fR",
            ".SH \"MORE\"",
            "\\fB\\-l\\fR, \\fB\\-\\-the\\-level\\fR \\fIN\\fR",
            "[default: 1]",
            "\\fBtool\\-part\\fR(1)",
        ] {
            assert!(page.lines().any(|own| own == line), "{line}\n{page}");
        }
        assert!(!page.contains("old"), "{page}");
        assert!(read("tool-part.1").contains("\\fBtool part\\fR"));
    }
}
