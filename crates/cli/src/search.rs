//! `tabiya search`: finds games.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use clap::{Args, ValueEnum};
use tabiya::game_order::GameOrder;
use tabiya::list::{GameListRow, want};
use tabiya::report::SourceReport;
use tabiya::search::{self, SearchOptions, SearchReport};
use tabiya::{OpenedBases, Selection, Target, show, stats};
use tabiya_formats::pgn::PgnStyle;
use tabiya_formats::registry;
use tabiya_model::{Control, GameNeeds};
use tabiya_query::query::AnswerSource;
use tabiya_query::{Query, QueryContext, SearchShortcuts};

use super::args::{CellsArgs, JobsArgs, ReadArgs, WriteArgs};
use super::exit::Exit;
use super::game_list::{GameListFormat, GameListPrinter, MatchPlace};
use super::output::{self, count, grouped, say};
use super::progress::ProgressLine;
use super::select_args::SelectFilterArgs;
use super::{query, report};

/// Hits that are shown at once as they come; later ones wait until there are more.
const PROMPT: u64 = 200;

#[derive(Args, Debug)]
pub(crate) struct SearchArgs {
    /// Databases (`-` is standard input), then the query
    #[arg(required = true, value_name = "BASE… QUERY")]
    paths: Vec<PathBuf>,
    /// Print only the number of games
    #[arg(long, conflicts_with_all = ["first", "offset", "sample", "sort", "json", "csv", "pgn", "output"])]
    count: bool,
    /// Stop after N games
    #[arg(long = "limit", short = 'n', alias = "first", value_name = "N")]
    first: Option<u64>,
    /// Skip the first N matches
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    offset: u64,
    /// Show a random sample of N matches
    #[arg(long, value_name = "N")]
    sample: Option<u64>,
    /// With --sample: the same seed gives the same sample
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Sort by fields separated by commas; prefix `-` for descending
    #[arg(long, value_name = "FIELDS", allow_hyphen_values = true, value_parser = order)]
    sort: Option<GameOrder>,
    /// Count the matches by these statistics: players, openings, years, events, results … (`tabiya stats`)
    #[arg(long, value_name = "STATISTIC,…", value_delimiter = ',', value_parser = super::stats::one_or_many(),
          conflicts_with_all = ["count", "offset", "sample", "sort", "explain", "pgn", "output"])]
    group_by: Vec<String>,
    /// Show how each part of the query is answered, and how long that takes
    #[arg(long)]
    explain: bool,
    /// Print JSON, one game per line
    #[arg(long, conflicts_with_all = ["csv", "pgn", "output"])]
    json: bool,
    /// Print CSV with a heading
    #[arg(long, conflicts_with_all = ["pgn", "output"])]
    csv: bool,
    /// Print the games as PGN
    #[arg(long, conflicts_with = "output")]
    pgn: bool,
    /// Write the games to a new database, in the format of its extension
    #[arg(long, short, value_name = "TARGET")]
    output: Option<PathBuf>,
    /// Disable an optimisation (results are unchanged)
    #[arg(long, value_enum, value_delimiter = ',', value_name = "WHAT,…")]
    disable: Vec<ShortcutArg>,
    /// The old name of --disable, which means something else in `convert`
    #[arg(long, hide = true, value_parser = refuse_without)]
    without: Option<String>,
    /// Maximum number of steps of the query in one game [default: 4294967296, about ten seconds]
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    #[command(flatten)]
    filter: SelectFilterArgs,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    write: WriteArgs,
    #[command(flatten)]
    jobs: JobsArgs,
}

#[derive(ValueEnum, Copy, Clone, PartialEq, Eq, Debug)]
enum ShortcutArg {
    /// Names, dates, ratings and counts from the index
    Facts,
    /// Final material, home pawns and stored lines from the index
    Hints,
    /// Scanning moves without decoding games
    Compact,
    /// Reading only the tags of the query first
    Tags,
    /// The index beside a database
    Index,
}

fn refuse_without(value: &str) -> Result<String, String> {
    Err(match value {
        "index" => "use --no-index".to_owned(),
        value => format!("use --disable {value}"),
    })
}

fn order(text: &str) -> Result<GameOrder, String> {
    text.parse::<GameOrder>().map_err(|error| error.message)
}

