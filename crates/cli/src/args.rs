//! Arguments that several commands share: how databases are opened and written, and on how many threads.

use std::ffi::OsStr;

use anyhow::Result;
use clap::Args;
use clap::builder::{PossibleValue, TypedValueParser};
use tabiya::{Opener, Password, Target};
use tabiya_formats::format::{Format, OpenOptions, WriteOptions};
use tabiya_formats::options::FormatSettings;
use tabiya_formats::{csv, registry};
use tabiya_model::Control;
use tabiya_model::charset::Charset;
use tabiya_model::limits::ReadLimits;

use super::format_options::{OpenSettings, WriteSettings};
use super::password;

/// How databases are opened.
#[derive(Args, Debug, Clone)]
pub(crate) struct ReadArgs {
    /// Format of the source [default: detected]
    #[arg(long = "from", value_name = "FORMAT", value_parser = FormatValues, hide_possible_values = true, help_heading = "Reading")]
    pub(crate) from: Option<&'static Format>,
    /// Encoding of text that is not UTF-8: cp1252, cp1251, cp850, cp437, latin1 … [default: detected]
    #[arg(long, value_name = "ENCODING", value_parser = CharsetValues, hide_possible_values = true, help_heading = "Reading")]
    pub(crate) encoding: Option<Charset>,
    /// Fix mojibake: text was decoded as FROM but is TO
    #[arg(long, value_name = "FROM:TO", value_parser = charset_pair, help_heading = "Reading")]
    pub(crate) redecode: Option<(Charset, Charset)>,
    /// Read files instead of mapping them into memory
    #[arg(long, help_heading = "Reading")]
    pub(crate) no_mmap: bool,
    /// Maximum decompression ratio [default: 1000]
    #[arg(long, value_name = "N", help_heading = "Reading")]
    pub(crate) max_ratio: Option<u64>,
    /// Maximum decompression window [default: 134217728]
    #[arg(long, value_name = "BYTES", help_heading = "Reading")]
    pub(crate) max_window: Option<u64>,
    /// File with the password of encrypted archives (.cbz); a line break at its end is ignored [default: ask on the
    /// terminal]
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
    /// Format of the target [default: by its extension]
    #[arg(long = "to", value_name = "FORMAT", value_parser = FormatValues, hide_possible_values = true, help_heading = "Writing")]
    pub(crate) to: Option<&'static Format>,
    /// Replace an existing target
    #[arg(long, help_heading = "Writing")]
    pub(crate) force: bool,
    /// Encoding of the target's text, if its format has a choice
    #[arg(long, value_name = "ENCODING", value_parser = CharsetValues, hide_possible_values = true, help_heading = "Writing")]
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

    /// The options for the format of a target.
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
        .ok_or_else(|| format!("unknown format; formats are {}", names(|_| true)))
}

/// The names of formats, which completions know.
#[derive(Copy, Clone, Debug)]
pub(crate) struct FormatValues;

impl TypedValueParser for FormatValues {
    type Value = &'static Format;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Self::Value, clap::Error> {
        TypedValueParser::parse_ref(&format, command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let names = registry::FORMATS.iter();
        Some(Box::new(
            names.map(|format| PossibleValue::new(format.name)),
        ))
    }
}

/// The names of encodings, which completions know.
#[derive(Copy, Clone, Debug)]
struct CharsetValues;

impl TypedValueParser for CharsetValues {
    type Value = Charset;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Self::Value, clap::Error> {
        TypedValueParser::parse_ref(&charset, command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(
            Charset::all().map(|charset| PossibleValue::new(charset.name())),
        ))
    }
}

fn charset(name: &str) -> Result<Charset, String> {
    Charset::from_name(name).ok_or_else(|| {
        let all: Vec<_> = Charset::all().map(Charset::name).collect();
        format!("unknown encoding; encodings are {}", all.join(", "))
    })
}

fn charset_pair(pair: &str) -> Result<(Charset, Charset), String> {
    let (wrong, right) = pair
        .split_once(':')
        .ok_or("give two encodings, such as cp1252:cp1251")?;
    Ok((charset(wrong)?, charset(right)?))
}

/// How many threads work.
#[derive(Args, Debug, Clone)]
pub(crate) struct JobsArgs {
    /// Number of threads [default: one per processor]
    #[arg(long, short = 'j', value_name = "N")]
    pub(crate) jobs: Option<usize>,
}

impl JobsArgs {
    /// The control of a job on this number of threads.
    pub(crate) fn control(&self) -> Control {
        let control = super::interrupt::control();
        match self.jobs.filter(|jobs| *jobs > 0) {
            Some(jobs) => control.with_threads(jobs),
            None => control,
        }
    }
}

/// How the cells of CSV are written.
#[derive(Copy, Clone, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum CsvCells {
    /// Unchanged text: a spreadsheet may run it as a formula
    Plain,
    /// An apostrophe before text that a spreadsheet would run as a formula
    Guarded,
}

#[derive(Args, Debug)]
pub(crate) struct CellsArgs {
    /// With --csv: how to write text that begins with = + - @ [default: plain]
    #[arg(long, value_name = "WHICH", requires = "csv")]
    cells: Option<CsvCells>,
}

impl CellsArgs {
    /// As in the options of the writer of tables.
    pub(crate) fn of(settings: &FormatSettings) -> CellsArgs {
        let guarded = settings.text(csv::CELLS) == Some(csv::GUARDED);
        CellsArgs {
            cells: guarded.then_some(CsvCells::Guarded),
        }
    }

    pub(crate) fn are_guarded(&self) -> bool {
        self.cells == Some(CsvCells::Guarded)
    }

    /// Values in the chosen form.
    pub(crate) fn values(&self, plain: String) -> Vec<u8> {
        match self.are_guarded() {
            true => tabiya_model::csv_cells::guarded(plain.as_bytes()),
            false => plain.into_bytes(),
        }
    }
}
