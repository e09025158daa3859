//! A game.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use pyo3::basic::CompareOp;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple, PyType};
use tabiya::formats::ndjson::NdjsonGameWriter;
use tabiya::formats::pgn::{self, PgnGameWriter, PgnStyle};
use tabiya::model::board::CastlingStyle;
use tabiya::model::editor::{GameEditor, draft};
use tabiya::model::game::{StartingPosition, Variant};
use tabiya::model::{Board, Game, Losses, Replay, Severity, TapeOp};

use crate::failure::refused;
use crate::tags::PythonTags;
use crate::text_readings::settings_of;

/// A game: its tags, its moves with variations, comments and everything else, as in its database.
///
/// Games are values: they do not change. ``with_tags`` and ``Game.from_chess`` make new ones.
#[derive(Debug)]
#[pyclass(frozen, module = "tabiya", name = "Game")]
pub(crate) struct PythonGame {
    pub(crate) game: Arc<Game>,
    ply: Option<u32>,
}

/// How castling is written in UCI moves of a game.
pub(crate) fn castling_of(game: &Game) -> CastlingStyle {
    match game.variant {
        Variant::Chess960 => CastlingStyle::KingTakesRook,
        Variant::Standard | Variant::Other => CastlingStyle::KingMoves,
    }
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes).into_owned()
}

impl PythonGame {
    pub(crate) fn new(game: impl Into<Arc<Game>>, ply: Option<u32>) -> PythonGame {
        PythonGame {
            game: game.into(),
            ply,
        }
    }

    fn tag<'py>(&self, py: Python<'py>, name: &str) -> Bound<'py, PyString> {
        PyString::new(py, self.game.tags.value(name))
    }

    fn in_python<'py>(
        slf: &Bound<'py, PythonGame>,
        module: &str,
        function: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import(module)?.getattr(function)?.call1((slf,))
    }
}

#[pymethods]
impl PythonGame {
    /// The number in the database, from 1; 0 for a game outside of a database.
    #[getter]
    fn number(&self) -> u64 {
        self.game.origin.number
    }

    /// The ply at which the query that found the game first holds, if it is about positions.
    #[getter]
    fn ply(&self) -> Option<u32> {
        self.ply
    }

    /// The tags, in their order, including repeated ones.
    #[getter]
    fn tags(&self) -> PythonTags {
        PythonTags::of_game(Arc::clone(&self.game))
    }

