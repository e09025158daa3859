//! Annotations as PGN says them: NAGs, and commands in comments.

use std::fmt::Write;

use tabiya_model::board::Board;
use tabiya_model::nag::Nag;

use super::annotations::{CbhAnnotation, CbhEvaluation, CbhQuotation, CbhTimeControlStage};
use super::layout::{CbhStartRecord, outcome};
use super::tables;

/// The letters of colours; the meaning of the other numbers is not known.
fn colour_letter(colour: u8) -> Option<char> {
    match colour {
        2 => Some('G'),
        3 => Some('Y'),
        4 => Some('R'),
        _ => None,
    }
}

/// Hours, minutes and seconds, with hundredths where there are any.
fn clock_text(hundredths: u64, out: &mut String) {
    let seconds = hundredths / 100;
    // Writing to a string cannot fail.
    let _ = write!(
        out,
        "{}:{:02}:{:02}",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    );
    if !hundredths.is_multiple_of(100) {
        let _ = write!(out, ".{:02}", hundredths % 100);
    }
}

/// 1/100 seconds as seconds.
fn seconds_text(hundredths: u32) -> String {
    match hundredths % 100 {
        0 => (hundredths / 100).to_string(),
        rest => format!("{}.{rest:02}", hundredths / 100),
    }
}

/// Whether a command tells an evaluation or a time: most PGN has a space around these, and nothing between squares and arrows.
fn is_apart(command: &str) -> bool {
    ["[%eval ", "[%emt ", "[%clk ", "[%wclk ", "[%bclk "]
        .iter()
        .any(|name| command.starts_with(name))
}

/// What stands for no value, and for a mate, in a list of evaluations.
const NO_VALUE: i32 = 32_767;
const MATE: i32 = 30_000;

impl CbhAnnotation<'_> {
    /// The NAGs of symbols.
    pub fn nags(&self) -> impl Iterator<Item = Nag> + '_ {
        let bytes = match self {
            CbhAnnotation::Symbols(bytes) => bytes,
            _ => &[][..],
        };
        bytes
            .iter()
            .filter(|byte| **byte != 0)
            .map(|byte| Nag(u32::from(*byte)))
    }

    /// Appends the note as a command for comments, after those that are there; true if nothing is missing. Texts, symbols,
    /// training questions, quotations and links are not commands. `is_white` is whether White made the move.
    pub fn command(&self, is_white: bool, out: &mut String) -> bool {
        let before = out.len();
        let all = self.say(is_white, out);
        let (others, own) = out.split_at_checked(before).unwrap_or((out, ""));
        let last = others.rfind("[%").and_then(|at| others.get(at..));
        let has_both = !own.is_empty() && last.is_some();
        if has_both && (is_apart(own) || last.is_some_and(is_apart)) {
            out.insert(before, ' ');
        }
        all
    }

    fn say(&self, is_white: bool, out: &mut String) -> bool {
        let mut all = true;
        // Writing to a string cannot fail.
        let _ = match self {
            CbhAnnotation::Text(_)
            | CbhAnnotation::Symbols(_)
            | CbhAnnotation::Training(_)
            | CbhAnnotation::Quotation(_)
            | CbhAnnotation::Link { .. } => return false,
            CbhAnnotation::Squares(squares) => {
                let known = squares.iter().filter_map(|(colour, square)| {
                    Some(format!("{}{square}", colour_letter(*colour)?))
                });
                let known: Vec<String> = known.collect();
                all = known.len() == squares.len();
                push_list("csl", &known, out);
                Ok(())
            }
            CbhAnnotation::Arrows(arrows) => {
                let known = arrows.iter().filter_map(|(colour, from, to)| {
                    Some(format!("{}{from}{to}", colour_letter(*colour)?))
                });
                let known: Vec<String> = known.collect();
                all = known.len() == arrows.len();
                push_list("cal", &known, out);
                Ok(())
            }
            CbhAnnotation::TimeSpent([hours, minutes, seconds, hundredths]) => {
                // Parts beyond the next larger one cannot be said in this way.
                all = *minutes < 60 && *seconds < 60 && *hundredths < 100;
                if all {
                    let seconds =
                        (u64::from(*hours) * 60 + u64::from(*minutes)) * 60 + u64::from(*seconds);
                    out.push_str("[%emt ");
                    clock_text(seconds * 100 + u64::from(*hundredths), out);
                    out.push(']');
                }
                Ok(())
            }
            CbhAnnotation::PawnStructure(number) => write!(out, "[%pawnstructure {number}]"),
            CbhAnnotation::PiecePath(number, square) => {
                write!(out, "[%piecepath {number},{square}]")
            }
            CbhAnnotation::Clock {
                is_white: whose,
                hundredths,
            } => {
                out.push_str(match (whose, is_white) {
                    (true, true) | (false, false) => "[%clk ",
                    (true, false) => "[%wclk ",
                    (false, true) => "[%bclk ",
                });
                clock_text(u64::from(*hundredths), out);
                out.push(']');
                Ok(())
            }
            CbhAnnotation::Critical(phase) => {
                let phase = match phase {
                    1 => "opening",
                    2 => "middlegame",
                    3 => "endgame",
                    _ => "none",
                };
                write!(out, "[%critical {phase}]")
            }
            CbhAnnotation::Evaluation { value, kind, depth } => {
                let (sign, amount) = (if *value < 0 { "-" } else { "" }, value.unsigned_abs());
                let value = match kind {
                    0 => format!("{sign}{}.{:02}", amount / 100, amount % 100),
                    1 => format!("#{value}"),
                    _ => return false,
                };
                match u16::try_from(*depth) {
                    // Nobody searches to depth 0: it is not known.
                    Ok(0) => write!(out, "[%eval {value}]"),
                    Ok(depth) => write!(out, "[%eval {value},{depth}]"),
                    Err(_) => return false,
                }
            }
            CbhAnnotation::Medals(bits) => write!(out, "[%mdl {bits}]"),
            CbhAnnotation::VariationColour {
                flags,
                colour: [red, green, blue],
            } => write!(
                out,
                "[%variationcolour #{red:02x}{green:02x}{blue:02x},{flags}]"
            ),
            CbhAnnotation::TimeControl(stages) => {
                time_control(stages, out);
                Ok(())
            }
            CbhAnnotation::StreamTime(time) => write!(out, "[%videotime {time}]"),
            CbhAnnotation::Profile(values) => {
                all = profile(values, out);
                Ok(())
            }
        };
        all
    }
}

