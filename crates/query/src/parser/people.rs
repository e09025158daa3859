//! Terms with several values, and terms about players that ask more than one tag: who won, who sat on the other side.

use super::{Head, Parser, Result, single};
use crate::error::QueryError;
use crate::fields::{FieldTerm, TextField, results};
use crate::openings::OpeningTest;
use crate::query::{Expr, Term};
use crate::text::TextTest;
use crate::values::{Operator, Value, ValueKind};

/// What is asked of somebody, before it is known which colour he had.
struct Asked {
    head: Head,
    operator: Operator,
    values: Vec<Value>,
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

impl Parser<'_> {
    /// Reads a term about the game as a whole, and what may belong to it.
    pub(super) fn field_term(&mut self, head: Head, start: usize) -> Result<Expr> {
        let asked = self.asked(head)?;
        match asked.head.key.as_str() {
            "winner" | "loser" => {
                let wins = asked.head.key == "winner";
                let operator = match asked.operator {
                    Operator::Differs => Operator::Equals,
                    operator => operator,
                };
                let mut parts = Vec::new();
                for (own, result) in [("white", wins), ("black", !wins)] {
                    let person = self.any_value(&asked.as_if(own, operator), start)?;
                    let word = if result { "white" } else { "black" };
                    let result = FieldTerm::Result(results(word).unwrap_or_default());
                    let result = self.push(Term::Field(result), start)?;
                    parts.push(Expr::And(vec![person, result]));
                }
                let either = Expr::Or(parts);
                Ok(match asked.operator {
                    Operator::Differs => Expr::Not(Box::new(either)),
                    _ => either,
                })
            }
            "player" | "with" => self.pair(&asked, start),
            "opponent" | "against" | "opponent-elo" => Err(QueryError::new(
                asked.head.span,
                "this stands behind no player whose opponent is meant",
            )
            .help("write `player:Kasparov opponent:Karpov`")),
            _ => self.any_value(&asked, start),
        }
    }

    /// Reads what is said of the opponent of a player that has just been read.
    fn pair(&mut self, player: &Asked, start: usize) -> Result<Expr> {
        let mut opponent = Vec::new();
        loop {
            let before = self.at;
            self.keyword("and");
            self.space();
            let word = self.word().to_ascii_lowercase().replace('_', "-");
            if !matches!(word.as_str(), "opponent" | "against" | "opponent-elo") {
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
            sides.push(Expr::And(parts));
        }
        Ok(Expr::Or(sides))
    }

    /// Reads an operator and its values.
    fn asked(&mut self, head: Head) -> Result<Asked> {
        let Some(operator) = self.operator() else {
            return Err(self.unknown(&head));
        };
        self.space();
        let values = if self.rest().starts_with('(') {
            self.list()?
        } else {
            let value = self.value()?;
            match value.kind {
                ValueKind::Regex => vec![value],
                _ if is_text(&head.key) => vec![value],
                _ => value.parts(),
            }
        };
        if let [first, .., last] = values.as_slice()
            && matches!(
                operator,
                Operator::Below | Operator::AtMost | Operator::Above | Operator::AtLeast
            )
        {
            return Err(QueryError::new(
                first.span.start..last.span.end,
                "one value is wanted behind `<` and `>`",
            ));
        }
        Ok(Asked {
            head,
            operator,
            values,
        })
    }

    /// Reads values in parentheses.
    fn list(&mut self) -> Result<Vec<Value>> {
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
                    "an `or` is missing between two values",
                )
                .help("values with spaces stand in quotes: `white:(Tal or \"Kasparov, G\")`"));
            }
        }
    }

    /// A term for each value, of which one has to hold.
    fn any_value(&mut self, asked: &Asked, start: usize) -> Result<Expr> {
        let (operator, negated) = match asked.operator {
            Operator::Differs => (Operator::Equals, true),
            other => (other, false),
        };
        let mut parts = Vec::new();
        for value in &asked.values {
            let Some(field) = self.field(&asked.head, operator, value)? else {
                return Err(self.unknown(&asked.head));
            };
            parts.push(match field {
                FieldTerm::Text(TextField::Opening, test) => self.opening(test, start)?,
                field => self.push(Term::Field(field), start)?,
            });
        }
        let any = single(parts, Expr::Or);
        Ok(if negated {
            Expr::Not(Box::new(any))
        } else {
            any
        })
    }
}

impl Parser<'_> {
    /// The name of an opening: what tags say, and where they say nothing, what the positions say.
    fn opening(&mut self, test: TextTest, start: usize) -> Result<Expr> {
        let by_position = FieldTerm::OpeningByPosition(OpeningTest::new(test.clone()));
        let by_tag = self.push(
            Term::Field(FieldTerm::Text(TextField::Opening, test)),
            start,
        )?;
        let is_named = self.push(Term::Field(FieldTerm::NamesOpening), start)?;
        let by_position = self.push(Term::Field(by_position), start)?;
        Ok(Expr::Or(vec![
            by_tag,
            Expr::And(vec![Expr::Not(Box::new(is_named)), by_position]),
        ]))
    }
}

impl Asked {
    /// The same of another field.
    fn as_if(&self, key: &str, operator: Operator) -> Asked {
        let mut head = self.head.clone();
        key.clone_into(&mut head.key);
        Asked {
            head,
            operator,
            values: self.values.clone(),
        }
    }
}
