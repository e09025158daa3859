//! One engine: starting it, searching with it, watching it, ending it.
//!
//! Every wait has a limit, and checks for a stop at least every twenty milliseconds. An engine that is silent for a while
//! is asked whether it is ready, which it has to answer even while it searches; one that does not answer is given up, and
//! so is one that answers but makes no progress. Every failure is an [`EngineFault`]; after a fatal one the process is
//! ended and has to be restarted, which [`crate::EngineSupervisor`] does.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use shakmaty::Chess;
use tabiya_model::board::CastlingStyle;
use tabiya_model::{Board, Control, Move};

use crate::engine_line::{EngineLine, EvaluationBound, legal};
use crate::error::{EngineError, EngineFault};
use crate::options::{self, EngineOption};
use crate::process::{EngineProcess, ProcessMessage};

/// How long one look for something new lasts.
const LOOK: Duration = Duration::from_millis(20);

/// How far an engine may go beyond the nodes that it was given before it is told to stop, and given up.
const OVERRUN: u64 = 5_000_000;

/// The most notes about lines that made no sense that are kept.
const MOST_ODDITIES: usize = 20;

/// Which program, and how it is set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineSpec {
    /// Its name for people.
    pub name: String,
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The working directory.
    pub folder: Option<PathBuf>,
    /// The values of its options.
    pub options: Vec<(String, String)>,
}

impl EngineSpec {
    /// A program without arguments and settings.
    pub fn new(program: impl Into<PathBuf>) -> EngineSpec {
        let program = program.into();
        EngineSpec {
            name: program.display().to_string(),
            program,
            arguments: Vec::new(),
            folder: None,
            options: Vec::new(),
        }
    }

    /// With an option set to a value; the last one counts.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> EngineSpec {
        self.options.push((name.to_owned(), value.to_owned()));
        self
    }
}

/// How long to wait for an engine.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct EngineTimeouts {
    /// For its first answers; large networks take a while to load.
    pub start: Duration,
    /// For any output before it is asked whether it is ready, and then for the answer.
    pub silence: Duration,
    /// For the first line of a search, while it reports that it is ready.
    pub word: Duration,
    /// For more nodes or another depth after that, in a search that has an end.
    pub progress: Duration,
    /// For the end of a search after `stop`.
    pub stop: Duration,
    /// For its exit after `quit`.
    pub quit: Duration,
}

impl Default for EngineTimeouts {
    fn default() -> EngineTimeouts {
        EngineTimeouts {
            start: Duration::from_secs(15),
            silence: Duration::from_secs(15),
            word: Duration::from_secs(60),
            progress: Duration::from_secs(600),
            stop: Duration::from_secs(5),
            quit: Duration::from_millis(500),
        }
    }
}

/// A position to search: a board, and moves played on it, so that an engine sees repetitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchPosition {
    start: Board,
    moves: Vec<Move>,
    now: Board,
}

impl SearchPosition {
    /// A position without a history. It must be legal: engines may do anything with others.
    pub fn new(board: &Board) -> Result<SearchPosition, EngineFault> {
        SearchPosition::after(board, &[])
    }

    /// The position after legal moves.
    pub fn after(start: &Board, moves: &[Move]) -> Result<SearchPosition, EngineFault> {
        if let Err(error) = Chess::try_from(start) {
            return Err(EngineFault::BadPosition(error.to_string()));
        }
        let mut now = start.clone();
        for m in moves {
            if m.is_null() || !now.is_legal(*m) {
                return Err(EngineFault::BadPosition(
                    "a move before it is not legal".to_owned(),
                ));
            }
            now.play(*m);
        }
        if !now.has_legal_move() {
            return Err(EngineFault::BadPosition(
                "the game is over in it".to_owned(),
            ));
        }
        Ok(SearchPosition {
            start: start.clone(),
            moves: moves.to_vec(),
            now,
        })
    }

    /// The position to search.
    #[must_use]
    pub fn board(&self) -> &Board {
        &self.now
    }

    fn is_chess960(&self) -> bool {
        self.start.is_chess960()
    }

    /// The command that sets it up.
    fn command(&self) -> String {
        let mut text = if self.start == Board::standard() {
            "position startpos".to_owned()
        } else {
            format!("position fen {}", self.start.to_fen())
        };
        if !self.moves.is_empty() {
            text.push_str(" moves");
            let style = self.style();
            let mut board = self.start.clone();
            for m in &self.moves {
                text.push(' ');
                text.push_str(&uci(&board, *m, style));
                board.play(*m);
            }
        }
        text
    }

