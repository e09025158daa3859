//! Compares two databases by the meaning of their games. Games are aligned by their content, so that one game more or less
//! is one difference and does not shift all that follow.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::{ControlFlow, Range};

use tabiya_answers::{
    DiffAnswer, DifferenceAnswer, DifferenceKindAnswer, GameDifferenceAnswer, GamePlaceAnswer,
};
use tabiya_model::canon_game::{CanonGame, CanonStep, canon};
use tabiya_model::diff::{self as games, diff_canon};
use tabiya_model::pipeline;
use tabiya_model::{Block, Control, Error, Game, GameNeeds, JobCompletion, Result};

use crate::error_codes;
use crate::open::base::Base;

/// The place of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DiffGame {
    /// The name of its base.
    pub base: String,
    /// Its number.
    pub number: u64,
    /// Players, event and date, in words.
    pub title: String,
}

/// One difference between two databases.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DatabaseDifference {
    /// The same game with other content.
    Changed(DiffGame, DiffGame, Vec<games::GameDifference>),
    /// A game in another place.
    Moved(DiffGame, DiffGame),
    /// A game that only the first has.
    OnlyFirst(DiffGame),
    /// A game that only the second has.
    OnlySecond(DiffGame),
}

impl DatabaseDifference {
    /// The difference for programs.
    pub fn answer(&self) -> DifferenceAnswer {
        let (kind, a, b) = match self {
            DatabaseDifference::Changed(a, b, _) => {
                (DifferenceKindAnswer::Changed, Some(a), Some(b))
            }
            DatabaseDifference::Moved(a, b) => (DifferenceKindAnswer::Moved, Some(a), Some(b)),
            DatabaseDifference::OnlyFirst(a) => (DifferenceKindAnswer::OnlyA, Some(a), None),
            DatabaseDifference::OnlySecond(b) => (DifferenceKindAnswer::OnlyB, None, Some(b)),
        };
        let differences = match self {
            DatabaseDifference::Changed(_, _, differences) => Some(differences),
            _ => None,
        };
        let differences = differences.map(|all| {
            let all = all.iter().map(|difference| GameDifferenceAnswer {
                aspect: difference.aspect.name(),
                message: difference.message.clone(),
            });
            all.collect()
        });
        DifferenceAnswer {
            kind,
            a: a.map(DiffGame::answer),
            b: b.map(DiffGame::answer),
            differences,
        }
    }
}

impl DiffGame {
    fn answer(&self) -> GamePlaceAnswer {
        GamePlaceAnswer {
            base: self.base.clone(),
            number: self.number,
            title: self.title.clone(),
        }
    }
}

/// The result of a comparison.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct DiffReport {
    /// Games of the first.
    pub first: u64,
    /// Games of the second.
    pub second: u64,
    /// Games that are the same in both.
    pub same: u64,
    /// Games with other content.
    pub changed: u64,
    /// Games in another place.
    pub moved: u64,
    /// Games that only the first has.
    pub only_first: u64,
    /// Games that only the second has.
    pub only_second: u64,
    /// Whether everything was compared.
    pub ended: JobCompletion,
}

impl DiffReport {
    /// Whether there is no difference.
    pub fn is_same(&self) -> bool {
        self.changed + self.moved + self.only_first + self.only_second == 0
    }

    /// The result for programs.
    pub fn answer(&self) -> DiffAnswer {
        DiffAnswer {
            games_a: self.first,
            games_b: self.second,
            same: self.same,
            changed: self.changed,
            moved: self.moved,
            only_a: self.only_first,
            only_b: self.only_second,
            whole: self.ended.is_whole(),
        }
    }
}

/// One of the two databases: its bases, one after another.
struct DiffSide<'b> {
    bases: &'b [Base],
    /// A digest of each game, and which games of each base they are.
    digests: Vec<u64>,
    starts: Vec<usize>,
    /// Games of bases that cannot be asked for single ones: all of them.
    kept: HashMap<usize, Game>,
}

