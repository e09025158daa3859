//! Reads one game of chess.com from its object.

use tabiya_codec::format::OpenOptions;
use tabiya_formats_pgn::pgn::PgnTextReader;
use tabiya_model::game::{Game, Variant};
use tabiya_model::json::push_text;
use tabiya_model::outcome::Outcome;
use tabiya_model::{Board, GameNeeds, Move, TapeOp};

use super::{tags, tcn};
use crate::sites::fields::SiteFields;
use crate::sites::lichess::{finish, place_findings};
use crate::sites::movetext::SiteMovetext;
use crate::sites::object_source::{SiteGamePlace, SiteGameReader};
use crate::sites::{FIELDS, codes};

/// Reads games of chess.com.
pub(super) struct ChesscomReader {
    pgn: PgnTextReader,
}

impl SiteGameReader for ChesscomReader {
    const MARK: &'static [u8] = b"{\"url\":\"";
    const IN_LINES: bool = false;
    const HEAD: &'static [&'static [u8]] = &[b"{", b"\"games\"", b":", b"["];
    const GAMES: &'static str = "games of chess.com in JSON";

    fn recognise(head: &[u8]) -> bool {
        super::recognise(head)
    }

    fn new(options: &OpenOptions) -> ChesscomReader {
        ChesscomReader {
            pgn: PgnTextReader::new(options),
        }
    }

    fn read(&mut self, object: &[u8], place: SiteGamePlace, want: GameNeeds, game: &mut Game) {
        let (mut fields, fault) = SiteFields::read(object);
        let is_read = match fields.text("pgn") {
            Some(text) if !text.trim().is_empty() => {
                let origin = game.origin;
                let is_one = self.pgn.read(text.as_bytes(), want, game);
                game.origin = origin;
                place_findings(place, game);
                if is_one {
                    fields.done("pgn");
                }
                true
            }
            Some(_) => {
                fields.done("pgn");
                false
            }
            None => false,
        };
        if is_read {
            if want.moves && want.annotations {
                compare(place, game, &mut fields);
            }
        } else {
            tags::push_own(&mut fields, &mut game.tags);
            game.outcome = Outcome::from_pgn(game.tags.value("Result"));
            read_moves(place, want, game, &fields);
        }
        // Without moves nothing is compared, and a tag must not depend on what was requested.
        fields.done("tcn");
        tags::push_more(&mut fields, &mut game.tags);
        finish(object, place, want, game, fields, fault);
    }
}

/// The move for a TCN move here; dropped pieces are not moves of chess.
fn find(board: &Board, m: tcn::TcnMove) -> Option<Move> {
    match m {
        tcn::TcnMove::Board {
            from,
            to,
            promotion,
        } => board.find_move(from, to, promotion),
        tcn::TcnMove::Drop { .. } | tcn::TcnMove::Unknown(_) => None,
    }
}

fn read_moves(place: SiteGamePlace, want: GameNeeds, game: &mut Game, fields: &SiteFields<'_>) {
    let text = fields.text("tcn").unwrap_or_default();
    let mut movetext = SiteMovetext::new(game, place, want);
    for m in tcn::moves(&text).into_iter().filter(|_| want.moves) {
        let found = match movetext.is_playable() {
            true => find(movetext.board(), m),
            false => None,
        };
        movetext.push(&m.to_string(), found);
    }
    movetext.finish();
}

/// Compares the moves of the PGN with those of TCN; if they differ, the latter are kept.
fn compare(place: SiteGamePlace, game: &mut Game, fields: &mut SiteFields<'_>) {
    let Some(text) = fields.text("tcn") else {
        return;
    };
    if game.variant == Variant::Other {
        // The moves are text, which is not compared.
        return;
    }
    if game.tape.ops().any(|op| matches!(op, TapeOp::Raw(_))) {
        // It may have data that the PGN lacks.
        keep(&text, game);
        return;
    }
    let mut board = game.start_board();
    let mut told = tcn::moves(&text).into_iter();
    let is_same = game.tape.main_line().all(|m| {
        let is_told = told.next().and_then(|told| find(&board, told)) == Some(m);
        board.play(m);
        is_told
    }) && told.next().is_none();
    if !is_same {
        game.diagnostics.report(
            &codes::OTHER_MOVES,
            || place.location(0),
            || format!("the field tcn is {text:?}"),
        );
        keep(&text, game);
    }
}

/// Keeps the moves in TCN with the game.
fn keep(text: &str, game: &mut Game) {
    let mut value = Vec::new();
    push_text(text, &mut value);
    let mut kept = SiteFields::default();
    kept.keep("tcn".to_owned(), value);
    if let Some(json) = kept.into_json() {
        game.tape.push_extension(FIELDS, &json);
    }
}
