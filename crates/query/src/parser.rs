//! From text to query.

use std::ops::Range;

use shakmaty::{CastlingSide, Color};
use tabiya_model::Board;
use tabiya_model::board::Problems;
use tabiya_model::nag::Nag;

use crate::error::QueryError;
use crate::evaluations::{By, EvaluationTerm, Measure, WORDS};
use crate::fields::{Feature, FieldTerm, NumberField, Speed, TextField, results};
use crate::material::Material;
use crate::moves::{parse_line, parse_sequence};
use crate::names::NameTest;
use crate::pattern::{Freedom, Pattern};
use crate::position::{Placement, PositionAtom, PositionExpr, file_counts, men_of};
use crate::query::{Ask, Context, Expr, Query, Term, WalkTerm};
use crate::text::{Glob, TextTest, has_wildcards};
use crate::values::{
    Operator, REVERSED, Value, ValueKind, clock, date_range, halves, is_reversed, number_range,
    score,
};

/// What comes behind the last code of openings.
const AFTER_ECO: &str = "F";

/// The longest query, in bytes.
const MAX_TEXT: usize = 1 << 16;
/// The most terms of a query, saved ones included.
const MAX_TERMS: usize = 1_000;
/// How deep parentheses, `not` and saved queries may be nested.
const MAX_DEPTH: usize = 100;

type Result<T> = std::result::Result<T, QueryError>;

/// Everything that can stand before an operator, for suggestions.
const KEYS: &[&str] = &[
    "white",
    "black",
    "player",
    "event",
    "site",
    "round",
    "annotator",
    "opening",
    "time-control",
    "title",
    "white-title",
    "black-title",
    "country",
    "white-country",
    "black-country",
    "tag",
    "comment",
    "elo",
    "white-elo",
    "black-elo",
    "any-elo",
    "average-elo",
    "elo-diff",
    "year",
    "plies",
    "moves",
    "number",
    "date",
    "event-date",
    "eco",
    "result",
    "has",
    "nag",
    "flag",
    "clock",
    "eval",
    "inaccuracy",
    "mistake",
    "blunder",
    "missed-mate",
    "best-move",
    "accuracy",
    "acpl",
    "eval-swing",
    "speed",
    "position",
    "structure",
    "files",
    "material",
    "pattern",
    "line",
    "sequence",
    "turn",
    "castling",
    "promotion",
    "under-promotion",
    "en-passant",
    "mate",
    "stalemate",
    "check",
    "ends",
    "same",
    "variations",
    "main",
    "and",
    "or",
    "not",
];

/// Reads a query.
pub(crate) fn parse(text: &str, context: Context<'_>) -> Result<Query> {
    if text.len() > MAX_TEXT {
        return Err(QueryError::new(0..1, "the query is too long"));
    }
    let mut terms = Vec::new();
    let mut parser = Parser {
        text,
        at: 0,
        variations: context.variations,
        context,
        terms: &mut terms,
    };
    let expr = parser.whole(0)?;
    Ok(Query { expr, terms })
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    variations: bool,
    context: Context<'a>,
    terms: &'a mut Vec<Term>,
}

