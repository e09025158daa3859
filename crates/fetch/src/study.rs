//! The chapters of a study at Lichess, in both directions.
//!
//! Changes on one side are transferred to the other one on request; a chapter that was changed on both sides is reported,
//! and stays unchanged on both. A fingerprint of each chapter in its last common state shows which side has changed.
//! Chapters that were sent are read back, since the site reports success even if it has done nothing.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use tabiya_model::Game;

use crate::client::{FetchRequest, SiteResponse};
use crate::game_key::{FROM_TAG, key};
use crate::job::{FetchJob, FetchSource};
use crate::pgn_answer::games;
use crate::site::FetchSite;
use crate::state::{FetchMemory, FetchStamp};
use crate::{FetchError, Result};

/// What is asked of every chapter.
const FIELDS: &str = "clocks=true&comments=true&variations=true&orientation=true";

/// The type of what is sent.
const FORM: &str = "application/x-www-form-urlencoded";

/// Tags that the site makes of the moves and of the time, or that this program has added.
const MADE_TAGS: [&str; 5] = ["ECO", "Opening", "UTCDate", "UTCTime", FROM_TAG];

/// Tags that say which chapter it is. They are never sent.
const OWN_TAGS: [&str; 7] = [
    "Event",
    "Site",
    "StudyName",
    "ChapterName",
    "ChapterURL",
    "Orientation",
    "Variant",
];

/// The chapters as they are there now; `None` where nothing has changed since the stamp.
fn ask(
    job: &mut FetchJob,
    id: &str,
    stamp: Option<&FetchStamp>,
) -> Result<Option<(Vec<Game>, FetchStamp)>> {
    let path = path_of(id);
    let what = format!("study {id}");
    let mut request =
        FetchRequest::new(FetchSite::Lichess, &path, "application/x-chess-pgn", &what);
    request.stamp = stamp;
    match job.client.ask(&request)? {
        SiteResponse::Data(data) => {
            let stamp = data.stamp.clone();
            let games = games(data, job.client.settings())?;
            Ok(Some((games, stamp)))
        }
        SiteResponse::Unchanged | SiteResponse::Done => Ok(None),
        SiteResponse::NotThere => {
            let site = job.client.settings().address(FetchSite::Lichess).to_owned();
            Err(FetchError::NotThere { site, what })
        }
    }
}

fn path_of(id: &str) -> String {
    format!("/api/study/{id}.pgn?{FIELDS}")
}

/// Brings the chapters here that were changed there.
pub(crate) fn fetch(
    job: &mut FetchJob,
    source: &FetchSource,
    id: &str,
    mut memory: FetchMemory,
) -> Result<()> {
    let path = path_of(id);
    let known = memory.stamps.get(&path).cloned();
    let Some((chapters, stamp)) = ask(job, id, known.as_ref())? else {
        return Ok(());
    };
    let mut fingerprints = Vec::new();
    for game in chapters {
        let Some(key) = key(&game.tags) else { continue };
        let there = fingerprint(&game);
        match job.target.known(&key).map(|known| known.number) {
            None => {
                fingerprints.push((key, there));
                job.target.add(game)?;
            }
            Some(0) => job.target.counts.there += 1,
            Some(number) => {
                let old = job.target.read(number)?.unwrap_or_default();
                let here = fingerprint(&old);
                let then = memory.chapters.get(&key).cloned();
                if here == there {
                    job.target.counts.there += 1;
                    fingerprints.push((key, there));
                } else if then.as_ref() == Some(&here) {
                    job.target.renew(game)?;
                    fingerprints.push((key, there));
                } else if then.as_ref() == Some(&there) {
                    // It was changed here alone.
                    job.target.counts.there += 1;
                } else {
                    let note = format!(
                        "chapter {} was changed there and here; game {number} keeps its version here",
                        name_of(&key)
                    );
                    job.notes.push(note);
                }
            }
        }
    }
    job.target.flush()?;
    job.target.look_again()?;
    memory.chapters.extend(fingerprints);
    memory.stamps.insert(path, stamp);
    job.state.keep(source, &memory)
}

