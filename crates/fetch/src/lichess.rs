//! The games of an account at Lichess.
//!
//! One stream has all games from the newest known one on, the oldest first, so that the base always has everything up to a
//! moment. Games that are being played are in it: they are only remembered, and requested by their ids the next time, as
//! are the games of the last thirty days that have no analysis yet.

use std::collections::BTreeSet;
use std::io::Read;
use std::time::{Duration, UNIX_EPOCH};

use tabiya_formats::format::OpenOptions;
use tabiya_formats::lichess::FORMAT;
use tabiya_model::{Game, GameNeeds};

use crate::client::{FetchData, FetchRequest, SiteResponse};
use crate::game_key::key;
use crate::job::{FetchJob, FetchSource};
use crate::site::FetchSite;
use crate::state::FetchMemory;
use crate::{FetchError, Result};

/// What is asked of every game.
const FIELDS: &str = "moves=true&clocks=true&evals=true&accuracy=true&opening=true&division=true";

/// The type of the answer.
const ACCEPT: &str = "application/x-ndjson";

/// Games by ids in one request.
const MOST_IDS: usize = 300;

/// How long a game is asked for again because it may get an analysis.
const RECENT: Duration = Duration::from_secs(30 * 86_400);

/// The first moment that `since` may name, in milliseconds.
const FIRST: u64 = 1_356_998_400_070;

/// What a game that could not be read whole is known by.
const BROKEN: [&str; 2] = ["site-broken-game", "site-long-game"];

/// The games that came in one answer.
struct LichessGames {
    newest: u64,
    unfinished: BTreeSet<String>,
    seen: BTreeSet<String>,
}

pub(crate) fn fetch(
    job: &mut FetchJob,
    source: &FetchSource,
    user: &str,
    mut memory: FetchMemory,
) -> Result<()> {
    let mut path = format!("/api/games/user/{user}?sort=dateAsc&ongoing=true&{FIELDS}");
    if memory.newest >= FIRST {
        path.push_str(&format!("&since={}", memory.newest));
    }
    let asked = std::mem::take(&mut memory.unfinished);
    let mut games = LichessGames {
        newest: memory.newest,
        unfinished: BTreeSet::new(),
        seen: BTreeSet::new(),
    };
    let what = format!("account {user}");
    let request = FetchRequest::new(FetchSite::Lichess, &path, ACCEPT, &what);
    let data = match job.client.ask(&request)? {
        SiteResponse::Data(data) => data,
        SiteResponse::Unchanged | SiteResponse::Done => return Ok(()),
        SiteResponse::NotThere => {
            let site = job.client.settings().address(FetchSite::Lichess).to_owned();
            return Err(FetchError::NotThere { site, what });
        }
    };
    let mut kept = memory.clone();
    kept.unfinished.clone_from(&asked);
    let read = read_games(job, data, &mut games, |job, games| {
        // The base has everything up to here.
        kept.newest = games.newest;
        kept.unfinished = &asked | &games.unfinished;
        job.state.keep(source, &kept)
    });
    // Nothing is remembered that is not in the base.
    let flushed = job.target.flush();
    if flushed.is_ok() {
        memory.newest = games.newest;
        memory.unfinished = &asked | &games.unfinished;
        job.state.keep(source, &memory)?;
    }
    read?;
    flushed?;
    job.target.look_again()?;
    let mut ids: Vec<String> = asked.difference(&games.seen).cloned().collect();
    ids.extend(waiting(job, &games));
    ids.sort_unstable();
    ids.dedup();
    let mut again = LichessGames {
        newest: memory.newest,
        unfinished: games.unfinished.clone(),
        seen: BTreeSet::new(),
    };
    for ids in ids.chunks(MOST_IDS) {
        let path = format!("/api/games/export/_ids?{FIELDS}");
        let body = ids.join(",");
        let mut request = FetchRequest::new(FetchSite::Lichess, &path, ACCEPT, &what);
        request.body = Some((&body, "text/plain"));
        if let SiteResponse::Data(data) = job.client.ask(&request)? {
            read_games(job, data, &mut again, |_, _| Ok(()))?;
        }
    }
    job.target.flush()?;
    memory.unfinished = again.unfinished;
    job.state.keep(source, &memory)
}

