//! Terms about annotations at a position, and about positions that are similar to another one.

use shakmaty::Color;
use tabiya_model::command::MarkColour;

use super::positions::fen;
use super::{ParserResult, QueryParser, TermHead};
use crate::language::error::QueryError;
use crate::language::values::{TermOperator, clock, number_range, score};
use crate::terms::annotations::AnnotationTest;
use crate::terms::fields::{FieldTerm, TextField};
use crate::terms::move_pattern::square_pattern;
use crate::terms::piece_squares::piece_squares;
use crate::terms::position::PositionAtom;
use crate::terms::similarity::SimilarityTest;

/// How far a similar position may be by default.
const WITHIN: u32 = 2;
/// How far it may be at all.
const MAX_WITHIN: u32 = 100;

impl QueryParser<'_> {
    /// Reads a question about what is written at a position, if the key is one. Some of them mean that everywhere,
    /// others only `inside` of a question about a position.
    pub(super) fn remark(
        &mut self,
        head: &TermHead,
        inside: bool,
    ) -> ParserResult<Option<PositionAtom>> {
        let test = match head.key.as_str() {
            "comment" | "nag" | "eval" | "clock" if inside => {
                let Some(operator) = self.operator() else {
                    return Err(self.unknown(head));
                };
                let value = self.value()?;
                if head.key == "comment" && operator == TermOperator::Differs {
                    return Err(QueryError::new(
                        head.span.clone(),
                        "at a position `comment` takes `:`, `=` and `~`",
                    )
                    .help("write `not comment=\"...\"`"));
                }
                match self.field(head, operator, &value)? {
                    Some(FieldTerm::Text(TextField::Comment, test)) => {
                        AnnotationTest::Comment(test)
                    }
                    Some(FieldTerm::Nag(nag)) => AnnotationTest::Nag(nag),
                    Some(FieldTerm::Eval(low, high)) => AnnotationTest::Eval(low, high),
                    Some(FieldTerm::Clock(low, high)) => AnnotationTest::Clock(low, high),
                    _ => return Err(self.unknown(head)),
                }
            }
            "eval-swing" if inside => {
                AnnotationTest::Swing(self.measure(head, score, "`eval-swing>2`")?)
            }
            "white-clock" | "black-clock" => {
                let color = Color::from_white(head.key == "white-clock");
                let (low, high) = self.measure(head, clock, "`white-clock<10`")?;
                AnnotationTest::SideClock(color, low, high)
            }
            "arrow" | "highlight" => {
                let colour = colour(head)?;
                let (_, value) = self.required_value(head)?;
                let any = value.text.eq_ignore_ascii_case("any");
                let square = |text: Option<&str>| match text {
                    _ if any => Some(u64::MAX),
                    text => square_pattern(text?),
                };
                let text = value.text.as_str();
                let bad = || {
                    QueryError::new(value.span.clone(), "these are not squares")
                        .help("write `arrow:e2e4`, `arrow:??f7`, `highlight:e4`, or `any`")
                };
                if head.key == "arrow" {
                    let from = square(text.get(..2)).ok_or_else(bad)?;
                    let to = square(text.get(2..)).ok_or_else(bad)?;
                    AnnotationTest::Arrow(from, to, colour)
                } else {
                    AnnotationTest::Highlight(square(Some(text)).ok_or_else(bad)?, colour)
                }
            }
            "similar" => return self.similar(head).map(Some),
            _ => return Ok(None),
        };
        Ok(Some(PositionAtom::Annotation(test)))
    }

    /// Reads a range of what is measured.
    fn measure(
        &mut self,
        head: &TermHead,
        read: fn(&str) -> Option<i64>,
        example: &str,
    ) -> ParserResult<(i64, i64)> {
        let Some(operator) = self.operator() else {
            return Err(self.unknown(head));
        };
        let value = self.value()?;
        number_range(operator, &value.text, read).ok_or_else(|| {
            QueryError::new(value.span, "this is not a valid value")
                .help(format!("write {example}"))
        })
    }

    fn similar(&mut self, head: &TermHead) -> ParserResult<PositionAtom> {
        let mut within = WITHIN;
        for option in head.options.iter().filter(|option| option.name == "within") {
            let number = option.argument.parse().ok();
            within = number.filter(|n| *n <= MAX_WITHIN).ok_or_else(|| {
                QueryError::new(option.span.clone(), "this option needs a number of moves")
                    .help("write `within 3`")
            })?;
        }
        let (_, value) = self.required_value(head)?;
        let board = fen(&value)?;
        let has_turn = value.text.split_whitespace().count() > 1;
        Ok(PositionAtom::Similar(Box::new(SimilarityTest {
            pieces: piece_squares(&board),
            turn: has_turn.then(|| board.turn()),
            within,
        })))
    }
}

/// The colour that the options name.
fn colour(head: &TermHead) -> ParserResult<Option<MarkColour>> {
    let mut found = None;
    for option in &head.options {
        let Some(colour) = MarkColour::from_name(&option.name) else {
            continue;
        };
        if found.replace(colour).is_some() {
            return Err(QueryError::new(
                option.span.clone(),
                "only one colour is possible",
            ));
        }
    }
    Ok(found)
}