pub(crate) fn run(args: &SearchArgs) -> Result<Exit> {
    let mut all = args.paths.clone();
    // The query may also come first.
    let is_there = |path: &PathBuf| path.as_os_str() == "-" || path.exists();
    if all.len() > 1
        && all.first().is_some_and(|path| !is_there(path))
        && all.iter().skip(1).all(is_there)
    {
        all.rotate_left(1);
    }
    let Some((text, paths)) = all.split_last() else {
        bail!("a database and a query are required");
    };
    if paths.is_empty() {
        bail!("a database and a query are required: `tabiya search games.pgn player:Kasparov`");
    }
    let Some(text) = text.to_str() else {
        bail!("the query is not valid UTF-8");
    };
    let names = args.filter.names()?;
    refuse_parts_of_queries(paths, text, names.context())?;
    let query = query::read(text, names.context()).map_err(|error| {
        if Path::new(text).exists() {
            anyhow!("{error:#}\nhelp: the last argument must be the query, but this is a file")
        } else {
            error
        }
    })?;
    let mut games = args.filter.selection(&names, Some(query))?;
    games.index &= !args.disable.contains(&ShortcutArg::Index);
    let opened = args.read.opener().open_all(paths).or_fail()?;
    games.bases.clone_from(&opened.bases);
    let control = args.jobs.control();
    let control = match args.steps {
        Some(steps) => control.with_steps(steps),
        None => control,
    };
    let options = args.options();
    if !args.group_by.is_empty() {
        return grouped_by(args, &opened, &games, &control);
    }
    if args.count {
        let progress = ProgressLine::of(&control);
        let found = search::count(&games, &options, &control)?;
        drop(progress);
        if !found.ended.is_whole() {
            return Ok(Exit::Interrupted);
        }
        let mut out = output::stdout();
        if found.bases.len() > 1 {
            for base in &found.bases {
                writeln!(out, "{}\t{}", base.hits, output::printable(&base.name))?;
            }
        }
        writeln!(out, "{}", found.hits())?;
        out.flush()?;
        explain(args, &games, &found);
        tell_near(&found, &games, &control);
        return Ok(end(&found, &opened));
    }
    if let Some(target) = &args.output {
        let target = args.write.target(target)?;
        return copy(&opened, &games, &options, &target, &control);
    }
    let found = if args.pgn {
        show(args, &games, &options, &control)?
    } else {
        list(args, &games, &options, &control)?
    };
    if !found.ended.is_whole() {
        return Ok(Exit::Interrupted);
    }
    explain(args, &games, &found);
    say(&match found.hits() {
        0 => "no games match".to_owned(),
        hits => count(hits, "game", "games"),
    });
    tell_near(&found, &games, &control);
    Ok(end(&found, &opened))
}

/// Prints names that may have been meant if nothing was found.
fn tell_near(found: &SearchReport, games: &Selection, control: &Control) {
    if found.hits() == 0
        && let Some(hint) = search::hint(games, control)
    {
        say(&hint);
    }
}

/// A query with spaces that was given without quotes arrives as several arguments, and all but the last look like
/// databases.
fn refuse_parts_of_queries(paths: &[PathBuf], last: &str, context: QueryContext<'_>) -> Result<()> {
    let is_there = |path: &PathBuf| path.as_os_str() == "-" || path.exists();
    let Some(first) = paths.iter().position(|path| !is_there(path)) else {
        return Ok(());
    };
    let (bases, parts) = paths.split_at(first);
    let parts: Option<Vec<&str>> = parts.iter().map(|part| part.to_str()).collect();
    let Some(parts) = parts.filter(|_| !bases.is_empty()) else {
        return Ok(());
    };
    let is_name = |part: &&str| {
        let extension = Path::new(part).extension().and_then(|end| end.to_str());
        part.contains("://") || extension.and_then(registry::by_extension).is_some()
    };
    let is_query = !parts
        .iter()
        .any(|part| is_name(part) || Path::new(part).exists());
    let whole = format!("{} {last}", parts.join(" "));
    if is_query && Query::parse(&whole, context).is_ok() {
        bail!(
            "{}: no such file\nhelp: the query must be one argument: put it in quotes: '{whole}'",
            parts.first().unwrap_or(&""),
        );
    }
    Ok(())
}

/// Prints how the query was answered.
fn explain(args: &SearchArgs, games: &Selection, found: &SearchReport) {
    let Some(query) = games.query.as_ref().filter(|_| args.explain) else {
        return;
    };
    for (text, answerer) in query.written.iter().zip(query.answerers()) {
        let by = match answerer {
            AnswerSource::Index => "the index of positions if there is one, otherwise the moves",
            AnswerSource::Tags => "facts from an index, or tags",
            AnswerSource::Walk => "the moves, without a board",
            AnswerSource::Board => "the moves on a board",
            AnswerSource::Game => "the whole game with its annotations",
        };
        say(&format!("{text}: answered from {by}"));
    }
    for base in &found.bases {
        let ways = base.ways.named();
        let told = ways
            .iter()
            .filter(|(_, way)| way.games > 0 || !way.time.is_zero());
        for (name, way) in told {
            say(&format!(
                "{}: {name}: {}, {:.1} ms",
                base.name,
                count(way.games, "game", "games"),
                way.time.as_secs_f64() * 1_000.0
            ));
        }
    }
}

/// Counts the matches by statistics.
fn grouped_by(
    args: &SearchArgs,
    opened: &OpenedBases,
    games: &Selection,
    control: &Control,
) -> Result<Exit> {
    let options = stats::StatsOptions {
        only: args
            .group_by
            .iter()
            .map(|name| super::stats::many(name))
            .collect(),
        top: args
            .first
            .map_or(20, |first| usize::try_from(first).unwrap_or(usize::MAX)),
        ..stats::StatsOptions::default()
    };
    let progress = ProgressLine::of(control);
    let counts = stats::stats(games, &options, control)?;
    drop(progress);
    super::stats::show(&counts, args.json, args.csv, &args.cells(), opened)
}

