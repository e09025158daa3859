//! `tabiya repertoire merge`, `add` and `extract`: repertoires are made.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use tabiya::repertoire::{self, BuiltRepertoire, RepertoireExtractOptions};
use tabiya::{OpenedBases, Selection, made_games};

use super::arguments::{RepertoireSideArg, RepertoireSideArgs, of_player, open_whole};
use crate::args::{JobsArgs, ReadArgs, WriteArgs};
use crate::exit::Exit;
use crate::output::{count, say};
use crate::report;
use crate::select_args::SelectArgs;

/// The repertoire that is written.
#[derive(Args, Debug)]
struct RepertoireTargetArgs {
    /// The repertoire to write
    #[arg(long, short, value_name = "TARGET", required = true)]
    output: PathBuf,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    write: WriteArgs,
    #[command(flatten)]
    jobs: JobsArgs,
}

#[derive(Args, Debug)]
pub(super) struct RepertoireMergeArgs {
    /// Databases, or folders of them: repertoires, studies, games
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    side: RepertoireSideArgs,
    #[command(flatten)]
    target: RepertoireTargetArgs,
}

#[derive(Args, Debug)]
pub(super) struct RepertoireAddArgs {
    /// Databases with the games to add
    #[arg(required = true, value_name = "GAMES")]
    paths: Vec<PathBuf>,
    /// Databases, or folders of them, that make the repertoire
    #[arg(long = "with", value_name = "FILE", required = true)]
    with: Vec<PathBuf>,
    /// Add the first N plies of each game
    #[arg(long, value_name = "N", default_value_t = 20)]
    plies: usize,
    #[command(flatten)]
    side: RepertoireSideArgs,
    #[command(flatten)]
    select: SelectArgs,
    #[command(flatten)]
    target: RepertoireTargetArgs,
}

#[derive(Args, Debug)]
pub(super) struct RepertoireExtractArgs {
    /// Databases with the games
    #[arg(required = true, value_name = "GAMES")]
    paths: Vec<PathBuf>,
    /// The side of the repertoire
    #[arg(long, value_enum, required = true)]
    side: Option<RepertoireSideArg>,
    /// Only games of this player, with this side
    #[arg(long, value_name = "NAME")]
    player: Option<String>,
    /// Take moves that were played in at least N games
    #[arg(long, value_name = "N", default_value_t = 3)]
    min_games: u64,
    /// Take the first N plies of the games
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=1000))]
    plies: u32,
    /// Of the side's own moves take the one that scores best (default: the most frequent one)
    #[arg(long)]
    by_score: bool,
    #[command(flatten)]
    select: SelectArgs,
    #[command(flatten)]
    target: RepertoireTargetArgs,
}

impl RepertoireTargetArgs {
    fn write(&self, built: BuiltRepertoire, sources: &OpenedBases) -> Result<Exit> {
        let target = self.write.target(&self.output)?;
        if built.left_out > 0 {
            say(&format!(
                "{} left out: null moves, and what follows them",
                count(built.left_out, "move", "moves")
            ));
        }
        let (summary, written) = made_games::write(built.games, &sources.bases, &target)?;
        report::print_report(&written);
        summary.notes.iter().for_each(|note| say(note));
        say(&format!(
            "{} in {}",
            count(built.positions, "position", "positions"),
            count(summary.games, "game", "games")
        ));
        Ok(report::finish_reported(
            sources,
            !written.is_complete() || built.left_out > 0,
            true,
        ))
    }
}

pub(super) fn merge(args: &RepertoireMergeArgs) -> Result<Exit> {
    let control = args.target.jobs.control();
    let opened = open_whole(&args.files, &args.target.read)?;
    let built = repertoire::merge(&opened.bases, args.side.color(), &control)?;
    args.target.write(built, &opened)
}

pub(super) fn add(args: &RepertoireAddArgs) -> Result<Exit> {
    let control = args.target.jobs.control();
    let mut opened = open_whole(&args.with, &args.target.read)?;
    let games = open_whole(&args.paths, &args.target.read)?;
    let chosen = args.select.of(&games.bases)?;
    let color = args.side.color();
    let built = repertoire::add(&opened.bases, color, &chosen, args.plies, &control)?;
    opened.bases.extend(games.bases);
    args.target.write(built, &opened)
}

pub(super) fn extract(args: &RepertoireExtractArgs) -> Result<Exit> {
    let control = args.target.jobs.control();
    let opened = open_whole(&args.paths, &args.target.read)?;
    let color = args
        .side
        .map_or(shakmaty::Color::White, RepertoireSideArg::color);
    let games: Selection = args.select.of(&opened.bases)?;
    let games = of_player(&games, args.player.as_deref(), color)?;
    let options = RepertoireExtractOptions {
        color,
        games: args.min_games.max(1),
        plies: args.plies,
        by_score: args.by_score,
    };
    let built = repertoire::extract(&games, options, &control)?;
    args.target.write(built, &opened)
}
