//! Commands inside comments: clocks, evaluations, coloured squares and arrows.
//!
//! A command is `[%name arguments]`. A comment is cut into [`Piece`]s that together are the whole
//! comment, byte for byte; only [`Piece::command`] interprets, so nothing is lost by looking.

use std::fmt;
use std::ops::Range;
use std::time::Duration;

use shakmaty::Square;

/// A run of a comment: plain text or one command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Plain text.
    Text {
        /// The text.
        text: &'a str,
        /// Where it begins in the comment, in bytes.
        at: usize,
    },
    /// A command with its brackets.
    Command {
        /// The whole command, from `[%` to `]`.
        text: &'a str,
        /// Where it begins in the comment, in bytes.
        at: usize,
        /// The name after the percent sign.
        name: &'a str,
        /// What follows the name, without the space between them.
        args: &'a str,
    },
}

impl<'a> Piece<'a> {
    /// The piece as it stands in the comment.
    #[must_use]
    pub fn text(&self) -> &'a str {
        match self {
            Self::Text { text, .. } | Self::Command { text, .. } => text,
        }
    }

    /// Where the piece stands in the comment, in bytes.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        match self {
            Self::Text { text, at } | Self::Command { text, at, .. } => *at..*at + text.len(),
        }
    }

    /// The meaning of a command; `None` for plain text.
    #[must_use]
    pub fn command(&self) -> Option<Command> {
        match self {
            Self::Text { .. } => None,
            Self::Command { name, args, .. } => Some(Command::new(name, args)),
        }
    }
}

/// Cuts a comment into text and commands.
#[must_use]
pub fn pieces(comment: &str) -> Pieces<'_> {
    Pieces { comment, at: 0 }
}

/// The commands of a comment, without the text around them.
pub fn commands(comment: &str) -> impl Iterator<Item = Command> + '_ {
    pieces(comment).filter_map(|piece| piece.command())
}

/// The text of a comment without its commands, with the spaces around them joined to one.
#[must_use]
pub fn plain_text(comment: &str) -> String {
    let mut plain = String::with_capacity(comment.len());
    for piece in pieces(comment) {
        let Piece::Text { mut text, .. } = piece else {
            continue;
        };
        if plain.is_empty() || plain.ends_with(char::is_whitespace) {
            text = text.trim_start();
        }
        plain.push_str(text);
    }
    plain.truncate(plain.trim_end().len());
    plain
}

/// Iterates over the pieces of a comment.
#[derive(Debug, Clone)]
pub struct Pieces<'a> {
    comment: &'a str,
    at: usize,
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        let rest = self
            .comment
            .get(self.at..)
            .filter(|rest| !rest.is_empty())?;
        let at = self.at;
        let mut searched = 0;
        // Text runs up to the next bracket that really opens a command.
        while let Some(found) = rest.get(searched..).and_then(|tail| tail.find("[%")) {
            let start = searched + found;
            let candidate = rest.get(start..).unwrap_or_default();
            if let Some((length, name, args)) = scan(candidate) {
                if start > 0 {
                    self.at += start;
                    return Some(Piece::Text {
                        text: rest.get(..start)?,
                        at,
                    });
                }
                self.at += length;
                return Some(Piece::Command {
                    text: rest.get(..length)?,
                    at,
                    name,
                    args,
                });
            }
            searched = start + 2;
        }
        self.at = self.comment.len();
        Some(Piece::Text { text: rest, at })
    }
}

/// Reads the command at the start of a text: its length, name and arguments.
///
/// A closing bracket inside quotes does not end a command, unless nothing else does before the
/// next one opens. The search stops where a command opens outside quotes; of the places that a
/// search passes over, each lies an even number of quotes from the next, so that a search from
/// one of them stops at the next, and all searches together take linear time.
fn scan(text: &str) -> Option<(usize, &str, &str)> {
    let body = text.strip_prefix("[%")?;
    let name_length = body
        .bytes()
        .take_while(|b| b.is_ascii_alphanumeric() || *b == b'_')
        .count();
    if name_length == 0 {
        return None;
    }
    let (name, tail) = body.split_at_checked(name_length)?;
    let bytes = tail.as_bytes();
    let mut quoted = false;
    let mut end = None;
    for (i, &byte) in bytes.iter().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            b']' if quoted => end = end.or(Some(i)),
            b']' => {
                end = Some(i);
                break;
            }
            b'[' if !quoted && bytes.get(i + 1) == Some(&b'%') => break,
            _ => {}
        }
    }
    let end = end?;
    let args = tail.get(..end)?;
    // A name is followed by white space or, in a few programs, by nothing.
    if !args.is_empty() && !args.starts_with(char::is_whitespace) {
        return None;
    }
    Some((2 + name_length + end + 1, name, args.trim()))
}

