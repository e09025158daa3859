//! Queries on the command line, and `tabiya query`: prints the language, or checks a query.

use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::path::Path;

use anyhow::{Context as _, Result, anyhow, bail};
use clap::Args;
use tabiya_query::{Aliases, Query, QueryContext, SavedQueries};

use super::exit::Exit;
use super::output::{self, count, say};
use super::repertoire_files::RepertoireFiles;

/// The page of the language.
const PAGE: &str = include_str!("../../../docs/query.md");

/// The language on one screen.
const CARD: &str = include_str!("query_card.txt");

/// The line after the card.
const MORE: &str = "`tabiya query --all` prints the reference; `tabiya query 'QUERY'` checks one.";

#[derive(Args, Debug)]
#[command(after_long_help = CARD)]
pub(crate) struct QueryArgs {
    /// Query to check [default: print a summary of the language]
    #[arg(value_name = "QUERY")]
    query: Option<String>,
    /// Print the whole reference
    #[arg(long, conflicts_with = "query")]
    all: bool,
}

/// The names in a file that mean the same player.
pub(crate) fn aliases(path: Option<&Path>) -> Result<Option<Aliases>> {
    of_file(path, |text| Ok(Aliases::parse(text)?))
}

/// The queries that a file has saved.
pub(crate) fn saved(path: Option<&Path>) -> Result<Option<SavedQueries>> {
    of_file(path, |text| Ok(SavedQueries::parse(text)?))
}

fn of_file<T>(path: Option<&Path>, read: impl Fn(&str) -> Result<T>) -> Result<Option<T>> {
    let Some(path) = path else { return Ok(None) };
    let name = || path.display().to_string();
    read(&text_of(path)?).map(Some).with_context(name)
}

/// No file of names or queries that anybody wrote is longer.
const LONGEST: u64 = 256 << 20;

/// The text of a file of names or queries. Those of others are often in Latin-1.
pub(crate) fn text_of(path: &Path) -> Result<String> {
    let name = || path.display().to_string();
    let mut bytes = Vec::new();
    let file = tabiya_io::regular_file::open_named(path).with_context(name)?;
    file.take(LONGEST + 1)
        .read_to_end(&mut bytes)
        .with_context(name)?;
    if bytes.len() as u64 > LONGEST {
        bail!("{}: the file is too long", name());
    }
    Ok(String::from_utf8(bytes).unwrap_or_else(|error| {
        let bytes = error.into_bytes();
        bytes.iter().map(|byte| char::from(*byte)).collect()
    }))
}

pub(crate) fn run(args: &QueryArgs) -> Result<Exit> {
    let mut out = output::stdout();
    match &args.query {
        None if args.all => write!(out, "{}", language())?,
        None => writeln!(out, "{CARD}\n{MORE}")?,
        Some(text) => {
            let repertoires = RepertoireFiles::default();
            let context = QueryContext {
                repertoires: Some(&repertoires),
                ..QueryContext::default()
            };
            let query = read(text, context)?;
            if let Some(note) = query.note() {
                say(&note);
            }
            let terms = query.terms.len() as u64;
            writeln!(out, "valid query of {}", count(terms, "term", "terms"))?;
        }
    }
    out.flush()?;
    Ok(Exit::Success)
}

/// The page for terminals and manuals, where lines that begin with a space stay lines.
fn language() -> String {
    let mut text = String::with_capacity(PAGE.len());
    let mut is_example = false;
    for line in PAGE.lines() {
        if line.starts_with("```") {
            is_example = !is_example;
            continue;
        }
        if line.starts_with("|---") {
            continue;
        }
        match line.strip_prefix('|').map(|row| row.trim_end_matches('|')) {
            _ if is_example => text.push_str("    "),
            Some(row) => {
                text.push(' ');
                text.push_str(&row.replace('`', "").replace("\\|", "/"));
                text.push('\n');
                continue;
            }
            None => {}
        }
        text.push_str(match is_example {
            // How many games of the samples an example finds is no part of it.
            true => line.rsplit_once(" # ").map_or(line, |(query, _)| query),
            false => line.trim_start_matches('#').trim_start(),
        });
        text.push('\n');
    }
    text
}

/// The page of the language for `man`.
pub(crate) fn manual() -> String {
    super::query_manual::page(PAGE, env!("CARGO_PKG_VERSION"))
}

/// Reads a query.
pub(crate) fn read(text: &str, context: QueryContext<'_>) -> Result<Query> {
    Query::parse(text, context).map_err(|error| anyhow!("{}", error.render(text)))
}

/// The help for a query that begins with a `-`, and so looks like an option.
pub(crate) fn begins_with_hyphen(words: &[OsString]) -> Option<String> {
    let commands = ["search", "query"];
    words
        .get(1)
        .filter(|command| commands.iter().any(|known| *command == known))?;
    let mut options = words
        .iter()
        .filter_map(|word| word.to_str()?.strip_prefix('-'));
    let rest = options.find(|rest| {
        rest.starts_with(char::is_alphabetic) && rest.contains([':', '=', '>', '<', '~'])
    })?;
    Some(format!(
        "help: a query cannot begin with `-`; use `not` to exclude: 'not {rest}'"
    ))
}
