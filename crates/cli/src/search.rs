//! `tabiya search`: which games.

use std::cmp::Ordering;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::{Args, ValueEnum};
use tabiya::{Input, sidecar};
use tabiya_explore::index::Index;
use tabiya_formats::csv::GAME_COLUMNS;
use tabiya_formats::format::Format;
use tabiya_formats::pgn::{self, GameWriter, PgnStyle};
use tabiya_model::database::Writer;
use tabiya_model::{Database, Error, Game, Losses, Want};
use tabiya_query::{
    Aliases, Context, Found, Options, Query, Report, SavedQueries, search_beside, search_source,
};

use super::args::{JobsArgs, ReadArgs, WriteArgs};
use super::convert::is_asked_for;
use super::exit::Exit;
use super::interrupt;
use super::ls::{Entry, Form, csv_cell, heading, line};
use super::output::{self, Paint, count, grouped, say};
use super::report::SourceReport;

/// Hits that are shown at once as they come; later ones wait until there are more.
const PROMPT: u64 = 200;

#[derive(Args, Debug)]
pub(crate) struct SearchArgs {
    /// Databases (several are searched one after the other, `-` is standard input), then the query
    #[arg(required = true, value_name = "BASE… QUERY")]
    paths: Vec<PathBuf>,
    /// Only the number of games
    #[arg(long, conflicts_with_all = ["first", "sort", "json", "csv", "pgn", "output"])]
    count: bool,
    /// Stop after so many games
    #[arg(long, value_name = "N")]
    first: Option<u64>,
    /// Order of the games; a `-` before the field turns it around
    #[arg(long, value_name = "FIELD", allow_hyphen_values = true, value_parser = sort_key)]
    sort: Option<SortKey>,
    /// Look into variations too, unless a term says otherwise
    #[arg(long)]
    variations: bool,
    /// One JSON object a game and line
    #[arg(long, conflicts_with_all = ["csv", "pgn", "output"])]
    json: bool,
    /// Comma-separated values with a heading
    #[arg(long, conflicts_with_all = ["pgn", "output"])]
    csv: bool,
    /// The games as PGN
    #[arg(long, conflicts_with = "output")]
    pgn: bool,
    /// A new database of the games, in the format of its extension
    #[arg(long, short, value_name = "TARGET")]
    output: Option<PathBuf>,
    /// File of names that mean the same player: `Kasparov, Garry = Weinstein, Garik`
    #[arg(long, value_name = "FILE")]
    aliases: Option<PathBuf>,
    /// File of saved queries, `name = query`; `@name` stands for one
    #[arg(long, value_name = "FILE")]
    saved: Option<PathBuf>,
    /// Do without a short cut; the answers are the same
    #[arg(long, value_enum, value_delimiter = ',', value_name = "WHAT,…")]
    without: Vec<ShortCut>,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    write: WriteArgs,
    #[command(flatten)]
    jobs: JobsArgs,
}

#[derive(ValueEnum, Copy, Clone, PartialEq, Eq, Debug)]
enum ShortCut {
    /// Names, dates, ratings and counts as the index has them
    Facts,
    /// Final material, home pawns and stored lines as the index has them
    Hints,
    /// Walking through games without reading them
    Compact,
    /// Reading the tags that are asked for before anything else
    Tags,
    /// The index beside a database
    Index,
}

/// What games are sorted by.
#[derive(Clone, Debug)]
struct SortKey {
    field: &'static str,
    descending: bool,
}

const SORT_FIELDS: [&str; 13] = [
    "number",
    "ply",
    "white",
    "white-elo",
    "black",
    "black-elo",
    "elo",
    "result",
    "date",
    "event",
    "site",
    "round",
    "eco",
];

fn sort_key(text: &str) -> Result<SortKey, String> {
    let (name, descending) = match text.strip_prefix('-') {
        Some(name) => (name, true),
        None => (text, false),
    };
    match SORT_FIELDS.iter().find(|field| **field == name) {
        Some(field) => Ok(SortKey { field, descending }),
        None => Err(format!(
            "there is no such field; there are {}",
            SORT_FIELDS.join(", ")
        )),
    }
}

/// A value to sort by: numbers come before texts, and what is missing first of all.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum SortValue {
    Missing,
    Number(i64),
    Text(String),
}