/// What a command says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// A time: what is left on a clock, or what was used.
    Clock(ClockKind, ClockTime),
    /// `[%eval 0.35,18]`: an evaluation, seen from White, and the depth it was reached at.
    Eval(Score, Option<u32>),
    /// `[%csl Gd4,Re5]`: coloured squares.
    Squares(Vec<(Colour, Square)>),
    /// `[%cal Ge2e4]`: coloured arrows.
    Arrows(Vec<(Colour, Square, Square)>),
    /// `[%draw arrow,e2,e4,green]`: a mark of Scid.
    Draw(Mark),
    /// `[%mdl 64]`: the medals of ChessBase, one per bit.
    Medals(u32),
    /// `[%tqu ...]`: a training question of ChessBase, its fields without their quotes.
    Training(Vec<String>),
    /// Anything else, or a known name with arguments that make no sense.
    Other {
        /// The name.
        name: String,
        /// The arguments as they stand.
        args: String,
    },
}

/// Which time a clock command gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ClockKind {
    /// `clk`: left on the clock of the player who moved.
    Remaining,
    /// `emt`: used for the move.
    MoveTime,
    /// `egt`: used for the game.
    GameTime,
    /// `mct`: shown by a mechanical clock.
    Mechanical,
}

const CLOCKS: [(ClockKind, &str); 4] = [
    (ClockKind::Remaining, "clk"),
    (ClockKind::MoveTime, "emt"),
    (ClockKind::GameTime, "egt"),
    (ClockKind::Mechanical, "mct"),
];

/// A time on a clock; it can be negative where a flag was overlooked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ClockTime {
    /// Whether the time is below zero.
    pub negative: bool,
    /// The amount.
    pub amount: Duration,
}

/// An evaluation, seen from White.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Score {
    /// Hundredths of a pawn.
    Centipawns(i32),
    /// Mate in so many moves; negative if White is mated.
    Mate(i32),
}

/// The colour of a mark.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)] // The names say it all.
pub enum Colour {
    Green,
    #[default]
    Red,
    Yellow,
    Blue,
    Orange,
    Purple,
    Pink,
    Cyan,
    White,
    Black,
    Gray,
}

/// Each colour with its letter in `csl` and `cal` and its name in Scid.
const COLOURS: [(Colour, u8, &str); 11] = [
    (Colour::Green, b'G', "green"),
    (Colour::Red, b'R', "red"),
    (Colour::Yellow, b'Y', "yellow"),
    (Colour::Blue, b'B', "blue"),
    (Colour::Orange, b'O', "orange"),
    (Colour::Purple, b'P', "purple"),
    (Colour::Pink, b'M', "pink"),
    (Colour::Cyan, b'C', "cyan"),
    (Colour::White, b'W', "white"),
    (Colour::Black, b'K', "black"),
    (Colour::Gray, b'A', "gray"),
];

impl Colour {
    /// The letter used in `csl` and `cal`.
    #[must_use]
    pub fn letter(self) -> char {
        COLOURS
            .iter()
            .find(|(colour, ..)| *colour == self)
            .map_or('R', |&(_, letter, _)| char::from(letter))
    }

