//! Which games every name has: the numbers that all records have, and lists of them by names.

use std::io::{self, Write};

use crate::cbh2::name_roles::Cbh2NameRole;

/// No name.
const NONE: u32 = u32::MAX;
/// The bytes of the header.
const HEADER: [u32; 3] = [256, 0, 0];
/// The numbers of a record: the heads of the lists of a name, and a block of some list.
const SLOTS: usize = 64;
/// The first slot of a block.
const BLOCK: usize = 32;
/// The games of a block, behind the next block and the count.
const IDS: usize = 30;
/// What marks one or two games.
const FEW: i64 = 1 << 62;
/// What marks games that follow each other.
const RUN: i64 = 1 << 61;
/// Bytes that wait to be written.
const FLUSH: usize = 1 << 20;

/// The kind of a record, by which its title has a role.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Cbh2UseKind {
    Game,
    Text,
    Analysis,
    Unknown,
}

/// The names of a record by their numbers: White, Black, annotator, tournament, source, teams, title.
#[derive(Copy, Clone, Debug)]
pub(super) struct Cbh2NameUses {
    kind: Cbh2UseKind,
    names: [u32; 8],
}

impl Cbh2NameUses {
    pub(super) fn new(kind: Cbh2UseKind, names: [Option<u32>; 8]) -> Cbh2NameUses {
        Cbh2NameUses {
            kind,
            names: names.map(|name| name.unwrap_or(NONE)),
        }
    }

    /// The names of a role.
    fn of(&self, role: Cbh2NameRole) -> impl Iterator<Item = u32> + use<> {
        let [
            white,
            black,
            annotator,
            tournament,
            source,
            white_team,
            black_team,
            title,
        ] = self.names;
        let titled = |kind| if self.kind == kind { title } else { NONE };
        let found = match role {
            Cbh2NameRole::Player => [white, black],
            Cbh2NameRole::Tournament => [tournament, NONE],
            Cbh2NameRole::Source => [source, NONE],
            Cbh2NameRole::Annotator => [annotator, NONE],
            Cbh2NameRole::Team => [white_team, black_team],
            Cbh2NameRole::GameTitle => [titled(Cbh2UseKind::Game), NONE],
            Cbh2NameRole::TextTitle => [titled(Cbh2UseKind::Text), NONE],
            Cbh2NameRole::AnalysisTitle => [titled(Cbh2UseKind::Analysis), NONE],
        };
        found.into_iter().filter(|name| *name != NONE)
    }
}

/// The games of all names in one role.
#[derive(Clone, Debug)]
pub(super) struct Cbh2RoleGames {
    /// Where the games of each name begin, and where those of the last one end.
    starts: Vec<u32>,
    games: Vec<u32>,
}

impl Cbh2RoleGames {
    /// Collects those of a role that so many names can have.
    pub(super) fn collect(uses: &[Cbh2NameUses], role: Cbh2NameRole, names: u32) -> Cbh2RoleGames {
        let mut starts = vec![0_u32; names as usize + 1];
        let all = || {
            (1_u32..)
                .zip(uses)
                .flat_map(|(game, uses)| uses.of(role).map(move |name| (name, game)))
        };
        for (name, _) in all() {
            if let Some(count) = starts.get_mut(name as usize + 1) {
                *count += 1;
            }
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut next = starts.clone();
        let mut games = vec![0; sum as usize];
        for (name, game) in all() {
            let Some(at) = next.get_mut(name as usize) else {
                continue;
            };
            if let Some(slot) = games.get_mut(*at as usize) {
                *slot = game;
            }
            *at += 1;
        }
        Cbh2RoleGames { starts, games }
    }

    /// The games of a name, in their order.
    pub(super) fn of(&self, name: u32) -> &[u32] {
        let bound = |at: usize| self.starts.get(at).map(|start| *start as usize);
        let (start, end) = (bound(name as usize), bound(name as usize + 1));
        start
            .zip(end)
            .and_then(|(start, end)| self.games.get(start..end))
            .unwrap_or(&[])
    }
}

/// How the games of a name are stored.
fn form(games: &[u32]) -> Cbh2ListForm {
    let is_run = || {
        games
            .windows(2)
            .all(|pair| matches!(pair, [a, b] if *b == *a + 1))
    };
    match games {
        [] => Cbh2ListForm::Empty,
        [one] => Cbh2ListForm::Few(*one, None),
        [one, two] => Cbh2ListForm::Few(*one, Some(*two)),
        [first, .., last] if is_run() => Cbh2ListForm::Run(*first, *last),
        games => Cbh2ListForm::Blocks(games.len().div_ceil(IDS) as i64),
    }
}

/// The forms of a list.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Cbh2ListForm {
    Empty,
    Few(u32, Option<u32>),
    /// From one game to another, without a gap.
    Run(u32, u32),
    /// In so many blocks.
    Blocks(i64),
}

