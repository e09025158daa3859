//! Games of a search merged into one game.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use tabiya::edit::{self, MergeRequest, MergedGame};
use tabiya::opener::Opener;
use tabiya_model::Control;
use tabiya_model::editor::{self, MergeOptions};

use crate::output::{count, say};
use crate::select_args::SelectArgs;

#[derive(Args, Debug)]
pub(super) struct MergeArgs {
    /// Number of the game to merge into
    number: u64,
    /// Databases with the games to merge [default: the database itself]
    sources: Vec<PathBuf>,
    /// Merge from this place on, which the games must reach: a ply of the main line, such as 24, or 24.2.3 for three
    /// plies into the second variation there
    #[arg(long, value_name = "PATH", default_value = "0")]
    at: editor::TreePath,
    #[command(flatten)]
    select: SelectArgs,
    /// Merge at most N games
    #[arg(
        long = "limit",
        alias = "first",
        value_name = "N",
        default_value_t = 100
    )]
    first: usize,
    /// Merge at most N plies of each game
    #[arg(long, value_name = "N", default_value_t = 40)]
    plies: usize,
    /// Do not add the players' names
    #[arg(long)]
    no_names: bool,
}

/// The change; nothing where all of it is there already.
pub(super) fn change(
    path: &Path,
    args: &MergeArgs,
    opener: &Opener,
    control: &Control,
) -> Result<Option<edit::EditOperation>> {
    let base = super::external_editor::base(path, opener)?;
    let sources = match args.sources.as_slice() {
        [] => vec![base.clone()],
        some => {
            let mut bases = Vec::new();
            for source in some {
                bases.extend(opener.open(source)?);
            }
            bases
        }
    };
    let merge = MergeRequest {
        at: args.at.clone(),
        options: MergeOptions {
            plies: args.plies,
            games: args.first,
            names: !args.no_names,
            ..MergeOptions::default()
        },
    };
    let grown = edit::grow(
        &base,
        args.number,
        &args.select.of(&sources)?,
        &merge,
        control,
    )?;
    let MergedGame {
        old,
        new,
        taken,
        is_cut,
    } = grown;
    let games = count(taken as u64, "game", "games");
    if old.tape == new.tape {
        say(&format!(
            "game {}: nothing to change; it has the moves of {games} already",
            args.number
        ));
        return Ok(None);
    }
    let more = if is_cut {
        ", and there are more (--limit)"
    } else {
        ""
    };
    say(&format!("{games} merged{more}"));
    Ok(Some(edit::EditOperation::Replace {
        number: args.number,
        game: new,
        was: Some(old),
    }))
}
