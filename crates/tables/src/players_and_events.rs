//! The tables `players` and `events`: a row for each name, sorted by it.

use std::collections::HashMap;

use shakmaty::Color;
use tabiya_columns::{CellValue, ColumnEncoding, ColumnSchema, ColumnType, RowGroupBuilder};
use tabiya_explore::game_brief::GameBrief;
use tabiya_formats::lake::{LakeChange, LakeFileEntry};
use tabiya_model::collect::{CollectorNeeds, CollectorPass, GameView, PassRange, Statistic};
use tabiya_model::outcome::Outcome;
use tabiya_model::tags::Tags;
use tabiya_model::{Control, Database, GameNeeds, Result};

use crate::explorer::digits;
use crate::shards::ShardWriter;

/// The names of the tables.
pub const PLAYERS: &str = "players";
/// The table of events.
pub const EVENTS: &str = "events";

static PLAYER_FIELDS: [ColumnSchema; 15] = [
    ColumnSchema::new("name", ColumnType::Text, ColumnEncoding::Plain).required(),
    ColumnSchema::new("games", ColumnType::Long, ColumnEncoding::Dictionary).required(),
    ColumnSchema::new("white_games", ColumnType::Long, ColumnEncoding::Dictionary).required(),
    ColumnSchema::new("black_games", ColumnType::Long, ColumnEncoding::Dictionary).required(),
    ColumnSchema::new("wins", ColumnType::Long, ColumnEncoding::Dictionary).required(),
    ColumnSchema::new("draws", ColumnType::Long, ColumnEncoding::Dictionary).required(),
    ColumnSchema::new("losses", ColumnType::Long, ColumnEncoding::Dictionary).required(),
    ColumnSchema::new("points", ColumnType::Real, ColumnEncoding::Dictionary).required(),
    ColumnSchema::new("least_elo", ColumnType::Int, ColumnEncoding::Dictionary),
    ColumnSchema::new("greatest_elo", ColumnType::Int, ColumnEncoding::Dictionary),
    ColumnSchema::new("first", ColumnType::Int, ColumnEncoding::Dictionary),
    ColumnSchema::new("last", ColumnType::Int, ColumnEncoding::Dictionary),
    ColumnSchema::new("title", ColumnType::Text, ColumnEncoding::Dictionary),
    ColumnSchema::new("country", ColumnType::Text, ColumnEncoding::Dictionary),
    ColumnSchema::new("fide_id", ColumnType::Text, ColumnEncoding::Dictionary),
];

static EVENT_FIELDS: [ColumnSchema; 10] = [
    ColumnSchema::new("event", ColumnType::Text, ColumnEncoding::Plain).required(),
    ColumnSchema::new("site", ColumnType::Text, ColumnEncoding::Dictionary).required(),
    ColumnSchema::new("games", ColumnType::Long, ColumnEncoding::Dictionary).required(),
    ColumnSchema::new("white", ColumnType::Long, ColumnEncoding::Dictionary).required(),
    ColumnSchema::new("draws", ColumnType::Long, ColumnEncoding::Dictionary).required(),
    ColumnSchema::new("black", ColumnType::Long, ColumnEncoding::Dictionary).required(),
    ColumnSchema::new("rated", ColumnType::Long, ColumnEncoding::Dictionary).required(),
    ColumnSchema::new("mean_elo", ColumnType::Real, ColumnEncoding::Dictionary),
    ColumnSchema::new("first", ColumnType::Int, ColumnEncoding::Dictionary),
    ColumnSchema::new("last", ColumnType::Int, ColumnEncoding::Dictionary),
];

/// The range of the known dates, in Scid's bits; 0 for none.
#[derive(Copy, Clone, Default)]
struct LakeDateSpan {
    first: u32,
    last: u32,
}

impl LakeDateSpan {
    fn add(&mut self, other: LakeDateSpan) {
        if other.first > 0 && (self.first == 0 || other.first < self.first) {
            self.first = other.first;
        }
        self.last = self.last.max(other.last);
    }

    fn push(self, first: usize, group: &mut RowGroupBuilder) {
        for (column, date) in [(first, self.first), (first + 1, self.last)] {
            if let Some(date) = digits(date) {
                group.push(column, CellValue::Int(date));
            }
        }
    }
}

