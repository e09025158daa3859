//! `tabiya eco`: openings by position, beside what the ECO tag says.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use serde_json::json;
use tabiya_explore::key::Key;
use tabiya_explore::openings::{self, Opening};
use tabiya_model::database::{Writer, for_each_game};
use tabiya_model::eco::Eco;
use tabiya_model::positions::Delta;
use tabiya_model::tape::Replay;
use tabiya_model::{Error, ErrorKind, Game, Losses, Severity, Want};

use super::args::{ReadArgs, WriteArgs};
use super::exit::Exit;
use super::output::{self, Paint, count, printable, say};
use super::report::SourceReport;

#[derive(Args, Debug)]
pub(crate) struct EcoArgs {
    /// The database
    source: PathBuf,
    /// A new database with the ECO tag filled where it is missing; without it, openings are listed
    target: Option<PathBuf>,
    /// Set the ECO tag also where there is one
    #[arg(long, requires = "target")]
    replace: bool,
    /// Add the tag Opening with the name as well
    #[arg(long, requires = "target")]
    names: bool,
    /// List only games whose tag says another opening
    #[arg(long, conflicts_with = "target")]
    compare: bool,
    /// One JSON object a game and line
    #[arg(long, conflicts_with = "target")]
    json: bool,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    write: WriteArgs,
}

/// The opening of a game: that of the last position of its main line that has a name.
fn opening(game: &Game, replay: &mut Replay) -> Option<Opening> {
    let start = game.start_board();
    let mut key = Key::of_board(&start);
    let mut last = openings::at(key);
    replay.reset(&start);
    for m in game.tape.main_line() {
        key = key.after(Delta::of_move(replay.now(), m));
        replay.play(m);
        last = openings::at(key).or(last);
    }
    last
}

/// How tag and position agree.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Agreement {
    Same,
    Differs,
    NoTag,
    NoName,
}

impl Agreement {
    fn of(tag: Option<Eco>, found: Option<Opening>) -> Agreement {
        match (tag, found.and_then(|opening| opening.code())) {
            (_, None) => Agreement::NoName,
            (None, Some(_)) => Agreement::NoTag,
            (Some(tag), Some(found)) if tag.base() == found => Agreement::Same,
            _ => Agreement::Differs,
        }
    }
}

pub(crate) fn run(args: &EcoArgs) -> Result<Exit> {
    match &args.target {
        Some(target) => fill(args, target),
        None => list(args),
    }
}

fn tag(game: &Game) -> Option<Eco> {
    Eco::read(game.tags.value("ECO")).map(|(eco, _)| eco)
}

fn list(args: &EcoArgs) -> Result<Exit> {
    let mut out = output::stdout();
    let mut counts: BTreeMap<Agreement, u64> = BTreeMap::new();
    let mut replay = Replay::new(&tabiya_model::Board::standard());
    if !args.json {
        let heading = format!("{:<9} {:<5} {:<4}  {}", "number", "tag", "ECO", "opening");
        writeln!(out, "{}", Paint::of_stdout().bold(&heading))?;
    }
    let want = Want {
        verify: false,
        ..Want::MAIN_LINE
    };
    for mut input in args.read.inputs().open(&args.source)? {
        let mut failed = None;
        let mut source = input.source()?;
        let walked = for_each_game(&mut *source, want, |game| {
            let found = opening(game, &mut replay);
            let agreement = Agreement::of(tag(game), found);
            *counts.entry(agreement).or_default() += 1;
            if args.compare && agreement != Agreement::Differs {
                return Ok(());
            }
            if let Err(error) = line(&mut out, game, found, args.json) {
                failed = Some(error);
                return Err(Error::new(ErrorKind::Interrupted, ""));
            }
            Ok(())
        });
        if let Some(error) = failed {
            return Err(error.into());
        }
        walked?;
    }
    out.flush()?;
    let number = |agreement| counts.get(&agreement).copied().unwrap_or(0);
    say(&format!(
        "{} agree, {} differ, {} have no tag, {} reach no position with a name",
        count(number(Agreement::Same), "game", "games"),
        number(Agreement::Differs),
        number(Agreement::NoTag),
        number(Agreement::NoName),
    ));
    Ok(if args.compare && number(Agreement::Differs) > 0 {
        Exit::NoMatch
    } else {
        Exit::Success
    })
}

fn line(
    out: &mut impl Write,
    game: &Game,
    found: Option<Opening>,
    as_json: bool,
) -> std::io::Result<()> {
    let number = game.origin.number;
    let (eco, name) = found.map_or(("", ""), |opening| (opening.eco, opening.name));
    let tag = game.tags.value("ECO");
    if as_json {
        return writeln!(
            out,
            "{}",
            json!({"number": number, "tag": tag, "eco": found.map(|_| eco), "opening": found.map(|_| name)})
        );
    }
    let text = format!("{number:<9} {:<5} {eco:<4}  {name}", printable(tag));
    writeln!(out, "{}", text.trim_end())
}

fn fill(args: &EcoArgs, target: &std::path::Path) -> Result<Exit> {
    let format = args.write.format_of(target)?;
    let Some(create) = format.create else {
        bail!(
            "writing {} is not supported (see `tabiya formats`)",
            format.title
        );
    };
    let mut opened = args.read.inputs().open(&args.source)?;
    let mut sources = vec![args.source.clone()];
    for input in &opened {
        if let Some(database) = input.database() {
            sources.extend(database.files());
        }
    }
    let mut writer = Writer::new(create(target, &args.write.options(&sources))?);
    let mut replay = Replay::new(&tabiya_model::Board::standard());
    let mut report = SourceReport::default();
    let (mut filled, mut changed) = (0_u64, 0_u64);
    for input in &mut opened {
        report.name.clone_from(&input.name);
        report.format = input.format.name;
        let first = report.games;
        input.for_each(|game| {
            report.games += 1;
            game.origin.number += first;
            report.damaged += u64::from(game.diagnostics.at_least(Severity::Damage) > 0);
            if let Some(opening) = opening(game, &mut replay) {
                let old = tag(game);
                let same = old.is_some_and(|old| Some(old.base()) == opening.code());
                if old.is_none() || args.replace && !same {
                    filled += u64::from(old.is_none());
                    changed += u64::from(old.is_some());
                    game.tags.set("ECO", opening.eco);
                }
                if args.names {
                    game.tags.set("Opening", opening.name);
                }
            }
            let mut losses = Losses::default();
            writer.write(game, &mut losses)?;
            for loss in losses.iter() {
                report.losses.add(loss);
            }
            Ok(())
        })?;
    }
    let summary = writer.finish()?;
    report.tell();
    for note in &summary.notes {
        say(note);
    }
    say(&format!(
        "{} written, {filled} got an opening, {changed} another one",
        count(summary.games, "game", "games")
    ));
    Ok(if report.damaged > 0 || report.losses.total() > 0 {
        Exit::Incomplete
    } else {
        Exit::Success
    })
}
