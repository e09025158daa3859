//! `tabiya edit`: changes a database in place; `tabiya new` makes an empty one.

mod external_editor;
mod history;
mod merge;

use std::io::Write as _;
use std::path::PathBuf;

use anyhow::{Result, anyhow, bail};
use clap::{Args, Subcommand};
use tabiya::edit::{self, EditAction, EditOptions, EditStep, LossPolicy};
use tabiya::opener::Opener;
use tabiya_formats::edit::DescriptionChange;
use tabiya_model::Control;
use tabiya_model::editor::StripOptions;

use super::args::{ReadArgs, WriteArgs};
use super::exit::Exit;
use super::output::{self, count, grouped, printable, say};
use super::select_args::SelectArgs;
use super::{interrupt, report};

#[derive(Args, Debug)]
pub(crate) struct EditArgs {
    /// Database to edit
    base: PathBuf,
    #[command(subcommand)]
    change: EditCommand,
    /// Show what would change, game by game, and change nothing
    #[arg(long, short = 'n', global = true)]
    dry_run: bool,
    /// What to do with data that the database cannot hold [default: refuse the change]
    #[arg(long, value_name = "HOW", value_enum, global = true)]
    lossy: Option<LossPolicyArg>,
    /// Number of changes to keep in the history, 0 for none [default: TABIYA_KEEP, or 1000]
    #[arg(long, value_name = "N", global = true)]
    keep: Option<u64>,
    #[command(flatten)]
    read: ReadArgs,
}

#[derive(Copy, Clone, Debug, clap::ValueEnum)]
enum LossPolicyArg {
    /// Keep it in a comment before the first move
    Comment,
    /// Drop it
    Drop,
}

#[derive(Args, Debug)]
pub(crate) struct NewArgs {
    /// Database to create; its extension gives the format
    base: PathBuf,
    #[command(flatten)]
    write: WriteArgs,
}

/// Creates an empty database.
pub(crate) fn new(args: &NewArgs) -> Result<Exit> {
    let target = args.write.target(&args.base)?;
    let files = edit::make(&target.path, Some(target.format), target.options)?;
    for file in files {
        say(&format!("{}: created", file.display()));
    }
    Ok(Exit::Success)
}

/// Games by their numbers, as arguments or as all commands take them.
#[derive(Args, Debug)]
struct EditGamesArgs {
    /// Games: numbers and ranges, such as 17, 20-25 or last
    #[arg(value_name = "GAMES")]
    numbers: Vec<String>,
    #[command(flatten)]
    select: SelectArgs,
}

#[derive(Subcommand, Debug)]
enum EditCommand {
    /// Append games from other databases
    Append {
        /// Databases; `-` is standard input
        #[arg(required = true)]
        sources: Vec<PathBuf>,
    },
    /// Replace a game with the first game of another database
    Replace {
        /// Number of the game to replace
        number: u64,
        /// Database with the new game; `-` is standard input
        source: PathBuf,
    },
    /// Set and clear flags, with Scid's letters
    Flag {
        #[command(flatten)]
        games: EditGamesArgs,
        /// Flags to set
        #[arg(long, value_name = "LETTERS", default_value = "")]
        set: String,
        /// Flags to clear
        #[arg(long, value_name = "LETTERS", default_value = "")]
        clear: String,
    },
    /// Delete games: databases of Scid, ChessBase and jose mark them until `compact` removes them; from other files they are
    /// removed, and `undo` restores them
    Delete {
        #[command(flatten)]
        games: EditGamesArgs,
    },
    /// Undelete games
    Undelete {
        #[command(flatten)]
        games: EditGamesArgs,
    },
    /// Edit a game as PGN in your editor ($VISUAL, $EDITOR)
    Game {
        /// Number of the game
        number: u64,
        /// Do not ask: accept what can be read, and drop data of removed moves that PGN does not show
        #[arg(long, short)]
        yes: bool,
    },
    /// Merge games into a game: one as a variation with its annotations, several as a tree of moves
    Merge(merge::MergeArgs),
    /// Set tags of many games
    Set {
        #[command(flatten)]
        select: SelectArgs,
        /// Tags and values, such as Event=Candidates; an empty value removes the tag
        #[arg(required = true, value_name = "TAG=VALUE", value_parser = tag)]
        tags: Vec<(String, String)>,
    },
    /// Remove comments, variations, nags, clocks, evaluations, marks, flags or tag:Name from many games
    Strip {
        #[command(flatten)]
        select: SelectArgs,
        /// Kinds to remove
        #[arg(required = true, value_name = "KIND")]
        kinds: Vec<String>,
    },
    /// List changes that can be undone, or the versions of a game
    History {
        /// Number of a game
        number: Option<u64>,
        /// Show the game before this change: as the original text (PGN, NDJSON), otherwise as PGN
        #[arg(long, value_name = "K", requires = "number")]
        version: Option<u64>,
    },
    /// Restore an earlier version of a game
    Restore {
        /// Current number of the game [default: append the games that the change removed]
        number: Option<u64>,
        /// Number of the change, as `history` lists it
        #[arg(long, value_name = "K")]
        version: u64,
    },
    /// Undo the last change
    Undo,
    /// Sort the games
    Sort {
        /// Keys, such as date or -white-elo,date
        #[arg(allow_hyphen_values = true)]
        keys: String,
    },
    /// Remove deleted games, unused names and unused records; earlier changes can no longer be undone
    Compact,
    /// Set the description, type, labels of custom flags, and the game to show first
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
        .ok_or("give a number and a label, as in 1=Endings")?;
    let number = number
        .trim()
        .parse()
        .map_err(|_| format!("{number}: not the number of a flag"))?;
    Ok((number, label.to_owned()))
}