    /// The name used by Scid.
    #[must_use]
    pub fn name(self) -> &'static str {
        COLOURS
            .iter()
            .find(|(colour, ..)| *colour == self)
            .map_or("red", |&(_, _, name)| name)
    }

    /// The colour of a letter.
    #[must_use]
    pub fn from_letter(letter: char) -> Option<Self> {
        let wanted = u8::try_from(letter.to_ascii_uppercase()).ok()?;
        COLOURS
            .iter()
            .find(|&&(_, known, _)| known == wanted)
            .map(|&(colour, ..)| colour)
    }

    /// The colour of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        if name.eq_ignore_ascii_case("grey") {
            return Some(Self::Gray);
        }
        COLOURS
            .iter()
            .find(|(.., known)| known.eq_ignore_ascii_case(name))
            .map(|&(colour, ..)| colour)
    }

    /// Whether every program that reads `csl` and `cal` knows the colour.
    #[must_use]
    pub fn is_common(self) -> bool {
        matches!(self, Self::Green | Self::Red | Self::Yellow | Self::Blue)
    }
}

/// A mark on the board.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Mark {
    /// An arrow between two squares.
    Arrow {
        /// Where it begins.
        from: Square,
        /// Where it points.
        to: Square,
        /// Its colour.
        colour: Colour,
    },
    /// A mark on one square.
    Square {
        /// The square.
        square: Square,
        /// Its form.
        shape: Shape,
        /// Its colour.
        colour: Colour,
    },
}

/// The form of a mark on one square.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Shape {
    /// The whole square is coloured, which is all that `csl` can say.
    Full,
    /// Another form of Scid: `circle`, `disk`, `square`, a sign such as `+`, a letter or a digit.
    Named(String),
}

impl Command {
    /// Interprets a name and its arguments; what cannot be interpreted is kept as it stands.
    #[must_use]
    pub fn new(name: &str, args: &str) -> Self {
        let known = match name {
            "eval" => eval(args),
            "csl" => list(args, coloured_square).map(Self::Squares),
            "cal" => list(args, coloured_arrow).map(Self::Arrows),
            "draw" => draw(args).map(Self::Draw),
            "mark" | "arrow" => old_mark(name, args).map(Self::Draw),
            "mdl" => args.parse().ok().map(Self::Medals),
            "tqu" => fields(args).map(Self::Training),
            _ => CLOCKS
                .iter()
                .find(|(_, known)| *known == name)
                .and_then(|&(kind, _)| Some(Self::Clock(kind, ClockTime::parse(args)?))),
        };
        known.unwrap_or_else(|| Self::Other {
            name: name.to_owned(),
            args: args.to_owned(),
        })
    }

    /// The marks that a command puts on the board, in order.
    #[must_use]
    pub fn marks(&self) -> Vec<Mark> {
        match self {
            Self::Squares(squares) => squares
                .iter()
                .map(|&(colour, square)| Mark::Square {
                    square,
                    shape: Shape::Full,
                    colour,
                })
                .collect(),
            Self::Arrows(arrows) => arrows
                .iter()
                .map(|&(colour, from, to)| Mark::Arrow { from, to, colour })
                .collect(),
            Self::Draw(mark) => vec![mark.clone()],
            _ => Vec::new(),
        }
    }
}

/// Says marks in the way of Lichess and ChessBase: at most one `csl` and one `cal`.
///
/// The number counts the marks whose shape had to become a full square.
#[must_use]
pub fn marks_to_lichess(marks: &[Mark]) -> (Vec<Command>, usize) {
    let (mut squares, mut arrows, mut reshaped) = (Vec::new(), Vec::new(), 0);
    for mark in marks {
        match mark {
            Mark::Arrow { from, to, colour } => arrows.push((*colour, *from, *to)),
            Mark::Square {
                square,
                shape,
                colour,
            } => {
                reshaped += usize::from(*shape != Shape::Full);
                squares.push((*colour, *square));
            }
        }
    }
    let mut commands = Vec::new();
    if !squares.is_empty() {
        commands.push(Command::Squares(squares));
    }
    if !arrows.is_empty() {
        commands.push(Command::Arrows(arrows));
    }
    (commands, reshaped)
}

/// Says marks in the way of Scid: one `draw` for each; nothing is lost.
#[must_use]
pub fn marks_to_scid(marks: &[Mark]) -> Vec<Command> {
    marks.iter().cloned().map(Command::Draw).collect()
}