/// Sends the chapters there that were changed here; says how many arrived.
pub(crate) fn push(
    job: &mut FetchJob,
    source: &FetchSource,
    id: &str,
    mut memory: FetchMemory,
) -> Result<u64> {
    let Some((chapters, _)) = ask(job, id, None)? else {
        return Ok(0);
    };
    let there: BTreeMap<String, Game> = chapters
        .into_iter()
        .filter_map(|game| Some((key(&game.tags)?, game)))
        .collect();
    let mut sent = BTreeMap::new();
    for (key, then) in &memory.chapters {
        let Some(number) = job.target.known(key).map(|known| known.number) else {
            continue;
        };
        let here = job.target.read(number)?.unwrap_or_default();
        let name = name_of(key);
        if fingerprint(&here) == *then {
            continue;
        }
        let Some(before) = there.get(key) else {
            let note = format!(
                "chapter {name} was changed here and deleted there; game {number} was not sent"
            );
            job.notes.push(note);
            continue;
        };
        let now = fingerprint(before);
        if now == fingerprint(&here) {
            sent.insert(key.clone(), here);
            continue;
        }
        if now != *then {
            let note =
                format!("chapter {name} was changed there and here; game {number} was not sent");
            job.notes.push(note);
            continue;
        }
        send(job, id, name, before, &here)?;
        sent.insert(key.clone(), here);
    }
    if sent.is_empty() {
        return Ok(0);
    }
    let Some((chapters, _)) = ask(job, id, None)? else {
        return Ok(0);
    };
    let mut arrived = 0;
    for game in chapters {
        let Some((key, here)) = key(&game.tags).and_then(|key| sent.remove_entry(&key)) else {
            continue;
        };
        let now = fingerprint(&game);
        if now == fingerprint(&here) {
            arrived += 1;
            memory.chapters.insert(key, now);
        } else {
            let note = format!(
                "chapter {} was sent, but differs there: look at it there",
                name_of(&key)
            );
            job.notes.push(note);
        }
    }
    for key in sent.keys() {
        let note = format!(
            "chapter {} was sent, but no longer exists there",
            name_of(key)
        );
        job.notes.push(note);
    }
    memory.stamps.remove(&path_of(id));
    job.state.keep(source, &memory)?;
    Ok(arrived)
}

/// Sends the moves and the tags of a chapter, each if it is another one than before.
fn send(job: &mut FetchJob, id: &str, chapter: &str, before: &Game, here: &Game) -> Result<()> {
    let mut parts = Vec::new();
    if moves_of(before) != moves_of(here) {
        parts.push(("moves", tabiya::edit::text_of(&plain(here))));
    }
    let tags = changed_tags(before, here);
    if !tags.is_empty() {
        parts.push(("tags", tags));
    }
    for (part, text) in parts {
        let path = format!("/api/study/{id}/{chapter}/{part}");
        let what = format!("chapter {chapter} of study {id}");
        let body = format!("pgn={}", form_text(&text));
        let mut request = FetchRequest::new(FetchSite::Lichess, &path, "application/json", &what);
        request.body = Some((&body, FORM));
        if let SiteResponse::NotThere = job.client.ask(&request)? {
            let site = job.client.settings().address(FetchSite::Lichess).to_owned();
            return Err(FetchError::NotThere { site, what });
        }
    }
    Ok(())
}

/// Tags that are others than before, as PGN; those that are gone have an empty value, which takes them away there.
fn changed_tags(before: &Game, here: &Game) -> String {
    let is_sent = |name: &str| !MADE_TAGS.contains(&name) && !OWN_TAGS.contains(&name);
    let mut text = String::new();
    let mut push = |name: &str, value: &str| {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"");
        text.push_str(&format!("[{name} \"{value}\"]\n"));
    };
    for tag in here.tags.iter().filter(|tag| is_sent(tag.name)) {
        if before.tags.get(tag.name) != Some(tag.value) {
            push(tag.name, tag.value);
        }
    }
    for tag in before.tags.iter().filter(|tag| is_sent(tag.name)) {
        if here.tags.get(tag.name).is_none() {
            push(tag.name, "");
        }
    }
    text
}

/// The chapter's id, at the end of its address.
fn name_of(key: &str) -> &str {
    key.rsplit('/').next().unwrap_or(key)
}

/// A text as a form has it.
pub(crate) fn form_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'*' => {
                out.push(char::from(byte));
            }
            b' ' => out.push('+'),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// A chapter without what does not count when two are compared.
fn plain(game: &Game) -> Game {
    let mut plain = game.clone();
    for name in MADE_TAGS {
        plain.tags.remove(name);
    }
    plain.origin = Default::default();
    plain.diagnostics = Default::default();
    plain
}

/// The moves with everything between them.
fn moves_of(game: &Game) -> String {
    let mut moves = plain(game);
    let fen = moves.tags.value("FEN").to_owned();
    moves.tags.clear();
    moves.tags.push_some("FEN", &fen);
    tabiya::edit::text_of(&moves)
}

/// What a chapter is. Two chapters that a reader would not tell apart have the same one.
fn fingerprint(game: &Game) -> String {
    let mut hasher = DefaultHasher::new();
    tabiya::edit::text_of(&plain(game)).hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}
