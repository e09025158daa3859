//! The effect of edits on a game, as a difference that a page applies to its copy: one more NAG in a game of a hundred
//! thousand moves is a few bytes and not the whole game.
//!
//! A page holds a game as the editor does, as a list of operations (`docs/editor.md`). The difference has:
//!
//! * `tape`: the list as it is now, as runs `[from, to]` of the former one, and lists of operations that were not there: each in the
//!   words of a game's JSON, and `(` and `)` for the start and the end of a variation;
//! * `tags` and `result`, where these have changed.

use tabiya_answers::server::{DraftDifferenceAnswer, DraftItemAnswer, DraftPieceAnswer};
use tabiya_model::board::CastlingStyle;
use tabiya_model::editor::{GamePatch, PatchPart};
use tabiya_model::game::Variant;
use tabiya_model::{Game, Replay, Tape, TapeOp};

/// Operations that are told anew at most: where more has changed, the whole game is told.
const MOST: usize = 4_096;
/// An operation that was not there before.
const NEW: u32 = u32::MAX;

/// A tape has fewer operations than that.
fn number(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(NEW)
}

/// Where each operation of the tape stood before the patches.
fn origins(patches: &[GamePatch], length: usize) -> Vec<u32> {
    let mut origins: Vec<u32> = (0..number(length)).collect();
    for pieces in patches.iter().filter_map(|patch| patch.tape.as_ref()) {
        let mut next = Vec::with_capacity(pieces.len());
        for piece in pieces.iter() {
            match piece {
                PatchPart::Keep(run) => {
                    next.extend_from_slice(origins.get(run.clone()).unwrap_or_default());
                }
                PatchPart::New(items) => next.resize(next.len() + items.len(), NEW),
            }
        }
        origins = next;
    }
    origins
}

/// What patches have changed in a game whose tape had so many operations; `None` where the whole game is told better.
pub(super) fn difference(
    length: usize,
    patches: &[GamePatch],
    game: &Game,
) -> Option<DraftDifferenceAnswer> {
    if patches.iter().any(|patch| patch.start.is_some()) {
        return None;
    }
    let mut told = DraftDifferenceAnswer::default();
    if patches.iter().any(|patch| patch.tape.is_some()) {
        told.tape = Some(tape(&origins(patches, length), game)?);
    }
    let is_head_new = |patch: &GamePatch| patch.tags.is_some() || patch.outcome.is_some();
    if patches.iter().any(is_head_new) {
        let tags = game.tags.iter();
        let tags = tags.map(|tag| (tag.name.to_string(), tag.value.to_string()));
        told.tags = Some(tags.collect());
        told.result = Some(game.result().as_pgn());
    }
    Some(told)
}

/// The tape as runs of the former one, and what is new.
fn tape(origins: &[u32], game: &Game) -> Option<Vec<DraftPieceAnswer>> {
    let mut items = TapeItems::of(game, origins);
    let mut pieces = Vec::new();
    let (mut at, mut count) = (0, 0);
    while let Some(&first) = origins.get(at) {
        let mut end = at + 1;
        let goes_on = |end: usize| match origins.get(end) {
            Some(&NEW) => first == NEW,
            Some(&old) => first != NEW && old as usize == first as usize + end - at,
            None => false,
        };
        while goes_on(end) {
            end += 1;
        }
        if first == NEW {
            count += end - at;
            if count > MOST {
                return None;
            }
            let new: Option<Vec<_>> = (at..end).map(|index| items.item(index)).collect();
            pieces.push(DraftPieceAnswer::New(new?));
        } else {
            let run = u64::from(first)..u64::from(first) + (end - at) as u64;
            pieces.push(DraftPieceAnswer::Run(run.start, run.end));
        }
        at = end;
    }
    Some(pieces)
}

/// Tells operations of a tape, one after another; moves are told in the positions from which they are made.
struct TapeItems<'g> {
    game: &'g Game,
    tape: &'g Tape,
    replay: Replay,
    /// So many operations have been walked over.
    at: usize,
    castling: CastlingStyle,
}

