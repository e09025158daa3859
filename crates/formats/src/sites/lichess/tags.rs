//! The tags of a game of Lichess.

use tabiya_model::tags::Tags;

use crate::sites::date_time::SiteMoment;
use crate::sites::fields::SiteFields;

/// The address of a game, before its id.
const ADDRESS: &str = "https://lichess.org/";

/// The two players: the name of their fields and the beginning of their tags.
const PLAYERS: [(&str, &str); 2] = [("white", "White"), ("black", "Black")];

/// Fields of a player whose values become a tag unchanged: after the player's name, and after `White` or `Black`.
const OF_PLAYER: [(&str, &str); 10] = [
    ("user.title", "Title"),
    ("provisional", "Provisional"),
    ("berserk", "Berserk"),
    ("team", "Team"),
    ("aiLevel", "AiLevel"),
    ("analysis.inaccuracy", "Inaccuracies"),
    ("analysis.mistake", "Mistakes"),
    ("analysis.blunder", "Blunders"),
    ("analysis.acpl", "CentipawnLoss"),
    ("analysis.accuracy", "Accuracy"),
];

/// Fields of a game whose values become a tag unchanged.
const OF_GAME: [(&str, &str); 18] = [
    ("rated", "Rated"),
    ("speed", "Speed"),
    ("perf", "Perf"),
    ("source", "GameSource"),
    ("status", "Status"),
    ("createdAt", "CreatedAt"),
    ("lastMoveAt", "LastMoveAt"),
    ("opening.ply", "OpeningPly"),
    ("division.middle", "MiddlegamePly"),
    ("division.end", "EndgamePly"),
    ("daysPerTurn", "DaysPerTurn"),
    ("arenaTour.id", "ArenaId"),
    ("swissTour.id", "SwissId"),
    ("tournament", "ArenaId"),
    ("swiss", "SwissId"),
    ("tournamentId", "TournamentId"),
    ("lastFen", "LastFen"),
    ("bookmarked", "Bookmarked"),
];

/// The name of a variant in Lichess's PGN.
fn variant_name(key: &str) -> &str {
    match key {
        "standard" => "Standard",
        "chess960" => "Chess960",
        "crazyhouse" => "Crazyhouse",
        "antichess" => "Antichess",
        "atomic" => "Atomic",
        "horde" => "Horde",
        "kingOfTheHill" => "King of the Hill",
        "racingKings" => "Racing Kings",
        "threeCheck" => "Three-check",
        "fromPosition" => "From Position",
        other => other,
    }
}

/// How a game ended, as in the tag Termination of Lichess's PGN.
fn termination(status: &str) -> Option<&'static str> {
    match status {
        "created" | "started" => Some("Unterminated"),
        "aborted" | "noStart" => Some("Abandoned"),
        "timeout" | "outoftime" => Some("Time forfeit"),
        "cheat" => Some("Rules infraction"),
        "unknownFinish" => Some("Unknown"),
        "mate" | "resign" | "stalemate" | "draw" | "insufficientMaterialClaim" | "variantEnd" => {
            Some("Normal")
        }
        _ => None,
    }
}