impl SortKey {
    fn value(&self, found: &Found, game: &Game) -> SortValue {
        let tag = |name: &str| match game.tags.value(name) {
            "" | "?" | "-" => SortValue::Missing,
            text => SortValue::Text(tabiya_query::fold::fold(text).into_owned()),
        };
        let number = |name: &str| game.tags.number(name).map(i64::from).filter(|n| *n > 0);
        let or_missing = |number: Option<i64>| number.map_or(SortValue::Missing, SortValue::Number);
        match self.field {
            "number" => or_missing(i64::try_from(found.hit.number).ok()),
            "ply" => or_missing(found.hit.ply.map(i64::from)),
            "white" => tag("White"),
            "black" => tag("Black"),
            "white-elo" => or_missing(number("WhiteElo")),
            "black-elo" => or_missing(number("BlackElo")),
            "elo" => or_missing(
                number("WhiteElo")
                    .zip(number("BlackElo"))
                    .map(|(w, b)| w + b),
            ),
            "result" => SortValue::Text(game.result().as_pgn().to_owned()),
            "date" => tag("Date"),
            "event" => tag("Event"),
            "site" => tag("Site"),
            "round" => match game.tags.number("Round") {
                Some(round) => SortValue::Number(i64::from(round)),
                None => tag("Round"),
            },
            _ => tag("ECO"),
        }
    }
}

pub(crate) fn run(args: &SearchArgs) -> Result<Exit> {
    let Some((text, paths)) = args.paths.split_last() else {
        bail!("a database and a query are wanted");
    };
    if paths.is_empty() {
        bail!("a database and a query are wanted: `tabiya search games.pgn player:Kasparov`");
    }
    let Some(text) = text.to_str() else {
        bail!("the query is not UTF-8");
    };
    let aliases = match &args.aliases {
        Some(path) => {
            Some(Aliases::parse(&read_text(path)?).with_context(|| path.display().to_string())?)
        }
        None => None,
    };
    let saved = match &args.saved {
        Some(path) => Some(
            SavedQueries::parse(&read_text(path)?).with_context(|| path.display().to_string())?,
        ),
        None => None,
    };
    let context = Context {
        variations: args.variations,
        aliases: aliases.as_ref(),
        saved: saved.as_ref(),
    };
    let query = match Query::parse(text, context) {
        Ok(query) => query,
        Err(error) => {
            let message = error.render(text);
            if Path::new(text).exists() {
                bail!("{message}\nhelp: the last argument is the query, and this is a file");
            }
            bail!("{message}");
        }
    };
    if !args.count {
        interrupt::catch();
    }
    let inputs = args.read.inputs();
    let mut opened = Vec::new();
    for path in paths {
        opened.extend(inputs.open(path)?);
    }
    let mut out = Output::new(args, paths, &opened)?;
    let mut reports = Vec::new();
    for (index, input) in opened.iter_mut().enumerate() {
        if out.is_full() {
            break;
        }
        let report = out.search(args, &query, index, input)?;
        reports.push((input.name.clone(), input.format.name, report));
    }
    let losses = out.finish(args, &reports)?;
    let hits: u64 = reports.iter().map(|(.., report)| report.hits).sum();
    let mut damaged = 0;
    for (name, format, report) in reports {
        damaged += report.damaged;
        if report.damaged > 0 {
            say(&format!(
                "{name}: {} of {} that were read damaged; what could be read of them was searched",
                count(report.damaged, "game is", "games are"),
                grouped(report.games)
            ));
            let told = SourceReport {
                name,
                format,
                games: report.games,
                damaged: report.damaged,
                diagnostics: report.diagnostics,
                ..SourceReport::default()
            };
            told.tell();
        }
    }
    Ok(if damaged > 0 || losses {
        Exit::Incomplete
    } else if hits == 0 {
        Exit::NoMatch
    } else {
        Exit::Success
    })
}

/// The index beside a database, where it helps.
fn index_of(
    args: &SearchArgs,
    query: &Query,
    database: &dyn Database,
) -> Result<Option<Box<Index>>> {
    let helps = query.asks_for_positions() || database.facts().is_none();
    if args.without.contains(&ShortCut::Index) || !helps {
        return Ok(None);
    }
    let Some(path) = sidecar::path_of(database) else {
        return Ok(None);
    };
    let found = sidecar::open(database, &args.read.inputs().options)?;
    let index = found.usable(&path).unwrap_or_else(|note| {
        say(&note);
        None
    });
    if let Some(index) = &index {
        index.tell_places(database);
    }
    Ok(index)
}

fn read_text(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| path.display().to_string())
}

/// Where hits go.
enum Output {
    Count,
    List {
        form: Form,
        names: Vec<String>,
        sorted: Vec<(SortValue, usize, Found)>,
        shown: u64,
        first: u64,
    },
    Games {
        /// The names of the databases.
        names: Vec<String>,
        to: Target,
        format: &'static Format,
        losses: Losses,
        sorted: Vec<(SortValue, usize, Found)>,
        shown: u64,
        first: u64,
    },
}

/// Games as PGN to standard output, or a new database.
enum Target {
    Pgn(Box<GameWriter>),
    Sink(Option<Writer>),
}

