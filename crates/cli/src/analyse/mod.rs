//! `tabiya analyse`: a whole database with an engine, or one position in the terminal.

mod live;

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, bail};
use clap::{Args, ValueEnum};
use tabiya::Opener;
use tabiya::analyse::{
    AnalyseEvent, AnalyseOptions, AnalyseReport, ExistingEvaluations, HashReset, OpeningSkip,
    analyse, analyse_in_place, journal_path,
};
use tabiya::engine::annotate::AnnotateStyle;
use tabiya::engine::driver::{EngineSpec, EngineTimeouts, SearchLimits};
use tabiya::engine::settings::EngineSettings;
use tabiya_answers::Answer;
use tabiya_model::judgement::Judgement;

use super::args::{ReadArgs, WriteArgs};
use super::exit::Exit;
use super::output::{TerminalColors, count, grouped, say};
use super::report_file::ReportFile;
use super::select_args::SelectArgs;
use super::{interrupt, progress, report};

#[derive(Args, Debug)]
pub(crate) struct AnalyseArgs {
    /// Database
    #[arg(required_unless_present_any = ["fen", "line"])]
    base: Option<PathBuf>,
    /// Write the annotated games to a new database, in the format of its extension [default: change the database itself,
    /// all at once at the end]
    #[arg(long, short, value_name = "TARGET")]
    output: Option<PathBuf>,
    /// Evaluate one position
    #[arg(long, conflicts_with_all = ["base", "output", "query"])]
    fen: Option<String>,
    /// Evaluate the position after these moves, from the starting position or from --fen
    #[arg(long, value_name = "MOVES", conflicts_with_all = ["base", "output", "query"])]
    line: Option<String>,
    /// With --fen or --line: number of lines to show
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=500))]
    lines: u32,
    /// With --fen or --line: show what the other side threatens
    #[arg(long)]
    threat: bool,
    #[command(flatten)]
    engine: EngineArgs,
    #[command(flatten)]
    limit: LimitArgs,
    /// Number of engine processes [default: one per processor]
    #[arg(long, value_name = "N", help_heading = "Engine")]
    processes: Option<usize>,
    /// The number of threads of other commands, which here once was that of processes
    #[arg(long, short = 'j', hide = true, value_parser = refuse_jobs)]
    jobs: Option<String>,
    /// Clear the engine's hash for each position, not only for each game
    #[arg(long)]
    reproducible: bool,
    /// Replace existing evaluations
    #[arg(long, conflicts_with = "only_missing")]
    redo: bool,
    /// Keep existing evaluations, and add missing ones
    #[arg(long)]
    only_missing: bool,
    /// Skip the opening: moves to positions that occur in another database, or in N games of this one
    #[arg(long, value_name = "BASE|N")]
    skip_book: Option<String>,
    /// With a database for --skip-book: number of its games in which a position must occur
    #[arg(long, value_name = "N", default_value_t = 1, requires = "skip_book")]
    book_games: u32,
    /// Also write White's chances of a win, draw and loss, in thousandths: [%wdl 250,700,50]
    #[arg(long, help_heading = "Annotations")]
    wdl: bool,
    /// Write the depth after each evaluation: [%eval 0.35,18]
    #[arg(long, help_heading = "Annotations")]
    with_depth: bool,
    /// Add the better line as a variation if a move is this bad or worse
    #[arg(long, value_enum, default_value_t = VariationThreshold::Inaccuracy, help_heading = "Annotations")]
    better_from: VariationThreshold,
    /// Maximum length of such a variation in plies
    #[arg(
        long,
        value_name = "N",
        default_value_t = 12,
        help_heading = "Annotations"
    )]
    better_length: usize,
    /// Do not add ?!, ? and ??
    #[arg(long = "no-symbols", alias = "no-signs", help_heading = "Annotations")]
    no_signs: bool,
    /// Do not add tags for accuracy, average loss and annotator
    #[arg(long, help_heading = "Annotations")]
    no_analysis_tags: bool,
    /// Write the results for each game as JSON
    #[arg(long, value_name = "FILE.json")]
    report: Option<PathBuf>,
    /// Journal from which an interrupted analysis resumes [default: a file beside the target]
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    #[command(flatten)]
    select: SelectArgs,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    write: WriteArgs,
}

