//! Writes tables: rows of games, and rows of plies.

use std::path::Path;

use shakmaty::Color;
use tabiya_model::board::CastlingStyle;
use tabiya_model::command::{Evaluation, plain_text};
use tabiya_model::csv_cells::guarded;
use tabiya_model::digits::{push_number, push_signed};
use tabiya_model::error_codes;
use tabiya_model::game::{Game, StartingPosition, Variant};
use tabiya_model::text::TextId;
use tabiya_model::{
    Board, EncodedGames, Encoder, Error, LossKind, Losses, Move, Replay, Result, Sink, TapeOp,
    WriteSummary,
};

use super::layout::CsvRow;
use super::{CELLS, GAME_COLUMNS, GUARDED, PLY_COLUMNS, losses};
use tabiya_codec::annotations::{ClocksAndEvaluation, push_seconds};
use tabiya_codec::fact_losses::ResultPair;
use tabiya_codec::format::WriteOptions;
use tabiya_codec::target_file::TargetFile;

/// Tags with a column in the table of games, besides the number and the counts.
const COLUMN_TAGS: [&str; 10] = [
    "White", "WhiteElo", "Black", "BlackElo", "Result", "Date", "Event", "Site", "Round", "ECO",
];

/// Makes the rows of a table.
trait CsvTable: Send + Default {
    const COLUMNS: &'static [&'static str];

    /// Appends the rows of a game. If a row begins with the number of its game, that is left out: numbers are those of the
    /// table, which are known only later; `starts` gets the places for them.
    fn write(
        &mut self,
        game: &Game,
        out: &mut Vec<u8>,
        starts: &mut Vec<usize>,
        losses: &mut Losses,
    );
}

/// The line with the names of the columns.
fn heading(columns: &[&str]) -> Vec<u8> {
    let mut line = columns.join(",").into_bytes();
    line.push(b'\n');
    line
}

/// Puts a number before each row.
fn number(rows: &[u8], starts: &[usize], number: u64, out: &mut Vec<u8>) {
    let mut ends = starts.iter().skip(1).copied();
    for &start in starts {
        let end = ends.next().unwrap_or(rows.len());
        push_number(number, out);
        out.extend_from_slice(rows.get(start..end).unwrap_or_default());
    }
}

/// The table of games.
#[derive(Clone, Copy, Debug, Default)]
pub struct CsvGameTable;

/// The table of plies.
#[derive(Clone, Debug, Default)]
pub struct CsvPlyTable {
    replay: Option<Replay>,
    rows: Vec<u8>,
    starts: Vec<usize>,
}

impl CsvPlyTable {
    /// The line with the names of the columns.
    pub fn heading() -> Vec<u8> {
        heading(&PLY_COLUMNS)
    }

    /// Appends the rows of a game under its own number.
    pub fn write_numbered(&mut self, game: &Game, out: &mut Vec<u8>, losses: &mut Losses) {
        let mut rows = std::mem::take(&mut self.rows);
        let mut starts = std::mem::take(&mut self.starts);
        rows.clear();
        starts.clear();
        self.write(game, &mut rows, &mut starts, losses);
        number(&rows, &starts, game.origin.number, out);
        self.rows = rows;
        self.starts = starts;
    }
}

impl CsvTable for CsvGameTable {
    const COLUMNS: &'static [&'static str] = &GAME_COLUMNS;

    fn write(
        &mut self,
        game: &Game,
        out: &mut Vec<u8>,
        starts: &mut Vec<usize>,
        losses: &mut Losses,
    ) {
        starts.push(out.len());
        let mut row = CsvRow::new(out);
        // The place for the number.
        row.empty();
        for name in COLUMN_TAGS {
            match name {
                "Result" => row.text(game.result().as_pgn()),
                "ECO" => row.text(tabiya_openings::shown_code(game)),
                _ => row.text(game.tags.value(name)),
            }
        }
        row.plain(|out| push_number(game.tape.plies() as u64, out));
        row.text(if game.is_deleted() { "true" } else { "false" });
        row.end();
        report_tags(game, &COLUMN_TAGS, losses);
        let results = ResultPair::of(game);
        if results.other_tag().is_some() || results.other_ending().is_some() {
            losses.report(&losses::RESULT, game.origin.number, results.both());
        }
        let mut report = |kind: &'static LossKind, detail: String| {
            losses.report(kind, game.origin.number, detail);
        };
        match &game.start {
            StartingPosition::Standard if game.variant == Variant::Standard => {}
            StartingPosition::Standard => report(&losses::START, format!("{:?}", game.variant)),
            StartingPosition::Setup(board, _) => report(&losses::START, board.to_fen()),
        }
        if !game.tape.is_empty() {
            report(&losses::MOVES, MovetextCounts::of(game).to_string());
        }
    }
}

