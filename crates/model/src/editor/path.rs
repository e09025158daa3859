//! The way to a place, in numbers that people and addresses can carry.
//!
//! `24` is the place after 24 plies of the main line; `24.2.3` goes 24 plies along the main line, then into
//! the second alternative to the next move, which counts as the first ply of the last number.

use std::fmt;
use std::str::FromStr;

use crate::tape::Tape;

use super::{EditError, GameEditor, tree};

/// The path from the start of a game to a place.
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub struct TreePath {
    /// Plies of the main line.
    pub plies: usize,
    /// At each branch: the number of the branch, from 1, and the plies of it.
    pub branches: Vec<(usize, usize)>,
}

impl fmt::Display for TreePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.plies)?;
        for (branch, plies) in &self.branches {
            write!(f, ".{branch}.{plies}")?;
        }
        Ok(())
    }
}

impl FromStr for TreePath {
    type Err = EditError;

    fn from_str(text: &str) -> Result<TreePath, EditError> {
        let wrong = || EditError::NoSuchPlace {
            place: text.chars().take(80).collect(),
        };
        let mut numbers = text.split('.').map(|part| part.parse::<usize>());
        let mut next = || numbers.next().map(|n| n.map_err(|_| wrong()));
        let mut path = TreePath {
            plies: next().unwrap_or(Ok(0))?,
            branches: Vec::new(),
        };
        while let Some(branch) = next() {
            path.branches.push((branch?, next().ok_or_else(wrong)??));
        }
        Ok(path)
    }
}

impl GameEditor {
    /// The path to the cursor.
    pub fn path(&self) -> TreePath {
        let tape = self.tape();
        let mut path = TreePath::default();
        let (mut line, mut branching) = (0, 0);
        for frame in &self.stand.frames {
            let (count, place) = count_to(tape, line, frame.replaces);
            if count > 0 || line == 0 {
                set_plies(&mut path, count);
                branching = place;
            } else {
                // An alternative to the first move of a variation branches off at the same place as that variation.
                path.branches.pop();
            }
            let number = tree::branches(tape, branching)
                .iter()
                .position(|branch| branch.begin == Some(frame.begin));
            path.branches.push((number.unwrap_or(0), 0));
            line = frame.begin + 1;
        }
        set_plies(&mut path, count_to(tape, line, self.place()).0);
        path
    }

    /// Moves the cursor along a path.
    ///
    /// # Errors
    ///
    /// [`EditError::NoSuchPlace`]; the cursor does not move then.
    pub fn go_along(&mut self, path: &TreePath) -> Result<(), EditError> {
        let wrong = || EditError::NoSuchPlace {
            place: path.to_string(),
        };
        let tape = self.tape();
        let mut place = walk(tape, 0, path.plies).ok_or_else(wrong)?;
        for &(number, plies) in &path.branches {
            let branches = tree::branches(tape, place);
            let branch = branches
                .get(number)
                .filter(|branch| branch.begin.is_some())
                .ok_or_else(wrong)?;
            place = match plies.checked_sub(usize::from(branch.m.is_some())) {
                Some(more) => walk(tape, branch.place, more).ok_or_else(wrong)?,
                None => return Err(wrong()),
            };
        }
        self.go_to(place)
    }
}

/// Sets the plies of the last part of a path.
fn set_plies(path: &mut TreePath, plies: usize) {
    match path.branches.last_mut() {
        Some((_, last)) => *last = plies,
        None => path.plies = plies,
    }
}

/// The number of moves of a line before an index, and the place after the last of them.
fn count_to(tape: &Tape, line: usize, index: usize) -> (usize, usize) {
    let (mut count, mut place) = (0, line);
    let mut at = tree::next_move(tape, line);
    while at < index && tree::is_move(tape, at) {
        count += 1;
        place = at + 1;
        at = tree::next_move(tape, at + 1);
    }
    (count, place)
}

/// The place after a number of further moves of a line.
fn walk(tape: &Tape, mut place: usize, plies: usize) -> Option<usize> {
    for _ in 0..plies {
        let at = tree::next_move(tape, place);
        if !tree::is_move(tape, at) {
            return None;
        }
        place = at + 1;
    }
    Some(place)
}