pub(crate) fn refuse_jobs(value: &str) -> Result<String, String> {
    Err(format!(
        "engines are processes with their own threads: use --processes {value}, or --threads N for each process"
    ))
}

/// Which engine.
#[derive(Args, Debug, Clone)]
pub(crate) struct EngineArgs {
    /// Engine: a name from the settings file, a program on the path, or a path [default: stockfish]
    #[arg(long, value_name = "NAME", help_heading = "Engine")]
    pub(crate) engine: Vec<String>,
    /// Settings file for engines, instead of the usual one (docs/engine.md)
    #[arg(long, value_name = "FILE", help_heading = "Engine")]
    pub(crate) engines: Option<PathBuf>,
    /// Threads per engine process; with more than one, results are not reproducible
    #[arg(long, value_name = "N", help_heading = "Engine")]
    pub(crate) threads: Option<u32>,
    /// Hash memory per engine process in MiB
    #[arg(long, value_name = "MIB", help_heading = "Engine")]
    pub(crate) hash: Option<u32>,
    /// Set an option of the engine
    #[arg(long = "set", value_name = "NAME=VALUE", help_heading = "Engine")]
    pub(crate) set: Vec<String>,
}

impl EngineArgs {
    /// The engines that are meant; one where none is named.
    pub(crate) fn specs(&self) -> Result<Vec<EngineSpec>> {
        let settings = EngineSettings::read(self.engines.as_deref())?;
        let wanted: Vec<Option<&str>> = if self.engine.is_empty() {
            vec![None]
        } else {
            self.engine.iter().map(|name| Some(name.as_str())).collect()
        };
        wanted
            .into_iter()
            .map(|name| {
                let spec = settings.choose(name).ok_or_else(|| {
                    anyhow!(
                        "{}: no such engine in the settings, on the path or in the system's folders for games; install one (stockfish), or give its path with --engine PATH",
                        name.unwrap_or("stockfish")
                    )
                })?;
                self.set_up(spec)
            })
            .collect()
    }

    fn set_up(&self, mut spec: EngineSpec) -> Result<EngineSpec> {
        if let Some(threads) = self.threads {
            spec = spec.with("Threads", &threads.to_string());
        }
        if let Some(hash) = self.hash {
            spec = spec.with("Hash", &hash.to_string());
        }
        for set in &self.set {
            let (name, value) = set.split_once('=').unwrap_or((set, ""));
            spec = spec.with(name.trim(), value.trim());
        }
        Ok(spec)
    }
}

/// How long positions are searched.
#[derive(Args, Debug, Clone)]
pub(crate) struct LimitArgs {
    /// Nodes per position
    #[arg(long, value_name = "N", help_heading = "Engine")]
    pub(crate) nodes: Option<u64>,
    /// Depth per position
    #[arg(long, value_name = "N", help_heading = "Engine")]
    pub(crate) depth: Option<u32>,
    /// Time per position, such as 0.5, 10s or 500ms
    #[arg(long, value_name = "TIME", value_parser = time, help_heading = "Engine")]
    pub(crate) time: Option<Duration>,
}

impl LimitArgs {
    pub(crate) fn is_set(&self) -> bool {
        self.nodes.is_some() || self.depth.is_some() || self.time.is_some()
    }

    pub(crate) fn go(&self, usual: u64) -> SearchLimits {
        SearchLimits {
            nodes: self.nodes.or((!self.is_set()).then_some(usual)),
            depth: self.depth,
            time: self.time,
            ..SearchLimits::default()
        }
    }
}

/// Nodes for each position where no limit is said.
const NODES: u64 = 200_000;

fn time(text: &str) -> Result<Duration, String> {
    let (digits, unit) = match text.strip_suffix("ms") {
        Some(digits) => (digits, 0.001),
        None => (text.strip_suffix('s').unwrap_or(text), 1.0),
    };
    digits
        .trim()
        .parse::<f64>()
        .ok()
        .map(|number| number * unit)
        .filter(|seconds| (0.001..=86_400.0).contains(seconds))
        .map(Duration::from_secs_f64)
        .ok_or_else(|| "give a time, such as 0.5, 10s or 500ms".to_owned())
}

