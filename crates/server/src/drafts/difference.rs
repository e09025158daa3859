//! What a wish has changed in a game, told so that a page puts it into the game that it shows: a sign more in a game of a hundred
//! thousand moves is a few bytes and not the whole game.
//!
//! A page knows moves by their numbers in reading order; 0 is the start. What is told:
//!
//! * `order`: the moves as they are read now, as runs `[from, to)` of the former numbers, and how many new ones stand between; only
//!   where moves have come or gone, or are read in another order;
//! * `parents`: the move before each new one; `branches`: the moves behind which others go on than before, or in another order;
//! * `told`: moves about which something else is said, and the new ones, each as a line of its own in the words of a game's JSON;
//! * `tags` and `result`, where these have changed.

use serde_json::{Map, Value, json};
use tabiya::show::Form;
use tabiya_model::board::Problems;
use tabiya_model::editor::{Patch, Piece};
use tabiya_model::game::Start;
use tabiya_model::{Board, Game, Op, Tape};

/// Moves that are told anew at most: where more has changed, the whole game is told.
const MOST: usize = 64;
/// Moves that are played at most for the positions of these.
const PLAYED: usize = 2_000_000;
/// An operation that was not there before, and a move that was not.
const NEW: u32 = u32::MAX;

/// What an operation is to the moves.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Place {
    Move(u32),
    /// It is said before a move, at the start of a variation.
    Before(u32),
    After(u32),
    /// The start or the end of a variation.
    Bracket,
}

/// Which moves a game has, and what is said of them.
pub(super) struct Shape {
    /// For each operation of the tape.
    places: Vec<Place>,
    /// For each move the operation that it is, and the move before it. The start is the first of them.
    moves: Vec<usize>,
    parents: Vec<u32>,
}

struct Line {
    last: u32,
    moved: bool,
    /// Comments before the first move of a variation.
    waiting: Vec<usize>,
}

impl Shape {
    pub(super) fn of(tape: &Tape) -> Shape {
        let mut shape = Shape {
            places: Vec::with_capacity(tape.len()),
            moves: Vec::with_capacity(tape.len()),
            parents: Vec::with_capacity(tape.len()),
        };
        shape.moves.push(0);
        shape.parents.push(0);
        let line = |last| Line {
            last,
            moved: false,
            waiting: Vec::new(),
        };
        let mut outer: Vec<Line> = Vec::new();
        let mut now = line(0);
        for (index, op) in tape.ops().enumerate() {
            let place = match op {
                Op::Move(_) => {
                    let order = number(shape.moves.len());
                    shape.place(&mut now.waiting, Place::Before(order));
                    shape.moves.push(index);
                    shape.parents.push(now.last);
                    (now.last, now.moved) = (order, true);
                    Place::Move(order)
                }
                Op::Begin(_) => {
                    let before = shape.parents.get(now.last as usize);
                    let inner = line(before.copied().unwrap_or(0));
                    outer.push(std::mem::replace(&mut now, inner));
                    Place::Bracket
                }
                Op::End => {
                    shape.place(&mut now.waiting, Place::After(now.last));
                    now = outer.pop().unwrap_or_else(|| line(0));
                    Place::Bracket
                }
                Op::Comment(_) if !now.moved && !outer.is_empty() => {
                    now.waiting.push(index);
                    Place::Bracket
                }
                Op::Nag(_) | Op::Comment(_) | Op::Raw(_) | Op::Ext(_) | Op::Outcome(_) => {
                    Place::After(now.last)
                }
            };
            shape.places.push(place);
        }
        shape
    }

    fn place(&mut self, waiting: &mut Vec<usize>, at: Place) {
        for index in waiting.drain(..) {
            if let Some(place) = self.places.get_mut(index) {
                *place = at;
            }
        }
    }

    fn at(&self, index: u32) -> Option<Place> {
        self.places.get(index as usize).copied()
    }

