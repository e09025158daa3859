//! Diagnostics: the findings of a reader, as data.
//!
//! A diagnostic names a code from a static table, so that `check --explain` has a page for each of them and none
//! can be made up on the way. Repeats are counted, and only the first ones of a kind are kept.

use std::fmt;

use crate::user_hint::with_actions;

/// The severity of a finding.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// Unusual, but read without doubt.
    Note,
    /// Read, but something had to be decided, or a derived field is wrong.
    Warning,
    /// Something could not be read; the message says what was kept.
    Damage,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Damage => "damage",
        })
    }
}

/// A kind of finding, with its page of explanation.
#[derive(Debug)]
pub struct DiagnosticCode {
    /// Stable name in kebab case.
    pub name: &'static str,
    /// Its severity.
    pub severity: Severity,
    /// What it is, in one sentence.
    pub summary: &'static str,
    /// What to do about it, in one sentence, with actions in braces ([`crate::user_hint`]).
    pub help: &'static str,
    /// The page that `check --explain` prints below the summary; may be empty.
    pub page: &'static str,
}

impl DiagnosticCode {
    /// What to do about it, in words for every front end.
    #[must_use]
    pub fn help_words(&self) -> String {
        with_actions(self.help, |action| action.words().to_owned())
    }
}

impl PartialEq for DiagnosticCode {
    fn eq(&self, other: &DiagnosticCode) -> bool {
        self.name == other.name
    }
}

impl Eq for DiagnosticCode {}

/// The place of a finding. Unknown parts are `None`; numbers that people see start at 1, bytes at 0.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Location {
    /// The file, if it is not clear from the context.
    pub file: Option<String>,
    /// Game number, from 1.
    pub game: Option<u64>,
    /// Byte offset in the file (of the decompressed text), from 0.
    pub byte: Option<u64>,
    /// Line number, from 1.
    pub line: Option<u64>,
    /// Column in characters, from 1.
    pub column: Option<u64>,
    /// Plies played before the place, from 0.
    pub ply: Option<u32>,
}

impl Location {
    /// A place in a game.
    pub fn game(number: u64) -> Location {
        Location {
            game: Some(number),
            ..Location::default()
        }
    }

    /// A place at a byte offset.
    pub fn byte(offset: u64) -> Location {
        Location {
            byte: Some(offset),
            ..Location::default()
        }
    }

    /// The same place in a named file.
    pub fn in_file(mut self, file: impl Into<String>) -> Location {
        self.file = Some(file.into());
        self
    }

    /// The same place at a ply.
    pub fn at_ply(mut self, ply: u32) -> Location {
        self.ply = Some(ply);
        self
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = true;
        let mut part = |f: &mut fmt::Formatter<'_>, text: fmt::Arguments<'_>| {
            if !std::mem::take(&mut first) {
                f.write_str(", ")?;
            }
            f.write_fmt(text)
        };
        if let Some(file) = &self.file {
            part(f, format_args!("{file}"))?;
        }
        if let Some(game) = self.game {
            part(f, format_args!("game {game}"))?;
        }
        if let Some(line) = self.line {
            part(f, format_args!("line {line}"))?;
        }
        if let Some(column) = self.column {
            part(f, format_args!("column {column}"))?;
        }
        if let Some(byte) = self.byte {
            part(f, format_args!("byte {byte}"))?;
        }
        if let Some(ply) = self.ply {
            let dots = if ply % 2 == 0 { "." } else { "..." };
            part(f, format_args!("ply {ply} (move {}{dots})", ply / 2 + 1))?;
        }
        Ok(())
    }
}

/// One finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// What kind of finding it is.
    pub code: &'static DiagnosticCode,
    /// Its place.
    pub place: Location,
    /// The message for people: the text in question, and the part that was kept.
    pub message: String,
}

impl Diagnostic {
    /// A finding.
    pub fn new(
        code: &'static DiagnosticCode,
        place: Location,
        message: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic {
            code,
            place,
            message: message.into(),
        }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {}: {} [{}]",
            self.code.severity, self.place, self.message, self.code.name
        )
    }
}

