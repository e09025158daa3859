//! Builds and extends indexes.

use std::io::{self, Write};
use std::ops::Range;

use shakmaty::Color;
use tabiya_model::error_codes;
use tabiya_model::facts::FactFields;
use tabiya_model::{Control, Database, Error, Game, GameNeeds, JobCompletion, Result};

use super::ExplorerIndex;
use super::changed_games::ChangedGames;
use super::collector::gather;
use super::frequent::FrequentPositions;
use super::layout::{GameHeader, IndexTrailer, LayerHeader, MAGIC, VERSION};
use super::offsets;
use super::postings::{LayerData, PostingTarget, TAG};
use super::sorter::PostingSorter;
use super::spool::{PostingSpool, SpillFile};
use crate::game_brief::GameBrief;

/// The result of building.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct IndexBuildReport {
    /// Games in the index.
    pub games: u64,
    /// Games that were read for it; fewer if it was extended.
    pub new_games: u64,
    /// Positions in the index.
    pub positions: u64,
    /// Bytes of the file.
    pub bytes: u64,
    /// Games that could not be decoded, or not to their end.
    pub damaged: u64,
    /// Whether it was built completely. If not, the output is useless.
    pub ended: JobCompletion,
}

impl IndexBuildReport {
    /// The report of a build that was stopped.
    fn stopped() -> IndexBuildReport {
        IndexBuildReport {
            ended: JobCompletion::Stopped,
            ..IndexBuildReport::default()
        }
    }
}

/// The maximum number of layers; an index with more is built again.
const LAYERS: usize = 8;

/// Builds the index of a database. Postings are kept in memory up to the limit of the control; the rest goes to the spill.
pub fn build(
    database: &dyn Database,
    fingerprint: &[u8],
    spill: &dyn SpillFile,
    control: &Control,
    out: &mut (dyn Write + Send),
) -> Result<IndexBuildReport> {
    let mut out = CountingWriter::new(out);
    header(&mut out)?;
    let trailer = IndexTrailer {
        fingerprint: fingerprint.to_vec(),
        ..IndexTrailer::default()
    };
    last_layer(trailer, database, 1, LayerResources { spill, control }, out)
}

/// Extends an index by appended games, after checking that the others are unchanged; `None` if they are not, or if
/// rebuilding is better. Then nothing usable is written.
pub fn extend(
    old: &ExplorerIndex,
    database: &dyn Database,
    fingerprint: &[u8],
    spill: &dyn SpillFile,
    control: &Control,
    out: &mut (dyn Write + Send),
) -> Result<Option<IndexBuildReport>> {
    let known = old.game_count();
    let games = database.len()?;
    let is_old = old.trailer.changed_games.is_empty();
    if !is_old || games <= known || old.trailer.layers.len() >= LAYERS || games - known > known {
        return Ok(None);
    }
    match same_games(old, database, control)? {
        (_, ended) if !ended.is_whole() => return Ok(Some(IndexBuildReport::stopped())),
        (false, _) => return Ok(None),
        (true, _) => {}
    }
    let layers = usize::try_from(old.trailer.layers_end)
        .ok()
        .and_then(|end| old.all().get(..end));
    let Some(layers) = layers else {
        return Ok(None);
    };
    let mut out = CountingWriter::new(out);
    out.write_all(layers)?;
    let trailer = IndexTrailer {
        fingerprint: fingerprint.to_vec(),
        ..old.trailer.clone()
    };
    let work = LayerResources { spill, control };
    last_layer(trailer, database, known + 1, work, out).map(Some)
}

/// The maximum number of layers of an index that grew game by game: each layer makes lookups a little slower.
const GROWN: usize = 64;

/// Adds the appended games to an index whose other games are known to be unchanged: returns what to write after its last
/// byte. The existing bytes stay, so that open readers go on, and until the last byte is written the file is not an index.
/// `None` if rebuilding is better.
pub fn grow(
    old: &ExplorerIndex,
    database: &dyn Database,
    fingerprint: &[u8],
    spill: &dyn SpillFile,
    control: &Control,
    out: &mut (dyn Write + Send),
) -> Result<Option<IndexBuildReport>> {
    let known = old.game_count();
    let games = database.len()?;
    if games < known || old.trailer.layers.len() >= GROWN || games - known > known.max(1000) {
        return Ok(None);
    }
    let out = CountingWriter {
        out,
        written: old.all().len() as u64,
    };
    let trailer = IndexTrailer {
        fingerprint: fingerprint.to_vec(),
        ..old.trailer.clone()
    };
    let work = LayerResources { spill, control };
    last_layer(trailer, database, known + 1, work, out).map(Some)
}

/// The number of bytes that an index of any size may waste.
const WASTE: u64 = 16 << 20;