/// The result, from the winner, or from how the game ended without one.
pub(super) fn result(fields: &SiteFields<'_>) -> &'static str {
    match fields.text("winner").as_deref() {
        Some("white") => return "1-0",
        Some("black") => return "0-1",
        _ => {}
    }
    match fields.text("status").as_deref() {
        Some("created" | "started" | "aborted" | "noStart" | "unknownFinish" | "cheat") | None => {
            "*"
        }
        Some(_) => "1/2-1/2",
    }
}

/// Makes the tags, and takes the fields that are in them now.
pub(super) fn push(fields: &mut SiteFields<'_>, tags: &mut Tags) {
    roster(fields, tags);
    for (player, tag) in PLAYERS {
        if let Some(rating) = fields.take_value(&format!("players.{player}.rating")) {
            tags.push(&format!("{tag}Elo"), &rating);
        }
    }
    if let Some(eco) = fields.take_text("opening.eco") {
        tags.push("ECO", &eco);
    }
    if let Some(id) = fields.take_text("id") {
        tags.push("GameId", &id);
    }
    let created = fields.number("createdAt").and_then(moment);
    if let Some(moment) = created {
        tags.push("UTCDate", &moment.date());
        tags.push("UTCTime", &moment.time());
    }
    for (player, tag) in PLAYERS {
        of_player(fields, tags, player, tag);
    }
    if let Some(key) = fields.take_text("variant") {
        tags.push("Variant", variant_name(&key));
    }
    if let Some(fen) = fields.take_text("initialFen") {
        tags.push("SetUp", "1");
        tags.push("FEN", &fen);
    }
    tags.push("TimeControl", &time_control(fields));
    if let Some(opening) = fields.take_text("opening.name") {
        tags.push("Opening", &opening);
    }
    if let Some(status) = fields.text("status").as_deref().and_then(termination) {
        tags.push("Termination", status);
    }
    for (field, tag) in OF_GAME {
        // The second of two names for the same field is only in old files.
        if tags.get(tag).is_none()
            && let Some(value) = fields.take_value(field)
        {
            tags.push(tag, &value);
        }
    }
}

fn moment(milliseconds: i64) -> Option<SiteMoment> {
    SiteMoment::of_seconds(milliseconds.div_euclid(1000))
}

fn roster(fields: &mut SiteFields<'_>, tags: &mut Tags) {
    tags.push("Event", &event(fields));
    let id = fields.text("id").unwrap_or_default();
    tags.push("Site", &format!("{ADDRESS}{id}"));
    let created = fields.number("createdAt").and_then(moment);
    let date = created.map_or_else(|| "????.??.??".to_owned(), SiteMoment::date);
    tags.push("Date", &date);
    tags.push("Round", "-");
    for (player, tag) in PLAYERS {
        let name = player_name(fields, player);
        tags.push(tag, &name);
    }
    let result = result(fields);
    tags.push("Result", result);
    let is_said = match fields.text("winner").as_deref() {
        Some("white") => result == "1-0",
        Some("black") => result == "0-1",
        _ => false,
    };
    if is_said {
        fields.done("winner");
    }
}

/// The name of the event: that of the tournament, or the kind of game.
fn event(fields: &mut SiteFields<'_>) -> String {
    if let Some(name) = fields.take_text("arenaTour.name") {
        return name;
    }
    let rated = match fields.raw("rated") {
        Some(b"true") => "Rated",
        Some(_) => "Casual",
        None => return "?".to_owned(),
    };
    match fields.text("speed").or_else(|| fields.text("perf")) {
        Some(speed) => format!("{rated} {speed} game"),
        None => format!("{rated} game"),
    }
}

fn player_name(fields: &mut SiteFields<'_>, player: &str) -> String {
    let field = |name: &str| format!("players.{player}.{name}");
    if let Some(name) = fields.take_text(&field("user.name")) {
        return name;
    }
    if let Some(name) = fields.take_text(&field("name")) {
        return name;
    }
    match fields.number(&field("aiLevel")) {
        Some(level) => format!("lichess AI level {level}"),
        None => "Anonymous".to_owned(),
    }
}

fn of_player(fields: &mut SiteFields<'_>, tags: &mut Tags, player: &str, tag: &str) {
    let field = |name: &str| format!("players.{player}.{name}");
    if let Some(change) = fields.number(&field("ratingDiff")) {
        let sign = if change > 0 { "+" } else { "" };
        tags.push(&format!("{tag}RatingDiff"), &format!("{sign}{change}"));
        fields.done(&field("ratingDiff"));
    }
    // An id is the name in lower case, and is kept only if it is not.
    if let Some(id) = fields.text(&field("user.id")) {
        if id != tags.value(tag).to_lowercase() {
            tags.push(&format!("{tag}Id"), &id);
        }
        fields.done(&field("user.id"));
    }
    for (name, end) in OF_PLAYER {
        if let Some(value) = fields.take_value(&field(name)) {
            tags.push(&format!("{tag}{end}"), &value);
        }
    }
    // An empty object has no content.
    for name in ["", ".analysis", ".user"] {
        let name = format!("players.{player}{name}");
        if fields.raw(&name) == Some(b"{}") {
            fields.done(&name);
        }
    }
}

/// The time control in the form of PGN: seconds with an increment, seconds for each move, or none.
fn time_control(fields: &mut SiteFields<'_>) -> String {
    let initial = fields.number("clock.initial");
    let increment = fields.number("clock.increment");
    if let (Some(initial), Some(increment)) = (initial, increment) {
        let total = increment
            .checked_mul(40)
            .and_then(|total| total.checked_add(initial));
        if fields.number("clock.totalTime") == total {
            fields.done("clock.totalTime");
        }
        fields.done("clock.initial");
        fields.done("clock.increment");
        return format!("{initial}+{increment}");
    }
    match fields.number("daysPerTurn") {
        Some(days) => format!("1/{}", days.saturating_mul(86_400)),
        None => "-".to_owned(),
    }
}
