//! Records and annotations in the form of the expectations of `oracles/2cbh`.

use serde_json::{Value, json};
use tabiya_formats::cbh::annotations::CbhAnnotation;
use tabiya_formats::cbh::layout::CbhDate;
use tabiya_formats::cbh2::Cbh2Reader;
use tabiya_formats::cbh2::annotations::{
    Cbh2Annotation, Cbh2AnnotationCutter, Cbh2TrainingPart, Cbh2TrainingSolution,
};
use tabiya_formats::cbh2::entities::{
    Cbh2EntityTable, Cbh2Player, Cbh2Source, Cbh2Team, Cbh2Tournament, titles,
};
use tabiya_formats::cbh2::layout::{Cbh2RatingKind, Cbh2Record};
use tabiya_model::charset::Charset;

/// A text, in which figurines stay private characters.
fn text(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => Charset::Cp1252.decode(bytes).into_owned(),
    }
}

fn date(date: CbhDate) -> String {
    let part = |value: u32, digits: usize| match value {
        0 => "?".repeat(digits),
        value => format!("{value:0digits$}"),
    };
    format!(
        "{}.{}.{}",
        part(date.0 >> 9 & 0xfff, 4),
        part(date.0 >> 5 & 15, 2),
        part(date.0 & 31, 2)
    )
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A square by files, from 0.
fn square(number: u8) -> String {
    let file = char::from(b'a' + number / 8);
    format!("{file}{}", number % 8 + 1)
}

struct Names<'a>(&'a Cbh2Reader);

impl Names<'_> {
    fn get(&self, table: Cbh2EntityTable, id: i64) -> Option<&[u8]> {
        self.0.names()?.get(table, id)
    }

    fn player(&self, id: i64) -> Value {
        let data = self.get(Cbh2EntityTable::Players, id).expect("a player");
        let player = Cbh2Player::decode(data);
        json!([
            text(player.last),
            text(player.first),
            player.chessbase_id,
            player.fide_id
        ])
    }

    fn team(&self, id: i64) -> Value {
        if id == -1 {
            return Value::Null;
        }
        let team = Cbh2Team::decode(self.get(Cbh2EntityTable::Teams, id).expect("a team"));
        json!([
            text(team.title),
            team.number,
            u8::from(team.is_season),
            team.year,
            team.nation
        ])
    }

    fn source(&self, id: i64) -> Value {
        let data = self.get(Cbh2EntityTable::Sources, id).expect("a source");
        let source = Cbh2Source::decode(data);
        json!({
            "title": text(source.title), "publisher": text(source.publisher),
            "publication": date(source.dates[0]), "date": date(source.dates[1]),
            "version": source.version, "quality": source.quality,
        })
    }

    fn event(&self, id: i64) -> Value {
        let data = self
            .get(Cbh2EntityTable::Tournaments, id)
            .expect("a tournament");
        let event = Cbh2Tournament::decode(data);
        json!({
            "title": text(event.title), "place": text(event.place), "date": date(event.date),
            "type": event.kind & 31, "speed": event.kind >> 5, "team": u8::from(event.is_team),
            "nation": event.nation, "category": event.category, "flags": event.flags,
            "rounds": event.rounds, "lat": f64::from(event.globe[0]), "lon": f64::from(event.globe[1]),
            "place_nation": event.place_nation, "tiebreaks": event.tie_breaks, "end": date(event.end),
        })
    }

    fn titles(&self, id: i64) -> Value {
        let data = self.get(Cbh2EntityTable::Titles, id).expect("a title");
        let all = titles(data).into_iter();
        json!(
            all.map(|(nation, title)| json!([nation, text(title)]))
                .collect::<Vec<_>>()
        )
    }
}

fn rating(kind: &Cbh2RatingKind) -> Value {
    json!([kind.kind, kind.list, kind.nation, text(kind.name())])
}

