//! Flat arrays of positions and moves, for machine learning: blocks of games, with an array of bytes for each kind of data.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyDict};
use shakmaty::{Bitboard, CastlingSide, Color, Role, Square};
use tabiya::Selection;
use tabiya::formats::annotations::ClocksAndEvaluation;
use tabiya::model::command::Evaluation;
use tabiya::model::outcome::Outcome;
use tabiya::model::positions::{MoveDelta, PiecePlacement};
use tabiya::model::{
    Block, Board, Control, Game, GameNeeds, Move, Result, Source, Tags, TapeOp, pipeline,
};
use tabiya::search::{SearchOptions, search};

use crate::failure::{panicked, raised, refused};
use crate::job::{self, LOOK};
use crate::tables::seconds;
use crate::text_source::{TextColumn, TextSource};

/// Blocks that wait for Python.
const AHEAD: usize = 2;
/// Games of a block where a query finds them one by one.
const LOT: usize = 512;

/// Positions and moves of some games, one behind the other.
#[derive(Default)]
struct FlatGames {
    /// 64 bytes per position, from a1 to h8: 0 empty, 1 to 6 White's pieces from pawn to king, 7 to 12 Black's.
    boards: Vec<u8>,
    /// Four bytes per position: White's short and long castling, Black's.
    castling: Vec<u8>,
    /// The file of a pawn that may be captured en passant, or -1.
    en_passant: Vec<i8>,
    halfmoves: Vec<u8>,
    /// 1 if White is to move.
    turns: Vec<u8>,
    from: Vec<u8>,
    to: Vec<u8>,
    /// 2 knight to 5 queen, or -1.
    promotions: Vec<i8>,
    /// Seconds, or not a number.
    clocks: Vec<f32>,
    /// Pawns seen from White; a mate counts 100 pawns less its moves; or not a number.
    evals: Vec<f32>,
    /// Where the moves of each game end.
    move_ends: Vec<u32>,
    /// 1, 0.5, 0 seen from White, or not a number.
    scores: Vec<f32>,
    numbers: Vec<i64>,
    checkmates: Vec<u8>,
    stalemates: Vec<u8>,
    /// Two bytes per game: whether White, and Black, has insufficient material to win.
    insufficient: Vec<u8>,
    legal_moves: Vec<u16>,
    /// Whether all of the game could be read.
    valid: Vec<u8>,
    tags: Vec<Tags>,
}

/// The numbers of pieces in the arrays of boards: a side's pieces are 8 apart here, and 6 there. Without a table, so that it becomes vector
/// code.
fn codes_of(pieces: &PiecePlacement) -> [u8; 64] {
    pieces.0.map(|piece| (piece & 15) - 2 * (piece >> 3 & 1))
}

/// The rights to castle as bytes, computed where they change.
struct CastlingBytes {
    rooks: Bitboard,
    kings: [Option<Square>; 2],
    bytes: [u8; 4],
}

impl CastlingBytes {
    fn of(board: &Board) -> CastlingBytes {
        let mut bytes = [0; 4];
        let rights = Color::ALL
            .into_iter()
            .flat_map(|color| CastlingSide::ALL.map(|side| (color, side)));
        for (byte, (color, side)) in bytes.iter_mut().zip(rights) {
            *byte = u8::from(board.castling_rook(color, side).is_some());
        }
        CastlingBytes {
            rooks: board.castling_rooks(),
            kings: Color::ALL.map(|color| board.king_of(color)),
            bytes,
        }
    }

    /// The rights on a board that follows the one before.
    #[inline]
    fn on(&mut self, board: &Board) -> [u8; 4] {
        let rooks = board.castling_rooks();
        let is_same = rooks == self.rooks
            && (rooks.is_empty() || self.kings == Color::ALL.map(|color| board.king_of(color)));
        if !is_same {
            *self = CastlingBytes::of(board);
        }
        self.bytes
    }
}

impl FlatGames {
    fn push(&mut self, game: &Game) {
        let mut board = game.start_board();
        let mut pieces = PiecePlacement::of(&board);
        let mut castling = CastlingBytes::of(&board);
        self.position(&board, &pieces, &mut castling);
        let (mut at, mut is_whole) = (0, true);
        while let Some(op) = game.tape.get(at) {
            match op {
                TapeOp::Move(m) => {
                    pieces.play(MoveDelta::of_move(&board, m));
                    board.play(m);
                    self.step(m);
                    self.said(game, at);
                    self.position(&board, &pieces, &mut castling);
                    at += 1;
                }
                TapeOp::Begin(_) => at = game.tape.skip(at),
                TapeOp::Raw(_) => {
                    is_whole = false;
                    at += 1;
                }
                _ => at += 1,
            }
        }
        self.end(game, &board, is_whole);
    }

