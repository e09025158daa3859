//! The order of events, and how often something is there.

use super::{Head, Parser, Result};
use crate::error::QueryError;
use crate::position::PositionExpr;
use crate::query::{Ask, Expr, Step};
use crate::values::number_range;

/// The most events in one order.
const MAX_STEPS: usize = 100;
/// The longest distance between two of them, in half-moves.
const MAX_WITHIN: u32 = 100_000;

impl Parser<'_> {
    /// Whether the order of events goes on here, so that what has just been read is its first one.
    pub(super) fn is_event(&mut self) -> bool {
        let before = self.at;
        let goes_on = self.keyword("then") || self.keyword("until");
        self.at = before;
        goes_on
    }

    /// Reads `order:( )`.
    pub(super) fn order_term(&mut self, head: &Head, depth: usize, start: usize) -> Result<Expr> {
        self.expect_operator(head)?;
        let places = self.places(head, &[])?;
        self.space();
        let open = self.at;
        if !self.rest().starts_with('(') {
            return Err(
                QueryError::new(head.span.clone(), "`order` needs parentheses")
                    .help("write `order:(check then mate)`"),
            );
        }
        self.at += 1;
        let steps = self.steps(depth)?;
        self.space();
        if !self.rest().starts_with(')') {
            return Err(QueryError::new(open..open + 1, "this `(` is never closed")
                .help("several questions about one event stand in parentheses of their own"));
        }
        self.at += 1;
        self.walk(Ask::Order(steps), places.variations, start)
    }

    /// Reads events from the first one on.
    pub(super) fn events(&mut self, depth: usize) -> Result<Expr> {
        self.space();
        let start = self.at;
        let steps = self.steps(depth)?;
        self.walk(Ask::Order(steps), self.variations, start)
    }

    fn steps(&mut self, depth: usize) -> Result<Vec<Step>> {
        let depth = self.nested(depth)?;
        let mut steps = Vec::new();
        loop {
            let within = match steps.is_empty() {
                true => u32::MAX,
                false => self.within()?,
            };
            let before = self.at;
            let mut unless = None;
            if self.keyword("not") {
                let guard = self.alone::<PositionExpr>(depth)?;
                if self.keyword("until") {
                    unless = Some(guard);
                } else {
                    self.at = before;
                }
            }
            let expr = self.alone::<PositionExpr>(depth)?;
            steps.push(Step {
                within,
                unless,
                expr,
            });
            self.space();
            let here = self.at..self.at + self.word().len();
            if self.keyword("until") {
                return Err(QueryError::new(
                    here,
                    "`until` belongs behind `not` and what must not come before",
                )
                .help("write `not check until mate`"));
            }
            if !self.keyword("then") {
                break;
            }
            if steps.len() >= MAX_STEPS {
                return Err(QueryError::new(here, "there are too many events"));
            }
        }
        match steps.as_slice() {
            [Step { unless: None, .. }] => Err(QueryError::new(
                self.at..self.at,
                "another event is missing here",
            )
            .help("write `order:(check then mate)` or `order:(not check until mate)`")),
            _ => Ok(steps),
        }
    }

    /// Reads `within 10 plies`.
    fn within(&mut self) -> Result<u32> {
        if !self.keyword("within") {
            return Ok(u32::MAX);
        }
        self.space();
        let start = self.at;
        let number = self.word();
        self.at += number.len();
        self.space();
        let unit = self.word();
        let factor = match unit.to_ascii_lowercase().as_str() {
            "ply" | "plies" => Some(1),
            "move" | "moves" => Some(2),
            _ => None,
        };
        let number = number.parse::<u32>().ok();
        let number = number.filter(|number| (1..=MAX_WITHIN).contains(number));
        match (number, factor) {
            (Some(number), Some(factor)) => {
                self.at += unit.len();
                Ok(number * factor)
            }
            _ => Err(
                QueryError::new(start..self.at.max(start), "a distance is wanted here")
                    .help("write `then within 10 plies` or `then within 5 moves`"),
            ),
        }
    }

    /// Reads `count:( )>=3`.
    pub(super) fn count_term(&mut self, head: &Head, depth: usize, start: usize) -> Result<Expr> {
        let help = "write `count:(check)>=3`";
        self.expect_operator(head)?;
        let places = self.places(head, &[])?;
        let depth = self.nested(depth)?;
        let expr = self.alone::<PositionExpr>(depth)?;
        let Some(operator) = self.operator() else {
            return Err(QueryError::new(
                head.span.clone(),
                "how many positions are meant is missing",
            )
            .help(help));
        };
        let value = self.value()?;
        let read = |text: &str| text.parse::<u32>().ok().map(i64::from);
        let Some((low, high)) = number_range(operator, &value.text, read) else {
            return Err(QueryError::new(value.span, "a number of positions is wanted").help(help));
        };
        let ask = Ask::Count { expr, low, high };
        self.walk(ask, places.variations, start)
    }
}
