//! `tabiya repertoire merge`, `add`, `extract` and `split`: repertoires are made.

use std::io::Write as _;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use shakmaty::Color;
use tabiya::repertoire::{
    self, BuiltRepertoire, Repertoire, RepertoireExtractOptions, RepertoireSplitKey,
};
use tabiya::{Base, OpenedBases, Selection, Target, made_games};

use super::arguments::{
    RepertoireFileArgs, RepertoireSideArg, RepertoireSideArgs, RepertoireWithArgs, of_player,
    open_whole,
};
use crate::args::{JobsArgs, ReadArgs, WriteArgs};
use crate::exit::Exit;
use crate::output::{self, count, say};
use crate::report;
use crate::select_args::SelectArgs;

/// The repertoire that is written.
#[derive(Args, Debug)]
struct RepertoireTargetArgs {
    /// Repertoire to write
    #[arg(long, short, value_name = "TARGET", required = true)]
    output: PathBuf,
    #[command(flatten)]
    how: RepertoireWriteArgs,
}

/// How repertoires are read and written.
#[derive(Args, Debug)]
struct RepertoireWriteArgs {
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    write: WriteArgs,
    #[command(flatten)]
    jobs: JobsArgs,
}

#[derive(Args, Debug)]
pub(super) struct RepertoireMergeArgs {
    /// Databases with repertoires, studies or games, or folders of databases
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
    #[command(flatten)]
    repertoire: RepertoireWithArgs,
    /// Only games of this player with the side of the repertoire
    #[arg(long, value_name = "NAME")]
    player: Option<String>,
    /// Add the first N plies of each game
    #[arg(long, value_name = "N", default_value_t = 20)]
    plies: usize,
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
    /// Side of the repertoire
    #[arg(long, value_enum, required = true)]
    side: Option<RepertoireSideArg>,
    /// Only games of this player with this side
    #[arg(long, value_name = "NAME")]
    player: Option<String>,
    /// Take only moves that were played in at least N games
    #[arg(long, value_name = "N", default_value_t = 3)]
    min_games: u64,
    /// Take the first N plies of each game
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=1000))]
    plies: u32,
    /// Of the side's own moves, take the one that scores best [default: the most frequent one]
    #[arg(long)]
    by_score: bool,
    #[command(flatten)]
    select: SelectArgs,
    #[command(flatten)]
    target: RepertoireTargetArgs,
}

#[derive(Args, Debug)]
pub(super) struct RepertoireSplitArgs {
    #[command(flatten)]
    repertoire: RepertoireFileArgs,
    /// Split by opening, variation, eco, eco:1, eco:2 or side
    #[arg(long, value_name = "BY", default_value = "opening", value_parser = split_key)]
    by: RepertoireSplitKey,
    /// Folder to write: one file for each part, in PGN or the format of --to
    #[arg(long, short, value_name = "FOLDER", required = true)]
    output: PathBuf,
    #[command(flatten)]
    how: RepertoireWriteArgs,
}

fn split_key(text: &str) -> std::result::Result<RepertoireSplitKey, String> {
    RepertoireSplitKey::parse(text).map_err(|error| error.message)
}

impl RepertoireTargetArgs {
    /// Writes what was made of some bases, and of others whose damage is told already.
    fn write(
        &self,
        built: BuiltRepertoire,
        sources: &OpenedBases,
        others: &[Base],
    ) -> Result<Exit> {
        let target = self.how.write.target(&self.output)?;
        say_left_out(built.left_out);
        say_damaged(built.damaged);
        let all = [&sources.bases[..], others].concat();
        let (summary, written) = made_games::write(built.games, &all, &target)?;
        report::print_report(&written);
        summary.notes.iter().for_each(|note| say(note));
        say(&format!(
            "{} in {}",
            count(built.positions, "position", "positions"),
            count(summary.games, "game", "games")
        ));
        Ok(report::end(
            sources,
            !written.is_complete() || built.left_out + built.damaged > 0,
            true,
        ))
    }
}

