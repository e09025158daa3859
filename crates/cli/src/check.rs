//! `tabiya check`: every diagnostic of a database, and the pages that explain them.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use tabiya::check::{self, CheckReport};
use tabiya::report::finding_answer;
use tabiya::{BaseFailure, pages};
use tabiya_answers::{Answer, SourceFindingAnswer};
use tabiya_model::Severity;

use super::action_names::{action_name, with_commands};
use super::args::{JobsArgs, ReadArgs};
use super::exit::Exit;
use super::output::{self, TerminalColors, count, excerpt, grouped};
use super::progress::ProgressLine;
use super::report::{self, severity};

#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
    /// Databases
    #[arg(required_unless_present = "explain")]
    pub(crate) sources: Vec<PathBuf>,
    /// Explain an issue by its code; `all` lists the codes
    #[arg(long, value_name = "CODE")]
    pub(crate) explain: Option<String>,
    /// Show at most N issues of each kind
    #[arg(
        long = "limit",
        short = 'n',
        alias = "most",
        value_name = "N",
        default_value_t = 20
    )]
    pub(crate) most: u64,
    /// Print JSON, one issue per line
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
    #[command(flatten)]
    pub(crate) jobs: JobsArgs,
}

pub(crate) fn run(args: &CheckArgs) -> Result<Exit> {
    if let Some(code) = &args.explain {
        return explain(code);
    }
    let mut opener = args.read.opener();
    opener.options.audit = true;
    let mut opened = opener.open_all(&args.sources);
    let control = args.jobs.control();
    let mut out = output::stdout_of(args.json);
    let mut damaged = false;
    for base in &opened.bases {
        let progress = ProgressLine::of(&control);
        let checked = check::check(base, args.most, &control);
        drop(progress);
        let checked = match checked {
            Ok(checked) => checked,
            Err(error) => {
                let name = base.name().to_owned();
                opened.failed.push(BaseFailure { name, error });
                continue;
            }
        };
        if !checked.ended.is_whole() {
            return Ok(Exit::Interrupted);
        }
        damaged |= checked.is_damaged();
        if args.json {
            for diagnostic in checked.diagnostics.iter() {
                let found = SourceFindingAnswer {
                    finding: finding_answer(diagnostic),
                    source: base.name().to_owned(),
                };
                writeln!(out, "{}", found.json())?;
            }
        } else {
            tell(&mut out, base.name(), &checked)?;
        }
    }
    out.flush()?;
    report::failures(&opened.failed);
    Ok(Exit::of(!opened.failed.is_empty(), damaged, true))
}

fn tell(out: &mut impl Write, name: &str, checked: &CheckReport) -> Result<()> {
    let paint = TerminalColors::of_stdout();
    let diagnostics = &checked.diagnostics;
    let mut counts = diagnostics.counts().to_vec();
    counts.sort_by_key(|(code, _)| std::cmp::Reverse(code.severity));
    for (code, number) in &counts {
        writeln!(
            out,
            "{}: {} {} [{}]",
            severity(paint, code.severity),
            code.summary,
            match number {
                1 => "once".to_owned(),
                _ => format!("{} times", grouped(*number)),
            },
            code.name,
        )?;
        let of_code = diagnostics.iter().filter(|d| d.code == *code);
        let mut shown = 0;
        for diagnostic in of_code {
            writeln!(
                out,
                "    {}: {}",
                diagnostic.place,
                excerpt(&diagnostic.message)
            )?;
            shown += 1;
        }
        if *number > shown {
            writeln!(
                out,
                "    … {} more (--limit shows more)",
                grouped(number - shown)
            )?;
        }
        writeln!(
            out,
            "    {}",
            paint.dim(&format!("help: {}", with_commands(code.help)))
        )?;
    }
    let damage = diagnostics.at_least(Severity::Damage);
    let all = diagnostics.at_least(Severity::Note);
    writeln!(
        out,
        "{name}: {}, {}, {}",
        count(checked.games, "game", "games"),
        match damage {
            0 => "no damage".to_owned(),
            _ => paint.red(&count(damage, "place with damage", "places with damage")),
        },
        match all - damage {
            0 => "nothing unusual".to_owned(),
            more => count(more, "minor issue", "minor issues"),
        }
    )?;
    Ok(())
}

/// Prints the pages of a code, or the list of all.
fn explain(name: &str) -> Result<Exit> {
    let mut out = output::stdout();
    if name == "all" {
        for (owner, page) in pages::all() {
            writeln!(
                out,
                "{:<32} {:<8} {owner}: {}",
                page.name(),
                page.weight(),
                page.summary()
            )?;
        }
        out.flush()?;
        return Ok(Exit::Success);
    }
    let found = pages::find(name);
    if found.is_empty() {
        bail!("{name}: no such code; `tabiya check --explain all` lists all codes");
    }
    let texts: Vec<String> = found
        .into_iter()
        .map(|page| page.text_with(action_name))
        .collect();
    write!(out, "{}", texts.join("\n"))?;
    out.flush()?;
    Ok(Exit::Success)
}
