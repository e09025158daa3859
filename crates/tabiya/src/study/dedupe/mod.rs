//! Duplicate games: the same players, in any spelling, the same year, and the same moves, or moves with which the other
//! game begins.
//!
//! There are three passes. The first makes a row of each game, from an index if there is one, and sorts rows of the same
//! players together. The second hashes the moves of possible duplicates, and a third compares beginnings if one game is
//! longer. Each is linear in its input, for any games.

mod annotations;
mod cluster;
mod line_hashes;
mod names;
mod pair;
mod rows;
mod same_game;
mod write;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::{ControlFlow, Range};

use shakmaty::Color;
use tabiya_io::held_folder;
use tabiya_model::collect::{CollectorPass, PassRange};
use tabiya_model::facts::{FactFields, FactSource};
use tabiya_model::{Control, Database, Error, Game, GameNeeds, JobCompletion, Result};

use crate::error_codes;
use crate::open::base::Base;
use crate::select::base_view::BaseView;
use crate::select::list::GameListRow;
use crate::select::selection::Selection;

use self::cluster::{BeginningsRequest, DedupeCandidate, DuplicateClusters};
use self::line_hashes::{BeginningHashes, DedupeFactsBuilder, LineHasher};
use self::names::{NameComparer, NameKey, NameMatch};
use self::rows::{DedupeRow, DedupeRowBuilder};

pub use self::pair::{DuplicateGame, DuplicateKind, DuplicatePair};
pub use self::write::{AnnotationMerges, WISH, copy, mark, merge_in_place, unmark};

/// Which of two games is kept; if it does not decide, the next one does.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum KeepCriterion {
    /// The one with more moves.
    #[default]
    Moves,
    /// The one with more comments, NAGs and variations.
    Annotations,
    /// The one with more ratings.
    Elo,
    /// The last one.
    Newest,
    /// The first one.
    First,
}

/// What counts as a duplicate.
#[derive(Clone, Debug, Default)]
pub struct DedupeOptions {
    /// Which of two games is kept.
    pub keep: KeepCriterion,
    /// Whether games with reversed colours count, too.
    pub swapped: bool,
    /// Whether games whose surnames differ in one letter count, too.
    pub misspelt: bool,
}

/// The duplicates that were found.
#[derive(Clone, Debug, Default)]
pub struct DedupeReport {
    /// Games that were compared.
    pub games: u64,
    /// Pairs of games.
    pub pairs: u64,
    /// The numbers of the games to drop, rising, base by base.
    pub drops: Vec<Vec<u64>>,
    /// Damaged games with the same players as others: they are not duplicates, since their full content is unknown.
    pub damaged: u64,
    /// Notes on indexes that are not used.
    pub notes: Vec<String>,
    /// Whether all games were compared.
    pub ended: JobCompletion,
}

/// Takes a pair that was found; returns whether to go on.
pub type DuplicateCallback<'e> = dyn FnMut(&DuplicatePair) -> Result<ControlFlow<()>> + 'e;

/// A base with what is known of its games.
struct DedupeSource<'b> {
    base: &'b Base,
    view: BaseView<'b>,
    /// How many games are in the bases before.
    before: u64,
    games: u64,
    keys: Vec<NameKey>,
}

impl DedupeSource<'_> {
    fn database(&self) -> &dyn Database {
        self.view.database()
    }

    fn facts(&self) -> Option<&dyn FactSource> {
        self.database().facts()
    }

    /// Its games among all.
    fn range(&self) -> Range<u64> {
        self.before..self.before + self.games
    }

    /// Those of rising games that are its own.
    fn games_of<'g>(&self, games: &'g [u32]) -> &'g [u32] {
        let first = games.partition_point(|game| u64::from(*game) < self.range().start);
        let end = games.partition_point(|game| u64::from(*game) < self.range().end);
        games.get(first..end).unwrap_or(&[])
    }

    /// The numbers of its games.
    fn numbers(&self, games: impl Iterator<Item = u32>) -> Vec<u64> {
        games
            .map(|game| u64::from(game).saturating_sub(self.before) + 1)
            .collect()
    }

    /// Whether its index knows what moves there are, so that no game need be read for it.
    fn has_hints(&self) -> bool {
        let of_moves = FactFields::PLIES.union(FactFields::MOVES);
        let first = self.facts().and_then(|facts| facts.fact(1, of_moves));
        first.is_some_and(|fact| !fact.unsaid.meets(of_moves))
    }
}

