//! Terms about relations between pieces.

use shakmaty::{CastlingSide, Color};

use super::{ParserResult, QueryParser, TermHead};
use crate::language::error::QueryError;
use crate::parser::positions::color;
use crate::terms::position::{PositionAtom, PositionExpr};
use crate::terms::position_view::MAX_NAMES;
use crate::terms::squares::{
    LineDirection, PawnFeature, SquareRelation, SquareSet, parse_set, parse_sets,
};

/// Some at least.
const SOME: (i64, i64) = (1, i64::MAX);

/// The sides that are asked about: both unless one is named.
pub(super) fn sides(color: Option<Color>) -> [bool; 2] {
    [color != Some(Color::Black), color != Some(Color::White)]
}

impl QueryParser<'_> {
    /// Reads a question about relations, if the key is one.
    pub(super) fn relation(
        &mut self,
        head: &TermHead,
        depth: usize,
    ) -> ParserResult<Option<PositionExpr>> {
        let of_pawns = |word| SquareSet::Pawns(word);
        let set = match head.key.as_str() {
            "some" | "all" => return self.each(head, depth).map(Some),
            "passed" => of_pawns(PawnFeature::Passed),
            "isolated" => of_pawns(PawnFeature::Isolated),
            "doubled" => of_pawns(PawnFeature::Doubled),
            "connected" => of_pawns(PawnFeature::Connected),
            "backward" => of_pawns(PawnFeature::Backward),
            "hanging-pawns" => of_pawns(PawnFeature::Hanging),
            "outpost" => SquareSet::Outposts,
            "pinned" => SquareSet::Pinned,
            "fianchetto" => SquareSet::Fianchettos(self.wing()?),
            "castled" => {
                let side = match self.operator() {
                    None => None,
                    Some(_) => Some(self.side()?),
                };
                return Ok(Some(PositionExpr::Atom(PositionAtom::Castled {
                    colors: sides(color(head)?),
                    side,
                })));
            }
            "opposite-castling" => {
                return Ok(Some(PositionExpr::Atom(PositionAtom::OppositeCastling)));
            }
            _ => {
                let relation = self.other_relation(head)?;
                return Ok(relation.map(|relation| {
                    PositionExpr::Atom(PositionAtom::Relation(Box::new(relation)))
                }));
            }
        };
        let set = match color(head)? {
            None => set,
            Some(color) => {
                let pieces = if color == Color::White { 0x3f } else { 0xfc0 };
                SquareSet::and(vec![SquareSet::Pieces(pieces), set])
            }
        };
        let ranges = self.count_behind(head)?;
        let relation = SquareRelation::Count(set, ranges);
        Ok(Some(PositionExpr::Atom(PositionAtom::Relation(Box::new(
            relation,
        )))))
    }

    fn other_relation(&mut self, head: &TermHead) -> ParserResult<Option<SquareRelation>> {
        Ok(Some(match head.key.as_str() {
            "pieces" => {
                let set = self.set(head)?;
                SquareRelation::Count(set, self.count_behind(head)?)
            }
            "distance" => {
                let (_, value) = self.required_value(head)?;
                let sets = parse_sets(&value.text, &self.names)
                    .map_err(|error| error.shifted(value.inner))?;
                let Ok([from, to]) = <[SquareSet; 2]>::try_from(sets) else {
                    return Err(QueryError::new(
                        value.span,
                        "a distance is between two sets of squares",
                    )
                    .help("write `distance:\"K, k\"<=2`"));
                };
                SquareRelation::Distance(from, to, self.ranges(head)?)
            }
            "ray" => {
                let (_, value) = self.required_value(head)?;
                let sets = parse_sets(&value.text, &self.names)
                    .map_err(|error| error.shifted(value.inner))?;
                if sets.len() < 2 {
                    return Err(QueryError::new(
                        value.span,
                        "a line needs at least two sets of squares",
                    )
                    .help("write `ray:\"R, n, k\"`"));
                }
                let has = |name: &str| head.options.iter().any(|option| option.name == name);
                let direction = match (has("straight"), has("diagonal")) {
                    (true, false) => LineDirection::Straight,
                    (false, true) => LineDirection::Diagonal,
                    _ => LineDirection::Any,
                };
                SquareRelation::Ray(direction, sets)
            }
            "bishop-pair" => SquareRelation::BishopPair(sides(color(head)?)),
            "open-files" => SquareRelation::OpenFiles(self.count_behind(head)?),
            "half-open-files" => {
                SquareRelation::HalfOpenFiles(sides(color(head)?), self.count_behind(head)?)
            }
            _ => return Ok(None),
        }))
    }

    /// Reads a set of squares behind its operator.
    fn set(&mut self, head: &TermHead) -> ParserResult<SquareSet> {
        let (_, value) = self.required_value(head)?;
        parse_set(&value.text, &self.names).map_err(|error| error.shifted(value.inner))
    }

    /// Reads how many are wanted; one at least by default.
    fn count_behind(&mut self, head: &TermHead) -> ParserResult<Vec<(i64, i64)>> {
        let before = self.at;
        let is_said = self.operator().is_some();
        self.at = before;
        match is_said {
            true => self.ranges(head),
            false => Ok(vec![SOME]),
        }
    }

    /// Reads `some[x]:"SET" QUESTION`.
    fn each(&mut self, head: &TermHead, depth: usize) -> ParserResult<PositionExpr> {
        let help = "write `some[r]:\"R\" (pieces:\"$r attacks k\")`";
        let [option] = head.options.as_slice() else {
            return Err(
                QueryError::new(head.span.clone(), "the name of the square is missing").help(help),
            );
        };
        let is_name = |name: &str| name.bytes().all(|b| b.is_ascii_alphanumeric());
        if option.raw.is_empty() || option.raw.len() > 20 || !is_name(&option.raw) {
            return Err(QueryError::new(
                option.span.clone(),
                "the name of a square is a word of letters and digits",
            )
            .help(help));
        }
        if self.names.len() >= MAX_NAMES {
            return Err(QueryError::new(
                head.span.clone(),
                format!("no more than {MAX_NAMES} squares can have names at a time"),
            ));
        }
        let set = self.set(head)?;
        let depth = self.nested(depth)?;
        self.names.push(option.raw.clone());
        let question = self.alone::<PositionExpr>(depth);
        self.names.pop();
        Ok(PositionExpr::Each {
            all: head.key == "all",
            name: self.names.len(),
            set: Box::new(set),
            question: Box::new(question?),
        })
    }

    /// Reads a side of the board behind an operator, where there is one, as the bits of its knight's file.
    fn wing(&mut self) -> ParserResult<u8> {
        let before = self.at;
        if self.operator() != Some(crate::language::values::TermOperator::Is) {
            self.at = before;
            return Ok(3);
        }
        let start = self.at;
        let side = self.side();
        match side {
            Ok(CastlingSide::KingSide) => Ok(2),
            Ok(CastlingSide::QueenSide) => Ok(1),
            // `fianchetto:2` is a number of them.
            Err(error) => {
                let is_number = self.text[start..self.at]
                    .bytes()
                    .any(|byte| byte.is_ascii_digit());
                self.at = before;
                if is_number { Ok(3) } else { Err(error) }
            }
        }
    }

    /// Reads a side to castle to.
    pub(super) fn side(&mut self) -> ParserResult<CastlingSide> {
        let value = self.value()?;
        match value.text.to_ascii_lowercase().as_str() {
            "king" | "kingside" | "king-side" | "short" | "o-o" => Ok(CastlingSide::KingSide),
            "queen" | "queenside" | "queen-side" | "long" | "o-o-o" => Ok(CastlingSide::QueenSide),
            _ => Err(QueryError::new(
                value.span,
                "give `king-side` or `queen-side`",
            )),
        }
    }
}
