//! Completion of names from those in a base.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::time::Instant;

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

/// The tag whose values are the names of positions, whatever the games of the base say: the term `opening:` finds them by position.
const OPENING: &str = "Opening";

/// Names of openings each of whose words begins with a word that is typed, those that begin so first; with their codes where a code is
/// typed.
fn openings(start: &str) -> Vec<String> {
    let folded = plain(start.trim());
    let typed: Vec<&str> = words(&folded).collect();
    if typed.is_empty() {
        return Vec::new();
    }
    let code = match typed.as_slice() {
        [code] if is_code(code) => Some(*code),
        _ => None,
    };
    let mut names = NameCompletions::new(start);
    for opening in tabiya::openings::all() {
        if let Some(code) = code {
            if fold(opening.eco).starts_with(code) {
                names.begin(&format!("{} {}", opening.eco, opening.name));
            }
            continue;
        }
        let name = plain(opening.name);
        if typed
            .iter()
            .all(|typed| words(&name).any(|word| word.starts_with(typed)))
        {
            match name.starts_with(&folded) {
                true => names.begin(opening.name),
                false => names.hold(opening.name),
            }
        }
    }
    names.into_list()
}

/// A name as it is compared: somebody may leave its apostrophes out.
fn plain(name: &str) -> String {
    fold(name).replace(['\'', '’'], "")
}

/// The words of a name.
fn words(name: &str) -> impl Iterator<Item = &str> {
    let words = name.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| !word.is_empty())
}

/// Whether a word is a code of an opening, or begins one and can be no word.
fn is_code(word: &str) -> bool {
    let (letter, digits) = word.split_at_checked(1).unwrap_or_default();
    matches!(letter, "a" | "b" | "c" | "d" | "e")
        && (1..=2).contains(&digits.len())
        && digits.bytes().all(|byte| byte.is_ascii_digit())
}

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
    if begun.start.len() > limits::QUERY {
        return Err(Refusal::bad(
            &error_codes::TEXT_TOO_LONG,
            "the name is too long",
        ));
    }
    if begun.tag == OPENING {
        return work(&shared, move |shared| {
            // Only of a base that is open, as all names.
            shared.library.get(&id)?;
            Ok(Json(CompletionsAnswer {
                names: openings(&begun.start),
            }))
        })
        .await;
    }
    let found = TAGS.iter().find(|(tag, _)| *tag == begun.tag);
    let Some((_, table)) = found.copied() else {
        return Err(Refusal::bad(
            &error_codes::BAD_PARAMETER,
            "names of White, Black, Event, Site, Round and Opening are known",
        ));
    };
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
    // Without an index the games are asked: the first ones, and as far as a moment lasts.
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
    let control = Control::default().with_time(limits::COMPLETION_WHOLE);
    let began = Instant::now();
    let mut games = 0;
    base.for_each(want, &control, |game| {
        for tag in tags {
            names.look_at(game.tags.value(tag));
        }
        games += 1;
        let is_enough = games >= limits::COMPLETION_GAMES && began.elapsed() > limits::COMPLETION;
        Ok(match is_enough {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        })
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
        if folded.starts_with(&self.start) {
            self.begin(name);
        } else if words().any(|word| word.starts_with(&self.start)) {
            self.hold(name);
        }
    }

    fn begin(&mut self, name: &str) {
        keep(&mut self.begin, name);
    }

    fn hold(&mut self, name: &str) {
        keep(&mut self.hold, name);
    }

    fn into_list(self) -> Vec<String> {
        let all = self.begin.into_iter().chain(self.hold);
        all.take(limits::COMPLETIONS).collect()
    }
}

/// Keeps a name if it is among the first.
fn keep(found: &mut BTreeSet<String>, name: &str) {
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
    fn openings_are_found_by_their_words_and_codes() {
        let first = |start: &str| openings(start).into_iter().next().unwrap_or_default();
        assert_eq!(
            first("sicilian najd"),
            "Sicilian Defense: Najdorf Variation"
        );
        assert_eq!(
            first("NAJDORF sicilian"),
            "Sicilian Defense: Najdorf Variation"
        );
        assert_eq!(first("sicilian"), "Sicilian Defense");
        assert_eq!(first("king's gam"), first("kings gam"));
        assert_eq!(first("kings gambit"), "King's Gambit");
        assert_eq!(first("B90"), "B90 Sicilian Defense: Najdorf Variation");
        assert!(openings("b9").iter().all(|name| name.starts_with("B9")));
        assert!(openings("b").iter().all(|name| !name.starts_with("B90 ")));
        assert!(
            openings("").is_empty() && openings("  ?").is_empty() && openings("F00").is_empty()
        );
        assert!(openings("a").len() <= limits::COMPLETIONS);
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