impl Output {
    fn new(args: &SearchArgs, paths: &[PathBuf], opened: &[Input]) -> Result<Output> {
        let names = opened.iter().map(|input| input.name.clone()).collect();
        let first = args.first.unwrap_or(u64::MAX);
        if args.count {
            return Ok(Output::Count);
        }
        let (to, format) = if args.pgn {
            let writer = GameWriter::new(PgnStyle::of(&args.write.settings.0));
            (Target::Pgn(Box::new(writer)), &pgn::FORMAT)
        } else if let Some(target) = &args.output {
            let format = args.write.format_of(target)?;
            let Some(create) = format.create else {
                bail!(
                    "writing {} is not supported (see `tabiya formats`)",
                    format.title
                );
            };
            let mut sources = paths.to_vec();
            for input in opened {
                sources.extend(input.info().files.into_iter().map(|(path, _)| path));
            }
            let options = args.write.options(&sources);
            let writer = Writer::new(create(target, &options)?);
            (Target::Sink(Some(writer)), format)
        } else {
            let form = match (args.json, args.csv) {
                (true, _) => Form::Json,
                (_, true) => Form::Csv,
                _ => Form::Table(Paint::of_stdout()),
            };
            return Ok(Output::List {
                form,
                names,
                sorted: Vec::new(),
                shown: 0,
                first,
            });
        };
        Ok(Output::Games {
            names,
            to,
            format,
            losses: Losses::default(),
            sorted: Vec::new(),
            shown: 0,
            first,
        })
    }

    fn is_full(&self) -> bool {
        match self {
            Output::Count => false,
            Output::List {
                sorted,
                shown,
                first,
                ..
            }
            | Output::Games {
                sorted,
                shown,
                first,
                ..
            } => sorted.is_empty() && shown >= first,
        }
    }

    fn search(
        &mut self,
        args: &SearchArgs,
        query: &Query,
        index: usize,
        input: &mut Input,
    ) -> Result<Report> {
        let options = Options {
            jobs: args.jobs.jobs(),
            plies: !matches!(self, Output::Count),
            keep: match self {
                Output::Count => None,
                Output::List { form, .. } => Some(form.want()),
                Output::Games { .. } => Some(Want::ALL),
            },
            facts: !args.without.contains(&ShortCut::Facts),
            hints: !args.without.contains(&ShortCut::Hints),
            compact: !args.without.contains(&ShortCut::Compact),
            gate: !args.without.contains(&ShortCut::Tags),
        };
        let mut failed = None;
        let mut each = |found: Found| match self.take(args, index, found) {
            Ok(go_on) => Ok(go_on),
            Err(error) => {
                let stop = Error::new(tabiya_model::ErrorKind::Interrupted, "");
                failed = Some(error);
                Err(stop)
            }
        };
        let each: Option<tabiya_query::engine::Each<'_>> =
            if args.count { None } else { Some(&mut each) };
        let result = match input.database() {
            Some(database) => {
                let index = index_of(args, query, database)?;
                if index.is_none() {
                    interrupt::catch();
                }
                let rows = index.as_deref().and_then(Index::rows);
                let beside = sidecar::beside(index.as_deref(), rows.as_ref());
                let result = search_beside(database, beside, query, options, each);
                let damage = index
                    .as_deref()
                    .and_then(|index| sidecar::damage(database, index, rows.as_ref()));
                if let Some(note) = damage {
                    say(&note);
                }
                result
            }
            None => {
                interrupt::catch();
                search_source(&mut *input.source()?, query, options, each)
            }
        };
        match (failed, result) {
            (Some(error), _) => Err(error),
            (None, result) => Ok(result?),
        }
    }

    fn take(&mut self, args: &SearchArgs, index: usize, found: Found) -> Result<bool> {
        let (sorted, first) = match self {
            Output::Count => return Ok(true),
            Output::List { sorted, first, .. } | Output::Games { sorted, first, .. } => {
                (sorted, *first)
            }
        };
        if let Some(key) = &args.sort {
            let empty = Game::default();
            let value = key.value(&found, found.game.as_deref().unwrap_or(&empty));
            sorted.push((value, index, found));
            return Ok(true);
        }
        if first == 0 {
            return Ok(false);
        }
        self.show(index, found)?;
        Ok(!self.is_full())
    }

