//! The command line's syntax, for all formats.

use std::path::PathBuf;

use anyhow::Result;
use clap::error::ErrorKind;
use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use tabiya::{Opener, Password, Target};
use tabiya_formats::format::{Format, OpenOptions, WriteOptions};
use tabiya_formats::options::FormatSettings;
use tabiya_formats::{csv, registry};
use tabiya_model::Control;
use tabiya_model::charset::Charset;
use tabiya_model::limits::ReadLimits;

use super::eco::EcoArgs;
use super::exit::Exit;
use super::explore::ExploreArgs;
use super::format_options::{OpenSettings, PgnSettings, WriteSettings};
use super::index::IndexArgs;
use super::password;

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
    Identify(IdentifyArgs), "identify", "Says which format files are";
    Info(InfoArgs), "info", "Describes a database: format, games, dates, sizes";
    Ls(LsArgs), "ls", "Lists games as a table";
    Cat(CatArgs), "cat", "Writes single games";
    Search(super::search::SearchArgs), "search", "Finds games: players, positions, material, comments and everything else (docs/query.md)";
    Query(super::query::QueryArgs), "query", "Tells the language of queries, or whether a query is one";
    Convert(ConvertArgs), "convert", "Converts databases and reports everything that the target cannot hold";
    Check(CheckArgs), "check", "Looks for damage and oddities";
    Repair(RepairArgs), "repair", "Writes a sound copy of a damaged database";
    New(super::edit::NewArgs), "new", "Makes an empty database to be edited";
    Edit(super::edit::EditArgs), "edit", "Changes a database in place: the only command that does";
    Diff(DiffArgs), "diff", "Compares two databases game by game";
    Explore(ExploreArgs), "explore", "Shows what was played in a position, and how it scored";
    Index(IndexArgs), "index", "Makes the index that answers about positions and headers at once";
    Lake(super::lake::LakeArgs), "lake", "Keeps games as Parquet, with tables for the explorer and other programs (docs/lake.md)";
    Eco(EcoArgs), "eco", "Names openings by position, and fills or compares the ECO tag";
    Analyse(super::analyse::AnalyseArgs), "analyse", "Has an engine evaluate whole databases, or one position (docs/engine.md)";
    Tactics(super::tactics::TacticsArgs), "tactics", "Finds positions of games in which one move alone wins or holds (docs/engine.md)";
    Formats(FormatsArgs), "formats", "Lists the formats and what they can hold";
    Stats(super::stats::StatsArgs), "stats", "Counts games: results, years, ratings, openings, players, events (docs/stats.md)";
    Dedupe(super::dedupe::DedupeArgs), "dedupe", "Finds games that are there twice, and says why (docs/dedupe.md)";
    Novelty(super::novelty::NoveltyArgs), "novelty", "Says where games leave what was played before them (docs/novelty.md)";
    Deepest(super::novelty::DeepestArgs), "deepest", "Shows the games that followed others longest (docs/novelty.md)";
    Crosstable(super::crosstable::CrosstableArgs), "crosstable", "Makes the cross-tables of events: scores, tie-breaks, performances, what is missing (docs/crosstable.md)";
    Names(super::names::NamesArgs), "names", "Finds names that are written in several ways, and puts names right (docs/names.md)";
    Player(super::player::PlayerArgs), "player", "Tells the record of a player: opponents, years, openings, ratings, series (docs/player.md)";
    Serve(super::serve::ServeArgs), "serve", "Shows databases in a browser: board, list, search, explorer (docs/app.md)";
    Open(super::serve::OpenArgs), "open", "Shows one database in a browser (docs/app.md)";
    Sql(super::external_program::ExternalProgramArgs), "sql", "Asks databases in SQL, with the program tabiya-lake (docs/sql.md)";
    Cluster(super::external_program::ExternalProgramArgs), "cluster", "Spreads SQL over several machines, with the program tabiya-lake (docs/cluster.md)";
    Jose(super::jose::JoseArgs), "jose", "Decodes and encodes rows of jose's tables";
    Completions(CompletionsArgs), "completions", "Prints completions for a shell";
    Man(ManArgs), "man", "Writes the manual pages into a folder";
}

