//! `tabiya info`: what a database is and holds.

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::Result;
use serde_json::{Map, Value, json};
use tabiya::Input;
use tabiya_model::pipeline;
use tabiya_model::rows::Overview;
use tabiya_model::{Block, Database, Diagnostics, Game, Severity, Want};

use super::args::InfoArgs;
use super::exit::Exit;
use super::output::{self, Paint, grouped};
use super::progress::Progress;

pub(crate) fn run(args: &InfoArgs) -> Result<Exit> {
    if args.raw {
        return super::raw::run(args);
    }
    let mut out = output::stdout();
    let mut exit = Exit::Success;
    for mut input in args.read.inputs().open(&args.source)? {
        let facts = facts(&mut input, args)?;
        if facts.damaged {
            exit = Exit::Incomplete;
        }
        if args.json {
            writeln!(out, "{}", Value::Object(facts.json()))?;
        } else {
            let paint = Paint::of_stdout();
            let width = facts
                .list
                .iter()
                .map(|(name, _)| name.chars().count())
                .max()
                .unwrap_or(0);
            writeln!(out, "{}", paint.bold(&input.name))?;
            for (name, value) in &facts.list {
                writeln!(out, "  {name:<width$}  {}", output::printable(&text(value)))?;
            }
        }
    }
    out.flush()?;
    Ok(exit)
}

/// What is known, in the order in which it is told.
#[derive(Default)]
struct Facts {
    list: Vec<(String, Value)>,
    damaged: bool,
}

impl Facts {
    fn add(&mut self, name: &str, value: impl Into<Value>) {
        self.list.push((name.to_owned(), value.into()));
    }

    fn json(self) -> Map<String, Value> {
        self.list
            .into_iter()
            .map(|(name, value)| (name.replace([' ', '-'], "_"), value))
            .collect()
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.as_u64().map_or_else(|| number.to_string(), grouped),
        Value::Array(list) => list.iter().map(text).collect::<Vec<_>>().join(", "),
        Value::Object(map) => map
            .iter()
            .map(|(key, value)| format!("{key} {}", text(value)))
            .collect::<Vec<_>>()
            .join(", "),
        other => other.to_string(),
    }
}

fn facts(input: &mut Input, args: &InfoArgs) -> Result<Facts> {
    let mut facts = Facts::default();
    let info = input.info();
    facts.add("format", input.format.title);
    if !info.version.is_empty() {
        facts.add("version", info.version.clone());
    }
    for (path, size) in &info.files {
        let name = path
            .file_name()
            .unwrap_or(path.as_os_str())
            .to_string_lossy();
        facts.add("file", format!("{name}, {} bytes", grouped(*size)));
    }
    for (name, value) in &info.fields {
        facts.add(name, value.clone());
    }
    if args.full {
        let survey = Survey::of(input, args)?;
        survey.tell(&mut facts);
        return Ok(facts);
    }
    let games = match (info.games, input.database()) {
        (Some(games), _) => Some(games),
        (None, Some(database)) => Some(database.len()?),
        (None, None) => None,
    };
    if let Some(games) = games {
        facts.add("games", games);
    }
    if let Some(rows) = input.database().and_then(Database::rows) {
        let overview = rows.overview();
        tell_dates(&mut facts, &overview);
        facts.add("deleted", overview.deleted);
    }
    let diagnostics = input
        .database()
        .map(Database::diagnostics)
        .unwrap_or_default();
    tell_diagnostics(&mut facts, &diagnostics);
    Ok(facts)
}

fn tell_diagnostics(facts: &mut Facts, diagnostics: &Diagnostics) {
    for (code, number) in diagnostics.counts() {
        facts.add(
            &code.severity.to_string(),
            format!(
                "{} ({} times) [{}]",
                code.summary,
                grouped(*number),
                code.name
            ),
        );
    }
    facts.damaged |= diagnostics.at_least(Severity::Damage) > 0;
}

/// The first and the last date.
fn tell_dates(facts: &mut Facts, overview: &Overview) {
    if let (Some(first), Some(last)) = (&overview.first, &overview.last) {
        facts.add("dates", format!("{first} to {last}"));
    }
}

/// What reading every game tells.
#[derive(Default)]
struct Survey {
    games: u64,
    plies: u64,
    setups: u64,
    with_variations: u64,
    with_comments: u64,
    damaged: u64,
    results: BTreeMap<&'static str, u64>,
    charsets: BTreeMap<&'static str, u64>,
    overview: Overview,
    diagnostics: Diagnostics,
}

impl Survey {
    fn of(input: &mut Input, args: &InfoArgs) -> Result<Survey> {
        let mut source = input.source()?;
        let mut progress = Progress::start(source.total_bytes());
        let mut all = Survey::default();
        pipeline::run(
            &mut *source,
            args.jobs.jobs(),
            || {
                let mut game = Game::default();
                move |block: &mut dyn Block| {
                    let mut survey = Survey::default();
                    while block.next(Want::ALL, &mut game)? {
                        survey.add(&game);
                    }
                    Ok((survey, block.bytes()))
                }
            },
            |(survey, bytes)| {
                progress.add(survey.games, bytes);
                all.merge(survey);
                Ok(true)
            },
        )?;
        progress.finish();
        all.diagnostics.append(&source.diagnostics());
        Ok(all)
    }

    fn add(&mut self, game: &Game) {
        use tabiya_model::Op;
        self.games += 1;
        self.plies += game.tape.plies() as u64;
        self.setups += u64::from(game.start != tabiya_model::game::Start::Standard);
        self.with_variations += u64::from(game.tape.ops().any(|op| matches!(op, Op::Begin(_))));
        self.with_comments += u64::from(game.tape.ops().any(|op| matches!(op, Op::Comment(_))));
        self.damaged += u64::from(game.diagnostics.at_least(Severity::Damage) > 0);
        *self.results.entry(game.result().as_pgn()).or_default() += 1;
        let mut charsets: Vec<&str> = game
            .tags
            .texts()
            .charsets()
            .chain(game.tape.texts().charsets())
            .map(|charset| charset.name())
            .collect();
        charsets.sort_unstable();
        charsets.dedup();
        for charset in charsets {
            *self.charsets.entry(charset).or_default() += 1;
        }
        self.overview.add(game.tags.date("Date"), game.is_deleted());
        if !game.diagnostics.is_empty() {
            self.diagnostics.append(&game.diagnostics);
        }
    }

    fn merge(&mut self, other: Survey) {
        self.games += other.games;
        self.plies += other.plies;
        self.setups += other.setups;
        self.with_variations += other.with_variations;
        self.with_comments += other.with_comments;
        self.damaged += other.damaged;
        for (result, number) in other.results {
            *self.results.entry(result).or_default() += number;
        }
        for (charset, number) in other.charsets {
            *self.charsets.entry(charset).or_default() += number;
        }
        self.overview.merge(other.overview);
        self.diagnostics.append(&other.diagnostics);
    }

    fn tell(&self, facts: &mut Facts) {
        facts.add("games", self.games);
        tell_dates(facts, &self.overview);
        facts.add("results", json!(self.results));
        facts.add("half-moves", self.plies);
        facts.add("deleted", self.overview.deleted);
        facts.add("set-ups", self.setups);
        facts.add("with variations", self.with_variations);
        facts.add("with comments", self.with_comments);
        if !self.charsets.is_empty() {
            facts.add("games not in UTF-8", json!(self.charsets));
        }
        facts.add("damaged games", self.damaged);
        tell_diagnostics(facts, &self.diagnostics);
    }
}