/// Reports tags without a column, and repeated tags of a name that has one.
fn report_tags(game: &Game, columns: &[&str], losses: &mut Losses) {
    let mut left: Vec<&str> = Vec::new();
    for (index, tag) in game.tags.iter().enumerate() {
        let is_start = game.is_start_tag(index);
        let has_column = columns.contains(&tag.name) && game.tags.position(tag.name) == Some(index);
        if !is_start && !has_column {
            left.push(tag.name);
        }
    }
    if !left.is_empty() {
        losses.report(&losses::TAGS, game.origin.number, left.join(" "));
    }
}

/// The counts of a movetext.
#[derive(Default)]
struct MovetextCounts {
    moves: usize,
    variations: usize,
    comments: usize,
    nags: usize,
    raws: usize,
    extensions: usize,
    outcomes: usize,
}

impl MovetextCounts {
    fn of(game: &Game) -> MovetextCounts {
        let mut counts = MovetextCounts::default();
        for op in game.tape.ops() {
            *match op {
                TapeOp::Move(_) => &mut counts.moves,
                TapeOp::Begin(_) => &mut counts.variations,
                TapeOp::Comment(_) => &mut counts.comments,
                TapeOp::Nag(_) => &mut counts.nags,
                TapeOp::Raw(_) => &mut counts.raws,
                TapeOp::Ext(_) => &mut counts.extensions,
                TapeOp::Outcome(_) => &mut counts.outcomes,
                TapeOp::End => continue,
            } += 1;
        }
        counts
    }
}

impl std::fmt::Display for MovetextCounts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut first = true;
        for (count, one, many) in [
            (self.moves, "move", "moves"),
            (self.variations, "variation", "variations"),
            (self.comments, "comment", "comments"),
            (self.nags, "NAG", "NAGs"),
            (self.raws, "unreadable text", "unreadable texts"),
            (self.extensions, "extension", "extensions"),
            (
                self.outcomes,
                "result within the movetext",
                "results within the movetext",
            ),
        ] {
            if count > 0 {
                let comma = if std::mem::take(&mut first) { "" } else { ", " };
                write!(f, "{comma}{count} {}", if count == 1 { one } else { many })?;
            }
        }
        Ok(())
    }
}

/// The annotations after a move of the main line, up to the next move.
#[derive(Default)]
struct PlyAnnotations {
    nags: Vec<u32>,
    comments: Vec<TextId>,
    /// A comment was before a NAG, or a variation before either.
    mixed: bool,
}

impl CsvTable for CsvPlyTable {
    const COLUMNS: &'static [&'static str] = &PLY_COLUMNS;

    fn write(
        &mut self,
        game: &Game,
        out: &mut Vec<u8>,
        starts: &mut Vec<usize>,
        losses: &mut Losses,
    ) {
        let start = game.start_board();
        let mut replay = match self.replay.take() {
            Some(mut replay) => {
                replay.reset(&start);
                replay
            }
            None => Replay::new(&start),
        };
        let castling = match game.variant {
            Variant::Chess960 => CastlingStyle::KingTakesRook,
            _ => CastlingStyle::KingMoves,
        };
        let mut mixed = 0_usize;
        let mut at = 0;
        let mut played: Option<Move> = None;
        let mut more = true;
        // The first row is the start, with everything before the first move.
        while more {
            let mut behind = PlyAnnotations::default();
            let said = match played {
                Some(_) => ClocksAndEvaluation::after(&game.tape, at - 1),
                None => before_moves(game),
            };
            let next = collect(game, &mut at, &mut behind);
            starts.push(out.len());
            let row = CsvPlyRow {
                game,
                played,
                said,
                behind: &behind,
            };
            row.write(&mut replay, castling, out);
            mixed += usize::from(behind.mixed || behind.comments.len() > 1);
            more = next.is_some();
            played = next;
        }
        self.replay = Some(replay);
        report_tags(game, &[], losses);
        let mut report = |kind: &'static LossKind, detail: String| {
            losses.report(kind, game.origin.number, detail);
        };
        let counts = MovetextCounts::of(game);
        if game.result().is_definite() {
            report(&losses::OUTCOME, game.result().as_pgn().to_owned());
        } else if counts.outcomes > 0 {
            report(&losses::OUTCOME, "a result within the movetext".to_owned());
        }
        for (kind, count) in [
            (&losses::VARIATIONS, counts.variations),
            (&losses::RAW, counts.raws),
            (&losses::EXTENSION, counts.extensions),
            (&losses::PLACES, mixed),
        ] {
            if count > 0 {
                report(kind, count.to_string());
            }
        }
    }
}

