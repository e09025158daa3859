//! The program `tabiya-fetch`, which `tabiya fetch` runs.

mod command_line;
mod terminal;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser as _;
use tabiya_answers::{Answer as _, FetchAnswer, FetchConflictAnswer};
use tabiya_fetch::{
    FetchError, FetchJob, FetchReport, FetchSettings, FetchSource, FetchTokens, LoginAttempt,
    LoginListener, fetch_dump, fetch_ratings,
};
use tabiya_model::Control;

use command_line::{FetchCommand, FetchCommandLine};
use terminal::{FetchProgress, say};

/// Lines of addresses and tokens, for programs that start this one.
const TOKENS: &str = "TABIYA_TOKENS";

/// How long a job may take to end by itself: the games that have arrived are put into the base.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long a user may take to log in.
const LOGIN: Duration = Duration::from_secs(600);

/// The code of a program that was stopped.
const INTERRUPTED: u8 = 130;

fn main() -> ExitCode {
    let line = match FetchCommandLine::try_parse() {
        Ok(line) => line,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    let control = Control::default();
    let stopping = control.clone();
    let handler = ctrlc::set_handler(move || {
        // Who asks twice does not want to wait.
        let patience = match stopping.is_stopped() {
            true => Duration::ZERO,
            false => PATIENCE,
        };
        stopping.stop();
        std::thread::spawn(move || {
            // A site that does not answer is not waited for. Nothing is put in place from here on.
            std::thread::sleep(patience);
            tabiya::clean_up();
            std::process::exit(i32::from(INTERRUPTED));
        });
    });
    if handler.is_err() {
        say("Ctrl-C ends the program at once: the system accepts no handler");
    }
    match run(&line, &control) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            say(&format!("error: {error}"));
            ExitCode::from(match error {
                FetchError::Stopped => INTERRUPTED,
                _ => 2,
            })
        }
    }
}

/// What the user has set for all sources.
fn settings(line: &FetchCommandLine) -> Result<FetchSettings, FetchError> {
    let mut settings = FetchSettings {
        contact: line.contact.clone(),
        ..FetchSettings::default()
    };
    for word in &line.hosts {
        settings.set_host(word)?;
    }
    let file = line.tokens.clone().or_else(command_line::tokens_file);
    if let Some(file) = file {
        settings.tokens = FetchTokens::read_file(&file)?;
    }
    if let Ok(text) = std::env::var(TOKENS) {
        settings.tokens.add(FetchTokens::read(&text, TOKENS)?);
    }
    Ok(settings)
}

/// How a run ended: the codes of all programs of Tabiya.
#[derive(Default)]
struct FetchEnd {
    failed: bool,
    incomplete: bool,
    stopped: bool,
}

impl FetchEnd {
    fn code(&self) -> u8 {
        match (self.stopped, self.failed, self.incomplete) {
            (true, ..) => INTERRUPTED,
            (_, true, _) => 2,
            (.., true) => 3,
            _ => 0,
        }
    }
}

fn run(line: &FetchCommandLine, control: &Control) -> Result<u8, FetchError> {
    let settings = settings(line)?;
    let mut end = FetchEnd::default();
    if !line.all.is_empty() {
        if line.command.is_some() {
            return Err(FetchError::Usage(
                "--all updates existing databases, and takes no other command".to_owned(),
            ));
        }
        for base in &line.all {
            renew(line, base, &settings, control, &mut end)?;
        }
        return Ok(end.code());
    }
    let Some(command) = &line.command else {
        return Err(FetchError::Usage(
            "name what to fetch, or give --all with a database; see `tabiya fetch --help`"
                .to_owned(),
        ));
    };
    if let FetchCommand::Fide { output } = command {
        fetch_list(line, output, settings, control)?;
        return Ok(0);
    }
    if let FetchCommand::Login = command {
        log_in(line, &settings, control)?;
        return Ok(0);
    }
    let (sources, base) = command.sources()?;
    if let (FetchCommand::Dump { query, .. }, [source]) = (command, &sources[..]) {
        let progress = FetchProgress::of(control, &source.to_string(), line.is_quiet);
        let fetched = fetch_dump(source, base, query.as_deref(), settings, control);
        drop(progress);
        let report = fetched?;
        end.incomplete |= report.refused > 0 || !report.notes.is_empty();
        tell(line, &answer_of(base, &report, None));
        return Ok(end.code());
    }
    if let FetchCommand::Broadcast { follow: true, .. } = command {
        let [round] = &sources[..] else {
            return Err(FetchError::Usage("follow one round at a time".to_owned()));
        };
        let mut job = FetchJob::open(base, settings, control)?;
        let followed = job.follow_round(round);
        let report = match followed {
            Ok(report) => report,
            Err(error) => {
                let report = job.report(round);
                tell(line, &answer_of(base, &report, None));
                return Err(error);
            }
        };
        end.incomplete |= report.refused > 0;
        tell(line, &answer_of(base, &report, None));
        return Ok(end.code());
    }
    let choice = command.choice();
    let is_sent = matches!(command, FetchCommand::Study { push: true, .. });
    if is_sent || choice.is_some() {
        let mut job = FetchJob::open(base, settings, control)?;
        for source in &sources {
            let report = match &choice {
                Some(choice) => job.settle_study(source, choice)?,
                None => job.push_study(source)?,
            };
            end.incomplete |= report.refused > 0 || !report.notes.is_empty();
            tell(line, &answer_of(base, &report, None));
        }
        return Ok(end.code());
    }
    feed(line, base, sources, &settings, control, &mut end)?;
    Ok(end.code())
}

