//! `tabiya cat`: single games.

use std::io::Write;
use std::ops::ControlFlow;

use anyhow::{Result, bail};
use tabiya::numbers::ranges;
use tabiya::show::{self, GameFormat};
use tabiya_formats::pgn::PgnStyle;

use super::args::CatArgs;
use super::exit::Exit;
use super::output::{self, say};
use super::{interrupt, report};

pub(crate) fn run(args: &CatArgs) -> Result<Exit> {
    let wanted = ranges(&args.games)?;
    let mut form = match (args.json, args.csv) {
        (true, _) => GameFormat::json(),
        (_, true) if args.cells.are_guarded() => GameFormat::guarded_csv(),
        (_, true) => GameFormat::csv(),
        _ => GameFormat::pgn(PgnStyle::of(&args.settings.0)?),
    };
    let opened = args.read.opener().open_all(&[&args.source]).or_fail()?;
    let control = interrupt::control();
    let mut out = output::stdout_of(args.json);
    out.write_all(&form.heading())?;
    let (mut games, mut damaged) = (0, 0);
    for base in &opened.bases {
        let shown = show::show(base, &wanted, &mut form, &control, |game, text| {
            for diagnostic in game.diagnostics.iter() {
                say(&diagnostic.to_string());
            }
            out.write_all(text)?;
            Ok(ControlFlow::Continue(()))
        })?;
        games += shown.games;
        damaged += shown.damaged;
    }
    out.flush()?;
    let end = report::end(&opened, damaged > 0, true);
    if games == 0 && !wanted.is_empty() && !control.is_stopped() {
        bail!(
            "{}: there is no game of these numbers",
            args.source.display()
        );
    }
    Ok(end)
}
