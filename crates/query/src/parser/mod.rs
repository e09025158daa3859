//! From text to query.

mod annotations;
mod bare_words;
mod evaluations;
mod fields;
mod order;
mod players;
mod positions;
mod relations;
mod repertoires;

use std::ops::Range;

use self::positions::{atom_options, line_start, turned};
use crate::language::error::QueryError;
use crate::language::keywords::{KEYS, nearest};
use crate::language::synonyms;
use crate::language::values::{TermOperator, TermValue, ValueKind};
use crate::plan::costs;
use crate::terms::evaluations::WORDS;
use crate::terms::move_tests::{parse_line, parse_sequence};
use crate::terms::position::PositionExpr;
use crate::terms::query::{Query, QueryContext, QueryExpr, QueryTerm, WalkQuestion, WalkTerm};

/// The longest query, in bytes.
const MAX_TEXT: usize = 1 << 16;
/// The most terms of a query, saved ones included.
const MAX_TERMS: usize = 1_000;
/// How deep parentheses, `not` and saved queries may be nested.
const MAX_DEPTH: usize = 100;

type ParserResult<T> = std::result::Result<T, QueryError>;

/// Reads a query.
fn parse(text: &str, context: QueryContext<'_>) -> ParserResult<Query> {
    if text.len() > MAX_TEXT {
        return Err(QueryError::new(0..1, "the query is too long"));
    }
    let (mut terms, mut texts, mut written) = (Vec::new(), Vec::new(), Vec::new());
    let mut readings = Vec::new();
    let mut parser = QueryParser {
        text,
        at: 0,
        variations: context.variations,
        context,
        terms: &mut terms,
        texts: &mut texts,
        readings: &mut readings,
        written: &mut written,
        within: &[],
        names: Vec::new(),
    };
    let expr = parser.whole(0)?;
    for term in &mut terms {
        if let QueryTerm::Walk(walk) = term {
            walk.exprs_mut().into_iter().for_each(costs::sort);
        }
    }
    Ok(Query {
        expr,
        terms,
        texts,
        readings,
        written,
    })
}

impl Query {
    /// Parses a query. An error contains the text, and shows the place of the fault.
    pub fn parse(text: &str, context: QueryContext<'_>) -> Result<Query, QueryError> {
        parse(text, context).map_err(|mut error| {
            text.clone_into(&mut error.query);
            error
        })
    }

    /// Notes for the user on how the query is understood.
    #[must_use]
    pub fn note(&self) -> Option<String> {
        bare_words::note(&self.texts, &self.readings)
    }
}

struct QueryParser<'a> {
    text: &'a str,
    at: usize,
    variations: bool,
    context: QueryContext<'a>,
    terms: &'a mut Vec<QueryTerm>,
    /// Values without a name, which are searched as text.
    texts: &'a mut Vec<String>,
    /// How words without a name are read that are no plain text.
    readings: &'a mut Vec<String>,
    /// The saved queries that this is a part of, from the outermost on.
    within: &'a [&'a str],
    /// How each of them is written.
    written: &'a mut Vec<String>,
    /// The names of squares that `some` and `all` give here.
    names: Vec<String>,
}

