//! The targets of the model: texts that stand inside of all formats.

use tabiya_model::{
    Board,
    board::{MoveList, parse_san},
    charset::Charset,
    command,
    date::{Date, TimeOfDay},
    eco::EcoCode,
    nag::Nag,
    outcome::Outcome,
    round::Round,
    time_control::TimeControl,
};

use crate::FuzzTarget;

/// The targets of the model.
pub fn targets() -> Vec<FuzzTarget> {
    vec![
        FuzzTarget {
            words: &[
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
                "r3k2r/8/8/8/8/8/8/R3K2R b HAha e3 5 ",
                "QQQQQQQQ/",
                "8/",
                " w ",
                " b ",
                "\n",
                "Nf3",
                "e8=Q",
                "O-O",
                "O-O-O",
                "exd6",
                "e7e8q",
            ],
            ..FuzzTarget::new("board", "board", ".txt", Box::new(board))
        },
        FuzzTarget {
            words: &[
                "1992.02.30",
                "????.??.??",
                "1/2-1/2",
                "B13x2",
                "40/7200:3600",
                "*180",
                "$14",
                "[%clk 1:02:03]",
                "[%csl Ra1,Gb2]",
                "[%eval -0.5,20]",
                "[%",
                "]",
                "3.1.2",
                "\u{feff}",
            ],
            ..FuzzTarget::new("text", "text", ".txt", Box::new(text))
        },
    ]
}

/// The first line is a position, each other line a move: SAN, UCI, or nonsense that picks a legal one.
fn board(parts: &[&[u8]]) {
    let whole = parts.concat();
    let mut lines = whole.split(|byte| *byte == b'\n');
    let fen = String::from_utf8_lossy(lines.next().unwrap_or_default()).into_owned();
    let (mut board, problems) = match Board::from_fen(&fen) {
        Ok(parsed) => parsed,
        Err(_) => return,
    };
    let (again, _) = Board::from_fen(&board.to_fen()).expect("our own FEN can be read");
    assert_eq!(
        again.to_fen(),
        board.to_fen(),
        "our own FEN is a fixed point"
    );
    let mut moves = MoveList::default();
    for line in lines.take(300) {
        board.legal_moves(&mut moves);
        let found = parse_san(line)
            .and_then(|(san, _)| board.resolve_san(&san).ok())
            .or_else(|| board.parse_uci(line))
            .or_else(|| {
                let byte = usize::from(*line.first()?);
                moves.get(byte.checked_rem(moves.len())?).copied()
            });
        let Some(found) = found else { continue };
        if problems.is_empty() && board.is_legal(found) {
            let mut san = Vec::new();
            board.write_san(found, &mut san);
            let (parsed, len) = parse_san(&san).expect("our own SAN can be read");
            assert_eq!(len, san.len(), "our own SAN is read to its end");
            assert_eq!(
                board.resolve_san(&parsed).ok(),
                Some(found),
                "SAN names the move"
            );
        }
        board.play(found);
        let _ = (board.zobrist(), board.is_checkmate(), board.is_stalemate());
    }
}

/// Every reader of a small value gets the same text.
fn text(parts: &[&[u8]]) {
    let bytes = parts.concat();
    for charset in Charset::all() {
        let decoded = charset.decode(&bytes);
        if charset.round_trips(&bytes) {
            assert_eq!(
                charset.encode(&decoded).as_deref().ok(),
                Some(&bytes[..]),
                "{} gives the bytes back",
                charset.name()
            );
        }
        let _ = charset.encode_lossy(&decoded);
    }
    let text = String::from_utf8_lossy(&bytes);
    for line in text.lines() {
        if let Some(date) = Date::parse(line) {
            assert_eq!(
                Date::parse(&date.to_string()),
                Some(date),
                "a date is read back"
            );
            let _ = (date.next_day(), date.previous_day(), date.to_scid());
        }
        if let Some(eco) = EcoCode::parse(line) {
            let code = eco.to_scid();
            assert_eq!(
                EcoCode::from_scid(code).map(EcoCode::to_scid),
                Some(code),
                "Scid's form of an ECO code is read back"
            );
        }
        let _ = (
            Date::read(line),
            TimeOfDay::parse(line),
            EcoCode::read(line),
            Outcome::read(line),
        );
        let _ = (Round::parse(line), TimeControl::parse(line));
        let _ = (
            Nag::from_pgn(line),
            Nag::from_glyph(line),
            Nag::strip_glyph(line),
        );
    }
    let mut end = 0;
    for piece in command::pieces(&text) {
        assert_eq!(
            piece.span().start,
            end,
            "the pieces of a comment lie side by side"
        );
        end = piece.span().end;
        if let Some(command) = piece.command() {
            let _ = command.marks();
        }
    }
    assert_eq!(end, text.len(), "and none is missing");
    let _ = command::plain_text(&text);
}