/// Overrides changed games of an index whose other games are known to be unchanged: returns what to write after its last
/// byte. `None` if rebuilding is better.
pub fn mark_changed(
    old: &ExplorerIndex,
    database: &dyn Database,
    fingerprint: &[u8],
    mut overruled: ChangedGames,
    out: &mut (dyn Write + Send),
) -> Result<Option<IndexBuildReport>> {
    let waste = old.waste();
    if database.len()? != old.game_count() || waste > WASTE.max(old.size() / 2) {
        return Ok(None);
    }
    overruled.look(database)?;
    let out = CountingWriter {
        out,
        written: old.all().len() as u64,
    };
    let trailer = IndexTrailer {
        fingerprint: fingerprint.to_vec(),
        changed_games: overruled,
        ..old.trailer.clone()
    };
    finish(trailer, database, 0, out).map(Some)
}

/// Writes the layer of all games from `first` on after those of the trailer, and then the trailer.
fn last_layer(
    mut trailer: IndexTrailer,
    database: &dyn Database,
    first: u64,
    work: LayerResources<'_>,
    mut out: CountingWriter<'_>,
) -> Result<IndexBuildReport> {
    let number = trailer.layers.len() as u64;
    let Some(layer) = layer(database, first, u64::MAX, number, work, &mut out)? else {
        return Ok(IndexBuildReport::stopped());
    };
    let new_games = layer.games;
    trailer.layers.push(layer);
    finish(trailer, database, new_games, out)
}

/// Whether the games of an index are unchanged since it was made.
fn same_games(
    index: &ExplorerIndex,
    database: &dyn Database,
    control: &Control,
) -> Result<(bool, JobCompletion)> {
    for layer in &index.trailer.layers {
        let (is_same, ended) = same_layer(index, layer, database, control)?;
        if !is_same {
            return Ok((false, ended));
        }
    }
    Ok((true, JobCompletion::Whole))
}

/// Whether the games of a layer are unchanged since it was made, apart from those that the index has marked as changed.
pub(super) fn same_layer(
    index: &ExplorerIndex,
    layer: &LayerHeader,
    database: &dyn Database,
    control: &Control,
) -> Result<(bool, JobCompletion)> {
    let games = layer.first..layer.first + layer.games;
    let mut gathered = LayerData::default();
    let ended = gather(database, games.clone(), &mut gathered, None, control)?;
    if !ended.is_whole() {
        return Ok((false, ended));
    }
    let overruled = &index.trailer.changed_games;
    overruled.put_back(&mut gathered.digest, &games, database)?;
    let is_same = gathered.games == layer.games && gathered.digest.value() == layer.digest;
    Ok((is_same, JobCompletion::Whole))
}

fn header(out: &mut CountingWriter<'_>) -> io::Result<()> {
    out.write_all(MAGIC)?;
    out.write_all(&VERSION.to_le_bytes())?;
    out.write_all(&[0; 4])
}

fn finish(
    mut trailer: IndexTrailer,
    database: &dyn Database,
    new_games: u64,
    mut out: CountingWriter<'_>,
) -> Result<IndexBuildReport> {
    trailer.layers_end = out.written;
    trailer.places = offsets::to_bytes(database.places()?.as_ref());
    out.write_all(&trailer.to_bytes())?;
    out.flush()?;
    Ok(IndexBuildReport {
        games: trailer.layers.iter().map(|layer| layer.games).sum(),
        new_games,
        positions: trailer.layers.iter().map(|layer| layer.positions).sum(),
        bytes: out.written,
        damaged: trailer
            .layers
            .iter()
            .map(|layer| layer.damaged.len() as u64)
            .sum(),
        ended: JobCompletion::Whole,
    })
}

/// Counts the written bytes.
pub(super) struct CountingWriter<'w> {
    out: &'w mut (dyn Write + Send),
    pub(super) written: u64,
}

impl<'w> CountingWriter<'w> {
    pub(super) fn new(out: &'w mut (dyn Write + Send)) -> CountingWriter<'w> {
        CountingWriter { out, written: 0 }
    }
}

impl Write for CountingWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.written += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// How the positions of a layer are divided, by the number of its games.
#[derive(Copy, Clone)]
pub(super) struct LayerPlan {
    /// The number of key bits that choose the part in which postings are sorted.
    pub(super) part_bits: u32,
    /// The intended number of postings in a bucket.
    bucket: u64,
    /// The minimum number of games for a position to be listed.
    pub(super) listed: usize,
}

impl LayerPlan {
    fn of(games: u64) -> LayerPlan {
        // The gaps between the games of a bucket cost the same for any number of games; replaying the games of a bucket
        // takes about as long as a thousandth of all games. Buckets of fewer than 256 games would have too much overhead for
        // their headers.
        let bucket = (games / 1024).clamp(256, 4096);
        let positions = games.saturating_mul(80);
        // Parts of half a million postings at first; larger ones if there are many, so that the pieces of a run of games do
        // not become too short.
        let many = (positions >> 29).checked_ilog2().unwrap_or(0).min(2);
        LayerPlan {
            part_bits: (positions >> 16).checked_ilog2().unwrap_or(0).min(9 + many),
            bucket,
            listed: usize::try_from(bucket / 2).unwrap_or(128),
        }
    }

