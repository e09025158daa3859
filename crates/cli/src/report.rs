//! What was lost and what was found during a command: for people, and as JSON.

use serde_json::{Value, json};
use tabiya_model::{Diagnostic, Diagnostics, Loss, LossReport, Severity};

use super::output::{Paint, count, grouped, say};

/// Everything about one source of a conversion.
#[derive(Debug, Default)]
pub(crate) struct SourceReport {
    pub(crate) name: String,
    pub(crate) format: &'static str,
    pub(crate) games: u64,
    pub(crate) skipped: u64,
    pub(crate) damaged: u64,
    pub(crate) diagnostics: Diagnostics,
    pub(crate) losses: LossReport,
    /// Whether the target is a table, which leaves out by its nature what it has no column for.
    pub(crate) is_table: bool,
    /// Differences that no loss explains; `None` where nothing was verified.
    pub(crate) unexplained: Option<Vec<String>>,
}

/// How many examples of a kind people are shown.
const EXAMPLES: usize = 3;

impl SourceReport {
    /// Tells a person what happened.
    pub(crate) fn tell(&self) {
        let paint = Paint::of_stderr();
        for (code, number) in self.diagnostics.counts() {
            if code.severity < Severity::Damage {
                continue;
            }
            say(&format!(
                "{}: {}: {} [{}]",
                self.name,
                severity(paint, code.severity),
                sentence(code.summary, *number),
                code.name
            ));
            let of_code = self.diagnostics.iter().filter(|d| d.code == *code);
            for diagnostic in of_code.take(EXAMPLES) {
                say(&format!("    {}: {}", diagnostic.place, diagnostic.message));
            }
            if *number > EXAMPLES as u64 {
                say(&paint.dim(&format!(
                    "    … {} more; `tabiya check` shows them",
                    grouped(number - EXAMPLES as u64)
                )));
            }
        }
        let notes: u64 = self
            .diagnostics
            .counts()
            .iter()
            .filter(|(code, _)| code.severity < Severity::Damage)
            .map(|(_, number)| number)
            .sum();
        if notes > 0 {
            say(&paint.dim(&format!(
                "{}: {}; `tabiya check` lists them",
                self.name,
                count(notes, "lesser oddity", "lesser oddities")
            )));
        }
        for (kind, number, examples) in self.losses.kinds() {
            say(&format!(
                "{}: {} {} [{}]",
                self.name,
                if self.is_table {
                    paint.dim("left out:")
                } else {
                    paint.yellow("lost:")
                },
                sentence(kind.summary, number),
                kind.name
            ));
            for loss in examples.iter().take(EXAMPLES) {
                say(&format!("    {}{}", of_game(loss), loss.detail));
            }
            if number > EXAMPLES as u64 {
                say(&paint.dim(&format!("    … {} more", grouped(number - EXAMPLES as u64))));
            }
        }
        match &self.unexplained {
            None => {}
            Some(none) if none.is_empty() => say(&format!(
                "{}: verified, no unreported difference",
                self.name
            )),
            Some(differences) => {
                say(&format!(
                    "{}: {} {}",
                    self.name,
                    paint.red("not the same:"),
                    count(
                        differences.len() as u64,
                        "unreported difference",
                        "unreported differences"
                    )
                ));
                for difference in differences.iter().take(20) {
                    say(&format!("    {difference}"));
                }
            }
        }
    }

    /// The report for programs.
    pub(crate) fn json(&self) -> Value {
        json!({
            "source": self.name,
            "format": self.format,
            "games": self.games,
            "skipped_deleted": self.skipped,
            "damaged_games": self.damaged,
            "diagnostics": self.diagnostics.counts().iter().map(|(code, number)| json!({
                "code": code.name,
                "severity": code.severity.to_string(),
                "summary": code.summary,
                "count": number,
                "examples": self.diagnostics.iter().filter(|d| d.code == *code).map(diagnostic_json).collect::<Vec<_>>(),
            })).collect::<Vec<_>>(),
            "losses": self.losses.kinds().map(|(kind, number, examples)| json!({
                "kind": kind.name,
                "aspect": kind.aspect.name(),
                "summary": kind.summary,
                "count": number,
                "examples": examples.iter().map(|loss| json!({
                    "game": (loss.game > 0).then_some(loss.game),
                    "detail": loss.detail,
                })).collect::<Vec<_>>(),
            })).collect::<Vec<_>>(),
            "unreported_differences": self.unexplained,
        })
    }
}

/// Names the game of a loss before what is told of it.
pub(crate) fn of_game(loss: &Loss) -> String {
    match loss.game {
        0 => String::new(),
        number => format!("game {number}: "),
    }
}

/// A finding for programs.
pub(crate) fn diagnostic_json(diagnostic: &Diagnostic) -> Value {
    let place = &diagnostic.place;
    json!({
        "code": diagnostic.code.name,
        "severity": diagnostic.code.severity.to_string(),
        "file": place.file,
        "game": place.game,
        "line": place.line,
        "column": place.column,
        "byte": place.byte,
        "ply": place.ply,
        "message": diagnostic.message,
        "help": diagnostic.code.help,
    })
}

/// A severity in its colour.
pub(crate) fn severity(paint: Paint, severity: Severity) -> String {
    let name = severity.to_string();
    match severity {
        Severity::Note => paint.dim(&name),
        Severity::Warning => paint.yellow(&name),
        Severity::Damage => paint.red(&name),
    }
}

/// A summary with the number of times.
pub(crate) fn sentence(summary: &str, number: u64) -> String {
    match number {
        1 => summary.to_owned(),
        _ => format!("{summary} ({} times)", grouped(number)),
    }
}