/// Findings, each kind counted and the first ones of each kind kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostics {
    kept: Vec<Diagnostic>,
    counts: Vec<(&'static DiagnosticCode, u64)>,
    cap: u64,
}

impl Default for Diagnostics {
    fn default() -> Self {
        Diagnostics::with_cap(Self::CAP)
    }
}

impl Diagnostics {
    /// How many findings of a kind are kept by default otherwise.
    pub const CAP: u64 = 20;

    /// Keeps at most `cap` findings of a kind.
    pub fn with_cap(cap: u64) -> Diagnostics {
        Diagnostics {
            kept: Vec::new(),
            counts: Vec::new(),
            cap,
        }
    }

    /// Removes all findings and keeps the memory.
    pub fn clear(&mut self) {
        self.kept.clear();
        self.counts.clear();
    }

    /// Adds `base` to the numbers of the games that findings are about.
    pub fn renumber(&mut self, base: u64) {
        for diagnostic in &mut self.kept {
            if let Some(number) = &mut diagnostic.place.game {
                *number += base;
            }
        }
    }

    /// Whether there was no finding.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Adds a finding; its message is only built if it is kept.
    pub fn report(
        &mut self,
        code: &'static DiagnosticCode,
        place: impl FnOnce() -> Location,
        message: impl FnOnce() -> String,
    ) {
        if self.count(code, 1) <= self.cap {
            self.kept.push(Diagnostic::new(code, place(), message()));
        }
    }

    /// Adds a finding.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        if self.count(diagnostic.code, 1) <= self.cap {
            self.kept.push(diagnostic);
        }
    }

    /// Adds the findings of another list, kept or only counted.
    pub fn append(&mut self, other: &Diagnostics) {
        for (code, n) in &other.counts {
            self.count(code, *n);
            let of_this_code = |d: &&Diagnostic| d.code == *code;
            let have = self.kept.iter().filter(of_this_code).count();
            let cap = usize::try_from(self.cap).unwrap_or(usize::MAX);
            let new = other.kept.iter().filter(of_this_code);
            self.kept
                .extend(new.take(cap.saturating_sub(have)).cloned());
        }
    }

    fn count(&mut self, code: &'static DiagnosticCode, n: u64) -> u64 {
        match self.counts.iter_mut().find(|(c, _)| *c == code) {
            Some((_, count)) => {
                *count += n;
                *count
            }
            None => {
                self.counts.push((code, n));
                n
            }
        }
    }

    /// The findings that were kept, in the order of their arrival.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.kept.iter()
    }

    /// The findings that were kept, open to corrections of their places.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Diagnostic> {
        self.kept.iter_mut()
    }

    /// Every kind that occurred with the number of times.
    pub fn counts(&self) -> &[(&'static DiagnosticCode, u64)] {
        &self.counts
    }

    /// How often a kind occurred.
    pub fn count_of(&self, name: &str) -> u64 {
        self.counts
            .iter()
            .find(|(code, _)| code.name == name)
            .map_or(0, |(_, count)| *count)
    }

    /// The number of findings that are at least this bad.
    pub fn at_least(&self, severity: Severity) -> u64 {
        self.counts
            .iter()
            .filter(|(code, _)| code.severity >= severity)
            .map(|(_, count)| count)
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static TEST: DiagnosticCode = DiagnosticCode {
        name: "test",
        severity: Severity::Warning,
        summary: "",
        help: "",
        page: "",
    };

    #[test]
    fn repeats_are_counted_and_capped() {
        let mut one = Diagnostics::with_cap(3);
        for game in 0..5 {
            one.report(&TEST, || Location::game(game), String::new);
        }
        assert_eq!((one.iter().count(), one.count_of("test")), (3, 5));
        let mut all = Diagnostics::with_cap(4);
        all.append(&one);
        all.append(&one);
        assert_eq!((all.iter().count(), all.count_of("test")), (4, 10));
        assert_eq!(all.at_least(Severity::Warning), 10);
        assert_eq!(all.at_least(Severity::Damage), 0);
    }
}