fn time_control(stages: &[CbhTimeControlStage; 3], out: &mut String) {
    // Writing to a string cannot fail.
    out.push_str("[%timecontrol ");
    for (stage, number) in stages.iter().zip(0..) {
        if number > 0 {
            out.push(':');
        }
        if stage.moves != 1000 {
            let _ = write!(out, "{}/", stage.moves);
        }
        out.push_str(&seconds_text(stage.start));
        if stage.increment != 0 {
            let _ = write!(out, "+{}", seconds_text(stage.increment));
        }
    }
    let [a, b, c] = stages.map(|stage| stage.kind);
    let _ = write!(out, " {a},{b},{c}]");
}

fn push_list(name: &str, entries: &[String], out: &mut String) {
    if !entries.is_empty() {
        // Writing to a string cannot fail.
        let _ = write!(out, "[%{name} {}]", entries.join(","));
    }
}

/// The list of evaluations in the program's own words, and a second one of depths where there are any.
fn profile(values: &[CbhEvaluation], out: &mut String) -> bool {
    let mut all = true;
    let _ = write!(out, "[%evp 0,{}", values.len().saturating_sub(1));
    for evaluation in values {
        let value = i32::from(evaluation.value);
        let shown = match evaluation.flag {
            0 if value.abs() < MATE / 2 => value,
            1 if value < 0 => -(MATE + value),
            1 => MATE - value,
            255 => {
                all &= value == 0;
                NO_VALUE
            }
            _ => {
                all = false;
                NO_VALUE
            }
        };
        let _ = write!(out, ",{shown}");
    }
    out.push(']');
    if values.iter().any(|evaluation| evaluation.depth != 0) {
        out.push_str("[%evpdepth ");
        for (evaluation, number) in values.iter().zip(0..) {
            let comma = if number > 0 { "," } else { "" };
            let _ = write!(out, "{comma}{}", evaluation.depth);
        }
        out.push(']');
    }
    all
}

impl CbhQuotation<'_> {
    /// The quoted game as a line of text; `decode` reads its names.
    pub fn line(&self, decode: impl Fn(&[u8]) -> String) -> String {
        let [white, black, event, site] = self.names.map(decode);
        let mut line = String::new();
        for (name, rating, follows) in [
            (white, self.ratings[0], " - "),
            (black, self.ratings[1], ", "),
        ] {
            line.push_str(if name.is_empty() { "?" } else { &name });
            if rating != 0 {
                let _ = write!(line, " ({rating})");
            }
            line.push_str(follows);
        }
        let (known, own) = outcome(self.result);
        line.push_str(own.unwrap_or(known.as_pgn()));
        for part in [event, site] {
            if !part.is_empty() {
                let _ = write!(line, ", {part}");
            }
        }
        if self.round != [0, 0] {
            let _ = write!(line, " ({})", round_text(self.round));
        }
        if !self.date.is_unknown() {
            let _ = write!(line, " {}", self.date.date());
        }
        line
    }

    /// Its custom starting position, if it has a readable one.
    pub fn start_board(&self) -> Option<Board> {
        let start = CbhStartRecord::decode(&self.start?)?;
        Some(Board::from_setup(&start.setup()).0)
    }
}

