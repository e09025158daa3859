//! Rows of jose's table of games as lines of text, as any SQL client reads and writes them: `Bin` in hex, `Comments` in hex,
//! and `FEN`, separated by tabs.

use tabiya_model::error_codes;
use tabiya_model::game::{StartingPosition, Variant};
use tabiya_model::{Board, Error, Game, GameNeeds, Losses, Result, UserHint};

use super::moves::{JoseEncodedMoves, JoseMoveColumns, JoseMoveDecoder, JoseMoveEncoder};
use super::text::JoseTextEncoding;

/// Makes games from rows.
#[derive(Default)]
pub struct JoseRowReader {
    decoder: JoseMoveDecoder,
    game: Game,
    number: u64,
}

impl JoseRowReader {
    /// The game of a line.
    ///
    /// # Errors
    ///
    /// If a cell does not hold hex digits, or the position is not valid.
    pub fn line(&mut self, line: &str, fen: Option<&str>) -> Result<&Game> {
        let mut cells = line.split('\t');
        let bin = unhex(cells.next().unwrap_or_default())?;
        let comments = cells.next().map(unhex).transpose()?;
        self.row(&bin, comments.as_deref(), cells.next().or(fen))
    }

    /// The game of the columns of a row.
    ///
    /// # Errors
    ///
    /// If the position is not valid.
    pub fn row(&mut self, bin: &[u8], comments: Option<&[u8]>, fen: Option<&str>) -> Result<&Game> {
        self.number += 1;
        let game = &mut self.game;
        game.clear();
        game.origin.number = self.number;
        if let Some(fen) = fen.filter(|fen| !matches!(*fen, "" | "-") && !is_null(fen)) {
            let (board, problems) = Board::from_fen(fen).map_err(|error| {
                Error::new(
                    &error_codes::BAD_ROW,
                    format!("row {}: {fen}: {error}", self.number),
                )
            })?;
            if board.is_chess960() {
                game.variant = Variant::Chess960;
                game.tags.push("Variant", "Chess960");
            }
            game.tags.push("SetUp", "1");
            game.tags.push("FEN", fen);
            game.start = StartingPosition::Setup(Box::new(board), problems);
        }
        let input = JoseMoveColumns {
            bin,
            comments,
            coding: JoseTextEncoding::default(),
        };
        self.decoder.decode(input, GameNeeds::ALL, game);
        Ok(game)
    }
}

/// Makes rows from games.
#[derive(Default)]
pub struct JoseRowWriter {
    encoder: JoseMoveEncoder,
    row: JoseEncodedMoves,
}

impl JoseRowWriter {
    /// Appends the line of a game; false if jose cannot hold it, which is reported as a loss.
    pub fn write(&mut self, game: &Game, out: &mut Vec<u8>, losses: &mut Losses) -> bool {
        if !self.encoder.encode(game, &mut self.row, losses) {
            return false;
        }
        hex(&self.row.bin, out);
        out.push(b'\t');
        hex(&self.row.comments, out);
        out.push(b'\t');
        if let StartingPosition::Setup(board, _) = &game.start {
            out.extend_from_slice(board.to_fen().as_bytes());
        }
        out.push(b'\n');
        true
    }
}

/// Whether a text means NULL in the output of clients.
fn is_null(text: &str) -> bool {
    matches!(text, "NULL" | "\\N")
}

/// Hex digits, with or without `0x`, as bytes.
///
/// # Errors
///
/// If the text has anything else.
pub fn unhex(text: &str) -> Result<Vec<u8>> {
    let text = text.trim();
    if is_null(text) {
        return Ok(Vec::new());
    }
    let digits = text
        .strip_prefix("0x")
        .or_else(|| text.strip_prefix("0X"))
        .unwrap_or(text);
    let bytes: Option<Vec<u8>> = digits
        .as_bytes()
        .chunks(2)
        .map(|pair| match pair {
            [high, low] => Some(digit(*high)? << 4 | digit(*low)?),
            _ => None,
        })
        .collect();
    bytes.ok_or_else(|| {
        Error::new(
            &error_codes::BAD_ROW,
            "hex digits are expected, two per byte; SELECT HEX(Bin) returns them",
        )
        .with_hint(UserHint::RawBytes)
    })
}

fn digit(digit: u8) -> Option<u8> {
    char::from(digit)
        .to_digit(16)
        .and_then(|value| u8::try_from(value).ok())
}

fn hex(bytes: &[u8], out: &mut Vec<u8>) {
    for byte in bytes {
        for half in [byte >> 4, byte & 15] {
            out.extend(b"0123456789ABCDEF".get(usize::from(half)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_digits_go_both_ways() {
        let bytes: Vec<u8> = (0..=255).collect();
        let mut text = Vec::new();
        hex(&bytes, &mut text);
        let text = String::from_utf8(text).expect("digits");
        assert_eq!(unhex(&text).expect("read"), bytes);
        assert_eq!(
            unhex(&format!("0x{}", text.to_lowercase())).expect("read"),
            bytes
        );
        assert!(unhex("NULL").expect("read").is_empty());
        assert!(unhex("ABC").is_err() && unhex("no hex").is_err());
    }

    #[test]
    fn a_line_gives_back_the_game_that_made_it() {
        let (mut game, mut board) = (Game::default(), Board::standard());
        for uci in ["e2e4", "e7e5"] {
            let m = board.parse_uci(uci.as_bytes()).expect("a move");
            game.tape.push_move(m);
            board.play(m);
        }
        game.tape.push_comment("an old friend");
        let (mut line, mut losses) = (Vec::new(), Losses::default());
        assert!(JoseRowWriter::default().write(&game, &mut line, &mut losses));
        let line = String::from_utf8(line).expect("text");
        let mut reader = JoseRowReader::default();
        let again = reader
            .line(line.trim_end_matches('\n'), None)
            .expect("read");
        assert_eq!(again.tape.plies(), 2);
        assert!(again.diagnostics.is_empty(), "{:?}", again.diagnostics);
        assert!(reader.line("FF\t\tno position", None).is_err());
    }
}
