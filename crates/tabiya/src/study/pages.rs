//! The pages that explain what can be found in a database, and what a copy can lose.

use tabiya_formats::fact_losses;
use tabiya_formats::format::Format;
use tabiya_formats::registry::FORMATS;
use tabiya_model::user_hint::with_actions;
use tabiya_model::{DiagnosticCode, LossKind, UserAction, metadata};

use crate::open::archive;
use crate::write::bulk;

/// A page.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum ExplanationPage {
    /// About a finding of a reader.
    Code(&'static DiagnosticCode),
    /// About a loss of a writer.
    Loss(&'static LossKind),
}

impl ExplanationPage {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            ExplanationPage::Code(code) => code.name,
            ExplanationPage::Loss(kind) => kind.name,
        }
    }

    /// Its subject, in one sentence.
    pub fn summary(self) -> &'static str {
        match self {
            ExplanationPage::Code(code) => code.summary,
            ExplanationPage::Loss(kind) => kind.summary,
        }
    }

    /// Its severity, or `loss`.
    pub fn weight(self) -> String {
        match self {
            ExplanationPage::Code(code) => code.severity.to_string(),
            ExplanationPage::Loss(_) => "loss".to_owned(),
        }
    }

    /// The whole page.
    pub fn text(self) -> String {
        self.text_with(|action| action.words().to_owned())
    }

    /// The whole page, with advice in the words of a front end.
    pub fn text_with(self, action: impl Fn(UserAction) -> String) -> String {
        let text = match self {
            ExplanationPage::Code(code) => {
                let mut text = format!("{} ({})\n\n{}\n", code.name, code.severity, code.summary);
                if !code.page.is_empty() {
                    text.push_str(&format!("\n{}\n", code.page));
                }
                text.push_str(&format!("\nWhat to do: {}\n", code.help));
                text
            }
            ExplanationPage::Loss(kind) => {
                let advice = if kind.asked_for {
                    "it was requested by an option, and does not count as a loss of the copy."
                } else {
                    "keep the source, or choose a target that holds it ({formats})."
                };
                format!(
                    "{} (loss: {})\n\n{}\n\nWhat to do: {advice}\n",
                    kind.name,
                    kind.aspect.name(),
                    kind.summary,
                )
            }
        };
        with_actions(&text, action)
    }
}

/// The pages of a format: what its reader can find and what its writer can lose.
pub fn of(format: &Format) -> Vec<ExplanationPage> {
    let mut pages: Vec<ExplanationPage> = format
        .codes
        .iter()
        .map(|code| ExplanationPage::Code(code))
        .collect();
    pages.extend(format.losses.iter().map(|kind| ExplanationPage::Loss(kind)));
    if format.create.is_some() {
        let shared = metadata::LOSSES.iter().chain(fact_losses::LOSSES);
        pages.extend(shared.map(|kind| ExplanationPage::Loss(kind)));
    }
    pages
}

/// Every page with the title of what it belongs to; a page that several formats share occurs once for each.
pub fn all() -> Vec<(&'static str, ExplanationPage)> {
    let mut pages: Vec<(&str, ExplanationPage)> = Vec::new();
    for format in FORMATS {
        pages.extend(of(format).into_iter().map(|page| (format.title, page)));
    }
    pages.extend(
        archive::CODES
            .iter()
            .map(|code| ("archives", ExplanationPage::Code(code))),
    );
    let asked = bulk::losses::LOSSES.iter();
    pages.extend(asked.map(|kind| ("changes to many games", ExplanationPage::Loss(kind))));
    pages
}

/// The pages with a name.
///
/// ```
/// let pages = tabiya::pages::find("pgn-illegal-move");
/// assert_eq!(pages[0].weight(), "warning");
/// println!("{}", pages[0].text());
/// ```
pub fn find(name: &str) -> Vec<ExplanationPage> {
    let mut found: Vec<ExplanationPage> = Vec::new();
    for (_, page) in all() {
        if page.name() == name && !found.contains(&page) {
            found.push(page);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_and_loss_has_a_page() {
        let pages = all();
        assert!(pages.len() > 100);
        for (owner, page) in pages {
            assert!(
                page.summary().ends_with(['.', '…']),
                "{owner}: {}",
                page.name()
            );
            let of_name = find(page.name());
            assert!(of_name.contains(&page), "{}", page.name());
            for page in of_name {
                let text = page.text();
                assert!(text.starts_with(page.name()) && text.contains(page.summary()));
                // A source line that is broken badly shows as a row of blanks.
                let is_name = |name: &str| {
                    !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-')
                };
                let mut braces = text
                    .split('{')
                    .skip(1)
                    .filter_map(|rest| rest.split_once('}'));
                assert!(!braces.any(|(name, _)| is_name(name)), "{text}");
                let mut lines = text.lines().map(str::trim_start);
                assert!(!lines.any(|line| line.contains("  ")), "{text}");
            }
        }
        assert_eq!(find("database-description").len(), 1);
        assert!(find("nothing-of-the-kind").is_empty());
    }
}
