//! The games of a broadcast tournament at Lichess, which change while they are played.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Cursor, Read};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use tabiya_model::{Game, Move};

use crate::client::{FetchRequest, SiteResponse};
use crate::game_key::key;
use crate::job::FetchJob;
use crate::pgn_answer::{games, games_in};
use crate::site::FetchSite;
use crate::{FetchError, Result};

/// When no game has arrived for this time, the games that have are put into the base.
const PAUSE: Duration = Duration::from_secs(1);

/// How often a connection may end without a game before the job gives up.
const CUTS: u32 = 5;

/// The number of games that may wait between the connection and the base.
const WAITING: usize = 16;

pub(crate) fn fetch(job: &mut FetchJob, id: &str) -> Result<()> {
    let path = format!("/api/broadcast/{id}.pgn?clocks=true&comments=true");
    let what = format!("broadcast {id}");
    let request = FetchRequest::new(FetchSite::Lichess, &path, "application/x-chess-pgn", &what);
    let data = match job.client.ask(&request)? {
        SiteResponse::Data(data) => data,
        SiteResponse::Unchanged | SiteResponse::Done => return Ok(()),
        SiteResponse::NotThere => {
            let site = job.client.settings().address(FetchSite::Lichess).to_owned();
            return Err(FetchError::NotThere { site, what });
        }
    };
    let games = games(data, job.client.settings())?;
    for game in games {
        take(job, game, has_grown)?;
    }
    put(job)
}

/// Takes a game; one that the base has already is replaced if `is_newer` says so of the old and the new one.
fn take(job: &mut FetchJob, game: Game, is_newer: impl FnOnce(&Game, &Game) -> bool) -> Result<()> {
    let number = key(&game.tags)
        .and_then(|key| job.target.known(&key))
        .map(|known| known.number);
    let old = match number {
        None => return job.target.add(game),
        // It came twice in one answer.
        Some(0) => None,
        Some(number) => job.target.read(number)?,
    };
    match old.filter(|old| is_newer(old, &game)) {
        Some(old) => job.target.renew(grown(&old, game)),
        None => {
            job.target.counts.there += 1;
            Ok(())
        }
    }
}

/// Puts everything that has arrived into the base.
fn put(job: &mut FetchJob) -> Result<()> {
    if !job.target.is_flushed() {
        job.target.flush()?;
        job.target.look_again()?;
    }
    Ok(())
}

/// What arrives while a round is followed.
enum RoundNews {
    /// The text of a game as it is now.
    Game(Vec<u8>),
    /// The round has ended.
    End,
    /// The connection has.
    Cut(String),
}

/// What this run has put into the base.
#[derive(Default)]
struct RoundGames {
    /// The main line of each game by its key: as long as the base has it, the site may also take moves back.
    lines: BTreeMap<String, Vec<Move>>,
    unfinished: BTreeSet<String>,
}

/// Follows a round until it ends: the site sends all games, then each game again at each of its moves.
pub(crate) fn follow(job: &mut FetchJob, id: &str) -> Result<()> {
    let path = format!("/api/stream/broadcast/round/{id}.pgn?clocks=true&comments=true");
    let what = format!("round {id}");
    let site = job.client.settings().address(FetchSite::Lichess).to_owned();
    let mut round = RoundGames::default();
    let mut cuts = 0;
    loop {
        let request =
            FetchRequest::new(FetchSite::Lichess, &path, "application/x-chess-pgn", &what);
        let data = match job.client.ask(&request)? {
            SiteResponse::Data(data) => data,
            SiteResponse::Unchanged | SiteResponse::Done => return Ok(()),
            SiteResponse::NotThere => return Err(FetchError::NotThere { site, what }),
        };
        let (sender, news) = sync_channel(WAITING);
        let longest = job.client.settings().game_bytes;
        // While the next move is awaited, the games before it are put into the base.
        std::thread::spawn(move || read_round(data.reader, longest, &sender));
        let why = loop {
            if job.client.control().is_stopped() {
                put(job)?;
                return Err(FetchError::Stopped);
            }
            match news.recv_timeout(PAUSE) {
                Ok(RoundNews::Game(text)) => {
                    cuts = 0;
                    take_text(job, text, &mut round)?;
                }
                Ok(RoundNews::End) => {
                    put(job)?;
                    let count = round.unfinished.len();
                    if count > 0 {
                        job.notes.push(format!(
                            "the site has ended the round with {count} unfinished games; the same command asks for them again"
                        ));
                    }
                    return Ok(());
                }
                Ok(RoundNews::Cut(why)) => break why,
                Err(RecvTimeoutError::Timeout) => put(job)?,
                Err(RecvTimeoutError::Disconnected) => break "it ended".to_owned(),
            }
        };
        put(job)?;
        if job.client.control().is_stopped() {
            return Err(FetchError::Stopped);
        }
        cuts += 1;
        if cuts > CUTS {
            return Err(FetchError::Cut { site, why });
        }
        job.client.wait(&site, PAUSE * cuts)?;
    }
}

