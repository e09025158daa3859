//! What is known about a game before it is looked at: by the lists of an index of positions, and by facts.

use std::sync::OnceLock;

use tabiya_model::facts::{Facts, Fields, PROMOTION};

use crate::compact::is_compact;
use crate::engine::Options;
use crate::hints::Filter;
use crate::listing::Listing;
use crate::query::{Query, Term};
use crate::rows::RowTerms;
use crate::walk::Answers;

/// What a judge says about a game.
pub(crate) enum Told {
    /// There is none of this number.
    NoGame,
    /// The answer, and the ply where it is wanted, is known.
    Settled(bool),
    /// The game has to be looked at. The answers of some terms may be known.
    Open {
        /// Whether a pawn may be promoted in its main line.
        promotions: bool,
    },
}

/// Judges the games of a database by what is known about them; one for all threads.
pub(crate) struct Judge<'d> {
    query: &'d Query,
    facts: Option<&'d dyn Facts>,
    listings: &'d [Listing],
    rows: Option<RowTerms<'d>>,
    hints: bool,
    /// The fields of the facts that matter.
    wanted: Fields,
    /// The filters of the terms that facts about moves can decide, made when the first game is to be decided by them.
    filters: OnceLock<Vec<(usize, Filter<'d>)>>,
    plies: bool,
}

impl<'d> Judge<'d> {
    /// With `plies` it is wanted where a query first holds.
    pub(crate) fn new(
        query: &'d Query,
        facts: Option<&'d dyn Facts>,
        listings: &'d [Listing],
        options: Options,
        plies: bool,
    ) -> Judge<'d> {
        let rows = facts
            .filter(|_| options.facts)
            .map(|facts| RowTerms::new(query, facts));
        let of_rows = rows.as_ref().map_or(Fields::NONE, RowTerms::fields);
        let of_moves = Fields::MOVES.union(Fields::FLAGS);
        let never = facts.map_or(Fields::NONE, Facts::never_says);
        let of_hints = match options.hints && query.walks() && !never.meets(of_moves) {
            true => of_moves,
            false => Fields::NONE,
        };
        Judge {
            query,
            facts,
            listings,
            rows,
            hints: options.hints,
            wanted: of_rows.union(of_hints),
            filters: OnceLock::new(),
            plies,
        }
    }

    /// Answers what can be answered without a look at a game.
    pub(crate) fn ask(&self, number: u64, answers: &mut Answers) -> Told {
        answers.reset(self.query.terms.len());
        for listing in self.listings {
            match listing.decide(number) {
                // The place of a hit is found by walking.
                Some(true) if self.plies => {}
                Some(verdict) => answers.known[listing.term] = Some(verdict),
                None => {}
            }
        }
        if !self.listings.is_empty()
            && let Some(answer) = self.settled(answers)
        {
            return Told::Settled(answer);
        }
        let Some(facts) = self.facts else {
            return Told::Open { promotions: true };
        };
        let Some(fact) = facts.fact(number, self.wanted) else {
            return Told::NoGame;
        };
        if let Some(rows) = &self.rows {
            rows.answer(&fact, number, &mut answers.known);
            if let Some(answer) = self.settled(answers) {
                return Told::Settled(answer);
            }
        }
        if let Some(moves) = fact.moves.as_ref().filter(|_| self.hints) {
            for (term, filter) in self.filters() {
                if answers.known[*term].is_none()
                    && let Some((verdict, ply)) = filter.decide(&fact, moves)
                {
                    answers.known[*term] = Some(verdict);
                    answers.plies[*term] = ply;
                }
            }
            if let Some(answer) = self.settled(answers) {
                return Told::Settled(answer);
            }
        }
        let none = fact.moves.is_some() && fact.flags & PROMOTION == 0;
        Told::Open {
            promotions: !self.hints || !none,
        }
    }

    /// Whether there are terms that neither facts answer nor a walk by deltas.
    pub(crate) fn has_to_read(&self) -> bool {
        let never = self.facts.map_or(Fields::ALL, Facts::never_says);
        let terms = self.query.terms.iter().enumerate();
        let mut open = terms.filter(|(index, term)| match term {
            Term::Walk(walk) => !is_compact(walk),
            Term::Field(_) => {
                let fields = self.rows.as_ref().and_then(|rows| rows.fields_of(*index));
                fields.is_none_or(|fields| fields.meets(never))
            }
        });
        open.next().is_some()
    }

    fn filters(&self) -> &[(usize, Filter<'d>)] {
        self.filters.get_or_init(|| {
            let lines = self.facts.map_or(&[][..], |facts| facts.stored_lines());
            (0..self.query.terms.len())
                .filter_map(|term| Some((term, Filter::new(self.query, term, lines)?)))
                .collect()
        })
    }

    /// The answer, where it is known, and the ply too where that is wanted.
    pub(crate) fn settled(&self, answers: &Answers) -> Option<bool> {
        let answer = self.query.verdict(&answers.known)?;
        let walked = || {
            let mut terms = self.query.terms.iter().zip(&answers.known);
            terms.all(|(term, known)| known.is_some() || !matches!(term, Term::Walk(_)))
        };
        (!answer || !self.plies || walked()).then_some(answer)
    }
}
