//! Names of players that are near to one that nobody has.

use std::collections::HashSet;
use std::ops::ControlFlow;

use tabiya_explore::Indexed;
use tabiya_model::facts::NameTable;
use tabiya_model::tags::TagSet;
use tabiya_model::{Control, Database, Want};
use tabiya_query::NameTest;
use tabiya_query::fold::fold;

use crate::base::Base;

/// How many names are shown.
const SHOWN: usize = 4;

/// So many games are looked into where names are known from the games alone.
const GAMES: u64 = 200_000;

/// The players of bases whose names are nearest to any that was asked for. Streams have been read, and tell no names.
pub(crate) fn players<'b>(
    bases: impl IntoIterator<Item = &'b Base>,
    asked: &[&NameTest],
    control: &Control,
) -> Vec<String> {
    let mut near = Near {
        asked,
        seen: HashSet::new(),
        found: Vec::new(),
    };
    for base in bases.into_iter().filter(|_| !asked.is_empty()) {
        match (base.database(), base.index()) {
            (Some(database), Some(index)) => near.of(&Indexed::new(database, index), base, control),
            (Some(database), None) => near.of(database, base, control),
            (None, _) => {}
        }
    }
    near.found.sort();
    near.found.truncate(SHOWN);
    near.found.into_iter().map(|(_, name)| name).collect()
}

struct Near<'a> {
    asked: &'a [&'a NameTest],
    seen: HashSet<String>,
    found: Vec<(usize, String)>,
}

impl Near<'_> {
    fn of(&mut self, database: &dyn Database, base: &Base, control: &Control) {
        if let Some(facts) = database.facts() {
            for number in 0..facts.names(NameTable::Players) {
                self.look_at(&facts.name(NameTable::Players, number));
            }
            return;
        }
        let want = Want {
            tags: TagSet::of(&["White", "Black"]),
            ..Want::TAGS
        };
        let mut games = 0;
        // A hint that cannot be had is none: what is wrong with the base has been told.
        let _ = base.for_each(want, control, |game| {
            self.look_at(game.tags.value("White"));
            self.look_at(game.tags.value("Black"));
            games += 1;
            Ok(match games < GAMES {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            })
        });
    }

    fn look_at(&mut self, name: &str) {
        if !self.seen.insert(name.to_owned()) {
            return;
        }
        let folded = fold(name);
        let distance = self
            .asked
            .iter()
            .filter_map(|it| it.nearness(&folded))
            .min();
        if let Some(distance) = distance {
            self.found.push((distance, name.to_owned()));
        }
    }
}