/// Finds duplicates in bases and among them. Games that are left out are not compared.
///
/// # Errors
///
/// If games cannot be read, and if a base can be read only once.
///
/// ```
/// # fn main() -> tabiya::model::Result<()> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/pgn/ok/opera.pgn");
/// # let folder = tempfile::tempdir()?;
/// # let copy = folder.path().join("copy.pgn");
/// # std::fs::copy(path, &copy)?;
/// use std::ops::ControlFlow;
/// use tabiya::Selection;
/// use tabiya::dedupe::{DedupeOptions, dedupe};
/// use tabiya::model::Control;
///
/// let games = Selection::of([tabiya::open(path)?, tabiya::open(&copy)?].concat());
/// let found = dedupe(&games, &DedupeOptions::default(), &Control::default(), &mut |pair| {
///     println!("{} goes: {}", pair.drop.game.number, pair.reasons.join(" "));
///     Ok(ControlFlow::Continue(()))
/// })?;
/// assert_eq!(found.drops, [vec![], vec![1]]);
/// # Ok(())
/// # }
/// ```
pub fn dedupe(
    games: &Selection,
    options: &DedupeOptions,
    control: &Control,
    each: &mut DuplicateCallback<'_>,
) -> Result<DedupeReport> {
    let mut doubles = DedupeReport::default();
    let names = NameComparer::new(games.aliases.as_deref(), options.misspelt);
    let parts = parts(games, &names, control, &mut doubles)?;
    let lines = LineHasher::new();
    let search = DuplicateSearch {
        parts: &parts,
        names: &names,
        lines: &lines,
        options,
        index: games.index,
        control,
    };
    let Some(clusters) = search.clusters(&mut doubles)? else {
        doubles.ended = control.completion();
        return Ok(doubles);
    };
    doubles.drops = vec![Vec::new(); parts.len()];
    let mut is_told = true;
    for double in clusters.duplicates(options.keep) {
        let (Some(kept), Some(dropped)) = (clusters.get(double.keep), clusters.get(double.drop))
        else {
            continue;
        };
        if control.is_stopped() {
            break;
        }
        doubles.pairs += 1;
        if let Some((at, _, number)) = search.place(dropped.game)
            && let Some(drops) = doubles.drops.get_mut(at)
        {
            drops.push(number);
        }
        if is_told {
            is_told = each(&search.pair(kept, dropped)?)?.is_continue();
        }
    }
    doubles.ended = control.completion();
    Ok(doubles)
}

fn parts<'b>(
    games: &'b Selection,
    names: &NameComparer<'_>,
    control: &Control,
    doubles: &mut DedupeReport,
) -> Result<Vec<DedupeSource<'b>>> {
    let mut before = 0;
    let mut parts = Vec::with_capacity(games.bases.len());
    let mut known = HashSet::new();
    for base in &games.bases {
        // Else each game would be a double of itself.
        let path = base.path();
        let within = base.name().strip_prefix(&*path.to_string_lossy());
        let within = within.unwrap_or(base.name()).to_owned();
        let path = held_folder::real(path).unwrap_or_else(|_| path.to_path_buf());
        if !known.insert((path, within)) {
            return Err(Error::new(&error_codes::NAMED_TWICE, "named twice")
                .in_file(base.name().to_owned()));
        }
        let view = BaseView::of_file(games, base, control, &mut doubles.notes)?;
        let count = view.database().len()?;
        let mut part = DedupeSource {
            base,
            view,
            before,
            games: count,
            keys: Vec::new(),
        };
        part.keys = part
            .facts()
            .map_or_else(Vec::new, |facts| names.keys(facts, control));
        before += count;
        parts.push(part);
    }
    rows::check_count(before)?;
    Ok(parts)
}

/// How the players of two games agree.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct PlayersAgreement {
    /// Whether they have changed their colours.
    swapped: bool,
    /// How well White of the one goes together with the same player of the other, and Black.
    fits: [NameMatch; 2],
}

/// A search for duplicates.
struct DuplicateSearch<'s> {
    parts: &'s [DedupeSource<'s>],
    names: &'s NameComparer<'s>,
    lines: &'s LineHasher,
    options: &'s DedupeOptions,
    /// Whether indexes are asked what moves there are.
    index: bool,
    control: &'s Control,
}