    fn show(&mut self, index: usize, found: Found) -> Result<()> {
        let game = found.game.unwrap_or_default();
        match self {
            Output::Count => {}
            Output::List {
                form, names, shown, ..
            } => {
                let mut out = std::io::stdout().lock();
                let mut text = Vec::new();
                let several = names.len() > 1;
                if *shown == 0 {
                    match form {
                        Form::Csv => writeln!(text, "base,{},ply", GAME_COLUMNS.join(","))?,
                        Form::Json => {}
                        Form::Table(paint) => {
                            let mut title = Vec::new();
                            heading(&mut title, &Form::Table(*paint))?;
                            write!(text, "{}", paint.bold("  ply  "))?;
                            text.extend_from_slice(&title);
                        }
                    }
                }
                *shown += 1;
                let mut entry = Entry::of_game(&game, form);
                entry.number = found.hit.number;
                let name = names.get(index).map_or("", String::as_str);
                let ply = found.hit.ply.map(|ply| ply.to_string()).unwrap_or_default();
                match form {
                    Form::Table(_) => {
                        let mut row = Vec::new();
                        line(&mut row, form, &entry)?;
                        while row.ends_with(b"\n") {
                            row.pop();
                        }
                        write!(text, "{ply:>5}  ")?;
                        text.extend_from_slice(&row);
                        if several {
                            write!(text, "  {}", output::printable(name))?;
                        }
                        text.push(b'\n');
                    }
                    Form::Json | Form::Csv => {
                        let mut json = entry.json();
                        if let Some(object) = json.as_object_mut() {
                            object.insert("base".to_owned(), name.into());
                            object.insert("ply".to_owned(), found.hit.ply.into());
                        }
                        if matches!(form, Form::Json) {
                            writeln!(text, "{json}")?;
                        } else {
                            let cells: Vec<String> = std::iter::once("base")
                                .chain(GAME_COLUMNS)
                                .chain(["ply"])
                                .map(|column| json.get(column).map(csv_cell).unwrap_or_default())
                                .collect();
                            writeln!(text, "{}", cells.join(","))?;
                        }
                    }
                }
                out.write_all(&text)?;
                if *shown < PROMPT && !std::io::stdout().is_terminal() {
                    out.flush()?;
                }
            }
            Output::Games {
                to, losses, shown, ..
            } => {
                *shown += 1;
                match to {
                    Target::Pgn(writer) => {
                        let mut text = Vec::new();
                        writer.write(&game, &mut text, losses);
                        std::io::stdout().lock().write_all(&text)?;
                    }
                    Target::Sink(Some(writer)) => writer.write(&game, losses)?,
                    Target::Sink(None) => {}
                }
            }
        }
        Ok(())
    }

    /// Shows what was kept for sorting and completes a target; says whether something was lost.
    fn finish(
        &mut self,
        args: &SearchArgs,
        reports: &[(String, &'static str, Report)],
    ) -> Result<bool> {
        if let Output::List { sorted, first, .. } | Output::Games { sorted, first, .. } = self {
            let (mut sorted, first) = (std::mem::take(sorted), *first);
            let descending = args.sort.as_ref().is_some_and(|key| key.descending);
            sorted.sort_by(|a, b| {
                let order = a.0.cmp(&b.0);
                let order = if descending { order.reverse() } else { order };
                // What is missing is of no use at either end of the list.
                let missing = |value: &SortValue| *value == SortValue::Missing;
                missing(&a.0)
                    .cmp(&missing(&b.0))
                    .then(order)
                    .then(Ordering::Equal)
            });
            let first = usize::try_from(first).unwrap_or(usize::MAX);
            for (_, index, found) in sorted.into_iter().take(first) {
                self.show(index, found)?;
            }
        }
        match self {
            Output::Count => {
                let hits: u64 = reports.iter().map(|(.., report)| report.hits).sum();
                let mut out = output::stdout();
                if reports.len() > 1 {
                    for (name, _, report) in reports {
                        writeln!(out, "{}\t{}", report.hits, output::printable(name))?;
                    }
                }
                writeln!(out, "{hits}")?;
                out.flush()?;
                Ok(false)
            }
            Output::List { .. } => {
                std::io::stdout().lock().flush()?;
                Ok(false)
            }
            Output::Games {
                names,
                to,
                format,
                losses,
                shown,
                ..
            } => {
                if let Target::Sink(writer) = to
                    && let Some(writer) = writer.take()
                {
                    let summary = writer.finish()?;
                    say(&format!(
                        "{} written",
                        count(summary.games, "game", "games")
                    ));
                    for note in &summary.notes {
                        say(note);
                    }
                }
                let mut told = SourceReport {
                    name: names.join(", "),
                    games: *shown,
                    is_table: format.is_table(),
                    ..SourceReport::default()
                };
                for loss in losses.iter() {
                    told.losses.add(loss);
                }
                told.tell();
                std::io::stdout().lock().flush()?;
                Ok(told
                    .losses
                    .kinds()
                    .any(|(kind, ..)| !is_asked_for(format, kind)))
            }
        }
    }
}
