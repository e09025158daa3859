//! A query: terms, and how they are combined.

use std::ops::Range;

use tabiya_model::GameNeeds;
use tabiya_model::facts::NameTable;
use tabiya_model::tags::TagSet;

use crate::language::names::{Aliases, NameTest};
use crate::language::saved_queries::SavedQueries;
use crate::terms::fields::{FieldTerm, NumberField, ReadDepth, TextField};
use crate::terms::move_tests::{LineTest, MoveTest};
use crate::terms::openings::OpeningTest;
use crate::terms::position::{PositionAtom, PositionExpr};
use crate::terms::repertoires::{RepertoireSource, RepertoireTest};

/// How terms are combined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueryExpr {
    /// The term with this number in [`Query::terms`].
    Term(usize),
    /// All of them.
    And(Vec<QueryExpr>),
    /// Any of them.
    Or(Vec<QueryExpr>),
    /// The opposite.
    Not(Box<QueryExpr>),
}

/// One term of a query.
#[derive(Clone, Debug)]
pub enum QueryTerm {
    /// About the game as a whole.
    Field(FieldTerm),
    /// About its moves and positions.
    Walk(WalkTerm),
}

/// A question that is answered by walking through the moves.
#[derive(Clone, Debug)]
pub struct WalkTerm {
    /// The question.
    pub ask: WalkQuestion,
    /// Whether variations count, or the main line alone.
    pub variations: bool,
}

/// A question about the moves.
#[derive(Clone, Debug)]
pub enum WalkQuestion {
    /// A position matches.
    Somewhere {
        /// The test of the position.
        expr: PositionExpr,
        /// The number of positions in a row that must match, minimum and maximum.
        lasting: (u32, u32),
        /// Plies since the start, from and to.
        plies: (u32, u32),
        /// The number of the next move, from and to.
        numbers: (u32, u32),
    },
    /// The final position of the main line matches.
    End(PositionExpr),
    /// The game begins with these moves.
    Line(LineTest),
    /// These moves occur in this order, with anything between them.
    Sequence(Vec<MoveTest>),
    /// These positions occur in this order on one line.
    Order(Vec<OrderEvent>),
    /// A side sacrifices material and does not win it back.
    Sacrifice(SacrificeTest),
    /// A number of positions match.
    Count {
        /// The test of the positions.
        expr: PositionExpr,
        /// The minimum.
        low: i64,
        /// The maximum.
        high: i64,
    },
}

/// A question about sacrifices.
#[derive(Clone, Debug)]
pub struct SacrificeTest {
    /// Which sides are meant, White and Black.
    pub sides: [bool; 2],
    /// The minimum and the maximum that the side is behind, in pawns.
    pub loss: (i64, i64),
    /// For how many plies after the capture.
    pub lasts: u32,
    /// Plies from the start to the position after the capture, from and to.
    pub plies: (u32, u32),
    /// The number of the next move there, from and to.
    pub numbers: (u32, u32),
}

/// One event of a sequence.
#[derive(Clone, Debug)]
pub struct OrderEvent {
    /// The maximum number of plies after the event before it.
    pub within: u32,
    /// What no position between the two, or between the start and the first one, may match.
    pub unless: Option<PositionExpr>,
    /// The test of the position.
    pub expr: PositionExpr,
    /// Which of the matching positions of a line is meant.
    pub pick: Occurrence,
}

/// Which of the matching positions of a line is meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Occurrence {
    /// Any of them.
    Any,
    /// The first one.
    First,
    /// The last one.
    Last,
}

impl WalkTerm {
    /// The questions about positions.
    pub(crate) fn exprs(&self) -> Vec<&PositionExpr> {
        match &self.ask {
            WalkQuestion::Somewhere { expr, .. }
            | WalkQuestion::End(expr)
            | WalkQuestion::Count { expr, .. } => vec![expr],
            WalkQuestion::Order(steps) => steps
                .iter()
                .flat_map(|step| [Some(&step.expr), step.unless.as_ref()])
                .flatten()
                .collect(),
            WalkQuestion::Line(_) | WalkQuestion::Sequence(_) | WalkQuestion::Sacrifice(_) => {
                Vec::new()
            }
        }
    }

    pub(crate) fn exprs_mut(&mut self) -> Vec<&mut PositionExpr> {
        match &mut self.ask {
            WalkQuestion::Somewhere { expr, .. }
            | WalkQuestion::End(expr)
            | WalkQuestion::Count { expr, .. } => vec![expr],
            WalkQuestion::Order(steps) => steps
                .iter_mut()
                .flat_map(|step| [Some(&mut step.expr), step.unless.as_mut()])
                .flatten()
                .collect(),
            WalkQuestion::Line(_) | WalkQuestion::Sequence(_) | WalkQuestion::Sacrifice(_) => {
                Vec::new()
            }
        }
    }