    fn position(&mut self, board: &Board, pieces: &PiecePlacement, castling: &mut CastlingBytes) {
        self.boards.extend_from_slice(&codes_of(pieces));
        self.castling.extend_from_slice(&castling.on(board));
        let file = board.legal_ep_square().map(|square| square.file() as i8);
        self.en_passant.push(file.unwrap_or(-1));
        self.halfmoves
            .push(u8::try_from(board.halfmoves()).unwrap_or(u8::MAX));
        self.turns.push(u8::from(board.turn() == Color::White));
    }

    fn step(&mut self, m: Move) {
        // A null move goes nowhere.
        let to = match m.is_null() {
            true => m.from(),
            false => m.king_target(),
        };
        self.from.push(m.from() as u8);
        self.to.push(to as u8);
        let promotion = m.promotion().map(|role| match role {
            Role::Knight => 2,
            Role::Bishop => 3,
            Role::Rook => 4,
            _ => 5,
        });
        self.promotions.push(promotion.unwrap_or(-1));
    }

    /// What the comments behind a move say.
    fn said(&mut self, game: &Game, at: usize) {
        let said = match game.tape.get(at + 1) {
            None | Some(TapeOp::Move(_)) => ClocksAndEvaluation::default(),
            Some(_) => ClocksAndEvaluation::after(&game.tape, at),
        };
        #[allow(clippy::cast_possible_truncation)]
        let clock = said.clk.map(|time| seconds(time) as f32);
        self.clocks.push(clock.unwrap_or(f32::NAN));
        self.evals.push(match said.eval {
            None => f32::NAN,
            #[allow(clippy::cast_precision_loss)]
            Some((Evaluation::Centipawns(value), _)) => value as f32 / 100.0,
            #[allow(clippy::cast_precision_loss)]
            Some((Evaluation::Mate(moves), _)) => match moves < 0 {
                true => -100.0 - moves as f32,
                false => 100.0 - moves as f32,
            },
        });
    }

    fn end(&mut self, game: &Game, board: &Board, is_whole: bool) {
        let moves = u32::try_from(self.from.len()).unwrap_or(u32::MAX);
        self.move_ends.push(moves);
        self.scores.push(match game.result() {
            Outcome::WhiteWins => 1.0,
            Outcome::Draw => 0.5,
            Outcome::BlackWins => 0.0,
            Outcome::Unknown => f32::NAN,
        });
        self.numbers
            .push(i64::try_from(game.origin.number).unwrap_or(i64::MAX));
        let legal = board.count_legal_moves(u32::MAX);
        let is_over = legal == 0;
        self.checkmates.push(u8::from(is_over && board.is_check()));
        self.stalemates.push(u8::from(is_over && !board.is_check()));
        for color in Color::ALL {
            self.insufficient.push(u8::from(cannot_win(board, color)));
        }
        self.legal_moves
            .push(u16::try_from(legal).unwrap_or(u16::MAX));
        let damage = game.diagnostics.at_least(tabiya::model::Severity::Damage);
        self.valid.push(u8::from(damage == 0 && is_whole));
        self.tags.push(game.tags.clone());
    }

    fn number_from(&mut self, before: u64) {
        let before = i64::try_from(before).unwrap_or(i64::MAX);
        for number in &mut self.numbers {
            *number = number.saturating_add(before);
        }
    }
}

/// Whether a side has not enough left to mate, whatever the other one does.
fn cannot_win(board: &Board, color: Color) -> bool {
    let own = board.by_color(color);
    let of = |role: Role| board.by_role(role);
    let heavy = of(Role::Pawn) | of(Role::Rook) | of(Role::Queen);
    if (own & heavy).any() {
        return false;
    }
    if (own & of(Role::Knight)).any() {
        // Two pieces cannot mate a king that has nothing but queens beside it.
        let others = board.by_color(!color) & !of(Role::King) & !of(Role::Queen);
        return own.count() <= 2 && others.is_empty();
    }
    if (own & of(Role::Bishop)).any() {
        let bishops = of(Role::Bishop);
        let is_of_one_colour = (bishops & Bitboard::DARK_SQUARES).is_empty()
            || (bishops & Bitboard::LIGHT_SQUARES).is_empty();
        return is_of_one_colour && of(Role::Pawn).is_empty() && of(Role::Knight).is_empty();
    }
    true
}