fn digest(canon: &CanonGame) -> u64 {
    let mut hasher = DefaultHasher::new();
    canon.tags.hash(&mut hasher);
    canon.start.hash(&mut hasher);
    format!("{:?}", canon.variant).hash(&mut hasher);
    canon.outcome.as_pgn().hash(&mut hasher);
    hash_steps(canon, &mut hasher);
    hasher.finish()
}

fn hash_steps(canon: &CanonGame, hasher: &mut DefaultHasher) {
    for step in &canon.steps {
        match step {
            CanonStep::Move { uci } => (0_u8, uci).hash(hasher),
            CanonStep::Nag(nag) => (1_u8, nag).hash(hasher),
            CanonStep::Comment(text) => (2_u8, text).hash(hasher),
            CanonStep::Raw(text) => (3_u8, text).hash(hasher),
            CanonStep::Extension(name, bytes) => (4_u8, name, bytes).hash(hasher),
            CanonStep::Begin => 5_u8.hash(hasher),
            CanonStep::End => 6_u8.hash(hasher),
            CanonStep::Outcome(outcome) => (7_u8, outcome.as_pgn()).hash(hasher),
        }
    }
}

impl<'b> DiffSide<'b> {
    fn read(bases: &'b [Base], control: &Control) -> Result<DiffSide<'b>> {
        let mut side = DiffSide {
            bases,
            digests: Vec::new(),
            starts: Vec::new(),
            kept: HashMap::new(),
        };
        for base in bases {
            side.starts.push(side.digests.len());
            let keep = base.database().is_none();
            let mut source = base.source(control)?;
            pipeline::run(
                &mut *source,
                control,
                || {
                    let mut game = Game::default();
                    move |block: &mut dyn Block| {
                        let (mut digests, mut kept) = (Vec::new(), Vec::new());
                        while block.next(GameNeeds::ALL, &mut game)? {
                            digests.push(digest(&canon(&game)));
                            if keep {
                                kept.push(game.clone());
                            }
                        }
                        Ok((digests, kept))
                    }
                },
                |(digests, kept)| {
                    let first = side.digests.len();
                    side.kept.extend((first..).zip(kept));
                    side.digests.extend(digests);
                    Ok(!control.is_stopped())
                },
            )?;
        }
        Ok(side)
    }

    /// The base of a game, and its number there.
    fn place(&self, at: usize) -> Option<(&'b Base, u64)> {
        let after = self.starts.partition_point(|start| *start <= at);
        let which = after.checked_sub(1)?;
        let number = at.checked_sub(*self.starts.get(which)?)? as u64 + 1;
        Some((self.bases.get(which)?, number))
    }

    fn game(&self, at: usize) -> Result<UnmatchedGame> {
        let gone = || {
            Error::new(
                &error_codes::INTERNAL,
                "a game of the comparison is missing",
            )
        };
        let (base, number) = self.place(at).ok_or_else(gone)?;
        let game = match (self.kept.get(&at), base.database()) {
            (Some(game), _) => canon(game),
            (None, Some(database)) => {
                let mut game = Game::default();
                database.read(number, GameNeeds::ALL, &mut game)?;
                canon(&game)
            }
            (None, None) => return Err(gone()),
        };
        Ok(UnmatchedGame {
            at,
            place: DiffGame {
                base: base.name().to_owned(),
                number,
                title: title(&game),
            },
            canon: game,
        })
    }
}

/// A game that has no equal on the other side in its place.
struct UnmatchedGame {
    at: usize,
    place: DiffGame,
    canon: CanonGame,
}

fn tag<'c>(canon: &'c CanonGame, name: &str) -> &'c str {
    let found = canon.tags.iter().find(|(tag, _)| tag == name);
    found.map_or("", |(_, value)| value)
}

fn title(canon: &CanonGame) -> String {
    let mut title = format!("{} - {}", tag(canon, "White"), tag(canon, "Black"));
    for name in ["Event", "Date"] {
        let value = tag(canon, name);
        if !value.is_empty() && !value.starts_with('?') {
            title.push_str(", ");
            title.push_str(value);
        }
    }
    title
}

impl UnmatchedGame {
    /// What two versions of one game have in common: players, event, round and date.
    fn header(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        for name in ["White", "Black", "Event", "Round", "Date"] {
            tag(&self.canon, name).hash(&mut hasher);
        }
        hasher.finish()
    }