impl ClockTime {
    /// Reads `H:MM:SS`, `MM:SS` or seconds, with decimals and perhaps a minus sign.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let number = |s: &str| -> Option<u64> {
            (!s.is_empty() && s.len() <= 9 && s.bytes().all(|b| b.is_ascii_digit()))
                .then(|| s.parse().ok())?
        };
        let mut seconds = 0u64;
        let mut count = 0;
        for part in whole.split(':') {
            count += 1;
            if count > 3 {
                return None;
            }
            seconds = seconds.checked_mul(60)?.checked_add(number(part)?)?;
        }
        let digits = u32::try_from(fraction.len()).ok()?;
        let nanos = number(fraction)?.checked_mul(10u64.checked_pow(9u32.checked_sub(digits)?)?)?;
        Some(Self {
            negative,
            amount: Duration::new(seconds, u32::try_from(nanos).ok()?),
        })
    }
}

impl fmt::Display for ClockTime {
    /// Writes `H:MM:SS`, with as many decimals as are needed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.amount.as_secs();
        let sign = if self.negative { "-" } else { "" };
        write!(
            f,
            "{sign}{}:{:02}:{:02}",
            seconds / 3600,
            seconds / 60 % 60,
            seconds % 60
        )?;
        if self.amount.subsec_nanos() == 0 {
            return Ok(());
        }
        let decimals = format!("{:09}", self.amount.subsec_nanos());
        write!(f, ".{}", decimals.trim_end_matches('0'))
    }
}

/// Reads `0.35`, `-1.2,18`, `#-3` or `#5,20`.
fn eval(args: &str) -> Option<Command> {
    let (score, depth) = match args.split_once(',') {
        Some((score, depth)) => (score.trim(), Some(depth.trim().parse().ok()?)),
        None => (args, None),
    };
    if let Some(mate) = score.strip_prefix('#') {
        return Some(Command::Eval(Score::Mate(mate.parse().ok()?), depth));
    }
    let (negative, digits) = match score.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, score.strip_prefix('+').unwrap_or(score)),
    };
    let (pawns, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let is_number = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    // More than hundredths cannot be held: such an evaluation stays text.
    if !is_number(pawns) || !is_number(fraction) || fraction.len() > 2 {
        return None;
    }
    let hundredths = fraction.parse::<i32>().ok()? * if fraction.len() == 1 { 10 } else { 1 };
    let value = pawns
        .parse::<i32>()
        .ok()?
        .checked_mul(100)?
        .checked_add(hundredths)?;
    Some(Command::Eval(
        Score::Centipawns(if negative { -value } else { value }),
        depth,
    ))
}

/// Reads a list with commas; one bad entry spoils it, for a part of a list would lose the rest.
fn list<T>(args: &str, read: impl Fn(&str) -> Option<T>) -> Option<Vec<T>> {
    args.split(',').map(|entry| read(entry.trim())).collect()
}

fn square(text: &str) -> Option<Square> {
    Square::from_ascii(text.as_bytes()).ok()
}

fn coloured_square(entry: &str) -> Option<(Colour, Square)> {
    let colour = Colour::from_letter(entry.chars().next()?)?;
    Some((colour, square(entry.get(1..)?)?))
}

fn coloured_arrow(entry: &str) -> Option<(Colour, Square, Square)> {
    let colour = Colour::from_letter(entry.chars().next()?)?;
    Some((colour, square(entry.get(1..3)?)?, square(entry.get(3..)?)?))
}

/// Reads `arrow,e2,e4,green` or `full,e4,red`; the colour may be missing.
fn draw(args: &str) -> Option<Mark> {
    let parts: Vec<&str> = args.splitn(5, ',').map(str::trim).collect();
    match *parts.as_slice() {
        ["arrow", from, to] => arrow(from, to, ""),
        ["arrow", from, to, colour] => arrow(from, to, colour),
        [shape, at] => on_square(shape, at, ""),
        [shape, at, colour] => on_square(shape, at, colour),
        _ => None,
    }
}

/// Reads the older `[%mark e4 red]` and `[%arrow e2 e4 red]`, with spaces or commas.
fn old_mark(name: &str, args: &str) -> Option<Mark> {
    let parts: Vec<&str> = args
        .split(|c: char| c == ',' || c.is_whitespace())
        .filter(|part| !part.is_empty())
        .take(4)
        .collect();
    match (name, parts.as_slice()) {
        ("arrow", [from, to]) => arrow(from, to, ""),
        ("arrow", [from, to, colour]) => arrow(from, to, colour),
        ("mark", [at]) => on_square("full", at, ""),
        ("mark", [at, colour]) => on_square("full", at, colour),
        ("mark", [at, shape, colour]) => on_square(shape, at, colour),
        _ => None,
    }
}

