//! A query: terms, and how they are put together.

use tabiya_model::Want;
use tabiya_model::facts::NameTable;
use tabiya_model::tags::TagSet;

use crate::error::QueryError;
use crate::fields::{FieldTerm, Needs, NumberField, TextField};
use crate::moves::{Line, MoveTest};
use crate::names::{Aliases, NameTest};
use crate::openings::OpeningTest;
use crate::position::{PositionAtom, PositionExpr};
use crate::saved::SavedQueries;

/// How terms are put together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// The term of this number in [`Query::terms`].
    Term(usize),
    /// All of them.
    And(Vec<Expr>),
    /// Any of them.
    Or(Vec<Expr>),
    /// The opposite.
    Not(Box<Expr>),
}

/// One term of a query.
#[derive(Clone, Debug)]
pub enum Term {
    /// About the game as a whole.
    Field(FieldTerm),
    /// About its moves and positions.
    Walk(WalkTerm),
}

/// A question that is answered by walking through the moves.
#[derive(Clone, Debug)]
pub struct WalkTerm {
    /// What is asked.
    pub ask: Ask,
    /// Whether variations count, or the main line alone.
    pub variations: bool,
}

/// What is asked of the moves.
#[derive(Clone, Debug)]
pub enum Ask {
    /// A position that is like this.
    Somewhere {
        /// What the position is like.
        expr: PositionExpr,
        /// How many positions in a row have to be like this, at least and at most.
        lasting: (u32, u32),
        /// Half-moves since the start, from and to.
        plies: (u32, u32),
        /// The number of the next move, from and to.
        numbers: (u32, u32),
    },
    /// The final position of the main line is like this.
    End(PositionExpr),
    /// The game begins with these moves.
    Line(Line),
    /// These moves come in this order, with anything between them.
    Sequence(Vec<MoveTest>),
    /// These positions come in this order on one line.
    Order(Vec<Step>),
    /// A side gives men and does not win them back.
    Sacrifice(Sacrifice),
    /// So many positions are like this.
    Count {
        /// What the positions are like.
        expr: PositionExpr,
        /// The fewest.
        low: i64,
        /// The most.
        high: i64,
    },
}

/// What is asked of men that are given.
#[derive(Clone, Debug)]
pub struct Sacrifice {
    /// Which sides are asked about, White and Black.
    pub sides: [bool; 2],
    /// The least and the most that the side is short of, in pawns.
    pub loss: (i64, i64),
    /// For how many half-moves after the capture.
    pub lasts: u32,
    /// Half-moves from the start to the position after the capture, from and to.
    pub plies: (u32, u32),
    /// The number of the next move there, from and to.
    pub numbers: (u32, u32),
}

/// One event of an order.
#[derive(Clone, Debug)]
pub struct Step {
    /// How many half-moves it may come after the event before it.
    pub within: u32,
    /// What no position between the two, or between the start and the first one, may be like.
    pub unless: Option<PositionExpr>,
    /// What the position is like.
    pub expr: PositionExpr,
    /// Which of the positions of a line that are like this is meant.
    pub pick: Pick,
}

/// Which of the positions of a line that are like something is meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pick {
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
            Ask::Somewhere { expr, .. } | Ask::End(expr) | Ask::Count { expr, .. } => vec![expr],
            Ask::Order(steps) => steps
                .iter()
                .flat_map(|step| [Some(&step.expr), step.unless.as_ref()])
                .flatten()
                .collect(),
            Ask::Line(_) | Ask::Sequence(_) | Ask::Sacrifice(_) => Vec::new(),
        }
    }

    pub(crate) fn exprs_mut(&mut self) -> Vec<&mut PositionExpr> {
        match &mut self.ask {
            Ask::Somewhere { expr, .. } | Ask::End(expr) | Ask::Count { expr, .. } => vec![expr],
            Ask::Order(steps) => steps
                .iter_mut()
                .flat_map(|step| [Some(&mut step.expr), step.unless.as_mut()])
                .flatten()
                .collect(),
            Ask::Line(_) | Ask::Sequence(_) | Ask::Sacrifice(_) => Vec::new(),
        }
    }

    /// Whether any question about a position has a property.
    pub(crate) fn any(&self, test: &dyn Fn(&PositionAtom) -> bool) -> bool {
        self.exprs().iter().any(|expr| expr.any(test))
    }
}

/// What a parser knows besides the text.
#[derive(Clone, Copy, Debug, Default)]
pub struct Context<'a> {
    /// Whether questions about moves look into variations unless they say otherwise.
    pub variations: bool,
    /// Who is who.
    pub aliases: Option<&'a Aliases>,
    /// Queries that have names.
    pub saved: Option<&'a SavedQueries>,
}

/// A query that can be asked of games.
#[derive(Clone, Debug)]
pub struct Query {
    /// How the terms are put together.
    pub expr: Expr,
    /// The terms.
    pub terms: Vec<Term>,
    /// Values without a name, which are searched as text.
    pub texts: Vec<String>,
    /// How each of them is written.
    pub written: Vec<String>,
}

/// What answers a term at best.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answerer {
    /// An index of positions, where there is one.
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
pub type Verdict = Option<bool>;

impl Query {
    /// Reads a query.
    pub fn parse(text: &str, context: Context<'_>) -> Result<Query, QueryError> {
        crate::parser::parse(text, context)
    }

