//! The commands and their syntax: the whole command line.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::error::ErrorKind;
use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand};

use super::exit::Exit;

const EXIT_CODES: &str = "Exit codes: 0 success, 1 no match or a difference, 2 wrong usage or a failure, \
    3 finished with reported losses or damaged games.";

/// The universal chess database: opens every chess database people own and loses nothing on the way.
#[derive(Parser, Debug)]
// Options of the configuration file may be repeated on the command line, which is last.
#[command(name = "tabiya", bin_name = "tabiya", version = env!("TABIYA_VERSION"), after_help = EXIT_CODES, arg_required_else_help = true, args_override_self = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: super::global_args::GlobalArgs,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Other names of a command.
fn aliases_of(name: &str) -> &'static [&'static str] {
    match name {
        "analyse" => &["analyze"],
        "cat" => &["show"],
        "search" => &["find"],
        "dedupe" => &["duplicates"],
        _ => &[],
    }
}

/// The word that is given instead of a command, if it is not a command.
fn file_word(words: &[OsString]) -> Option<&OsString> {
    words.get(1).filter(|word| {
        word.to_str().is_none_or(|word| {
            !word.starts_with('-') && word != "help" && Cli::command_named(word).is_none()
        })
    })
}

/// The arguments, with `open` in front of a file that is given instead of a command.
pub(crate) fn opened_file(mut words: Vec<OsString>) -> Vec<OsString> {
    if file_word(&words).is_some_and(|word| Path::new(word).exists()) {
        words.insert(1, "open".into());
    }
    words
}

/// A missing file that is given instead of a command: a word that can only be a path is not a misspelt command.
pub(crate) fn missing_file(words: &[OsString]) -> Option<String> {
    let word = file_word(words)?.to_string_lossy().into_owned();
    let is_path = word.contains(['/', '\\', '.']) && !Path::new(&word).exists();
    is_path.then_some(word)
}

/// Whether people page through the output of a command. Commands that ask, draw or wait do not count.
pub(crate) fn has_long_output(command: &Command) -> bool {
    matches!(
        command,
        Command::Ls(_)
            | Command::Cat(_)
            | Command::Search(_)
            | Command::Query(_)
            | Command::Stats(_)
            | Command::Player(_)
            | Command::Crosstable(_)
            | Command::Explore(_)
            | Command::Formats(_)
    )
}

/// The commands: each with its arguments, its name and what it is for.
///
/// This differs from `derive(Subcommand)` in one point: only the command that is called makes its arguments. Making those
/// of all commands takes as long as an answer from an index.
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
                    // The parser knows no other command, and requires one.
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
                            .visible_aliases(aliases_of($name).iter().copied())
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
            /// The syntax of one command.
            pub(crate) fn command_named(name: &str) -> Option<clap::Command> {
                $(if name == $name || aliases_of($name).contains(&name) {
                    let command = <$args>::augment_args(clap::Command::new($name));
                    return Some(super::global_args::GlobalArgs::augment_args(command));
                })*
                None
            }

            /// The whole syntax with all arguments of all commands.
            fn whole() -> clap::Command {
                Cli::command()
                    $(.mut_subcommand($name, |command| {
                        <$args>::augment_args(clap::Command::new($name))
                            .about($about)
                            .visible_aliases(aliases_of($name).iter().copied())
                            .display_order(command.get_display_order())
                    }))*
            }
        }
    };
}

