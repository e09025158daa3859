//! Reads one game of Lichess from its object.

use tabiya_codec::format::OpenOptions;
use tabiya_formats_pgn::pgn::PgnTextReader;
use tabiya_model::GameNeeds;
use tabiya_model::command::{ClockTime, Evaluation};
use tabiya_model::game::Game;
use tabiya_model::nag::Nag;
use tabiya_model::outcome::Outcome;

use super::tags;
use crate::sites::fields::{self, SiteFault, SiteFields};
use crate::sites::movetext::{self, SiteMovetext};
use crate::sites::object_source::{SiteGamePlace, SiteGameReader};
use crate::sites::{FIELDS, REST, codes};

/// Reads games of Lichess.
pub(super) struct LichessReader {
    pgn: PgnTextReader,
}

impl SiteGameReader for LichessReader {
    const MARK: &'static [u8] = b"{\"id\":\"";
    const IN_LINES: bool = true;
    const HEAD: &'static [&'static [u8]] = &[];
    const GAMES: &'static str = "games of Lichess in JSON";

    fn recognise(head: &[u8]) -> bool {
        super::recognise(head)
    }

    fn new(options: &OpenOptions) -> LichessReader {
        LichessReader {
            pgn: PgnTextReader::new(options),
        }
    }

    fn read(&mut self, object: &[u8], place: SiteGamePlace, want: GameNeeds, game: &mut Game) {
        let (mut fields, fault) = SiteFields::read(object);
        let has_moves = fields.raw("moves").is_some();
        if !has_moves && let Some(text) = fields.text("pgn") {
            self.read_pgn(&text, place, want, game, &mut fields);
        } else {
            tags::push(&mut fields, &mut game.tags);
            if has_moves {
                // It is the same game, which is read from the fields.
                fields.done("pgn");
            }
            game.outcome = Outcome::from_pgn(game.tags.value("Result"));
            read_moves(place, want, game, &mut fields);
        }
        finish(object, place, want, game, fields, fault);
    }
}

impl LichessReader {
    /// A game that was requested as PGN in JSON: the PGN has the tags and moves, and the fields have the data without a
    /// place in PGN.
    fn read_pgn(
        &self,
        text: &str,
        place: SiteGamePlace,
        want: GameNeeds,
        game: &mut Game,
        fields: &mut SiteFields<'_>,
    ) {
        let origin = game.origin;
        if self.pgn.read(text.as_bytes(), want, game) {
            fields.done("pgn");
        }
        game.origin = origin;
        place_findings(place, game);
        let mut own = tabiya_model::Tags::default();
        tags::push(fields, &mut own);
        for index in 0..own.len() {
            let Some(tag) = own.at(index) else { continue };
            if game.tags.get(tag.name).is_none() {
                game.tags.push_from(&own, index);
            }
        }
    }
}

/// Reports findings of a text within a game as findings of the game.
pub(crate) fn place_findings(place: SiteGamePlace, game: &mut Game) {
    for found in game.diagnostics.iter_mut() {
        let ply = found.place.ply.unwrap_or(0);
        found.place = place.location(ply);
    }
}

/// Reports broken JSON, and keeps the rest.
pub(crate) fn finish(
    object: &[u8],
    place: SiteGamePlace,
    want: GameNeeds,
    game: &mut Game,
    fields: SiteFields<'_>,
    fault: Option<SiteFault>,
) {
    fields.push_rest(&mut game.tags);
    let Some(fault) = fault else { return };
    let rest = object.get(fault.rest..).unwrap_or_default();
    let mut location = place.location(0);
    location.byte = Some(place.byte.saturating_add(fault.fault.at as u64));
    game.diagnostics.report(
        &codes::BROKEN_GAME,
        || location,
        || {
            format!(
                "expected {}; {} bytes are kept unchanged",
                fault.fault.wanted,
                rest.len()
            )
        },
    );
    if want.annotations && !rest.is_empty() {
        game.tape.push_extension(REST, rest);
    }
}

/// The evaluation of one ply.
struct LichessJudgement {
    eval: Option<String>,
    nag: Option<Nag>,
    comment: Option<String>,
    variation: Option<String>,
    best: Option<String>,
}