/// A round with the part after its point.
pub fn round_text([major, minor]: [u8; 2]) -> String {
    match (major, minor) {
        (0, 0) => "?".to_owned(),
        (major, 0) => major.to_string(),
        (0, minor) => format!("?.{minor}"),
        (major, minor) => format!("{major}.{minor}"),
    }
}

/// The mark of a text's language; empty for any language.
pub fn language_mark(nation: u8) -> String {
    match (nation, tables::language(nation)) {
        (0, _) => String::new(),
        (_, Some(letters)) => format!("[%lang {letters}] "),
        (number, None) => format!("[%lang {number}] "),
    }
}

#[cfg(test)]
mod tests {
    use super::super::annotations::CbhAnnotationItem;

    fn said(kind: u8, payload: &[u8]) -> Option<String> {
        let item = CbhAnnotationItem {
            place: 0,
            kind,
            payload,
        };
        let mut out = String::new();
        let all = item.note()?.command(true, &mut out);
        Some(if all { out } else { format!("{out} and more") })
    }

    #[test]
    fn evaluations_and_times_stand_apart() {
        let mut out = String::new();
        for (kind, payload) in [
            (0x04, &[2, 1][..]),
            (0x05, &[3, 1, 64]),
            (0x21, &[17, 0, 0, 0, 0, 0]),
            (0x16, &[0, 0, 0x17, 0x70]),
            (0x22, &[0, 0, 0, 5]),
        ] {
            let item = CbhAnnotationItem {
                place: 0,
                kind,
                payload,
            };
            assert!(item.note().expect("a note").command(true, &mut out));
        }
        assert_eq!(
            out,
            "[%csl Ga1][%cal Ya1h8] [%eval 0.17] [%clk 0:01:00] [%mdl 5]"
        );
    }

    #[test]
    fn notes_as_commands() {
        let say = |kind, payload: &[u8]| said(kind, payload).expect("a note");
        assert_eq!(say(0x04, &[2, 1, 4, 64]), "[%csl Ga1,Rh8]");
        assert_eq!(say(0x04, &[7, 1, 4, 64]), "[%csl Rh8] and more");
        assert_eq!(say(0x05, &[3, 1, 64]), "[%cal Ya1h8]");
        assert_eq!(say(0x07, &[1, 2, 3, 0]), "[%emt 1:02:03]");
        assert_eq!(say(0x07, &[0, 0, 2, 96]), "[%emt 0:00:02.96]");
        assert_eq!(say(0x07, &[0, 0, 2, 100]), " and more");
        assert_eq!(say(0x15, &[3, 10]), "[%piecepath 3,b2]");
        assert_eq!(say(0x16, &[0, 0, 0x17, 0x70]), "[%clk 0:01:00]");
        assert_eq!(say(0x17, &[0, 0, 0x17, 0x71]), "[%bclk 0:01:00.01]");
        assert_eq!(say(0x18, &[2]), "[%critical middlegame]");
        assert_eq!(say(0x21, &[0xe2, 0xff, 0, 0, 20, 0]), "[%eval -0.30,20]");
        assert_eq!(say(0x21, &[3, 0, 1, 0, 20, 0]), "[%eval #3,20]");
        assert_eq!(say(0x21, &[17, 0, 0, 0, 0, 0]), "[%eval 0.17]");
        assert_eq!(say(0x22, &[0, 0, 0, 5]), "[%mdl 5]");
        assert_eq!(
            say(0x23, &[1, 0xff, 0x80, 0]),
            "[%variationcolour #0080ff,1]"
        );
        let stage = |start: u32, increment: u32, moves: u16| {
            let mut bytes = start.to_be_bytes().to_vec();
            bytes.extend_from_slice(&increment.to_be_bytes());
            bytes.extend_from_slice(&moves.to_be_bytes());
            bytes.push(1);
            bytes
        };
        let control = [
            stage(720_000, 0, 40),
            stage(360_000, 0, 20),
            stage(90_000, 3_050, 1000),
        ];
        assert_eq!(
            say(0x24, &control.concat()),
            "[%timecontrol 40/7200:20/3600:900+30.50 1,1,1]"
        );
        let values = [
            0, 4, 0, 12, 0, 30, 1, 12, 0xff, 0xfb, 0xff, 0, 0, 0, 0, 0, 0, 7,
        ];
        assert_eq!(
            say(0x26, &values),
            "[%evp 0,3,30,-29995,32767,7][%evpdepth 12,12,0,0]"
        );
        // The length has to fit, and a square has to be one.
        assert_eq!(said(0x26, &[0, 2, 0, 0, 0, 0]), None);
        assert_eq!(said(0x04, &[2, 65]), None);
        assert_eq!(said(0x04, &[2]), None);
        assert_eq!(said(0x08, &[]), None);
    }
}