commands! {
    Identify(super::identify::IdentifyArgs), "identify", "Identify the format of files";
    Databases(super::databases::DatabasesArgs), "databases", "List the databases that ChessBase shows, without opening them";
    Info(super::info::InfoArgs), "info", "Describe a database: format, games, dates, sizes";
    Ls(super::ls::LsArgs), "ls", "List games as a table";
    Cat(super::cat::CatArgs), "cat", "Print games as PGN";
    Search(super::search::SearchArgs), "search", "Find games by players, positions, material, comments and everything else (docs/query.md)";
    Query(super::query::QueryArgs), "query", "Show the query language, or check a query";
    Convert(super::convert_args::ConvertArgs), "convert", "Convert databases, and report everything that the target cannot hold";
    Check(super::check::CheckArgs), "check", "Check databases for damage and other issues";
    Repair(super::convert::RepairArgs), "repair", "Write a sound copy of a damaged database";
    New(super::edit::NewArgs), "new", "Create an empty database";
    Edit(super::edit::EditArgs), "edit", "Edit a database in place, with undo";
    Diff(super::diff::DiffArgs), "diff", "Compare two databases game by game";
    Explore(super::explore::ExploreArgs), "explore", "Show the moves played in a position, and how they scored";
    Book(super::book::BookArgs), "book", "Make an opening book for engines from games (docs/book.md)";
    Index(super::index::IndexArgs), "index", "Build an index that speeds up searches for positions and headers";
    Lake(super::lake::LakeArgs), "lake", "Build and maintain Parquet data lakes, with tables for the explorer (docs/lake.md)";
    Eco(super::eco::EcoArgs), "eco", "Classify openings (ECO) by position";
    Analyse(super::analyse::AnalyseArgs), "analyse", "Evaluate databases, or one position, with an engine (docs/engine.md)";
    Tactics(super::tactics::TacticsArgs), "tactics", "Find puzzles: positions in which only one move wins or holds (docs/engine.md)";
    Formats(super::formats::FormatsArgs), "formats", "List the formats and what they can hold";
    Stats(super::stats::StatsArgs), "stats", "Count games by result, year, rating, opening, player, event (docs/stats.md)";
    Dedupe(super::dedupe::DedupeArgs), "dedupe", "Find duplicate games (docs/dedupe.md)";
    Novelty(super::novelty::NoveltyArgs), "novelty", "Find the novelty in each game (docs/novelty.md)";
    Deepest(super::novelty::DeepestArgs), "deepest", "List the games that stayed longest in known theory (docs/novelty.md)";
    Repertoire(super::repertoire::RepertoireArgs), "repertoire", "Build, check and train opening repertoires (docs/repertoire.md)";
    Crosstable(super::crosstable::CrosstableArgs), "crosstable", "Show crosstables of events: scores, tie-breaks, performances (docs/crosstable.md)";
    Names(super::names::NamesArgs), "names", "Find and fix name variants (docs/names.md)";
    Player(super::player::PlayerArgs), "player", "Show a player's record: opponents, years, openings, ratings, streaks (docs/player.md)";
    Mistakes(super::mistakes::MistakesArgs), "mistakes", "Show where a player makes mistakes: by opening, phase, clock, piece";
    Serve(super::serve::ServeArgs), "serve", "Browse databases in a browser: board, list, search, explorer (docs/app.md)";
    App(super::serve::AppArgs), "app", "Open databases in the running app, or start it, as a desktop icon does (docs/app.md)";
    Open(super::serve::OpenArgs), "open", "Open one database in a browser (docs/app.md)";
    Mcp(super::mcp::McpArgs), "mcp", "Give language models tools for databases: search, positions, edits with undo (docs/mcp.md)";
    Fetch(super::external_program::FetchArgs), "fetch", "Download games, studies and rating lists from chess sites, using tabiya-fetch (docs/fetch.md)";
    Sql(super::external_program::ExternalProgramArgs), "sql", "Query databases with SQL, using tabiya-sql (docs/sql.md)";
    Cluster(super::external_program::ExternalProgramArgs), "cluster", "Run SQL on a cluster, using tabiya-sql (docs/cluster.md)";
    Jose(super::jose::JoseArgs), "jose", "Decode and encode rows of tables from jose";
    Completions(CompletionsArgs), "completions", "Print a completion script for a shell";
    Man(ManArgs), "man", "Write the manual pages to a folder";
}

#[derive(Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// Shell
    pub(crate) shell: clap_complete::Shell,
}

impl CompletionsArgs {
    pub(crate) fn run(&self) -> Result<Exit> {
        let text = completions(self.shell);
        std::io::Write::write_all(&mut super::output::stdout(), text.as_bytes())?;
        Ok(Exit::Success)
    }
}

/// The completions of a shell.
fn completions(shell: clap_complete::Shell) -> String {
    let mut out = Vec::new();
    clap_complete::generate(shell, &mut Cli::whole(), "tabiya", &mut out);
    let text = String::from_utf8_lossy(&out).into_owned();
    if shell != clap_complete::Shell::Zsh {
        return text;
    }
    // With `*::` zsh completes no options after the first database.
    let parts: Vec<String> = text
        .split("'*:::")
        .map(|part| part.replace("'*::", "'*:"))
        .collect();
    parts.join("'*:::")
}

#[derive(Args, Debug)]
pub(crate) struct ManArgs {
    /// Folder to write to
    pub(crate) folder: PathBuf,
}