impl DuplicateSearch<'_> {
    /// The games that are one each; nothing where the search was told to stop.
    fn clusters(&self, doubles: &mut DedupeReport) -> Result<Option<DuplicateClusters>> {
        let mut rows = Vec::new();
        for part in self.parts {
            if !self.rows(part, &mut rows)?.is_whole() {
                return Ok(None);
            }
        }
        let games: u64 = self.parts.iter().map(|part| part.games).sum();
        let games = rows::check_count(games)?;
        doubles.games = rows::distinct(&mut rows);
        let marks = rows::candidates(&rows, games);
        rows.retain(|row| marks.get(row.game as usize) == Some(&true));
        let wanted: Vec<u32> = (0..)
            .zip(marks)
            .filter_map(|(game, is_marked)| is_marked.then_some(game))
            .collect();
        let mut candidates = Vec::with_capacity(wanted.len());
        for part in self.parts {
            if !self.cards(part, &wanted, &mut candidates)?.is_whole() {
                return Ok(None);
            }
        }
        let damaged = candidates
            .iter()
            .filter(|candidate| !candidate.card.is_whole);
        doubles.damaged = damaged.count() as u64;
        let mut clusters = DuplicateClusters::new(candidates, &rows);
        drop(rows);
        let mut judge = |one: &DedupeCandidate, two: &DedupeCandidate| self.are_one(one, two);
        clusters.join_same(&mut judge)?;
        let asked = clusters.ask();
        let mut beginnings = HashMap::new();
        for part in self.parts {
            if !self
                .beginnings(part, &clusters, &asked, &mut beginnings)?
                .is_whole()
            {
                return Ok(None);
            }
        }
        clusters.join_contained(&beginnings, &mut judge)?;
        Ok(Some(clusters))
    }

    fn rows(&self, part: &DedupeSource<'_>, rows: &mut Vec<DedupeRow>) -> Result<JobCompletion> {
        let statistic = DedupeRowBuilder {
            names: self.names,
            keys: &part.keys,
            before: part.before,
            listed: part.view.listed(),
            swapped: self.options.swapped,
            hints: self.index && part.has_hints(),
        };
        let mut sum = std::mem::take(rows);
        let mut pass = CollectorPass::new();
        pass.sum(&statistic, &mut sum);
        let ended = part.view.run(pass, self.control)?;
        *rows = sum;
        Ok(ended)
    }

    fn cards(
        &self,
        part: &DedupeSource<'_>,
        wanted: &[u32],
        candidates: &mut Vec<DedupeCandidate>,
    ) -> Result<JobCompletion> {
        let games = part.games_of(wanted);
        let list = part.numbers(games.iter().copied());
        let collector = DedupeFactsBuilder {
            lines: self.lines,
            names: self.names,
            keys: &part.keys,
        };
        let mut pass = CollectorPass::new();
        let mut next = games.iter();
        pass.add(&collector, |cards, _| {
            let pairs = cards.into_iter().zip(next.by_ref());
            candidates.extend(pairs.map(|(card, game)| DedupeCandidate { game: *game, card }));
            Ok(true)
        });
        pass.run(part.database(), PassRange::List(&list), self.control)
    }

    fn beginnings(
        &self,
        part: &DedupeSource<'_>,
        clusters: &DuplicateClusters,
        asked: &BeginningsRequest,
        found: &mut HashMap<usize, Vec<(u32, u64)>>,
    ) -> Result<JobCompletion> {
        let game = |at: &usize| clusters.get(*at).map_or(u32::MAX, |one| one.game);
        let first = asked
            .games
            .partition_point(|at| u64::from(game(at)) < part.range().start);
        let end = asked
            .games
            .partition_point(|at| u64::from(game(at)) < part.range().end);
        let (Some(games), Some(lengths)) =
            (asked.games.get(first..end), asked.lengths.get(first..end))
        else {
            return Ok(JobCompletion::Whole);
        };
        let list = part.numbers(games.iter().map(game));
        let place = |number: u64| list.binary_search(&number).ok();
        let collector = BeginningHashes {
            lines: self.lines,
            lengths,
            place: &place,
        };
        let mut pass = CollectorPass::new();
        pass.add(&collector, |part, _| {
            found.extend(
                part.into_iter()
                    .filter_map(|(place, lines)| Some((*games.get(place)?, lines))),
            );
            Ok(true)
        });
        pass.run(part.database(), PassRange::List(&list), self.control)
    }

    /// Where a game stands: which base, and its number there.
    fn place(&self, game: u32) -> Option<(usize, &DedupeSource<'_>, u64)> {
        let game = u64::from(game);
        let at = self.parts.partition_point(|part| part.range().end <= game);
        let part = self.parts.get(at)?;
        Some((at, part, game - part.before + 1))
    }

    /// The names of the players of a game.
    fn players(&self, game: u32) -> Result<[Cow<'_, str>; 2]> {
        let Some((_, part, number)) = self.place(game) else {
            return Ok([Cow::Borrowed(""), Cow::Borrowed("")]);
        };
        let wanted = FactFields::WHITE.union(FactFields::BLACK);
        if let Some(facts) = part.facts()
            && let Some(fact) = facts.fact(number, wanted)
            && !fact.unsaid.meets(wanted)
        {
            return Ok([Color::White, Color::Black].map(|color| facts.player(&fact, color)));
        }
        let mut game = Game::default();
        part.database().read(number, GameNeeds::TAGS, &mut game)?;
        Ok(["White", "Black"].map(|name| Cow::Owned(game.tags.value(name).to_owned())))
    }

    /// Whether two games are one, the second of which has all moves of the first.
    fn are_one(&self, short: &DedupeCandidate, long: &DedupeCandidate) -> Result<bool> {
        if !same_game::may_be_one(&short.card, &long.card) {
            return Ok(false);
        }
        let Some(players) = self.players_agree(short, long)? else {
            return Ok(false);
        };
        let is_misspelt = players.fits.contains(&NameMatch::Misspelt);
        Ok(!is_misspelt || same_game::may_be_misspelt(&short.card, &long.card))
    }

    /// How the players of two games agree; nothing where they are not the same.
    fn players_agree(
        &self,
        one: &DedupeCandidate,
        two: &DedupeCandidate,
    ) -> Result<Option<PlayersAgreement>> {
        let [white, black] = one.card.players;
        let [their_white, their_black] = two.card.players;
        let fit = |keys: [u64; 2], color: usize, other: usize| {
            self.names.fit(keys, || {
                let pick = |names: [Cow<'_, str>; 2], at: usize| {
                    let [white, black] = names;
                    (if at == 0 { white } else { black }).into_owned()
                };
                Ok([
                    pick(self.players(one.game)?, color).into(),
                    pick(self.players(two.game)?, other).into(),
                ])
            })
        };
        let both = |white: NameMatch, black: &dyn Fn() -> Result<NameMatch>, swapped| {
            if white == NameMatch::None {
                return Ok(None);
            }
            let black = black()?;
            let fits = [white, black];
            Ok((black != NameMatch::None).then_some(PlayersAgreement { swapped, fits }))
        };
        let straight = fit([white, their_white], 0, 0)?;
        let straight = both(straight, &|| fit([black, their_black], 1, 1), false)?;
        if straight.is_some() || !self.options.swapped {
            return Ok(straight);
        }
        let crossed = fit([white, their_black], 0, 1)?;
        both(crossed, &|| fit([black, their_white], 1, 0), true)
    }

    fn pair(&self, kept: &DedupeCandidate, dropped: &DedupeCandidate) -> Result<DuplicatePair> {
        let agreement = self.players_agree(kept, dropped)?;
        let places = [self.entry(kept)?, self.entry(dropped)?];
        Ok(DuplicatePair::new(
            places,
            [kept, dropped],
            self.options.keep,
            agreement.unwrap_or(PlayersAgreement {
                swapped: false,
                fits: [NameMatch::Forms; 2],
            }),
        ))
    }

    fn entry(&self, of: &DedupeCandidate) -> Result<DuplicateGame> {
        let (base, part, number) = self
            .place(of.game)
            .ok_or_else(|| Error::new(&error_codes::INTERNAL, "a game is in no base"))?;
        let mut entry = None;
        if let Some(facts) = part.facts()
            && let Some(fact) = facts.fact(number, FactFields::LISTED)
            && fact.says(FactFields::LISTED)
        {
            entry = Some(GameListRow::of_fact(number, facts, &fact));
        }
        let mut entry = match entry {
            Some(entry) => entry,
            None => {
                let mut game = Game::default();
                part.database().read(number, GameNeeds::TAGS, &mut game)?;
                game.origin.number = number;
                GameListRow::of_game(&game, false)
            }
        };
        entry.plies = Some(u64::from(of.card.plies));
        Ok(DuplicateGame {
            base,
            name: part.base.name().to_owned(),
            game: entry,
        })
    }
}
