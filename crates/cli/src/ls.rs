//! `tabiya ls`: games as a table.

use std::ops::ControlFlow;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use tabiya::list;

use super::args::{CellsArgs, JobsArgs, ReadArgs};
use super::exit::Exit;
use super::game_list::{GameListFormat, GameListPrinter, MatchPlace};
use super::report;
use super::select_args::{SelectArgs, bases_and_numbers};

#[derive(Args, Debug)]
pub(crate) struct LsArgs {
    /// Database; more may follow
    pub(crate) source: PathBuf,
    /// Games to list: numbers and ranges, such as 17, 20-25, 1000- or last [default: all]
    #[arg(value_name = "GAMES")]
    pub(crate) numbers: Vec<String>,
    /// Print JSON, one game per line
    #[arg(long, conflicts_with = "csv")]
    pub(crate) json: bool,
    /// Print CSV with a heading
    #[arg(long)]
    pub(crate) csv: bool,
    #[command(flatten)]
    pub(crate) cells: CellsArgs,
    /// Stop after N games
    #[arg(long, short = 'n', value_name = "N")]
    pub(crate) limit: Option<u64>,
    #[command(flatten)]
    pub(crate) select: SelectArgs,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
    #[command(flatten)]
    pub(crate) jobs: JobsArgs,
}

pub(crate) fn run(args: &LsArgs) -> Result<Exit> {
    let (paths, numbers) = bases_and_numbers(&args.source, &args.numbers);
    let wanted = args.select.with_numbers(&numbers)?;
    let opened = args.read.opener().open_all(&paths).or_fail()?;
    let control = args.jobs.control();
    let form = GameListFormat::of(args.json, args.csv, args.cells.are_guarded());
    let names = match &opened.bases[..] {
        [_] => Vec::new(),
        several => several.iter().map(|base| base.name().to_owned()).collect(),
    };
    let mut out = GameListPrinter::new(form, names, false);
    let (mut games, mut damaged) = (0, 0);
    let mut left = args.limit.unwrap_or(u64::MAX).max(1);
    for (at, base) in opened.bases.iter().enumerate() {
        if left == 0 {
            break;
        }
        let beside = MatchPlace {
            base: at,
            ply: None,
        };
        let listed = list::list(base, &wanted, form.shows_plies(), &control, |entry| {
            out.game(&entry, beside)?;
            left -= 1;
            Ok(match left {
                0 => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            })
        })?;
        games += listed.games;
        damaged += listed.damaged;
    }
    out.finish()?;
    report::print_damaged(damaged);
    if games == 0 && wanted.is_by_number() && !wanted.is_all() && !control.is_stopped() {
        bail!("{}: no game has these numbers", args.source.display());
    }
    let found = games > 0 || wanted.is_by_number();
    Ok(report::end(&opened, damaged > 0, found))
}
