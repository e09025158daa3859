//! Games by their numbers: how people write them, and the quickest way to read them.

use std::fmt;
use std::ops::{ControlFlow, Range};

use tabiya_model::{Control, Error, Game, GameNeeds, JobCompletion, Result};

use crate::error_codes;
use crate::open::base::{Base, MoreNeeds, for_each_with_more};

/// Up to which number games are read one after another where the places of games are not known: to find the places means
/// to look at the whole file. So many games are passed over, too, where that spares another way to them.
const NEAR: u64 = 5000;

/// The number that stands for the last game, whichever it is.
const LAST: u64 = u64::MAX - 1;

/// Numbers of games of one base: ranges from 1, end excluded, in the required order.
///
/// A range that goes beyond the last game ends with it, and one that begins after it holds no game. No ranges at all mean
/// no games: all games are [`GameNumbers::ALL`].
///
/// ```
/// use tabiya::numbers::GameNumbers;
///
/// let wanted = GameNumbers::parse(&["17", "20-25,last"])?;
/// assert_eq!(wanted.up_to(100), [17..18, 20..26, 100..101]);
/// assert_eq!([1, 2, 3, 7].into_iter().collect::<GameNumbers>(), GameNumbers::from(vec![1..4, 7..8]));
/// assert_eq!(GameNumbers::ALL.up_to(3), [1..4]);
/// # Ok::<(), tabiya::model::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GameNumbers(Option<Vec<Range<u64>>>);

impl From<Vec<Range<u64>>> for GameNumbers {
    fn from(mut ranges: Vec<Range<u64>>) -> GameNumbers {
        ranges.retain(|range| !range.is_empty());
        GameNumbers(Some(ranges))
    }
}

impl From<Range<u64>> for GameNumbers {
    fn from(range: Range<u64>) -> GameNumbers {
        GameNumbers::from(vec![range])
    }
}

/// Games in this order; those that follow each other are one range.
impl FromIterator<u64> for GameNumbers {
    fn from_iter<I: IntoIterator<Item = u64>>(numbers: I) -> GameNumbers {
        let mut ranges: Vec<Range<u64>> = Vec::new();
        for number in numbers {
            match ranges.last_mut() {
                Some(last) if last.end == number => last.end = number.saturating_add(1),
                _ => ranges.push(number..number.saturating_add(1)),
            }
        }
        GameNumbers(Some(ranges))
    }
}

impl GameNumbers {
    /// All games.
    pub const ALL: GameNumbers = GameNumbers(None);

    /// The games that texts name, such as `17`, `20-25,40-`, `20..25` or `last`; all if there is no text.
    pub fn parse<S: AsRef<str>>(texts: &[S]) -> Result<GameNumbers> {
        if texts.is_empty() {
            return Ok(GameNumbers::ALL);
        }
        let texts = texts.iter().flat_map(|text| text.as_ref().split(','));
        let ranges = texts.filter(|text| !text.is_empty()).map(range_of);
        ranges.collect::<Result<Vec<_>>>().map(GameNumbers::from)
    }

    /// Whether these are all games.
    #[must_use]
    pub fn is_all(&self) -> bool {
        self.0.is_none()
    }

    /// The ranges once the number of the last game is known: `last` gets its number, and an open end that of the game after
    /// it. Other ranges stay unchanged, even beyond the last game.
    #[must_use]
    pub fn up_to(&self, last: u64) -> Vec<Range<u64>> {
        let all = 1..u64::MAX;
        let ranges = self.0.as_deref().unwrap_or(std::slice::from_ref(&all));
        let known = |range: &Range<u64>| {
            let start = match range.start {
                LAST => last.max(1),
                start => start,
            };
            let end = match range.end {
                LAST.. => last.saturating_add(1),
                end => end,
            };
            start..end
        };
        ranges.iter().map(known).collect()
    }

    /// The numbers one by one, in the order of the ranges, up to that of the last game.
    pub(crate) fn each(&self, last: u64) -> impl Iterator<Item = u64> {
        let cut = move |range: Range<u64>| range.start..range.end.min(last.saturating_add(1));
        self.up_to(last).into_iter().flat_map(cut)
    }