    fn style(&self) -> CastlingStyle {
        if self.is_chess960() {
            CastlingStyle::KingTakesRook
        } else {
            CastlingStyle::KingMoves
        }
    }
}

/// A move as engines write it.
#[must_use]
pub fn uci(board: &Board, m: Move, style: CastlingStyle) -> String {
    let mut bytes = Vec::new();
    board.write_uci(m, style, &mut bytes);
    String::from_utf8(bytes).unwrap_or_default()
}

/// The limits of a search. Without any: until it is stopped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchLimits {
    /// Positions to search.
    pub nodes: Option<u64>,
    /// The depth to reach.
    pub depth: Option<u32>,
    /// The time to take.
    pub time: Option<Duration>,
    /// The number of lines.
    pub lines: u32,
    /// The only moves to search, if there are any.
    pub only: Vec<Move>,
}

impl SearchLimits {
    /// A search of this many positions.
    #[must_use]
    pub fn nodes(nodes: u64) -> SearchLimits {
        SearchLimits {
            nodes: Some(nodes),
            ..SearchLimits::default()
        }
    }

    /// With this many lines.
    #[must_use]
    pub fn with_lines(mut self, lines: u32) -> SearchLimits {
        self.lines = lines;
        self
    }

    /// Whether the engine ends it by itself.
    fn has_end(&self) -> bool {
        self.nodes.is_some() || self.depth.is_some() || self.time.is_some()
    }

    fn command(&self, position: &SearchPosition) -> String {
        let mut text = "go".to_owned();
        if let Some(depth) = self.depth {
            text.push_str(&format!(" depth {}", depth.max(1)));
        }
        if let Some(nodes) = self.nodes {
            text.push_str(&format!(" nodes {}", nodes.max(1)));
        }
        if let Some(time) = self.time {
            text.push_str(&format!(" movetime {}", time.as_millis().max(1)));
        }
        if !self.has_end() {
            text.push_str(" infinite");
        }
        if !self.only.is_empty() {
            text.push_str(" searchmoves");
            for m in &self.only {
                text.push(' ');
                text.push_str(&uci(&position.now, *m, position.style()));
            }
        }
        text
    }
}

/// The result of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchOutcome {
    /// The lines by rank, each in its last version.
    pub lines: Vec<EngineLine>,
    /// The move that the engine chose, if it was legal.
    pub best: Option<Move>,
    /// Whether the search was stopped before its end.
    pub stopped: bool,
}

/// A running engine.
#[derive(Debug)]
pub struct Engine {
    name: String,
    process: EngineProcess,
    patience: EngineTimeouts,
    /// Its own name.
    id: String,
    options: Vec<EngineOption>,
    chess960: bool,
    lines: u32,
    /// Something was searched since it last said that it is ready: more of that may still come.
    searched: bool,
    oddities: Vec<String>,
}

impl Engine {
    /// Starts an engine, waits until it answers, and sets its options.
    pub fn start(
        spec: &EngineSpec,
        patience: EngineTimeouts,
        control: &Control,
    ) -> Result<Engine, EngineError> {
        let failed = |fault, stderr| EngineError {
            engine: spec.name.clone(),
            fault,
            stderr,
        };
        let process = EngineProcess::start(&spec.program, &spec.arguments, spec.folder.as_deref())
            .map_err(|error| {
                let fault = match error.kind() {
                    std::io::ErrorKind::NotFound => EngineFault::NotFound,
                    _ => EngineFault::NotStarted(error),
                };
                failed(fault, String::new())
            })?;
        let mut engine = Engine {
            name: spec.name.clone(),
            process,
            patience,
            id: spec.name.clone(),
            options: Vec::new(),
            chess960: false,
            lines: 1,
            searched: false,
            oddities: Vec::new(),
        };
        let started = engine
            .handshake(control)
            .and_then(|()| {
                for (name, value) in &spec.options {
                    engine.set(name, value)?;
                }
                Ok(())
            })
            .and_then(|()| engine.ready("get ready", engine.patience.start, control));
        match started {
            Ok(()) => Ok(engine),
            Err(fault) => Err(failed(fault, engine.process.last_words())),
        }
    }

