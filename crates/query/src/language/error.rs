//! Errors in queries, with their place.

use std::fmt::Write;
use std::ops::Range;
use tabiya_model::error_codes;

use unicode_width::UnicodeWidthStr as _;

/// What is wrong with a query, and where.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct QueryError {
    /// The text of the query, if it is known.
    pub query: String,
    /// The bytes of the query's text that are wrong.
    pub span: Range<usize>,
    /// What is wrong there.
    pub message: String,
    /// What to do about it, if that is known.
    pub help: Option<String>,
    /// Saved queries refer to each other in a circle: the message names them, and outer queries add nothing.
    is_circle: bool,
}

/// The longest piece of a query that is shown around an error.
const SHOWN: usize = 100;

impl QueryError {
    /// An error at a place.
    pub fn new(span: Range<usize>, message: impl Into<String>) -> QueryError {
        QueryError {
            query: String::new(),
            span,
            message: message.into(),
            help: None,
            is_circle: false,
        }
    }

    /// An error of saved queries that ask for each other.
    pub(crate) fn circle(span: Range<usize>, message: String) -> QueryError {
        QueryError {
            is_circle: true,
            ..QueryError::new(span, message)
        }
    }

    /// Whether saved queries ask for each other.
    pub(crate) fn is_circle(&self) -> bool {
        self.is_circle
    }

    /// The same error with advice.
    pub fn help(mut self, help: impl Into<String>) -> QueryError {
        self.help = Some(help.into());
        self
    }

    /// The same error, its span counted from `offset`.
    pub(crate) fn shifted(mut self, offset: usize) -> QueryError {
        self.span = self.span.start + offset..self.span.end + offset;
        self
    }

    /// The error below the line of the query where it occurred.
    pub fn render(&self, query: &str) -> String {
        let floor = |mut at: usize| {
            at = at.min(query.len());
            while !query.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        let start = floor(self.span.start);
        let end = floor(self.span.end.max(start));
        let (before, after) = (query.get(..start), query.get(start..));
        let (before, after) = (before.unwrap_or(""), after.unwrap_or(""));
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line_end = start + after.find('\n').unwrap_or(after.len());
        let from = floor(line_start.max(start.saturating_sub(SHOWN / 2)));
        let to = floor(line_end.min(start + SHOWN));
        let shown = |from: usize, to: usize| query.get(from..to).unwrap_or("").replace('\t', " ");
        // Letters of the East are two columns wide, and accents that stand alone none.
        let lead = shown(from, start).width();
        let width = shown(start, end.min(to)).width().max(1);
        let mut text = format!("{}\n  {}\n", self.message, shown(from, to));
        let _ = write!(text, "  {}{}", " ".repeat(lead), "^".repeat(width));
        if let Some(help) = &self.help {
            let _ = write!(text, "\nhelp: {help}");
        }
        text
    }
}

impl From<QueryError> for tabiya_model::Error {
    fn from(error: QueryError) -> tabiya_model::Error {
        let message = match error.query.is_empty() {
            true => error.to_string(),
            false => error.render(&error.query),
        };
        tabiya_model::Error::new(&error_codes::BAD_QUERY, message)
            .of_parameter("query")
            .because(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caret_stands_below_the_place() {
        let error = QueryError::new(10..13, "no such field").help("try another");
        assert_eq!(
            error.render("white:Ü x foo:1"),
            "no such field\n  white:Ü x foo:1\n           ^^^\nhelp: try another"
        );
        let wide = QueryError::new(13..16, "no such field").render("white:\u{738b}\u{738b} foo:1");
        assert!(wide.ends_with("\n             ^^^"), "{wide}");
    }

    #[test]
    fn a_failure_of_the_library_keeps_the_span() {
        let mut error = QueryError::new(6..7, "a value is missing here");
        error.query = "white:(".to_owned();
        let failure = tabiya_model::Error::from(error);
        assert_eq!(*failure.code, error_codes::BAD_QUERY);
        assert_eq!(failure.parameter, Some("query"));
        let cause = std::error::Error::source(&failure).expect("a cause");
        let kept = cause.downcast_ref::<QueryError>().expect("of a query");
        assert_eq!(kept.span, 6..7);
    }

    #[test]
    fn any_span_can_be_shown() {
        let query = "a\nüü\n\t:b";
        for start in 0..12 {
            for end in 0..14 {
                assert!(
                    QueryError::new(start..end, "bad")
                        .render(query)
                        .contains('^')
                );
            }
        }
    }
}