    /// The moves from the start to a move.
    fn way(&self, mut order: u32) -> Vec<usize> {
        let mut way = Vec::new();
        while order != 0 {
            let at = order as usize;
            let (Some(&index), Some(&before)) = (self.moves.get(at), self.parents.get(at)) else {
                break;
            };
            way.push(index);
            order = before;
        }
        way.reverse();
        way
    }
}

/// A tape has fewer operations than that.
fn number(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(NEW)
}

/// Where each operation of the tape stood before the patches.
fn origins(patches: &[Patch], length: usize) -> Vec<u32> {
    let mut origins: Vec<u32> = (0..number(length)).collect();
    for pieces in patches.iter().filter_map(|patch| patch.tape.as_ref()) {
        let mut next = Vec::with_capacity(pieces.len());
        for piece in pieces.iter() {
            match piece {
                Piece::Keep(run) => {
                    next.extend_from_slice(origins.get(run.clone()).unwrap_or_default());
                }
                Piece::New(items) => next.resize(next.len() + items.len(), NEW),
            }
        }
        origins = next;
    }
    origins
}

/// What is found of a move when it is compared.
#[derive(Copy, Clone, Default)]
struct Seen {
    /// What is said of it, and the last of that where it stood before.
    said: u32,
    last_said: u32,
    /// Moves behind it, and the last of them by its former number.
    branches: u32,
    last_branch: u32,
    says_other: bool,
    branches_otherwise: bool,
}

/// Counts for each move of a shape what is said of it, and the moves behind it.
fn counted(shape: &Shape) -> Vec<Seen> {
    let mut all = vec![Seen::default(); shape.moves.len()];
    for place in &shape.places {
        if let Place::Before(order) | Place::After(order) = place
            && let Some(seen) = all.get_mut(*order as usize)
        {
            seen.said += 1;
        }
    }
    for &parent in shape.parents.iter().skip(1) {
        if let Some(seen) = all.get_mut(parent as usize) {
            seen.branches += 1;
        }
    }
    all
}

/// What patches have changed in a game of a former shape; `None` where the whole game is told better.
pub(super) fn difference(
    was: &Shape,
    now: &Shape,
    patches: &[Patch],
    game: &Game,
) -> Option<Value> {
    if patches.iter().any(|patch| patch.start.is_some()) {
        return None;
    }
    let mut told = json!({});
    let map = told.as_object_mut()?;
    let others = match talked_of(was, now, patches) {
        Some(orders) => orders,
        None => moved(was, now, patches, map)?,
    };
    map.insert("told".into(), said_of(now, game, &others)?);
    if patches
        .iter()
        .any(|patch| patch.tags.is_some() || patch.outcome.is_some())
    {
        let head = json_of(&Game {
            tags: game.tags.clone(),
            outcome: game.outcome,
            ..Game::default()
        })?;
        for name in ["tags", "result"] {
            map.insert(name.into(), head.get(name)?.clone());
        }
    }
    Some(told)
}

/// The moves of which something else is said, where a patch has changed nothing but that; `None` where moves have come, gone or changed
/// their places.
fn talked_of(was: &Shape, now: &Shape, patches: &[Patch]) -> Option<Vec<u32>> {
    let [patch] = patches else {
        return None;
    };
    let mut orders = Vec::new();
    let mut said = |places: Option<&[Place]>| {
        for place in places? {
            match place {
                Place::Before(order) | Place::After(order) => orders.push(*order),
                Place::Move(_) | Place::Bracket => return None,
            }
        }
        Some(())
    };
    if let Some(pieces) = &patch.tape {
        let (mut old, mut new) = (0, 0);
        for piece in pieces.iter() {
            match piece {
                Piece::Keep(run) => {
                    // What was passed over is gone.
                    said(was.places.get(old..run.start))?;
                    old = run.end;
                    new += run.len();
                }
                Piece::New(items) => {
                    said(now.places.get(new..new + items.len()))?;
                    new += items.len();
                }
            }
        }
        said(was.places.get(old..))?;
    }
    orders.sort_unstable();
    orders.dedup();
    Some(orders)
}

