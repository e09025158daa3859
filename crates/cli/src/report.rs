//! Reports the issues and losses of a command to people.

use tabiya::report::{SourceReport, of_game};
use tabiya::{Base, BaseFailure, OpenedBases};
use tabiya_model::{Diagnostics, LossReport, Severity};

use super::exit::{self, Exit};
use super::output::{TerminalColors, count, excerpt, grouped, print_error, say};

/// How many examples of a kind people are shown.
const EXAMPLES: usize = 3;

/// Reports damage.
fn damage(name: &str, found: &Diagnostics) {
    let paint = TerminalColors::of_stderr();
    for (code, number) in found.counts() {
        if code.severity < Severity::Damage {
            continue;
        }
        say(&format!(
            "{name}: {}: {} [{}]",
            severity(paint, code.severity),
            sentence(code.summary, *number),
            code.name
        ));
        let of_code = found.iter().filter(|d| d.code == *code);
        for diagnostic in of_code.take(EXAMPLES) {
            say(&format!(
                "    {}: {}",
                diagnostic.place,
                excerpt(&diagnostic.message)
            ));
        }
        if *number > EXAMPLES as u64 {
            say(&paint.dim(&format!(
                "    … {} more; `tabiya check` shows them",
                grouped(number - EXAMPLES as u64)
            )));
        }
    }
}

/// Reports the result for a source.
pub(crate) fn print_report(report: &SourceReport) {
    let paint = TerminalColors::of_stderr();
    damage(&report.name, &report.diagnostics);
    let notes: u64 = report
        .diagnostics
        .counts()
        .iter()
        .filter(|(code, _)| code.severity < Severity::Damage)
        .map(|(_, number)| number)
        .sum();
    if notes > 0 {
        say(&paint.dim(&format!(
            "{}: {}; `tabiya check` lists them",
            report.name,
            count(notes, "minor issue", "minor issues")
        )));
    }
    losses(&report.name, &report.losses, report.is_table);
    match &report.unexplained {
        None => {}
        Some(none) if none.is_empty() => say(&format!(
            "{}: verified, no unreported difference",
            report.name
        )),
        Some(differences) => {
            say(&format!(
                "{}: {} {}",
                report.name,
                paint.red("not the same:"),
                count(
                    differences.len() as u64,
                    "unreported difference",
                    "unreported differences"
                )
            ));
            for difference in differences.iter().take(20) {
                say(&format!("    {}", excerpt(difference)));
            }
        }
    }
}

/// Reports what a target could not hold.
pub(crate) fn losses(name: &str, losses: &LossReport, is_table: bool) {
    let paint = TerminalColors::of_stderr();
    for (kind, number, examples) in losses.kinds() {
        if kind.is_layout() && !is_table {
            // It means nothing, so that its places are not worth a line each.
            say(&paint.dim(&format!(
                "{name}: layout: {} [{}]",
                sentence(kind.summary, number),
                kind.name
            )));
            continue;
        }
        let heading = if is_table || kind.asked_for {
            paint.dim("left out:")
        } else {
            paint.yellow("lost:")
        };
        say(&format!(
            "{name}: {heading} {} [{}]",
            sentence(kind.summary, number),
            kind.name
        ));
        // Requested losses need no examples.
        let shown = if kind.asked_for { 0 } else { EXAMPLES };
        for loss in examples.iter().take(shown) {
            say(&format!("    {}{}", of_game(loss), excerpt(&loss.detail)));
        }
        if number > EXAMPLES as u64 {
            say(&paint.dim(&format!("    … {} more", grouped(number - EXAMPLES as u64))));
        }
    }
}

/// Reports that games were damaged, if nothing else has reported it.
pub(crate) fn print_damaged(games: u64) {
    if games > 0 {
        say(&format!(
            "{} damaged; everything that could be read is shown; `tabiya check` shows the damage",
            count(games, "game is", "games are")
        ));
    }
}

/// Reports damage around the games of bases, as far as the command has noticed it: an index or a packed file that ends too
/// early. Returns whether there was any.
pub(crate) fn print_container_damage(bases: &[Base]) -> bool {
    let mut is_damaged = false;
    for base in bases {
        let found = base.known_diagnostics();
        is_damaged |= found.at_least(Severity::Damage) > 0;
        damage(base.name(), &found);
    }
    is_damaged
}

/// Ends a command that has read bases: reports damage around their games and bases that could not be opened.
pub(crate) fn end(opened: &OpenedBases, damaged: bool, found: bool) -> Exit {
    let damaged = print_container_damage(&opened.bases) || damaged;
    finish_reported(opened, damaged, found)
}

/// The same for a command that has reported all damage and losses.
pub(crate) fn finish_reported(opened: &OpenedBases, incomplete: bool, found: bool) -> Exit {
    failures(&opened.failed);
    Exit::of(!opened.failed.is_empty(), incomplete, found)
}

/// Reports bases that could not be read.
pub(crate) fn failures(failed: &[BaseFailure]) {
    for failure in failed {
        let message = exit::of_error(&failure.error);
        match failure.error.file() {
            Some(_) => print_error(&message),
            None => print_error(&format!("{}: {message}", failure.name)),
        }
    }
}

/// A severity in its colour.
pub(crate) fn severity(paint: TerminalColors, severity: Severity) -> String {
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
