//! The tags of a game of chess.com in addition to those of its PGN.

use tabiya_model::tags::Tags;

use crate::sites::date_time::SiteMoment;
use crate::sites::fields::SiteFields;

/// The two players: the name of their fields and the beginning of their tags.
pub(super) const PLAYERS: [(&str, &str); 2] = [("white", "White"), ("black", "Black")];

/// Fields with the tag for the same value in the PGN; if that is missing or differs, the second tag gets the value.
const SAID: [(&str, &str, &str); 9] = [
    ("url", "Link", "GameUrl"),
    ("time_control", "TimeControl", "SiteTimeControl"),
    ("fen", "CurrentPosition", "LastFen"),
    ("eco", "ECOUrl", "OpeningUrl"),
    ("initial_setup", "FEN", "InitialSetup"),
    ("white.username", "White", "WhiteUsername"),
    ("black.username", "Black", "BlackUsername"),
    ("white.rating", "WhiteElo", "WhiteRating"),
    ("black.rating", "BlackElo", "BlackRating"),
];

/// Fields without a PGN tag.
const OF_GAME: [(&str, &str); 14] = [
    ("uuid", "GameUuid"),
    ("rated", "Rated"),
    ("time_class", "TimeClass"),
    ("rules", "Rules"),
    ("start_time", "StartedAt"),
    ("end_time", "EndedAt"),
    ("tournament", "TournamentUrl"),
    ("match", "MatchUrl"),
    ("accuracies.white", "WhiteAccuracy"),
    ("accuracies.black", "BlackAccuracy"),
    ("white.result", "WhiteResult"),
    ("black.result", "BlackResult"),
    ("white.uuid", "WhiteUuid"),
    ("black.uuid", "BlackUuid"),
];

/// The default starting position of every game.
const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// The address of a player's data, before the name in lower case.
const PLAYER: &str = "https://api.chess.com/pub/player/";

/// The tags of a game that comes without PGN: those that PGN would have.
pub(super) fn push_own(fields: &mut SiteFields<'_>, tags: &mut Tags) {
    tags.push("Event", "?");
    tags.push("Site", "Chess.com");
    let moment = |name: &str| fields.number(name).and_then(SiteMoment::of_seconds);
    let ended = moment("end_time");
    let date = moment("start_time").or(ended);
    let date = date.map_or_else(|| "????.??.??".to_owned(), SiteMoment::date);
    tags.push("Date", &date);
    tags.push("Round", "-");
    for (player, tag) in PLAYERS {
        let name = fields.text(&format!("{player}.username"));
        tags.push(tag, name.as_deref().unwrap_or("?"));
    }
    tags.push("Result", result(fields));
    for (player, tag) in PLAYERS {
        if let Some(rating) = fields.number(&format!("{player}.rating")) {
            tags.push(&format!("{tag}Elo"), &rating.to_string());
        }
    }
    if let Some(moment) = ended {
        tags.push("EndDate", &moment.date());
        tags.push("EndTime", &moment.time());
    }
    let rules = fields.text("rules").unwrap_or_default();
    if !rules.is_empty() && rules != "chess" {
        tags.push("Variant", variant_name(&rules));
    }
    if let Some(fen) = fields.text("initial_setup")
        && !fen.is_empty()
        && fen != START
    {
        tags.push("SetUp", "1");
        tags.push("FEN", &fen);
    }
    for (name, tag) in [("time_control", "TimeControl"), ("url", "Link")] {
        if let Some(value) = fields.text(name) {
            tags.push(tag, &value);
        }
    }
}

fn variant_name(rules: &str) -> &str {
    match rules {
        "chess960" => "Chess960",
        "bughouse" => "Bughouse",
        "crazyhouse" => "Crazyhouse",
        "kingofthehill" => "King of the Hill",
        "threecheck" => "Three-check",
        other => other,
    }
}

/// The result from the results of both players.
fn result(fields: &SiteFields<'_>) -> &'static str {
    let of = |player: &str| fields.text(&format!("{player}.result")).unwrap_or_default();
    let is_draw = |result: &str| {
        matches!(
            result,
            "agreed"
                | "repetition"
                | "stalemate"
                | "insufficient"
                | "50move"
                | "timevsinsufficient"
        )
    };
    match (&of("white")[..], &of("black")[..]) {
        ("win", _) => "1-0",
        (_, "win") => "0-1",
        (white, black) if is_draw(white) && is_draw(black) => "1/2-1/2",
        _ => "*",
    }
}

/// Adds the values of fields that the tags lack, and takes the fields that are in the tags now.
pub(super) fn push_more(fields: &mut SiteFields<'_>, tags: &mut Tags) {
    for (field, tag, other) in SAID {
        let Some(value) = fields.take_value(field) else {
            continue;
        };
        let is_start = field == "initial_setup" && (value.is_empty() || value == START);
        let said = tags.get(tag);
        if said == Some(&value[..]) || (is_start && said.is_none()) {
            continue;
        }
        tags.push(if said.is_none() { tag } else { other }, &value);
    }
    for (player, tag) in PLAYERS {
        let field = format!("{player}.@id");
        if let Some(address) = fields.text(&field) {
            let usual = format!("{PLAYER}{}", tags.value(tag).to_lowercase());
            if address != usual {
                tags.push(&format!("{tag}Id"), &address);
            }
            fields.done(&field);
        }
    }
    for (field, tag) in OF_GAME {
        // A tag of that name in the PGN has another value; then the field stays a field.
        if tags.get(tag).is_none()
            && let Some(value) = fields.take_value(field)
        {
            tags.push(tag, &value);
        }
    }
}