    /// The movetext, and where it starts.
    fn moves(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.canon.start.hash(&mut hasher);
        hash_steps(&self.canon, &mut hasher);
        hasher.finish()
    }
}

/// Compares two databases, each of one base or of several in a row. `each` gets the differences in the order of the games,
/// and returns whether to go on; they are counted in any case.
///
/// ```
/// # fn main() -> tabiya::model::Result<()> {
/// # let one = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/pgn/ok/opera.pgn");
/// # let other = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/pgn/ok/annotated.pgn");
/// use std::ops::ControlFlow;
/// use tabiya::answers::Answer as _;
/// use tabiya::diff::diff;
/// use tabiya::model::Control;
///
/// let (first, second) = (tabiya::open(one)?, tabiya::open(other)?);
/// let both = [&first[..], &second[..]].concat();
/// let compared = diff(&first, &both, &Control::default(), |difference| {
///     println!("{}", difference.answer().json());
///     Ok(ControlFlow::Continue(()))
/// })?;
/// assert_eq!((compared.same, compared.only_second), (1, 3));
/// # Ok(())
/// # }
/// ```
pub fn diff(
    first: &[Base],
    second: &[Base],
    control: &Control,
    mut each: impl FnMut(&DatabaseDifference) -> Result<ControlFlow<()>>,
) -> Result<DiffReport> {
    let (a, b) = (
        DiffSide::read(first, control)?,
        DiffSide::read(second, control)?,
    );
    let mut found = DiffReport {
        first: a.digests.len() as u64,
        second: b.digests.len() as u64,
        ..DiffReport::default()
    };
    if control.is_stopped() {
        found.ended = control.completion();
        return Ok(found);
    }
    let gaps = align(&a.digests, &b.digests);
    let alone: usize = gaps.iter().map(|(left, _)| left.len()).sum();
    found.same = (a.digests.len() - alone) as u64;
    let mut elsewhere = MovedGames::of(&gaps, &a.digests, &b.digests);
    let mut wants = true;
    for (left, right) in gaps {
        if control.is_stopped() {
            found.ended = control.completion();
            break;
        }
        for difference in elsewhere.gap(&a, &b, left, right)? {
            match &difference {
                DatabaseDifference::Changed(..) => found.changed += 1,
                DatabaseDifference::Moved(..) => found.moved += 1,
                DatabaseDifference::OnlyFirst(_) => found.only_first += 1,
                DatabaseDifference::OnlySecond(_) => found.only_second += 1,
            }
            if wants {
                wants = each(&difference)?.is_continue();
            }
        }
    }
    Ok(found)
}

/// Games that have an equal on the other side, though not in their place.
struct MovedGames {
    /// For places on the first side: that on the second.
    of_first: HashMap<usize, usize>,
    /// Places on the second side.
    second: std::collections::HashSet<usize>,
}

impl MovedGames {
    fn of(gaps: &[(Range<usize>, Range<usize>)], a: &[u64], b: &[u64]) -> MovedGames {
        let mut places: HashMap<u64, Vec<usize>> = HashMap::new();
        for at in gaps.iter().flat_map(|(_, right)| right.clone()).rev() {
            if let Some(digest) = b.get(at) {
                places.entry(*digest).or_default().push(at);
            }
        }
        let mut elsewhere = MovedGames {
            of_first: HashMap::new(),
            second: std::collections::HashSet::new(),
        };
        for at in gaps.iter().flat_map(|(left, _)| left.clone()) {
            let found = a.get(at).and_then(|digest| places.get_mut(digest)?.pop());
            if let Some(found) = found {
                elsewhere.of_first.insert(at, found);
                elsewhere.second.insert(found);
            }
        }
        elsewhere
    }