/// The header of a record, with its titles and names.
pub(crate) fn header(reader: &Cbh2Reader, number: u64) -> Value {
    let names = Names(reader);
    let record = reader.record(number).expect("a record");
    let mut value = match record {
        Cbh2Record::Game(game) => {
            let (eco, sub) = match game.eco() {
                Some((code, sub)) => (code.to_string(), sub),
                None => (String::new(), 0),
            };
            json!({
                "kind": "game", "result": game.result, "line_nag": game.line_nag,
                "round": game.round[0], "subround": game.round[1], "board": game.round[2],
                "white_elo": game.ratings[0], "black_elo": game.ratings[1],
                "white_rating": rating(&game.rating_kinds[0]),
                "black_rating": rating(&game.rating_kinds[1]),
                "eco": eco, "eco_sub": sub, "date": date(game.date), "medals": game.medals,
                "flags": game.flags, "magnitude": game.magnitude, "moves": game.move_count,
                "material": game.material, "changed": game.changed, "created": game.created,
                "version": game.version, "white": names.player(game.players[0]),
                "black": names.player(game.players[1]), "white_team": names.team(game.teams[0]),
                "black_team": names.team(game.teams[1]), "event": names.event(game.tournament),
                "annotator": names.player(game.annotator), "source": names.source(game.source),
                "titles": names.titles(game.title),
            })
        }
        Cbh2Record::Text(guide) => json!({
            "kind": "text", "media": guide.media, "created": guide.created,
            "version": guide.version, "event": names.event(guide.tournament),
            "annotator": names.player(guide.author), "source": names.source(guide.source),
            "titles": names.titles(guide.title),
        }),
        Cbh2Record::Analysis(analysis) => json!({
            "kind": "analysis", "annotator": names.player(analysis.author),
            "source": names.source(analysis.source), "titles": names.titles(analysis.title),
        }),
        Cbh2Record::Unknown(_) => json!({ "kind": "unknown" }),
    };
    let object = value.as_object_mut().expect("an object");
    object.insert("id".to_owned(), json!(number));
    object.insert("deleted".to_owned(), json!(record.is_deleted()));
    value
}

fn parts(list: &[Cbh2TrainingPart<'_>]) -> Value {
    let part = |part: &Cbh2TrainingPart<'_>| match part.kind {
        7 | 8 => json!({ "kind": part.kind, "raw": hex(part.bytes) }),
        _ => json!({ "kind": part.kind, "text": text(part.bytes) }),
    };
    json!(list.iter().map(part).collect::<Vec<_>>())
}

fn by_files(square: shakmaty::Square) -> String {
    square.to_string()
}

