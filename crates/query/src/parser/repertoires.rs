//! `repertoire:FILE` and `leaves:FILE`.

use shakmaty::Color;
use tabiya_repertoire::RepertoireEnd;

use super::{ParserResult, QueryParser, TermHead, TermOption};
use crate::language::error::QueryError;
use crate::terms::fields::FieldTerm;
use crate::terms::query::{QueryExpr, QueryTerm};
use crate::terms::repertoires::{RepertoireQuestion, RepertoireTest};

impl QueryParser<'_> {
    /// Reads a term about a repertoire.
    pub(super) fn repertoire_term(
        &mut self,
        head: &TermHead,
        start: usize,
    ) -> ParserResult<QueryExpr> {
        let mut color = None;
        let is_inside = head.key == "repertoire";
        let (mut until, mut after, mut by) = (None, 0, None);
        for option in &head.options {
            match (option.name.as_str(), is_inside) {
                ("as", _) => color = Some(side(option)?),
                ("until", true) => until = Some(plies(option)?),
                ("after", false) => after = plies(option)?,
                ("by", false) => by = Some(leaver(option)?),
                _ => {
                    let known = match is_inside {
                        true => "until N, as white, as black",
                        false => "by me, by opponent, by nobody, after N, as white, as black",
                    };
                    return Err(QueryError::new(
                        option.span.clone(),
                        format!("`{}` has no such option", head.key),
                    )
                    .help(format!("its options are {known}")));
                }
            }
        }
        let question = match is_inside {
            true => RepertoireQuestion::Inside { until },
            false => RepertoireQuestion::Leaves { by, after },
        };
        let (_, value) = self.required_value(head)?;
        let Some(source) = self.context.repertoires else {
            return Err(QueryError::new(
                value.span,
                "repertoires cannot be used here",
            ));
        };
        let repertoire = source
            .repertoire(&value.text, color)
            .map_err(|why| QueryError::new(value.span.clone(), why))?;
        if let Some(damage) = repertoire.damage_note() {
            let reading = format!("{}: {damage}", value.text);
            if !self.readings.contains(&reading) {
                self.readings.push(reading);
            }
        }
        let test = RepertoireTest::new(repertoire, question);
        self.push(QueryTerm::Field(FieldTerm::Repertoire(test)), start)
    }
}

fn plies(option: &TermOption) -> ParserResult<u32> {
    option.argument.parse().map_err(|_| {
        QueryError::new(option.span.clone(), "this option needs a number of plies")
            .help(format!("write `{} 20`", option.name))
    })
}

fn side(option: &TermOption) -> ParserResult<Color> {
    match option.argument.to_ascii_lowercase().as_str() {
        "white" => Ok(Color::White),
        "black" => Ok(Color::Black),
        _ => Err(
            QueryError::new(option.span.clone(), "this option needs a side")
                .help("write `as white` or `as black`"),
        ),
    }
}

fn leaver(option: &TermOption) -> ParserResult<RepertoireEnd> {
    match option.argument.to_ascii_lowercase().as_str() {
        "me" => Ok(RepertoireEnd::Me),
        "opponent" => Ok(RepertoireEnd::Opponent),
        "nobody" => Ok(RepertoireEnd::LineEnd),
        _ => Err(
            QueryError::new(option.span.clone(), "name who leaves the repertoire")
                .help("write `by me`, `by opponent` or `by nobody`"),
        ),
    }
}