/// Goes to the place after the next move of the main line and collects everything before it; returns the move.
fn collect(game: &Game, at: &mut usize, behind: &mut PlyAnnotations) -> Option<Move> {
    let mut other = false;
    while let Some(op) = game.tape.get(*at) {
        match op {
            TapeOp::Move(m) => {
                *at += 1;
                return Some(m);
            }
            TapeOp::Begin(_) => {
                *at = game.tape.skip(*at);
                other = true;
                continue;
            }
            TapeOp::Nag(nag) => {
                behind.mixed |= other || !behind.comments.is_empty();
                behind.nags.push(nag.0);
            }
            TapeOp::Comment(id) => {
                behind.mixed |= other;
                behind.comments.push(id);
            }
            TapeOp::Raw(_) | TapeOp::Ext(_) | TapeOp::Outcome(_) => other = true,
            TapeOp::End => {}
        }
        *at += 1;
    }
    None
}

/// The clocks and evaluations in the comments before the first move.
fn before_moves(game: &Game) -> ClocksAndEvaluation {
    let mut said = ClocksAndEvaluation::default();
    for op in game.tape.ops() {
        match op {
            TapeOp::Comment(id) => said.add(game.tape.text(id)),
            TapeOp::Move(_) => break,
            _ => {}
        }
    }
    said
}

struct CsvPlyRow<'r> {
    game: &'r Game,
    played: Option<Move>,
    said: ClocksAndEvaluation,
    behind: &'r PlyAnnotations,
}

impl CsvPlyRow<'_> {
    fn write(&self, replay: &mut Replay, castling: CastlingStyle, out: &mut Vec<u8>) {
        let (number, turn) = (replay.now().fullmoves(), replay.now().turn());
        let ply = replay.ply() + u32::from(self.played.is_some());
        let mut row = CsvRow::new(out);
        // The place for the number of the game.
        row.empty();
        row.plain(|out| push_number(u64::from(ply), out));
        match self.played {
            None => {
                for _ in 0..4 {
                    row.empty();
                }
            }
            Some(m) => {
                row.plain(|out| push_number(u64::from(number), out));
                row.text(if turn == Color::White {
                    "white"
                } else {
                    "black"
                });
                let before = replay.now().clone();
                row.plain(|out| replay.play_with(|board: &mut Board| board.play_san(m, out)));
                row.plain(|out| before.write_uci(m, castling, out));
            }
        }
        row.plain(|out| {
            for (index, nag) in self.behind.nags.iter().enumerate() {
                if index > 0 {
                    out.push(b' ');
                }
                push_number(u64::from(*nag), out);
            }
        });
        for time in [self.said.clk, self.said.emt] {
            row.plain(|out| {
                if let Some(time) = time {
                    push_seconds(time, out);
                }
            });
        }
        self.eval(&mut row);
        let comments: Vec<&str> = self
            .behind
            .comments
            .iter()
            .map(|id| self.game.tape.text(*id))
            .collect();
        let comment = comments.join(" ");
        row.text(&plain_text(&comment));
        row.text(&comment);
        row.text(&replay.now().to_fen());
        row.end();
    }

    fn eval(&self, row: &mut CsvRow<'_>) {
        let (score, depth) = match self.said.eval {
            Some((score, depth)) => (Some(score), depth),
            None => (None, None),
        };
        match score {
            Some(score @ Evaluation::Centipawns(_)) => row.text(&score.to_string()),
            _ => row.empty(),
        }
        match score {
            Some(Evaluation::Mate(moves)) => row.plain(|out| push_signed(moves, out)),
            _ => row.empty(),
        }
        match depth {
            Some(depth) => row.plain(|out| push_number(u64::from(depth), out)),
            None => row.empty(),
        }
    }
}

/// Rows without their leading numbers: where the rows of each game end, and where each row begins.
#[derive(Default)]
struct CsvPart {
    rows: Vec<u8>,
    games: Vec<(usize, Vec<usize>)>,
}

#[derive(Default)]
struct CsvEncoder<R> {
    rows: R,
    part: CsvPart,
}

impl<R: CsvTable> Encoder for CsvEncoder<R> {
    fn encode(&mut self, game: &Game, losses: &mut Losses) {
        let mut starts = Vec::new();
        self.rows
            .write(game, &mut self.part.rows, &mut starts, losses);
        self.part.games.push((self.part.rows.len(), starts));
    }

    fn take(&mut self) -> EncodedGames {
        Box::new(std::mem::take(&mut self.part))
    }
}

struct CsvSink<R> {
    target: TargetFile,
    games: u64,
    buffer: Vec<u8>,
    is_guarded: bool,
    rows: std::marker::PhantomData<fn() -> R>,
}

/// Creates a table of games; the path `-` is standard output.
pub(super) fn create_games(path: &Path, options: &WriteOptions) -> Result<Box<dyn Sink>> {
    create::<CsvGameTable>(path, options)
}