impl SearchArgs {
    /// What cells are: the writer of tables has that option, too.
    fn cells(&self) -> CellsArgs {
        CellsArgs::of(&self.write.settings.0)
    }

    fn options(&self) -> SearchOptions {
        let with = |short_cut| !self.disable.contains(&short_cut);
        SearchOptions {
            sort: self.sort.clone(),
            first: self.first,
            offset: self.offset,
            sample: self.sample.map(|most| (most, self.seed)),
            explain: self.explain,
            shortcuts: SearchShortcuts {
                facts: with(ShortcutArg::Facts),
                hints: with(ShortcutArg::Hints),
                compact: with(ShortcutArg::Compact),
                gate: with(ShortcutArg::Tags),
                lookup: with(ShortcutArg::Index),
            },
            ..SearchOptions::default()
        }
    }
}

/// Prints the notes of a search, and returns how the command ends.
fn end(found: &SearchReport, opened: &OpenedBases) -> Exit {
    notes(found);
    for base in &found.bases {
        if base.damaged == 0 {
            continue;
        }
        say(&format!(
            "{}: {} of {} damaged; their readable parts were searched",
            base.name,
            grouped(base.damaged),
            count(
                base.games,
                "game that was read is",
                "games that were read are"
            )
        ));
        report::print_report(&SourceReport {
            name: base.name.clone(),
            format: base.format,
            games: base.games,
            damaged: base.damaged,
            diagnostics: base.diagnostics.clone(),
            ..SourceReport::default()
        });
    }
    report::end(opened, found.damaged() > 0, found.hits() > 0)
}

fn notes(found: &SearchReport) {
    let all = found.bases.iter().flat_map(|base| &base.notes);
    all.for_each(|note| say(note));
}

fn list(
    args: &SearchArgs,
    games: &Selection,
    options: &SearchOptions,
    control: &Control,
) -> Result<SearchReport> {
    let form = GameListFormat::of(args.json, args.csv, args.cells().are_guarded());
    let options = SearchOptions {
        keep: Some(want(form.shows_plies())),
        ..options.clone()
    };
    let bases = &games.bases;
    // The table names the base if there are several.
    let names = match (form, &bases[..]) {
        (GameListFormat::Table, [_]) => Vec::new(),
        _ => bases.iter().map(|base| base.name().to_owned()).collect(),
    };
    let mut list = GameListPrinter::new(form, names, true);
    let mut progress = Some(ProgressLine::of(control));
    let found = search::search(games, &options, control, &mut |base, found| {
        progress = progress.take().and_then(ProgressLine::beside_output);
        let game = found.game.unwrap_or_default();
        let mut entry = GameListRow::of_game(&game, form.shows_plies());
        entry.number = found.hit.number;
        if let Some(base) = bases.get(base).filter(|_| !form.shows_plies()) {
            entry.name_opening(base)?;
        }
        let ply = found.hit.ply;
        list.game(&entry, MatchPlace { base, ply })?;
        Ok(ControlFlow::Continue(()))
    })?;
    drop(progress);
    list.finish()?;
    Ok(found)
}

fn show(
    args: &SearchArgs,
    games: &Selection,
    options: &SearchOptions,
    control: &Control,
) -> Result<SearchReport> {
    let options = SearchOptions {
        keep: Some(GameNeeds::ALL),
        ..options.clone()
    };
    let mut form = show::GameFormat::pgn(PgnStyle::of(&args.write.settings.0)?);
    let mut out = output::stdout();
    let mut text = Vec::new();
    let mut shown = 0_u64;
    let mut progress = Some(ProgressLine::of(control));
    let each: &mut search::SearchCallback<'_> = &mut |_, found| {
        progress = progress.take().and_then(ProgressLine::beside_output);
        text.clear();
        form.write(&found.game.unwrap_or_default(), &mut text);
        out.write_all(&text)?;
        shown += 1;
        if shown < PROMPT && !super::pager::is_terminal() {
            out.flush()?;
        }
        Ok(ControlFlow::Continue(()))
    };
    let found = search::search(games, &options, control, each)?;
    drop(progress);
    out.flush()?;
    Ok(found)
}

fn copy(
    opened: &OpenedBases,
    games: &Selection,
    options: &SearchOptions,
    target: &Target,
    control: &Control,
) -> Result<Exit> {
    let progress = ProgressLine::of(control);
    let copied = search::copy(games, options, target, control)?;
    drop(progress);
    let Some(summary) = &copied.summary else {
        return Ok(Exit::Interrupted);
    };
    let found = &copied.search;
    for source in &copied.sources {
        if found.damaged() > 0 {
            // Damage is reported with the search.
            report::losses(&source.name, &source.losses, source.is_table);
        } else {
            report::print_report(source);
        }
    }
    for note in &summary.notes {
        say(note);
    }
    say(&format!(
        "{} written",
        count(summary.games, "game", "games")
    ));
    if found.damaged() > 0 {
        return Ok(end(found, opened));
    }
    notes(found);
    let lost = copied.sources.iter().any(|source| !source.is_complete());
    Ok(report::finish_reported(opened, lost, found.hits() > 0))
}