/// The content of an annotation. Types without a known meaning are bytes.
fn note(kind: u8, payload: &[u8]) -> Value {
    let Some(note) = Cbh2Annotation::of(kind, payload) else {
        return json!({ "raw": hex(payload) });
    };
    match note {
        Cbh2Annotation::Text(note) | Cbh2Annotation::Video(note) => {
            json!({ "lang": note.language, "text": text(note.bytes) })
        }
        Cbh2Annotation::Link([url, caption]) => {
            json!({ "url": text(url), "caption": text(caption) })
        }
        Cbh2Annotation::Training(question) => {
            let solutions = question.solutions.iter().map(|solution| match solution {
                Cbh2TrainingSolution::Move {
                    squares,
                    unknown,
                    points,
                    texts,
                } => json!({
                    "from": square(squares[0]), "to": square(squares[1]), "x": [unknown, points],
                    "list": parts(texts),
                }),
                Cbh2TrainingSolution::Answer {
                    points,
                    answer,
                    reply,
                } => json!({ "points": points, "answer": parts(answer), "reply": parts(reply) }),
            });
            json!({
                "variant": if question.has_moves { 1 } else { 2 }, "seconds": question.seconds,
                "points": question.points, "lists": question.lists.each_ref().map(|list| parts(list)),
                "solutions": solutions.collect::<Vec<_>>(),
            })
        }
        Cbh2Annotation::Quotation(quoted) => {
            let [
                white_last,
                white_first,
                black_last,
                black_first,
                site,
                event,
            ] = quoted.names.map(text);
            let mut value = json!({
                "white_last": white_last, "white_first": white_first, "black_last": black_last,
                "black_first": black_first, "site": site, "event": event,
                "date": date(quoted.date), "event_type": quoted.tournament[0],
                "nation": quoted.tournament[1], "rounds": quoted.tournament[2],
                "white_elo": quoted.ratings[0], "black_elo": quoted.ratings[1],
                "eco": match quoted.eco >> 7 {
                    0 => String::new(),
                    code => {
                        let code = code - 1;
                        format!("{}{:02}", char::from(b'A' + (code / 100) as u8), code % 100)
                    }
                },
                "result": quoted.result, "round": quoted.round[0], "subround": quoted.round[1],
                "lists": quoted.lists.map(text),
            });
            if !quoted.moves.is_empty() {
                let moves = quoted.moves.iter().map(|[from, to, ..]| {
                    let promotion = match (from & 64 != 0, to >> 6) {
                        (false, _) => "",
                        (true, 0) => "q",
                        (true, 1) => "n",
                        (true, 2) => "b",
                        (true, _) => "r",
                    };
                    format!("{}{}{promotion}", square(from & 63), square(to & 63))
                });
                let object = value.as_object_mut().expect("an object");
                object.insert("moves".to_owned(), json!(moves.collect::<Vec<_>>()));
            }
            value
        }
        Cbh2Annotation::Command(note) => match note {
            CbhAnnotation::Symbols(nags) => json!({ "nags": nags }),
            CbhAnnotation::Squares(squares) => {
                let squares = squares
                    .iter()
                    .map(|(colour, at)| json!([colour, by_files(*at)]));
                json!({ "squares": squares.collect::<Vec<_>>() })
            }
            CbhAnnotation::Arrows(arrows) => {
                let arrows = arrows
                    .iter()
                    .map(|(colour, from, to)| json!([colour, by_files(*from), by_files(*to)]));
                json!({ "arrows": arrows.collect::<Vec<_>>() })
            }
            CbhAnnotation::TimeSpent([hours, minutes, seconds, x]) => {
                json!({ "hms": [hours, minutes, seconds], "x": x })
            }
            CbhAnnotation::PawnStructure(value) | CbhAnnotation::Critical(value) => {
                json!({ "value": value })
            }
            CbhAnnotation::PiecePath(value, at) => {
                json!({ "value": value, "square": by_files(at) })
            }
            CbhAnnotation::Clock { hundredths, .. } => json!({ "value": hundredths }),
            CbhAnnotation::Evaluation { value, kind, depth } => {
                json!({ "value": value, "kind": kind, "depth": depth })
            }
            CbhAnnotation::Medals(value) | CbhAnnotation::StreamTime(value) => {
                json!({ "value": value })
            }
            CbhAnnotation::VariationColour { flags, colour } => {
                json!({ "rgb": colour, "flags": flags })
            }
            CbhAnnotation::TimeControl(stages) => {
                let stages = stages.map(|it| json!([it.start, it.increment, it.moves, it.kind]));
                json!({ "stages": stages })
            }
            CbhAnnotation::Profile(values) => {
                let entries = values.iter().map(|it| json!([it.value, it.depth, it.flag]));
                json!({ "entries": entries.collect::<Vec<_>>() })
            }
            other => panic!("{other:?} is none of this format"),
        },
    }
}

/// The annotations of a record in the stored order, and the rest if one cannot be read.
pub(crate) fn annotations(reader: &Cbh2Reader, number: u64) -> (Value, Value) {
    let record = reader.record(number).expect("a record");
    let offset = record.annotations().expect("annotations");
    let frame = reader
        .annotation_frame(offset)
        .expect("a file")
        .expect("a frame");
    let mut cutter = Cbh2AnnotationCutter::new(frame.content);
    let mut notes = Vec::new();
    for slot in cutter.by_ref() {
        let start = slot.start as usize;
        let payload = &frame.content[start..start + slot.length as usize];
        let mut value = note(slot.kind, payload);
        let object = value.as_object_mut().expect("an object");
        object.insert("pos".to_owned(), json!(slot.place));
        object.insert("type".to_owned(), json!(format!("{:02x}", slot.kind)));
        notes.push(value);
    }
    let rest = match cutter.rest() {
        None => Value::Null,
        Some(rest) => {
            let kind = u16::from_le_bytes([rest.bytes[0], rest.bytes[1]]);
            json!({
                "pos": rest.place, "type": format!("{kind:02x}"), "raw": hex(rest.bytes),
            })
        }
    };
    (json!(notes), rest)
}
