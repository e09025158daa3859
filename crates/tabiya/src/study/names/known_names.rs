//! The names of one kind, with the games of each.

use std::collections::HashMap;

use tabiya_model::facts::NameTable;
use tabiya_stats::crosstable::{CrosstableGame, CrosstableGames};

use super::NameUsage;

/// One of them.
pub(super) struct KnownName<'g> {
    pub(super) name: &'g str,
    /// The places of its games, and for players the side: 0 for White.
    pub(super) games: Vec<(u32, u8)>,
}

/// All names of one kind.
pub(super) struct KnownNames<'g> {
    gathered: &'g CrosstableGames,
    is_players: bool,
    pub(super) all: Vec<KnownName<'g>>,
}

/// Whether a name says nothing.
fn is_blank(name: &str) -> bool {
    name.trim_matches([' ', '?', '-', ',', '.']).is_empty()
}

impl<'g> KnownNames<'g> {
    pub(super) fn of(gathered: &'g CrosstableGames, table: NameTable) -> KnownNames<'g> {
        let mut places: HashMap<u32, usize> = HashMap::new();
        let mut all: Vec<KnownName<'g>> = Vec::new();
        for (game, place) in gathered.games.iter().zip(0_u32..) {
            let numbers: &[u32] = match table {
                NameTable::Players => &game.players,
                NameTable::Events => std::slice::from_ref(&game.event),
                NameTable::Sites => std::slice::from_ref(&game.site),
                NameTable::Rounds => std::slice::from_ref(&game.round),
            };
            for (number, side) in numbers.iter().zip(0_u8..) {
                let at = *places.entry(*number).or_insert_with(|| {
                    all.push(KnownName {
                        name: gathered.name(*number),
                        games: Vec::new(),
                    });
                    all.len() - 1
                });
                if let Some(known) = all.get_mut(at) {
                    known.games.push((place, side));
                }
            }
        }
        all.retain(|known| !is_blank(known.name));
        KnownNames {
            gathered,
            is_players: table == NameTable::Players,
            all,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// The games of a name.
    pub(super) fn entries<'s>(
        &'s self,
        known: &'s KnownName<'g>,
    ) -> impl Iterator<Item = (&'g CrosstableGame, usize)> + 's {
        let entry = |place: u32| self.gathered.games.get(usize::try_from(place).ok()?);
        known
            .games
            .iter()
            .filter_map(move |(place, side)| Some((entry(*place)?, usize::from(*side))))
    }

    /// A name with what its games say.
    pub(super) fn named(&self, known: &KnownName<'g>) -> NameUsage {
        let widen = |range: Option<(u16, u16)>, value: u16| {
            Some(range.map_or((value, value), |(least, most)| {
                (least.min(value), most.max(value))
            }))
        };
        let (mut years, mut elos) = (None, None);
        for (entry, side) in self.entries(known) {
            if let Some(year) = entry.date.year {
                years = widen(years, year);
            }
            let elo = entry.elos.get(side).copied().unwrap_or(0);
            if self.is_players && elo > 0 {
                elos = widen(elos, elo);
            }
        }
        NameUsage {
            name: known.name.to_owned(),
            // A game in which both players bear one name is one game.
            games: known.games.chunk_by(|one, next| one.0 == next.0).count() as u64,
            years,
            elos,
        }
    }
}