    /// Whether any question about a position has a property.
    pub(crate) fn any(&self, test: &dyn Fn(&PositionAtom) -> bool) -> bool {
        self.exprs().iter().any(|expr| expr.any(test))
    }
}

/// What a parser needs besides the text.
#[derive(Clone, Copy, Debug, Default)]
pub struct QueryContext<'a> {
    /// Whether questions about moves include variations by default.
    pub variations: bool,
    /// Names that mean the same player.
    pub aliases: Option<&'a Aliases>,
    /// Saved queries.
    pub saved: Option<&'a SavedQueries>,
    /// Repertoires by name.
    pub repertoires: Option<&'a dyn RepertoireSource>,
}

/// A query that can be evaluated for games.
#[derive(Clone, Debug)]
pub struct Query {
    /// How the terms are combined.
    pub expr: QueryExpr,
    /// The terms.
    pub terms: Vec<QueryTerm>,
    /// Values without a name, which are searched as text.
    pub texts: Vec<String>,
    /// How words without a term are read that are not plain text.
    pub readings: Vec<String>,
    /// How each of them is written.
    pub written: Vec<String>,
}

/// What answers a term best.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AnswerSource {
    /// An index of positions, if there is one.
    Index,
    /// Facts and tags.
    Tags,
    /// A walk through the moves, without a board.
    Walk,
    /// A walk with a board, for checks and legal moves.
    Board,
    /// The whole game with its annotations.
    Game,
}

/// What is known about a term, or about a whole query, before a game was read completely.
pub type TermVerdict = Option<bool>;

impl Query {
    /// All games.
    #[must_use]
    pub fn all() -> Query {
        Query {
            expr: QueryExpr::And(Vec::new()),
            terms: Vec::new(),
            texts: Vec::new(),
            readings: Vec::new(),
            written: Vec::new(),
        }
    }

    /// The games with some numbers: ranges from 1, end excluded, which rise and do not overlap.
    #[must_use]
    pub fn of_numbers(ranges: &[Range<u64>]) -> Query {
        Query {
            expr: QueryExpr::Term(0),
            terms: vec![QueryTerm::Field(FieldTerm::Numbers(ranges.into()))],
            texts: Vec::new(),
            readings: Vec::new(),
            written: vec!["number".to_owned()],
        }
    }

    /// The games for which another query holds as well.
    #[must_use]
    pub fn and(mut self, other: Query) -> Query {
        let mut expr = other.expr;
        expr.shift(self.terms.len());
        self.expr = QueryExpr::And(vec![self.expr, expr]);
        self.terms.extend(other.terms);
        self.texts.extend(other.texts);
        self.readings.extend(other.readings);
        self.written.extend(other.written);
        self
    }

    /// The names of players, events and sites in it.
    #[must_use]
    pub fn names(&self) -> Vec<(NameTable, NameTest)> {
        let mut all = Vec::new();
        for term in &self.terms {
            let QueryTerm::Field(FieldTerm::Text(field, test)) = term else {
                continue;
            };
            let table = match field {
                TextField::Player | TextField::White | TextField::Black => NameTable::Players,
                TextField::Event => NameTable::Events,
                TextField::Site => NameTable::Sites,
                _ => continue,
            };
            let mut names = Vec::new();
            test.names(&mut names);
            all.extend(names.into_iter().map(|name| (table, name)));
        }
        all
    }

    /// Whether it needs the number of a game in its database, which blocks of some sources do not know.
    #[must_use]
    pub fn asks_for_numbers(&self) -> bool {
        let is_number = |term: &QueryTerm| {
            matches!(
                term,
                QueryTerm::Field(
                    FieldTerm::Number(NumberField::Number, ..) | FieldTerm::Numbers(_)
                )
            )
        };
        self.terms.iter().any(is_number)
    }

    /// How much of a game the terms need that `known` does not answer.
    pub fn needs(&self, known: &[TermVerdict]) -> ReadDepth {
        self.terms
            .iter()
            .zip(known)
            .filter(|(_, verdict)| verdict.is_none())
            .map(|(term, _)| term.needs())
            .max()
            .unwrap_or(ReadDepth::Tags)
    }

    /// The answer, if the answers of the terms decide it.
    pub fn verdict(&self, known: &[TermVerdict]) -> TermVerdict {
        self.expr.verdict(known)
    }

    /// The number of plies before the position in which the query first holds, from those of its terms: of all that must
    /// hold the last, of alternatives the first. Terms without a place do not count.
    pub fn ply(&self, known: &[TermVerdict], plies: &[Option<u32>]) -> Option<u32> {
        self.expr.ply(known, plies)
    }