/// Creates a table of plies; the path `-` is standard output.
pub(super) fn create_plies(path: &Path, options: &WriteOptions) -> Result<Box<dyn Sink>> {
    create::<CsvPlyTable>(path, options)
}

fn create<R: CsvTable + 'static>(path: &Path, options: &WriteOptions) -> Result<Box<dyn Sink>> {
    let mut target = TargetFile::create(path, options)?;
    target.put(&heading(R::COLUMNS))?;
    Ok(Box::new(CsvSink::<R> {
        target,
        games: 0,
        buffer: Vec::new(),
        is_guarded: options.settings.text(CELLS) == Some(GUARDED),
        rows: std::marker::PhantomData,
    }))
}

impl<R: CsvTable + 'static> Sink for CsvSink<R> {
    fn encoder(&self) -> Box<dyn Encoder> {
        Box::new(CsvEncoder::<R>::default())
    }

    /// Numbers are those of the table: its games can come from several sources, without the deleted ones.
    fn append(&mut self, part: EncodedGames, _first: u64, _losses: &mut Losses) -> Result<()> {
        let part = part.downcast::<CsvPart>().map_err(|_| {
            Error::new(
                &error_codes::INTERNAL,
                "this part was encoded for another target",
            )
        })?;
        self.buffer.clear();
        for (end, starts) in &part.games {
            self.games += 1;
            let rows = part.rows.get(..*end).unwrap_or_default();
            number(rows, starts, self.games, &mut self.buffer);
        }
        if self.is_guarded {
            self.buffer = guarded(&self.buffer);
        }
        self.target.put(&self.buffer)
    }

    fn finish(self: Box<Self>) -> Result<WriteSummary> {
        let finished = self.target.finish()?;
        Ok(WriteSummary {
            games: self.games,
            bytes: finished.bytes,
            files: vec![finished.path],
            notes: Vec::new(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabiya_model::nag::Nag;
    use tabiya_model::outcome::Outcome;

    fn sample() -> Game {
        let mut game = Game::default();
        game.tags.push("White", "Müller, \"J\"");
        game.tags.push("WhiteElo", "2000");
        game.tags.push("Note", "x");
        game.outcome = Some(Outcome::WhiteWins);
        game.origin.number = 7;
        let mut replay = Replay::new(&Board::standard());
        game.tape.push_comment("start");
        for uci in ["e2e4", "e7e5"] {
            let m = replay.now().parse_uci(uci.as_bytes()).expect("legal");
            game.tape.push_move(m);
            replay.play(m);
        }
        game.tape.push_nag(Nag(1));
        game.tape.push_nag(Nag(14));
        game.tape
            .push_comment("[%clk 0:01:02.5][%eval -0.30,12] fine, too");
        game.tape.begin_variation();
        game.tape.end_variation();
        game
    }

    fn names(losses: &Losses) -> Vec<(&str, &str)> {
        losses
            .iter()
            .map(|loss| (loss.kind.name, &loss.detail[..]))
            .collect()
    }

    #[test]
    fn one_row_a_game() {
        let (mut out, mut starts, mut losses) = (Vec::new(), Vec::new(), Losses::default());
        CsvGameTable.write(&sample(), &mut out, &mut starts, &mut losses);
        let mut numbered = Vec::new();
        number(&out, &starts, 3, &mut numbered);
        assert_eq!(
            String::from_utf8(numbered).expect("text"),
            "3,\"Müller, \"\"J\"\"\",2000,,,1-0,,,,,C20,2,false\n"
        );
        assert_eq!(
            names(&losses),
            [
                ("csv-tags", "Note"),
                ("csv-moves", "2 moves, 1 variation, 2 comments, 2 NAGs")
            ]
        );
    }

    #[test]
    fn one_row_a_half_move() {
        let (mut out, mut losses) = (CsvPlyTable::heading(), Losses::default());
        CsvPlyTable::default().write_numbered(&sample(), &mut out, &mut losses);
        let expected = "game,ply,move,side,san,uci,nags,clk,emt,eval,mate,depth,text,comment,fen\n\
            7,0,,,,,,,,,,,start,start,rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n\
            7,1,1,white,e4,e2e4,,,,,,,,,rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1\n\
            7,2,1,black,e5,e7e5,1 14,62.5,,-0.30,,12,\"fine, too\",\"[%clk 0:01:02.5][%eval -0.30,12] fine, too\",\
            rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2\n";
        assert_eq!(String::from_utf8(out).expect("text"), expected);
        assert_eq!(
            names(&losses),
            [
                ("csv-tags", "White WhiteElo Note"),
                ("csv-outcome", "1-0"),
                ("csv-variations", "1")
            ]
        );
    }
}