/// How databases are opened.
#[derive(Args, Debug, Clone)]
pub(crate) struct ReadArgs {
    /// Format of the source, in place of finding it out
    #[arg(long = "from", value_name = "FORMAT", value_parser = format, help_heading = "Reading")]
    pub(crate) from: Option<&'static Format>,
    /// Charset of texts that are not UTF-8 (cp1252, cp1251, cp850, cp437, latin1 …), in place of detecting it
    #[arg(long, value_name = "CHARSET", value_parser = charset, help_heading = "Reading")]
    pub(crate) encoding: Option<Charset>,
    /// Texts were decoded as the first charset and should have been as the second
    #[arg(long, value_name = "FROM:TO", value_parser = charset_pair, help_heading = "Reading")]
    pub(crate) redecode: Option<(Charset, Charset)>,
    /// Read files in place of mapping them into memory
    #[arg(long, help_heading = "Reading")]
    pub(crate) no_mmap: bool,
    /// How many times larger than itself a compressed file may grow
    #[arg(long, value_name = "N", help_heading = "Reading")]
    pub(crate) max_ratio: Option<u64>,
    /// How large a window a compressed file may ask for
    #[arg(long, value_name = "BYTES", help_heading = "Reading")]
    pub(crate) max_window: Option<u64>,
    /// A file with the password of enciphered archives (.cbz), which a terminal is asked for otherwise; a line break at
    /// its end does not count
    #[arg(long, value_name = "FILE", value_parser = password::from_file, help_heading = "Reading")]
    pub(crate) password_file: Option<Password>,
    #[command(flatten)]
    pub(crate) settings: OpenSettings,
}

impl ReadArgs {
    /// How bases are opened.
    pub(crate) fn opener(&self) -> Opener {
        let limits = ReadLimits::default();
        Opener {
            options: OpenOptions {
                encoding: self.encoding,
                redecode: self.redecode,
                mmap: !self.no_mmap,
                settings: self.settings.0.clone(),
                limits: ReadLimits {
                    expansion: self.max_ratio.unwrap_or(limits.expansion),
                    window: self.max_window.unwrap_or(limits.window),
                    ..limits
                },
                ..OpenOptions::default()
            },
            format: self.from,
            password: self.password_file.clone(),
            ask: Some(password::ask),
            ..Opener::default()
        }
    }
}

/// How a target is written.
#[derive(Args, Debug, Clone)]
pub(crate) struct WriteArgs {
    /// Format of the target, in place of its extension
    #[arg(long = "to", value_name = "FORMAT", value_parser = format, help_heading = "Writing")]
    pub(crate) to: Option<&'static Format>,
    /// Replace an existing target
    #[arg(long, help_heading = "Writing")]
    pub(crate) force: bool,
    /// Charset of the target's texts, where its format has a choice
    #[arg(long, value_name = "CHARSET", value_parser = charset, help_heading = "Writing")]
    pub(crate) target_encoding: Option<Charset>,
    /// Description of the database
    #[arg(long, value_name = "TEXT", help_heading = "Writing")]
    pub(crate) description: Option<String>,
    /// Scid: number of the database's type (icon)
    #[arg(long, value_name = "N", help_heading = "Writing")]
    pub(crate) database_type: Option<u32>,
    /// Scid: the game to show on opening
    #[arg(long, value_name = "N", help_heading = "Writing")]
    pub(crate) autoload: Option<u64>,
    /// Scid: labels of the custom flags
    #[arg(
        long,
        value_name = "LABEL,…",
        value_delimiter = ',',
        help_heading = "Writing"
    )]
    pub(crate) flag_labels: Vec<String>,
    #[command(flatten)]
    pub(crate) settings: WriteSettings,
}

impl WriteArgs {
    /// The target of a path.
    pub(crate) fn target(&self, path: &std::path::Path) -> Result<Target> {
        Ok(Target::new(path, self.to, self.options())?)
    }