/// Says how many games are damaged of which a repertoire was made.
fn say_damaged(games: u64) {
    if games > 0 {
        say(&format!(
            "{} damaged; `tabiya check` shows where; what could be read is taken",
            count(games, "game is", "games are")
        ));
    }
}

/// Says how many moves are no part of a repertoire.
pub(super) fn say_left_out(moves: u64) {
    if moves > 0 {
        let moves = count(moves, "move", "moves");
        say(&format!(
            "{moves} left out: null moves, and the moves after them"
        ));
    }
}

pub(super) fn merge(args: &RepertoireMergeArgs) -> Result<Exit> {
    let control = args.target.how.jobs.control();
    let opened = open_whole(&args.files, &args.target.how.read)?;
    let built = repertoire::merge(&opened.bases, args.side.color(), &control)?;
    args.target.write(built, &opened, &[])
}

pub(super) fn add(args: &RepertoireAddArgs) -> Result<Exit> {
    let control = args.target.how.jobs.control();
    let (opened, repertoires) = args.repertoire.read(&args.target.how.read, &control)?;
    let games = open_whole(&args.paths, &args.target.how.read)?;
    let chosen = args.select.of(&games.bases)?;
    let sides: Vec<Color> = repertoires.iter().map(Repertoire::color).collect();
    let mut added = Vec::new();
    match &args.player {
        None => added.push((None, chosen)),
        Some(player) => {
            for side in &sides {
                added.push((Some(*side), of_player(&chosen, Some(player), *side)?));
            }
        }
    }
    let added: Vec<(Option<Color>, &Selection)> =
        added.iter().map(|(side, games)| (*side, games)).collect();
    let color = match &sides[..] {
        [one] => Some(*one),
        _ => None,
    };
    let mut built = repertoire::add_by_side(&opened.bases, color, &added, args.plies, &control)?;
    // The damage of the repertoire is told already.
    let told = repertoires.first().map_or(0, Repertoire::damaged);
    built.damaged = built.damaged.saturating_sub(told);
    args.target.write(built, &games, &opened.bases)
}

pub(super) fn split(args: &RepertoireSplitArgs) -> Result<Exit> {
    let control = args.how.jobs.control();
    let (opened, repertoires) = args.repertoire.open_whole(&args.how.read, &control)?;
    let left_out = repertoires.first().map_or(0, Repertoire::left_out);
    say_left_out(left_out);
    let parts = repertoire::split(&repertoires, args.by);
    let format = args.how.write.to.unwrap_or(&tabiya_formats::pgn::FORMAT);
    let target = Target::new(&args.output, Some(format), args.how.write.options())?;
    let moves: Vec<u64> = parts.iter().map(|part| part.moves).collect();
    let parts = parts.into_iter().map(|part| (part.name, part.games));
    let (summary, written, files) =
        made_games::write_folder(parts.collect(), &opened.bases, &target)?;
    report::print_report(&written);
    summary.notes.iter().for_each(|note| say(note));
    let mut out = output::stdout();
    for (file, moves) in files.iter().zip(&moves) {
        writeln!(
            out,
            "{}: {}",
            output::printable(file),
            count(*moves, "move", "moves")
        )?;
    }
    out.flush()?;
    let is_incomplete = !written.is_complete() || left_out > 0;
    Ok(report::finish_reported(&opened, is_incomplete, true))
}

pub(super) fn extract(args: &RepertoireExtractArgs) -> Result<Exit> {
    let control = args.target.how.jobs.control();
    let opened = open_whole(&args.paths, &args.target.how.read)?;
    let color = args.side.map_or(Color::White, RepertoireSideArg::color);
    let games: Selection = args.select.of(&opened.bases)?;
    let games = of_player(&games, args.player.as_deref(), color)?;
    let options = RepertoireExtractOptions {
        color,
        games: args.min_games.max(1),
        plies: args.plies,
        by_score: args.by_score,
    };
    let built = repertoire::extract(&games, options, &control)?;
    args.target.write(built, &opened, &[])
}
