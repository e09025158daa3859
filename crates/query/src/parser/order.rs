//! Sequences of events, and counts of positions.

use shakmaty::Color;

use super::positions::{atom_options, color};
use super::{ParserResult, QueryParser, TermHead};
use crate::language::error::QueryError;
use crate::language::values::number_range;
use crate::terms::move_pattern::MovePattern;
use crate::terms::position::{PositionAtom, PositionExpr, PositionNumber};
use crate::terms::query::{Occurrence, OrderEvent, QueryExpr, SacrificeTest, WalkQuestion};

/// The most events in one order.
const MAX_STEPS: usize = 100;
/// For how many plies a sacrifice lasts by default.
const SACRIFICE_LASTS: u32 = 8;
/// The longest distance between two of them, in plies.
const MAX_WITHIN: u32 = 100_000;

impl QueryParser<'_> {
    /// Whether the order of events goes on here, so that what has just been read is its first one.
    pub(super) fn is_event(&mut self) -> bool {
        let before = self.at;
        let goes_on = self.keyword("then") || self.keyword("until");
        self.at = before;
        goes_on
    }

    /// Reads `order:( )`.
    pub(super) fn order_term(
        &mut self,
        head: &TermHead,
        depth: usize,
        start: usize,
    ) -> ParserResult<QueryExpr> {
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
                .help("put several terms about one event in parentheses"));
        }
        self.at += 1;
        self.walk(WalkQuestion::Order(steps), places.variations, start)
    }

    /// Reads events from the first one on.
    pub(super) fn events(&mut self, depth: usize) -> ParserResult<QueryExpr> {
        self.space();
        let start = self.at;
        let steps = self.steps(depth)?;
        self.walk(WalkQuestion::Order(steps), self.variations, start)
    }

    /// Whether the position is told that is meant, as it is in orders alone.
    pub(super) fn is_picked(&mut self) -> bool {
        let before = self.at;
        let is_picked = ["first", "last", "lasting"]
            .iter()
            .any(|word| self.keyword(word));
        self.at = before;
        is_picked
    }

    /// Reads which positions are meant, and how many in a row.
    fn pick(&mut self) -> ParserResult<(Occurrence, usize)> {
        if self.keyword("first") {
            return Ok((Occurrence::First, 1));
        }
        if self.keyword("last") {
            return Ok((Occurrence::Last, 1));
        }
        if !self.keyword("lasting") {
            return Ok((Occurrence::Any, 1));
        }
        self.space();
        let start = self.at;
        let number = self.word();
        self.at += number.len();
        let long = number
            .parse()
            .ok()
            .filter(|n| (1..=MAX_STEPS / 2).contains(n));
        let long = long.ok_or_else(|| {
            QueryError::new(
                start..self.at,
                "the number of positions in a row is missing here",
            )
            .help(format!(
                "write `lasting 3 check`; the maximum is {}",
                MAX_STEPS / 2
            ))
        })?;
        Ok((Occurrence::Any, long))
    }

    fn steps(&mut self, depth: usize) -> ParserResult<Vec<OrderEvent>> {
        let depth = self.nested(depth)?;
        let mut steps: Vec<OrderEvent> = Vec::new();
        let mut is_alone = true;
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
            is_alone &= unless.is_none() && !self.is_picked();
            let (pick, long) = self.pick()?;
            let expr = self.alone::<PositionExpr>(depth)?;
            steps.push(OrderEvent {
                within,
                unless,
                expr,
                pick,
            });
            // One that lasts is one behind the other.
            for _ in 1..long {
                steps.extend(steps.last().cloned().map(|step| OrderEvent {
                    within: 1,
                    unless: None,
                    ..step
                }));
            }
            self.space();
            let here = self.at..self.at + self.word().len();
            if self.keyword("until") {
                return Err(
                    QueryError::new(here, "`until` belongs after `not` and a term")
                        .help("write `not check until mate`"),
                );
            }
            if !self.keyword("then") {
                break;
            }
            if steps.len() >= MAX_STEPS {
                return Err(QueryError::new(here, "there are too many events"));
            }
        }
        match steps.as_slice() {
            [_] if is_alone => Err(QueryError::new(
                self.at..self.at,
                "the next event is missing here",
            )
            .help("write `order:(check then mate)` or `order:(not check until mate)`")),
            _ => Ok(steps),
        }
    }

    /// Reads `within 10 plies`.
    fn within(&mut self) -> ParserResult<u32> {
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
                QueryError::new(start..self.at.max(start), "give a distance here")
                    .help("write `then within 10 plies` or `then within 5 moves`"),
            ),
        }
    }

    /// Reads `sacrifice[white, for 12]>=3`.
    pub(super) fn sacrifice(&mut self, head: &TermHead, start: usize) -> ParserResult<QueryExpr> {
        let places = self.places(head, &["white", "black", "for"])?;
        let mut lasts = SACRIFICE_LASTS;
        for option in head.options.iter().filter(|option| option.name == "for") {
            let number = option.argument.parse().ok();
            lasts = number.filter(|n| (1..=100).contains(n)).ok_or_else(|| {
                QueryError::new(option.span.clone(), "this option needs a number of plies")
                    .help("write `for 12`; the maximum is 100")
            })?;
        }
        let sides = super::relations::sides(color(head)?);
        let loss = match self.operator() {
            None => (1, i64::MAX),
            Some(operator) => {
                let value = self.value()?;
                let read = |text: &str| text.parse::<u32>().ok().map(i64::from);
                number_range(operator, &value.text, read).ok_or_else(|| {
                    QueryError::new(value.span, "give a number of pawns")
                        .help("write `sacrifice>=3`")
                })?
            }
        };
        if places.lasting != (1, u32::MAX) {
            return Err(QueryError::new(
                head.options_span.clone(),
                "`for` sets how many plies a sacrifice lasts",
            )
            .help("write `sacrifice[for 12]`"));
        }
        let ask = WalkQuestion::Sacrifice(SacrificeTest {
            sides,
            loss,
            lasts,
            plies: places.plies,
            numbers: places.numbers,
        });
        self.walk(ask, places.variations, start)
    }

    /// Reads `exchange:QR`: a capture that the next move answers with one of the same kind.
    pub(super) fn exchange(&mut self, head: &TermHead, start: usize) -> ParserResult<QueryExpr> {
        let as_captures = TermHead {
            key: "captured".to_owned(),
            ..head.clone()
        };
        let places = self.places(&as_captures, atom_options("captured"))?;
        if places.lasting != (1, u32::MAX) {
            return Err(QueryError::new(
                head.options_span.clone(),
                "an exchange cannot last",
            ));
        }
        // Captures know no squares: a board that is turned differs in the colours alone.
        let flips = head.options.iter().any(|option| option.name == "flip");
        let first = color(head)?.filter(|_| !flips);
        let (_, value) = self.required_value(head)?;
        let letters = match value.text.as_str() {
            "any" => "PNBRQ",
            letters => letters,
        };
        let mut exchanges = Vec::new();
        for at in 0..letters.len() {
            let one = letters.get(at..=at);
            let taken = |color: Option<Color>| {
                let pattern = one.and_then(|one| MovePattern::of_pieces(color, None, Some(one)));
                let pattern = pattern.ok_or_else(|| {
                    QueryError::new(value.span.clone(), "these are not piece letters")
                        .help("pieces are letters of PNBRQ, or `any`")
                })?;
                Ok::<PositionExpr, QueryError>(PositionExpr::Atom(PositionAtom::Moved(vec![
                    pattern,
                ])))
            };
            let range = |number, (low, high): (u32, u32)| {
                let range = vec![(i64::from(low), i64::from(high))];
                PositionExpr::Atom(PositionAtom::Number(number, range))
            };
            let step = |expr, within| OrderEvent {
                within,
                unless: None,
                expr,
                pick: Occurrence::Any,
            };
            let answer = PositionExpr::And(vec![
                taken(None)?,
                range(PositionNumber::Ply, places.plies),
                range(PositionNumber::Move, places.numbers),
            ]);
            let ask = WalkQuestion::Order(vec![step(taken(first)?, u32::MAX), step(answer, 1)]);
            exchanges.push(self.walk(ask, places.variations, start)?);
        }
        if exchanges.is_empty() {
            return Err(QueryError::new(value.span, "these are not piece letters"));
        }
        Ok(super::single(exchanges, QueryExpr::Or))
    }

    /// Reads `count:( )>=3`.
    pub(super) fn count_term(
        &mut self,
        head: &TermHead,
        depth: usize,
        start: usize,
    ) -> ParserResult<QueryExpr> {
        let help = "write `count:(check)>=3`";
        self.expect_operator(head)?;
        let places = self.places(head, &[])?;
        let depth = self.nested(depth)?;
        let expr = self.alone::<PositionExpr>(depth)?;
        let Some(operator) = self.operator() else {
            return Err(
                QueryError::new(head.span.clone(), "the number of positions is missing").help(help),
            );
        };
        let value = self.value()?;
        let read = |text: &str| text.parse::<u32>().ok().map(i64::from);
        let Some((low, high)) = number_range(operator, &value.text, read) else {
            return Err(QueryError::new(value.span, "give a number of positions").help(help));
        };
        let ask = WalkQuestion::Count { expr, low, high };
        self.walk(ask, places.variations, start)
    }
}