/// What is read of games for the arrays.
fn needs_of(annotations: bool, verify: bool) -> GameNeeds {
    GameNeeds {
        annotations,
        verify,
        ..GameNeeds::MAIN_LINE
    }
}

/// A block; nothing at the end.
type FlatAnswer = Result<Option<Box<FlatGames>>>;

/// Iterates over blocks of games as flat arrays.
#[pyclass(frozen, module = "tabiya._tabiya", name = "TensorStream")]
pub(crate) struct PythonTensorStream {
    queue: Mutex<(Receiver<FlatAnswer>, bool)>,
    control: Control,
    closed: Arc<AtomicBool>,
}

impl Drop for PythonTensorStream {
    fn drop(&mut self) {
        self.control.stop();
    }
}

impl PythonTensorStream {
    /// Begins to read.
    pub(crate) fn new(
        games: Selection,
        annotations: bool,
        verify: bool,
        threads: Option<usize>,
        closed: Arc<AtomicBool>,
    ) -> PythonTensorStream {
        let needs = needs_of(annotations, verify);
        PythonTensorStream::reading(threads, closed, move |control, to| {
            produce(&games, needs, control, to)
        })
    }

    /// Begins to read in a way of its own.
    fn reading(
        threads: Option<usize>,
        closed: Arc<AtomicBool>,
        read: impl FnOnce(&Control, &SyncSender<FlatAnswer>) -> Result<()> + Send + 'static,
    ) -> PythonTensorStream {
        let control = job::control(threads);
        let reins = control.clone();
        let (to, from) = sync_channel(AHEAD);
        std::thread::spawn(move || {
            let last = read(&reins, &to).map(|()| None);
            // Nobody may be there any more.
            let _ = to.send(last);
        });
        PythonTensorStream {
            queue: Mutex::new((from, false)),
            control,
            closed,
        }
    }
}

/// Flat numbers as bytes in the order of the machine.
fn bytes_of<T: Copy, const N: usize>(values: &[T], bytes: impl Fn(T) -> [u8; N]) -> Vec<u8> {
    let mut all = vec![0; values.len() * N];
    for (room, value) in all.as_chunks_mut::<N>().0.iter_mut().zip(values) {
        *room = bytes(*value);
    }
    all
}

#[pymethods]
impl PythonTensorStream {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let mut guard = match self.queue.lock_py_attached(py) {
            Ok(guard) => guard,
            Err(poisoned) => poisoned.into_inner(),
        };
        let (from, is_over) = &mut *guard;
        loop {
            if self.closed.load(Ordering::Relaxed) {
                self.control.stop();
                return Err(refused(py, "ClosedError", "the database is closed"));
            }
            if *is_over {
                return Ok(None);
            }
            let queue = &mut *from;
            match py.detach(move || queue.recv_timeout(LOOK)) {
                Ok(Ok(Some(games))) => return flat_of(py, *games).map(Some),
                Ok(Ok(None)) => *is_over = true,
                Ok(Err(error)) => {
                    *is_over = true;
                    return Err(raised(py, &error));
                }
                Err(RecvTimeoutError::Timeout) => py.check_signals()?,
                Err(RecvTimeoutError::Disconnected) => {
                    *is_over = true;
                    return Err(panicked(py));
                }
            }
        }
    }

    /// Ends the reading ahead.
    fn close(&self) {
        self.control.stop();
    }
}

/// The tags of the games of a block, which few ask for.
#[pyclass(frozen, module = "tabiya._tabiya", name = "FlatTags")]
pub(crate) struct PythonFlatTags(Vec<Tags>);

#[pymethods]
impl PythonFlatTags {
    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// The tags of a game of the block.
    fn pairs(&self, at: usize) -> Vec<(String, String)> {
        let tags = self.0.get(at).into_iter().flat_map(Tags::iter);
        tags.map(|tag| (tag.name.to_owned(), tag.value.to_owned()))
            .collect()
    }
}

