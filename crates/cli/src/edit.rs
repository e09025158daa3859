//! `tabiya edit`: changes a database in place.

use std::path::PathBuf;

use anyhow::{Result, anyhow};
use clap::{Args, Subcommand};
use tabiya::edit;
use tabiya::numbers::ranges;
use tabiya_formats::edit::Description;

use super::args::ReadArgs;
use super::exit::Exit;
use super::output::{count, grouped, say};
use super::{interrupt, report};

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
    let opener = args.read.opener();
    let control = interrupt::control();
    let games = |games: &[String], set: &str, clear: &str| -> Result<edit::Change> {
        Ok(edit::Change::Flags {
            games: ranges(games)?,
            set: set.to_owned(),
            clear: clear.to_owned(),
        })
    };
    let mut failed = Vec::new();
    let change = match &args.change {
        Change::Append { sources } => {
            let opened = opener.open_all(sources).or_fail()?;
            failed = opened.failed;
            edit::Change::Append(opened.bases)
        }
        Change::Replace { number, source } => {
            let game = edit::first_game(&opener.open(source)?, &control)?
                .ok_or_else(|| anyhow!("{}: there is no game", source.display()))?;
            let number = *number;
            edit::Change::Replace { number, game }
        }
        Change::Flag {
            games: which,
            set,
            clear,
        } => games(which, set, clear)?,
        Change::Delete { games: which } => games(which, "D", "")?,
        Change::Undelete { games: which } => games(which, "", "D")?,
        Change::Sort { keys } => edit::Change::Sort(keys.clone()),
        Change::Compact => edit::Change::Compact,
        Change::Describe {
            description,
            label,
            kind,
            autoload,
        } => edit::Change::Describe(Description {
            description: description.clone(),
            labels: label.clone(),
            kind: *kind,
            autoload: *autoload,
        }),
    };
    let done = edit::edit(&opener, &args.base, &change, &control)?;
    if !done.ended.is_whole() {
        return Ok(Exit::Interrupted);
    }
    report::losses(&args.base.display().to_string(), &done.losses, false);
    let what = match &change {
        edit::Change::Append(_) => {
            let mut what = format!("{} added", count(done.games, "game", "games"));
            if done.refused > 0 {
                what.push_str(&format!(", {} could not be", grouped(done.refused)));
            }
            what
        }
        edit::Change::Replace { number, .. } => format!("game {number} replaced"),
        edit::Change::Flags { .. } => {
            format!("{} changed", count(done.games, "game", "games"))
        }
        edit::Change::Sort(_) => format!("{} sorted", count(done.games, "game", "games")),
        edit::Change::Compact => format!(
            "{} removed, {} left",
            count(done.games, "deleted game", "deleted games"),
            grouped(done.left)
        ),
        edit::Change::Describe(_) => "described".to_owned(),
    };
    say(&format!("{}: {what}", args.base.display()));
    report::failures(&failed);
    Ok(Exit::of(!failed.is_empty(), done.losses.total() > 0, true))
}
