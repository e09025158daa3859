//! Values without a name: they are searched as text in names, events and sites.

use super::{ParserResult, QueryParser};
use crate::language::error::QueryError;
use crate::language::keywords::{KEYS, nearest};
use crate::terms::fields::{FieldTerm, TextField};
use crate::terms::query::{QueryExpr, QueryTerm};
use crate::terms::text::TextTest;

/// Words that have a meaning between terms.
const BETWEEN: [&str; 6] = ["and", "or", "not", "then", "until", "by"];

/// Where such a text is looked for.
const FIELDS: [TextField; 3] = [TextField::Player, TextField::Event, TextField::Site];

impl QueryParser<'_> {
    /// Reads a value without a name; nothing where a term stands here.
    pub(super) fn free_text(&mut self) -> ParserResult<Option<QueryExpr>> {
        let start = self.at;
        let text = if self.rest().starts_with('"') {
            self.value()?.text
        } else {
            let rest = self.rest();
            let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '"'));
            let word = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
            if word.starts_with('-') {
                return Err(QueryError::new(start..start + 1, "no term begins with `-`")
                    .help("what is not to hold stands behind `not`: `not player:Tal`"));
            }
            if !is_text(word) {
                return Ok(None);
            }
            self.at += word.len();
            word.to_owned()
        };
        if text.trim().is_empty() {
            return Err(QueryError::new(start..self.at, "this text is empty"));
        }
        let mut parts = Vec::new();
        for field in FIELDS {
            let test = TextTest::contains(text.trim());
            parts.push(self.push(QueryTerm::Field(FieldTerm::Text(field, test)), start)?);
        }
        self.texts.push(text.trim().to_owned());
        Ok(Some(QueryExpr::Or(parts)))
    }
}

/// Whether a word is no beginning of a term.
fn is_text(word: &str) -> bool {
    let key = word.to_ascii_lowercase().replace('_', "-");
    word.starts_with(|c: char| c.is_alphanumeric())
        && !word.contains([':', '=', '~', '<', '>', '[', '@', '/'])
        && !KEYS.contains(&key.as_str())
        && !BETWEEN.contains(&key.as_str())
}

/// What is said of the texts of a query: that they are texts, and which terms are near.
pub(super) fn note_on_texts(texts: &[String]) -> Option<String> {
    let (first, rest) = texts.split_first()?;
    let mut said = format!("searched as text in names, events and sites: `{first}`");
    for text in rest {
        said.push_str(&format!(", `{text}`"));
    }
    let near = |text: &String| nearest(&text.to_lowercase(), KEYS.iter().copied());
    let near: Vec<String> = texts
        .iter()
        .filter_map(near)
        .map(|key| format!("`{key}`"))
        .collect();
    if !near.is_empty() {
        said.push_str(&format!("; a term that is near: {}", near.join(", ")));
    }
    Some(said)
}