fn flat_of(py: Python<'_>, games: FlatGames) -> PyResult<Bound<'_, PyDict>> {
    let flat = PyDict::new(py);
    let put = |name: &str, bytes: &[u8]| flat.set_item(name, PyBytes::new(py, bytes));
    let signed = |values: &[i8]| bytes_of(values, i8::to_ne_bytes);
    let real = |values: &[f32]| bytes_of(values, f32::to_ne_bytes);
    put("boards", &games.boards)?;
    put("castling", &games.castling)?;
    put("en_passant", &signed(&games.en_passant))?;
    put("halfmoves", &games.halfmoves)?;
    put("turns", &games.turns)?;
    put("from_squares", &games.from)?;
    put("to_squares", &games.to)?;
    put("promotions", &signed(&games.promotions))?;
    put("clocks", &real(&games.clocks))?;
    put("evals", &real(&games.evals))?;
    put("move_ends", &bytes_of(&games.move_ends, u32::to_ne_bytes))?;
    put("scores", &real(&games.scores))?;
    put("numbers", &bytes_of(&games.numbers, i64::to_ne_bytes))?;
    put("checkmates", &games.checkmates)?;
    put("stalemates", &games.stalemates)?;
    put("insufficient", &games.insufficient)?;
    let legal = bytes_of(&games.legal_moves, u16::to_ne_bytes);
    put("legal_moves", &legal)?;
    put("valid", &games.valid)?;
    flat.set_item("tags", Py::new(py, PythonFlatTags(games.tags))?)?;
    Ok(flat)
}

/// All games of a source, on all threads.
fn flatten(
    source: &mut dyn Source<'_>,
    needs: GameNeeds,
    control: &Control,
    to: &SyncSender<FlatAnswer>,
) -> Result<()> {
    let mut before = 0;
    pipeline::run(
        source,
        control,
        || {
            let mut game = Game::default();
            move |block: &mut dyn Block| {
                let mut flat = Box::<FlatGames>::default();
                while block.next(needs, &mut game)? {
                    flat.push(&game);
                }
                Ok((flat, block.first().is_some()))
            }
        },
        |(mut flat, is_numbered)| {
            if !is_numbered {
                flat.number_from(before);
            }
            before += flat.numbers.len() as u64;
            Ok(to.send(Ok(Some(flat))).is_ok() && !control.is_stopped())
        },
    )?;
    Ok(())
}

/// Flat arrays of texts, which are told as arrays of Arrow: the bytes of each, and the places of its texts as numbers of so many bytes.
#[pyfunction]
#[pyo3(signature = (columns, annotations=true, verify=true, threads=None))]
pub(crate) fn flat_texts(
    py: Python<'_>,
    columns: Vec<(PyBackedBytes, PyBackedBytes, usize)>,
    annotations: bool,
    verify: bool,
    threads: Option<usize>,
) -> PyResult<PythonTensorStream> {
    let columns: PyResult<Vec<TextColumn>> = columns
        .into_iter()
        .map(|(bytes, places, width)| TextColumn::new(py, bytes, &places, width))
        .collect();
    let mut source = TextSource::new(columns?);
    let needs = needs_of(annotations, verify);
    let stream = PythonTensorStream::reading(threads, Arc::default(), move |control, to| {
        flatten(&mut source, needs, control, to)
    });
    Ok(stream)
}

fn produce(
    games: &Selection,
    needs: GameNeeds,
    control: &Control,
    to: &SyncSender<FlatAnswer>,
) -> Result<()> {
    if let ([base], true) = (&games.bases[..], games.is_all()) {
        return flatten(&mut *base.source(control)?, needs, control, to);
    }
    let options = SearchOptions {
        plies: false,
        keep: Some(needs),
        ..SearchOptions::default()
    };
    let mut flat = Box::<FlatGames>::default();
    search(games, &options, control, &mut |_, found| {
        let Some(mut game) = found.game else {
            return Ok(ControlFlow::Continue(()));
        };
        game.origin.number = found.hit.number;
        flat.push(&game);
        if flat.numbers.len() < LOT {
            return Ok(ControlFlow::Continue(()));
        }
        Ok(match to.send(Ok(Some(std::mem::take(&mut flat)))) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        })
    })?;
    if !flat.numbers.is_empty() {
        let _ = to.send(Ok(Some(flat)));
    }
    Ok(())
}
