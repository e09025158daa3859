//! Engines' evaluations of one position, live in the terminal.

use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use tabiya::engine::driver::EngineTimeouts;
use tabiya::engine::engine_line::EngineLine;
use tabiya::engine::live::{LiveCache, LiveEngines, LiveQuestion, LiveState, LiveUpdate};
use tabiya::explorer::ExploreLine;
use tabiya_io::terminal_filter::own;
use tabiya_model::Board;

use super::super::exit::Exit;
use super::super::interrupt;
use super::super::output::{self, TerminalColors, grouped, printable};
use super::AnalyseArgs;

/// The most plies of a line that are shown.
const SHOWN: usize = 16;

pub(super) fn run(args: &AnalyseArgs) -> Result<Exit> {
    let line = ExploreLine::read(args.fen.as_deref(), args.line.as_deref().unwrap_or(""))?;
    if let Some(what) = line.position_problem() {
        bail!("--fen: {what}");
    }
    let ask = if args.threat {
        LiveQuestion::threat(line.start(), line.moves(), args.lines)
    } else {
        LiveQuestion::best(line.start(), line.moves(), args.lines)
    };
    let mut ask = ask.map_err(|error| anyhow!("{error}"))?;
    if args.limit.is_set() {
        ask = ask.with_limit(&args.limit.go(0));
    }
    let specs = args.engine.specs()?;
    let count = specs.len();
    interrupt::extend_grace_period();
    let control = interrupt::control();
    let (sender, updates) = channel();
    let sender = Mutex::new(sender);
    let live = LiveEngines::start(
        specs,
        EngineTimeouts::default(),
        LiveCache::default(),
        move |update| {
            if let Ok(sender) = sender.lock() {
                let _ = sender.send(update);
            }
        },
    );
    live.show(&ask);
    let mut view = LiveAnalysisView {
        board: ask.board().clone(),
        latest: vec![None; count],
        drawn: 0,
        depths: vec![0; count],
        in_place: std::io::stdout().is_terminal(),
        paint: TerminalColors::of_stdout(),
    };
    while !control.is_stopped() && !view.is_over() {
        match updates.recv_timeout(Duration::from_millis(20)) {
            Ok(update) => view.take(update)?,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    drop(live);
    view.finish()
}

struct LiveAnalysisView {
    board: Board,
    latest: Vec<Option<LiveUpdate>>,
    /// Lines on the screen that are drawn over.
    drawn: usize,
    /// The depth that was printed last, if lines are not drawn over.
    depths: Vec<u32>,
    in_place: bool,
    paint: TerminalColors,
}

impl LiveAnalysisView {
    fn is_over(&self) -> bool {
        self.latest.iter().all(|update| {
            matches!(
                update.as_ref().map(|update| &update.state),
                Some(LiveState::Done | LiveState::Failed(_))
            )
        })
    }

    fn take(&mut self, update: LiveUpdate) -> Result<()> {
        let place = update.engine;
        let is_over = matches!(update.state, LiveState::Done | LiveState::Failed(_));
        let deeper = self
            .depths
            .get(place)
            .is_some_and(|depth| update.depth() > *depth);
        if let Some(slot) = self.latest.get_mut(place) {
            *slot = Some(update);
        }
        if self.in_place {
            return self.draw();
        }
        // Into a file goes each depth once.
        let all_lines = |update: &LiveUpdate| !update.lines.is_empty();
        if let Some(Some(update)) = self.latest.get(place)
            && ((deeper && all_lines(update)) || is_over)
        {
            let text = self.text(update);
            if let Some(depth) = self.depths.get_mut(place) {
                *depth = update.depth();
            }
            let mut out = output::stdout();
            for line in text {
                writeln!(out, "{line}")?;
            }
            out.flush()?;
        }
        Ok(())
    }

    fn draw(&mut self) -> Result<()> {
        let lines: Vec<String> = self
            .latest
            .iter()
            .flatten()
            .flat_map(|update| self.text(update))
            .collect();
        let mut out = output::stdout();
        if self.drawn > 0 {
            write!(out, "{}", own(&format!("\x1b[{}A", self.drawn)))?;
        }
        for line in &lines {
            writeln!(out, "{}{line}", own("\r\x1b[2K"))?;
        }
        // Lines that an earlier picture had and this one has not.
        for _ in lines.len()..self.drawn {
            writeln!(out, "{}", own("\r\x1b[2K"))?;
        }
        self.drawn = self.drawn.max(lines.len());
        out.flush()?;
        Ok(())
    }

    fn text(&self, update: &LiveUpdate) -> Vec<String> {
        let name = printable(&update.name);
        let head = match &update.state {
            LiveState::Starting => format!("{name}: starting"),
            LiveState::Failed(why) => format!("{}", printable(why)),
            LiveState::Searching | LiveState::Done => {
                let known = if update.remembered { ", cached" } else { "" };
                format!(
                    "{name}: depth {}{known}, {} nodes, {} per second",
                    update.depth(),
                    grouped(update.nodes),
                    grouped(update.speed)
                )
            }
        };
        let mut text = vec![self.paint.bold(&head)];
        text.extend(update.lines.iter().map(|info| self.line(info)));
        text
    }

    fn line(&self, info: &EngineLine) -> String {
        let score = info
            .score
            .map_or_else(String::new, |score| score.to_string());
        let chances = info.wdl.map_or_else(String::new, |wdl| {
            format!("{:>4} {:>4} {:>4}  ", wdl.win, wdl.draw, wdl.loss)
        });
        let mut text = String::new();
        let mut board = self.board.clone();
        for (index, m) in info.line.iter().take(SHOWN).enumerate() {
            if board.turn().is_white() {
                text.push_str(&format!("{}. ", board.fullmoves()));
            } else if index == 0 {
                text.push_str(&format!("{}... ", board.fullmoves()));
            }
            let mut san = Vec::new();
            board.play_san(*m, &mut san);
            text.push_str(&String::from_utf8_lossy(&san));
            text.push(' ');
        }
        format!("{score:>8}  {chances}{}", text.trim_end())
    }

    fn finish(&self) -> Result<Exit> {
        let failed = |update: &&LiveUpdate| matches!(update.state, LiveState::Failed(_));
        let failures: Vec<&LiveUpdate> = self.latest.iter().flatten().filter(failed).collect();
        if failures.len() == self.latest.len()
            && let Some(LiveUpdate {
                state: LiveState::Failed(why),
                ..
            }) = failures.first()
        {
            bail!("{}", printable(why));
        }
        Ok(Exit::Success)
    }
}
