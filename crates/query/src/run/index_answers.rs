//! What is known about a game before it is read: from the lists of an index of positions, and from facts.

use std::sync::OnceLock;

use tabiya_model::facts::{FactFields, FactSource, PROMOTION};

use crate::plan::fact_terms::FactTerms;
use crate::plan::term_games::TermGames;
use crate::run::delta_walk::needs_only_deltas;
use crate::run::fact_filter::FactFilter;
use crate::run::options::QueryOptions;
use crate::run::walk::TermAnswers;
use crate::terms::fields::FieldTerm;
use crate::terms::query::{Query, QueryTerm};

/// What a judge says about a game.
pub(crate) enum IndexAnswer {
    /// There is none with this number.
    NoGame,
    /// The answer is known, and the ply if requested.
    Settled(bool),
    /// The game has to be read. The answers of some terms may be known.
    Open {
        /// Whether a pawn may be promoted in its main line.
        promotions: bool,
    },
}

/// Judges the games of a database by what is known about them; one for all threads.
pub(crate) struct IndexAnswers<'d> {
    query: &'d Query,
    facts: Option<&'d dyn FactSource>,
    listings: &'d [TermGames],
    rows: Option<FactTerms<'d>>,
    hints: bool,
    /// The fields of the facts that matter.
    wanted: FactFields,
    /// The filters of the terms that facts about moves can decide, made when the first game is to be decided by them.
    filters: OnceLock<Vec<(usize, FactFilter<'d>)>>,
    plies: bool,
}

impl<'d> IndexAnswers<'d> {
    /// With `plies` it is wanted where a query first holds.
    pub(crate) fn new(
        query: &'d Query,
        facts: Option<&'d dyn FactSource>,
        listings: &'d [TermGames],
        options: QueryOptions,
        plies: bool,
    ) -> IndexAnswers<'d> {
        let rows = facts
            .filter(|_| options.shortcuts.facts)
            .map(|facts| FactTerms::new(query, facts));
        let of_rows = rows.as_ref().map_or(FactFields::NONE, FactTerms::fields);
        let of_moves = FactFields::MOVES;
        let never = facts.map_or(FactFields::NONE, FactSource::never_says);
        let of_hints = match options.shortcuts.hints && query.walks() && !never.meets(of_moves) {
            true => of_moves,
            false => FactFields::NONE,
        };
        IndexAnswers {
            query,
            facts,
            listings,
            rows,
            hints: options.shortcuts.hints,
            wanted: of_rows.union(of_hints),
            filters: OnceLock::new(),
            plies,
        }
    }

    /// Answers what can be answered without a look at a game.
    pub(crate) fn ask(&self, number: u64, answers: &mut TermAnswers) -> IndexAnswer {
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
            return IndexAnswer::Settled(answer);
        }
        let Some(facts) = self.facts else {
            return IndexAnswer::Open { promotions: true };
        };
        let Some(fact) = facts.fact(number, self.wanted) else {
            return IndexAnswer::NoGame;
        };
        if let Some(rows) = &self.rows {
            rows.answer(&fact, number, &mut answers.known);
            if let Some(answer) = self.settled(answers) {
                return IndexAnswer::Settled(answer);
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
                return IndexAnswer::Settled(answer);
            }
        }
        let none = fact.moves.is_some() && fact.flags & PROMOTION == 0;
        IndexAnswer::Open {
            promotions: !self.hints || !none,
        }
    }

    /// Whether there are terms that neither facts answer nor a walk by deltas.
    pub(crate) fn has_to_read(&self) -> bool {
        let never = self.facts.map_or(FactFields::ALL, FactSource::never_says);
        let terms = self.query.terms.iter().enumerate();
        let mut open = terms.filter(|(index, term)| match term {
            QueryTerm::Walk(walk) => !needs_only_deltas(walk),
            QueryTerm::Field(FieldTerm::Repertoire(_)) => false,
            QueryTerm::Field(_) => {
                let fields = self.rows.as_ref().and_then(|rows| rows.fields_of(*index));
                fields.is_none_or(|fields| fields.meets(never))
            }
        });
        open.next().is_some()
    }

    fn filters(&self) -> &[(usize, FactFilter<'d>)] {
        self.filters.get_or_init(|| {
            let lines = self.facts.map_or(&[][..], |facts| facts.stored_lines());
            (0..self.query.terms.len())
                .filter_map(|term| Some((term, FactFilter::new(self.query, term, lines)?)))
                .collect()
        })
    }

    /// The answer, where it is known, and the ply too where that is wanted.
    pub(crate) fn settled(&self, answers: &TermAnswers) -> Option<bool> {
        let answer = self.query.verdict(&answers.known)?;
        let walked = || {
            let mut terms = self.query.terms.iter().zip(&answers.known);
            terms.all(|(term, known)| known.is_some() || !matches!(term, QueryTerm::Walk(_)))
        };
        (!answer || !self.plies || walked()).then_some(answer)
    }
}
