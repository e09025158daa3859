//! Players whose names are spelt in several ways: which names may be one, and the evidence for and against.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use tabiya_model::facts::NameTable;
use tabiya_model::{Control, JobCompletion};
use tabiya_query::fold::fold;
use tabiya_query::names::{NameTest, key_words, without_titles};
use tabiya_query::spelling::{LONG, is_one_letter_apart, skeleton};
use tabiya_stats::crosstable::CrosstableGames;

use super::known_names::{KnownName, KnownNames};
use super::{NameVariant, NamesCluster, VariantKind};

/// Names that share a word, at most: beyond, only those with the same skeleton are compared.
const CROWD: usize = 3_000;
/// Names that a short one is told to stand for, at most.
const TOLD: usize = 5;
/// The years of a player's life at a board.
const LIFE: u16 = 80;
/// Ratings of one year that differ by more are of two players.
const APART: u16 = 250;

/// A name as it is compared.
struct ComparedName<'n, 'g> {
    known: &'n KnownName<'g>,
    /// Whether it has a title before it.
    is_titled: bool,
    bones: String,
    test: NameTest,
    /// As it is written, but for case and accents: the initial of `Philipp` is P, whatever it sounds like.
    written: String,
    test_as_written: NameTest,
    /// Its words in order of the alphabet.
    words: Vec<String>,
    surname: String,
    given: String,
}

impl<'n, 'g> ComparedName<'n, 'g> {
    fn new(known: &'n KnownName<'g>) -> ComparedName<'n, 'g> {
        let folded = fold(known.name);
        let name = without_titles(&folded);
        let bones = skeleton(name);
        let words_of = |text: &str| -> Vec<String> {
            let words = text.split(|sign: char| !sign.is_alphanumeric());
            words
                .filter(|word| !word.is_empty())
                .map(str::to_owned)
                .collect()
        };
        let (surname, given) = bones.split_once(',').unwrap_or((&bones, ""));
        let (surname, given) = (words_of(surname).join(" "), words_of(given).join(" "));
        let mut words = words_of(&bones);
        words.sort_unstable();
        ComparedName {
            known,
            is_titled: name.len() < folded.trim_start().len(),
            test: NameTest::new(&bones),
            bones,
            test_as_written: NameTest::new(name),
            written: name.to_owned(),
            words,
            surname,
            given,
        }
    }

    /// How much of the name is told: those that tell more stand for those that tell less.
    fn fullness(&self) -> usize {
        self.words.iter().map(String::len).sum::<usize>() + 4 * usize::from(!self.given.is_empty())
    }

