//! The findings in a source and the losses of its copy, as data: for people, and as JSON.

use tabiya_answers::server::ChangeLossAnswer;
use tabiya_answers::{
    FindingAnswer, FindingCountAnswer, FindingKindAnswer, LossAnswer, LossKindAnswer,
    SeverityAnswer, SourceAnswer,
};
use tabiya_model::{Diagnostic, DiagnosticCode, Diagnostics, Loss, LossReport, Losses, Severity};

/// Examples of what a change loses, of each kind.
const CHANGE_EXAMPLES: usize = 5;

/// Everything about one source of a copy.
///
/// A copy has one for each of its sources:
///
/// ```
/// # fn main() -> tabiya::model::Result<()> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/pgn/ok/annotated.pgn");
/// # let folder = tempfile::tempdir()?;
/// use tabiya::Target;
/// use tabiya::convert::{ConvertOptions, convert};
/// use tabiya::model::Control;
///
/// let target = Target::new(folder.path().join("copy.si4"), None, Default::default())?;
/// let done = convert(&tabiya::open(path)?, &target, &ConvertOptions::default(), &Control::default())?;
/// let report = &done.sources[0];
/// assert_eq!((report.games, report.damaged), (3, 0));
/// for (kind, count, _) in report.losses.kinds() {
///     println!("{count} x {}", kind.summary);
/// }
/// assert!(!report.is_complete());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct SourceReport {
    /// Its name.
    pub name: String,
    /// The name of its format.
    pub format: &'static str,
    /// Games that were read.
    pub games: u64,
    /// Games that were left out as requested.
    pub skipped: u64,
    /// Games with damage: the readable parts are kept.
    pub damaged: u64,
    /// The findings.
    pub diagnostics: Diagnostics,
    /// The losses.
    pub losses: LossReport,
    /// The losses that were not requested.
    pub unasked: u64,
    /// Whether the target is a table, which by its nature leaves out what it has no column for.
    pub is_table: bool,
    /// Differences that no loss explains; `None` if the copy was not verified.
    pub unexplained: Option<Vec<String>>,
}

impl SourceReport {
    /// Counts losses; `asked` says which kinds the user wants.
    pub(crate) fn record_losses(&mut self, losses: &Losses, asked: impl Fn(&Loss) -> bool) {
        for loss in losses.iter() {
            self.losses.add(loss);
            self.unasked += u64::from(!asked(loss));
        }
    }

    /// Whether everything was read without damage, and only requested losses occurred.
    pub fn is_complete(&self) -> bool {
        self.damaged == 0
            && self.unasked == 0
            && self.diagnostics.at_least(Severity::Damage) == 0
            && self.is_verified()
    }

    /// Whether no unexplained difference was found.
    pub fn is_verified(&self) -> bool {
        self.unexplained.as_ref().is_none_or(Vec::is_empty)
    }

    /// The report for programs.
    pub fn answer(&self) -> SourceAnswer {
        let found = self.diagnostics.counts().iter().map(|(code, number)| {
            let examples = self.diagnostics.iter().filter(|d| d.code == *code);
            FindingKindAnswer {
                count: finding_count_answer(code, *number),
                examples: examples.map(finding_answer).collect(),
            }
        });
        SourceAnswer {
            source: self.name.clone(),
            format: self.format,
            games: self.games,
            left_out: self.skipped,
            damaged_games: self.damaged,
            diagnostics: found.collect(),
            losses: losses_answer(&self.losses),
            unreported_differences: self.unexplained.clone(),
        }
    }
}

/// Losses for programs: each kind with its number and first examples.
pub fn losses_answer(losses: &LossReport) -> Vec<LossKindAnswer> {
    let kinds = losses.kinds().map(|(kind, number, examples)| {
        let examples = examples.iter().map(|loss| LossAnswer {
            game: (loss.game > 0).then_some(loss.game),
            detail: loss.detail.clone(),
        });
        LossKindAnswer {
            kind: kind.name,
            aspect: kind.aspect.name(),
            summary: kind.summary,
            count: number,
            examples: examples.collect(),
        }
    });
    kinds.collect()
}

/// The losses of a change, for programs: each kind with its number and first examples. Layout is not a loss.
pub fn change_losses_answer(losses: &LossReport) -> Vec<ChangeLossAnswer> {
    let kinds = losses.kinds().filter(|(kind, ..)| !kind.is_layout());
    let all = kinds.map(|(kind, count, examples)| {
        let examples = examples.iter().take(CHANGE_EXAMPLES);
        ChangeLossAnswer {
            kind: kind.name,
            aspect: kind.aspect.name(),
            summary: kind.summary,
            count,
            examples: examples.map(|loss| loss.detail.clone()).collect(),
        }
    });
    all.collect()
}

/// The number of findings of a kind, for programs.
pub fn finding_count_answer(code: &DiagnosticCode, count: u64) -> FindingCountAnswer {
    FindingCountAnswer {
        code: code.name,
        severity: severity_answer(code.severity),
        summary: code.summary,
        count,
    }
}

/// The severity of a finding, for programs.
pub fn severity_answer(severity: Severity) -> SeverityAnswer {
    match severity {
        Severity::Note => SeverityAnswer::Note,
        Severity::Warning => SeverityAnswer::Warning,
        Severity::Damage => SeverityAnswer::Damage,
    }
}

/// Puts the number of the game before a loss.
pub fn of_game(loss: &Loss) -> String {
    match loss.game {
        0 => String::new(),
        number => format!("game {number}: "),
    }
}

/// A finding for programs.
pub fn finding_answer(diagnostic: &Diagnostic) -> FindingAnswer {
    let place = &diagnostic.place;
    FindingAnswer {
        code: diagnostic.code.name,
        severity: severity_answer(diagnostic.code.severity),
        file: place.file.clone(),
        game: place.game,
        line: place.line,
        column: place.column,
        byte: place.byte,
        ply: place.ply.map(u64::from),
        message: diagnostic.message.clone(),
        help: diagnostic.code.help_words(),
    }
}
