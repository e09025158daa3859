//! Times of moves from clocks, and clocks from times of moves.

use std::time::Duration;

use tabiya_model::Game;
use tabiya_model::command::{ClockKind, ClockTime, CommentCommand, commands};
use tabiya_model::tape::{Tape, TapeOp};
use tabiya_model::time_control::{TimeControl, TimeControlStage};

/// What is computed if missing.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum ComputedTimes {
    /// `%emt` from `%clk`.
    Used,
    /// `%clk` from `%emt`; the time control must be known.
    Left,
}

/// The times that a time control gives a player.
struct TimeAllowance<'s> {
    stages: &'s [TimeControlStage],
}

impl TimeAllowance<'_> {
    fn at_start(&self) -> Option<Duration> {
        self.stages.first().and_then(|stage| time(*stage))
    }

    /// What is added behind a player's move of a number, from 1.
    fn behind(&self, number: u32) -> Duration {
        let mut first = 1;
        let mut added = Duration::ZERO;
        for (at, stage) in self.stages.iter().enumerate() {
            let is_last = at + 1 == self.stages.len();
            match *stage {
                TimeControlStage::Moves {
                    moves,
                    increment,
                    time,
                } if moves > 0 => {
                    let last = first + (moves - 1);
                    if is_last || number <= last {
                        // The last stage begins anew and anew.
                        let ends = number >= last && (number - last).is_multiple_of(moves);
                        let next = if is_last {
                            Some(time)
                        } else {
                            self.time_of(at + 1)
                        };
                        added = increment;
                        if ends {
                            added = added.saturating_add(next.unwrap_or_default());
                        }
                        return added;
                    }
                    first = last + 1;
                }
                TimeControlStage::Increment { increment, .. } => return increment,
                _ => return added,
            }
        }
        added
    }

    fn time_of(&self, stage: usize) -> Option<Duration> {
        self.stages.get(stage).and_then(|stage| time(*stage))
    }
}

fn time(stage: TimeControlStage) -> Option<Duration> {
    match stage {
        TimeControlStage::Moves { time, .. }
        | TimeControlStage::SuddenDeath { time }
        | TimeControlStage::Increment { time, .. } => Some(time),
        TimeControlStage::Unknown
        | TimeControlStage::Unlimited
        | TimeControlStage::Sandclock { .. } => None,
    }
}

impl ComputedTimes {
    /// Adds them to the moves of the main line that lack them; says whether there were any.
    pub(super) fn make(self, game: &mut Game) -> bool {
        let control = TimeControl::parse(game.tags.value("TimeControl"));
        let allowance = TimeAllowance {
            stages: control.as_ref().map_or(&[], |control| control.stages()),
        };
        let new = self.of_moves(&game.tape, &allowance);
        if new.iter().all(Option::is_none) {
            return false;
        }
        let old = std::mem::take(&mut game.tape);
        game.tape = with_commands(&old, &new);
        true
    }

    /// The command that each move of the main line gets.
    fn of_moves(self, tape: &Tape, allowance: &TimeAllowance<'_>) -> Vec<Option<CommentCommand>> {
        let said = said(tape);
        let mut left = [allowance.at_start(); 2];
        said.iter()
            .zip(0_u32..)
            .map(|((clock, used), ply)| {
                let added = allowance.behind(ply / 2 + 1);
                let left = left.get_mut((ply % 2) as usize)?;
                let before = *left;
                match self {
                    ComputedTimes::Used => {
                        *left = *clock;
                        if used.is_some() {
                            return None;
                        }
                        let (before, clock) = (before?, (*clock)?);
                        // A clock that has not begun to run shows the whole time.
                        let used = if ply < 2 && clock == before {
                            Duration::ZERO
                        } else {
                            before.checked_add(added)?.checked_sub(clock)?
                        };
                        Some(command(ClockKind::MoveTime, used))
                    }
                    ComputedTimes::Left => {
                        let after = match (clock, before, used) {
                            (Some(clock), ..) => Some(*clock),
                            (None, Some(before), Some(used)) => before
                                .checked_sub(*used)
                                .and_then(|rest| rest.checked_add(added)),
                            _ => None,
                        };
                        *left = after;
                        match clock {
                            Some(_) => None,
                            None => after.map(|after| command(ClockKind::Remaining, after)),
                        }
                    }
                }
            })
            .collect()
    }
}

fn command(kind: ClockKind, amount: Duration) -> CommentCommand {
    CommentCommand::Clock(
        kind,
        ClockTime {
            negative: false,
            amount,
        },
    )
}