    /// What the format of a target is told.
    pub(crate) fn options(&self) -> WriteOptions {
        WriteOptions {
            force: self.force,
            sources: Vec::new(),
            encoding: self.target_encoding,
            description: self.description.clone(),
            kind: self.database_type,
            autoload: self.autoload,
            labels: self.flag_labels.clone(),
            settings: self.settings.0.clone(),
            ..WriteOptions::default()
        }
    }
}

/// The names of the formats that satisfy a condition.
fn names(which: impl Fn(&Format) -> bool) -> String {
    registry::FORMATS
        .iter()
        .filter(|format| which(format))
        .map(|format| format.name)
        .collect::<Vec<_>>()
        .join(", ")
}

/// The format of a name or an extension.
pub(crate) fn format(name: &str) -> Result<&'static Format, String> {
    registry::by_name(name)
        .or_else(|| registry::by_extension(name))
        .ok_or_else(|| format!("no such format; there are {}", names(|_| true)))
}

fn charset(name: &str) -> Result<Charset, String> {
    Charset::from_name(name).ok_or_else(|| {
        let all: Vec<_> = Charset::all().map(Charset::name).collect();
        format!("no such charset; there are {}", all.join(", "))
    })
}

fn charset_pair(pair: &str) -> Result<(Charset, Charset), String> {
    let (wrong, right) = pair
        .split_once(':')
        .ok_or("two charsets are wanted, as in cp1252:cp1251")?;
    Ok((charset(wrong)?, charset(right)?))
}

/// How many threads work.
#[derive(Args, Debug, Clone)]
pub(crate) struct JobsArgs {
    /// Number of threads; all processors unless said
    #[arg(long, short = 'j', value_name = "N")]
    pub(crate) jobs: Option<usize>,
}

impl JobsArgs {
    /// The control of a job on so many threads.
    pub(crate) fn control(&self) -> Control {
        let control = super::interrupt::control();
        match self.jobs.filter(|jobs| *jobs > 0) {
            Some(jobs) => control.with_threads(jobs),
            None => control,
        }
    }
}

#[derive(Args, Debug)]
pub(crate) struct IdentifyArgs {
    /// Files or folders
    #[arg(required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// One JSON object a file and line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct InfoArgs {
    /// Databases; a folder stands for all databases in it
    #[arg(required = true)]
    pub(crate) sources: Vec<PathBuf>,
    /// Read all games: results, ratings, charsets, damage
    #[arg(long)]
    pub(crate) full: bool,
    /// Show the files inside the .emb of a Chess Assistant database byte by byte
    #[arg(long, conflicts_with_all = ["full", "json"])]
    pub(crate) raw: bool,
    /// One JSON object a database and line
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
    #[command(flatten)]
    pub(crate) jobs: JobsArgs,
}

/// What the cells of comma-separated values are.
#[derive(Copy, Clone, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum CsvCells {
    /// Texts as they are: a spreadsheet may take one for a formula and run it
    Plain,
    /// An apostrophe before each text that a spreadsheet would take for a formula
    Guarded,
}

#[derive(Args, Debug)]
pub(crate) struct CellsArgs {
    /// With --csv: texts that begin with = + - @; plain unless said
    #[arg(long, value_name = "WHICH", requires = "csv")]
    cells: Option<CsvCells>,
}

impl CellsArgs {
    /// As the writer of tables is told.
    pub(crate) fn of(settings: &FormatSettings) -> CellsArgs {
        let guarded = settings.text(csv::CELLS) == Some(csv::GUARDED);
        CellsArgs {
            cells: guarded.then_some(CsvCells::Guarded),
        }
    }

    pub(crate) fn are_guarded(&self) -> bool {
        self.cells == Some(CsvCells::Guarded)
    }

    /// Values as they are wanted.
    pub(crate) fn values(&self, plain: String) -> Vec<u8> {
        match self.are_guarded() {
            true => tabiya_model::csv_cells::guarded(plain.as_bytes()),
            false => plain.into_bytes(),
        }
    }
}

#[derive(Args, Debug)]
pub(crate) struct LsArgs {
    /// The database
    pub(crate) source: PathBuf,
    /// Only these games: numbers and ranges, such as 17 or 20-25 or 1000- or last
    pub(crate) games: Vec<String>,
    /// One JSON object a line
    #[arg(long, conflicts_with = "csv")]
    pub(crate) json: bool,
    /// Comma-separated values with a heading
    #[arg(long)]
    pub(crate) csv: bool,
    #[command(flatten)]
    pub(crate) cells: CellsArgs,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
    #[command(flatten)]
    pub(crate) jobs: JobsArgs,
}