    fn bucket_bits(self, positions: u64) -> u32 {
        (positions / self.bucket)
            .checked_ilog2()
            .unwrap_or(0)
            .clamp(self.part_bits, (self.part_bits + TAG).min(32))
    }
}

/// What building a layer needs.
#[derive(Copy, Clone)]
pub(super) struct LayerResources<'w> {
    /// Takes the postings that do not fit into memory.
    pub(super) spill: &'w dyn SpillFile,
    pub(super) control: &'w Control,
}

/// Writes a layer with the games from `first` on; `None` if it was stopped.
pub(super) fn layer(
    database: &dyn Database,
    first: u64,
    end: u64,
    number: u64,
    work: LayerResources<'_>,
    out: &mut CountingWriter<'_>,
) -> Result<Option<LayerHeader>> {
    let games = database
        .len()?
        .saturating_add(1)
        .min(end)
        .saturating_sub(first);
    if games >= u64::from(u32::MAX) {
        return Err(Error::new(
            &error_codes::TOO_MANY_GAMES,
            "an index holds at most four thousand million games",
        ));
    }
    let range = first..first.saturating_add(games);
    let listed = LayerPlan::of(games).listed;
    match FrequentPositions::of_sample(database, range.clone(), listed, work.control)? {
        Some(common) => layer_with(&common, database, range, number, work, out),
        None => Ok(None),
    }
}

/// Writes the layer of a range of games, with some of their positions treated as common.
pub(super) fn layer_with(
    common: &FrequentPositions,
    database: &dyn Database,
    range: Range<u64>,
    number: u64,
    work: LayerResources<'_>,
    out: &mut CountingWriter<'_>,
) -> Result<Option<LayerHeader>> {
    let (first, games) = (range.start, range.end - range.start);
    let plan = LayerPlan::of(games);
    let facts = games.saturating_mul(size_of::<u64>() as u64);
    let memory = work.control.memory().saturating_sub(facts);
    let spool = PostingSpool::new(1 << plan.part_bits, memory, work.spill);
    let mut gathered = LayerData::new(number, games);
    let parted = PostingTarget {
        bits: plan.part_bits,
        common,
        spool: &spool,
    };
    let ended = gather(database, range, &mut gathered, Some(&parted), work.control)?;
    if !ended.is_whole() {
        return Ok(None);
    }
    gathered.damaged.sort_unstable();
    let (facts, positions) = (gathered.facts, gathered.positions);
    let spooled = spool.finish(gathered.firsts);
    let mut head = LayerHeader {
        first,
        games: gathered.games,
        positions,
        digest: gathered.digest.value(),
        bucket_bits: plan.bucket_bits(positions),
        buckets: out.written,
        damaged: gathered.damaged,
        ..LayerHeader::default()
    };
    let sorter = PostingSorter {
        database,
        common,
        plan,
        number,
        first,
        bucket_bits: head.bucket_bits,
        facts: &facts,
        spooled,
        control: work.control,
    };
    let Some((directory, mut shown)) = sorter.write(out)? else {
        return Ok(None);
    };
    head.directory = out.written;
    let mut bytes = Vec::with_capacity(directory.len() * 8);
    for place in &directory {
        bytes.extend_from_slice(&place.to_le_bytes());
    }
    out.write_all(&bytes)?;
    shown.sort_unstable();
    shown.dedup();
    head.cards = out.written;
    head.card_count = cards(database, first, &shown, &facts, out)?;
    head.rows = out.written;
    out.write_all(&gathered.rows.finish())?;
    head.end = out.written;
    Ok(Some(head))
}

const PLAYERS: FactFields = FactFields::WHITE.union(FactFields::BLACK);

/// Writes the headers of games that figures show.
fn cards(
    database: &dyn Database,
    first: u64,
    shown: &[u32],
    facts: &[u64],
    out: &mut CountingWriter<'_>,
) -> Result<u64> {
    let (mut directory, mut blobs) = (Vec::new(), Vec::new());
    let mut entry = |game: u32, blobs: &[u8]| {
        directory.extend_from_slice(&game.to_le_bytes());
        directory.extend_from_slice(&(blobs.len() as u32).to_le_bytes());
    };
    let mut game = Game::default();
    let mut count = 0;
    for &index in shown {
        if blobs.len() > u32::MAX as usize / 2 {
            // The others are read when they are shown.
            break;
        }
        let number = first + u64::from(index);
        let said = database.facts().and_then(|facts| {
            let fact = facts.fact(number, PLAYERS)?;
            let names = Color::ALL.map(|color| facts.player(&fact, color).into_owned());
            (!fact.unsaid.meets(PLAYERS)).then_some(names)
        });
        let (white, black) = match said {
            Some([white, black]) => (white, black),
            None => {
                database.read(number, GameNeeds::TAGS, &mut game)?;
                (
                    game.tags.value("White").to_owned(),
                    game.tags.value("Black").to_owned(),
                )
            }
        };
        let card = GameHeader {
            white,
            black,
            facts: GameBrief::from_bits(facts.get(index as usize).copied().unwrap_or(0)),
        };
        entry(index, &blobs);
        card.push(&mut blobs, number);
        count += 1;
    }
    entry(u32::MAX, &blobs);
    out.write_all(&directory)?;
    out.write_all(&blobs)?;
    Ok(count)
}
