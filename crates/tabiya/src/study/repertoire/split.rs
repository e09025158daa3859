//! A repertoire in parts: one for each opening, or for each side.

use std::collections::{HashMap, HashSet};

use shakmaty::Color;
use tabiya_model::{Error, Game, Result};
use tabiya_openings::Opening;
use tabiya_repertoire::Repertoire;

use super::pgn::repertoire_part;
use crate::error_codes;

/// What decides the part of a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RepertoireSplitKey {
    /// The family of the opening: `Sicilian Defense`.
    Opening,
    /// Its whole name: `Sicilian Defense: Najdorf Variation`.
    Variation,
    /// This number of characters of its ECO code.
    Eco(usize),
    /// The side of the repertoire.
    Side,
}

impl RepertoireSplitKey {
    /// Reads `opening`, `variation`, `eco`, `eco:1` to `eco:3`, or `side`.
    ///
    /// # Errors
    ///
    /// If it is none of these.
    pub fn parse(text: &str) -> Result<RepertoireSplitKey> {
        Ok(match text {
            "opening" => RepertoireSplitKey::Opening,
            "variation" => RepertoireSplitKey::Variation,
            "eco" | "eco:3" => RepertoireSplitKey::Eco(3),
            "eco:1" => RepertoireSplitKey::Eco(1),
            "eco:2" => RepertoireSplitKey::Eco(2),
            "side" => RepertoireSplitKey::Side,
            _ => {
                return Err(Error::new(
                    &error_codes::BAD_SPLIT,
                    format!(
                        "{text}: repertoires are split by opening, variation, eco (eco:1, eco:2) or side"
                    ),
                ));
            }
        })
    }

    fn label(self, opening: Option<Opening>) -> &'static str {
        let Some(Opening { eco, name }) = opening else {
            return "";
        };
        match self {
            RepertoireSplitKey::Opening => name.split(':').next().unwrap_or(name),
            RepertoireSplitKey::Variation => name,
            RepertoireSplitKey::Eco(letters) => eco.get(..letters).unwrap_or(eco),
            RepertoireSplitKey::Side => "",
        }
    }
}

/// A part of a repertoire.
#[derive(Clone, Debug)]
pub struct RepertoirePart {
    /// The opening, the ECO code or the side; nothing for a part without a name.
    pub name: String,
    /// Its games.
    pub games: Vec<Game>,
    /// Its moves, without those that only lead there.
    pub moves: u64,
}

/// A move: the number of its position, and its place there.
type MovePlace = (u32, usize);

/// Splits repertoires. Each move is in one part: that of the opening of the position after it, which is the position's own
/// one or that of the shortest line to it. The shortest line to each move is in the part too, so that all parts together
/// are equal to the originals.
#[must_use]
pub fn split(repertoires: &[Repertoire], by: RepertoireSplitKey) -> Vec<RepertoirePart> {
    let mut parts = Vec::new();
    for repertoire in repertoires {
        let side = match repertoire.color() {
            Color::White => "White",
            Color::Black => "Black",
        };
        for (label, moves) in labelled_moves(repertoire, by) {
            let name = match (by, repertoires.len()) {
                (RepertoireSplitKey::Side, _) => side.to_owned(),
                (_, 0 | 1) => label.to_owned(),
                _ => format!("{side} {label}").trim_end().to_owned(),
            };
            let moves_of_part = moves.len() as u64;
            parts.push(RepertoirePart {
                name,
                games: repertoire_part(repertoire, &with_ways(repertoire, &moves)),
                moves: moves_of_part,
            });
        }
    }
    parts
}

/// The labels in the order in which they come first, with the moves of each.
fn labelled_moves(
    repertoire: &Repertoire,
    by: RepertoireSplitKey,
) -> Vec<(&'static str, Vec<MovePlace>)> {
    let place = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    // Positions come after those before them.
    let mut openings: Vec<Option<Opening>> = Vec::new();
    for (number, position) in (0..).zip(repertoire.positions()) {
        let own = tabiya_openings::of_board(&position.board);
        let before = repertoire.way_to(number).map(|(before, _)| before);
        let before = before.and_then(|before| openings.get(place(before)).copied().flatten());
        openings.push(own.or(before));
    }
    let mut found: Vec<(&'static str, Vec<MovePlace>)> = Vec::new();
    let mut known: HashMap<&'static str, usize> = HashMap::new();
    for (number, position) in (0..).zip(repertoire.positions()) {
        for (at, m) in position.moves.iter().enumerate() {
            let after = place(m.to.unwrap_or(number));
            let label = by.label(openings.get(after).copied().flatten());
            let part = *known.entry(label).or_insert_with(|| {
                found.push((label, Vec::new()));
                found.len() - 1
            });
            if let Some((_, moves)) = found.get_mut(part) {
                moves.push((number, at));
            }
        }
    }
    found
}

/// Moves, and those that lead to them.
fn with_ways(repertoire: &Repertoire, moves: &[MovePlace]) -> HashSet<MovePlace> {
    let mut all: HashSet<MovePlace> = moves.iter().copied().collect();
    let mut reached = HashSet::new();
    for (number, _) in moves {
        let mut at = *number;
        while reached.insert(at)
            && let Some(way) = repertoire.way_to(at)
        {
            all.insert(way);
            at = way.0;
        }
    }
    all
}