/// Takes the text of a game.
fn take_text(job: &mut FetchJob, text: Vec<u8>, round: &mut RoundGames) -> Result<()> {
    let site = job.client.settings().address(FetchSite::Lichess).to_owned();
    for game in games_in(Box::new(Cursor::new(text)), &site, job.client.settings())? {
        let Some(key) = key(&game.tags) else {
            take(job, game, has_grown)?;
            continue;
        };
        let known = job.target.known(&key);
        let is_waiting = known.is_some_and(|known| known.number == 0);
        // To be compared, an earlier state of the same game must be in the base.
        if is_waiting || job.target.is_renewed(&key) {
            put(job)?;
        }
        match game.tags.value("Result") {
            "*" => round.unfinished.insert(key.clone()),
            _ => round.unfinished.remove(&key),
        };
        let line: Vec<Move> = game.tape.main_line().collect();
        let last = round.lines.insert(key, line);
        take(job, game, |old, new| {
            let is_ours = last.is_some_and(|last| old.tape.main_line().eq(last));
            has_grown(old, new) || is_ours && differs(old, new)
        })?;
    }
    Ok(())
}

/// Reads games one by one: each ends with two empty lines.
fn read_round(reader: Box<dyn Read + Send>, longest: usize, news: &SyncSender<RoundNews>) {
    let mut reader = BufReader::new(reader);
    let mut text = Vec::new();
    let mut empty = 0;
    loop {
        let before = text.len();
        let most = longest.saturating_add(1).saturating_sub(before) as u64;
        let read = (&mut reader).take(most).read_until(b'\n', &mut text);
        let is_game = text.iter().any(|byte| !byte.is_ascii_whitespace());
        let line = text.get(before..).unwrap_or_default();
        let is_blank = line.iter().all(u8::is_ascii_whitespace);
        empty = match is_blank {
            true => empty + 1,
            false => 0,
        };
        let end = match read {
            Err(error) => Some(RoundNews::Cut(error.to_string())),
            Ok(_) if text.len() > longest => Some(RoundNews::Cut("a game is too long".to_owned())),
            Ok(0) => Some(RoundNews::End),
            Ok(_) => None,
        };
        let is_whole = empty >= 2 || matches!(end, Some(RoundNews::End));
        if is_game
            && is_whole
            && news
                .send(RoundNews::Game(std::mem::take(&mut text)))
                .is_err()
        {
            return;
        }
        if !is_game {
            // Empty lines only keep the connection awake.
            text.clear();
        }
        if let Some(end) = end {
            let _ = news.send(end);
            return;
        }
    }
}

/// Whether two states of a game are not the same.
fn differs(old: &Game, new: &Game) -> bool {
    !old.tape.main_line().eq(new.tape.main_line())
        || old.tags.value("Result") != new.tags.value("Result")
}

/// Whether a game went on, or ended, and what is here is its beginning.
fn has_grown(old: &Game, new: &Game) -> bool {
    let mut here = old.tape.main_line();
    let mut there = new.tape.main_line();
    let is_beginning = here.by_ref().all(|m| there.next() == Some(m));
    let goes_on = there.next().is_some();
    is_beginning && (goes_on || old.tags.value("Result") != new.tags.value("Result"))
}

/// The new game with the tags that only the old one has.
fn grown(old: &Game, mut new: Game) -> Game {
    for index in 0..old.tags.len() {
        let Some(tag) = old.tags.at(index) else {
            continue;
        };
        if new.tags.get(tag.name).is_none() {
            new.tags.push_from(&old.tags, index);
        }
    }
    new
}
