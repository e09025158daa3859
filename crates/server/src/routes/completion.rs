//! Completion of names from those in a base.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use axum::Json;
use axum::extract::{Path, Query, State};
use serde::Deserialize;
use tabiya::Base;
use tabiya_answers::server::CompletionsAnswer;
use tabiya_model::facts::NameTable;
use tabiya_model::tags::TagSet;
use tabiya_model::{Control, GameNeeds};
use tabiya_query::fold::fold;

use super::work;
use crate::answer::{Refusal, RouteResult};
use crate::error_codes;
use crate::{ServerState, limits};

/// Names of these tags are offered.
const TAGS: [(&str, NameTable); 5] = [
    ("White", NameTable::Players),
    ("Black", NameTable::Players),
    ("Event", NameTable::Events),
    ("Site", NameTable::Sites),
    ("Round", NameTable::Rounds),
];

#[derive(Deserialize)]
pub(super) struct CompletionRequest {
    /// The tag whose value is being typed.
    tag: String,
    /// The text so far.
    start: String,
}

/// Names that begin so, or one of whose words does; those that begin so first.
pub(super) async fn names(
    State(shared): State<ServerState>,
    Path(id): Path<String>,
    Query(begun): Query<CompletionRequest>,
) -> RouteResult<CompletionsAnswer> {
    let found = TAGS.iter().find(|(tag, _)| *tag == begun.tag);
    let Some((_, table)) = found.copied() else {
        return Err(Refusal::bad(
            &error_codes::BAD_PARAMETER,
            "only names of White, Black, Event, Site and Round can be completed",
        ));
    };
    if begun.start.len() > limits::QUERY {
        return Err(Refusal::bad(
            &error_codes::TEXT_TOO_LONG,
            "the name is too long",
        ));
    }
    work(&shared, move |shared| {
        let base = shared.library.get(&id)?;
        let mut names = NameCompletions::new(&begun.start);
        offer(&base, table, &mut names)?;
        Ok(Json(CompletionsAnswer {
            names: names.into_list(),
        }))
    })
    .await
}

fn offer(base: &Base, table: NameTable, names: &mut NameCompletions) -> Result<(), Refusal> {
    if let Some(facts) = base.facts() {
        for number in 0..facts.names(table) {
            names.look_at(&facts.name(table, number));
        }
        return Ok(());
    }
    // Without an index the games are asked, as far as a moment lasts.
    let tags: &'static [&'static str] = match table {
        NameTable::Players => &["White", "Black"],
        NameTable::Events => &["Event"],
        NameTable::Sites => &["Site"],
        NameTable::Rounds => &["Round"],
    };
    let want = GameNeeds {
        tags: TagSet::of(tags),
        ..GameNeeds::TAGS
    };
    let control = Control::default().with_time(limits::COMPLETION);
    base.for_each(want, &control, |game| {
        for tag in tags {
            names.look_at(game.tags.value(tag));
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(())
}

/// The first names in alphabetical order, of each kind so many as are shown.
struct NameCompletions {
    start: String,
    begin: BTreeSet<String>,
    hold: BTreeSet<String>,
}

impl NameCompletions {
    fn new(start: &str) -> NameCompletions {
        NameCompletions {
            start: fold(start.trim()).into_owned(),
            begin: BTreeSet::new(),
            hold: BTreeSet::new(),
        }
    }

    fn look_at(&mut self, name: &str) {
        if name.is_empty() || name == "?" {
            return;
        }
        let folded = fold(name);
        let words = || folded.split(|c: char| !c.is_alphanumeric());
        let found = if folded.starts_with(&self.start) {
            &mut self.begin
        } else if words().any(|word| word.starts_with(&self.start)) {
            &mut self.hold
        } else {
            return;
        };
        // What would be thrown away at once is not even copied.
        let is_full = found.len() >= limits::COMPLETIONS;
        if is_full && found.last().is_none_or(|last| last.as_str() <= name) {
            return;
        }
        found.insert(name.to_owned());
        if found.len() > limits::COMPLETIONS {
            found.pop_last();
        }
    }

    fn into_list(self) -> Vec<String> {
        let all = self.begin.into_iter().chain(self.hold);
        all.take(limits::COMPLETIONS).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_begin_so_come_first() {
        let mut names = NameCompletions::new(" TAL");
        for name in [
            "Tal, Mikhail",
            "Botvinnik, Mikhail",
            "Vidmar, Tal",
            "Talà",
            "",
            "?",
            "Natalia",
        ] {
            names.look_at(name);
        }
        assert_eq!(names.into_list(), ["Tal, Mikhail", "Talà", "Vidmar, Tal"]);
    }

    #[test]
    fn only_so_many_are_kept() {
        let mut names = NameCompletions::new("");
        for number in (0..10_000).rev() {
            names.look_at(&format!("{number:05}"));
        }
        let list = names.into_list();
        assert_eq!(list.len(), limits::COMPLETIONS);
        assert_eq!(list.first().map(String::as_str), Some("00000"));
    }
}