fn tag(text: &str) -> Result<(String, String), String> {
    let (name, value) = text
        .split_once('=')
        .ok_or("give a tag and a value, as in Event=Candidates")?;
    Ok((name.trim().to_owned(), value.to_owned()))
}

impl EditArgs {
    fn options(&self) -> Result<EditOptions> {
        let mut options = EditOptions {
            dry_run: self.dry_run,
            lossy: match self.lossy {
                None => LossPolicy::Refuse,
                Some(LossPolicyArg::Comment) => LossPolicy::Comment,
                Some(LossPolicyArg::Drop) => LossPolicy::Drop,
            },
            ..EditOptions::of_user()?
        };
        options.keep = self.keep.unwrap_or(options.keep);
        Ok(options)
    }
}

/// A line on standard output for a step of a dry run.
pub(crate) fn print_step(
    step: &EditStep<'_>,
    out: &mut impl std::io::Write,
) -> std::io::Result<()> {
    let EditStep { number, game, what } = step;
    let game = printable(game);
    match what {
        EditAction::Added => writeln!(out, "add\t{game}"),
        EditAction::Replaced(replaced) => {
            writeln!(out, "change {number}\t{game}")?;
            replaced
                .differences()
                .iter()
                .try_for_each(|difference| writeln!(out, "\t{}", printable(difference)))
        }
        EditAction::Flags(old, new) => {
            let shown = |flags: &str| if flags.is_empty() { "none" } else { flags }.to_owned();
            writeln!(
                out,
                "flags {number}\t{} -> {}\t{game}",
                shown(old),
                shown(new)
            )
        }
        EditAction::Moved(new) => writeln!(out, "move {number}\tto {new}"),
        EditAction::Removed => writeln!(out, "remove {number}\t{game}"),
        EditAction::Described => writeln!(out, "describe"),
    }
}

