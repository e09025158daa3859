//! Commands inside comments: clocks, evaluations, coloured squares and arrows.
//!
//! A command is `[%name arguments]`. A comment is cut into [`CommentPart`]s that together are the whole
//! comment, byte for byte; only [`CommentPart::command`] interprets, so nothing is lost by looking.

mod clock;
mod comment_parts;
mod evaluation;
mod marks;
#[cfg(test)]
mod tests;

use std::fmt;

use shakmaty::Square;

use self::clock::CLOCKS;
pub use self::clock::{ClockKind, ClockTime};
pub use self::comment_parts::{CommentPart, CommentParts, commands, pieces, plain_text};
pub use self::evaluation::Evaluation;
use self::evaluation::eval;
pub use self::marks::{BoardMark, MarkColour, MarkShape, marks_to_lichess, marks_to_scid};
use self::marks::{coloured_arrow, coloured_square, draw, list, old_mark};

/// The meaning of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommentCommand {
    /// A time: what is left on a clock, or what was used.
    Clock(ClockKind, ClockTime),
    /// `[%eval 0.35,18]`: an evaluation, seen from White, and the depth it was reached at.
    Eval(Evaluation, Option<u32>),
    /// `[%csl Gd4,Re5]`: coloured squares.
    Squares(Vec<(MarkColour, Square)>),
    /// `[%cal Ge2e4]`: coloured arrows.
    Arrows(Vec<(MarkColour, Square, Square)>),
    /// `[%draw arrow,e2,e4,green]`: a mark of Scid.
    Draw(BoardMark),
    /// `[%mdl 64]`: the medals of ChessBase, one per bit.
    Medals(u32),
    /// `[%tqu ...]`: a training question of ChessBase, its fields without their quotes.
    Training(Vec<String>),
    /// Anything else, or a known name with arguments that make no sense.
    Other {
        /// The name.
        name: String,
        /// The arguments, unchanged.
        args: String,
    },
}

impl CommentCommand {
    /// Interprets a name and its arguments; anything that cannot be interpreted is kept unchanged.
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
    pub fn marks(&self) -> Vec<BoardMark> {
        match self {
            Self::Squares(squares) => squares
                .iter()
                .map(|&(colour, square)| BoardMark::Square {
                    square,
                    shape: MarkShape::Full,
                    colour,
                })
                .collect(),
            Self::Arrows(arrows) => arrows
                .iter()
                .map(|&(colour, from, to)| BoardMark::Arrow { from, to, colour })
                .collect(),
            Self::Draw(mark) => vec![mark.clone()],
            _ => Vec::new(),
        }
    }
}

/// Reads fields with commas, each bare or in quotes; a quote always ends a field, since no program doubles quotes.
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

impl fmt::Display for CommentCommand {
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
            Self::Draw(BoardMark::Arrow { from, to, colour }) => {
                write!(f, "[%draw arrow,{from},{to},{}]", colour.name())
            }
            Self::Draw(BoardMark::Square {
                square,
                shape,
                colour,
            }) => {
                let shape = match shape {
                    MarkShape::Full => "full",
                    MarkShape::Named(name) => name,
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
