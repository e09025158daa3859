//! Which games a job uses: defined once for all jobs, by a query, numbers, marks and a missing result.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::Arc;

use tabiya_model::outcome::Outcome;
use tabiya_model::{Control, Error, Game, Result};
use tabiya_query::{Aliases, Query, QueryContext};

use crate::error_codes;
use crate::open::base::Base;
use crate::select::numbers::GameNumbers;
use crate::select::search;

/// The games that a job uses. Every job that reads games takes one, and all of them select in the same way.
///
/// ```
/// # fn main() -> tabiya::model::Result<()> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/si5/ok/sample.si5");
/// use tabiya::model::Control;
/// use tabiya::query::{Query, QueryContext};
/// use tabiya::selection::Selection;
/// use tabiya::stats::{StatsOptions, stats};
///
/// let won = Query::parse("result:1-0", QueryContext::default())?;
/// let games = Selection::of(tabiya::open(path)?).matching(won);
/// let counts = stats(&games, &StatsOptions::default(), &Control::default())?;
/// assert_eq!(counts.games, 2);
/// assert_eq!(games.numbers_in(&games.bases[0], &Control::default())?, Some(vec![1, 3]));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Selection {
    /// The bases. A change, which opens its database itself, ignores them.
    pub bases: Vec<Base>,
    /// Only games for which this query holds.
    pub query: Option<Arc<Query>>,
    /// Only games with these numbers, in each base.
    pub numbers: GameNumbers,
    /// What to do with games that are marked as deleted.
    pub deleted: DeletedGames,
    /// Only games whose result is `*`, as `result:*` in a query finds them.
    pub unfinished: bool,
    /// Names that mean the same player, for jobs that compare names. A query gets them when it is parsed.
    pub aliases: Option<Arc<Aliases>>,
    /// Whether the index beside a base is used; it changes no answer.
    pub index: bool,
}

/// What to do with games that are marked as deleted.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum DeletedGames {
    /// Treat them like any other game.
    #[default]
    Included,
    /// Leave them out.
    LeftOut,
    /// Use only these.
    Only,
}

impl DeletedGames {
    /// Whether a game is one of those that are looked at.
    fn takes(self, game: &Game) -> bool {
        match self {
            DeletedGames::Included => true,
            DeletedGames::LeftOut => !game.is_deleted(),
            DeletedGames::Only => game.is_deleted(),
        }
    }

    /// What has to hold of a game.
    fn query(self) -> Option<&'static str> {
        match self {
            DeletedGames::Included => None,
            DeletedGames::LeftOut => Some("not flag:deleted"),
            DeletedGames::Only => Some("flag:deleted"),
        }
    }
}

impl Default for Selection {
    fn default() -> Selection {
        Selection::of([])
    }
}

/// The games of some numbers, for a change.
impl<N: Into<GameNumbers>> From<N> for Selection {
    fn from(numbers: N) -> Selection {
        Selection {
            numbers: numbers.into(),
            ..Selection::default()
        }
    }
}

impl Selection {
    /// All games of some bases.
    pub fn of(bases: impl Into<Vec<Base>>) -> Selection {
        Selection {
            bases: bases.into(),
            query: None,
            numbers: GameNumbers::ALL,
            deleted: DeletedGames::Included,
            unfinished: false,
            aliases: None,
            index: true,
        }
    }

    /// Those of them for which a query holds as well.
    #[must_use]
    pub fn matching(mut self, query: Query) -> Selection {
        self.query = Some(Arc::new(match self.query.as_deref() {
            Some(known) => known.clone().and(query),
            None => query,
        }));
        self
    }

    /// Whether all games of the bases are chosen.
    #[must_use]
    pub fn is_all(&self) -> bool {
        self.is_by_number() && self.numbers.is_all()
    }

    /// Whether nothing but the number of a game decides.
    #[must_use]
    pub fn is_by_number(&self) -> bool {
        self.query.is_none() && self.deleted == DeletedGames::Included && !self.unfinished
    }