    /// White's name.
    #[getter]
    fn white<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        self.tag(py, "White")
    }

    /// Black's name.
    #[getter]
    fn black<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        self.tag(py, "Black")
    }

    /// The event.
    #[getter]
    fn event<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        self.tag(py, "Event")
    }

    /// The site.
    #[getter]
    fn site<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        self.tag(py, "Site")
    }

    /// The date, as in the tag, such as ``1960.03.15`` or ``1960.??.??``.
    #[getter]
    fn date<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        self.tag(py, "Date")
    }

    /// The round.
    #[getter]
    fn round<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        self.tag(py, "Round")
    }

    /// The ECO code, as in the tag.
    #[getter]
    fn eco<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        self.tag(py, "ECO")
    }

    /// White's rating.
    #[getter]
    fn white_elo(&self) -> Option<u32> {
        self.game.tags.number("WhiteElo")
    }

    /// Black's rating.
    #[getter]
    fn black_elo(&self) -> Option<u32> {
        self.game.tags.number("BlackElo")
    }

    /// The year of the date.
    #[getter]
    fn year(&self) -> Option<u16> {
        self.game.tags.date("Date")?.year
    }

    /// The result: ``1-0``, ``0-1``, ``1/2-1/2`` or ``*``.
    #[getter]
    fn result(&self) -> &'static str {
        self.game.result().as_pgn()
    }

    /// The rules: ``standard``, ``chess960`` or ``other``.
    #[getter]
    fn variant(&self) -> &'static str {
        match self.game.variant {
            Variant::Standard => "standard",
            Variant::Chess960 => "chess960",
            Variant::Other => "other",
        }
    }

    /// Whether the database marks the game as deleted.
    #[getter]
    fn is_deleted(&self) -> bool {
        self.game.is_deleted()
    }

    /// Whether a part of the game could not be read.
    #[getter]
    fn is_damaged(&self) -> bool {
        self.game.diagnostics.at_least(Severity::Damage) > 0
    }

    /// The findings while the game was read.
    #[getter]
    fn diagnostics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let found = self.game.diagnostics.iter();
        let found: Vec<_> = found.map(tabiya::report::finding_answer).collect();
        let json = crate::reports::json_of(py, &found)?;
        py.import("tabiya._reports")?
            .getattr("diagnostics_of")?
            .call1((json,))
    }

    /// The number of plies of the main line.
    #[getter]
    fn plies(&self) -> usize {
        self.game.tape.plies()
    }

    /// The moves of the main line in standard notation.
    #[getter]
    fn san<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let game = &self.game;
        let mut words: Vec<Bound<'py, PyString>> = Vec::with_capacity(game.tape.len());
        let mut board: Option<Board> = None;
        let mut word = Vec::new();
        let mut at = 0;
        while let Some(op) = game.tape.get(at) {
            match op {
                TapeOp::Move(m) => {
                    word.clear();
                    match (game.tape.notation(at), &mut board) {
                        (Some(details), None) => details.write(m, &mut word),
                        (_, board) => {
                            let board = board.get_or_insert_with(|| board_before(game, at));
                            board.play_san(m, &mut word);
                        }
                    }
                    // Notation is ASCII.
                    let word = std::str::from_utf8(&word).unwrap_or_default();
                    words.push(PyString::intern(py, word));
                    at += 1;
                }
                TapeOp::Begin(_) => at = game.tape.skip(at),
                _ => at += 1,
            }
        }
        PyList::new(py, words)
    }

    /// The moves of the main line in UCI notation.
    #[getter]
    fn uci<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let (mut board, style) = (self.game.start_board(), castling_of(&self.game));
        let mut words: Vec<Bound<'py, PyString>> = Vec::new();
        let mut word = Vec::new();
        for m in self.game.tape.main_line() {
            word.clear();
            board.write_uci(m, style, &mut word);
            let word = std::str::from_utf8(&word).unwrap_or_default();
            words.push(PyString::intern(py, word));
            board.play(m);
        }
        PyList::new(py, words)
    }

    /// The position before the first move.
    #[getter]
    fn start_fen(&self) -> String {
        self.game.start_board().to_fen()
    }

    /// The position after the last move of the main line.
    #[getter]
    fn fen(&self) -> String {
        let mut board = self.game.start_board();
        for m in self.game.tape.main_line() {
            board.play(m);
        }
        board.to_fen()
    }

    /// Every position of the main line, beginning with the one before the first move.
    fn fens(&self) -> Vec<String> {
        let mut board = self.game.start_board();
        let mut fens = vec![board.to_fen()];
        for m in self.game.tape.main_line() {
            board.play(m);
            fens.push(board.to_fen());
        }
        fens
    }

    /// The moves of the main line, each with its comments, NAGs, clock and evaluation.
    #[getter]
    fn moves<'py>(slf: &Bound<'py, PythonGame>) -> PyResult<Bound<'py, PyAny>> {
        Self::in_python(slf, "tabiya._tree", "main_line_of")
    }

    /// The game as a tree: the start, from which moves lead to moves.
    #[getter]
    fn tree<'py>(slf: &Bound<'py, PythonGame>) -> PyResult<Bound<'py, PyAny>> {
        Self::in_python(slf, "tabiya._tree", "tree_of")
    }

    /// The operations of the game in their order, from which a tree can be built.
    #[pyo3(signature = (chess960=None))]
    fn _ops<'py>(
        &self,
        py: Python<'py>,
        chess960: Option<bool>,
    ) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        let game = &self.game;
        let mut replay = Replay::new(&game.start_board());
        let style = match chess960 {
            None => castling_of(game),
            Some(true) => CastlingStyle::KingTakesRook,
            Some(false) => CastlingStyle::KingMoves,
        };
        let (mut san, mut uci) = (Vec::new(), Vec::new());
        let mut all = Vec::with_capacity(game.tape.len());
        for op in game.tape.ops() {
            let told = match op {
                TapeOp::Move(m) => {
                    san.clear();
                    uci.clear();
                    replay.now().write_uci(m, style, &mut uci);
                    replay.now().write_san(m, &mut san);
                    let word = |bytes: &[u8]| {
                        PyString::intern(py, std::str::from_utf8(bytes).unwrap_or_default())
                    };
                    let is_legal = m.is_null() || replay.now().is_legal(m);
                    ("move", word(&san), word(&uci), is_legal).into_pyobject(py)?
                }
                TapeOp::Nag(nag) => ("nag", nag.0).into_pyobject(py)?,
                TapeOp::Comment(id) => ("comment", game.tape.text(id)).into_pyobject(py)?,
                TapeOp::Raw(id) => ("raw", game.tape.text(id)).into_pyobject(py)?,
                TapeOp::Ext(index) => {
                    let index = usize::try_from(index).unwrap_or(usize::MAX);
                    match game.tape.extensions().get(index) {
                        Some(told) => (
                            "extension",
                            told.name.as_str(),
                            PyBytes::new(py, &told.data),
                        )
                            .into_pyobject(py)?,
                        None => continue,
                    }
                }
                TapeOp::Begin(_) => ("begin",).into_pyobject(py)?,
                TapeOp::End => ("end",).into_pyobject(py)?,
                TapeOp::Outcome(outcome) => ("result", outcome.as_pgn()).into_pyobject(py)?,
            };
            replay.follow(op);
            all.push(told);
        }
        Ok(all)
    }

    /// The position after this number of operations.
    fn _fen_after(&self, operations: usize) -> String {
        let mut replay = Replay::new(&self.game.start_board());
        for op in self.game.tape.ops().take(operations) {
            replay.follow(op);
        }
        replay.now().to_fen()
    }

    /// The result after the moves, if there is one.
    #[getter]
    fn _ending(&self) -> Option<&'static str> {
        self.game.outcome.map(|outcome| outcome.as_pgn())
    }

    /// The game as PGN. Keyword arguments are the options of the format, such as ``width=0`` or ``no_comments=True``;
    /// ``docs/cli.md`` lists them at ``convert``.
    #[pyo3(signature = (**options))]
    fn pgn(&self, py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<String> {
        let said = crate::text_options::said(options)?;
        let settings = settings_of(py, pgn::FORMAT.write_options, &said)?;
        let style = PgnStyle::of(&settings).map_err(|error| crate::failure::raised(py, &error))?;
        let game = Arc::clone(&self.game);
        Ok(py.detach(move || {
            let mut out = Vec::new();
            PgnGameWriter::new(style).write(&game, &mut out, &mut Losses::default());
            text(out)
        }))
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        self.pgn(py, None)
    }

    /// The game as a line of JSON, in the form of the NDJSON format.
    fn json(&self) -> String {
        let mut out = Vec::new();
        NdjsonGameWriter::default().write(&self.game, &mut out);
        let json = text(out);
        json.trim_end().to_owned()
    }

    fn __repr__(&self) -> String {
        let tags = &self.game.tags;
        let (white, black) = (tags.value("White"), tags.value("Black"));
        let (result, number) = (self.game.result().as_pgn(), self.game.origin.number);
        let date = match tags.value("Date") {
            "" => String::new(),
            date => format!(", {date}"),
        };
        format!("<tabiya.Game {number}: {white} - {black} {result}{date}>")
    }

    /// Equal games have the same tags, starting position, moves and annotations, wherever they are from.
    fn __richcmp__(&self, other: &Bound<'_, PyAny>, op: CompareOp) -> PyResult<Py<PyAny>> {
        let py = other.py();
        let Ok(other) = other.cast::<PythonGame>() else {
            return Ok(py.NotImplemented());
        };
        let (one, two) = (&self.game, &other.get().game);
        let is_same = one.tags == two.tags
            && one.start == two.start
            && one.variant == two.variant
            && one.outcome == two.outcome
            && one.tape == two.tape;
        let answer = match op {
            CompareOp::Eq => is_same,
            CompareOp::Ne => !is_same,
            _ => return Ok(py.NotImplemented()),
        };
        Ok(answer.into_pyobject(py)?.to_owned().into_any().unbind())
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        for tag in self.game.tags.iter() {
            (tag.name, tag.value).hash(&mut hasher);
        }
        for m in self.game.tape.main_line() {
            m.bits().hash(&mut hasher);
        }
        hasher.finish()
    }

    fn __reduce__<'py>(slf: &Bound<'py, PythonGame>) -> PyResult<Bound<'py, PyTuple>> {
        let py = slf.py();
        let this = slf.get();
        let line = draft::game_line(&this.game);
        let read = py.import("tabiya._tabiya")?.getattr("game_of_draft")?;
        (read, (line, this.game.origin.number, this.ply)).into_pyobject(py)
    }

    /// The same game with some tags changed; ``None`` removes a tag.
    fn with_tags(&self, tags: &Bound<'_, PyDict>) -> PyResult<PythonGame> {
        let mut game = Game::clone(&self.game);
        let (mut fen, mut is_reset) = (None, false);
        for (name, value) in tags.iter() {
            let name: String = name.extract()?;
            let value: Option<String> = value.extract()?;
            is_reset |= matches!(name.as_str(), "FEN" | "SetUp" | "Variant");
            if name == "FEN" {
                fen.clone_from(&value);
            }
            match value {
                Some(value) => game.tags.set(&name, &value),
                None => {
                    game.tags.remove(&name);
                }
            }
        }
        if is_reset && !game.tape.is_empty() {
            let message = "the start of a game that has moves cannot be changed";
            return Err(refused(tags.py(), "UsageError", message));
        }
        if is_reset {
            crate::game_builder::set_start(&mut game);
        }
        Ok(PythonGame::new(game, None))
    }

    /// The game as a ``chess.pgn.Game`` of python-chess.
    fn to_chess<'py>(slf: &Bound<'py, PythonGame>) -> PyResult<Bound<'py, PyAny>> {
        Self::in_python(slf, "tabiya._chess", "to_chess")
    }

    /// A game from python-chess, with everything that it holds.
    #[classmethod]
    fn from_chess<'py>(
        cls: &Bound<'py, PyType>,
        game: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let module = cls.py().import("tabiya._chess")?;
        module.getattr("from_chess")?.call1((game,))
    }

    /// The first game of a PGN text.
    #[classmethod]
    fn from_pgn(cls: &Bound<'_, PyType>, pgn: &str) -> PyResult<PythonGame> {
        let py = cls.py();
        let mut games = crate::game_builder::read_pgn(py, pgn.as_bytes().to_vec())?;
        match games.is_empty() {
            true => Err(refused(py, "NotFoundError", "there is no game in the text")),
            false => Ok(PythonGame::new(games.swap_remove(0), None)),
        }
    }

    fn _repr_svg_<'py>(slf: &Bound<'py, PythonGame>) -> PyResult<Bound<'py, PyAny>> {
        Self::in_python(slf, "tabiya._display", "game_svg")
    }

    fn _repr_html_<'py>(slf: &Bound<'py, PythonGame>) -> PyResult<Bound<'py, PyAny>> {
        Self::in_python(slf, "tabiya._display", "game_html")
    }

    /// Whether the game has a custom starting position.
    #[getter]
    fn is_set_up(&self) -> bool {
        matches!(self.game.start, StartingPosition::Setup(..))
    }
}

