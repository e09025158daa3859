//! Headers and names in the form of the expectations.

use serde_json::{Value, json};
use tabiya_formats::cbh::CbhReader;
use tabiya_formats::cbh::entities::{
    self, CbhEntityTable, CbhName, CbhSource, CbhTeam, CbhTournament,
};
use tabiya_formats::cbh::layout::{CbhDate, CbhRecord, CbhTextRecord, outcome};
use tabiya_model::charset::Charset;

/// The plain rule of the expectations: UTF-8 if it is valid, else the code page.
pub(crate) fn plain(bytes: &[u8], charset: Charset) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        // Bytes without a meaning are other characters there.
        Err(_) => charset
            .decode(bytes)
            .chars()
            .map(|c| match c {
                '\u{80}'..='\u{9f}' => '\u{fffd}',
                c => c,
            })
            .collect(),
    }
}

fn name(name: CbhName<'_>, charset: Charset) -> String {
    plain(name.bytes, charset)
}

pub(crate) fn date(date: CbhDate) -> String {
    let part = |value: u16, digits: usize| match value {
        0 => "?".repeat(digits),
        value => format!("{value:0digits$}"),
    };
    let [month, day] = [date.month(), date.day()].map(u16::from);
    format!(
        "{}.{}.{}",
        part(date.year(), 4),
        part(month, 2),
        part(day, 2)
    )
}

fn tournament(reader: &CbhReader, id: u32, charset: Charset) -> Value {
    let Some(data) = reader.entities(CbhEntityTable::Tournaments).get(id) else {
        return Value::Null;
    };
    let it = CbhTournament::decode(data);
    let time = match it.kind >> 5 {
        0 => "normal",
        1 => "blitz",
        2 => "rapid",
        4 => "corr",
        _ => "other",
    };
    json!({
        "title": name(it.title, charset), "place": name(it.place, charset), "date": date(it.date),
        "type": it.kind & 31, "time": time, "team": it.is_team, "nation": it.nation,
        "category": it.category, "rounds": it.rounds,
    })
}

fn source(reader: &CbhReader, id: u32, charset: Charset) -> Value {
    let Some(data) = reader.entities(CbhEntityTable::Sources).get(id) else {
        return Value::Null;
    };
    let it = CbhSource::decode(data);
    json!({
        "title": name(it.title, charset), "publisher": name(it.publisher, charset),
        "date": date(it.date), "quality": it.quality,
    })
}

fn annotator(reader: &CbhReader, id: u32, charset: Charset) -> Value {
    match reader.entities(CbhEntityTable::Annotators).get(id) {
        Some(data) => json!(name(entities::annotator(data), charset)),
        None => Value::Null,
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn result_text(result: u8) -> String {
    match (result, outcome(result)) {
        (3, _) => "line".to_owned(),
        (_, (_, Some(own))) => own.to_owned(),
        (_, (known, None)) => known.as_pgn().to_owned(),
    }
}

/// The header of a record in the form of the expectations.
pub(crate) fn header(reader: &CbhReader, number: u64, charset: Charset) -> Value {
    let record = reader.record(number).expect("a record");
    let mut value = match record {
        CbhRecord::Game(game) => {
            let player = |id| match reader.entities(CbhEntityTable::Players).get(id) {
                None => Value::Null,
                Some(data) => {
                    let [last, first] = entities::player(data);
                    json!({"last": name(last, charset), "first": name(first, charset)})
                }
            };
            let (eco, sub) = match game.eco() {
                Some((eco, sub)) => (eco.to_string(), sub),
                None => (String::new(), 0),
            };
            json!({
                "kind": "game", "flags": game.kind, "cbg": game.moves, "cba": game.annotations,
                "white": player(game.players[0]), "black": player(game.players[1]),
                "ids": [game.players[0], game.players[1], game.tournament, game.annotator, game.source],
                "tournament": tournament(reader, game.tournament, charset),
                "annotator": annotator(reader, game.annotator, charset),
                "source": source(reader, game.source, charset),
                "date": date(game.date), "result": result_text(game.result),
                "line_nag": game.line_nag, "round": game.round[0], "subround": game.round[1],
                "white_elo": game.ratings[0], "black_elo": game.ratings[1],
                "eco": eco, "eco_sub": sub, "medals": game.medals, "anno_flags": game.flags,
                "magnitude": game.magnitude, "move_count": game.move_count,
            })
        }
        CbhRecord::Text(CbhTextRecord {
            kind,
            body,
            tournament: event,
            source: origin,
            annotator: author,
            round,
            flags,
        }) => json!({
            "kind": "text", "flags": kind, "cbg": body, "tournament": tournament(reader, event, charset),
            "source": source(reader, origin, charset), "annotator": annotator(reader, author, charset),
            "round": round[0], "subround": round[1], "anno_flags": flags,
        }),
        CbhRecord::Unknown(_) => panic!("record {number} is of no kind"),
    };
    value["id"] = json!(number);
    value["deleted"] = json!(record.is_deleted());
    let second = reader.second_header(number);
    if let (Some(second), CbhRecord::Game(_)) = (second, record) {
        let team = |id: Option<u32>| id.map_or(json!(-1), |id| json!(id));
        let [white, black] = second.teams();
        let bytes = second.bytes();
        let part = |from: usize, length| bytes.get(from..from + length).map(hex);
        let mut more = json!({
            "white_team": team(white), "black_team": team(black), "cbm": team(second.media()),
        });
        let mut add = |key: &str, part: Option<Value>| {
            if let Some(part) = part {
                more[key] = part;
            }
        };
        add("cba64", second.annotations().map(|it| json!(it)));
        add("cbg64", second.moves().map(|it| json!(it)));
        add("material", part(20, 10).map(|it| json!(it)));
        add("wr_type", part(38, 16).map(|it| json!(it)));
        add("br_type", part(54, 16).map(|it| json!(it)));
        add("version", second.version().map(|it| json!(it)));
        add("created", second.created().map(|it| json!(it)));
        add("endings", part(88, 20).map(|it| json!(it)));
        // The expectations have only the upper half of the time.
        add("saved", second.saved().map(|it| json!(it >> 32)));
        if bytes.len() >= 120 {
            more["tag"] = second.title().map_or(json!(-1), |it| json!(it));
        }
        value["cbj"] = more;
        for (key, id) in ["white_team", "black_team"].into_iter().zip([white, black]) {
            if let Some(data) = id.and_then(|id| reader.entities(CbhEntityTable::Teams).get(id)) {
                value[key] = json!(name(CbhTeam::decode(data).title, charset));
            }
        }
    }
    value
}