impl<'g> TapeItems<'g> {
    fn of(game: &'g Game, origins: &[u32]) -> TapeItems<'g> {
        let mut items = TapeItems {
            game,
            tape: &game.tape,
            replay: Replay::new(&game.start_board()),
            at: 0,
            castling: match game.variant {
                Variant::Chess960 => CastlingStyle::KingTakesRook,
                Variant::Standard | Variant::Other => CastlingStyle::KingMoves,
            },
        };
        // Variations that are closed before anything new need no look.
        let is_move = |index: usize| matches!(items.tape.get(index), Some(TapeOp::Move(_)));
        let mut all = origins.iter().enumerate();
        let first = all.find(|(index, origin)| **origin == NEW && is_move(*index));
        let first = first.map_or(usize::MAX, |(index, _)| index);
        while first != usize::MAX
            && items.at < first
            && let Some(op) = items.tape.get(items.at)
        {
            match op {
                TapeOp::Begin(_) if items.tape.skip(items.at) <= first => {
                    items.at = items.tape.skip(items.at);
                }
                _ => items.step(),
            }
        }
        items
    }

    /// Walks over an operation.
    fn step(&mut self) {
        match self.tape.get(self.at) {
            Some(TapeOp::Move(m)) => self.replay.play(m),
            Some(TapeOp::Begin(_)) => {
                self.replay.begin();
            }
            Some(TapeOp::End) => {
                self.replay.end();
            }
            _ => {}
        }
        self.at += 1;
    }

    fn item(&mut self, index: usize) -> Option<DraftItemAnswer> {
        let texts = self.tape.texts();
        Some(match self.tape.get(index)? {
            TapeOp::Move(m) => {
                while self.at < index {
                    self.step();
                }
                let (mut uci, mut san) = (Vec::new(), Vec::new());
                self.replay.now().write_uci(m, self.castling, &mut uci);
                self.replay.now().clone().play_san(m, &mut san);
                let text = |bytes| String::from_utf8(bytes).unwrap_or_default();
                DraftItemAnswer::Move {
                    uci: text(uci),
                    san: text(san),
                }
            }
            TapeOp::Nag(nag) => DraftItemAnswer::Nag { nag: nag.0 },
            TapeOp::Comment(id) => DraftItemAnswer::Comment {
                comment: texts.get(id).to_owned(),
            },
            TapeOp::Raw(id) => DraftItemAnswer::Raw {
                raw: texts.get(id).to_owned(),
            },
            // In the words of the whole game.
            TapeOp::Ext(number) => {
                let found = self.game.tape.extensions().get(number as usize);
                let name = found.map_or("", |found| found.name.as_str());
                let mut hex = Vec::new();
                let data = found.map(|found| found.data.as_slice());
                tabiya_model::json::push_hex(data.unwrap_or_default(), &mut hex);
                DraftItemAnswer::Extension {
                    extension: name.to_owned(),
                    hex: String::from_utf8(hex).unwrap_or_default(),
                }
            }
            TapeOp::Outcome(outcome) => DraftItemAnswer::Result {
                result: outcome.as_pgn(),
            },
            TapeOp::Begin(_) => DraftItemAnswer::Bracket("("),
            TapeOp::End => DraftItemAnswer::Bracket(")"),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, from_value, json};
    use tabiya::show::GameFormat;
    use tabiya_answers::Answer;
    use tabiya_model::editor::GameEditor;

    use super::super::operation::DraftOperation;
    use super::super::place_of;
    use super::*;

    fn walk(items: &Value, out: &mut Vec<Value>) {
        for item in items.as_array().expect("items") {
            if let Some(inner) = item.get("variation") {
                out.push("(".into());
                walk(inner, out);
                out.push(")".into());
            } else if item.get("uci").is_some() {
                out.push(json!({"uci": item["uci"], "san": item["san"]}));
                for nag in item["nags"].as_array().into_iter().flatten() {
                    out.push(json!({"nag": nag}));
                }
            } else if let Some(comment) = item.get("comment") {
                out.push(json!({"comment": comment}));
            } else {
                out.push(item.clone());
            }
        }
    }

    /// The operations of a game in the words of its JSON, one after another.
    fn flat(game: &Game) -> Vec<Value> {
        let mut text = Vec::new();
        GameFormat::json().write(game, &mut text);
        let told: Value = serde_json::from_slice(&text).expect("a game");
        let mut out = Vec::new();
        walk(&told["moves"], &mut out);
        out
    }

    #[test]
    fn what_is_told_makes_the_very_game_out_of_the_former_one() {
        let mut state = 7_u64;
        let mut draw = move |below: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).expect("small") % below
        };
        let mut editor = GameEditor::new(Game::default()).expect("a game");
        let (mut told, mut runs) = (0, 0);
        for step in 0..2_000 {
            let was = flat(editor.game());
            let mut patches = Vec::new();
            // Several wishes are told as one difference.
            for _ in 0..1 + draw(3) {
                let all = editor.game().tape.ops();
                let all = all.filter(|op| matches!(op, TapeOp::Move(_))).count();
                let place = place_of(&editor.game().tape, draw((all + 1).min(40))).expect("a move");
                editor.go_to(place).expect("a place");
                let moves = ["e4", "e5", "Nf3", "Nf6", "Ng1", "Ng8", "a3", "a6", "--"];
                let ways = ["variation", "main-line", "overwrite"];
                let wish = match draw(8) {
                    0..3 => {
                        json!({"kind": "play", "move": moves[draw(moves.len())], "how": ways[draw(3)]})
                    }
                    3..5 => {
                        let (side, text) = (["before", "after"][draw(2)], ["", "a", "b"][draw(3)]);
                        json!({"kind": "comment", "side": side, "text": text, "again": draw(2) == 0})
                    }
                    5 => json!({"kind": "nag", "nag": 1 + draw(6)}),
                    6 => {
                        let kinds = [
                            "promote",
                            "demote",
                            "delete-line",
                            "remove",
                            "promote-fully",
                            "undo",
                            "redo",
                            "delete-after",
                        ];
                        json!({"kind": kinds[draw(kinds.len())]})
                    }
                    _ => json!({"kind": "tag", "name": "Event", "value": step.to_string()}),
                };
                let wish: DraftOperation = from_value(wish).expect("a wish");
                if let Ok(done) = wish.apply(&mut editor) {
                    patches.extend(done.patches);
                }
            }
            let difference = difference(was.len(), &patches, editor.game()).expect("a few words");
            let difference = difference.json();
            let mut made = Vec::new();
            match difference.get("tape") {
                None => made.clone_from(&was),
                Some(pieces) => {
                    told += 1;
                    for piece in pieces.as_array().expect("pieces") {
                        let piece = piece.as_array().expect("a piece");
                        match (piece[0].as_u64(), piece.get(1).and_then(Value::as_u64)) {
                            (Some(from), Some(to)) => {
                                runs += 1;
                                made.extend_from_slice(&was[from as usize..to as usize]);
                            }
                            _ => made.extend(piece.iter().cloned()),
                        }
                    }
                }
            }
            assert_eq!(made, flat(editor.game()), "step {step}: {difference}");
        }
        assert!(told > 700 && runs > 1_000, "{told} {runs}");
    }
}