#[derive(ValueEnum, Copy, Clone, PartialEq, Eq, Debug)]
enum VariationThreshold {
    /// ?! or worse
    Inaccuracy,
    /// ? or worse
    Mistake,
    /// ??
    Blunder,
    /// No variations
    None,
}

pub(crate) fn run(args: &AnalyseArgs) -> Result<Exit> {
    if args.fen.is_some() || args.line.is_some() {
        return live::run(args);
    }
    let Some(path) = &args.base else {
        bail!("a database is required: `tabiya analyse games.pgn -o annotated.pgn`");
    };
    let target = match &args.output {
        Some(target) => Some(args.write.target(target)?),
        None if args.write.to.is_some() => {
            bail!("--to needs -o: without -o the database itself is changed, in its own format")
        }
        None => None,
    };
    let opener = args.read.opener();
    let opened = opener.open_all(&[path]).or_fail()?;
    let [base] = opened.bases.as_slice() else {
        bail!(
            "{}: contains several databases; unpack it and analyse them one by one",
            path.display()
        );
    };
    interrupt::extend_grace_period();
    let control = interrupt::control();
    let place = args.output.as_deref().unwrap_or(path);
    let options = options(args, &opener, place)?;
    let chosen = args.select.of(std::slice::from_ref(base))?;
    let report_file = match &args.report {
        Some(path) => {
            let targets: Vec<_> = target.iter().collect();
            Some(ReportFile::begin(path, &opened.bases, &targets)?)
        }
        None => None,
    };
    let mut progress = AnalyseProgress::new();
    let mut games = Vec::new();
    let mut each = |event: AnalyseEvent<'_>| {
        progress.event(&event);
        if let (AnalyseEvent::Game(game), Some(_)) = (&event, &args.report) {
            games.push((*game).clone());
        }
    };
    let report = match &target {
        Some(target) => analyse(&chosen, target, &options, &control, &mut each),
        None => analyse_in_place(&chosen, &options, &control, &mut each),
    };
    progress.finish();
    let report = report?;
    if !report.ended.is_whole() {
        let kept = match &options.journal {
            Some(path) => format!(
                "; the results so far are in {}: run the same command again to continue",
                path.display()
            ),
            None => String::new(),
        };
        say(&format!(
            "stopped after {}{kept}",
            count(report.positions, "position", "positions")
        ));
        return Ok(Exit::Interrupted);
    }
    if let Some(file) = report_file {
        file.write(&report.answer(&games).json())?;
    }
    Ok(tell(&report, target.is_none()))
}

fn options(args: &AnalyseArgs, opener: &Opener, target: &Path) -> Result<AnalyseOptions> {
    let mut specs = args.engine.specs()?;
    let Some(mut spec) = specs.pop().filter(|_| specs.is_empty()) else {
        bail!("give one engine to analyse a database");
    };
    if args.wdl {
        spec = spec.with("UCI_ShowWDL", "true");
    }
    let threads = args.engine.threads.unwrap_or(1).max(1) as usize;
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let mut options = AnalyseOptions::new(spec, args.limit.go(NODES));
    options.patience = EngineTimeouts::default();
    options.processes = args.processes.unwrap_or(processors / threads).max(1);
    if args.reproducible {
        options.clearing = HashReset::Position;
    }
    options.existing = match (args.redo, args.only_missing) {
        (true, _) => ExistingEvaluations::Redo,
        (_, true) => ExistingEvaluations::Missing,
        _ => ExistingEvaluations::Keep,
    };
    options.skip = match &args.skip_book {
        None => OpeningSkip::Nothing,
        Some(text) => match text.parse::<u32>() {
            Ok(games) if !Path::new(text).exists() => OpeningSkip::Shared(games),
            _ => OpeningSkip::Known(opener.open(Path::new(text))?, args.book_games),
        },
    };
    options.sign = !args.no_analysis_tags;
    options.style = AnnotateStyle {
        depth: args.with_depth,
        wdl: args.wdl,
        nags: !args.no_signs,
        lines: match args.better_from {
            VariationThreshold::Inaccuracy => Some(Judgement::Inaccuracy),
            VariationThreshold::Mistake => Some(Judgement::Mistake),
            VariationThreshold::Blunder => Some(Judgement::Blunder),
            VariationThreshold::None => None,
        },
        longest: args.better_length,
        tags: !args.no_analysis_tags,
        annotator: None,
        redo: args.redo,
    };
    options.journal = args.journal.clone().or_else(|| journal_path(target));
    Ok(options)
}