    /// The engine's own name.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The process id.
    #[must_use]
    pub fn process_id(&self) -> u32 {
        self.process.id()
    }

    /// The options that it offers.
    #[must_use]
    pub fn options(&self) -> &[EngineOption] {
        &self.options
    }

    /// Its invalid output, and what was done about it.
    pub fn take_oddities(&mut self) -> Vec<String> {
        std::mem::take(&mut self.oddities)
    }

    /// A fault of this engine with its name and its last error output.
    pub fn error(&self, fault: EngineFault) -> EngineError {
        EngineError {
            engine: self.name.clone(),
            stderr: if fault.is_fatal() {
                self.process.last_words()
            } else {
                String::new()
            },
            fault,
        }
    }

    fn handshake(&mut self, control: &Control) -> Result<(), EngineFault> {
        self.tell("uci", self.patience.start, control)?;
        let until = Instant::now() + self.patience.start;
        loop {
            if control.is_stopped() {
                return Err(EngineFault::Stopped);
            }
            match self.process.hear(LOOK) {
                ProcessMessage::Line(line) => {
                    let line = line.trim();
                    if line == "uciok" {
                        return Ok(());
                    } else if let Some(name) = line.strip_prefix("id name ") {
                        self.id = name.chars().filter(|c| !c.is_control()).take(100).collect();
                    } else if let Some(option) = line.strip_prefix("option ")
                        && self.options.len() < options::MOST
                        && let Some(option) = EngineOption::parse(option)
                    {
                        self.options.push(option);
                    }
                }
                ProcessMessage::LongLine(_) => self.odd("an endless line was cut"),
                ProcessMessage::Nothing => {}
                ProcessMessage::End => return Err(self.ended("answer `uci`")),
            }
            if Instant::now() >= until {
                return Err(EngineFault::NoHandshake(self.patience.start));
            }
        }
    }