/// What can be put together by `and`, `or` and `not`.
trait Node: Sized {
    fn and(parts: Vec<Self>) -> Self;
    fn or(parts: Vec<Self>) -> Self;
    fn not(part: Self) -> Self;
    fn term(parser: &mut Parser<'_>, depth: usize) -> Result<Self>;
}

impl Node for Expr {
    fn and(parts: Vec<Self>) -> Self {
        Expr::And(parts)
    }
    fn or(parts: Vec<Self>) -> Self {
        Expr::Or(parts)
    }
    fn not(part: Self) -> Self {
        Expr::Not(Box::new(part))
    }
    fn term(parser: &mut Parser<'_>, depth: usize) -> Result<Self> {
        parser.game_term(depth)
    }
}

impl Node for PositionExpr {
    fn and(parts: Vec<Self>) -> Self {
        PositionExpr::And(parts)
    }
    fn or(parts: Vec<Self>) -> Self {
        PositionExpr::Or(parts)
    }
    fn not(part: Self) -> Self {
        PositionExpr::Not(Box::new(part))
    }
    fn term(parser: &mut Parser<'_>, _: usize) -> Result<Self> {
        parser.position_term()
    }
}

/// What stands before an operator.
struct Head {
    key: String,
    span: Range<usize>,
    options: Vec<Opt>,
    options_span: Range<usize>,
}

/// One of the options in brackets.
struct Opt {
    name: String,
    /// The name as it is written.
    raw: String,
    argument: String,
    span: Range<usize>,
}

/// Options that say which positions count.
struct Places {
    lasting: u32,
    plies: (u32, u32),
    numbers: (u32, u32),
    variations: bool,
}

impl<'a> Parser<'a> {
    fn whole(&mut self, depth: usize) -> Result<Expr> {
        self.space();
        if self.rest().is_empty() {
            return Err(QueryError::new(self.at..self.at, "the query is empty"));
        }
        let expr = self.any::<Expr>(depth)?;
        self.space();
        if self.rest().is_empty() {
            Ok(expr)
        } else {
            Err(QueryError::new(
                self.at..self.at + 1,
                "there is no `(` for this",
            ))
        }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn word(&self) -> &'a str {
        let rest = self.rest();
        let end = rest
            .find(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_'))
            .unwrap_or(rest.len());
        rest.get(..end).unwrap_or_default()
    }

    /// Takes a keyword that stands here as a whole word and is no field.
    fn keyword(&mut self, keyword: &str) -> bool {
        self.space();
        let word = self.word();
        let found = word.eq_ignore_ascii_case(keyword)
            && !self.text[self.at + word.len()..].starts_with([':', '=', '~', '<', '>', '[']);
        if found {
            self.at += word.len();
        }
        found
    }

    fn nested(&self, depth: usize) -> Result<usize> {
        if depth >= MAX_DEPTH {
            return Err(QueryError::new(
                self.at..self.at + 1,
                "the query is nested too deep",
            ));
        }
        Ok(depth + 1)
    }

    fn any<T: Node>(&mut self, depth: usize) -> Result<T> {
        let first = self.all::<T>(depth)?;
        let mut parts = vec![first];
        while self.keyword("or") {
            parts.push(self.all::<T>(depth)?);
        }
        Ok(single(parts, T::or))
    }

    fn all<T: Node>(&mut self, depth: usize) -> Result<T> {
        let mut parts = vec![self.unary::<T>(depth)?];
        loop {
            if !self.keyword("and") {
                self.space();
                if self.rest().is_empty() || self.rest().starts_with(')') {
                    break;
                }
                let before = self.at;
                let or = self.keyword("or");
                self.at = before;
                if or {
                    break;
                }
            }
            parts.push(self.unary::<T>(depth)?);
        }
        Ok(single(parts, T::and))
    }

    fn unary<T: Node>(&mut self, depth: usize) -> Result<T> {
        self.space();
        if self.keyword("not") {
            let depth = self.nested(depth)?;
            return Ok(T::not(self.unary::<T>(depth)?));
        }
        if self.rest().starts_with('(') {
            let open = self.at;
            let depth = self.nested(depth)?;
            self.at += 1;
            self.space();
            if self.rest().starts_with(')') {
                return Err(QueryError::new(
                    open..self.at + 1,
                    "nothing stands between the parentheses",
                ));
            }
            let inner = self.any::<T>(depth)?;
            self.space();
            if !self.rest().starts_with(')') {
                return Err(QueryError::new(open..open + 1, "this `(` is never closed"));
            }
            self.at += 1;
            return Ok(inner);
        }
        T::term(self, depth)
    }

    /// Reads what stands before an operator.
    fn head(&mut self) -> Result<Head> {
        self.space();
        let word = self.word();
        let start = self.at;
        if word.is_empty() || ["and", "or"].contains(&word.to_ascii_lowercase().as_str()) {
            let length = match word.len() {
                0 => self.rest().chars().next().map_or(0, char::len_utf8),
                length => length,
            };
            let what = if length == 0 || !word.is_empty() {
                "a term is missing here"
            } else {
                "no term begins like this"
            };
            return Err(QueryError::new(start..start + length, what)
                .help("terms are like `white:Kasparov`, `elo>2600`, `position:\"FEN\"`, `check`"));
        }
        self.at += word.len();
        let span = start..self.at;
        let mut options = Vec::new();
        let options_start = self.at;
        if self.rest().starts_with('[') {
            let Some(end) = self.rest().find(']') else {
                return Err(QueryError::new(self.at..self.at + 1, "the `]` is missing"));
            };
            let inner = self.rest().get(1..end).unwrap_or_default();
            let mut at = self.at + 1;
            for part in inner.split(',') {
                let lead = part.len() - part.trim_start().len();
                let trimmed = part.trim();
                let (name, argument) = match trimmed.split_once(char::is_whitespace) {
                    Some((name, argument)) => (name, argument.trim()),
                    None => (trimmed, ""),
                };
                options.push(Opt {
                    name: name.to_ascii_lowercase(),
                    raw: trimmed.to_owned(),
                    argument: argument.to_owned(),
                    span: at + lead..at + lead + trimmed.len(),
                });
                at += part.len() + 1;
            }
            self.at += end + 1;
        }
        Ok(Head {
            key: word.to_ascii_lowercase().replace('_', "-"),
            span,
            options,
            options_span: options_start..self.at,
        })
    }

    fn operator(&mut self) -> Option<Operator> {
        let before = self.at;
        self.space();
        let found = [
            ("<=", Operator::AtMost),
            (">=", Operator::AtLeast),
            ("!=", Operator::Differs),
            ("==", Operator::Equals),
            (":", Operator::Is),
            ("=", Operator::Equals),
            ("~", Operator::Contains),
            ("<", Operator::Below),
            (">", Operator::Above),
        ]
        .into_iter()
        .find(|(sign, _)| self.rest().starts_with(sign));
        match found {
            Some((sign, operator)) => {
                self.at += sign.len();
                Some(operator)
            }
            None => {
                self.at = before;
                None
            }
        }
    }

    fn value(&mut self) -> Result<Value> {
        self.space();
        let start = self.at;
        let rest = self.rest();
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '/'));
        let Some(quote) = quote else {
            let end = rest
                .find(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '"'))
                .unwrap_or(rest.len());
            if end == 0 {
                return Err(QueryError::new(
                    start..start + usize::from(!rest.is_empty()),
                    "a value is missing here",
                ));
            }
            self.at += end;
            return Ok(Value {
                text: rest.get(..end).unwrap_or_default().to_owned(),
                kind: ValueKind::Bare,
                span: start..self.at,
                inner: start,
            });
        };
        let mut text = String::new();
        let mut chars = rest.char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            match c {
                c if c == quote => {
                    self.at += at + 1;
                    let kind = if quote == '/' {
                        ValueKind::Regex
                    } else {
                        ValueKind::Quoted
                    };
                    return Ok(Value {
                        text,
                        kind,
                        span: start..self.at,
                        inner: start + 1,
                    });
                }
                '\\' => match chars.next() {
                    Some((_, next)) if next == quote => text.push(next),
                    Some((_, next)) => {
                        // What the backslash means is the business of globs and regular expressions.
                        text.push('\\');
                        text.push(next);
                    }
                    None => break,
                },
                c => text.push(c),
            }
        }
        Err(QueryError::new(
            start..start + 1,
            format!("this `{quote}` is never closed"),
        ))
    }

    fn game_term(&mut self, depth: usize) -> Result<Expr> {
        if self.rest().starts_with('@') {
            return self.saved_query(depth);
        }
        let start = self.at;
        let head = self.head()?;
        match head.key.as_str() {
            "ends" => {
                self.expect_operator(&head)?;
                self.no_options(&head)?;
                let depth = self.nested(depth)?;
                let expr = self.unary::<PositionExpr>(depth)?;
                return self.walk(Ask::End(expr), false, start);
            }
            "same" => {
                self.expect_operator(&head)?;
                let places = self.places(&head, &[])?;
                let depth = self.nested(depth)?;
                let expr = self.unary::<PositionExpr>(depth)?;
                return self.somewhere(expr, &places, start);
            }
            "variations" | "main" => {
                self.expect_operator(&head)?;
                self.no_options(&head)?;
                let depth = self.nested(depth)?;
                let before = std::mem::replace(&mut self.variations, head.key == "variations");
                let expr = self.unary::<Expr>(depth);
                self.variations = before;
                return expr;
            }
            "line" | "sequence" => {
                let places = self.places(&head, &[])?;
                let (_, value) = self.required_value(&head)?;
                let shift = |error: QueryError| error.shifted(value.inner);
                let ask = if head.key == "line" {
                    Ask::Line(parse_line(&value.text).map_err(shift)?)
                } else {
                    Ask::Sequence(parse_sequence(&value.text).map_err(shift)?)
                };
                return self.walk(ask, places.variations, start);
            }
            _ => {}
        }
        if let Some(atom) = self.position_atom(&head)? {
            let places = self.places(&head, atom_options(&head.key))?;
            return self.somewhere(PositionExpr::Atom(atom), &places, start);
        }
        if let Some((_, measure, bare)) = WORDS.iter().find(|(word, ..)| *word == head.key) {
            return self.evaluation_term(&head, *measure, *bare, start);
        }
        if head.key == "by" {
            return Err(QueryError::new(
                head.span,
                "this stands behind no term that it could belong to",
            )
            .help("write `blunder by:white`, `accuracy>90 by:winner`"));
        }
        let Some(operator) = self.operator() else {
            return Err(self.unknown(&head));
        };
        let value = self.value()?;
        let (operator, negated) = match operator {
            Operator::Differs => (Operator::Equals, true),
            other => (other, false),
        };
        let Some(field) = self.field(&head, operator, &value)? else {
            return Err(self.unknown(&head));
        };
        let expr = self.push(Term::Field(field), start)?;
        Ok(if negated {
            Expr::Not(Box::new(expr))
        } else {
            expr
        })
    }

    /// Reads a term about the moves between evaluations, and `by:` behind it.
    fn evaluation_term(
        &mut self,
        head: &Head,
        measure: Measure,
        bare: bool,
        start: usize,
    ) -> Result<Expr> {
        self.no_options(head)?;
        let (mut measure, mut negated) = (measure, false);
        let (low, high) = match self.operator() {
            None if bare => (1, i64::MAX),
            None => return Err(self.unknown(head)),
            Some(operator) => {
                let value = self.value()?;
                let (operator, differs) = match operator {
                    Operator::Differs => (Operator::Equals, true),
                    other => (other, false),
                };
                negated = differs;
                let mut text = value.text.as_str();
                if let Some(number) = text.strip_suffix('%')
                    && matches!(measure, Measure::BestMove | Measure::Accuracy)
                {
                    text = number;
                    if measure == Measure::BestMove {
                        measure = Measure::BestShare;
                    }
                }
                let whole = |text: &str| text.parse::<u32>().ok().map(i64::from);
                let range = match measure {
                    Measure::Accuracy | Measure::Swing | Measure::BestShare => {
                        number_range(operator, text, score)
                    }
                    _ => number_range(operator, text, whole),
                };
                range.ok_or_else(|| {
                    let (what, example) = match measure {
                        Measure::Accuracy => ("a number of per cent is wanted", "accuracy>90"),
                        Measure::BestShare => ("a number of per cent is wanted", "best-move>60%"),
                        Measure::Swing => ("a number of pawns is wanted", "eval-swing>2"),
                        Measure::AverageLoss => ("hundredths of a pawn are wanted", "acpl<20"),
                        _ => ("a number of moves is wanted", "blunder>=2"),
                    };
                    QueryError::new(value.span, what).help(format!("write `{example}`"))
                })?
            }
        };
        let by = self.by()?;
        let term = EvaluationTerm {
            measure,
            by,
            low,
            high,
        };
        let expr = self.push(Term::Field(FieldTerm::Evaluations(term)), start)?;
        Ok(if negated {
            Expr::Not(Box::new(expr))
        } else {
            expr
        })
    }

    /// Reads `by:white` behind a term.
    fn by(&mut self) -> Result<By> {
        let before = self.at;
        self.space();
        if !self.word().eq_ignore_ascii_case("by") {
            self.at = before;
            return Ok(By::Both);
        }
        self.at += 2;
        match self.operator() {
            Some(Operator::Is | Operator::Equals) => {
                let value = self.value()?;
                By::read(&value.text).ok_or_else(|| {
                    QueryError::new(value.span, "this is nobody who moves")
                        .help("`by:` takes white, black, any, both, winner or loser")
                })
            }
            _ => {
                let span = self.at - 2..self.at;
                Err(
                    QueryError::new(span, "`by` needs `:` and whose moves are meant")
                        .help("write `blunder by:white`"),
                )
            }
        }
    }

    fn position_term(&mut self) -> Result<PositionExpr> {
        let head = self.head()?;
        match self.position_atom(&head)? {
            Some(atom) => {
                let allowed = atom_options(&head.key);
                if let Some(option) = head.options.iter().find(|o| !allowed.contains(&o.name.as_str())) {
                    return Err(QueryError::new(option.span.clone(), "this option has no meaning here")
                        .help("`lasting`, `moves` and `plies` belong to `same[...]:( )`"));
                }
                Ok(PositionExpr::Atom(atom))
            }
            None => Err(QueryError::new(head.span, "only questions about a position can stand here")
                .help("these are position, structure, files, material, pattern, turn, check, mate, stalemate, promotion, under-promotion, en-passant and castling")),
        }
    }

    fn push(&mut self, term: Term, start: usize) -> Result<Expr> {
        if self.terms.len() >= MAX_TERMS {
            return Err(QueryError::new(
                start..self.at,
                "the query has too many terms",
            ));
        }
        self.terms.push(term);
        Ok(Expr::Term(self.terms.len() - 1))
    }

    fn walk(&mut self, ask: Ask, variations: bool, start: usize) -> Result<Expr> {
        self.push(Term::Walk(WalkTerm { ask, variations }), start)
    }

    fn somewhere(&mut self, expr: PositionExpr, places: &Places, start: usize) -> Result<Expr> {
        let ask = Ask::Somewhere {
            expr,
            lasting: places.lasting,
            plies: places.plies,
            numbers: places.numbers,
        };
        self.walk(ask, places.variations, start)
    }

    fn saved_query(&mut self, depth: usize) -> Result<Expr> {
        let start = self.at;
        self.at += 1;
        let name = self.word();
        self.at += name.len();
        let span = start..self.at;
        let Some(text) = self.context.saved.and_then(|saved| saved.get(name)) else {
            let error = QueryError::new(span, format!("there is no saved query `{name}`"));
            let names: Vec<&str> = self
                .context
                .saved
                .into_iter()
                .flat_map(|saved| saved.iter())
                .map(|(name, _)| name)
                .collect();
            return Err(match nearest(name, names.iter().copied()) {
                Some(near) => error.help(format!("there is `@{near}`")),
                None => error,
            });
        };
        // A query that refers to itself ends here too.
        let depth = self.nested(depth + 5)?;
        let mut inner = Parser {
            text,
            at: 0,
            variations: self.variations,
            context: self.context,
            terms: &mut *self.terms,
        };
        inner.whole(depth).map_err(|error| {
            let place = error.render(text);
            QueryError::new(span, format!("in the saved query `{name}`: {place}"))
        })
    }

    fn expect_operator(&mut self, head: &Head) -> Result<()> {
        match self.operator() {
            Some(Operator::Is) => Ok(()),
            _ => Err(QueryError::new(
                head.span.clone(),
                format!("`{}` needs `:` and what it is about", head.key),
            )),
        }
    }

    fn required_value(&mut self, head: &Head) -> Result<(Operator, Value)> {
        match self.operator() {
            Some(operator @ (Operator::Is | Operator::Equals)) => Ok((operator, self.value()?)),
            _ => Err(QueryError::new(
                head.span.clone(),
                format!("`{}` needs `:` and a value", head.key),
            )),
        }
    }

    fn no_options(&self, head: &Head) -> Result<()> {
        if head.options.is_empty() {
            Ok(())
        } else {
            Err(QueryError::new(
                head.options_span.clone(),
                format!("`{}` has no options", head.key),
            ))
        }
    }

    /// Reads the options that say which positions count, and refuses those that nobody knows.
    fn places(&self, head: &Head, others: &[&str]) -> Result<Places> {
        let mut places = Places {
            lasting: 1,
            plies: (0, u32::MAX),
            numbers: (0, u32::MAX),
            variations: self.variations,
        };
        let moves_only = matches!(head.key.as_str(), "line" | "sequence");
        for option in &head.options {
            let range = || {
                number_range(Operator::Is, &option.argument, |text| {
                    text.parse::<u32>().ok().map(i64::from)
                })
                .and_then(|(low, high)| {
                    let clip = |n: i64| u32::try_from(n.clamp(0, i64::from(u32::MAX))).ok();
                    Some((clip(low)?, clip(high)?))
                })
                .ok_or_else(|| {
                    QueryError::new(option.span.clone(), "this option needs numbers")
                        .help(format!("write `{} 10..20`", option.name))
                })
            };
            match option.name.as_str() {
                "variations" if option.argument.is_empty() => places.variations = true,
                "main" if option.argument.is_empty() => places.variations = false,
                "lasting" if !moves_only => {
                    places.lasting = option
                        .argument
                        .parse()
                        .ok()
                        .filter(|n| (1..=100_000).contains(n))
                        .ok_or_else(|| {
                            QueryError::new(
                                option.span.clone(),
                                "this option needs a number of half-moves",
                            )
                            .help("write `lasting 4`")
                        })?;
                }
                "moves" if !moves_only => places.numbers = range()?,
                "plies" if !moves_only => places.plies = range()?,
                name if others.contains(&name) && option.argument.is_empty() => {}
                _ => {
                    let mut known: Vec<&str> = vec!["variations", "main"];
                    if !moves_only {
                        known.extend(["lasting N", "moves A..B", "plies A..B"]);
                    }
                    known.extend(others);
                    return Err(QueryError::new(
                        option.span.clone(),
                        format!("`{}` has no such option", head.key),
                    )
                    .help(format!("its options are {}", known.join(", "))));
                }
            }
        }
        Ok(places)
    }

    /// Reads a question about one position, if the key is one.
    fn position_atom(&mut self, head: &Head) -> Result<Option<PositionAtom>> {
        let has = |name: &str| head.options.iter().any(|option| option.name == name);
        Ok(Some(match head.key.as_str() {
            "check" => PositionAtom::Check,
            "mate" | "checkmate" => PositionAtom::Mate,
            "stalemate" => PositionAtom::Stalemate,
            "promotion" => PositionAtom::Promotion { under: false },
            "under-promotion" | "underpromotion" => PositionAtom::Promotion { under: true },
            "en-passant" => PositionAtom::EnPassant,
            "castling" => match self.operator() {
                None => PositionAtom::Castling(None),
                Some(_) => {
                    let value = self.value()?;
                    let side = match value.text.to_ascii_lowercase().as_str() {
                        "king" | "kingside" | "king-side" | "short" | "o-o" => {
                            CastlingSide::KingSide
                        }
                        "queen" | "queenside" | "queen-side" | "long" | "o-o-o" => {
                            CastlingSide::QueenSide
                        }
                        _ => {
                            return Err(QueryError::new(
                                value.span,
                                "castling is `king-side` or `queen-side`",
                            ));
                        }
                    };
                    PositionAtom::Castling(Some(side))
                }
            },
            "turn" => {
                let (_, value) = self.required_value(head)?;
                match value.text.to_ascii_lowercase().as_str() {
                    "white" | "w" => PositionAtom::Turn(Color::White),
                    "black" | "b" => PositionAtom::Turn(Color::Black),
                    _ => {
                        return Err(QueryError::new(
                            value.span,
                            "the side to move is `white` or `black`",
                        ));
                    }
                }
            }
            "position" => {
                let (_, value) = self.required_value(head)?;
                let board = fen(&value)?;
                let fields = value.text.split_whitespace().count();
                PositionAtom::Placement(Box::new(Placement {
                    men: men_of(&board),
                    turn: (fields > 1).then(|| board.turn()),
                    castling: has("castling").then(|| u64::from(board.castling_rooks())),
                    en_passant: has("ep").then(|| board.legal_ep_square()),
                }))
            }
            "structure" => {
                let (_, value) = self.required_value(head)?;
                let men = men_of(&fen(&value)?);
                PositionAtom::Structure {
                    white: men[0],
                    black: men[6],
                }
            }
            "files" => {
                let (_, value) = self.required_value(head)?;
                let men = men_of(&fen(&value)?);
                PositionAtom::Files([file_counts(men[0]), file_counts(men[6])])
            }
            "material" => {
                let (_, value) = self.required_value(head)?;
                let mut material =
                    Material::parse(&value.text).map_err(|error| error.shifted(value.inner))?;
                material.either = has("either");
                PositionAtom::Material(Box::new(material))
            }
            "pattern" => {
                let (_, value) = self.required_value(head)?;
                let freedom = Freedom {
                    mirror: has("mirror"),
                    flip: has("flip"),
                    shift: has("shift"),
                };
                let pattern = Pattern::parse(&value.text, freedom)
                    .map_err(|error| error.shifted(value.inner))?;
                PositionAtom::Pattern(Box::new(pattern))
            }
            _ => return Ok(None),
        }))
    }

    fn unknown(&self, head: &Head) -> QueryError {
        let error = QueryError::new(
            head.span.clone(),
            format!("there is no term `{}`", head.key),
        );
        if KEYS.contains(&head.key.as_str()) {
            return QueryError::new(
                head.span.clone(),
                format!("`{}` needs an operator and a value", head.key),
            )
            .help(format!("write `{}:...`", head.key));
        }
        match nearest(&head.key, KEYS.iter().copied()) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => {
                error.help("to look for a name write `player:NAME`; docs/query.md lists all terms")
            }
        }
    }

    /// Reads a term about the game as a whole, if the key is one.
    fn field(&self, head: &Head, operator: Operator, value: &Value) -> Result<Option<FieldTerm>> {
        use Operator::{AtLeast, AtMost, Equals, Is};
        let key = head.key.as_str();
        if key != "tag" {
            self.no_options(head)?;
        }
        let bad = |what: &str| QueryError::new(value.span.clone(), what);
        let only_is = |what: &str| match operator {
            Is | Equals => Ok(()),
            _ => Err(QueryError::new(
                head.span.clone(),
                format!("`{key}` takes `:` and {what}"),
            )),
        };
        let text_field = match key {
            "white" => Some(TextField::White),
            "black" => Some(TextField::Black),
            "player" => Some(TextField::Player),
            "event" => Some(TextField::Event),
            "site" => Some(TextField::Site),
            "round" => Some(TextField::Round),
            "annotator" => Some(TextField::Annotator),
            "opening" => Some(TextField::Opening),
            "time-control" => Some(TextField::TimeControl),
            "title" => Some(TextField::Title(None)),
            "white-title" => Some(TextField::Title(Some(Color::White))),
            "black-title" => Some(TextField::Title(Some(Color::Black))),
            "country" => Some(TextField::Country(None)),
            "white-country" => Some(TextField::Country(Some(Color::White))),
            "black-country" => Some(TextField::Country(Some(Color::Black))),
            "comment" => Some(TextField::Comment),
            "tag" => match head.options.as_slice() {
                [option] if !option.raw.is_empty() => Some(TextField::Tag(option.raw.clone())),
                _ => {
                    return Err(
                        QueryError::new(head.span.clone(), "the name of a tag is missing")
                            .help("write `tag[Name]:value`, or `has:tag[Name]`"),
                    );
                }
            },
            _ => None,
        };
        if let Some(field) = text_field {
            return self
                .text_test(&field, operator, value)
                .map(|test| Some(FieldTerm::Text(field, test)));
        }
        let number_field = match key {
            "elo" => Some(NumberField::Elo),
            "white-elo" => Some(NumberField::WhiteElo),
            "black-elo" => Some(NumberField::BlackElo),
            "any-elo" => Some(NumberField::AnyElo),
            "average-elo" => Some(NumberField::AverageElo),
            "elo-diff" => Some(NumberField::EloDifference),
            "year" => Some(NumberField::Year),
            "plies" => Some(NumberField::Plies),
            "moves" => Some(NumberField::Moves),
            "number" => Some(NumberField::Number),
            _ => None,
        };
        let range = |read: fn(&str) -> Option<i64>, what: &str| {
            number_range(operator, &value.text, read).ok_or_else(|| {
                if is_reversed(&value.text, |low, high| read(low) > read(high)) {
                    return bad(REVERSED);
                }
                bad(what).help(format!(
                    "write `{key}:A..B`, `{key}>=A`, `{key}<B` or `{key}:A`"
                ))
            })
        };
        let whole = |text: &str| text.parse::<i64>().ok().filter(|n| n.abs() < 1 << 50);
        if let Some(field) = number_field {
            let read = match field {
                NumberField::AverageElo => halves,
                _ => whole,
            };
            let (low, high) = range(read, "this is no number, and no range of numbers")?;
            return Ok(Some(FieldTerm::Number(field, low, high)));
        }
        Ok(Some(match key {
            "date" | "event-date" => {
                let (low, high) = date_range(operator, &value.text).ok_or_else(|| {
                    bad("this is no date, and no range of dates").help(
                        "dates are like 1972, 1972.07 or 1972.07.11; ranges like 1972..1975.06",
                    )
                })?;
                if let (Some(low), Some(high)) = (low, high)
                    && low.is_after(high)
                {
                    return Err(bad(REVERSED));
                }
                FieldTerm::Date {
                    event: key == "event-date",
                    low,
                    high,
                }
            }
            "eco" => {
                let valid = |code: &str| {
                    let code = code.trim().to_ascii_uppercase();
                    let mut bytes = code.bytes();
                    (bytes.next().is_some_and(|b| (b'A'..=b'E').contains(&b))
                        && bytes.take(2).all(|b| b.is_ascii_digit())
                        && code.len() <= 6
                        && code.is_ascii())
                    .then_some(code)
                };
                let open = |code: &str, end: &str| match code.trim() {
                    "" => Some(end.to_owned()),
                    code => valid(code),
                };
                let (low, high) = match value.text.split_once("..") {
                    Some((low, high)) => (open(low, ""), open(high, AFTER_ECO)),
                    None => (valid(&value.text), valid(&value.text)),
                };
                let (Some(low), Some(high)) = (low, high) else {
                    return Err(bad("this is no ECO code")
                        .help("codes are like B90, or their beginnings; ranges like B20..B99"));
                };
                if low > high && !low.starts_with(&high) {
                    return Err(bad(REVERSED));
                }
                match operator {
                    Is | Equals => FieldTerm::Eco(low, high),
                    AtLeast => FieldTerm::Eco(low, AFTER_ECO.to_owned()),
                    AtMost => FieldTerm::Eco(String::new(), high),
                    _ => {
                        return Err(QueryError::new(
                            head.span.clone(),
                            "`eco` takes `:`, `<=` or `>=`",
                        ));
                    }
                }
            }
            "result" => {
                only_is("a result")?;
                FieldTerm::Result(results(&value.text).ok_or_else(|| {
                    bad("this is no result").help(
                        "results are 1-0, 0-1, 1/2-1/2, *, white, black, draw, decisive, finished",
                    )
                })?)
            }
            "has" => {
                only_is("what a game can have")?;
                if let Some(name) = value
                    .text
                    .strip_prefix("tag[")
                    .and_then(|rest| rest.strip_suffix(']'))
                {
                    return Ok(Some(FieldTerm::HasTag(name.to_owned())));
                }
                FieldTerm::Has(match value.text.to_ascii_lowercase().as_str() {
                    "comments" | "comment" => Feature::Comments,
                    "variations" | "variation" => Feature::Variations,
                    "nags" | "nag" => Feature::Nags,
                    "setup" | "fen" => Feature::Setup,
                    "clock" | "clocks" => Feature::Clock,
                    "eval" | "evals" => Feature::Eval,
                    "moves" | "move" => Feature::Moves,
                    "damage" => Feature::Damage,
                    _ => return Err(bad("a game cannot have this").help("it can have comments, variations, nags, setup, clock, eval, moves, damage, tag[Name]")),
                })
            }
            "nag" => {
                only_is("a NAG")?;
                let text = value.text.trim();
                let nag = text
                    .strip_prefix('$')
                    .unwrap_or(text)
                    .parse::<u32>()
                    .ok()
                    .map(Nag)
                    .or_else(|| Nag::from_glyph(text));
                FieldTerm::Nag(
                    nag.ok_or_else(|| bad("this is no NAG").help("NAGs are like $1, 1, or !?"))?,
                )
            }
            "flag" => {
                only_is("a flag")?;
                let mut letters = value.text.chars();
                let letter = match (
                    value.text.to_ascii_lowercase().as_str(),
                    letters.next(),
                    letters.next(),
                ) {
                    ("deleted", ..) => 'D',
                    ("user", ..) => 'U',
                    (_, Some(letter), None) => letter.to_ascii_uppercase(),
                    _ => {
                        return Err(bad("a flag is one letter")
                            .help("flags are WBMENPTKQ!?U123456, and D for deleted"));
                    }
                };
                FieldTerm::Flag(letter)
            }
            "speed" => {
                only_is("a speed")?;
                FieldTerm::Speed(match value.text.to_ascii_lowercase().as_str() {
                    "bullet" => Speed::Bullet,
                    "blitz" => Speed::Blitz,
                    "rapid" => Speed::Rapid,
                    "classical" => Speed::Classical,
                    _ => return Err(bad("speeds are bullet, blitz, rapid and classical")),
                })
            }
            "clock" => {
                let (low, high) = range(
                    clock,
                    "this is no time on a clock, like 45, 5:00 or 1:30:00",
                )?;
                FieldTerm::Clock(low, high)
            }
            "eval" => {
                let (low, high) = range(score, "this is no evaluation, like 0.35, -2 or #5")?;
                FieldTerm::Eval(low, high)
            }
            _ => return Ok(None),
        }))
    }

    fn text_test(&self, field: &TextField, operator: Operator, value: &Value) -> Result<TextTest> {
        if value.kind == ValueKind::Regex {
            return TextTest::regex(&value.text).map_err(|what| {
                QueryError::new(value.inner..value.inner + value.text.len().max(1), what)
            });
        }
        let text = value.plain();
        match operator {
            Operator::Contains => Ok(TextTest::contains(&text)),
            Operator::Equals => Ok(TextTest::whole(&text)),
            Operator::Is if text.trim().is_empty() => Ok(TextTest::whole("")),
            Operator::Is if has_wildcards(&value.text) => {
                Ok(TextTest::Glob(Glob::new(&value.text)))
            }
            Operator::Is => Ok(match field {
                TextField::White | TextField::Black | TextField::Player | TextField::Annotator => {
                    self.name_test(&text)
                }
                TextField::Round => TextTest::Leading(crate::fold::fold(text.trim()).into_owned()),
                TextField::Title(_) | TextField::Country(_) => TextTest::whole(&text),
                _ => TextTest::contains(&text),
            }),
            _ => Err(QueryError::new(
                value.span.clone(),
                "texts are neither larger nor smaller than others",
            )
            .help("texts take `:`, `=`, `!=` and `~`")),
        }
    }

    fn name_test(&self, name: &str) -> TextTest {
        let one = |name: &str| {
            let test = NameTest::new(name);
            // Names without any letter or digit, such as `?`, are compared as they stand.
            if test.is_empty() {
                TextTest::whole(name)
            } else {
                TextTest::Name(test)
            }
        };
        match self.context.aliases.map(|aliases| aliases.of(name)) {
            None | Some([]) => one(name),
            Some(names) => TextTest::Any(
                names
                    .iter()
                    .map(|name| one(name))
                    .chain([one(name)])
                    .collect(),
            ),
        }
    }
}

