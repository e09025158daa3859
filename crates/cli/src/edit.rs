//! `tabiya edit`: the only command that changes a database in place.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use clap::{Args, Subcommand};
use tabiya_formats::edit::{Description, Edit};
use tabiya_model::{Game, LossReport, Losses};

use super::args::{ReadArgs, ranges};
use super::exit::Exit;
use super::output::{count, say};
use super::report::SourceReport;

#[derive(Args, Debug)]
pub(crate) struct EditArgs {
    /// The database that changes
    base: PathBuf,
    #[command(subcommand)]
    change: Change,
    #[command(flatten)]
    read: ReadArgs,
}

#[derive(Subcommand, Debug)]
enum Change {
    /// Adds the games of other databases at the end
    Append {
        /// Databases; `-` is standard input
        #[arg(required = true)]
        sources: Vec<PathBuf>,
    },
    /// Puts the first game of another database in the place of a game
    Replace {
        /// Number of the game that goes
        number: u64,
        /// Database with the game that comes; `-` is standard input
        source: PathBuf,
    },
    /// Sets and clears flags, in Scid's letters
    Flag {
        /// Games: numbers and ranges, such as 17 or 20-25
        #[arg(required = true)]
        games: Vec<String>,
        /// Flags to set
        #[arg(long, value_name = "LETTERS", default_value = "")]
        set: String,
        /// Flags to clear
        #[arg(long, value_name = "LETTERS", default_value = "")]
        clear: String,
    },
    /// Marks games as deleted; `compact` removes them
    Delete {
        /// Games: numbers and ranges
        #[arg(required = true)]
        games: Vec<String>,
    },
    /// Takes the mark of deletion away
    Undelete {
        /// Games: numbers and ranges
        #[arg(required = true)]
        games: Vec<String>,
    },
    /// Sorts the games; several keys count one after another
    Sort {
        /// Keys, such as date or -whiteelo
        #[arg(required = true, value_delimiter = ',', allow_hyphen_values = true)]
        keys: Vec<String>,
    },
    /// Removes deleted games, unused names and unused records
    Compact,
    /// Sets description, type, labels of custom flags, and the game to show first
    Describe {
        /// Description
        #[arg(long, value_name = "TEXT")]
        description: Option<String>,
        /// Label of a custom flag
        #[arg(long, value_name = "N=LABEL", value_parser = label)]
        label: Vec<(usize, String)>,
        /// Number of the type (icon)
        #[arg(long = "type", value_name = "N")]
        kind: Option<u32>,
        /// Number of the game to show first
        #[arg(long, value_name = "N")]
        autoload: Option<u64>,
    },
}

fn label(text: &str) -> Result<(usize, String), String> {
    let (number, label) = text
        .split_once('=')
        .ok_or("a number and a label are wanted, as in 1=Endings")?;
    let number = number
        .trim()
        .parse()
        .map_err(|_| format!("{number}: no number of a flag"))?;
    Ok((number, label.to_owned()))
}

pub(crate) fn run(args: &EditArgs) -> Result<Exit> {
    let inputs = args.read.inputs();
    let Some((format, _)) = inputs.identify(&args.base)? else {
        bail!(
            "{}: this is no chess database that Tabiya knows",
            args.base.display()
        );
    };
    let Some(open) = format.edit else {
        bail!(
            "{}: {} is not changed in place: convert it, and change the copy",
            args.base.display(),
            format.title
        );
    };
    let mut edit = open(&args.base, &inputs.options)?;
    let mut report = SourceReport {
        name: args.base.display().to_string(),
        ..SourceReport::default()
    };
    let done = match &args.change {
        Change::Append { sources } => append(&mut *edit, sources, &args.read, &mut report.losses)?,
        Change::Replace { number, source } => {
            replace(&mut *edit, *number, source, &args.read, &mut report.losses)?
        }
        Change::Flag { games, set, clear } => flags(&mut *edit, games, set, clear)?,
        Change::Delete { games } => flags(&mut *edit, games, "D", "")?,
        Change::Undelete { games } => flags(&mut *edit, games, "", "D")?,
        Change::Sort { keys } => {
            edit.sort(keys)?;
            format!("{} sorted", count(edit.len(), "game", "games"))
        }
        Change::Compact => {
            let gone = edit.compact()?;
            format!(
                "{} removed, {} left",
                count(gone, "deleted game", "deleted games"),
                edit.len()
            )
        }
        Change::Describe {
            description,
            label,
            kind,
            autoload,
        } => {
            edit.describe(&Description {
                description: description.clone(),
                labels: label.clone(),
                kind: *kind,
                autoload: *autoload,
            })?;
            "described".to_owned()
        }
    };
    edit.commit()?;
    report.tell();
    say(&format!("{}: {done}", args.base.display()));
    Ok(if report.losses.total() > 0 {
        Exit::Incomplete
    } else {
        Exit::Success
    })
}

fn flags(edit: &mut dyn Edit, games: &[String], set: &str, clear: &str) -> Result<String> {
    let last = edit.len() + 1;
    let mut wanted = ranges(games)?;
    for range in &mut wanted {
        // An open end stands for the last game; a number beyond it is a mistake.
        if range.end == u64::MAX {
            range.end = last;
        }
    }
    let changed = edit.flags(&wanted, set, clear)?;
    Ok(format!("{} changed", count(changed, "game", "games")))
}

fn add(losses: &mut LossReport, new: &Losses) {
    for loss in new.iter() {
        losses.add(loss);
    }
}

fn append(
    edit: &mut dyn Edit,
    sources: &[PathBuf],
    read: &ReadArgs,
    losses: &mut LossReport,
) -> Result<String> {
    let (mut added, mut refused) = (0, 0);
    for source in sources {
        for mut input in read.inputs().open(source)? {
            input.for_each(|game| {
                let mut lost = Losses::default();
                match edit.append(game, &mut lost)? {
                    true => added += 1,
                    false => refused += 1,
                }
                add(losses, &lost);
                Ok(())
            })?;
        }
    }
    let mut done = format!("{} added", count(added, "game", "games"));
    if refused > 0 {
        done.push_str(&format!(", {refused} could not be"));
    }
    Ok(done)
}

fn replace(
    edit: &mut dyn Edit,
    number: u64,
    source: &Path,
    read: &ReadArgs,
    losses: &mut LossReport,
) -> Result<String> {
    let game = first_game(source, read)?;
    let mut lost = Losses::default();
    let done = edit.replace(number, &game, &mut lost)?;
    add(losses, &lost);
    if !done {
        let why = lost
            .iter()
            .next()
            .map(|loss| format!("{} ({})", loss.kind.summary, loss.detail));
        bail!("game {number} stays as it is: {}", why.unwrap_or_default());
    }
    Ok(format!("game {number} replaced"))
}

fn first_game(source: &Path, read: &ReadArgs) -> Result<Game> {
    let mut first = None;
    for mut input in read.inputs().open(source)? {
        let walked = input.for_each(|game| {
            first = Some(std::mem::take(game));
            Err(tabiya_model::Error::new(
                tabiya_model::ErrorKind::Interrupted,
                "",
            ))
        });
        if first.is_some() {
            break;
        }
        walked?;
    }
    first.ok_or_else(|| anyhow!("{}: there is no game", source.display()))
}
