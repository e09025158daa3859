//! Terms about the evaluations of moves.

use super::{ParserResult, QueryParser, TermHead};
use crate::language::error::QueryError;
use crate::language::values::{TermOperator, number_range, score};
use crate::terms::evaluations::{EvaluatedSide, EvaluationMeasure, EvaluationTerm};
use crate::terms::fields::FieldTerm;
use crate::terms::query::{QueryExpr, QueryTerm};

impl QueryParser<'_> {
    /// Reads a term about the moves between evaluations, and `by:` behind it.
    pub(super) fn evaluation_term(
        &mut self,
        head: &TermHead,
        measure: EvaluationMeasure,
        bare: bool,
        start: usize,
    ) -> ParserResult<QueryExpr> {
        self.no_options(head)?;
        let (mut measure, mut negated) = (measure, false);
        let (low, high) = match self.operator() {
            None if bare => (1, i64::MAX),
            None => return Err(self.unknown(head)),
            Some(operator) => {
                let value = self.value()?;
                let (operator, differs) = match operator {
                    TermOperator::Differs => (TermOperator::Equals, true),
                    other => (other, false),
                };
                negated = differs;
                let mut text = value.text.as_str();
                if let Some(number) = text.strip_suffix('%')
                    && matches!(
                        measure,
                        EvaluationMeasure::BestMove | EvaluationMeasure::Accuracy
                    )
                {
                    text = number;
                    if measure == EvaluationMeasure::BestMove {
                        measure = EvaluationMeasure::BestShare;
                    }
                }
                let whole = |text: &str| text.parse::<u32>().ok().map(i64::from);
                let range = match measure {
                    EvaluationMeasure::Accuracy
                    | EvaluationMeasure::Swing
                    | EvaluationMeasure::BestShare => number_range(operator, text, score),
                    _ => number_range(operator, text, whole),
                };
                range.ok_or_else(|| {
                    let (what, example) = match measure {
                        EvaluationMeasure::Accuracy => ("give a percentage", "accuracy>90"),
                        EvaluationMeasure::BestShare => ("give a percentage", "best-move>60%"),
                        EvaluationMeasure::Swing => ("give a number of pawns", "eval-swing>2"),
                        EvaluationMeasure::AverageLoss => {
                            ("give a number of hundredths of a pawn", "acpl<20")
                        }
                        _ => ("give a number of moves", "blunder>=2"),
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
        let expr = self.push(QueryTerm::Field(FieldTerm::Evaluations(term)), start)?;
        Ok(if negated {
            QueryExpr::Not(Box::new(expr))
        } else {
            expr
        })
    }

    /// Reads `by:white` behind a term.
    fn by(&mut self) -> ParserResult<EvaluatedSide> {
        let before = self.at;
        self.space();
        if !self.word().eq_ignore_ascii_case("by") {
            self.at = before;
            return Ok(EvaluatedSide::Both);
        }
        self.at += 2;
        match self.operator() {
            Some(TermOperator::Is | TermOperator::Equals) => {
                let value = self.value()?;
                EvaluatedSide::read(&value.text).ok_or_else(|| {
                    QueryError::new(value.span, "this is not a side")
                        .help("`by:` takes white, black, any, both, winner or loser")
                })
            }
            _ => {
                let span = self.at - 2..self.at;
                Err(QueryError::new(span, "`by` needs `:` and a side")
                    .help("write `blunder by:white`"))
            }
        }
    }
}