/// The moves of which something else is said, with what has become of the moves put into `told`.
fn moved(
    was: &Shape,
    now: &Shape,
    patches: &[Patch],
    told: &mut Map<String, Value>,
) -> Option<Vec<u32>> {
    let origins = origins(patches, was.places.len());
    // The former number of each move.
    let mut former = vec![0];
    for &index in now.moves.iter().skip(1) {
        let origin = *origins.get(index)?;
        former.push(match was.at(origin) {
            Some(Place::Move(order)) => order,
            _ => NEW,
        });
    }
    let seen = compared(was, now, &origins, &former)?;
    let order = order(&former, was.moves.len());
    if let Some(order) = order {
        let new = former.iter().zip(&now.parents);
        let parents = new.filter(|(former, _)| **former == NEW);
        let parents: Vec<u32> = parents.map(|(_, parent)| *parent).collect();
        told.insert("order".into(), order);
        told.insert("parents".into(), parents.into());
    }
    let numbered = || (0_u32..).zip(&seen);
    let branches = numbered().filter(|(_, seen)| seen.branches_otherwise);
    let branches: Vec<u32> = branches.map(|(order, _)| order).collect();
    if !branches.is_empty() {
        told.insert("branches".into(), branches.into());
    }
    let others = numbered().filter(|(_, seen)| seen.says_other);
    Some(others.map(|(order, _)| order).take(MOST + 1).collect())
}

/// Compares what is said of each move, and which go on behind it; `None` where one that is kept has come to another place: the
/// positions there may be others.
fn compared(was: &Shape, now: &Shape, origins: &[u32], former: &[u32]) -> Option<Vec<Seen>> {
    let before = counted(was);
    let mut all = vec![Seen::default(); now.moves.len()];
    for (place, &origin) in now.places.iter().zip(origins) {
        let (Place::Before(order) | Place::After(order)) = *place else {
            continue;
        };
        let seen = all.get_mut(order as usize)?;
        let old = *former.get(order as usize)?;
        let stood = match place {
            Place::Before(_) => Place::Before(old),
            _ => Place::After(old),
        };
        seen.says_other |=
            was.at(origin) != Some(stood) || (seen.said > 0 && origin <= seen.last_said);
        seen.last_said = origin;
        seen.said += 1;
    }
    for (&parent, &old) in now.parents.iter().zip(former).skip(1) {
        let seen = all.get_mut(parent as usize)?;
        let old_parent = *former.get(parent as usize)?;
        if old != NEW && was.parents.get(old as usize) != Some(&old_parent) {
            return None;
        }
        seen.branches_otherwise |= old == NEW || old <= seen.last_branch;
        seen.last_branch = old;
        seen.branches += 1;
    }
    for (seen, &old) in all.iter_mut().zip(former) {
        match before.get(old as usize) {
            Some(before) => {
                seen.says_other |= seen.said != before.said;
                seen.branches_otherwise |= seen.branches != before.branches;
            }
            None => seen.says_other = true,
        }
    }
    Some(all)
}

/// The former numbers as runs, and how many new moves stand between; `None` where nothing has moved.
fn order(former: &[u32], length: usize) -> Option<Value> {
    if former.len() == length && (0_u32..).zip(former).all(|(order, &old)| order == old) {
        return None;
    }
    let mut pieces: Vec<Value> = Vec::new();
    let mut at = 0;
    while let Some(&first) = former.get(at) {
        let mut end = at + 1;
        let goes_on = |end: usize| match former.get(end) {
            Some(&NEW) => first == NEW,
            Some(&old) => first != NEW && old as usize == first as usize + end - at,
            None => false,
        };
        while goes_on(end) {
            end += 1;
        }
        pieces.push(match first {
            NEW => (end - at).into(),
            first => json!([first, first as usize + end - at]),
        });
        at = end;
    }
    Some(pieces.into())
}

