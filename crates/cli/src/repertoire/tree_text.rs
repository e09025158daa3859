//! A repertoire as text: a line for each run of moves, branches moved to the right.

use std::fmt::Write as _;

use tabiya::repertoire::{Repertoire, RepertoireReference, RepertoireTreePosition};
use tabiya_model::board::Move;

use crate::output::count;

/// How far a branch is moved to the right, and how far at most.
const STEP: usize = 2;
const MOST: usize = 60;

/// Writes a tree.
pub(super) fn write(
    out: &mut String,
    repertoire: &Repertoire,
    reference: Option<&RepertoireReference>,
    tree: &[RepertoireTreePosition],
) {
    // Each run begins with a move of a position that has several, or with the start.
    let mut run: Vec<Move> = Vec::new();
    let mut known: Vec<Option<usize>> = vec![None; repertoire.positions().len()];
    for (at, place) in tree.iter().enumerate() {
        let number = usize::try_from(place.number).unwrap_or(usize::MAX);
        if let Some(slot) = known.get_mut(number) {
            *slot = Some(at);
        }
    }
    let place_of = |number: u32| {
        let number = usize::try_from(number).unwrap_or(usize::MAX);
        known
            .get(number)
            .copied()
            .flatten()
            .and_then(|at| tree.get(at))
    };
    // A position, the place of the move that is written first, if it is one of several, and the branches before it.
    let starts = repertoire.starts().iter().rev();
    let mut tasks: Vec<(u32, Option<usize>, usize)> =
        starts.map(|start| (*start, None, 0)).collect();
    while let Some((number, first, depth)) = tasks.pop() {
        let Some(position) = repertoire.position(number) else {
            continue;
        };
        run.clear();
        let (mut at, mut note) = (number, String::new());
        let mut next = first;
        while let Some(here) = repertoire.position(at) {
            let place = place_of(at);
            let chosen = match next.take() {
                Some(chosen) => chosen,
                // Only one way leads on.
                None if here.moves.len() == 1 && here.bad_moves.is_empty() && place.is_some() => 0,
                None => {
                    let moves = here.moves.len() + here.bad_moves.len();
                    tasks.extend((0..moves).rev().map(|m| (at, Some(m), depth + 1)));
                    break;
                }
            };
            let is_bad = chosen >= here.moves.len();
            let m = here.moves.iter().chain(&here.bad_moves).nth(chosen);
            let Some(m) = m else { break };
            run.push(m.step);
            if is_bad {
                note.push_str("  (marked bad)");
                break;
            }
            if place.is_some_and(|place| {
                place
                    .moves
                    .get(chosen)
                    .is_some_and(|(_, elsewhere)| *elsewhere)
            }) {
                let line =
                    m.to.map_or_else(String::new, |to| repertoire.line_in_words(to));
                let line = if line.is_empty() { "the start" } else { &line };
                let _ = write!(note, "  (transposes to {line})");
                break;
            }
            let Some(to) = m.to else { break };
            at = to;
        }
        if run.is_empty() {
            continue;
        }
        let indent = (depth.saturating_sub(1) * STEP).min(MOST);
        let words = position.words_of(run.iter().copied());
        let _ = write!(out, "{:indent$}{words}", "");
        if let (Some(reference), Some(chosen)) = (reference, first.or(Some(0)))
            && chosen < position.moves.len()
        {
            let score = reference.score(repertoire, number, chosen);
            let _ = write!(out, "  {}", count(score.games, "game", "games"));
            if let Some(score) = tabiya::repertoire::score_of(&score, repertoire.color()) {
                let _ = write!(out, ", {score:.0} %");
            }
        }
        let _ = writeln!(out, "{note}");
    }
}