/// The ids of recent games without an analysis.
fn waiting(job: &FetchJob, games: &LichessGames) -> Vec<String> {
    let now = job.client.settings().now;
    let first = now.checked_sub(RECENT).unwrap_or(UNIX_EPOCH);
    let first = first.duration_since(UNIX_EPOCH).unwrap_or_default();
    let first = u64::try_from(first.as_millis()).unwrap_or(u64::MAX);
    job.target
        .keys_of(|known| !known.is_analysed && known.began >= first)
        .iter()
        .filter_map(|key| key.rsplit('/').next())
        .filter(|id| is_id(id) && !games.seen.contains(*id))
        .map(str::to_owned)
        .collect()
}

fn is_id(text: &str) -> bool {
    (8..=12).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Takes the games of an answer as they come. `keep` is called when everything up to there is in the base.
fn read_games(
    job: &mut FetchJob,
    data: FetchData,
    games: &mut LichessGames,
    mut keep: impl FnMut(&mut FetchJob, &LichessGames) -> Result<()>,
) -> Result<()> {
    let site = data.site.clone();
    let reader: Box<dyn Read + Send> = data.reader;
    let mut options = OpenOptions::default();
    options.limits.game_bytes = job.client.settings().game_bytes;
    let open = FORMAT.stream.ok_or_else(|| FetchError::NotData {
        site: site.clone(),
        wanted: "games in JSON",
    })?;
    let mut stream = open(reader, &options)?;
    let mut game = Game::default();
    loop {
        if job.client.control().is_stopped() {
            return Err(FetchError::Stopped);
        }
        let block = match stream.next_block() {
            Ok(Some(block)) => Some(block),
            Ok(None) => None,
            Err(error) => return Err(failure(job, &site, &error)),
        };
        let Some(mut block) = block else { break };
        while block.next(GameNeeds::ALL, &mut game)? {
            let is_broken = game
                .diagnostics
                .iter()
                .any(|found| BROKEN.contains(&found.code.name));
            if is_broken {
                if job.client.control().is_stopped() {
                    return Err(FetchError::Stopped);
                }
                let why = "a game is incomplete".to_owned();
                return Err(FetchError::Cut { site, why });
            }
            take(job, &game, games)?;
            if job.target.is_flushed() {
                keep(job, games)?;
            }
        }
    }
    let mut found = tabiya_model::Diagnostics::default();
    found.append(&stream.diagnostics());
    if !found.is_empty() {
        let why = "it cannot be unpacked completely".to_owned();
        return Err(FetchError::Cut { site, why });
    }
    Ok(())
}

fn take(job: &mut FetchJob, game: &Game, games: &mut LichessGames) -> Result<()> {
    let id = game.tags.value("GameId").to_owned();
    let began = game.tags.value("CreatedAt").parse().unwrap_or(0);
    games.newest = games.newest.max(began);
    games.seen.insert(id.clone());
    if matches!(game.tags.value("Status"), "created" | "started") {
        games.unfinished.insert(id);
        return Ok(());
    }
    games.unfinished.remove(&id);
    if key(&game.tags).is_none() {
        return Ok(());
    }
    job.target.take(game)
}

/// What a failure of the stream means.
fn failure(job: &FetchJob, site: &str, error: &tabiya_model::Error) -> FetchError {
    let site = site.to_owned();
    if job.client.control().is_stopped() {
        return FetchError::Stopped;
    }
    if *error.code == tabiya_model::error_codes::NOT_THIS_FORMAT {
        return FetchError::NotData {
            site,
            wanted: "games in JSON",
        };
    }
    FetchError::Cut {
        site,
        why: error.message.clone(),
    }
}