pub(crate) fn run(args: &EditArgs) -> Result<Exit> {
    let opener = args.read.opener();
    let control = interrupt::control();
    let flags = |games: &EditGamesArgs, set: &str, clear: &str| -> Result<edit::EditOperation> {
        Ok(edit::EditOperation::Flags {
            games: games.select.some(&games.numbers)?,
            set: set.to_owned(),
            clear: clear.to_owned(),
        })
    };
    let mut failed = Vec::new();
    let change = match &args.change {
        EditCommand::Append { sources } => {
            let opened = opener.open_all(sources).or_fail()?;
            failed = opened.failed;
            edit::EditOperation::Append(opened.bases)
        }
        EditCommand::Replace { number, source } => {
            let game = edit::first_game(&opener.open(source)?, &control)?
                .ok_or_else(|| anyhow!("{}: no game found", source.display()))?;
            let number = *number;
            edit::EditOperation::Replace {
                number,
                game,
                was: None,
            }
        }
        EditCommand::Game { number, yes } => {
            let mut apply = |change| apply(args, &opener, &change, &control);
            return external_editor::change(args, &opener, *number, *yes, &mut apply);
        }
        EditCommand::Merge(merge) => match merge::change(&args.base, merge, &opener, &control)? {
            Some(change) => change,
            None => return Ok(Exit::Success),
        },
        EditCommand::History { number, version } => {
            return history::run(&args.base, &opener, *number, *version);
        }
        EditCommand::Undo => edit::EditOperation::Undo,
        EditCommand::Restore { number, version } => edit::EditOperation::Restore {
            number: *number,
            version: *version,
        },
        EditCommand::Set { select, tags } => edit::EditOperation::Set {
            games: select.some(&[])?,
            tags: tags.clone(),
        },
        EditCommand::Strip { select, kinds } => {
            let mut what = StripOptions::default();
            if let Some(kind) = kinds.iter().find(|kind| !what.add(kind)) {
                bail!(
                    "{kind}: unknown kind; kinds are {}, tag:Name",
                    StripOptions::KINDS.join(", ")
                );
            }
            edit::EditOperation::Strip {
                games: select.some(&[])?,
                what,
            }
        }
        EditCommand::Flag { games, set, clear } => flags(games, set, clear)?,
        EditCommand::Delete { games } => {
            edit::EditOperation::Delete(games.select.some(&games.numbers)?)
        }
        EditCommand::Undelete { games } => flags(games, "", "D")?,
        EditCommand::Sort { keys } => edit::EditOperation::Sort(keys.parse()?),
        EditCommand::Compact => edit::EditOperation::Compact,
        EditCommand::Describe {
            description,
            label,
            kind,
            autoload,
        } => edit::EditOperation::Describe(DescriptionChange {
            description: description.clone(),
            labels: label.clone(),
            kind: *kind,
            autoload: *autoload,
        }),
    };
    let exit = apply(args, &opener, &change, &control)?;
    report::failures(&failed);
    Ok(match exit {
        Exit::Success | Exit::Incomplete if !failed.is_empty() => Exit::Failure,
        exit => exit,
    })
}

/// Makes a change, and reports it.
fn apply(
    args: &EditArgs,
    opener: &Opener,
    change: &edit::EditOperation,
    control: &Control,
) -> Result<Exit> {
    let options = args.options()?;
    if matches!(change, edit::EditOperation::Compact) && options.keep > 0 {
        say(&format!(
            "{}: earlier changes can no longer be undone (the removed games are kept in the history)",
            args.base.display()
        ));
    }
    let mut out = output::stdout();
    let mut told = Ok(());
    let done = edit::edit_with(opener, &args.base, change, &options, control, &mut |step| {
        if args.dry_run && told.is_ok() {
            told = print_step(step, &mut out);
        }
    })?;
    told.and_then(|()| out.flush())?;
    if !done.ended.is_whole() {
        return Ok(Exit::Interrupted);
    }
    report::losses(&args.base.display().to_string(), &done.losses, false);
    let name = args.base.display();
    for note in &done.notes {
        say(&format!("{name}: {note}"));
    }
    let mut what = done_in_words(change, &done);
    if args.dry_run {
        what.push_str(" (dry run: nothing was changed)");
    }
    say(&format!("{name}: {what}"));
    Ok(Exit::of(false, done.losses.total() > 0, true))
}

/// The change in words, for the last line.
fn done_in_words(change: &edit::EditOperation, done: &edit::EditReport) -> String {
    let games = |what: &str| format!("{} {what}", count(done.games, "game", "games"));
    match change {
        edit::EditOperation::Append(_) | edit::EditOperation::Add(_) => {
            let mut what = games("added");
            if done.refused > 0 {
                what.push_str(&format!(", {} could not be added", grouped(done.refused)));
            }
            what
        }
        edit::EditOperation::Replace { number, .. } => format!("game {number} replaced"),
        edit::EditOperation::Delete(_) if done.removed > 0 => format!(
            "{} removed, {} left",
            count(done.removed, "game", "games"),
            grouped(done.left)
        ),
        edit::EditOperation::Delete(_) => {
            format!("{} marked as deleted", count(done.games, "game", "games"))
        }
        edit::EditOperation::Flags { .. }
        | edit::EditOperation::Set { .. }
        | edit::EditOperation::Strip { .. }
        | edit::EditOperation::Correct(_) => games("changed"),
        edit::EditOperation::Sort(_) => games("sorted"),
        edit::EditOperation::Compact => format!(
            "{} removed, {} left",
            count(done.games, "deleted game", "deleted games"),
            grouped(done.left)
        ),
        edit::EditOperation::Describe(_) => "description changed".to_owned(),
        edit::EditOperation::Undo => format!("undone: {}", count(done.games, "game", "games")),
        edit::EditOperation::Restore { .. } => games("restored"),
    }
}