    /// The differences of two runs of games that stand between the same games.
    fn gap(
        &mut self,
        a: &DiffSide<'_>,
        b: &DiffSide<'_>,
        left: Range<usize>,
        right: Range<usize>,
    ) -> Result<Vec<DatabaseDifference>> {
        // A long run is taken piece by piece: memory does not grow with it.
        let mut differences = Vec::new();
        let (mut from, mut other) = (left.start, right.start);
        while from < left.end || other < right.end {
            let to = left.end.min(from.saturating_add(PIECE));
            let other_to = if to == left.end && right.end - other <= 2 * PIECE {
                right.end
            } else {
                right.end.min(other.saturating_add(PIECE))
            };
            self.piece(a, b, from..to, other..other_to, &mut differences)?;
            (from, other) = (to, other_to);
        }
        Ok(differences)
    }

    fn piece(
        &self,
        a: &DiffSide<'_>,
        b: &DiffSide<'_>,
        left: Range<usize>,
        right: Range<usize>,
        differences: &mut Vec<DatabaseDifference>,
    ) -> Result<()> {
        let mut lefts: Vec<Option<UnmatchedGame>> = Vec::new();
        for at in left {
            match self.of_first.get(&at) {
                Some(found) => {
                    let moved = DatabaseDifference::Moved(a.game(at)?.place, b.game(*found)?.place);
                    differences.push(moved);
                }
                None => lefts.push(Some(a.game(at)?)),
            }
        }
        let mut rights: Vec<Option<UnmatchedGame>> = Vec::new();
        for at in right.filter(|at| !self.second.contains(at)) {
            rights.push(Some(b.game(at)?));
        }
        let mut pairs = Vec::new();
        pair(&mut lefts, &mut rights, UnmatchedGame::header, &mut pairs);
        pair(&mut lefts, &mut rights, UnmatchedGame::moves, &mut pairs);
        let (lefts, rights): (Vec<UnmatchedGame>, Vec<UnmatchedGame>) = (
            lefts.into_iter().flatten().collect(),
            rights.into_iter().flatten().collect(),
        );
        let mut ordered: Vec<(usize, usize, DatabaseDifference)> = Vec::new();
        if lefts.len() == rights.len() {
            pairs.extend(lefts.into_iter().zip(rights));
        } else {
            for read in lefts {
                ordered.push((read.at, 0, DatabaseDifference::OnlyFirst(read.place)));
            }
            for read in rights {
                ordered.push((
                    usize::MAX,
                    read.at,
                    DatabaseDifference::OnlySecond(read.place),
                ));
            }
        }
        for (one, other) in pairs {
            let found = diff_canon(&one.canon, &other.canon);
            let changed = DatabaseDifference::Changed(one.place, other.place, found);
            ordered.push((one.at, other.at, changed));
        }
        ordered.sort_by_key(|(first, second, _)| (*first, *second));
        differences.extend(ordered.into_iter().map(|(.., difference)| difference));
        Ok(())
    }
}

/// Games of a run without an equal that are held in memory at a time.
const PIECE: usize = 1024;

/// Pairs games with equal keys, in their order.
fn pair(
    lefts: &mut [Option<UnmatchedGame>],
    rights: &mut [Option<UnmatchedGame>],
    key: impl Fn(&UnmatchedGame) -> u64,
    pairs: &mut Vec<(UnmatchedGame, UnmatchedGame)>,
) {
    let mut places: HashMap<u64, Vec<usize>> = HashMap::new();
    for (at, read) in rights.iter().enumerate().rev() {
        if let Some(read) = read {
            match places.entry(key(read)) {
                Entry::Vacant(entry) => {
                    entry.insert(vec![at]);
                }
                Entry::Occupied(mut entry) => entry.get_mut().push(at),
            }
        }
    }
    for left in lefts {
        let found = left
            .as_ref()
            .and_then(|read| places.get_mut(&key(read))?.pop());
        let right = found.and_then(|at| rights.get_mut(at)?.take());
        if let Some(right) = right
            && let Some(left) = left.take()
        {
            pairs.push((left, right));
        }
    }
}

