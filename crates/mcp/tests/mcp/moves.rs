//! Moves that nobody can make: none enters a base. Another chess library judges which those are.

use serde_json::json;
use shakmaty::san::San;
use shakmaty::{Chess, Move, Position, Role};
use tabiya_testing::{TestRandom, seed};

use super::{GAMES, Tools, folder_with};

/// What moves look like, right and wrong.
fn guess(random: &mut TestRandom) -> String {
    let file = |random: &mut TestRandom| *random.pick(&["a", "b", "c", "d", "e", "f", "g", "h"]);
    let rank = |random: &mut TestRandom| *random.pick(&["1", "2", "3", "4", "5", "6", "7", "8"]);
    let piece = *random.pick(&["", "", "N", "B", "R", "Q", "K"]);
    let to = format!("{}{}", file(random), rank(random));
    match random.below(12) {
        0 => (*random.pick(&[
            "O-O", "O-O-O", "0-0", "--", "Z0", "e.p.", "Nxx3", "P@e4", "e9", "Ni3",
        ]))
        .to_owned(),
        1 => format!("{}{}{to}", file(random), rank(random)),
        2 => format!("{piece}{}{to}", file(random)),
        3 => format!("{piece}x{to}"),
        4 => format!("{}x{to}", file(random)),
        5 => format!("{}={}", to, random.pick(&["Q", "N", "K", "P"])),
        6 => format!(
            "{piece}{to}{}",
            random.pick(&["+", "#", "!?", " Nf3", "(e4)", "e.p."])
        ),
        _ => format!("{piece}{to}"),
    }
}

/// A legal move, written more or less as it should be.
fn nearly_right(random: &mut TestRandom, position: &Chess) -> String {
    let moves = position.legal_moves();
    if moves.is_empty() {
        return "Kd1".to_owned();
    }
    // Two pieces of a kind that can go to one square are rare, and are what is ambiguous.
    let has_rival = |m: &Move| {
        moves
            .iter()
            .any(|other| other != m && other.role() == m.role() && other.to() == m.to())
    };
    let rivals: Vec<Move> = moves
        .iter()
        .filter(|m| m.role() != Role::Pawn && has_rival(m))
        .copied()
        .collect();
    if !rivals.is_empty() && random.one_in(3) {
        let m = *random.pick(&rivals);
        return format!("{}{}", m.role().upper_char(), m.to());
    }
    let m = moves[random.below(moves.len())];
    let text = San::from_move(position, m).to_string();
    match random.below(7) {
        0 => text.replace('x', ""),
        1 => format!("{text}+"),
        2 => format!("{text}#"),
        3 => format!("{}{}", m.role().upper_char(), m.to()).replace('P', ""),
        4 => format!("{}x{}", m.role().upper_char(), m.to()).replace('P', ""),
        5 => format!(
            "{}{}{}",
            m.role().upper_char(),
            m.from().map_or(String::new(), |from| from.to_string()),
            m.to()
        )
        .replace('P', ""),
        _ => text,
    }
}

/// A position of a game that is played at random, with the moves that lead to it.
fn played(random: &mut TestRandom) -> (Chess, String) {
    let (mut position, mut line) = (Chess::default(), Vec::new());
    for _ in 0..random.below(40) {
        let moves = position.legal_moves();
        if moves.is_empty() {
            break;
        }
        let m = moves[random.below(moves.len())];
        line.push(
            shakmaty::san::SanPlus::from_move_and_play_unchecked(&mut position, m).to_string(),
        );
    }
    (position, line.join(" "))
}

/// Whether a text is exactly one legal move, and what it says of it is so.
fn is_legal(position: &Chess, text: &str) -> bool {
    let word = text.trim_end_matches(['+', '#', '!', '?']);
    let word = word.replace("0-0", "O-O");
    let bytes = word.as_bytes();
    let is_square = |at: usize| {
        bytes.get(at).is_some_and(u8::is_ascii_lowercase)
            && bytes.get(at + 1).is_some_and(u8::is_ascii_digit)
    };
    // By its squares alone a move is not written here.
    if is_square(0) && is_square(2) {
        return false;
    }
    let Ok(san) = San::from_ascii(bytes) else {
        return false;
    };
    let fits = |m: &Move| match san {
        San::Normal {
            role,
            file,
            rank,
            capture,
            to,
            promotion,
        } => {
            !m.is_castle()
                && m.role() == role
                && m.to() == to
                && m.promotion() == promotion
                && file.is_none_or(|file| m.from().is_some_and(|from| from.file() == file))
                && rank.is_none_or(|rank| m.from().is_some_and(|from| from.rank() == rank))
                && (!capture || m.is_capture())
                // A pawn that names no file goes straight on.
                && (role != Role::Pawn || file.is_some() || !m.is_capture())
        }
        San::Castle(side) => m.castling_side() == Some(side),
        _ => false,
    };
    let mut fitting = position.legal_moves().into_iter().filter(fits);
    let (Some(m), None) = (fitting.next(), fitting.next()) else {
        return false;
    };
    let mut after = position.clone();
    after.play_unchecked(m);
    (!text.contains('+') || after.is_check()) && (!text.contains('#') || after.is_checkmate())
}

#[test]
fn a_thousand_moves_that_nobody_can_make_are_refused() {
    let folder = folder_with("club.pgn", GAMES);
    let tools = Tools::of(folder.path(), true);
    let path = folder.path().join("club.pgn");
    let before = std::fs::read(&path).expect("read");
    let mut random = TestRandom::new(seed());
    let (mut refused, mut ambiguous, mut fine) = (0, 0, 0);
    while refused < 1_000 {
        let (position, line) = played(&mut random);
        for _ in 0..20 {
            let text = match random.chance(40) {
                true => nearly_right(&mut random, &position),
                false => guess(&mut random),
            };
            let whole = format!("{line} {text}");
            let described = tools.call("position", json!({ "line": whole }));
            if is_legal(&position, &text) {
                assert!(described.is_ok(), "{line} / {text}: {described:?}");
                fine += 1;
                continue;
            }
            let refusal = described.expect_err(&whole);
            let code = refusal["code"].as_str().expect("a code");
            if code == "bad-line" {
                continue;
            }
            // It is told what can be played instead: all of it, and nothing else.
            let told: Vec<&str> = refusal["legal_moves"]
                .as_array()
                .unwrap_or_else(|| panic!("{whole}: {refusal}"))
                .iter()
                .filter_map(|san| san.as_str())
                .collect();
            let mut legal: Vec<String> = position
                .legal_moves()
                .iter()
                .map(|m| shakmaty::san::SanPlus::from_move(position.clone(), *m).to_string())
                .collect();
            legal.sort();
            // A text of several words may be a legal move and one that is not.
            if !text.contains(' ') {
                assert_eq!(told, legal, "{whole}");
            }
            ambiguous += usize::from(code == "ambiguous-move");
            refused += 1;
            let change = json!({ "kind": "line", "at": "start", "moves": whole });
            let refusal = tools
                .call("edit", json!({ "changes": [{ "kind": "tag", "name": "White", "value": "x" }, change] }))
                .expect_err("nothing is added");
            assert_eq!(refusal["change"], 1);
        }
    }
    assert!(
        ambiguous > 5 && fine > 100,
        "{ambiguous} ambiguous, {fine} legal"
    );
    assert_eq!(std::fs::read(&path).expect("read"), before);
    assert_eq!(std::fs::read_dir(folder.path()).expect("listed").count(), 1);
}