    /// The ranges in the order of the games of a base, each game once. Of a stream, and of several bases in a row, it is unknown
    /// how many games there are.
    pub(crate) fn rising(&self, base: Option<&Base>) -> Result<Vec<Range<u64>>> {
        let last = match base.and_then(Base::database) {
            Some(database) => database.len()?,
            None if self.names_last() => {
                return Err(Error::new(
                    &error_codes::BAD_NUMBERS,
                    "`last` needs a single file: the last game of a stream or of several databases is unknown",
                ));
            }
            None => LAST - 1,
        };
        let mut ranges = self.up_to(last);
        ranges.sort_unstable_by_key(|range| range.start);
        let mut rising: Vec<Range<u64>> = Vec::with_capacity(ranges.len());
        for range in ranges {
            let end = range.end.min(last.saturating_add(1));
            match rising.last_mut() {
                Some(before) if range.start <= before.end => before.end = before.end.max(end),
                _ if range.start < end => rising.push(range.start..end),
                _ => {}
            }
        }
        Ok(rising)
    }

    /// Whether a range begins with the last game.
    fn names_last(&self) -> bool {
        let mut ranges = self.0.iter().flatten();
        ranges.any(|range| range.start == LAST)
    }

    /// The ranges as they were said.
    fn said(&self) -> &[Range<u64>] {
        self.0.as_deref().unwrap_or(&[])
    }
}

/// The numbers as people write them, the first of them.
impl fmt::Display for GameNumbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words =
            self.said()
                .iter()
                .take(8)
                .map(|range| match range.end.saturating_sub(range.start) {
                    1 => range.start.to_string(),
                    _ => format!("{}-{}", range.start, range.end.saturating_sub(1)),
                });
        f.write_str(&words.collect::<Vec<_>>().join(" "))
    }
}

fn range_of(text: &str) -> Result<Range<u64>> {
    let number = |text: &str| match text.trim() {
        "first" => Some(1),
        "last" => Some(LAST),
        digits => digits.parse::<u64>().ok(),
    };
    let ends = text.split_once("..").or_else(|| text.split_once('-'));
    let (first, last) = match ends {
        None => (number(text), number(text)),
        Some(("", last)) if text.starts_with("..") => (Some(1), number(last)),
        Some((first, "")) => (number(first), Some(u64::MAX)),
        Some((first, last)) => (number(first), number(last)),
    };
    match (first, last) {
        (Some(first), Some(last)) if first >= 1 && last >= first => {
            Ok(first..last.saturating_add(1).max(first + 1))
        }
        _ => Err(Error::new(
            &error_codes::BAD_NUMBERS,
            format!(
                "{text}: give a game number or a range, such as 17, 20-25 or last; games count from 1"
            ),
        )),
    }
}

/// What is to be done with the games of some numbers.
pub(crate) enum ReadStrategy {
    /// They are read by their numbers, up to this one.
    Single(u64),
    /// Ranges are read one after another, up to this number: to a single game there is no short way.
    Ranges(u64),
    /// All games up to the last required one are read in order.
    InOrder,
}

/// The quickest way to games of a base.
pub(crate) fn read_strategy(base: &Base, numbers: &GameNumbers) -> Result<ReadStrategy> {
    let (Some(database), Some(wanted)) = (base.database(), &numbers.0) else {
        return Ok(ReadStrategy::InOrder);
    };
    let last = wanted.iter().map(|range| range.end).max().unwrap_or(0);
    let rises = wanted.is_sorted_by(|a, b| a.end <= b.start);
    // Who knows how many games there are knows where they stand.
    let is_unknown = || !base.finds_games() && base.info().games.is_none();
    if rises && last <= NEAR && is_unknown() {
        return Ok(ReadStrategy::InOrder);
    }
    let games = match base.index() {
        Some(index) => index.game_count(),
        None => database.len()?,
    };
    Ok(match base.finds_games() {
        true => ReadStrategy::Single(games),
        false => ReadStrategy::Ranges(games),
    })
}

/// Ranges that are read in a row: one pass over games that lie near to each other, in which each of its ranges comes in turn.
fn passes(wanted: &GameNumbers, last: u64) -> Vec<Vec<Range<u64>>> {
    let mut passes: Vec<Vec<Range<u64>>> = Vec::new();
    for range in wanted.up_to(last) {
        let range = range.start..range.end.min(last.saturating_add(1));
        if range.is_empty() {
            continue;
        }
        let pass = passes.last_mut().filter(|pass| {
            let end = pass.last().map_or(u64::MAX, |before| before.end);
            range.start >= end && range.start - end <= NEAR
        });
        match pass {
            Some(pass) => pass.push(range),
            None => passes.push(vec![range]),
        }
    }
    passes
}

