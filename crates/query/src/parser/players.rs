//! Terms with several values, and terms about players that need more than one tag: who won, who the opponent was.

use super::{ParserResult, QueryParser, TermHead, single};
use crate::language::error::QueryError;
use crate::language::synonyms;
use crate::language::values::{TermOperator, TermValue, ValueKind};
use crate::terms::fields::{FieldTerm, TextField, results};
use crate::terms::openings::OpeningTest;
use crate::terms::query::{QueryExpr, QueryTerm};
use crate::terms::text::TextTest;

/// What is asked of somebody, before it is known which colour he had.
struct PlayerTerm {
    head: TermHead,
    operator: TermOperator,
    values: Vec<TermValue>,
}

/// Terms whose values are texts, in which commas are letters.
fn is_text(key: &str) -> bool {
    matches!(
        key,
        "white"
            | "black"
            | "player"
            | "with"
            | "opponent"
            | "against"
            | "winner"
            | "loser"
            | "event"
            | "site"
            | "round"
            | "annotator"
            | "opening"
            | "time-control"
            | "title"
            | "white-title"
            | "black-title"
            | "country"
            | "white-country"
            | "black-country"
            | "comment"
            | "tag"
    )
}

/// Whether any annotations are asked for.
fn is_annotations(asked: &PlayerTerm) -> bool {
    let is_any = |value: &TermValue| {
        let text = value.text.to_ascii_lowercase();
        matches!(text.as_str(), "annotations" | "annotation" | "notes")
    };
    matches!(asked.values.as_slice(), [value] if is_any(value))
}