/// What is said of some moves, each as a line of its own.
fn said_of(shape: &Shape, game: &Game, orders: &[u32]) -> Option<Value> {
    if orders.len() > MOST {
        return None;
    }
    let mut lines: Vec<Tape> = orders.iter().map(|_| Tape::default()).collect();
    for (index, place) in shape.places.iter().enumerate() {
        let (Place::Move(order) | Place::Before(order) | Place::After(order)) = *place else {
            continue;
        };
        if let Ok(at) = orders.binary_search(&order)
            && let (Some(line), Some(op)) = (lines.get_mut(at), game.tape.get(index))
        {
            line.push_from(&game.tape, op);
        }
    }
    let mut played = 0;
    let mut told = Vec::with_capacity(orders.len());
    for (&order, tape) in orders.iter().zip(lines) {
        let mut board = game.start_board();
        let way = shape.way(order);
        played += way.len();
        if played > PLAYED {
            return None;
        }
        for &index in way.iter().take(way.len().saturating_sub(1)) {
            play(&mut board, &game.tape, index);
        }
        let line = json_of(&Game {
            start: Start::Setup(Box::new(board), Problems::default()),
            variant: game.variant,
            tape,
            ..Game::default()
        })?;
        told.push(json!([order, line.get("moves")?]));
    }
    Some(told.into())
}

fn play(board: &mut Board, tape: &Tape, index: usize) {
    if let Some(Op::Move(m)) = tape.get(index) {
        board.play(m);
    }
}

fn json_of(game: &Game) -> Option<Value> {
    let mut text = Vec::new();
    Form::json().write(game, &mut text);
    serde_json::from_slice(&text).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::from_value;
    use tabiya_model::editor::Editor;

    use super::super::place_of;
    use super::super::wish::Wish;
    use super::*;

    #[test]
    fn what_is_said_of_moves_is_told_as_if_all_moves_had_been_compared() {
        let mut state = 7_u64;
        let mut draw = move |below: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).expect("small") % below
        };
        let mut editor = Editor::new(Game::default()).expect("a game");
        let (mut talked, mut shifted) = (0, 0);
        for step in 0..3_000 {
            let was = Shape::of(&editor.game().tape);
            let at = draw(was.moves.len().min(40));
            let place = place_of(&editor.game().tape, at).expect("a move");
            editor.go_to(place).expect("a place");
            let moves = ["e4", "e5", "Nf3", "Nf6", "Ng1", "Ng8", "a3", "a6"];
            let sides = ["before", "after"];
            let wish = match draw(9) {
                0..3 => {
                    json!({"kind": "play", "move": moves[draw(moves.len())], "how": "variation"})
                }
                3..5 => {
                    let text = ["", "a", "b"][draw(3)];
                    json!({"kind": "comment", "side": sides[draw(2)], "text": text, "again": draw(2) == 0})
                }
                5..7 => json!({"kind": "nag", "nag": 1 + draw(6)}),
                7 => {
                    let kind = ["promote", "delete-line", "demote", "undo"][draw(4)];
                    json!({"kind": kind})
                }
                _ => json!({"kind": "tag", "name": "Event", "value": step.to_string()}),
            };
            let wish: Wish = from_value(wish).expect("a wish");
            let Ok(done) = wish.grant(&mut editor) else {
                continue;
            };
            let now = Shape::of(&editor.game().tape);
            let mut map = Map::new();
            let compared = moved(&was, &now, &done.patches, &mut map);
            match talked_of(&was, &now, &done.patches) {
                Some(orders) => {
                    talked += 1;
                    assert_eq!(compared.as_deref(), Some(&*orders), "step {step}");
                    assert!(map.is_empty(), "step {step}: {map:?}");
                }
                None => shifted += 1,
            }
        }
        assert!(talked > 300 && shifted > 300, "{talked} {shifted}");
    }
}
