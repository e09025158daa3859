//! `tabiya cat`: single games.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use tabiya::show::{self, GameFormat};
use tabiya_formats::pgn::PgnStyle;

use super::args::{CellsArgs, ReadArgs};
use super::exit::Exit;
use super::format_options::PgnSettings;
use super::output::{self, say};
use super::select_args::{SelectArgs, bases_and_numbers};
use super::{interrupt, report};

#[derive(Args, Debug)]
pub(crate) struct CatArgs {
    /// Database; more may follow
    pub(crate) source: PathBuf,
    /// Games to print: numbers and ranges, such as 17, 20-25 or last [default: all]
    #[arg(value_name = "GAMES")]
    pub(crate) numbers: Vec<String>,
    /// Print JSON instead of PGN, one game per line
    #[arg(long, conflicts_with = "csv")]
    pub(crate) json: bool,
    /// Print CSV instead of PGN, one ply per row
    #[arg(long)]
    pub(crate) csv: bool,
    #[command(flatten)]
    pub(crate) cells: CellsArgs,
    #[command(flatten)]
    pub(crate) settings: PgnSettings,
    /// Stop after N games
    #[arg(long, short = 'n', value_name = "N")]
    pub(crate) limit: Option<u64>,
    #[command(flatten)]
    pub(crate) select: SelectArgs,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

pub(crate) fn run(args: &CatArgs) -> Result<Exit> {
    let (paths, numbers) = bases_and_numbers(&args.source, &args.numbers);
    let wanted = args.select.with_numbers(&numbers)?;
    let mut form = match (args.json, args.csv) {
        (true, _) => GameFormat::json(),
        (_, true) if args.cells.are_guarded() => GameFormat::guarded_csv(),
        (_, true) => GameFormat::csv(),
        _ => GameFormat::pgn(PgnStyle::of(&args.settings.0)?),
    };
    let opened = args.read.opener().open_all(&paths).or_fail()?;
    let control = interrupt::control();
    let mut out = output::stdout_of(args.json);
    out.write_all(&form.heading())?;
    let (mut games, mut damaged) = (0, 0);
    let mut left = args.limit.unwrap_or(u64::MAX).max(1);
    for base in &opened.bases {
        if left == 0 {
            break;
        }
        let shown = show::show(base, &wanted, &mut form, &control, |game, text| {
            for diagnostic in game.diagnostics.iter() {
                say(&diagnostic.to_string());
            }
            out.write_all(text)?;
            left -= 1;
            Ok(match left {
                0 => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            })
        })?;
        games += shown.games;
        damaged += shown.damaged;
    }
    out.flush()?;
    if games == 0 && wanted.is_by_number() && !wanted.is_all() && !control.is_stopped() {
        bail!("{}: no game has these numbers", args.source.display());
    }
    let found = games > 0 || wanted.is_by_number();
    Ok(report::end(&opened, damaged > 0, found))
}