impl QueryParser<'_> {
    /// Reads a term about the game as a whole, and what may belong to it.
    pub(super) fn field_term(&mut self, head: TermHead, start: usize) -> ParserResult<QueryExpr> {
        let asked = self.asked(head)?;
        match asked.head.key.as_str() {
            "winner" | "loser" => {
                let wins = asked.head.key == "winner";
                let operator = match asked.operator {
                    TermOperator::Differs => TermOperator::Equals,
                    operator => operator,
                };
                let mut parts = Vec::new();
                for (own, result) in [("white", wins), ("black", !wins)] {
                    let person = self.any_value(&asked.as_if(own, operator), start)?;
                    let word = if result { "white" } else { "black" };
                    let result = FieldTerm::Result(results(word).unwrap_or_default());
                    let result = self.push(QueryTerm::Field(result), start)?;
                    parts.push(QueryExpr::And(vec![person, result]));
                }
                let either = QueryExpr::Or(parts);
                Ok(match asked.operator {
                    TermOperator::Differs => QueryExpr::Not(Box::new(either)),
                    _ => either,
                })
            }
            "player" | "with" => self.pair(&asked, start),
            "has" if is_annotations(&asked) => {
                let any = "(has:comments or has:variations or has:nags)";
                let any = self.read_again(any, start, 0)?;
                Ok(match asked.operator {
                    TermOperator::Differs => QueryExpr::Not(Box::new(any)),
                    _ => any,
                })
            }
            "opponent" | "against" | "opponent-elo" => Err(QueryError::new(
                asked.head.span,
                "this must follow a player",
            )
            .help("write `player:Kasparov opponent:Karpov`")),
            _ => self.any_value(&asked, start),
        }
    }

    /// Reads what is said of the opponent of a player that has just been read.
    fn pair(&mut self, player: &PlayerTerm, start: usize) -> ParserResult<QueryExpr> {
        let mut opponent = Vec::new();
        loop {
            let before = self.at;
            self.keyword("and");
            self.space();
            let word = self.word().to_ascii_lowercase().replace('_', "-");
            let word = synonyms::canonical(&word).unwrap_or(&word);
            if !matches!(word, "opponent" | "against" | "opponent-elo") {
                self.at = before;
                break;
            }
            let head = self.head()?;
            opponent.push(self.asked(head)?);
        }
        if opponent.is_empty() {
            return self.any_value(&player.as_if("player", player.operator), start);
        }
        let mut sides = Vec::new();
        for (own, other) in [("white", "black"), ("black", "white")] {
            let mut parts = vec![self.any_value(&player.as_if(own, player.operator), start)?];
            for asked in &opponent {
                let key = match asked.head.key.as_str() {
                    "opponent-elo" => format!("{other}-elo"),
                    _ => other.to_owned(),
                };
                parts.push(self.any_value(&asked.as_if(&key, asked.operator), start)?);
            }
            sides.push(QueryExpr::And(parts));
        }
        Ok(QueryExpr::Or(sides))
    }

    /// Reads an operator and its values.
    fn asked(&mut self, head: TermHead) -> ParserResult<PlayerTerm> {
        let Some(operator) = self.operator() else {
            return Err(self.unknown(&head));
        };
        self.space();
        let values = if self.rest().starts_with('(') {
            self.list()?
        } else {
            let mut value = self.value()?;
            if value.kind == ValueKind::Bare && value.text.len() > 1 {
                // A comma between terms, as in `white:Adams, black:Nunn`.
                let text = value.text.trim_end_matches(',').len();
                value.text.truncate(text.max(1));
                value.span.end = value.inner + value.text.len();
            }
            match value.kind {
                ValueKind::Regex => vec![value],
                _ if is_text(&head.key) => vec![value],
                _ => value.parts(),
            }
        };
        if let [first, .., last] = values.as_slice()
            && matches!(
                operator,
                TermOperator::Below
                    | TermOperator::AtMost
                    | TermOperator::Above
                    | TermOperator::AtLeast
            )
        {
            return Err(QueryError::new(
                first.span.start..last.span.end,
                "give one value after `<` and `>`",
            ));
        }
        Ok(PlayerTerm {
            head,
            operator,
            values,
        })
    }

    /// Reads values in parentheses.
    fn list(&mut self) -> ParserResult<Vec<TermValue>> {
        let open = self.at;
        self.at += 1;
        let mut values = Vec::new();
        loop {
            values.push(self.value()?);
            self.space();
            if self.rest().starts_with(')') {
                self.at += 1;
                return Ok(values);
            }
            if self.rest().is_empty() {
                return Err(QueryError::new(open..open + 1, "this `(` is never closed"));
            }
            if !self.keyword("or") {
                let end = self.rest().chars().next().map_or(0, char::len_utf8);
                return Err(QueryError::new(
                    self.at..self.at + end,
                    "`or` is missing between two values",
                )
                .help("put values with spaces in quotes: `white:(Tal or \"Kasparov, G\")`"));
            }
        }
    }

    /// A term for each value, of which one has to hold.
    fn any_value(&mut self, asked: &PlayerTerm, start: usize) -> ParserResult<QueryExpr> {
        let (operator, negated) = match asked.operator {
            TermOperator::Differs => (TermOperator::Equals, true),
            other => (other, false),
        };
        let mut parts = Vec::new();
        let mut codes = Vec::new();
        for value in &asked.values {
            let Some(field) = self.field(&asked.head, operator, value)? else {
                return Err(self.unknown(&asked.head));
            };
            if let FieldTerm::Eco(low, high) = &field {
                codes.push((low.clone(), high.clone()));
            }
            parts.push(match field {
                FieldTerm::Text(TextField::Opening, test) => self.opening(test, start)?,
                field => self.push(QueryTerm::Field(field), start)?,
            });
        }
        if !codes.is_empty() {
            let test = OpeningTest::of_code(codes);
            parts.push(self.unless(FieldTerm::HasEcoCode, test, start)?);
        }
        let any = single(parts, QueryExpr::Or);
        Ok(if negated {
            QueryExpr::Not(Box::new(any))
        } else {
            any
        })
    }
}

impl QueryParser<'_> {
    /// The name of an opening: what tags say, and where they say nothing, what the positions say.
    pub(super) fn opening(&mut self, test: TextTest, start: usize) -> ParserResult<QueryExpr> {
        let by_position = OpeningTest::of_name(test.clone());
        let by_tag = self.push(
            QueryTerm::Field(FieldTerm::Text(TextField::Opening, test)),
            start,
        )?;
        let by_position = self.unless(FieldTerm::NamesOpening, by_position, start)?;
        Ok(QueryExpr::Or(vec![by_tag, by_position]))
    }

    /// A test of the opening by position, where tags do not say it.
    fn unless(
        &mut self,
        told: FieldTerm,
        by_position: OpeningTest,
        start: usize,
    ) -> ParserResult<QueryExpr> {
        let is_told = self.push(QueryTerm::Field(told), start)?;
        let by_position = FieldTerm::OpeningByPosition(by_position);
        let by_position = self.push(QueryTerm::Field(by_position), start)?;
        Ok(QueryExpr::And(vec![
            QueryExpr::Not(Box::new(is_told)),
            by_position,
        ]))
    }
}

impl PlayerTerm {
    /// The same of another field.
    fn as_if(&self, key: &str, operator: TermOperator) -> PlayerTerm {
        let mut head = self.head.clone();
        key.clone_into(&mut head.key);
        PlayerTerm {
            head,
            operator,
            values: self.values.clone(),
        }
    }
}