/// Fetches the FIDE rating list if it has changed.
fn fetch_list(
    line: &FetchCommandLine,
    file: &Path,
    settings: FetchSettings,
    control: &Control,
) -> Result<(), FetchError> {
    let written = fetch_ratings(file, settings, control)?;
    let note = match written {
        Some(_) => "the rating list was updated",
        None => "the rating list is up to date",
    };
    let answer = FetchAnswer {
        source: FetchSource::Fide.to_string(),
        base: file.display().to_string(),
        added: 0,
        renewed: u64::from(written.is_some()),
        there: 0,
        refused: 0,
        sent: 0,
        requests: 1,
        conflicts: Vec::new(),
        notes: vec![note.to_owned()],
        error: None,
    };
    tell(line, &answer);
    Ok(())
}

/// Logs in: the address for the browser is the only line on standard output.
fn log_in(
    line: &FetchCommandLine,
    settings: &FetchSettings,
    control: &Control,
) -> Result<(), FetchError> {
    let file = line.tokens.clone().or_else(command_line::tokens_file);
    let file = file.ok_or_else(|| {
        FetchError::Usage("no folder for settings is known: give --tokens FILE".to_owned())
    })?;
    let listener = LoginListener::open()?;
    let attempt = LoginAttempt::begin(settings, &listener.address())?;
    if !line.is_quiet {
        say("Open this address in a browser on this machine:");
    }
    terminal::print(attempt.address());
    let (code, visitor) = listener.wait(&attempt, LOGIN, control)?;
    // The port is closed before the code is used: nobody can bring another one.
    drop(listener);
    let site = attempt.site().to_owned();
    let kept = attempt
        .exchange(&code, control)
        .and_then(|token| FetchTokens::keep(&file, &site, &token));
    visitor.answer(kept.is_ok());
    kept?;
    if !line.is_quiet {
        say(&format!("logged in; the token is in {}", file.display()));
    }
    Ok(())
}

/// Renews what a base was fed from.
fn renew(
    line: &FetchCommandLine,
    base: &Path,
    settings: &FetchSettings,
    control: &Control,
    end: &mut FetchEnd,
) -> Result<(), FetchError> {
    let sources: Vec<FetchSource> = tabiya_fetch::FetchState::open(base)?
        .sources()
        .cloned()
        .collect();
    if sources.is_empty() {
        return Err(FetchError::Usage(format!(
            "{}: nothing has been fetched into this database yet",
            base.display()
        )));
    }
    if sources == [FetchSource::Fide] {
        fetch_list(line, base, settings.clone(), control)?;
        return Ok(());
    }
    feed(line, base, sources, settings, control, end)
}

/// Feeds a base from its sources, one after the other. A source that fails does not stop the others.
fn feed(
    line: &FetchCommandLine,
    base: &Path,
    sources: Vec<FetchSource>,
    settings: &FetchSettings,
    control: &Control,
    end: &mut FetchEnd,
) -> Result<(), FetchError> {
    let mut job = FetchJob::open(base, settings.clone(), control)?;
    for source in sources {
        let progress = FetchProgress::of(control, &source.to_string(), line.is_quiet);
        let fetched = job.fetch(&source);
        drop(progress);
        let (report, error) = match fetched {
            Ok(report) => (report, None),
            Err(FetchError::Stopped) => {
                end.stopped = true;
                say(&format!("{source}: {}", FetchError::Stopped));
                return Ok(());
            }
            Err(error) => {
                end.failed = true;
                (job.report(&source), Some(error.to_string()))
            }
        };
        end.incomplete |= report.refused > 0;
        tell(line, &answer_of(base, &report, error));
    }
    Ok(())
}

fn answer_of(base: &Path, report: &FetchReport, error: Option<String>) -> FetchAnswer {
    FetchAnswer {
        source: report.source.to_string(),
        base: PathBuf::from(base).display().to_string(),
        added: report.added,
        renewed: report.renewed,
        there: report.there,
        refused: report.refused,
        sent: report.sent,
        requests: report.requests,
        conflicts: report
            .conflicts
            .iter()
            .map(|conflict| FetchConflictAnswer {
                chapter: conflict.chapter.clone(),
                number: conflict.number,
                here: conflict.here.clone(),
                there: conflict.there.clone(),
                differences: conflict.differences.clone(),
            })
            .collect(),
        notes: report.notes.clone(),
        error,
    }
}

/// Tells what became of a source.
fn tell(line: &FetchCommandLine, answer: &FetchAnswer) {
    if line.is_json {
        terminal::print(&answer.json().to_string());
        return;
    }
    if let Some(error) = &answer.error {
        say(&format!("error: {}: {error}", answer.source));
    }
    if line.is_quiet {
        return;
    }
    let mut told = format!("{}: {} new", answer.source, answer.added);
    for (count, what) in [
        (answer.renewed, "updated"),
        (answer.there, "already there"),
        (answer.refused, "not accepted by the database"),
        (answer.sent, "sent"),
    ] {
        if count > 0 {
            told.push_str(&format!(", {count} {what}"));
        }
    }
    if answer.source == FetchSource::Fide.to_string() {
        told.clone_from(&answer.source);
    }
    say(&told);
    for note in &answer.notes {
        say(&format!("  {note}"));
    }
    for conflict in &answer.conflicts {
        for (side, text) in [("here", &conflict.here), ("there", &conflict.there)] {
            say(&format!("  {} {side}:", conflict.chapter));
            for line in text.trim_end().lines() {
                say(&format!("    {line}"));
            }
        }
    }
    if !answer.conflicts.is_empty() {
        say(
            "  choose a version with `tabiya fetch study`: --keep here or --keep there; --chapter ID for one chapter only",
        );
    }
}
