//! The arguments.

use std::path::{Path, PathBuf};

use clap::{Parser, Subcommand};
use tabiya_fetch::{FetchError, FetchSource};

/// Fetch games, studies and rating lists from sites, and only what is new of them.
#[derive(Parser, Debug)]
#[command(name = "tabiya-fetch", version, arg_required_else_help = true)]
pub(crate) struct FetchCommandLine {
    /// Renew everything that these bases were fed from
    #[arg(long, value_name = "BASE", num_args = 1..)]
    pub(crate) all: Vec<PathBuf>,
    /// Ask another address instead of a site's own: lichess=http://localhost:9663
    #[arg(long = "host", value_name = "SITE=ADDRESS", global = true)]
    pub(crate) hosts: Vec<String>,
    /// Tell the sites how to reach you: an address of mail, or your name there
    #[arg(long, value_name = "TEXT", global = true)]
    pub(crate) contact: Option<String>,
    /// Read tokens from this file (default: tokens.conf beside the configuration file)
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) tokens: Option<PathBuf>,
    /// Print what was fetched as JSON, one line for each source
    #[arg(long = "json", global = true)]
    pub(crate) is_json: bool,
    /// Print errors alone
    #[arg(short = 'q', long = "quiet", global = true)]
    pub(crate) is_quiet: bool,
    #[command(subcommand)]
    pub(crate) command: Option<FetchCommand>,
}

/// What is fetched.
#[derive(Subcommand, Debug)]
pub(crate) enum FetchCommand {
    /// Fetch the games of accounts at Lichess
    Lichess {
        /// Names of accounts
        #[arg(required = true)]
        users: Vec<String>,
        /// Database to update, which is created if it does not exist
        #[arg(short, long, value_name = "BASE")]
        output: PathBuf,
    },
    /// Fetch the games of accounts at chess.com
    Chesscom {
        /// Names of accounts
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
        /// Ids or addresses of studies
        #[arg(required = true)]
        ids: Vec<String>,
        /// Database to update, which is created if it does not exist
        #[arg(short, long, value_name = "BASE")]
        output: PathBuf,
    },
    /// Fetch the games of broadcast tournaments at Lichess
    Broadcast {
        /// Ids or addresses of tournaments
        #[arg(required = true)]
        ids: Vec<String>,
        /// Database to update, which is created if it does not exist
        #[arg(short, long, value_name = "BASE")]
        output: PathBuf,
    },
}

impl FetchCommand {
    /// The sources, and the base that they feed.
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
            FetchCommand::Broadcast { ids, output } => (all(ids, FetchSource::broadcast)?, output),
            FetchCommand::Twic { issues, output } => (vec![twic(issues)?], output),
            FetchCommand::Fide { output } => (vec![FetchSource::Fide], output),
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

/// Where tokens are kept, beside the configuration file.
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