/// Calls `each` with the games of some numbers until it breaks off or the control is stopped. Games are given in the order
/// of the ranges if they can be read by number, else in the order of the base.
///
/// ```
/// # fn main() -> tabiya::model::Result<()> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/si5/ok/sample.si5");
/// use std::ops::ControlFlow;
/// use tabiya::model::{Control, GameNeeds};
/// use tabiya::numbers::{GameNumbers, games};
///
/// let wanted = GameNumbers::parse(&["2-3,last"])?;
/// for base in tabiya::open(path)? {
///     let mut numbers = Vec::new();
///     games(&base, &wanted, GameNeeds::TAGS, &Control::default(), |game| {
///         numbers.push(game.origin.number);
///         Ok(ControlFlow::Continue(()))
///     })?;
///     assert_eq!(numbers, [2, 3, 5]);
/// }
/// # Ok(())
/// # }
/// ```
pub fn games(
    base: &Base,
    wanted: &GameNumbers,
    want: GameNeeds,
    control: &Control,
    each: impl FnMut(&mut Game) -> Result<ControlFlow<()>>,
) -> Result<JobCompletion> {
    games_with_more(base, wanted, want, None, control, each)
}

/// The same with more of some games.
pub(crate) fn games_with_more(
    base: &Base,
    wanted: &GameNumbers,
    want: GameNeeds,
    more: Option<MoreNeeds<'_>>,
    control: &Control,
    mut each: impl FnMut(&mut Game) -> Result<ControlFlow<()>>,
) -> Result<JobCompletion> {
    match (read_strategy(base, wanted)?, base.database()) {
        (ReadStrategy::Single(last), Some(database)) => {
            let mut game = Game::default();
            for number in wanted.each(last) {
                if control.is_stopped() {
                    return Ok(control.completion());
                }
                database.read(number, want, &mut game)?;
                if let Some((needs, is_asked)) = more
                    && is_asked(&game)
                {
                    database.read(number, want.union(needs), &mut game)?;
                }
                if each(&mut game)?.is_break() {
                    return Ok(JobCompletion::Whole);
                }
            }
            Ok(control.completion())
        }
        (ReadStrategy::Ranges(last), Some(database)) => {
            for pass in passes(wanted, last) {
                let (Some(first), Some(end)) = (pass.first(), pass.last()) else {
                    continue;
                };
                let mut source = database.source(Some(first.start..end.end))?;
                let mut is_broken = false;
                let ended = for_each_with_more(&mut *source, want, more, control, |game| {
                    let number = game.origin.number;
                    let at = pass.partition_point(|range| range.end <= number);
                    if !pass.get(at).is_some_and(|range| range.contains(&number)) {
                        return Ok(ControlFlow::Continue(()));
                    }
                    let flow = each(game)?;
                    is_broken = flow.is_break();
                    Ok(flow)
                })?;
                if is_broken || !ended.is_whole() {
                    return Ok(ended);
                }
            }
            Ok(control.completion())
        }
        _ => {
            if wanted.names_last() {
                return with_last(base, wanted, want, more, control, each);
            }
            let (is_all, wanted) = (wanted.is_all(), wanted.said());
            let end = wanted.iter().map(|range| range.end).max();
            if !is_all && end.is_none() {
                return Ok(control.completion());
            }
            let mut source = base.source(control)?;
            for_each_with_more(&mut *source, want, more, control, |game| {
                let number = game.origin.number;
                if end.is_some_and(|end| number >= end) {
                    return Ok(ControlFlow::Break(()));
                }
                let is_wanted = is_all || wanted.iter().any(|range| range.contains(&number));
                if is_wanted && each(game)?.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
                // Nothing that is wanted follows.
                Ok(match end {
                    Some(end) if number + 1 >= end => ControlFlow::Break(()),
                    _ => ControlFlow::Continue(()),
                })
            })
        }
    }
}