    /// Whether a game is one of those that are looked at, for a job that asks for numbers and the query itself.
    pub(crate) fn takes(&self, game: &Game) -> bool {
        self.deleted.takes(game) && (!self.unfinished || game.result() == Outcome::Unknown)
    }

    /// What is said of a base that cannot be read twice.
    pub(crate) fn wants_file(&self, base: &Base) -> Error {
        let why = match self.is_all() {
            true => "save it to a file first",
            false => "choosing among them needs a file",
        };
        Error::new(
            &error_codes::READ_ONCE,
            format!("games of a stream can be read only once: {why}"),
        )
        .in_file(base.name().to_owned())
    }

    /// The only base, for jobs that take no more.
    pub(crate) fn only_base(&self) -> Result<&Base> {
        match &self.bases[..] {
            [base] => Ok(base),
            _ => Err(Error::new(
                &error_codes::ONE_DATABASE,
                "this takes one database at a time",
            )),
        }
    }

    /// The names of the bases.
    #[must_use]
    pub fn base_names(&self) -> Vec<String> {
        let names = self.bases.iter().map(|base| base.name().to_owned());
        names.collect()
    }

    /// How the query is understood, if that is not obvious.
    #[must_use]
    pub fn note(&self) -> Option<String> {
        self.query.as_deref().and_then(Query::note)
    }

    /// The same selection among the games of one base.
    #[must_use]
    pub fn within(&self, base: &Base) -> Selection {
        Selection {
            bases: vec![base.clone()],
            ..self.clone()
        }
    }

    /// The numbers of the chosen games of a base, rising; `None` if these are all. After a stop, those found until then.
    pub fn numbers_in(&self, base: &Base, control: &Control) -> Result<Option<Vec<u64>>> {
        if self.is_all() {
            return Ok(None);
        }
        if !base.is_repeatable() {
            return Err(self.wants_file(base));
        }
        if self.is_by_number() && base.database().is_some() {
            let ranges = self.numbers.rising(Some(base))?;
            return Ok(Some(ranges.into_iter().flatten().collect()));
        }
        let mut numbers = Vec::new();
        let asked = search::SearchOptions::default().asked(self, None, false);
        search::search_base(self, base, asked, control, &mut |found| {
            numbers.push(found.hit.number);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(Some(numbers))
    }

    /// The chosen games of a base, in the required order: that of the given numbers, else the order of the base.
    pub fn game_numbers(&self, base: &Base, control: &Control) -> Result<GameNumbers> {
        Ok(match self.is_by_number() {
            true => self.numbers.clone(),
            false => match self.numbers_in(base, control)? {
                Some(numbers) => numbers.into_iter().collect(),
                None => GameNumbers::ALL,
            },
        })
    }

    /// The same with the numbers as a part of the query, for a job that asks every game of all bases itself.
    pub(crate) fn with_numbers_asked(&self) -> Result<Selection> {
        let one = self.only_base().ok();
        let numbers = Query::of_numbers(&self.numbers.rising(one)?);
        let games = Selection {
            numbers: GameNumbers::ALL,
            ..self.clone()
        };
        Ok(games.matching(numbers))
    }

    /// All that has to hold of a game of a base, as one query.
    pub(crate) fn condition(&self, base: &Base) -> Result<Cow<'_, Query>> {
        let mut also = Vec::new();
        if !self.numbers.is_all() {
            also.push(Query::of_numbers(&self.numbers.rising(Some(base))?));
        }
        let unfinished = self.unfinished.then_some("result:*");
        for text in self.deleted.query().into_iter().chain(unfinished) {
            also.push(Query::parse(text, QueryContext::default())?);
        }
        let also = also.into_iter().reduce(Query::and);
        Ok(match (&self.query, also) {
            (Some(query), None) => Cow::Borrowed(query),
            (Some(query), Some(also)) => Cow::Owned(Query::clone(query).and(also)),
            (None, also) => Cow::Owned(also.unwrap_or_else(Query::all)),
        })
    }
}