/// The options of a question beyond those that say which positions count.
fn atom_options(key: &str) -> &'static [&'static str] {
    match key {
        "position" => &["castling", "ep"],
        "material" => &["either"],
        "pattern" => &["mirror", "flip", "shift"],
        _ => &[],
    }
}

fn single<T>(mut parts: Vec<T>, join: fn(Vec<T>) -> T) -> T {
    match (parts.pop(), parts.is_empty()) {
        (Some(only), true) => only,
        (last, _) => {
            parts.extend(last);
            join(parts)
        }
    }
}

fn fen(value: &Value) -> Result<Board> {
    let (board, problems) = Board::from_fen(&value.text).map_err(|error| {
        let at = value.inner + error.offset.min(value.text.len());
        let rest = value.text.get(error.offset..).unwrap_or_default();
        let width = rest.chars().next().map_or(1, char::len_utf8);
        QueryError::new(
            at..at + width,
            format!("this FEN cannot be read: {}", error.what),
        )
    })?;
    let placement = value.text.split_whitespace().next().unwrap_or_default();
    if problems.contains(Problems::SHORT_RANK) || placement.matches('/').count() != 7 {
        return Err(QueryError::new(
            value.inner..value.inner + placement.len().max(1),
            "this FEN has not eight ranks of eight squares",
        ));
    }
    Ok(board)
}

/// The known word that is nearest, if it is near enough.
fn nearest<'w>(word: &str, known: impl Iterator<Item = &'w str>) -> Option<&'w str> {
    known
        .map(|other| {
            let same_start = word.chars().next() == other.chars().next();
            (distance(word, other), !same_start, other)
        })
        .filter(|(distance, _, other)| *distance <= 2 && *distance < other.len())
        .min()
        .map(|(.., other)| other)
}

fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    if a.len() > 40 {
        return usize::MAX;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut corner = i;
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let above = row[j + 1];
            row[j + 1] = (corner + usize::from(x != *y))
                .min(above + 1)
                .min(row[j] + 1);
            corner = above;
        }
    }
    row.last().copied().unwrap_or(usize::MAX)
}