    /// The names of players, events and sites that are asked for.
    #[must_use]
    pub fn names(&self) -> Vec<(NameTable, NameTest)> {
        let mut all = Vec::new();
        for term in &self.terms {
            let Term::Field(FieldTerm::Text(field, test)) = term else {
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

    /// What the user should know of how the query is understood.
    #[must_use]
    pub fn note(&self) -> Option<String> {
        crate::parser::free_text::said(&self.texts)
    }

    /// Whether it asks for the number of a game in its database, which blocks of some sources do not know.
    #[must_use]
    pub fn asks_for_numbers(&self) -> bool {
        let is_number = |term: &Term| {
            matches!(
                term,
                Term::Field(FieldTerm::Number(NumberField::Number, ..))
            )
        };
        self.terms.iter().any(is_number)
    }

    /// What answers each term at best.
    pub fn answerers(&self) -> Vec<Answerer> {
        let of = |term: &Term| match term {
            Term::Field(field) if field.needs() == Needs::Tags => Answerer::Tags,
            Term::Field(FieldTerm::OpeningByPosition(_)) => Answerer::Walk,
            Term::Field(_) => Answerer::Game,
            Term::Walk(walk) if crate::listing::is_listed(walk) => Answerer::Index,
            Term::Walk(walk) if walk.any(&PositionAtom::is_remark) => Answerer::Game,
            Term::Walk(walk) if walk.any(&PositionAtom::needs_board) => Answerer::Board,
            Term::Walk(_) => Answerer::Walk,
        };
        self.terms.iter().map(of).collect()
    }

    /// How much of a game the terms need that `known` does not answer.
    pub fn needs(&self, known: &[Verdict]) -> Needs {
        self.terms
            .iter()
            .zip(known)
            .filter(|(_, verdict)| verdict.is_none())
            .map(|(term, _)| term.needs())
            .max()
            .unwrap_or(Needs::Tags)
    }

    /// The answer as far as the answers of the terms decide it.
    pub fn verdict(&self, known: &[Verdict]) -> Verdict {
        self.expr.verdict(known)
    }

    /// The half-moves before the position in which the query first holds, from those of its terms: of all that are
    /// needed the last, of alternatives the first. Terms without a place do not count.
    pub fn ply(&self, known: &[Verdict], plies: &[Option<u32>]) -> Option<u32> {
        self.expr.ply(known, plies)
    }

    /// Whether any term that tags answer is open.
    pub(crate) fn asks_tags(&self, known: &[Verdict]) -> bool {
        let is_open = |(term, known): (&Term, &Verdict)| {
            known.is_none() && matches!(term, Term::Field(field) if field.needs() == Needs::Tags)
        };
        self.terms.iter().zip(known).any(is_open)
    }

    /// What is to be read for the terms that tags answer; none where there are no such terms.
    pub fn gate(&self) -> Option<Want> {
        let mut tags = TagSet::NONE;
        let mut any = false;
        for term in &self.terms {
            if let Term::Field(field) = term
                && field.needs() == Needs::Tags
            {
                any = true;
                tags = tags.union(field.tags());
            }
        }
        any.then_some(Want { tags, ..Want::TAGS })
    }

    /// The terms about openings by position.
    pub(crate) fn opening_tests(&self) -> Vec<(usize, &OpeningTest)> {
        let terms = self.terms.iter().enumerate();
        terms
            .filter_map(|(index, term)| match term {
                Term::Field(FieldTerm::OpeningByPosition(test)) => Some((index, test)),
                _ => None,
            })
            .collect()
    }

    /// Whether any term is about moves.
    pub fn walks(&self) -> bool {
        self.terms.iter().any(|term| matches!(term, Term::Walk(_)))
    }
}

impl Term {
    /// How much of a game has to be read.
    pub fn needs(&self) -> Needs {
        match self {
            Term::Field(field) => field.needs(),
            Term::Walk(walk) if walk.any(&PositionAtom::is_remark) => Needs::All,
            Term::Walk(walk) if walk.variations => Needs::Variations,
            Term::Walk(_) => Needs::MainLine,
        }
    }
}

impl Expr {
    /// The answer as far as the answers of the terms decide it.
    pub fn verdict(&self, known: &[Verdict]) -> Verdict {
        match self {
            Expr::Term(index) => known.get(*index).copied().flatten(),
            Expr::And(parts) => {
                let mut all = Some(true);
                for part in parts {
                    match part.verdict(known) {
                        Some(false) => return Some(false),
                        None => all = None,
                        Some(true) => {}
                    }
                }
                all
            }
            Expr::Or(parts) => {
                let mut any = Some(false);
                for part in parts {
                    match part.verdict(known) {
                        Some(true) => return Some(true),
                        None => any = None,
                        Some(false) => {}
                    }
                }
                any
            }
            Expr::Not(part) => part.verdict(known).map(|verdict| !verdict),
        }
    }

    fn ply(&self, known: &[Verdict], plies: &[Option<u32>]) -> Option<u32> {
        match self {
            Expr::Term(index) => plies.get(*index).copied().flatten(),
            Expr::And(parts) => parts.iter().filter_map(|part| part.ply(known, plies)).max(),
            Expr::Or(parts) => parts
                .iter()
                .filter(|part| part.verdict(known) == Some(true))
                .filter_map(|part| part.ply(known, plies))
                .min(),
            Expr::Not(_) => None,
        }
    }
}