/// The clock and the time that stand behind each move of the main line.
fn said(tape: &Tape) -> Vec<(Option<Duration>, Option<Duration>)> {
    let mut said: Vec<(Option<Duration>, Option<Duration>)> = Vec::new();
    let mut at = 0;
    while let Some(op) = tape.get(at) {
        match op {
            TapeOp::Begin(_) => {
                at = tape.skip(at);
                continue;
            }
            TapeOp::Move(_) => said.push((None, None)),
            TapeOp::Comment(id) => {
                if let Some((clock, used)) = said.last_mut() {
                    for command in commands(tape.text(id)) {
                        match command {
                            CommentCommand::Clock(ClockKind::Remaining, time) if !time.negative => {
                                *clock = Some(time.amount);
                            }
                            CommentCommand::Clock(ClockKind::MoveTime, time) if !time.negative => {
                                *used = Some(time.amount);
                            }
                            _ => {}
                        }
                    }
                }
            }
            _ => {}
        }
        at += 1;
    }
    said
}

/// A tape with a command behind moves of its main line: in their first comment, else in one of its own.
fn with_commands(old: &Tape, new: &[Option<CommentCommand>]) -> Tape {
    let mut tape = Tape::default();
    let mut new = new.iter();
    let mut waiting: Option<&CommentCommand> = None;
    let mut depth = 0_usize;
    for op in old.ops() {
        match (op, waiting) {
            (TapeOp::Comment(id), Some(command)) if depth == 0 => {
                waiting = None;
                tape.push_comment(&format!("{} {command}", old.text(id)));
                continue;
            }
            (TapeOp::Nag(_), _) | (_, None) => {}
            (_, Some(command)) => {
                waiting = None;
                tape.push_comment(&command.to_string());
            }
        }
        match op {
            TapeOp::Begin(_) => depth += 1,
            TapeOp::End => depth = depth.saturating_sub(1),
            _ => {}
        }
        tape.push_from(old, op);
        if depth == 0 && matches!(op, TapeOp::Move(_)) {
            waiting = new.next().and_then(Option::as_ref);
        }
    }
    if let Some(command) = waiting {
        tape.push_comment(&command.to_string());
    }
    tape
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(control: &str, comments: &[&str]) -> Game {
        let mut game = Game::default();
        game.tags.push("TimeControl", control);
        let mut board = game.start_board();
        let moves = ["e2e4", "e7e5", "g1f3", "b8c6"];
        for (uci, comment) in moves.iter().zip(comments) {
            let m = board.parse_uci(uci.as_bytes()).expect("legal");
            board.play(m);
            game.tape.push_move(m);
            if !comment.is_empty() {
                game.tape.push_comment(comment);
            }
        }
        game
    }

    fn comments(game: &Game) -> Vec<String> {
        let ops = game.tape.ops();
        ops.filter_map(|op| match op {
            TapeOp::Comment(id) => Some(game.tape.text(id).to_owned()),
            _ => None,
        })
        .collect()
    }

    #[test]
    fn times_follow_from_clocks_and_clocks_from_times() {
        let clocks = [
            "[%clk 0:03:00]",
            "[%clk 0:03:00]",
            "[%clk 0:02:55] good",
            "[%clk 0:03:01]",
        ];
        let mut used = game("180+2", &clocks);
        assert!(ComputedTimes::Used.make(&mut used));
        assert_eq!(
            comments(&used),
            [
                "[%clk 0:03:00] [%emt 0:00:00]",
                "[%clk 0:03:00] [%emt 0:00:00]",
                "[%clk 0:02:55] good [%emt 0:00:07]",
                "[%clk 0:03:01] [%emt 0:00:01]"
            ]
        );
        assert!(!ComputedTimes::Used.make(&mut used));
        let mut left = game(
            "180+2",
            &["[%emt 0:00:02]", "[%emt 0:00:02]", "[%emt 0:00:07]", ""],
        );
        assert!(ComputedTimes::Left.make(&mut left));
        assert_eq!(
            comments(&left),
            [
                "[%emt 0:00:02] [%clk 0:03:00]",
                "[%emt 0:00:02] [%clk 0:03:00]",
                "[%emt 0:00:07] [%clk 0:02:55]"
            ]
        );
    }

    #[test]
    fn stages_add_their_time_behind_their_last_move() {
        let control = TimeControl::parse("40/7200:20/3600:900+30").expect("a control");
        let allowance = TimeAllowance {
            stages: control.stages(),
        };
        let at = |number| allowance.behind(number).as_secs();
        assert_eq!(
            [at(39), at(40), at(41), at(60), at(61)],
            [0, 3600, 0, 900, 30]
        );
        let control = TimeControl::parse("40/7200").expect("a control");
        let allowance = TimeAllowance {
            stages: control.stages(),
        };
        let at = |number| allowance.behind(number).as_secs();
        assert_eq!([at(1), at(40), at(79), at(80)], [0, 7200, 0, 7200]);
    }
}