/// The colour of a name; Scid's own is red where none is given.
fn colour(name: &str) -> Option<Colour> {
    if name.is_empty() {
        Some(Colour::default())
    } else {
        Colour::from_name(name)
    }
}

fn arrow(from: &str, to: &str, name: &str) -> Option<Mark> {
    Some(Mark::Arrow {
        from: square(from)?,
        to: square(to)?,
        colour: colour(name)?,
    })
}

fn on_square(shape: &str, at: &str, name: &str) -> Option<Mark> {
    if shape.is_empty() || shape == "arrow" {
        return None;
    }
    let shape = if shape == "full" {
        Shape::Full
    } else {
        Shape::Named(shape.to_owned())
    };
    Some(Mark::Square {
        square: square(at)?,
        shape,
        colour: colour(name)?,
    })
}

/// Reads fields with commas, each bare or in quotes; a quote is doubled by nobody and ends a field.
fn fields(args: &str) -> Option<Vec<String>> {
    let mut fields = Vec::new();
    let mut rest = args.trim();
    loop {
        let after = if let Some(quoted) = rest.strip_prefix('"') {
            let (field, after) = quoted.split_once('"')?;
            fields.push(field.to_owned());
            after.trim_start()
        } else {
            let end = rest.find(',').unwrap_or(rest.len());
            let (field, after) = rest.split_at_checked(end)?;
            if field.contains('"') {
                return None;
            }
            fields.push(field.trim_end().to_owned());
            after
        };
        if after.is_empty() {
            return Some(fields);
        }
        rest = after.strip_prefix(',')?.trim_start();
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Clock(kind, time) => {
                let name = CLOCKS
                    .iter()
                    .find(|(known, _)| known == kind)
                    .map_or("clk", |&(_, name)| name);
                write!(f, "[%{name} {time}]")
            }
            Self::Eval(score, depth) => {
                write!(f, "[%eval {score}")?;
                if let Some(depth) = depth {
                    write!(f, ",{depth}")?;
                }
                f.write_str("]")
            }
            Self::Squares(squares) => {
                let entries = squares
                    .iter()
                    .map(|(colour, square)| format!("{}{square}", colour.letter()));
                write!(f, "[%csl {}]", entries.collect::<Vec<_>>().join(","))
            }
            Self::Arrows(arrows) => {
                let entries = arrows
                    .iter()
                    .map(|(colour, from, to)| format!("{}{from}{to}", colour.letter()));
                write!(f, "[%cal {}]", entries.collect::<Vec<_>>().join(","))
            }
            Self::Draw(Mark::Arrow { from, to, colour }) => {
                write!(f, "[%draw arrow,{from},{to},{}]", colour.name())
            }
            Self::Draw(Mark::Square {
                square,
                shape,
                colour,
            }) => {
                let shape = match shape {
                    Shape::Full => "full",
                    Shape::Named(name) => name,
                };
                write!(f, "[%draw {shape},{square},{}]", colour.name())
            }
            Self::Medals(bits) => write!(f, "[%mdl {bits}]"),
            Self::Training(fields) => {
                let quoted = fields.iter().map(|field| match field.parse::<u32>() {
                    Ok(_) => field.clone(),
                    Err(_) => format!("\"{field}\""),
                });
                write!(f, "[%tqu {}]", quoted.collect::<Vec<_>>().join(","))
            }
            Self::Other { name, args } if args.is_empty() => write!(f, "[%{name}]"),
            Self::Other { name, args } => write!(f, "[%{name} {args}]"),
        }
    }
}