    /// The words by which names that may be one are brought together.
    fn keys(&self, misspelt: bool) -> Vec<String> {
        let mut keys: Vec<String> = key_words(&self.bones)
            .into_iter()
            .flatten()
            .map(str::to_owned)
            .collect();
        // A first name that stands where the last one belongs.
        if let Some(first) = self.given.split(' ').next().filter(|word| word.len() >= 3) {
            keys.push(first.to_owned());
        }
        if misspelt && self.given.len() >= 3 && self.surname.len() >= LONG {
            let signs: Vec<char> = self.surname.chars().collect();
            let front: String = signs.iter().take(3).collect();
            let back: String = signs.iter().rev().take(3).collect();
            keys.push(format!("{}<{front}", self.given));
            keys.push(format!("{}>{back}", self.given));
        }
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    fn how(&self, other: &ComparedName<'_, '_>, misspelt: bool) -> Option<VariantKind> {
        if self.bones == other.bones && self.is_titled != other.is_titled {
            return Some(VariantKind::Title);
        }
        let is_same_surname = self.surname == other.surname;
        if self.bones == other.bones || (self.words == other.words && is_same_surname) {
            return Some(VariantKind::Spelling);
        }
        if self.words.len() >= 2 && self.words == other.words {
            return Some(VariantKind::Swapped);
        }
        if self.may_be_short_for(other) || other.may_be_short_for(self) {
            return Some(VariantKind::Short);
        }
        let is_near = misspelt
            && self.given.len() >= 3
            && self.given == other.given
            && self.surname.len() >= LONG
            && other.surname.len() >= LONG
            && is_one_letter_apart(&self.surname, &other.surname);
        is_near.then_some(VariantKind::Misspelt)
    }

    fn may_be_short_for(&self, other: &ComparedName<'_, '_>) -> bool {
        self.test.matches(&other.bones) || self.test_as_written.matches(&other.written)
    }
}

/// Whether a name is of several who play together, or of a player and a program.
fn is_of_several(name: &str) -> bool {
    name.contains([':', '/', '&', '+', ';'])
}

/// What games say about two names being one player.
struct SamePlayerEvidence {
    /// Why they cannot be.
    against: bool,
    /// What speaks for it.
    evidence: Vec<String>,
}

fn judge(
    names: &KnownNames<'_>,
    gathered: &CrosstableGames,
    one: &KnownName<'_>,
    other: &KnownName<'_>,
) -> SamePlayerEvidence {
    let mut against = false;
    let mut seen: HashSet<(u32, u32, u32, Option<u16>)> = HashSet::new();
    let mut events: HashSet<(u32, u32, Option<u16>)> = HashSet::new();
    let mut opponents: HashSet<u32> = HashSet::new();
    let mut ratings: BTreeMap<u16, (u16, u16)> = BTreeMap::new();
    for (entry, side) in names.entries(one) {
        let opponent = entry.players.get(1 - side).copied().unwrap_or(u32::MAX);
        against |= gathered.name(opponent) == other.name;
        opponents.insert(opponent);
        let year = entry.date.year;
        if !matches!(gathered.name(entry.event), "" | "?") {
            events.insert((entry.event, entry.site, year));
            if !matches!(gathered.name(entry.round), "" | "?" | "-") {
                seen.insert((entry.event, entry.site, entry.round, year));
            }
        }
        if let (Some(year), elo @ 1..) = (year, entry.elos.get(side).copied().unwrap_or(0)) {
            let range = ratings.entry(year).or_insert((elo, elo));
            *range = (range.0.min(elo), range.1.max(elo));
        }
    }
    let (mut shared_opponents, mut shared_years) = (BTreeSet::new(), BTreeSet::new());
    let mut near = false;
    for (entry, side) in names.entries(other) {
        let opponent = entry.players.get(1 - side).copied().unwrap_or(u32::MAX);
        if opponents.contains(&opponent) {
            shared_opponents.insert(opponent);
        }
        let year = entry.date.year;
        against |= seen.contains(&(entry.event, entry.site, entry.round, year));
        // Two names in one event are two players; the rounds are only told by some.
        against |= events.contains(&(entry.event, entry.site, year));
        if let (Some(year), elo @ 1..) = (year, entry.elos.get(side).copied().unwrap_or(0))
            && let Some((least, most)) = ratings.get(&year)
        {
            let gap = least.saturating_sub(elo).max(elo.saturating_sub(*most));
            against |= gap > APART;
            near |= gap <= 50;
            shared_years.insert(year);
        }
    }
    let (one, other) = (names.named(one), names.named(other));
    let mut evidence = Vec::new();
    if let (Some((first, last)), Some((their_first, their_last))) = (one.years, other.years) {
        let life = last.max(their_last) - first.min(their_first);
        against |= life > LIFE;
        let overlap = first <= their_last && their_first <= last;
        evidence.push(match overlap {
            true => format!("years {first}-{last} and {their_first}-{their_last} overlap"),
            false => format!("years {first}-{last} and {their_first}-{their_last}"),
        });
    }
    if let (Some((least, most)), Some((their_least, their_most))) = (one.elos, other.elos) {
        let alike = if near { ", close in the same year" } else { "" };
        evidence.push(format!(
            "Elo {least}-{most} and {their_least}-{their_most}{alike}"
        ));
    }
    if !shared_opponents.is_empty() {
        evidence.push(match shared_opponents.len() {
            1 => "an opponent in common".to_owned(),
            count => format!("{count} opponents in common"),
        });
    }
    if !against {
        evidence.push("never in one event, never against each other".to_owned());
    }
    SamePlayerEvidence { against, evidence }
}

/// The names that may be one player.
pub(super) fn groups(
    names: &KnownNames<'_>,
    gathered: &CrosstableGames,
    misspelt: bool,
    notes: &mut Vec<String>,
    control: &Control,
) -> (Vec<NamesCluster>, JobCompletion) {
    let one = |known: &&KnownName<'_>| !is_of_several(known.name);
    let compared: Vec<ComparedName<'_, '_>> = names
        .all
        .iter()
        .filter(one)
        .map(ComparedName::new)
        .collect();
    let mut buckets: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, name) in compared.iter().enumerate() {
        for key in name.keys(misspelt) {
            buckets.entry(key).or_default().push(at);
        }
    }
    // For each name those that it may be, and how.
    let mut related: BTreeMap<(usize, usize), VariantKind> = BTreeMap::new();
    for (key, bucket) in &buckets {
        if control.is_stopped() {
            return (Vec::new(), control.completion());
        }
        if bucket.len() > CROWD {
            notes.push(format!(
                "{} names share `{key}`: only those that differ in nothing but their spelling are compared",
                bucket.len()
            ));
            let mut same: HashMap<&str, usize> = HashMap::new();
            for at in bucket {
                let Some(name) = compared.get(*at) else {
                    continue;
                };
                let first = *same.entry(&name.bones).or_insert(*at);
                if first != *at {
                    related.insert((first.min(*at), first.max(*at)), VariantKind::Spelling);
                }
            }
            continue;
        }
        for (place, one) in bucket.iter().enumerate() {
            for other in bucket.iter().skip(place + 1) {
                let (Some(a), Some(b)) = (compared.get(*one), compared.get(*other)) else {
                    continue;
                };
                if let Some(how) = a.how(b, misspelt) {
                    let pair = (*one.min(other), *one.max(other));
                    let known = related.entry(pair).or_insert(how);
                    *known = (*known).min(how);
                }
            }
        }
    }
    settle(names, gathered, &compared, &related, control)
}

