//! `tabiya repertoire`: opening lines, compared with games.

mod arguments;
mod building;
mod reports;
mod training;
mod tree_text;

use anyhow::Result;
use clap::{Args, Subcommand};

use super::exit::Exit;
use arguments::{
    RepertoireCheckArgs, RepertoireConflictsArgs, RepertoireCoverageArgs, RepertoireGapsArgs,
    RepertoireShowArgs,
};
use building::{
    RepertoireAddArgs, RepertoireExtractArgs, RepertoireMergeArgs, RepertoireSplitArgs,
};
use training::{RepertoireDueArgs, RepertoireTrainArgs};

#[derive(Args, Debug)]
pub(crate) struct RepertoireArgs {
    #[command(subcommand)]
    job: RepertoireCommand,
}

#[derive(Subcommand, Debug)]
enum RepertoireCommand {
    /// Show where games leave a repertoire, and which player leaves it
    Check(Box<RepertoireCheckArgs>),
    /// List the opponent's moves that a repertoire does not answer, most frequent first
    Gaps(Box<RepertoireGapsArgs>),
    /// List where a repertoire contradicts itself
    Conflicts(Box<RepertoireConflictsArgs>),
    /// Show how many games are still in a repertoire at each ply
    Coverage(Box<RepertoireCoverageArgs>),
    /// Show a repertoire as a tree
    Show(Box<RepertoireShowArgs>),
    /// Merge repertoires, studies and games into one tree
    Merge(Box<RepertoireMergeArgs>),
    /// Add the first moves of games to a repertoire
    Add(Box<RepertoireAddArgs>),
    /// Make a repertoire from the moves that were played in games
    Extract(Box<RepertoireExtractArgs>),
    /// Split a repertoire into a folder of files, one for each opening
    Split(Box<RepertoireSplitArgs>),
    /// Train a repertoire: play the moves that are due, and new ones
    Train(Box<RepertoireTrainArgs>),
    /// List the positions that are due for training
    Due(Box<RepertoireDueArgs>),
}

pub(crate) fn run(args: &RepertoireArgs) -> Result<Exit> {
    match &args.job {
        RepertoireCommand::Check(args) => reports::check(args),
        RepertoireCommand::Gaps(args) => reports::gaps(args),
        RepertoireCommand::Conflicts(args) => reports::conflicts(args),
        RepertoireCommand::Coverage(args) => reports::coverage(args),
        RepertoireCommand::Show(args) => reports::show(args),
        RepertoireCommand::Merge(args) => building::merge(args),
        RepertoireCommand::Add(args) => building::add(args),
        RepertoireCommand::Extract(args) => building::extract(args),
        RepertoireCommand::Split(args) => building::split(args),
        RepertoireCommand::Train(args) => training::train(args),
        RepertoireCommand::Due(args) => training::due(args),
    }
}