#[derive(Args, Debug)]
pub(crate) struct CatArgs {
    /// The database
    pub(crate) source: PathBuf,
    /// The games: numbers and ranges, such as 17 or 20-25 or last; all unless said
    pub(crate) games: Vec<String>,
    /// One JSON object a game and line, in place of PGN
    #[arg(long, conflicts_with = "csv")]
    pub(crate) json: bool,
    /// Comma-separated values with a heading, one row a half-move, in place of PGN
    #[arg(long)]
    pub(crate) csv: bool,
    #[command(flatten)]
    pub(crate) cells: CellsArgs,
    #[command(flatten)]
    pub(crate) settings: PgnSettings,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

#[derive(Args, Debug)]
pub(crate) struct ConvertArgs {
    /// Sources (several are merged, `-` is standard input, a folder stands for all databases in it), then the target
    #[arg(required = true, num_args = 1.., value_names = ["SOURCE", "TARGET"])]
    pub(crate) paths: Vec<PathBuf>,
    /// A file of further sources, one a line
    #[arg(long, value_name = "FILE")]
    pub(crate) sources: Vec<PathBuf>,
    /// A file of options, as they would stand here; `#` begins a line that says nothing
    #[arg(long, value_name = "FILE")]
    pub(crate) options: Vec<PathBuf>,
    /// Add the games to a target that exists, by an edit that can be undone
    #[arg(long, conflicts_with_all = ["force", "verify", "split_by"])]
    pub(crate) append: bool,
    /// Stop at the first loss or damaged game, and write nothing
    #[arg(long)]
    pub(crate) strict: bool,
    /// Read the target again and compare it with the source
    #[arg(long)]
    pub(crate) verify: bool,
    /// Leave out games that are marked as deleted
    #[arg(long)]
    pub(crate) skip_deleted: bool,
    /// Write everything that was lost or found as JSON
    #[arg(long, value_name = "FILE.json")]
    pub(crate) report: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) choose: super::convert_args::ConvertSelectionArgs,
    #[command(flatten)]
    pub(crate) reshape: super::convert_args::ReshapeArgs,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
    #[command(flatten)]
    pub(crate) jobs: JobsArgs,
}

#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
    /// Databases
    #[arg(required_unless_present = "explain")]
    pub(crate) sources: Vec<PathBuf>,
    /// Explain a diagnostic by its code; `all` lists them
    #[arg(long, value_name = "CODE")]
    pub(crate) explain: Option<String>,
    /// Show at most this many findings of a kind
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) most: u64,
    /// One JSON object a finding and line
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
    #[command(flatten)]
    pub(crate) jobs: JobsArgs,
}

#[derive(Args, Debug)]
pub(crate) struct RepairArgs {
    /// The damaged database; it is not changed
    pub(crate) source: PathBuf,
    /// The sound copy
    pub(crate) target: PathBuf,
    /// Write everything that was lost or found as JSON
    #[arg(long, value_name = "FILE.json")]
    pub(crate) report: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
    #[command(flatten)]
    pub(crate) jobs: JobsArgs,
}

#[derive(Args, Debug)]
pub(crate) struct DiffArgs {
    /// One database
    pub(crate) a: PathBuf,
    /// The other one
    pub(crate) b: PathBuf,
    /// Show at most this many games that differ
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) most: u64,
    /// One JSON object a difference and line, and one with the numbers at the end
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

#[derive(Args, Debug)]
pub(crate) struct FormatsArgs {
    /// One format in full, with everything that its reader can find and its writer can lose
    #[arg(value_parser = format, conflicts_with = "markdown")]
    pub(crate) format: Option<&'static Format>,
    /// As a table for Markdown
    #[arg(long, conflicts_with = "json")]
    pub(crate) markdown: bool,
    /// As JSON
    #[arg(long)]
    pub(crate) json: bool,
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
