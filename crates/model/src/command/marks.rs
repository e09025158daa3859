//! Coloured squares and arrows, as programs write them.

use shakmaty::Square;

use super::CommentCommand;

/// The colour of a mark.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)] // The names say it all.
pub enum MarkColour {
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
pub(super) const COLOURS: [(MarkColour, u8, &str); 11] = [
    (MarkColour::Green, b'G', "green"),
    (MarkColour::Red, b'R', "red"),
    (MarkColour::Yellow, b'Y', "yellow"),
    (MarkColour::Blue, b'B', "blue"),
    (MarkColour::Orange, b'O', "orange"),
    (MarkColour::Purple, b'P', "purple"),
    (MarkColour::Pink, b'M', "pink"),
    (MarkColour::Cyan, b'C', "cyan"),
    (MarkColour::White, b'W', "white"),
    (MarkColour::Black, b'K', "black"),
    (MarkColour::Gray, b'A', "gray"),
];

impl MarkColour {
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
}

/// A mark on the board.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum BoardMark {
    /// An arrow between two squares.
    Arrow {
        /// Its first square.
        from: Square,
        /// Its last square.
        to: Square,
        /// Its colour.
        colour: MarkColour,
    },
    /// A mark on one square.
    Square {
        /// The square.
        square: Square,
        /// Its form.
        shape: MarkShape,
        /// Its colour.
        colour: MarkColour,
    },
}

/// The form of a mark on one square.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum MarkShape {
    /// The whole square is coloured: the only form of `csl`.
    Full,
    /// Another form of Scid: `circle`, `disk`, `square`, a symbol such as `+`, a letter or a digit.
    Named(String),
}

/// Converts marks to the form of Lichess and ChessBase: at most one `csl` and one `cal`.
///
/// The number counts the marks whose shape had to become a full square.
#[must_use]
pub fn marks_to_lichess(marks: &[BoardMark]) -> (Vec<CommentCommand>, usize) {
    let (mut squares, mut arrows, mut reshaped) = (Vec::new(), Vec::new(), 0);
    for mark in marks {
        match mark {
            BoardMark::Arrow { from, to, colour } => arrows.push((*colour, *from, *to)),
            BoardMark::Square {
                square,
                shape,
                colour,
            } => {
                reshaped += usize::from(*shape != MarkShape::Full);
                squares.push((*colour, *square));
            }
        }
    }
    let mut commands = Vec::new();
    if !squares.is_empty() {
        commands.push(CommentCommand::Squares(squares));
    }
    if !arrows.is_empty() {
        commands.push(CommentCommand::Arrows(arrows));
    }
    (commands, reshaped)
}

/// Converts marks to the form of Scid: one `draw` for each; nothing is lost.
#[must_use]
pub fn marks_to_scid(marks: &[BoardMark]) -> Vec<CommentCommand> {
    marks.iter().cloned().map(CommentCommand::Draw).collect()
}

/// Reads a list with commas; one bad entry makes all of it invalid, since part of a list would lose the rest.
pub(super) fn list<T>(args: &str, read: impl Fn(&str) -> Option<T>) -> Option<Vec<T>> {
    args.split(',').map(|entry| read(entry.trim())).collect()
}

fn square(text: &str) -> Option<Square> {
    Square::from_ascii(text.as_bytes()).ok()
}

/// Reads `Gd4`.
pub(super) fn coloured_square(entry: &str) -> Option<(MarkColour, Square)> {
    let colour = MarkColour::from_letter(entry.chars().next()?)?;
    Some((colour, square(entry.get(1..)?)?))
}

/// Reads `Ge2e4`.
pub(super) fn coloured_arrow(entry: &str) -> Option<(MarkColour, Square, Square)> {
    let colour = MarkColour::from_letter(entry.chars().next()?)?;
    Some((colour, square(entry.get(1..3)?)?, square(entry.get(3..)?)?))
}

/// Reads `arrow,e2,e4,green` or `full,e4,red`; the colour may be missing.
pub(super) fn draw(args: &str) -> Option<BoardMark> {
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
pub(super) fn old_mark(name: &str, args: &str) -> Option<BoardMark> {
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

/// The colour with this name; Scid's own marks are red by default.
fn colour(name: &str) -> Option<MarkColour> {
    if name.is_empty() {
        Some(MarkColour::default())
    } else {
        MarkColour::from_name(name)
    }
}

fn arrow(from: &str, to: &str, name: &str) -> Option<BoardMark> {
    Some(BoardMark::Arrow {
        from: square(from)?,
        to: square(to)?,
        colour: colour(name)?,
    })
}

fn on_square(shape: &str, at: &str, name: &str) -> Option<BoardMark> {
    if shape.is_empty() || shape == "arrow" {
        return None;
    }
    let shape = if shape == "full" {
        MarkShape::Full
    } else {
        MarkShape::Named(shape.to_owned())
    };
    Some(BoardMark::Square {
        square: square(at)?,
        shape,
        colour: colour(name)?,
    })
}