    /// Whether any term that tags answer is open.
    pub(crate) fn asks_tags(&self, known: &[TermVerdict]) -> bool {
        let is_open = |(term, known): (&QueryTerm, &TermVerdict)| {
            known.is_none()
                && matches!(term, QueryTerm::Field(field) if field.needs() == ReadDepth::Tags)
        };
        self.terms.iter().zip(known).any(is_open)
    }

    /// What has to be read for the terms that tags answer; none without such terms.
    pub fn gate(&self) -> Option<GameNeeds> {
        let mut tags = TagSet::NONE;
        let mut any = false;
        for term in &self.terms {
            if let QueryTerm::Field(field) = term
                && field.needs() == ReadDepth::Tags
            {
                any = true;
                tags = tags.union(field.tags());
            }
        }
        any.then_some(GameNeeds {
            tags,
            ..GameNeeds::TAGS
        })
    }

    /// The terms about openings by position.
    pub(crate) fn opening_tests(&self) -> Vec<(usize, &OpeningTest)> {
        let terms = self.terms.iter().enumerate();
        terms
            .filter_map(|(index, term)| match term {
                QueryTerm::Field(FieldTerm::OpeningByPosition(test)) => Some((index, test)),
                _ => None,
            })
            .collect()
    }

    /// The terms about repertoires.
    pub(crate) fn repertoire_tests(&self) -> Vec<(usize, &RepertoireTest)> {
        let terms = self.terms.iter().enumerate();
        terms
            .filter_map(|(index, term)| match term {
                QueryTerm::Field(FieldTerm::Repertoire(test)) => Some((index, test)),
                _ => None,
            })
            .collect()
    }

    /// Whether any term holds from a place in the game on.
    pub(crate) fn has_places(&self) -> bool {
        self.walks() || !self.repertoire_tests().is_empty()
    }

    /// Whether any term is about moves.
    pub fn walks(&self) -> bool {
        self.terms
            .iter()
            .any(|term| matches!(term, QueryTerm::Walk(_)))
    }
}

impl QueryTerm {
    /// How much of a game has to be read.
    pub fn needs(&self) -> ReadDepth {
        match self {
            QueryTerm::Field(field) => field.needs(),
            QueryTerm::Walk(walk) if walk.any(&PositionAtom::is_annotation) => ReadDepth::All,
            QueryTerm::Walk(walk) if walk.variations => ReadDepth::Variations,
            QueryTerm::Walk(_) => ReadDepth::MainLine,
        }
    }
}

impl QueryExpr {
    /// Counts the terms from another one on.
    fn shift(&mut self, by: usize) {
        match self {
            QueryExpr::Term(index) => *index += by,
            QueryExpr::And(parts) | QueryExpr::Or(parts) => {
                parts.iter_mut().for_each(|part| part.shift(by));
            }
            QueryExpr::Not(part) => part.shift(by),
        }
    }

    /// The answer, if the answers of the terms decide it.
    pub fn verdict(&self, known: &[TermVerdict]) -> TermVerdict {
        match self {
            QueryExpr::Term(index) => known.get(*index).copied().flatten(),
            QueryExpr::And(parts) => {
                let mut all = Some(true);
                for part in parts {
                    match part.term_verdict(known) {
                        Some(false) => return Some(false),
                        None => all = None,
                        Some(true) => {}
                    }
                }
                all
            }
            QueryExpr::Or(parts) => {
                let mut any = Some(false);
                for part in parts {
                    match part.term_verdict(known) {
                        Some(true) => return Some(true),
                        None => any = None,
                        Some(false) => {}
                    }
                }
                any
            }
            QueryExpr::Not(part) => part.term_verdict(known).map(|verdict| !verdict),
        }
    }

    /// The same, without a call for a single term: it is asked of every game.
    #[inline]
    fn term_verdict(&self, known: &[TermVerdict]) -> TermVerdict {
        match self {
            QueryExpr::Term(index) => known.get(*index).copied().flatten(),
            other => other.verdict(known),
        }
    }

    fn ply(&self, known: &[TermVerdict], plies: &[Option<u32>]) -> Option<u32> {
        match self {
            QueryExpr::Term(index) => plies.get(*index).copied().flatten(),
            QueryExpr::And(parts) => parts.iter().filter_map(|part| part.ply(known, plies)).max(),
            QueryExpr::Or(parts) => parts
                .iter()
                .filter(|part| part.verdict(known) == Some(true))
                .filter_map(|part| part.ply(known, plies))
                .min(),
            QueryExpr::Not(_) => None,
        }
    }
}