/// The position of the main line before an operation.
fn board_before(game: &Game, end: usize) -> Board {
    let mut board = game.start_board();
    let mut at = 0;
    while at < end {
        match game.tape.get(at) {
            Some(TapeOp::Move(m)) => {
                board.play(m);
                at += 1;
            }
            Some(TapeOp::Begin(_)) => at = game.tape.skip(at),
            _ => at += 1,
        }
    }
    board
}

/// A game from the result of its `__reduce__`.
#[pyfunction]
#[pyo3(signature = (line, number, ply))]
pub(crate) fn game_of_draft(
    py: Python<'_>,
    line: &str,
    number: u64,
    ply: Option<u32>,
) -> PyResult<PythonGame> {
    let editor = GameEditor::from_draft(line)
        .map_err(|error| refused(py, "UsageError", &error.to_string()))?;
    let mut game = editor.into_game();
    game.origin.number = number;
    Ok(PythonGame::new(game, ply))
}

/// All games of a PGN text.
#[pyfunction]
pub(crate) fn games_of_pgn(py: Python<'_>, text: Vec<u8>) -> PyResult<Vec<PythonGame>> {
    let games = crate::game_builder::read_pgn(py, text)?;
    Ok(games
        .into_iter()
        .map(|game| PythonGame::new(game, None))
        .collect())
}
