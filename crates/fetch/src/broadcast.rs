//! The games of a broadcast tournament at Lichess, which change while they are played.

use tabiya_model::Game;

use crate::client::{FetchRequest, SiteResponse};
use crate::job::FetchJob;
use crate::pgn_answer::games;
use crate::site::FetchSite;
use crate::target::key;
use crate::{FetchError, Result};

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
        let number = key(&game.tags)
            .and_then(|key| job.target.known(&key))
            .map(|known| known.number);
        match number {
            None => job.target.add(game)?,
            // It came twice in one answer.
            Some(0) => job.target.counts.there += 1,
            Some(number) => {
                let old = job.target.read(number)?;
                match old.filter(|old| has_grown(old, &game)) {
                    Some(old) => job.target.renew(grown(&old, game))?,
                    None => job.target.counts.there += 1,
                }
            }
        }
    }
    job.target.flush()?;
    job.target.look_again()
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