fn long(value: u64) -> CellValue<'static> {
    CellValue::Int(i64::try_from(value).unwrap_or(i64::MAX))
}

/// The statistics of a player.
#[derive(Clone, Default)]
struct LakePlayerRow {
    games: [u64; 2],
    wins: u64,
    draws: u64,
    losses: u64,
    elos: Option<(u16, u16)>,
    span: LakeDateSpan,
    /// Title, country and FIDE number, from the latest game.
    texts: [String; 3],
}

/// The tags of [`LakePlayerRow::texts`], without the colour in front.
const TEXTS: [&str; 3] = ["Title", "Country", "FideId"];

impl LakePlayerRow {
    fn add(&mut self, other: LakePlayerRow) {
        for (games, more) in self.games.iter_mut().zip(other.games) {
            *games += more;
        }
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
        self.elos = match (self.elos, other.elos) {
            (Some((least, greatest)), Some((low, high))) => {
                Some((least.min(low), greatest.max(high)))
            }
            (one, two) => one.or(two),
        };
        for (text, later) in self.texts.iter_mut().zip(other.texts) {
            if !later.is_empty() && (text.is_empty() || other.span.last >= self.span.last) {
                *text = later;
            }
        }
        self.span.add(other.span);
    }

    fn push(&self, name: &str, group: &mut RowGroupBuilder) {
        let [white, black] = self.games;
        group.push(0, CellValue::Bytes(name.as_bytes()));
        for (column, value) in [
            (1, white + black),
            (2, white),
            (3, black),
            (4, self.wins),
            (5, self.draws),
            (6, self.losses),
        ] {
            group.push(column, long(value));
        }
        #[allow(clippy::cast_precision_loss)]
        let points = self.wins as f64 + self.draws as f64 / 2.0;
        group.push(7, CellValue::Real(points));
        if let Some((least, greatest)) = self.elos {
            group.push(8, CellValue::Int(i64::from(least)));
            group.push(9, CellValue::Int(i64::from(greatest)));
        }
        self.span.push(10, group);
        for (column, text) in (12..).zip(&self.texts) {
            if !text.is_empty() {
                group.push(column, CellValue::Bytes(text.as_bytes()));
            }
        }
    }
}

fn text_of(tags: &Tags, color: Color, what: &str) -> String {
    let side = color.fold_wb("White", "Black");
    tags.value(&format!("{side}{what}")).to_owned()
}

struct LakePlayerTable;

impl Statistic for LakePlayerTable {
    type Sum = HashMap<String, LakePlayerRow>;

    fn needs(&self) -> CollectorNeeds {
        CollectorNeeds::game(GameNeeds::TAGS)
    }

    fn see(&self, sum: &mut Self::Sum, game: &mut GameView<'_>) -> Result<()> {
        let game = game.game(GameNeeds::TAGS)?;
        let brief = GameBrief::of_game(game);
        let date = brief.date_bits();
        for color in Color::ALL {
            let elo = color.fold_wb(brief.white_elo, brief.black_elo);
            let mut one = LakePlayerRow {
                games: color.fold_wb([1, 0], [0, 1]),
                elos: (elo > 0).then_some((elo, elo)),
                span: LakeDateSpan {
                    first: date,
                    last: date,
                },
                texts: TEXTS.map(|what| text_of(&game.tags, color, what)),
                ..LakePlayerRow::default()
            };
            match (brief.outcome(), color) {
                (Outcome::Unknown, _) => {}
                (Outcome::Draw, _) => one.draws = 1,
                (Outcome::WhiteWins, Color::White) | (Outcome::BlackWins, Color::Black) => {
                    one.wins = 1
                }
                _ => one.losses = 1,
            }
            let name = game.tags.value(color.fold_wb("White", "Black"));
            match sum.get_mut(name) {
                Some(player) => player.add(one),
                None => {
                    sum.insert(name.to_owned(), one);
                }
            }
        }
        Ok(())
    }

    #[expect(clippy::iter_over_hash_type, reason = "a sum is the same in any order")]
    fn add(&self, sum: &mut Self::Sum, part: Self::Sum, _first: u64) {
        for (name, player) in part {
            sum.entry(name).or_default().add(player);
        }
    }
}