/// A name on its way into a group.
struct NamesClusterMember {
    at: usize,
    how: VariantKind,
    evidence: Vec<String>,
    /// The heads of other groups in which it may belong.
    others: Vec<usize>,
}

/// Makes groups of pairs. The fullest names come first, among them those with the most games: shorter ones are given to the one that they
/// may stand for, and told where there are several.
fn settle(
    names: &KnownNames<'_>,
    gathered: &CrosstableGames,
    compared: &[ComparedName<'_, '_>],
    related: &BTreeMap<(usize, usize), VariantKind>,
    control: &Control,
) -> (Vec<NamesCluster>, JobCompletion) {
    let mut neighbours: BTreeMap<usize, Vec<(usize, VariantKind)>> = BTreeMap::new();
    for ((one, other), how) in related {
        neighbours.entry(*one).or_default().push((*other, *how));
        neighbours.entry(*other).or_default().push((*one, *how));
    }
    let games = |at: usize| compared.get(at).map_or(0, |name| name.known.games.len());
    let mut order: Vec<usize> = neighbours.keys().copied().collect();
    order.sort_by_cached_key(|at| {
        let name = compared.get(*at);
        (
            std::cmp::Reverse(name.map_or(0, ComparedName::fullness)),
            name.is_some_and(|name| name.is_titled),
            std::cmp::Reverse(games(*at)),
            *at,
        )
    });
    // The head of each name's group.
    let mut head: HashMap<usize, usize> = HashMap::new();
    let mut members: BTreeMap<usize, Vec<NamesClusterMember>> = BTreeMap::new();
    for at in order {
        if control.is_stopped() {
            return (Vec::new(), control.completion());
        }
        let mut fitting: BTreeMap<usize, (VariantKind, Vec<String>)> = BTreeMap::new();
        for (other, how) in neighbours.get(&at).into_iter().flatten() {
            let Some(top) = head.get(other).copied() else {
                continue;
            };
            let (Some(one), Some(two)) = (compared.get(at), compared.get(*other)) else {
                continue;
            };
            let judgement = judge(names, gathered, two.known, one.known);
            if !judgement.against {
                let known = fitting.entry(top).or_insert((*how, judgement.evidence));
                known.0 = known.0.min(*how);
            }
        }
        // What is only spelled in another way is no doubt about who is meant.
        let best = fitting.values().map(|(how, _)| *how).min();
        if best.is_some_and(|how| how < VariantKind::Short) {
            fitting.retain(|_, (how, _)| *how < VariantKind::Short);
        }
        let mut tops = fitting.into_iter();
        let Some((top, (how, evidence))) = tops.next() else {
            head.insert(at, at);
            continue;
        };
        let others: Vec<usize> = tops.map(|(top, _)| top).collect();
        if others.is_empty() {
            head.insert(at, top);
        }
        members.entry(top).or_default().push(NamesClusterMember {
            at,
            how,
            evidence,
            others,
        });
    }
    let mut groups: Vec<NamesCluster> = members
        .into_iter()
        .filter_map(|(top, members)| group(names, compared, top, members))
        .collect();
    groups.sort_by_key(|group| {
        let games: u64 = group
            .variants
            .iter()
            .map(|variant| variant.named.games)
            .sum();
        (
            std::cmp::Reverse(games + group.keep.games),
            group.keep.name.clone(),
        )
    });
    (groups, JobCompletion::Whole)
}

fn group(
    names: &KnownNames<'_>,
    compared: &[ComparedName<'_, '_>],
    top: usize,
    members: Vec<NamesClusterMember>,
) -> Option<NamesCluster> {
    let named = |at: usize| compared.get(at).map(|name| names.named(name.known));
    let mut variants: Vec<NameVariant> = Vec::new();
    for member in members {
        let or = member.others.into_iter().take(TOLD);
        let or = or.filter_map(|at| named(at).map(|named| named.name));
        variants.push(NameVariant {
            named: named(member.at)?,
            how: member.how,
            evidence: member.evidence,
            or: or.collect(),
        });
    }
    let mut keep = named(top)?;
    // Of names that differ in their spelling alone, the one with the most games stays.
    for variant in &mut variants {
        let is_full = matches!(
            variant.how,
            VariantKind::Spelling | VariantKind::Swapped | VariantKind::Misspelt
        );
        if is_full && variant.or.is_empty() && variant.named.games > keep.games {
            std::mem::swap(&mut keep, &mut variant.named);
        }
    }
    Some(NamesCluster {
        table: NameTable::Players,
        keep,
        variants,
    })
}