/// The line on standard error that says how far the analysis is.
struct AnalyseProgress {
    visible: bool,
    started: Instant,
    shown: Option<Instant>,
    total: u64,
    searched: u64,
    /// Positions that the engines have to search.
    open: u64,
    games: u64,
}

impl AnalyseProgress {
    fn new() -> AnalyseProgress {
        AnalyseProgress {
            visible: std::io::stderr().is_terminal(),
            started: Instant::now(),
            shown: None,
            total: 0,
            searched: 0,
            open: 0,
            games: 0,
        }
    }

    fn event(&mut self, event: &AnalyseEvent<'_>) {
        match event {
            AnalyseEvent::Planned {
                positions,
                known,
                engine,
            } => {
                self.started = Instant::now();
                self.total = *positions;
                self.open = positions.saturating_sub(*known);
                let on = if *known > 0 {
                    format!(", {} of them already in the journal", grouped(*known))
                } else {
                    String::new()
                };
                say(&format!(
                    "{} for {engine}{on}",
                    count(*positions, "position", "positions")
                ));
            }
            AnalyseEvent::Searched(more) => self.searched += more,
            AnalyseEvent::Game(_) => self.games += 1,
        }
        let due = self
            .shown
            .is_none_or(|shown| shown.elapsed() >= Duration::from_millis(300));
        if self.visible && due && self.searched > 0 {
            self.shown = Some(Instant::now());
            let _ = progress::show(&self.line());
        }
    }

    #[allow(clippy::cast_precision_loss)]
    fn line(&self) -> String {
        let seconds = self.started.elapsed().as_secs_f64().max(0.001);
        let rate = self.searched as f64 / seconds;
        let left = self.open.saturating_sub(self.searched) as f64 / rate.max(0.001);
        format!(
            "{}, {} of {} positions, {rate:.1} per second, {} left",
            count(self.games, "game", "games"),
            grouped(self.total - self.open + self.searched.min(self.open)),
            grouped(self.total),
            duration(left)
        )
    }

    fn finish(&self) {
        if self.shown.is_some() {
            let _ = progress::show("");
        }
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn duration(seconds: f64) -> String {
    let seconds = seconds.min(1e12) as u64;
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds / 60),
        7200..172_800 => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
        _ => format!("{} days", seconds / 86_400),
    }
}

fn tell(report: &AnalyseReport, is_in_place: bool) -> Exit {
    report::print_report(&report.source);
    let paint = TerminalColors::of_stderr();
    for note in &report.notes {
        say(&format!("{}: {note}", paint.yellow("note")));
    }
    for (number, why) in &report.refused {
        let what = paint.yellow("note");
        say(&format!(
            "{what}: game {number} was not changed, because data would be lost: {why}"
        ));
    }
    for note in report.summary.iter().flat_map(|summary| &summary.notes) {
        say(note);
    }
    let games = if is_in_place {
        let games = count(report.games, "game", "games");
        format!("{} of {games} changed", grouped(report.changed))
    } else {
        format!("{} written", count(report.games, "game", "games"))
    };
    let mut line = format!(
        "{games}, {} searched by {}",
        count(report.searched, "position", "positions"),
        report.engine
    );
    if report.kept > 0 {
        line.push_str(&format!(
            ", {} skipped: already evaluated (--redo or --only-missing to change them)",
            grouped(report.kept)
        ));
    }
    if report.failed > 0 {
        line.push_str(&format!(
            ", {} not evaluated",
            count(report.failed, "position", "positions")
        ));
    }
    say(&line);
    let incomplete =
        report.failed > 0 || !report.refused.is_empty() || !report.source.is_complete();
    Exit::of(false, incomplete, true)
}