impl fmt::Display for Score {
    /// Writes `0.35`, `-1.20` or `#-3`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Centipawns(value) => {
                let sign = if *value < 0 { "-" } else { "" };
                let amount = value.unsigned_abs();
                write!(f, "{sign}{}.{:02}", amount / 100, amount % 100)
            }
            Self::Mate(moves) => write!(f, "#{moves}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn commands_go_both_ways() {
        for text in [
            "[%clk 1:02:03]",
            "[%clk 0:09:59.9]",
            "[%emt 0:00:05]",
            "[%egt 1:00:00]",
            "[%mct 0:17:42]",
            "[%eval 0.35]",
            "[%eval -1.20,18]",
            "[%eval #-3]",
            "[%eval #5,20]",
            "[%eval -0.05]",
            "[%csl Gd4,Re5]",
            "[%cal Ge2e4]",
            "[%cal Ge2e4,Yd1h5,Bb8c6]",
            "[%draw arrow,e2,e4,green]",
            "[%draw full,e4,red]",
            "[%draw circle,e4,blue]",
            "[%draw +,e4,yellow]",
            "[%mdl 64]",
            "[%tqu \"En\",\"Find it [now]\",\"\",\"e4\",\"\",10]",
        ] {
            let all: Vec<_> = commands(text).collect();
            assert_eq!(all.len(), 1, "{text}");
            assert!(
                !all.iter().any(|c| matches!(c, Command::Other { .. })),
                "{text}"
            );
            assert_eq!(
                all.iter().map(ToString::to_string).collect::<String>(),
                text
            );
        }
    }

    #[test]
    fn what_makes_no_sense_is_kept() {
        for text in [
            "[%clk]",
            "[%clk soon]",
            "[%clk 1:2:3:4]",
            "[%eval 0.355]",
            "[%eval x]",
            "[%eval 99999999999]",
            "[%csl]",
            "[%csl Zd4]",
            "[%csl Gd9,Re5]",
            "[%cal Ge2]",
            "[%cal Gé2e4]",
            "[%draw arrow,e2]",
            "[%mdl -1]",
            "[%evp 0,34,19]",
            "[%draw full,e4,mauve]",
            "[%tqu \"a\"b]",
        ] {
            let all: Vec<_> = commands(text).collect();
            assert!(matches!(all.as_slice(), [Command::Other { .. }]), "{text}");
            assert_eq!(
                all.iter().map(ToString::to_string).collect::<String>(),
                text
            );
        }
    }

    #[test]
    fn values() {
        let clock = |text: &str| ClockTime::parse(text).map(|t| t.amount.as_millis());
        assert_eq!(clock("1:02:03"), Some(3_723_000));
        assert_eq!(clock("12:30"), Some(750_000));
        assert_eq!(clock("5.2"), Some(5_200));
        assert_eq!(ClockTime::parse("-0:00:01").map(|t| t.negative), Some(true));
        assert_eq!(
            Command::new("eval", "+1.5"),
            Command::Eval(Score::Centipawns(150), None)
        );
        assert_eq!(
            Command::new("eval", "-0.05"),
            Command::Eval(Score::Centipawns(-5), None)
        );
        let green = Command::Squares(vec![(Colour::Green, Square::D4)]);
        assert_eq!(Command::new("csl", "gd4"), green);
        let arrow = Mark::Arrow {
            from: Square::E2,
            to: Square::E4,
            colour: Colour::Red,
        };
        assert_eq!(
            Command::new("arrow", "e2 e4 red"),
            Command::Draw(arrow.clone())
        );
        assert_eq!(Command::new("draw", "arrow,e2,e4"), Command::Draw(arrow));
        let mark = Mark::Square {
            square: Square::E4,
            shape: Shape::Full,
            colour: Colour::Blue,
        };
        assert_eq!(Command::new("mark", "e4,blue"), Command::Draw(mark));
    }

    #[test]
    fn comments_are_cut() {
        let cut = |text: &str| -> Vec<(bool, String)> {
            pieces(text)
                .map(|p| (matches!(p, Piece::Command { .. }), p.text().to_owned()))
                .collect()
        };
        let t = |s: &str| (false, s.to_owned());
        let c = |s: &str| (true, s.to_owned());
        assert_eq!(cut(""), []);
        assert_eq!(cut("good"), [t("good")]);
        assert_eq!(
            cut("a [%clk 1:0:0] b [%eval 0.1]"),
            [t("a "), c("[%clk 1:0:0]"), t(" b "), c("[%eval 0.1]")]
        );
        assert_eq!(cut("[%clk 1:0:0"), [t("[%clk 1:0:0")]);
        assert_eq!(cut("[% ] [%] [%é 1]"), [t("[% ] [%] [%é 1]")]);
        assert_eq!(cut("[%a [%clk 5]"), [t("[%a "), c("[%clk 5]")]);
        assert_eq!(cut("[%a \"] b"), [c("[%a \"]"), t(" b")]);
        assert_eq!(cut("[%clk\n1:00:00]"), [c("[%clk\n1:00:00]")]);
        assert_eq!(
            plain_text("[%clk 1:0:0] good [%eval 0.1] move [%emt 5]"),
            "good move"
        );
    }

    #[test]
    fn marks_are_translated() {
        let marks: Vec<_> = commands("[%csl Gd4,Re5][%cal Ge2e4]")
            .flat_map(|c| c.marks())
            .collect();
        let scid: String = marks_to_scid(&marks)
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(
            scid,
            "[%draw full,d4,green][%draw full,e5,red][%draw arrow,e2,e4,green]"
        );
        let again: Vec<_> = commands(&scid).flat_map(|c| c.marks()).collect();
        assert_eq!(again, marks);
        let (lichess, reshaped) = marks_to_lichess(&again);
        assert_eq!(
            lichess.iter().map(ToString::to_string).collect::<String>(),
            "[%csl Gd4,Re5][%cal Ge2e4]"
        );
        assert_eq!(reshaped, 0);
        let circle: Vec<_> = commands("[%draw circle,d4,green]")
            .flat_map(|c| c.marks())
            .collect();
        assert_eq!(marks_to_lichess(&circle).1, 1);
    }

    #[test]
    fn colours_go_both_ways() {
        for (colour, letter, name) in COLOURS {
            assert_eq!(Colour::from_letter(char::from(letter)), Some(colour));
            assert_eq!(Colour::from_name(name), Some(colour));
            assert_eq!((colour.letter(), colour.name()), (char::from(letter), name));
        }
    }

    #[test]
    fn long_hostile_comments_end() {
        for unit in [
            "[%",
            "[%a",
            "[%a \"",
            "[%a \"]",
            "[%a \"]\"",
            "]",
            "\"",
            "[%a \"][%a \"",
        ] {
            let text = unit.repeat(100_000);
            assert_eq!(
                pieces(&text).map(|p| p.text().len()).sum::<usize>(),
                text.len()
            );
        }
    }

    proptest! {
        #[test]
        fn pieces_are_the_comment(text in r#"(\[%|[a-z]{1,3}| |"|\]|,|é|[0-9:.#-]){0,30}"#) {
            let mut at = 0;
            let mut joined = String::new();
            for piece in pieces(&text) {
                prop_assert_eq!(piece.span().start, at);
                prop_assert_eq!(text.get(piece.span()), Some(piece.text()));
                at = piece.span().end;
                joined.push_str(piece.text());
                if let Some(command) = piece.command() {
                    // What is written is read as the same command.
                    let written = command.to_string();
                    prop_assert_eq!(commands(&written).collect::<Vec<_>>(), vec![command]);
                }
            }
            prop_assert_eq!(joined, text);
        }

        #[test]
        fn any_arguments_are_read(name in "clk|emt|eval|csl|cal|draw|mark|arrow|mdl|tqu", args in ".{0,20}|[a-hGR0-9,:.#\" -]{0,20}") {
            let command = Command::new(&name, &args);
            prop_assert!(command.marks().len() <= args.len());
        }

        #[test]
        fn clocks_go_both_ways(seconds in 0u64..1_000_000, tenths in 0u32..10) {
            let time = ClockTime { negative: false, amount: Duration::new(seconds, tenths * 100_000_000) };
            prop_assert_eq!(ClockTime::parse(&time.to_string()), Some(time));
        }

        #[test]
        fn scores_go_both_ways(value in any::<i32>(), depth in any::<Option<u32>>()) {
            for score in [Score::Centipawns(value.max(-i32::MAX)), Score::Mate(value)] {
                let command = Command::Eval(score, depth);
                prop_assert_eq!(commands(&command.to_string()).next(), Some(command));
            }
        }
    }
}