    /// Sets an option that the engine offers to a value within its bounds.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), EngineFault> {
        let Some(option) = options::find(&self.options, name) else {
            return Err(EngineFault::NoOption(name.chars().take(100).collect()));
        };
        let line = match option.check(value)? {
            Some(value) => format!("setoption name {} value {value}", option.name),
            None => format!("setoption name {}", option.name),
        };
        self.tell(&line, self.patience.start, &Control::default())
    }

    /// Tells it something, and waits so long until it has read enough to take it.
    fn tell(&mut self, line: &str, most: Duration, control: &Control) -> Result<(), EngineFault> {
        self.process.say(line);
        let until = Instant::now() + most;
        while !self.process.has_taken_all(LOOK) {
            if control.is_stopped() || Instant::now() >= until {
                return Err(EngineFault::Deaf(most));
            }
        }
        Ok(())
    }

    /// Starts a new game: the engine clears everything that it remembers.
    pub fn new_game(&mut self, control: &Control) -> Result<(), EngineFault> {
        self.tell("ucinewgame", self.patience.start, control)?;
        self.ready("forget", self.patience.start, control)
    }

    /// Waits until everything said so far is done.
    fn ready(
        &mut self,
        doing: &'static str,
        most: Duration,
        control: &Control,
    ) -> Result<(), EngineFault> {
        self.tell("isready", most, control)?;
        let until = Instant::now() + most;
        loop {
            match self.process.hear(LOOK) {
                ProcessMessage::Line(line) if line.trim() == "readyok" => {
                    self.searched = false;
                    return Ok(());
                }
                ProcessMessage::Line(_) | ProcessMessage::LongLine(_) | ProcessMessage::Nothing => {
                }
                ProcessMessage::End => return Err(self.ended(doing)),
            }
            if control.is_stopped() {
                return Err(EngineFault::Stopped);
            }
            if Instant::now() >= until {
                return Err(EngineFault::Hangs {
                    doing,
                    silence: most,
                });
            }
        }
    }

    fn ended(&mut self, doing: &'static str) -> EngineFault {
        // Its output may end a moment before it does.
        let until = Instant::now() + Duration::from_millis(200);
        loop {
            if let Some(status) = self.process.status() {
                return EngineFault::Ended { doing, status };
            }
            if Instant::now() >= until {
                return EngineFault::Ended {
                    doing,
                    status: "its output".to_owned(),
                };
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    fn odd(&mut self, what: impl Into<String>) {
        if self.oddities.len() < MOST_ODDITIES {
            self.oddities.push(what.into());
        }
    }

    /// Searches a position. Every line about it goes to `each`, which returns whether to go on. The search ends when the
    /// engine ends it, when `each` returns false, or when the control stops it; then the result is what was found so far.
    pub fn search(
        &mut self,
        position: &SearchPosition,
        go: &SearchLimits,
        control: &Control,
        each: &mut dyn FnMut(&EngineLine) -> bool,
    ) -> Result<SearchOutcome, EngineFault> {
        // A second answer to the last search would be taken for the answer to this one.
        if self.searched {
            match self.ready("get ready", self.patience.silence, control) {
                // Nothing is searched then, which is what one that is stopped at once brings too.
                Err(EngineFault::Stopped) => {
                    return Ok(SearchOutcome {
                        stopped: true,
                        ..SearchOutcome::default()
                    });
                }
                done => done?,
            }
        }
        let chess960 = position.is_chess960();
        if chess960 != self.chess960 {
            if options::find(&self.options, "UCI_Chess960").is_none() {
                return Err(EngineFault::NoChess960);
            }
            self.set("UCI_Chess960", if chess960 { "true" } else { "false" })?;
            self.chess960 = chess960;
        }
        let lines = go.lines.max(1);
        if lines != self.lines {
            self.set("MultiPV", &lines.to_string())?;
            self.lines = lines;
        }
        self.tell(&position.command(), self.patience.silence, control)?;
        self.searched = true;
        self.tell(&go.command(position), self.patience.silence, control)?;
        self.listen(position, go, control, each)
    }

    fn listen(
        &mut self,
        position: &SearchPosition,
        go: &SearchLimits,
        control: &Control,
        each: &mut dyn FnMut(&EngineLine) -> bool,
    ) -> Result<SearchOutcome, EngineFault> {
        const DOING: &str = "search";
        let mut search = SearchOutcome::default();
        let started = Instant::now();
        // When it last said something that makes sense, and since when it is asked whether it is there.
        let (mut heard, mut asked): (Instant, Option<Instant>) = (started, None);
        let mut stopping: Option<Instant> = None;
        // How far it has come, and when it came there.
        let mut reached: Option<(SearchProgress, Instant)> = None;
        loop {
            let mut over = false;
            match self.process.hear(LOOK) {
                ProcessMessage::Line(line) => {
                    let (word, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
                    match word {
                        "info" => {
                            (heard, asked) = (Instant::now(), None);
                            if let Some(now) = SearchProgress::of(rest)
                                && reached.is_none_or(|(last, _)| now.is_beyond(last))
                            {
                                reached = Some((now.and(reached.map(|(last, _)| last)), heard));
                            }
                            if let Some(info) = EngineLine::parse(rest, position.board()) {
                                if let (Some(allowed), None) = (go.nodes, stopping) {
                                    over = info.nodes
                                        > allowed.saturating_mul(2).saturating_add(OVERRUN);
                                }
                                let go_on = self.take(info, &mut search, each);
                                if !go_on && stopping.is_none() {
                                    self.process.say("stop");
                                    stopping = Some(Instant::now());
                                }
                            }
                        }
                        "bestmove" => {
                            search.stopped = stopping.is_some();
                            return self.chosen(rest, position, search);
                        }
                        "readyok" => (heard, asked) = (Instant::now(), None),
                        _ => {}
                    }
                }
                ProcessMessage::LongLine(_) => self.odd("an endless line was cut"),
                ProcessMessage::Nothing => {}
                ProcessMessage::End => return Err(self.ended(DOING)),
            }
            if over {
                return Err(EngineFault::BeyondLimit {
                    searched: search
                        .lines
                        .iter()
                        .map(|info| info.nodes)
                        .max()
                        .unwrap_or(0),
                    allowed: go.nodes.unwrap_or(0),
                });
            }
            let now = Instant::now();
            let timed_out = go
                .time
                .is_some_and(|time| now >= started + time + self.patience.stop);
            match stopping {
                None if control.is_stopped() || timed_out => {
                    self.process.say("stop");
                    stopping = Some(now);
                }
                Some(since) if now >= since + self.patience.stop => {
                    return Err(EngineFault::WillNotStop);
                }
                _ => {}
            }
            // One that does not answer hangs; one that is told to stop, or has a time, has its own bound.
            let (since, most) = match reached {
                None => (Some(started), self.patience.word),
                Some((_, at)) => (go.has_end().then_some(at), self.patience.progress),
            };
            if let (Some(since), None, None, None) = (since, asked, stopping, go.time)
                && now >= since + most
            {
                return Err(EngineFault::Idle(now - since));
            }
            match asked {
                None if now >= heard + self.patience.silence => {
                    self.process.say("isready");
                    asked = Some(now);
                }
                Some(since) if now >= since + self.patience.silence => {
                    return Err(EngineFault::Hangs {
                        doing: DOING,
                        silence: now - heard,
                    });
                }
                _ => {}
            }
        }
    }

    /// Keeps a line of a search.
    fn take(
        &mut self,
        mut info: EngineLine,
        search: &mut SearchOutcome,
        each: &mut dyn FnMut(&EngineLine) -> bool,
    ) -> bool {
        if let Some(illegal) = &info.illegal {
            self.odd(format!(
                "its line was cut before the illegal move `{}`",
                printable(illegal)
            ));
        }
        // A bound comes with a short line, which the one before may go on with.
        let place = usize::try_from(info.rank - 1).unwrap_or(usize::MAX);
        if info.bound != EvaluationBound::Exact
            && let Some(known) = search.lines.get(place)
            && known.line.starts_with(&info.line)
        {
            info.line.clone_from(&known.line);
        }
        let go_on = each(&info);
        // A line of a rank beyond what was asked for is nobody's.
        if info.score.is_some() && info.rank <= self.lines {
            let place = usize::try_from(info.rank - 1).unwrap_or(0);
            if search.lines.len() <= place {
                search.lines.resize_with(place + 1, EngineLine::default);
            }
            if let Some(slot) = search.lines.get_mut(place) {
                *slot = info;
            }
        }
        go_on
    }

    fn chosen(
        &mut self,
        rest: &str,
        position: &SearchPosition,
        mut search: SearchOutcome,
    ) -> Result<SearchOutcome, EngineFault> {
        let word = rest.split_ascii_whitespace().next().unwrap_or("");
        search.best = legal(position.board(), word);
        if search.best.is_none() {
            self.odd(format!(
                "it chose `{}`, which is not legal",
                printable(word)
            ));
        }
        // Ranks that were never told leave gaps.
        search.lines.retain(|info| info.score.is_some());
        if search.lines.is_empty() && !search.stopped {
            return Err(EngineFault::NoEvaluation);
        }
        Ok(search)
    }

    /// Quits the engine, and kills it if it does not exit.
    pub fn quit(mut self) {
        self.leave();
    }

    fn leave(&mut self) {
        self.process.say("stop");
        self.process.say("quit");
        self.process.end(self.patience.quit);
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.leave();
    }
}

/// How far a search has come.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct SearchProgress {
    nodes: u64,
    /// The depth, and the move in it that is being searched.
    depth: (u16, u8),
}

impl SearchProgress {
    /// What a line of a search tells of it.
    fn of(text: &str) -> Option<SearchProgress> {
        let mut reached = None;
        let mut tokens = text.split_ascii_whitespace();
        while let Some(token) = tokens.next() {
            let mut number = || tokens.next().and_then(|it| it.parse::<u64>().ok());
            let known = reached.unwrap_or(SearchProgress {
                nodes: 0,
                depth: (0, 0),
            });
            reached = match token {
                "string" | "pv" => break,
                "nodes" => number().map(|nodes| SearchProgress { nodes, ..known }),
                "depth" => number().map(|depth| SearchProgress {
                    depth: (u16::try_from(depth).unwrap_or(u16::MAX), known.depth.1),
                    ..known
                }),
                "currmovenumber" => number().map(|place| SearchProgress {
                    depth: (known.depth.0, u8::try_from(place).unwrap_or(u8::MAX)),
                    ..known
                }),
                _ => continue,
            }
            .or(reached);
        }
        reached
    }

    fn is_beyond(self, last: SearchProgress) -> bool {
        self.nodes > last.nodes || self.depth > last.depth
    }

    /// The farthest of both.
    fn and(self, last: Option<SearchProgress>) -> SearchProgress {
        last.map_or(self, |last| SearchProgress {
            nodes: self.nodes.max(last.nodes),
            depth: self.depth.max(last.depth),
        })
    }
}

fn printable(text: &str) -> String {
    text.chars()
        .take(20)
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect()
}
