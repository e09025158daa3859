//! `tabiya diff`: compares two databases game by game, by meaning.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use tabiya::diff::{self, DatabaseDifference, DiffGame};
use tabiya_answers::Answer;

use super::args::ReadArgs;
use super::exit::Exit;
use super::interrupt;
use super::output::{self, count, grouped, printable};
use super::progress::ProgressLine;
use super::report;

#[derive(Args, Debug)]
pub(crate) struct DiffArgs {
    /// First database
    pub(crate) a: PathBuf,
    /// Second database
    pub(crate) b: PathBuf,
    /// Show at most N games that differ
    #[arg(
        long = "limit",
        short = 'n',
        alias = "most",
        value_name = "N",
        default_value_t = 100
    )]
    pub(crate) most: u64,
    /// Print JSON, one difference per line, then the totals
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

pub(crate) fn run(args: &DiffArgs) -> Result<Exit> {
    let opener = args.read.opener();
    let first = opener.open(&args.a)?;
    let second = opener.open(&args.b)?;
    let control = interrupt::control();
    let mut out = output::stdout_of(args.json);
    let mut shown = 0;
    let progress = ProgressLine::of(&control);
    let compared = diff::diff(&first, &second, &control, |difference| {
        shown += 1;
        if shown > args.most {
            return Ok(ControlFlow::Break(()));
        }
        if args.json {
            writeln!(out, "{}", difference.answer().json())?;
        } else {
            tell(&mut out, difference)?;
        }
        Ok(ControlFlow::Continue(()))
    })?;
    drop(progress);
    if !compared.ended.is_whole() {
        return Ok(Exit::Interrupted);
    }
    let end = |is_same| {
        let damaged = [&first, &second].map(|bases| report::print_container_damage(bases));
        Exit::of(false, damaged.contains(&true), is_same)
    };
    if args.json {
        writeln!(out, "{}", compared.answer().json())?;
        out.flush()?;
        return Ok(end(compared.is_same()));
    }
    let all = compared.changed + compared.moved + compared.only_first + compared.only_second;
    if all > args.most {
        writeln!(
            out,
            "… {} (--limit shows more)",
            count(all - args.most, "more difference", "more differences")
        )?;
    }
    let mut line = format!(
        "{} and {} compared, ",
        grouped(compared.first),
        count(compared.second, "game", "games")
    );
    if compared.is_same() {
        line.push_str("no difference");
    } else {
        let parts = [
            (compared.changed, "differs", "differ"),
            (compared.moved, "has another number", "have another number"),
        ];
        let mut told: Vec<String> = parts
            .into_iter()
            .filter(|(number, ..)| *number > 0)
            .map(|(number, one, many)| count(number, one, many))
            .collect();
        for (number, only) in [
            (compared.only_first, &args.a),
            (compared.only_second, &args.b),
        ] {
            if number > 0 {
                told.push(format!("{} only in {}", grouped(number), only.display()));
            }
        }
        line.push_str(&told.join(", "));
    }
    writeln!(out, "{line}")?;
    out.flush()?;
    Ok(end(compared.is_same()))
}

fn tell(out: &mut impl Write, difference: &DatabaseDifference) -> std::io::Result<()> {
    let named = |place: &DiffGame| {
        let title = printable(&place.title).into_owned();
        format!("game {} of {} ({title})", place.number, place.base)
    };
    match difference {
        DatabaseDifference::Changed(a, b, differences) => {
            let which = if a.number == b.number {
                format!("game {}", a.number)
            } else {
                format!("game {} ({} in the other)", a.number, b.number)
            };
            for difference in differences {
                writeln!(out, "{which}: {}", printable(&difference.to_string()))?;
            }
            Ok(())
        }
        DatabaseDifference::Moved(a, b) => {
            writeln!(out, "{} is game {} in the other", named(a), b.number)
        }
        DatabaseDifference::OnlyFirst(place) | DatabaseDifference::OnlySecond(place) => {
            writeln!(out, "{} is not in the other database", named(place))
        }
    }
}
