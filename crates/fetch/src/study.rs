//! The chapters of a study at Lichess, in both directions.
//!
//! Changes on one side are transferred to the other one on request; a chapter that was changed on both sides is reported,
//! and stays unchanged on both until somebody chooses a version. A fingerprint of each chapter in its last common state
//! shows which side has changed. Chapters that were sent are read back, since the site reports success even if it has done
//! nothing.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use tabiya_model::{Game, Tags};

use crate::client::{FetchRequest, SiteResponse};
use crate::game_key::{FROM_TAG, key};
use crate::job::{FetchConflict, FetchConflictChoice, FetchConflictSide, FetchJob, FetchSource};
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
    source: &FetchSource,
    stamp: Option<&FetchStamp>,
) -> Result<Option<(Vec<Game>, FetchStamp)>> {
    let path = path_of(source);
    let what = what_of(source);
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

fn path_of(source: &FetchSource) -> String {
    match source {
        FetchSource::Studies(user) => format!("/api/study/by/{user}/export.pgn?{FIELDS}"),
        FetchSource::Study(id) => format!("/api/study/{id}.pgn?{FIELDS}"),
        // It is asked of studies alone.
        _ => String::new(),
    }
}

fn what_of(source: &FetchSource) -> String {
    match source {
        FetchSource::Studies(user) => format!("account {user}"),
        other => other.to_string(),
    }
}

/// Brings the chapters here that were changed there, and settles those that were changed on both sides as somebody has chosen.
pub(crate) fn fetch(
    job: &mut FetchJob,
    source: &FetchSource,
    mut memory: FetchMemory,
    choice: Option<&FetchConflictChoice>,
) -> Result<()> {
    let path = path_of(source);
    // Whoever has chosen wants an answer, even if nothing is new.
    let known = memory
        .stamps
        .get(&path)
        .filter(|_| choice.is_none())
        .cloned();
    let mut unsettled: Vec<&String> = choice.iter().flat_map(|it| &it.chapters).collect();
    let Some((chapters, stamp)) = ask(job, source, known.as_ref())? else {
        return Ok(());
    };
    let mut arrived = Vec::new();
    for game in chapters {
        let Some(key) = key(&game.tags) else { continue };
        let there = fingerprint(&game);
        match job.target.known(&key).map(|known| known.number) {
            None => {
                arrived.push((key, there));
                job.target.add(game)?;
            }
            Some(0) => job.target.counts.there += 1,
            Some(number) => {
                let old = job.target.read(number)?.unwrap_or_default();
                let here = fingerprint(&old);
                let then = memory
                    .chapters
                    .get(&key)
                    .map(|told| ChapterPrints::read(told));
                let is_new_there = then.as_ref().is_none_or(|then| then.there != there);
                let is_new_here = then.as_ref().is_none_or(|then| then.here != here);
                if here == there {
                    job.target.counts.there += 1;
                    arrived.push((key, there));
                } else if !is_new_there {
                    // Nothing was changed, or only here.
                    job.target.counts.there += 1;
                } else if !is_new_here {
                    job.target.renew(game)?;
                    arrived.push((key, there));
                } else {
                    unsettled.retain(|chapter| *chapter != name_of(&key));
                    match choice.filter(|it| it.is_for(&key)).map(|it| it.side) {
                        Some(FetchConflictSide::There) => {
                            job.target.renew(game)?;
                            arrived.push((key, there));
                        }
                        Some(FetchConflictSide::Here) => {
                            // As if it had been changed here alone, so that it may be sent; but what the format of the base does
                            // not hold must not be lost there, so that such a chapter is as if it had been fetched.
                            let may_be_sent = then.is_none_or(|then| then.is_whole());
                            let here = if may_be_sent { there.clone() } else { here };
                            let settled = ChapterPrints { there, here };
                            memory.chapters.insert(key, settled.text());
                            job.target.counts.there += 1;
                        }
                        None => {
                            let what = format!("game {number} keeps its version here");
                            job.conflicts.push(conflict(&key, number, &old, &game));
                            job.notes.push(told_conflict(&key, &what));
                        }
                    }
                }
            }
        }
    }
    job.target.flush()?;
    job.target.look_again()?;
    for (key, there) in arrived {
        // The base may have it in another form.
        let number = job.target.known(&key).map(|known| known.number);
        let Some(number) = number else { continue };
        let here = fingerprint(&job.target.read(number)?.unwrap_or_default());
        memory
            .chapters
            .insert(key, ChapterPrints { there, here }.text());
    }
    for chapter in unsettled {
        let note = format!("chapter {chapter} was not changed on both sides");
        job.notes.push(note);
    }
    if job.conflicts.is_empty() {
        memory.stamps.insert(path, stamp);
    } else {
        // They are shown until they are resolved.
        memory.stamps.remove(&path);
    }
    job.state.keep(source, &memory)
}

/// Sends the chapters there that were changed here; says how many arrived.
pub(crate) fn push(
    job: &mut FetchJob,
    source: &FetchSource,
    mut memory: FetchMemory,
) -> Result<u64> {
    let Some((chapters, _)) = ask(job, source, None)? else {
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
        let then = ChapterPrints::read(then);
        if fingerprint(&here) == then.here {
            continue;
        }
        let Some(place) = ChapterPlace::of(key) else {
            continue;
        };
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
        if now != then.there {
            let what = format!("game {number} was not sent");
            job.conflicts.push(conflict(key, number, &here, before));
            job.notes.push(told_conflict(key, &what));
            continue;
        }
        if !then.is_whole() {
            let note = format!(
                "the format of the database does not hold all of chapter {name}; game {number} was not sent"
            );
            job.notes.push(note);
            continue;
        }
        send(job, &place, before, &here)?;
        sent.insert(key.clone(), here);
    }
    if sent.is_empty() {
        return Ok(0);
    }
    let Some((chapters, _)) = ask(job, source, None)? else {
        return Ok(0);
    };
    let mut arrived = 0;
    for game in chapters {
        let Some((key, here)) = key(&game.tags).and_then(|key| sent.remove_entry(&key)) else {
            continue;
        };
        let there = fingerprint(&game);
        let here = fingerprint(&here);
        if there == here {
            arrived += 1;
            memory
                .chapters
                .insert(key, ChapterPrints { there, here }.text());
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
    memory.stamps.remove(&path_of(source));
    job.state.keep(source, &memory)?;
    Ok(arrived)
}

/// Sends the moves and the tags of a chapter, each if it is another one than before.
fn send(job: &mut FetchJob, place: &ChapterPlace, before: &Game, here: &Game) -> Result<()> {
    let mut parts = Vec::new();
    if moves_of(before) != moves_of(here) {
        parts.push(("moves", tabiya::edit::text_of(&plain(here))));
    }
    let tags = changed_tags(before, here);
    if !tags.is_empty() {
        parts.push(("tags", tags));
    }
    for (part, text) in parts {
        let ChapterPlace { study, chapter } = place;
        let path = format!("/api/study/{study}/{chapter}/{part}");
        let what = format!("chapter {chapter} of study {study}");
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
        // A database may have all tags of the roster, even if nothing is known.
        let was = before.tags.get(tag.name);
        let is_unknown = matches!(tag.value, "?" | "????.??.??");
        if was != Some(tag.value) && !(was.is_none() && is_unknown) {
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

/// Where a chapter is at the site.
struct ChapterPlace<'k> {
    study: &'k str,
    chapter: &'k str,
}

impl<'k> ChapterPlace<'k> {
    /// The end of an address; `None` if it is not that of a chapter. Nothing else of an address is used.
    fn of(key: &'k str) -> Option<ChapterPlace<'k>> {
        let is_id =
            |word: &&str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let mut words = key.rsplit('/');
        let chapter = words.next().filter(is_id)?;
        let study = words.next().filter(is_id)?;
        (words.next() == Some("study")).then_some(ChapterPlace { study, chapter })
    }
}

/// The chapter's id, at the end of its address.
pub(crate) fn name_of(key: &str) -> &str {
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

/// A chapter that was changed on both sides.
fn conflict(key: &str, number: u64, here: &Game, there: &Game) -> FetchConflict {
    let (here, there) = (plain(here), plain(there));
    FetchConflict {
        chapter: key.to_owned(),
        number,
        differences: tabiya_model::diff::diff(&here, &there)
            .iter()
            .map(ToString::to_string)
            .collect(),
        here: tabiya::edit::text_of(&here),
        there: tabiya::edit::text_of(&there),
    }
}

fn told_conflict(key: &str, what: &str) -> String {
    let name = name_of(key);
    format!("chapter {name} was changed there and here; {what}")
}

/// A chapter in its last common state. The two are the same, unless the format of the base does not hold all of it.
struct ChapterPrints {
    there: String,
    here: String,
}

impl ChapterPrints {
    fn read(text: &str) -> ChapterPrints {
        let (there, here) = text.split_once(' ').unwrap_or((text, text));
        ChapterPrints {
            there: there.to_owned(),
            here: here.to_owned(),
        }
    }

    /// Whether the base holds all of it.
    fn is_whole(&self) -> bool {
        self.there == self.here
    }

    fn text(&self) -> String {
        match self.is_whole() {
            true => self.there.clone(),
            false => format!("{} {}", self.there, self.here),
        }
    }
}

/// What a chapter is. Two chapters that a reader would not tell apart have the same one.
fn fingerprint(game: &Game) -> String {
    let mut game = plain(game);
    // Some formats have an order of tags of their own.
    let mut tags: Vec<_> = game.tags.iter().map(|tag| (tag.name, tag.value)).collect();
    tags.sort_unstable();
    let mut sorted = Tags::default();
    for (name, value) in tags {
        sorted.push(name, value);
    }
    game.tags = sorted;
    let mut hasher = DefaultHasher::new();
    tabiya::edit::text_of(&game).hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}
