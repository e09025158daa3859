//! The arguments.

use std::path::{Path, PathBuf};

use clap::{Parser, Subcommand, ValueEnum};
use tabiya_fetch::{FetchConflictChoice, FetchConflictSide, FetchError, FetchSource};

/// Fetch games, studies and rating lists from web sites; only what is new.
#[derive(Parser, Debug)]
#[command(name = "tabiya-fetch", version, arg_required_else_help = true)]
pub(crate) struct FetchCommandLine {
    /// Update these databases from all their sources
    #[arg(long, value_name = "BASE", num_args = 1..)]
    pub(crate) all: Vec<PathBuf>,
    /// Use another address instead of a site's own: lichess=http://localhost:9663
    #[arg(long = "host", value_name = "SITE=ADDRESS", global = true)]
    pub(crate) hosts: Vec<String>,
    /// How the sites can reach you: an e-mail address, or your user name there
    #[arg(long, value_name = "TEXT", global = true)]
    pub(crate) contact: Option<String>,
    /// Read tokens from this file (default: tokens.conf beside the configuration file)
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) tokens: Option<PathBuf>,
    /// Print the results as JSON, one line per source
    #[arg(long = "json", global = true)]
    pub(crate) is_json: bool,
    /// Print errors only
    #[arg(short = 'q', long = "quiet", global = true)]
    pub(crate) is_quiet: bool,
    #[command(subcommand)]
    pub(crate) command: Option<FetchCommand>,
}

/// The side whose version of a chapter is kept.
#[derive(ValueEnum, Copy, Clone, Debug)]
pub(crate) enum KeptSide {
    Here,
    There,
}

/// What to fetch.
#[derive(Subcommand, Debug)]
pub(crate) enum FetchCommand {
    /// Fetch the games of accounts at Lichess
    Lichess {
        /// Account names
        #[arg(required = true)]
        users: Vec<String>,
        /// Database to update, which is created if it does not exist
        #[arg(short, long, value_name = "BASE")]
        output: PathBuf,
    },
    /// Fetch the games of accounts at chess.com
    Chesscom {
        /// Account names
        #[arg(required = true)]
        users: Vec<String>,
        /// Database to update, which is created if it does not exist
        #[arg(short, long, value_name = "BASE")]
        output: PathBuf,
    },
    /// Fetch issues of The Week in Chess, for personal use
    Twic {
        /// Numbers of issues (1650-1652), or `new` for those after the newest one in the database
        #[arg(default_value = "new")]
        issues: String,
        /// Database to update, which is created if it does not exist
        #[arg(short, long, value_name = "BASE")]
        output: PathBuf,
    },
    /// Make a database of the rated games of a month at Lichess, while they are being downloaded
    Dump {
        /// Month, such as 2026-10
        month: String,
        /// Only games that match this query (docs/query.md)
        #[arg(long, value_name = "QUERY")]
        query: Option<String>,
        /// Database to create
        #[arg(short, long, value_name = "BASE")]
        output: PathBuf,
    },
    /// Fetch the FIDE rating list into the file that `names --ratings` reads
    Fide {
        /// File to write
        #[arg(
            short,
            long,
            value_name = "FILE",
            default_value = "players_list_xml.zip"
        )]
        output: PathBuf,
    },
    /// Fetch the chapters of studies at Lichess, or send back those that were changed in the database
    Study {
        /// Send the chapters that were changed in the database to Lichess, instead of fetching
        #[arg(long)]
        push: bool,
        /// Keep this version of chapters that were changed on both sides: the one `here` (then --push sends it) or the one `there`
        #[arg(long, value_name = "SIDE", conflicts_with = "push")]
        keep: Option<KeptSide>,
        /// Keep it of this chapter only (its ID)
        #[arg(long = "chapter", value_name = "ID", requires = "keep")]
        chapters: Vec<String>,
        /// IDs or addresses of studies, or names of accounts for all their studies (`@NAME` if the name has eight letters)
        #[arg(required = true)]
        ids: Vec<String>,
        /// Database to update, which is created if it does not exist
        #[arg(short, long, value_name = "BASE")]
        output: PathBuf,
    },
    /// Log in at Lichess in a browser on this machine; the token is kept in the tokens file
    Login,
    /// Fetch the games of broadcast tournaments at Lichess
    Broadcast {
        /// Follow one round until it ends; ID is the last part of the round's address
        #[arg(long)]
        follow: bool,
        /// IDs or addresses of tournaments
        #[arg(required = true)]
        ids: Vec<String>,
        /// Database to update, which is created if it does not exist
        #[arg(short, long, value_name = "BASE")]
        output: PathBuf,
    },
}

impl FetchCommand {
    /// What to do with chapters of studies that were changed on both sides, if it says so.
    pub(crate) fn choice(&self) -> Option<FetchConflictChoice> {
        let FetchCommand::Study { keep, chapters, .. } = self else {
            return None;
        };
        Some(FetchConflictChoice {
            side: match (*keep)? {
                KeptSide::Here => FetchConflictSide::Here,
                KeptSide::There => FetchConflictSide::There,
            },
            chapters: chapters.clone(),
        })
    }

    /// The sources, and the base that is updated from them.
    pub(crate) fn sources(&self) -> Result<(Vec<FetchSource>, &Path), FetchError> {
        let all = |words: &[String], make: fn(&str) -> Result<FetchSource, FetchError>| {
            words
                .iter()
                .map(|word| make(word))
                .collect::<Result<Vec<_>, _>>()
        };
        let (sources, output) = match self {
            FetchCommand::Lichess { users, output } => (all(users, FetchSource::lichess)?, output),
            FetchCommand::Chesscom { users, output } => {
                (all(users, FetchSource::chesscom)?, output)
            }
            FetchCommand::Study { ids, output, .. } => (all(ids, FetchSource::study)?, output),
            FetchCommand::Broadcast { ids, output, .. } => {
                (all(ids, FetchSource::broadcast)?, output)
            }
            FetchCommand::Twic { issues, output } => (vec![twic(issues)?], output),
            FetchCommand::Fide { output } => (vec![FetchSource::Fide], output),
            FetchCommand::Login => {
                return Err(FetchError::Usage("a login is not a source".to_owned()));
            }
            FetchCommand::Dump { month, output, .. } => (vec![FetchSource::dump(month)?], output),
        };
        Ok((sources, output))
    }
}

/// Issues by their numbers.
fn twic(issues: &str) -> Result<FetchSource, FetchError> {
    if issues == "new" {
        return Ok(FetchSource::Twic);
    }
    let number = |word: &str| word.trim().parse::<u32>().ok();
    let (first, last) = issues.split_once('-').unwrap_or((issues, issues));
    match (number(first), number(last)) {
        (Some(first), Some(last)) if first <= last => Ok(FetchSource::TwicIssues(first, last)),
        _ => Err(FetchError::Usage(format!(
            "{issues}: issues are numbers such as 1650-1652, or `new`"
        ))),
    }
}

/// The path of the tokens file, beside the configuration file.
pub(crate) fn tokens_file() -> Option<PathBuf> {
    let folder = |name: &str| {
        let path = PathBuf::from(std::env::var_os(name)?);
        path.is_absolute().then_some(path)
    };
    let folder = match cfg!(windows) {
        true => folder("APPDATA"),
        false => folder("XDG_CONFIG_HOME").or_else(|| Some(folder("HOME")?.join(".config"))),
    };
    Some(folder?.join("tabiya").join("tokens.conf"))
}
