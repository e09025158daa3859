//! Groups games by their event.

use std::collections::BTreeMap;

use tabiya_model::date::Date;

use super::collector::{CrosstableGame, CrosstableGames};

/// Days that may lie between two games of an event whose games do not say when it began.
const PAUSE: u32 = 93;

/// Whether a game says which event it belongs to.
fn has_event(gathered: &CrosstableGames, game: &CrosstableGame) -> bool {
    !matches!(gathered.name(game.event).trim(), "" | "?" | "-")
}

/// The games of each event, by their indexes, the events in the order of their first dates.
///
/// An event has one name, one site and one starting date; without that date, games without long pauses between them belong
/// together.
pub fn events(gathered: &CrosstableGames) -> Vec<Vec<usize>> {
    let mut named: BTreeMap<(u32, u32, Option<Date>), Vec<usize>> = BTreeMap::new();
    for (place, game) in gathered.games.iter().enumerate() {
        if has_event(gathered, game) {
            // Some formats say that the date is not known, others say nothing.
            let began = game.event_date.filter(|date| date.year.is_some());
            let key = (game.event, game.site, began);
            named.entry(key).or_default().push(place);
        }
    }
    let mut events = Vec::new();
    for ((_, _, began), places) in named {
        match began {
            Some(_) => events.push(places),
            None => events.extend(without_pauses(gathered, places)),
        }
    }
    let date = |place: &usize| gathered.games.get(*place).map(|game| game.date);
    events.sort_by_cached_key(|event| {
        let first = event.iter().filter_map(date);
        (
            first.filter(|date| date.year.is_some()).min(),
            event.first().copied(),
        )
    });
    events
}

/// A day as a number that grows with the date; nothing where not even the month is known.
fn day(date: Date) -> Option<u32> {
    let (year, month) = (u32::from(date.year?), u32::from(date.month?));
    Some((year * 12 + month) * 31 + u32::from(date.day.unwrap_or(1)))
}

/// Games of one name and site, parted where there is a long pause. Those of which only the year is known go to the first games of
/// that year.
fn without_pauses(gathered: &CrosstableGames, places: Vec<usize>) -> Vec<Vec<usize>> {
    let date = |place: usize| {
        let game = gathered.games.get(place);
        game.map_or_else(Date::default, |game| game.date)
    };
    let (mut exact, vague): (Vec<(u32, usize)>, Vec<usize>) = {
        let mut exact = Vec::new();
        let mut vague = Vec::new();
        for place in places {
            match day(date(place)) {
                Some(day) => exact.push((day, place)),
                None => vague.push(place),
            }
        }
        (exact, vague)
    };
    exact.sort_unstable();
    let mut parts: Vec<Vec<usize>> = Vec::new();
    let mut last = None;
    for (day, place) in exact {
        let goes_on = last.is_some_and(|last| day.saturating_sub(last) <= PAUSE);
        match parts.last_mut() {
            Some(part) if goes_on => part.push(place),
            _ => parts.push(vec![place]),
        }
        last = Some(day);
    }
    let mut years: BTreeMap<Option<u16>, usize> = BTreeMap::new();
    for (at, part) in parts.iter().enumerate() {
        for place in part {
            years.entry(date(*place).year).or_insert(at);
        }
    }
    for place in vague {
        let year = date(place).year;
        let at = *years.entry(year).or_insert_with(|| {
            parts.push(Vec::new());
            parts.len() - 1
        });
        if let Some(part) = parts.get_mut(at) {
            part.push(place);
        }
    }
    for part in &mut parts {
        part.sort_unstable();
    }
    parts
}
