//! `tabiya info`: describes databases.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use tabiya::BaseFailure;
use tabiya::info::{self, InfoReport};
use tabiya_answers::Answer;

use super::args::{JobsArgs, ReadArgs};
use super::exit::Exit;
use super::output::{self, TerminalColors, count, grouped, printable};
use super::progress::ProgressLine;
use super::report;

#[derive(Args, Debug)]
pub(crate) struct InfoArgs {
    /// Databases; a folder means all databases in it
    #[arg(required = true)]
    pub(crate) sources: Vec<PathBuf>,
    /// Read all games, to count results, ratings, encodings and damage
    #[arg(long)]
    pub(crate) full: bool,
    /// Show the files inside the .emb of a Chess Assistant database as hex dumps
    #[arg(long, conflicts_with_all = ["full", "json"])]
    pub(crate) raw: bool,
    /// Print JSON, one database per line
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
    #[command(flatten)]
    pub(crate) jobs: JobsArgs,
}

pub(crate) fn run(args: &InfoArgs) -> Result<Exit> {
    if args.raw {
        return super::emb_dump::run(&args.sources, &args.read.opener().options);
    }
    let mut opened = args.read.opener().open_all(&args.sources);
    let control = args.jobs.control();
    let mut out = output::stdout_of(args.json);
    let mut damaged = false;
    for base in &opened.bases {
        let progress = ProgressLine::of(&control);
        let description = info::info(base, args.full, &control);
        drop(progress);
        let description = match description {
            Ok(description) => description,
            Err(error) => {
                let name = base.name().to_owned();
                opened.failed.push(BaseFailure { name, error });
                continue;
            }
        };
        if !description.ended.is_whole() {
            return Ok(Exit::Interrupted);
        }
        damaged |= description.is_damaged();
        if args.json {
            writeln!(out, "{}", description.answer().json())?;
        } else {
            tell(&mut out, &description)?;
        }
    }
    out.flush()?;
    report::failures(&opened.failed);
    Ok(Exit::of(!opened.failed.is_empty(), damaged, true))
}

fn tell(out: &mut impl Write, description: &InfoReport) -> std::io::Result<()> {
    let lines = lines(description);
    let width = lines.iter().map(|(name, _)| name.chars().count()).max();
    let width = width.unwrap_or(0);
    let name = printable(&description.name).into_owned();
    writeln!(out, "{}", TerminalColors::of_stdout().bold(&name))?;
    for (name, value) in &lines {
        writeln!(out, "  {name:<width$}  {}", printable(value))?;
    }
    Ok(())
}

/// The known facts, in the order in which they are shown.
fn lines(description: &InfoReport) -> Vec<(String, String)> {
    let mut lines = Vec::new();
    let mut add = |name: &str, value: String| lines.push((name.to_owned(), value));
    add("format", description.format.to_owned());
    if !description.version.is_empty() {
        add("version", description.version.clone());
    }
    for (path, size) in &description.files {
        let name = path.file_name().unwrap_or(path.as_os_str());
        let size = count(*size, "byte", "bytes");
        add("file", format!("{}, {size}", name.to_string_lossy()));
    }
    for (name, value) in &description.fields {
        add(name, value.clone());
    }
    if let Some(games) = description.games {
        add("games", grouped(games));
    }
    let overview = description.overview.clone().unwrap_or_default();
    if let (Some(first), Some(last)) = (&overview.first, &overview.last) {
        add("dates", format!("{first} to {last}"));
    }
    if description.overview.is_some() {
        add("deleted", grouped(overview.deleted));
    }
    if let Some(survey) = &description.survey {
        let list = |map: &std::collections::BTreeMap<&str, u64>| -> String {
            let parts: Vec<String> = map
                .iter()
                .map(|(name, number)| format!("{name} {}", grouped(*number)))
                .collect();
            parts.join(", ")
        };
        add("results", list(&survey.results));
        for (name, number) in survey.numbers() {
            add(name, grouped(number));
        }
        if !survey.charsets.is_empty() {
            add("games not in UTF-8", list(&survey.charsets));
        }
    }
    for (code, number) in description.diagnostics.counts() {
        add(
            &code.severity.to_string(),
            format!(
                "{} [{}]",
                report::sentence(code.summary, *number),
                code.name
            ),
        );
    }
    lines
}