/// The runs on either side that have no equal in their place, in order: what stands between the games of a long common
/// subsequence. Games that occur once on each side lead, as in patience.
fn align(a: &[u64], b: &[u64]) -> Vec<(Range<usize>, Range<usize>)> {
    let mut gaps = Vec::new();
    let mut stack = vec![(0..a.len(), 0..b.len())];
    while let Some((mut left, mut right)) = stack.pop() {
        while !left.is_empty() && !right.is_empty() && a.get(left.start) == b.get(right.start) {
            left.start += 1;
            right.start += 1;
        }
        while !left.is_empty() && !right.is_empty() && a.get(left.end - 1) == b.get(right.end - 1) {
            left.end -= 1;
            right.end -= 1;
        }
        if left.is_empty() && right.is_empty() {
            continue;
        }
        let anchors = if left.is_empty() || right.is_empty() {
            Vec::new()
        } else {
            anchors(a, b, &left, &right)
        };
        if anchors.is_empty() {
            gaps.push((left, right));
            continue;
        }
        // The last piece first, so that the pieces come off the stack in order.
        let (mut end, mut other_end) = (left.end, right.end);
        for (at, other) in anchors.into_iter().rev() {
            stack.push((at + 1..end, other + 1..other_end));
            (end, other_end) = (at, other);
        }
        stack.push((left.start..end, right.start..other_end));
        // They were pushed from the last to the first.
    }
    gaps.sort_by_key(|(left, right)| (left.start, right.start));
    gaps
}

/// Games that occur once on each side, as many as stand in the same order on both.
fn anchors(a: &[u64], b: &[u64], left: &Range<usize>, right: &Range<usize>) -> Vec<(usize, usize)> {
    let once = |digests: &[u64], range: &Range<usize>| {
        let mut seen: HashMap<u64, Option<usize>> = HashMap::new();
        for at in range.clone() {
            if let Some(digest) = digests.get(at) {
                seen.entry(*digest)
                    .and_modify(|place| *place = None)
                    .or_insert(Some(at));
            }
        }
        seen
    };
    let (lefts, rights) = (once(a, left), once(b, right));
    let candidates: Vec<(usize, usize)> = left
        .clone()
        .filter_map(|at| {
            let digest = a.get(at)?;
            let at = (*lefts.get(digest)?)?;
            Some((at, (*rights.get(digest)?)?))
        })
        .collect();
    // The longest rising run of the places on the right: `tails` holds the last candidate of each length.
    let mut tails: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(candidates.len());
    let right_of = |index: usize| candidates.get(index).map_or(0, |(_, right)| *right);
    for (index, (_, right)) in candidates.iter().enumerate() {
        let length = tails.partition_point(|tail| right_of(*tail) < *right);
        before.push(length.checked_sub(1).and_then(|at| tails.get(at).copied()));
        match tails.get_mut(length) {
            Some(tail) => *tail = index,
            None => tails.push(index),
        }
    }
    let mut chain = Vec::with_capacity(tails.len());
    let mut next = tails.last().copied();
    while let Some(index) = next {
        chain.extend(candidates.get(index).copied());
        next = before.get(index).copied().flatten();
    }
    chain.reverse();
    chain
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn one_more_game_is_one_gap() {
        assert_eq!(align(&[1, 2, 3, 4], &[1, 2, 9, 3, 4]), [(2..2, 2..3)]);
        assert_eq!(align(&[1, 1, 1], &[1, 1]), [(2..3, 2..2)]);
        assert_eq!(align(&[1, 2, 3], &[1, 8, 3]), [(1..2, 1..2)]);
        assert_eq!(align(&[], &[]), []);
        assert_eq!(
            align(&[1, 2, 3, 4], &[2, 3, 4, 1]),
            [(0..1, 0..0), (4..4, 3..4)]
        );
    }

    proptest! {
        #[test]
        fn what_is_between_the_gaps_is_equal(a in prop::collection::vec(0..12_u64, 0..40), b in prop::collection::vec(0..12_u64, 0..40)) {
            let (mut at, mut other) = (0, 0);
            for (left, right) in align(&a, &b) {
                prop_assert_eq!(&a[at..left.start], &b[other..right.start]);
                prop_assert!(!left.is_empty() || !right.is_empty());
                (at, other) = (left.end, right.end);
            }
            prop_assert_eq!(&a[at..], &b[other..]);
        }
    }
}
