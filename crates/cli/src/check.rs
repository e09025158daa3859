//! `tabiya check`: every diagnostic of a database, and the pages that explain them.

use std::io::Write;

use anyhow::{Result, bail};
use tabiya::Input;
use tabiya_formats::registry::FORMATS;
use tabiya_model::pipeline;
use tabiya_model::{Block, Code, Diagnostics, Game, Severity, Want};

use super::args::CheckArgs;
use super::exit::Exit;
use super::output::{self, Paint, count, grouped, printable};
use super::progress::Progress;
use super::report::{diagnostic_json, severity};

pub(crate) fn run(args: &CheckArgs) -> Result<Exit> {
    if let Some(code) = &args.explain {
        return explain(code);
    }
    let mut inputs = args.read.inputs();
    inputs.options.audit = true;
    let mut out = output::stdout();
    let mut worst = Exit::Success;
    for path in &args.sources {
        for mut input in inputs.open(path)? {
            let (games, diagnostics) = all(&mut input, args)?;
            if diagnostics.at_least(Severity::Damage) > 0 {
                worst = Exit::Incomplete;
            }
            if args.json {
                for diagnostic in diagnostics.iter() {
                    let mut json = diagnostic_json(diagnostic);
                    if let Some(fields) = json.as_object_mut() {
                        fields.insert("source".to_owned(), input.name.clone().into());
                    }
                    writeln!(out, "{json}")?;
                }
            } else {
                tell(&mut out, &input.name, games, &diagnostics)?;
            }
        }
    }
    out.flush()?;
    Ok(worst)
}

/// Reads every game with all its derived fields.
fn all(input: &mut Input, args: &CheckArgs) -> Result<(u64, Diagnostics)> {
    let mut source = input.source()?;
    let mut progress = Progress::start(source.total_bytes());
    let mut games = 0;
    let mut all = Diagnostics::with_cap(args.most);
    let most = args.most;
    pipeline::run(
        &mut *source,
        args.jobs.jobs(),
        || {
            let mut game = Game::default();
            move |block: &mut dyn Block| {
                let mut found = Diagnostics::with_cap(most);
                let mut count = 0_u64;
                while block.next(Want::ALL, &mut game)? {
                    count += 1;
                    if !game.diagnostics.is_empty() {
                        found.append(&game.diagnostics);
                    }
                }
                Ok((count, found, block.first().is_some(), block.bytes()))
            }
        },
        |(count, mut found, numbered, bytes)| {
            if !numbered {
                for diagnostic in found.iter_mut() {
                    if let Some(game) = &mut diagnostic.place.game {
                        *game += games;
                    }
                }
            }
            games += count;
            all.append(&found);
            progress.add(count, bytes);
            Ok(true)
        },
    )?;
    progress.finish();
    all.append(&source.diagnostics());
    Ok((games, all))
}

fn tell(out: &mut impl Write, name: &str, games: u64, diagnostics: &Diagnostics) -> Result<()> {
    let paint = Paint::of_stdout();
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
                printable(&diagnostic.message)
            )?;
            shown += 1;
        }
        if *number > shown {
            writeln!(
                out,
                "    … {} more (--most shows more)",
                grouped(number - shown)
            )?;
        }
        writeln!(out, "    {}", paint.dim(&format!("help: {}", code.help)))?;
    }
    let damage = diagnostics.at_least(Severity::Damage);
    let all = diagnostics.at_least(Severity::Note);
    writeln!(
        out,
        "{name}: {}, {}, {}",
        count(games, "game", "games"),
        match damage {
            0 => "no damage".to_owned(),
            _ => paint.red(&count(damage, "place with damage", "places with damage")),
        },
        match all - damage {
            0 => "nothing unusual".to_owned(),
            more => count(more, "oddity", "oddities"),
        }
    )?;
    Ok(())
}

fn codes() -> Vec<(&'static str, &'static Code)> {
    FORMATS
        .iter()
        .flat_map(|format| format.codes.iter().map(|code| (format.title, *code)))
        .chain(
            tabiya::archive::CODES
                .iter()
                .map(|code| ("archives", *code)),
        )
        .collect()
}

/// Prints the page of a code, or the list of all.
fn explain(name: &str) -> Result<Exit> {
    let mut out = output::stdout();
    if name == "all" {
        for (format, code) in codes() {
            writeln!(
                out,
                "{:<32} {:<8} {format}: {}",
                code.name,
                code.severity.to_string(),
                code.summary
            )?;
        }
        out.flush()?;
        return Ok(Exit::Success);
    }
    let mut pages: Vec<&'static Code> = Vec::new();
    for (_, code) in codes() {
        if code.name == name && !pages.contains(&code) {
            pages.push(code);
        }
    }
    if pages.is_empty() {
        bail!("{name}: there is no such code; `tabiya check --explain all` lists them");
    }
    for code in pages {
        writeln!(
            out,
            "{} ({})\n\n{}\n",
            code.name, code.severity, code.summary
        )?;
        if !code.page.is_empty() {
            writeln!(out, "{}\n", code.page)?;
        }
        writeln!(out, "What to do: {}", code.help)?;
    }
    out.flush()?;
    Ok(Exit::Success)
}