/// The statistics of an event.
#[derive(Copy, Clone, Default)]
struct LakeEventRow {
    games: u64,
    white: u64,
    draws: u64,
    black: u64,
    rated: u64,
    elos: u64,
    span: LakeDateSpan,
}

impl LakeEventRow {
    fn add(&mut self, other: LakeEventRow) {
        self.games += other.games;
        self.white += other.white;
        self.draws += other.draws;
        self.black += other.black;
        self.rated += other.rated;
        self.elos += other.elos;
        self.span.add(other.span);
    }

    fn push(&self, event: &str, site: &str, group: &mut RowGroupBuilder) {
        group.push(0, CellValue::Bytes(event.as_bytes()));
        group.push(1, CellValue::Bytes(site.as_bytes()));
        for (column, value) in [
            (2, self.games),
            (3, self.white),
            (4, self.draws),
            (5, self.black),
            (6, self.rated),
        ] {
            group.push(column, long(value));
        }
        if self.rated > 0 {
            #[allow(clippy::cast_precision_loss)]
            let mean = self.elos as f64 / (2 * self.rated) as f64;
            group.push(7, CellValue::Real(mean));
        }
        self.span.push(8, group);
    }
}

struct LakeEventTable;

impl Statistic for LakeEventTable {
    type Sum = HashMap<(String, String), LakeEventRow>;

    fn needs(&self) -> CollectorNeeds {
        CollectorNeeds::game(GameNeeds::TAGS)
    }

    fn see(&self, sum: &mut Self::Sum, game: &mut GameView<'_>) -> Result<()> {
        let game = game.game(GameNeeds::TAGS)?;
        let brief = GameBrief::of_game(game);
        let date = brief.date_bits();
        let is = |outcome| u64::from(brief.outcome() == outcome);
        let rated = u64::from(brief.both_rated());
        let name = |tag| game.tags.value(tag).to_owned();
        sum.entry((name("Event"), name("Site")))
            .or_default()
            .add(LakeEventRow {
                games: 1,
                white: is(Outcome::WhiteWins),
                draws: is(Outcome::Draw),
                black: is(Outcome::BlackWins),
                rated,
                elos: u64::from(brief.strength()),
                span: LakeDateSpan {
                    first: date,
                    last: date,
                },
            });
        Ok(())
    }

    #[expect(clippy::iter_over_hash_type, reason = "a sum is the same in any order")]
    fn add(&self, sum: &mut Self::Sum, part: Self::Sum, _first: u64) {
        for (name, event) in part {
            sum.entry(name).or_default().add(event);
        }
    }
}

/// The files of both tables, which the manifest does not list yet.
#[derive(Clone, Debug, Default)]
pub struct LakeNameFiles {
    /// Those of `players`.
    pub players: Vec<LakeFileEntry>,
    /// Those of `events`.
    pub events: Vec<LakeFileEntry>,
}

/// Makes both tables of all games; `None` if it was stopped.
pub fn build(
    database: &dyn Database,
    change: &mut LakeChange,
    control: &Control,
) -> Result<Option<LakeNameFiles>> {
    let (mut players, mut events) = (HashMap::new(), HashMap::new());
    let mut pass = CollectorPass::new();
    pass.sum(&LakePlayerTable, &mut players);
    pass.sum(&LakeEventTable, &mut events);
    if !pass.run(database, PassRange::All, control)?.is_whole() {
        return Ok(None);
    }
    let games = (1, database.len()? + 1);
    let mut sorted: Vec<_> = players.iter().collect();
    sorted.sort_unstable_by_key(|(name, _)| *name);
    let mut shards = ShardWriter::new(change, PLAYERS, PLAYER_FIELDS.to_vec(), games);
    for (name, player) in sorted {
        player.push(name, shards.group());
        shards.end_row(None, true)?;
    }
    let players = shards.finish()?;
    let mut sorted: Vec<_> = events.iter().collect();
    sorted.sort_unstable_by_key(|(name, _)| *name);
    let mut shards = ShardWriter::new(change, EVENTS, EVENT_FIELDS.to_vec(), games);
    for ((event, site), counted) in sorted {
        counted.push(event, site, shards.group());
        shards.end_row(None, true)?;
    }
    let events = shards.finish()?;
    Ok(Some(LakeNameFiles { players, events }))
}
