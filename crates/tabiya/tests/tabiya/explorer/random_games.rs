//! Random games of our own.

use shakmaty::{Color, Position, san::SanPlus};

/// Games of our own: random legal moves with variations, from few first moves, so that positions come back.
pub(crate) fn random_pgn(games: usize, seed: u64) -> String {
    use std::fmt::Write;
    let mut state = seed;
    let mut random = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below.max(1)
    };
    let mut text = String::new();
    for number in 0..games {
        let result = ["1-0", "0-1", "1/2-1/2", "*"][random(4)];
        let elo = 1500 + random(5) * 300;
        let _ = writeln!(
            text,
            "[Event \"?\"]\n[White \"Player {}\"]\n[Black \"Player {}\"]\n[Result \"{result}\"]\n[Date \"20{:02}.{:02}.??\"]\n[WhiteElo \"{elo}\"]",
            number % 7,
            random(9),
            random(25),
            1 + random(12),
        );
        if random(3) > 0 {
            let _ = writeln!(text, "[BlackElo \"{}\"]", 1600 + random(600));
        }
        text.push('\n');
        let mut position = shakmaty::Chess::default();
        let plies = random(40);
        for ply in 0..plies {
            let pick = |position: &shakmaty::Chess, random: &mut dyn FnMut(usize) -> usize| {
                let moves = position.legal_moves();
                // The first plies choose among two moves.
                (!moves.is_empty())
                    .then(|| moves[random(if ply < 8 { 2 } else { 40 }) % moves.len()])
            };
            let Some(m) = pick(&position, &mut random) else {
                break;
            };
            let other = pick(&position, &mut random);
            let number = |position: &shakmaty::Chess| {
                let dots = if position.turn() == Color::White {
                    "."
                } else {
                    "..."
                };
                format!("{}{dots} ", position.fullmoves())
            };
            let _ = write!(
                text,
                "{}{} ",
                number(&position),
                SanPlus::from_move(position.clone(), m)
            );
            if let Some(other) = other.filter(|_| random(6) == 0) {
                let mut inner = position.clone();
                let _ = write!(
                    text,
                    "({}{} ",
                    number(&inner),
                    SanPlus::from_move(inner.clone(), other)
                );
                inner.play_unchecked(other);
                if let Some(reply) = inner.legal_moves().first().copied() {
                    let _ = write!(
                        text,
                        "{}{} ",
                        number(&inner),
                        SanPlus::from_move(inner.clone(), reply)
                    );
                }
                text.push_str(") ");
            }
            position.play_unchecked(m);
        }
        let _ = writeln!(text, "{result}\n");
    }
    text
}
