//! Names of players, events and sites that are similar to one that no game has.

use std::collections::HashSet;
use std::ops::ControlFlow;

use tabiya_explore::IndexedDatabase;
use tabiya_model::facts::NameTable;
use tabiya_model::tags::TagSet;
use tabiya_model::{Control, Database, GameNeeds};
use tabiya_query::NameTest;
use tabiya_query::fold::fold;

use crate::open::base::Base;
use crate::select::base_view::{IndexUse, index_of};

/// How many names are shown.
const SHOWN: usize = 4;

/// So many games are looked into where names are known from the games alone.
const GAMES: u64 = 200_000;

/// The names in bases that are nearest to any that was asked for. Streams have been read, and tell no names.
pub(crate) fn similar_names<'b>(
    bases: impl IntoIterator<Item = &'b Base>,
    asked: &[(NameTable, NameTest)],
    control: &Control,
) -> Vec<String> {
    let mut near = SimilarNameSearch {
        asked,
        seen: HashSet::new(),
        met: vec![false; asked.len()],
        found: Vec::new(),
    };
    for base in bases.into_iter().filter(|_| !asked.is_empty()) {
        let index = index_of(base, true, IndexUse::Facts);
        match (base.database(), index) {
            (Some(database), Some(index)) => {
                near.of(&IndexedDatabase::new(database, index), base, control)
            }
            (Some(database), None) => near.of(database, base, control),
            (None, _) => {}
        }
    }
    // Whom some game has is not misspelt: something else in the query left nothing.
    let met: Vec<&NameTest> = asked
        .iter()
        .zip(&near.met)
        .filter_map(|((_, test), met)| met.then_some(test))
        .collect();
    let is_met = |at: &usize| asked.get(*at).is_some_and(|(_, test)| met.contains(&test));
    near.found.retain(|(_, _, at)| !is_met(at));
    near.found.sort();
    near.found.truncate(SHOWN);
    near.found.into_iter().map(|(_, name, _)| name).collect()
}

/// Where names are asked for, and the tags in which they stand.
const TABLES: [(NameTable, &[&str]); 3] = [
    (NameTable::Players, &["White", "Black"]),
    (NameTable::Events, &["Event"]),
    (NameTable::Sites, &["Site"]),
];

struct SimilarNameSearch<'a> {
    asked: &'a [(NameTable, NameTest)],
    seen: HashSet<String>,
    /// Which of them some name matches.
    met: Vec<bool>,
    /// How near a name is, the name, and to which of them it is near.
    found: Vec<(usize, String, usize)>,
}

impl SimilarNameSearch<'_> {
    fn of(&mut self, database: &dyn Database, base: &Base, control: &Control) {
        let is_asked = |table| self.asked.iter().any(|(asked, _)| *asked == table);
        let tables = TABLES.iter().filter(|(table, _)| is_asked(*table));
        let tables: Vec<_> = tables.copied().collect();
        if let Some(facts) = database.facts() {
            for (table, _) in tables {
                for number in 0..facts.names(table) {
                    self.look_at(table, &facts.name(table, number));
                }
            }
            return;
        }
        let tags: Vec<&str> = tables.iter().flat_map(|(_, tags)| *tags).copied().collect();
        let want = GameNeeds {
            tags: TagSet::of(&tags),
            ..GameNeeds::TAGS
        };
        let mut games = 0;
        // A hint that cannot be had is none: what is wrong with the base has been told.
        let _ = base.for_each(want, control, |game| {
            for (table, tags) in &tables {
                for tag in *tags {
                    self.look_at(*table, game.tags.value(tag));
                }
            }
            games += 1;
            Ok(match games < GAMES {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            })
        });
    }

    fn look_at(&mut self, table: NameTable, name: &str) {
        if self.seen.contains(name) {
            return;
        }
        let folded = fold(name);
        self.seen.insert(name.to_owned());
        let asked = self.asked.iter().zip(&mut self.met).enumerate();
        for (at, ((asked, test), met)) in asked {
            if *asked == table {
                *met |= test.matches(&folded);
                if let Some(distance) = test.nearness(&folded) {
                    self.found.push((distance, name.to_owned(), at));
                }
            }
        }
    }
}