/// Writes the file of all lists; gives its size. Blocks follow each other by roles and names.
pub(super) fn write(out: &mut dyn Write, roles: &[Cbh2RoleGames; 8]) -> io::Result<u64> {
    let count = |role: &Cbh2RoleGames| u32::try_from(role.starts.len()).unwrap_or(1) - 1;
    let names = roles.iter().map(count).max().unwrap_or(0);
    let mut first_blocks = [0; 8];
    let mut blocks = 0;
    for (role, first) in roles.iter().zip(&mut first_blocks) {
        *first = blocks;
        for name in 0..count(role) {
            if let Cbh2ListForm::Blocks(own) = form(role.of(name)) {
                blocks += own;
            }
        }
    }
    let lists = roles
        .iter()
        .flat_map(|role| (0..count(role)).map(|name| role.of(name)))
        .filter(|games| matches!(form(games), Cbh2ListForm::Blocks(_)));
    let mut chunks = lists.flat_map(|games| {
        let last = games.len().div_ceil(IDS);
        (1..)
            .zip(games.chunks(IDS))
            .map(move |(number, chunk)| (chunk, number < last))
    });
    let mut bytes = Vec::new();
    let [mark, _, zero] = HEADER;
    for word in [mark, u32::try_from(blocks).unwrap_or(u32::MAX), zero] {
        bytes.extend(word.to_le_bytes());
    }
    let mut size = 0;
    for number in 0..i64::from(names).max(blocks) {
        let mut record = [-1; SLOTS];
        let heads = u32::try_from(number).ok().filter(|name| *name < names);
        head(&mut record, heads, roles, &mut first_blocks);
        let chunk = chunks.next();
        let (games, has_next) = chunk.unwrap_or((&[], false));
        let (_, block) = record.split_at_mut(BLOCK);
        let content = [if has_next { number + 1 } else { -1 }, games.len() as i64];
        let content = content
            .into_iter()
            .chain(games.iter().map(|game| i64::from(*game)));
        for (slot, value) in block.iter_mut().zip(content) {
            *slot = value;
        }
        bytes.extend(record.iter().flat_map(|slot| slot.to_le_bytes()));
        if bytes.len() > FLUSH {
            out.write_all(&bytes)?;
            size += bytes.len() as u64;
            bytes.clear();
        }
    }
    out.write_all(&bytes)?;
    Ok(size + bytes.len() as u64)
}

/// The heads of the lists of a name, if there is one; `next` are the blocks that follow in every role.
fn head(
    record: &mut [i64; SLOTS],
    name: Option<u32>,
    roles: &[Cbh2RoleGames; 8],
    next: &mut [i64; 8],
) {
    let mut put = |at: usize, value: i64| {
        if let Some(slot) = record.get_mut(at) {
            *slot = value;
        }
    };
    for (at, value) in [(20, 0), (29, 0), (30, 12), (31, 0)] {
        put(at, value);
    }
    for ((place, role), next) in (1..).zip(roles).zip(next) {
        let games = name.map_or(&[][..], |name| role.of(name));
        let (first, last) = match form(games) {
            Cbh2ListForm::Empty => (-1, -1),
            Cbh2ListForm::Few(one, two) => (FEW + i64::from(one), two.map_or(-1, i64::from)),
            Cbh2ListForm::Run(first, last) => (RUN + i64::from(first), RUN + i64::from(last)),
            Cbh2ListForm::Blocks(count) => {
                let first = *next;
                *next += count;
                (first, *next - 1)
            }
        };
        put(place, first);
        put(10 + place, last);
        put(20 + place, games.len() as i64);
    }
}