/// Reads the moves with their clocks and evaluations. Clocks and evaluations after the last move are kept in the tag of
/// fields; those of moves that cannot be played, and unknown parts of evaluations, in an extension of the tape.
fn read_moves(place: SiteGamePlace, want: GameNeeds, game: &mut Game, fields: &mut SiteFields<'_>) {
    let moves = fields.text("moves").unwrap_or_default();
    let lists = ["clocks", "analysis"].map(|name| fields.raw(name).unwrap_or_default());
    let [clocks, analysis] = lists.map(fields::elements);
    let mut movetext = SiteMovetext::new(game, place, want);
    let words: Vec<&str> = moves.split_ascii_whitespace().collect();
    let count = match movetext.is_playable() {
        true => words.len(),
        false => 0,
    };
    let mut unknown = SiteFields::default();
    for word in words.iter().filter(|_| want.moves) {
        let found = match movetext.is_playable() {
            true => movetext::san(movetext.board(), word),
            false => None,
        };
        let ply = movetext.plies();
        if !movetext.push(word, found) || !(want.annotations || want.variations) {
            continue;
        }
        let clock = clocks.get(ply).map(|clock| match read_clock(clock) {
            Some(clock) => clock,
            None => {
                unknown.keep(format!("clocks[{ply}]"), clock.to_vec());
                String::new()
            }
        });
        let said = analysis
            .get(ply)
            .map(|said| read_judgement(said, ply, &mut unknown));
        annotate(&mut movetext, clock, said);
    }
    let plies = movetext.plies();
    movetext.finish();
    fields.done("moves");
    for (name, values) in [("clocks", &clocks), ("analysis", &analysis)] {
        if fields.raw(name).and_then(<[u8]>::first) != Some(&b'[') {
            continue;
        }
        fields.done(name);
        if let Some(rest) = values.get(count..).filter(|rest| !rest.is_empty()) {
            fields.keep(format!("{name}[{count}..]"), fields::array(rest));
        }
        let last = count.min(values.len());
        if let Some(unplayed) = values.get(plies..last).filter(|rest| !rest.is_empty()) {
            unknown.keep(format!("{name}[{plies}..{last}]"), fields::array(unplayed));
        }
    }
    if want.moves
        && want.annotations
        && let Some(rest) = unknown.into_json()
    {
        game.tape.push_extension(FIELDS, &rest);
    }
}

/// A time in hundredths of a second, as the command of a comment.
fn read_clock(value: &[u8]) -> Option<String> {
    let hundredths: u64 = std::str::from_utf8(value).ok()?.parse().ok()?;
    let amount = std::time::Duration::from_millis(hundredths.checked_mul(10)?);
    let time = ClockTime {
        negative: false,
        amount,
    };
    Some(format!("[%clk {time}]"))
}

fn read_judgement(value: &[u8], ply: usize, all: &mut SiteFields<'_>) -> LichessJudgement {
    let (mut said, fault) = SiteFields::read(value);
    if fault.is_some() {
        // The value is not an object, so it is kept unchanged.
        all.keep(format!("analysis[{ply}]"), value.to_vec());
    }
    let small = |number: Option<i64>| number.and_then(|number| i32::try_from(number).ok());
    let eval = match (small(said.number("eval")), small(said.number("mate"))) {
        (Some(eval), _) => {
            said.done("eval");
            Some(Evaluation::Centipawns(eval))
        }
        (None, Some(mate)) => {
            said.done("mate");
            Some(Evaluation::Mate(mate))
        }
        (None, None) => None,
    };
    let eval = eval.map(|eval| format!("[%eval {eval}]"));
    let name = said.take_text("judgment.name");
    let comment = said.take_text("judgment.comment");
    let nag = match name.as_deref() {
        Some("Inaccuracy") => Some(Nag(6)),
        Some("Mistake") => Some(Nag(2)),
        Some("Blunder") => Some(Nag(4)),
        _ => None,
    };
    let judgement = LichessJudgement {
        eval,
        nag,
        comment: comment.or(name),
        best: said.take_text("best"),
        variation: said.take_text("variation"),
    };
    said.move_to(all, &format!("analysis[{ply}]."));
    judgement
}

/// Puts all annotations of a move into one comment, since not every format holds two.
fn annotate(
    movetext: &mut SiteMovetext<'_>,
    clock: Option<String>,
    said: Option<LichessJudgement>,
) {
    let mut text = String::new();
    let mut add = |part: &str| {
        if !text.is_empty() && !part.is_empty() {
            text.push(' ');
        }
        text.push_str(part);
    };
    if let Some(eval) = said.as_ref().and_then(|said| said.eval.as_deref()) {
        add(eval);
    }
    if let Some(clock) = clock.as_deref() {
        add(clock);
    }
    if let Some(comment) = said.as_ref().and_then(|said| said.comment.as_deref()) {
        add(comment);
    }
    if movetext.want.annotations {
        if let Some(nag) = said.as_ref().and_then(|said| said.nag) {
            movetext.game.tape.push_nag(nag);
        }
        if !text.is_empty() {
            movetext.game.tape.push_comment(&text);
        }
    }
    let Some(said) = said else { return };
    match (said.variation, said.best) {
        (Some(variation), best) => movetext.variation(&variation, best.as_deref()),
        (None, Some(best)) => movetext.variation("", Some(&best)),
        (None, None) => {}
    }
}
