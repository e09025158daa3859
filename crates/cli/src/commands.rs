//! The commands and their syntax: the whole command line.

use std::path::PathBuf;

use anyhow::Result;
use clap::error::ErrorKind;
use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand};

use super::exit::Exit;

const EXIT_CODES: &str = "Exit codes: 0 success, 1 no match or a difference, 2 wrong usage or a failure, \
    3 finished with reported losses or damaged games.";

/// The universal chess database: opens every chess database people own and loses nothing on the way.
#[derive(Parser, Debug)]
#[command(name = "tabiya", version, after_help = EXIT_CODES, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands: each with its arguments, its name and what it is for.
///
/// This differs from what `derive(Subcommand)` would write in one point: a command makes its arguments when it is the
/// one that is asked for. To make those of all commands takes as long as an answer from an index.
macro_rules! commands {
    ($($command:ident($args:ty), $name:literal, $about:literal;)*) => {
        #[derive(Debug)]
        pub(crate) enum Command {
            $(#[doc = $about] $command(Box<$args>),)*
        }

        impl FromArgMatches for Command {
            fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
                match matches.subcommand() {
                    $(Some(($name, matches)) => {
                        <$args>::from_arg_matches(matches).map(|args| Self::$command(Box::new(args)))
                    })*
                    // The parser knows no other command, and wants one.
                    _ => Err(clap::Error::new(ErrorKind::MissingSubcommand)),
                }
            }

            fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
                *self = Self::from_arg_matches(matches)?;
                Ok(())
            }
        }

        impl Subcommand for Command {
            fn augment_subcommands(command: clap::Command) -> clap::Command {
                command
                    .subcommand_required(true)
                    .arg_required_else_help(true)
                    $(.subcommand(
                        clap::Command::new($name)
                            .about($about)
                            .defer(|command| <$args>::augment_args(command).about($about)),
                    ))*
            }

            fn augment_subcommands_for_update(command: clap::Command) -> clap::Command {
                Self::augment_subcommands(command)
            }

            fn has_subcommand(name: &str) -> bool {
                [$($name),*].contains(&name)
            }
        }

        impl Cli {
            /// The whole syntax with all arguments of all commands.
            fn whole() -> clap::Command {
                Cli::command()
                    $(.mut_subcommand($name, |command| {
                        <$args>::augment_args(clap::Command::new($name))
                            .about($about)
                            .display_order(command.get_display_order())
                    }))*
            }
        }
    };
}

commands! {
    Identify(super::identify::IdentifyArgs), "identify", "Says which format files are";
    Info(super::info::InfoArgs), "info", "Describes a database: format, games, dates, sizes";
    Ls(super::ls::LsArgs), "ls", "Lists games as a table";
    Cat(super::cat::CatArgs), "cat", "Writes single games";
    Search(super::search::SearchArgs), "search", "Finds games: players, positions, material, comments and everything else (docs/query.md)";
    Query(super::query::QueryArgs), "query", "Tells the language of queries, or whether a query is one";
    Convert(super::convert_args::ConvertArgs), "convert", "Converts databases and reports everything that the target cannot hold";
    Check(super::check::CheckArgs), "check", "Looks for damage and oddities";
    Repair(super::convert::RepairArgs), "repair", "Writes a sound copy of a damaged database";
    New(super::edit::NewArgs), "new", "Makes an empty database to be edited";
    Edit(super::edit::EditArgs), "edit", "Changes a database in place: the only command that does";
    Diff(super::diff::DiffArgs), "diff", "Compares two databases game by game";
    Explore(super::explore::ExploreArgs), "explore", "Shows what was played in a position, and how it scored";
    Index(super::index::IndexArgs), "index", "Makes the index that answers about positions and headers at once";
    Lake(super::lake::LakeArgs), "lake", "Keeps games as Parquet, with tables for the explorer and other programs (docs/lake.md)";
    Eco(super::eco::EcoArgs), "eco", "Names openings by position, and fills or compares the ECO tag";
    Analyse(super::analyse::AnalyseArgs), "analyse", "Has an engine evaluate whole databases, or one position (docs/engine.md)";
    Tactics(super::tactics::TacticsArgs), "tactics", "Finds positions of games in which one move alone wins or holds (docs/engine.md)";
    Formats(super::formats::FormatsArgs), "formats", "Lists the formats and what they can hold";
    Stats(super::stats::StatsArgs), "stats", "Counts games: results, years, ratings, openings, players, events (docs/stats.md)";
    Dedupe(super::dedupe::DedupeArgs), "dedupe", "Finds games that are there twice, and says why (docs/dedupe.md)";
    Novelty(super::novelty::NoveltyArgs), "novelty", "Says where games leave what was played before them (docs/novelty.md)";
    Deepest(super::novelty::DeepestArgs), "deepest", "Shows the games that followed others longest (docs/novelty.md)";
    Crosstable(super::crosstable::CrosstableArgs), "crosstable", "Makes the cross-tables of events: scores, tie-breaks, performances, what is missing (docs/crosstable.md)";
    Names(super::names::NamesArgs), "names", "Finds names that are written in several ways, and puts names right (docs/names.md)";
    Player(super::player::PlayerArgs), "player", "Tells the record of a player: opponents, years, openings, ratings, series (docs/player.md)";
    Serve(super::serve::ServeArgs), "serve", "Shows databases in a browser: board, list, search, explorer (docs/app.md)";
    Open(super::serve::OpenArgs), "open", "Shows one database in a browser (docs/app.md)";
    Sql(super::external_program::ExternalProgramArgs), "sql", "Asks databases in SQL, with the program tabiya-sql (docs/sql.md)";
    Cluster(super::external_program::ExternalProgramArgs), "cluster", "Spreads SQL over several machines, with the program tabiya-sql (docs/cluster.md)";
    Jose(super::jose::JoseArgs), "jose", "Decodes and encodes rows of jose's tables";
    Completions(CompletionsArgs), "completions", "Prints completions for a shell";
    Man(ManArgs), "man", "Writes the manual pages into a folder";
}

#[derive(Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

impl CompletionsArgs {
    pub(crate) fn run(&self) -> Result<Exit> {
        let mut out = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::whole(), "tabiya", &mut out);
        std::io::Write::write_all(&mut super::output::stdout(), &out)?;
        Ok(Exit::Success)
    }
}

#[derive(Args, Debug)]
pub(crate) struct ManArgs {
    /// The folder
    pub(crate) folder: PathBuf,
}

impl ManArgs {
    pub(crate) fn run(&self) -> Result<Exit> {
        std::fs::create_dir_all(&self.folder)?;
        clap_mangen::generate_to(Cli::whole(), &self.folder)?;
        Ok(Exit::Success)
    }
}