/// The same for what is read once and asked for its last game: that is known only at the end.
fn with_last(
    base: &Base,
    wanted: &GameNumbers,
    want: GameNeeds,
    more: Option<MoreNeeds<'_>>,
    control: &Control,
    mut each: impl FnMut(&mut Game) -> Result<ControlFlow<()>>,
) -> Result<JobCompletion> {
    let mut last = Game::default();
    let mut broken = false;
    let mut any = false;
    let mut source = base.source(control)?;
    let ended = for_each_with_more(&mut *source, want, more, control, |game| {
        let number = game.origin.number;
        let in_range = |range: &Range<u64>| range.start != LAST && range.contains(&number);
        any = true;
        if wanted.said().iter().any(in_range) {
            broken = each(game)?.is_break();
        }
        std::mem::swap(&mut last, game);
        Ok(if broken {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        })
    })?;
    if any && !broken && ended.is_whole() {
        let _ = each(&mut last)?;
    }
    Ok(ended)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_as_people_write_them() {
        assert_eq!(
            GameNumbers::parse(&["17", "20-25,40-"]).ok(),
            Some(vec![17..18, 20..26, 40..u64::MAX].into())
        );
        assert_eq!(
            GameNumbers::parse(&["17", "20..25,40.."]).ok(),
            GameNumbers::parse(&["17", "20-25,40-"]).ok()
        );
        for bad in ["0", "x", "5-4", "-3", "1-2-3", "5..4", ".."] {
            assert!(GameNumbers::parse(&[bad]).is_err(), "{bad}");
        }
        let last = GameNumbers::parse(&["first", "last", "3-last"]).expect("ranges");
        assert_eq!(last.up_to(9), [1..2, 9..10, 3..10]);
        let some = GameNumbers::from(vec![2..4, 6..u64::MAX]);
        assert_eq!(some.each(7).collect::<Vec<_>>(), [2, 3, 6, 7]);
    }

    #[test]
    fn no_ranges_are_no_games_and_all_is_all() {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../corpus/si5/ok/sample.si5"
        );
        let base = crate::open(path).expect("opened").remove(0);
        let read = |wanted: &GameNumbers| {
            let mut numbers = Vec::new();
            let control = Control::default();
            games(&base, wanted, GameNeeds::TAGS, &control, |game| {
                numbers.push(game.origin.number);
                Ok(ControlFlow::Continue(()))
            })
            .expect("read");
            numbers
        };
        assert_eq!(read(&GameNumbers::ALL), [1, 2, 3, 4, 5]);
        assert_eq!(read(&GameNumbers::from(Vec::new())), [0_u64; 0]);
        assert_eq!(read(&(9..12).into()), [0_u64; 0]);
        assert_eq!(read(&vec![4..9, 2..3].into()), [4, 5, 2]);
        let rising = |wanted: GameNumbers| wanted.rising(Some(&base)).expect("counted");
        assert_eq!(
            rising(vec![4..9, 2..3, 3..4, 2..5, 7..8].into()),
            vec![2..6]
        );
        assert_eq!(
            rising(GameNumbers::parse(&["last,1"]).expect("numbers")),
            vec![1..2, 5..6]
        );
        assert_eq!(
            rising(GameNumbers::from(Vec::new())),
            Vec::<Range<u64>>::new()
        );
    }

    #[test]
    fn games_of_a_packed_file_come_in_the_order_of_the_ranges() {
        use std::io::Write;
        use tabiya_io::compressed_writer::compressed_writer;
        use tabiya_io::compression::Compression;

        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("games.pgn.zst");
        let file = std::fs::File::create(&path).expect("created");
        let mut packer = compressed_writer(Some(Compression::Zstd), file).expect("a packer");
        for number in 1..10 {
            write!(packer, "[White \"{number}\"]\n\n1. e4 *\n\n").expect("packed");
        }
        packer.finish().expect("packed");

        let base = crate::open(&path).expect("opened").remove(0);
        let wanted = GameNumbers::from(vec![5..7, 1..3, 9..u64::MAX]);
        let read = |most: usize| {
            let (mut found, control) = (Vec::new(), Control::default());
            let ended = games(&base, &wanted, GameNeeds::TAGS, &control, |game| {
                assert_eq!(game.tags.value("White"), game.origin.number.to_string());
                found.push(game.origin.number);
                Ok(match found.len() < most {
                    true => ControlFlow::Continue(()),
                    false => ControlFlow::Break(()),
                })
            });
            assert!(ended.expect("read").is_whole());
            found
        };
        assert_eq!(read(100), [5, 6, 1, 2, 9]);
        assert_eq!(read(3), [5, 6, 1]);
        assert!(!base.finds_games());

        for full in [false, true] {
            let base = base.reopen().expect("opened");
            let description =
                crate::study::info::info(&base, full, &Control::default()).expect("read");
            assert_eq!(description.games, Some(9));
            let packed = description.fields.iter().find(|(name, _)| name == "packed");
            assert!(packed.is_some_and(|(_, text)| text.starts_with("in one piece: ")));
        }
    }

    #[test]
    fn what_lies_near_is_read_in_one_pass() {
        let wanted = vec![1..3, 3..4, 10..11, 20_000..u64::MAX, 5..6, 40_000..40_001];
        let passes = passes(&wanted.into(), 30_000);
        assert_eq!(passes.concat(), [1..3, 3..4, 10..11, 20_000..30_001, 5..6]);
        assert!(passes.iter().map(Vec::len).eq([3, 1, 1]));
    }
}