impl ManArgs {
    pub(crate) fn run(&self) -> Result<Exit> {
        std::fs::create_dir_all(&self.folder)?;
        super::command_manual::write_all(Cli::whole(), &self.folder)?;
        std::fs::write(self.folder.join("tabiya-query.7"), super::query::manual())?;
        Ok(Exit::Success)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    /// The options that commands share, by their long names.
    const SHARED: [&str; 10] = [
        "query", "no-index", "json", "csv", "limit", "output", "force", "jobs", "encoding", "to",
    ];

    /// Which command has no shared option, and why.
    const HOLES: &str = include_str!("option_holes.txt");

    /// All commands that do something, each with its whole name.
    fn leaves(command: &clap::Command, name: &str, found: &mut BTreeMap<String, clap::Command>) {
        let mut has_own = false;
        for own in command
            .get_subcommands()
            .filter(|own| own.get_name() != "help")
        {
            has_own = true;
            let whole = format!("{name} {}", own.get_name());
            leaves(own, whole.trim(), found);
        }
        if !has_own {
            found.insert(name.to_owned(), command.clone());
        }
    }

    /// Disagreements between the options of commands and the holes that are explained.
    fn disagreements() -> Vec<String> {
        let mut syntax = Cli::whole();
        syntax.build();
        let mut commands = BTreeMap::new();
        leaves(&syntax, "", &mut commands);
        let mut explained = BTreeSet::new();
        let mut wrong = Vec::new();
        for line in HOLES
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
        {
            let Some((place, reason)) = line.split_once(": ") else {
                wrong.push(format!("{line}: no reason"));
                continue;
            };
            let Some((command, options)) = place.split_once(" | ") else {
                wrong.push(format!("{line}: no options"));
                continue;
            };
            let of_line = |name: &&String| match command.strip_suffix('*') {
                Some(start) => name.starts_with(start),
                None => *name == command,
            };
            let places: Vec<&String> = commands.keys().filter(of_line).collect();
            if reason.len() < 10 || places.is_empty() {
                wrong.push(format!("{line}: no command or no reason"));
            }
            for (place, option) in places.iter().flat_map(|place| {
                let options = options.split(' ');
                options.map(move |option| (*place, option))
            }) {
                let lacks = |name: &&str| !has(&commands[place], name);
                if option == "*" {
                    let all = SHARED.iter().filter(|name| lacks(name));
                    explained.extend(all.map(|name| format!("{place} --{name}")));
                } else if !SHARED.contains(&option) || !lacks(&option) {
                    wrong.push(format!("{place} --{option}: explained, and no hole"));
                } else {
                    explained.insert(format!("{place} --{option}"));
                }
            }
        }
        for (name, command) in &commands {
            for option in SHARED {
                let place = format!("{name} --{option}");
                if !has(command, option) && !explained.contains(&place) {
                    wrong.push(format!("{place}: a hole without a reason"));
                }
            }
        }
        wrong
    }

    fn has(command: &clap::Command, option: &str) -> bool {
        let own = command.get_arguments();
        own.filter(|arg| !arg.is_hide_set())
            .any(|arg| arg.get_long() == Some(option))
    }

    #[test]
    fn shared_options_are_everywhere_or_explained() {
        let wrong = disagreements();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn shared_options_mean_the_same_everywhere() {
        let mut syntax = Cli::whole();
        syntax.build();
        let mut commands = BTreeMap::new();
        leaves(&syntax, "", &mut commands);
        assert!(commands.len() > 40, "{} commands", commands.len());
        for (name, command) in &commands {
            for arg in command.get_arguments() {
                let expected = match arg.get_short() {
                    Some('o') => "output",
                    Some('j') => "jobs",
                    Some('q') => "quiet",
                    Some('v') => "verbose",
                    Some('h') => "help",
                    Some('V') => "version",
                    // Changes have a dry run, and no number of rows.
                    Some('n') if arg.get_long() == Some("dry-run") => "dry-run",
                    Some('n') => "limit",
                    Some('y') => "yes",
                    Some(other) => panic!("{name}: -{other}"),
                    None => continue,
                };
                assert_eq!(arg.get_long(), Some(expected), "{name}");
            }
        }
    }

    #[test]
    fn completions_know_values_and_options() {
        for shell in [
            clap_complete::Shell::Bash,
            clap_complete::Shell::Zsh,
            clap_complete::Shell::Fish,
        ] {
            let text = completions(shell);
            for word in ["si5", "CP437", "no-index", "no-progress"] {
                assert!(text.contains(word), "{shell}: {word}");
            }
        }
        let zsh = completions(clap_complete::Shell::Zsh);
        assert!(!zsh.contains("'*::paths"), "options after a database");
    }
}