/// What can be put together by `and`, `or` and `not`.
trait QueryNode: Sized {
    fn and(parts: Vec<Self>) -> Self;
    fn or(parts: Vec<Self>) -> Self;
    fn not(part: Self) -> Self;
    fn term(parser: &mut QueryParser<'_>, depth: usize) -> ParserResult<Self>;
    /// Reads an order of events from its first one on, of which the terms from `terms` on are no more; `None` where there
    /// are no orders.
    fn events(
        parser: &mut QueryParser<'_>,
        terms: usize,
        depth: usize,
    ) -> ParserResult<Option<Self>>;
}

impl QueryNode for QueryExpr {
    fn and(parts: Vec<Self>) -> Self {
        QueryExpr::And(parts)
    }
    fn or(parts: Vec<Self>) -> Self {
        QueryExpr::Or(parts)
    }
    fn not(part: Self) -> Self {
        QueryExpr::Not(Box::new(part))
    }
    fn term(parser: &mut QueryParser<'_>, depth: usize) -> ParserResult<Self> {
        parser.game_term(depth)
    }
    fn events(
        parser: &mut QueryParser<'_>,
        terms: usize,
        depth: usize,
    ) -> ParserResult<Option<Self>> {
        parser.terms.truncate(terms);
        parser.written.truncate(terms);
        parser.events(depth).map(Some)
    }
}

impl QueryNode for PositionExpr {
    fn and(parts: Vec<Self>) -> Self {
        PositionExpr::And(parts)
    }
    fn or(parts: Vec<Self>) -> Self {
        PositionExpr::Or(parts)
    }
    fn not(part: Self) -> Self {
        PositionExpr::Not(Box::new(part))
    }
    fn term(parser: &mut QueryParser<'_>, depth: usize) -> ParserResult<Self> {
        parser.position_term(depth)
    }
    fn events(_: &mut QueryParser<'_>, _: usize, _: usize) -> ParserResult<Option<Self>> {
        Ok(None)
    }
}

/// What stands before an operator.
#[derive(Clone)]
struct TermHead {
    key: String,
    span: Range<usize>,
    options: Vec<TermOption>,
    options_span: Range<usize>,
}

/// One of the options in brackets.
#[derive(Clone)]
struct TermOption {
    name: String,
    /// The name as it is written.
    raw: String,
    argument: String,
    span: Range<usize>,
}

/// Options that say which positions count.
struct PositionOptions {
    lasting: (u32, u32),
    plies: (u32, u32),
    numbers: (u32, u32),
    variations: bool,
}

impl<'a> QueryParser<'a> {
    fn whole(&mut self, depth: usize) -> ParserResult<QueryExpr> {
        self.space();
        if self.rest().is_empty() {
            return Err(QueryError::new(self.at..self.at, "the query is empty"));
        }
        let expr = self.any::<QueryExpr>(depth)?;
        self.space();
        if self.rest().is_empty() {
            Ok(expr)
        } else {
            Err(QueryError::new(self.at..self.at + 1, "this `)` has no `(`"))
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

    /// Takes a keyword that is here as a whole word and is not a field.
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

    /// Takes a symbol for `and`, `or` or `not` here, as programmers write them.
    fn sign(&mut self, signs: &[&str]) -> bool {
        self.space();
        let found = signs.iter().find(|sign| self.rest().starts_with(**sign));
        self.at += found.map_or(0, |sign| sign.len());
        found.is_some()
    }

    fn nested(&self, depth: usize) -> ParserResult<usize> {
        if depth >= MAX_DEPTH {
            return Err(QueryError::new(
                self.at..self.at + 1,
                "the query is nested too deeply",
            ));
        }
        Ok(depth + 1)
    }

    fn any<T: QueryNode>(&mut self, depth: usize) -> ParserResult<T> {
        let first = self.all::<T>(depth)?;
        let mut parts = vec![first];
        while self.keyword("or") || self.sign(&["||", "|"]) {
            parts.push(self.all::<T>(depth)?);
        }
        Ok(single(parts, T::or))
    }

    fn all<T: QueryNode>(&mut self, depth: usize) -> ParserResult<T> {
        let mut parts = vec![self.unary::<T>(depth)?];
        loop {
            if !self.keyword("and") && !self.sign(&["&&", "&"]) {
                self.space();
                if self.rest().is_empty() || self.rest().starts_with(')') {
                    break;
                }
                let before = self.at;
                let or = self.keyword("or") || self.sign(&["||", "|"]);
                self.at = before;
                if or {
                    break;
                }
            }
            parts.push(self.unary::<T>(depth)?);
        }
        Ok(single(parts, T::and))
    }

    fn unary<T: QueryNode>(&mut self, depth: usize) -> ParserResult<T> {
        let (before, terms) = (self.at, self.terms.len());
        if self.is_picked()
            && let Some(events) = T::events(self, terms, depth)?
        {
            return Ok(events);
        }
        let one = self.alone::<T>(depth)?;
        if !self.is_event() {
            return Ok(one);
        }
        // What has been read is the first event of an order: it is read again as such.
        let after = std::mem::replace(&mut self.at, before);
        match T::events(self, terms, depth)? {
            Some(events) => Ok(events),
            None => {
                self.at = after;
                Ok(one)
            }
        }
    }

    /// Parses a term, or the content of parentheses, without what may come later in a game.
    fn alone<T: QueryNode>(&mut self, depth: usize) -> ParserResult<T> {
        self.space();
        if self.keyword("not") || self.sign(&["!"]) {
            let depth = self.nested(depth)?;
            let terms = self.terms.len();
            if self.is_picked()
                && let Some(events) = T::events(self, terms, depth)?
            {
                return Ok(T::not(events));
            }
            return Ok(T::not(self.alone::<T>(depth)?));
        }
        if self.rest().starts_with('(') {
            let open = self.at;
            let depth = self.nested(depth)?;
            self.at += 1;
            self.space();
            if self.rest().starts_with(')') {
                return Err(QueryError::new(
                    open..self.at + 1,
                    "the parentheses are empty",
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

    /// Parses the part before an operator.
    fn head(&mut self) -> ParserResult<TermHead> {
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
                options.push(TermOption {
                    name: name.to_ascii_lowercase(),
                    raw: trimmed.to_owned(),
                    argument: argument.to_owned(),
                    span: at + lead..at + lead + trimmed.len(),
                });
                at += part.len() + 1;
            }
            self.at += end + 1;
        }
        let typed = word.to_ascii_lowercase().replace('_', "-");
        let key = match synonyms::canonical(&typed) {
            Some(key) => {
                if synonyms::is_term(&typed) {
                    self.read_as(&typed, key);
                }
                key.to_owned()
            }
            None => typed,
        };
        Ok(TermHead {
            key,
            span,
            options,
            options_span: options_start..self.at,
        })
    }

    fn operator(&mut self) -> Option<TermOperator> {
        let before = self.at;
        self.space();
        let found = [
            ("<=", TermOperator::AtMost),
            (">=", TermOperator::AtLeast),
            ("=>", TermOperator::AtLeast),
            ("=<", TermOperator::AtMost),
            ("≥", TermOperator::AtLeast),
            ("≤", TermOperator::AtMost),
            ("<>", TermOperator::Differs),
            ("≠", TermOperator::Differs),
            ("!=", TermOperator::Differs),
            ("==", TermOperator::Equals),
            (":", TermOperator::Is),
            ("=", TermOperator::Equals),
            ("~", TermOperator::Contains),
            ("<", TermOperator::Below),
            (">", TermOperator::Above),
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

    fn value(&mut self) -> ParserResult<TermValue> {
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
            return Ok(TermValue {
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
                    return Ok(TermValue {
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

    fn game_term(&mut self, depth: usize) -> ParserResult<QueryExpr> {
        if self.rest().starts_with('@') {
            return self.saved_query(depth);
        }
        if let Some(expr) = self.bare_words(depth)? {
            return Ok(expr);
        }
        let start = self.at;
        let head = self.head()?;
        match head.key.as_str() {
            "ends" => {
                self.expect_operator(&head)?;
                self.no_options(&head)?;
                let depth = self.nested(depth)?;
                let expr = self.alone::<PositionExpr>(depth)?;
                return self.walk(WalkQuestion::End(expr), false, start);
            }
            "same" => {
                self.expect_operator(&head)?;
                let places = self.places(&head, atom_options("same"))?;
                let depth = self.nested(depth)?;
                let expr = self.alone::<PositionExpr>(depth)?;
                return self.somewhere(turned(&head, expr), &places, start);
            }
            "variations" | "main" => {
                self.expect_operator(&head)?;
                self.no_options(&head)?;
                let depth = self.nested(depth)?;
                let before = std::mem::replace(&mut self.variations, head.key == "variations");
                let expr = self.alone::<QueryExpr>(depth);
                self.variations = before;
                return expr;
            }
            "line" | "sequence" => {
                let places = self.places(&head, atom_options(&head.key))?;
                let (_, mut value) = self.required_value(&head)?;
                self.more_moves(&mut value);
                let shift = |error: QueryError| error.shifted(value.inner);
                let ask = if head.key == "line" {
                    let from = line_start(&head)?;
                    WalkQuestion::Line(parse_line(&value.text, &from).map_err(shift)?)
                } else {
                    WalkQuestion::Sequence(parse_sequence(&value.text).map_err(shift)?)
                };
                return self.walk(ask, places.variations, start);
            }
            "order" => return self.order_term(&head, depth, start),
            "repertoire" | "leaves" => return self.repertoire_term(&head, start),
            "sacrifice" => return self.sacrifice(&head, start),
            "exchange" => return self.exchange(&head, start),
            "count" => return self.count_term(&head, depth, start),
            _ => {}
        }
        if let Some(question) = self.position_question(&head, depth)? {
            let places = self.places(&head, atom_options(&head.key))?;
            return self.somewhere(question, &places, start);
        }
        if let Some((_, measure, bare)) = WORDS.iter().find(|(word, ..)| *word == head.key) {
            return self.evaluation_term(&head, *measure, *bare, start);
        }
        if head.key == "by" {
            return Err(QueryError::new(
                head.span,
                "this must follow a term about evaluated moves",
            )
            .help("write `blunder by:white`, `accuracy>90 by:winner`"));
        }
        self.field_term(head, start)
    }

    fn push(&mut self, term: QueryTerm, start: usize) -> ParserResult<QueryExpr> {
        if self.terms.len() >= MAX_TERMS {
            return Err(QueryError::new(
                start..self.at,
                "the query has too many terms",
            ));
        }
        let text = self.text.get(start..self.at).unwrap_or_default();
        self.terms.push(term);
        self.written.push(text.trim().to_owned());
        Ok(QueryExpr::Term(self.terms.len() - 1))
    }

    fn walk(
        &mut self,
        ask: WalkQuestion,
        variations: bool,
        start: usize,
    ) -> ParserResult<QueryExpr> {
        self.push(QueryTerm::Walk(WalkTerm { ask, variations }), start)
    }

    fn somewhere(
        &mut self,
        expr: PositionExpr,
        places: &PositionOptions,
        start: usize,
    ) -> ParserResult<QueryExpr> {
        let ask = WalkQuestion::Somewhere {
            expr,
            lasting: places.lasting,
            plies: places.plies,
            numbers: places.numbers,
        };
        self.walk(ask, places.variations, start)
    }

    fn saved_query(&mut self, depth: usize) -> ParserResult<QueryExpr> {
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
                Some(near) => error.help(format!("did you mean `@{near}`?")),
                None => error,
            });
        };
        let mut within = self.within.to_vec();
        within.push(name);
        if let Some(first) = self.within.iter().position(|outer| *outer == name) {
            let circle = within.get(first..).unwrap_or_default().join("` uses `");
            return Err(QueryError::circle(
                span,
                format!("these saved queries use each other in a circle: `{circle}`"),
            ));
        }
        let depth = self.nested(depth + 5)?;
        let mut inner = QueryParser {
            text,
            at: 0,
            variations: self.variations,
            context: self.context,
            terms: &mut *self.terms,
            texts: &mut *self.texts,
            readings: &mut *self.readings,
            written: &mut *self.written,
            within: &within,
            names: Vec::new(),
        };
        inner.whole(depth).map_err(|error| {
            if error.is_circle() {
                return QueryError::circle(span, error.message);
            }
            let place = error.render(text);
            QueryError::new(span, format!("in the saved query `{name}`: {place}"))
        })
    }

    fn expect_operator(&mut self, head: &TermHead) -> ParserResult<()> {
        match self.operator() {
            Some(TermOperator::Is) => Ok(()),
            _ => Err(QueryError::new(
                head.span.clone(),
                format!("`{}` needs `:` and a value", head.key),
            )),
        }
    }

    fn required_value(&mut self, head: &TermHead) -> ParserResult<(TermOperator, TermValue)> {
        match self.operator() {
            Some(operator @ (TermOperator::Is | TermOperator::Equals)) => {
                Ok((operator, self.value()?))
            }
            _ => Err(QueryError::new(
                head.span.clone(),
                format!("`{}` needs `:` and a value", head.key),
            )),
        }
    }

    fn no_options(&self, head: &TermHead) -> ParserResult<()> {
        if head.options.is_empty() {
            Ok(())
        } else {
            Err(QueryError::new(
                head.options_span.clone(),
                format!("`{}` has no options", head.key),
            ))
        }
    }

    fn unknown(&self, head: &TermHead) -> QueryError {
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
        match (
            synonyms::hint(&head.key),
            nearest(&head.key, KEYS.iter().copied()),
        ) {
            (Some(hint), _) => error.help(hint),
            (None, Some(near)) => error.help(format!("did you mean `{near}`?")),
            (None, None) => error.help(
                "terms are like `player:NAME`, `event:NAME`, `elo>2600`, `tag[NAME]:TEXT`; docs/query.md lists all",
            ),
        }
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
