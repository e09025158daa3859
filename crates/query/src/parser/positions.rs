//! Terms about positions, and the options that restrict which positions count.

use shakmaty::Color;
use tabiya_model::Board;
use tabiya_model::board::PositionProblems;

use super::{ParserResult, PositionOptions, QueryParser, TermHead, TermOption};
use crate::language::error::QueryError;
use crate::language::values::{
    TermOperator, TermValue, ValueKind, no_range, number_range, range_ends,
};
use crate::terms::board_pattern::{BoardPattern, PatternFreedom};
use crate::terms::board_transform::BoardTransform;
use crate::terms::material::MaterialTest;
use crate::terms::move_pattern::MovePattern;
use crate::terms::piece_squares::piece_squares;
use crate::terms::position::{
    PlacementTest, PositionAtom, PositionExpr, PositionNumber, file_counts,
};

impl QueryParser<'_> {
    /// Reads a question about one position; `same:( )` without options is no more than its parentheses.
    pub(super) fn position_term(&mut self, depth: usize) -> ParserResult<PositionExpr> {
        let mut head = self.head()?;
        if head.key == "plies" {
            // Of a position, the plies before it are meant.
            "at-ply".clone_into(&mut head.key);
        }
        if head.key == "same" {
            self.expect_operator(&head)?;
            no_places(&head)?;
            let depth = self.nested(depth)?;
            return Ok(turned(&head, self.alone::<PositionExpr>(depth)?));
        }
        if let Some(remark) = self.remark(&head, true)? {
            no_places(&head)?;
            return Ok(turned(&head, PositionExpr::Atom(remark)));
        }
        match self.position_question(&head, depth)? {
            Some(question) => {
                no_places(&head)?;
                Ok(question)
            }
            None => Err(QueryError::new(head.span, "only terms about a position can be used here")
                .help("the terms are position, structure, files, material, pattern, turn, check, mate, stalemate, promotion, \
                     under-promotion, en-passant, castling, move, moved, captured, double-check, discovered-check, legal-moves, \
                     quiet-plies, repetition, at-ply, at-move, and relations between pieces, such as pieces, passed, ray and \
                     distance")),
        }
    }

    /// Reads the options that say which positions count, and refuses those that it is unknown.
    pub(super) fn places(&self, head: &TermHead, others: &[&str]) -> ParserResult<PositionOptions> {
        let mut places = PositionOptions {
            lasting: (1, u32::MAX),
            plies: (0, u32::MAX),
            numbers: (0, u32::MAX),
            variations: self.variations,
        };
        let moves_only = matches!(head.key.as_str(), "line" | "sequence" | "order" | "count");
        let options = match names_a_square(head) {
            true => &[][..],
            false => &head.options,
        };
        for option in options {
            let range = || {
                number_range(TermOperator::Is, &option.argument, |text| {
                    text.parse::<u32>().ok().map(i64::from)
                })
                .and_then(|(low, high)| {
                    let clip = |n: i64| u32::try_from(n.clamp(0, i64::from(u32::MAX))).ok();
                    Some((clip(low)?, clip(high)?))
                })
                .ok_or_else(|| {
                    let wrong = no_range(&option.argument, "this option needs numbers");
                    QueryError::new(option.span.clone(), wrong)
                        .help(format!("write `{} 10..20`", option.name))
                })
            };
            match option.name.as_str() {
                "variations" if option.argument.is_empty() => places.variations = true,
                "main" if option.argument.is_empty() => places.variations = false,
                "lasting" if !moves_only => {
                    let long = range().ok();
                    let long = match range_ends(&option.argument).is_some() {
                        true => long,
                        // So many, or more.
                        false => long.map(|(low, _)| (low, u32::MAX)),
                    };
                    let is_long = |(low, high): &(u32, u32)| {
                        (1..=100_000).contains(low) && (*high == u32::MAX || *high <= 100_000)
                    };
                    places.lasting = long.filter(is_long).ok_or_else(|| {
                        let needs = "this option needs a number of plies";
                        let wrong = no_range(&option.argument, needs);
                        QueryError::new(option.span.clone(), wrong)
                            .help("write `lasting 4` or `lasting 4..8`")
                    })?;
                }
                "moves" if !moves_only => places.numbers = range()?,
                "plies" if !moves_only => places.plies = range()?,
                name if others.contains(&name)
                    && (option.argument.is_empty() || TAKE_ARGUMENTS.contains(&name)) => {}
                _ => {
                    let mut known: Vec<&str> = vec!["variations", "main"];
                    if !moves_only {
                        known.extend(["lasting N", "moves A..B", "plies A..B"]);
                    }
                    known.extend(others);
                    return Err(QueryError::new(
                        option.span.clone(),
                        format!("`{}` has no such option", head.key),
                    )
                    .help(format!("its options are {}", known.join(", "))));
                }
            }
        }
        Ok(places)
    }

    /// Reads a question about one position, if the key is one, and whose move led to it.
    pub(super) fn position_question(
        &mut self,
        head: &TermHead,
        depth: usize,
    ) -> ParserResult<Option<PositionExpr>> {
        if let Some(question) = self.relation(head, depth)? {
            return Ok(Some(turned(head, question)));
        }
        let atom = match self.remark(head, false)? {
            None => self.position_atom(head)?,
            remark => remark,
        };
        let Some(atom) = atom else {
            return Ok(None);
        };
        let is_move = matches!(atom, PositionAtom::Moved(_));
        let atom = PositionExpr::Atom(atom);
        let question = match color(head)? {
            Some(color) if !is_move && atom_options(&head.key).contains(&"white") => {
                let own = PositionAtom::Moved(vec![MovePattern::any(Some(color))]);
                PositionExpr::And(vec![atom, PositionExpr::Atom(own)])
            }
            _ => atom,
        };
        Ok(Some(match atom_options(&head.key).contains(&"shift") {
            // A pattern turns itself.
            true => question,
            false => turned(head, question),
        }))
    }

    /// Reads the ranges of a number of the position.
    fn number_atom(
        &mut self,
        head: &TermHead,
        number: PositionNumber,
    ) -> ParserResult<PositionAtom> {
        Ok(PositionAtom::Number(number, self.ranges(head)?))
    }

    /// Reads a number or a range behind an operator, or several with commas between them.
    pub(super) fn ranges(&mut self, head: &TermHead) -> ParserResult<Vec<(i64, i64)>> {
        let example = format!("write `{}:3` or `{}>=3`", head.key, head.key);
        let Some(operator) = self.operator() else {
            return Err(QueryError::new(
                head.span.clone(),
                format!("`{}` needs a number", head.key),
            )
            .help(example));
        };
        let mut ranges = Vec::new();
        for value in self.value()?.parts() {
            let whole = |text: &str| text.parse::<u32>().ok().map(i64::from);
            let range = number_range(operator, &value.text, whole);
            ranges.push(range.ok_or_else(|| {
                let no_number = "this is not a number or a range";
                QueryError::new(value.span, no_range(&value.text, no_number)).help(&example)
            })?);
        }
        Ok(ranges)
    }

    /// Reads what the last move was.
    fn move_atom(&mut self, head: &TermHead) -> ParserResult<PositionAtom> {
        let color = color(head)?;
        let (_, value) = self.required_value(head)?;
        if head.key == "move" {
            let mut patterns = Vec::new();
            for part in value.parts() {
                let pattern = MovePattern::parse(&part.text, color);
                patterns.push(pattern.ok_or_else(|| {
                    QueryError::new(part.span, "this is not a move")
                        .help("moves are like `Bxh7+`, `?xf7`, `e8=Q`, `O-O-O#`")
                })?);
            }
            return Ok(PositionAtom::Moved(patterns));
        }
        let no_pieces = |value: &TermValue| {
            QueryError::new(value.span.clone(), "these are not piece letters")
                .help("pieces are letters of `KQRBNP`, or `any`")
        };
        if head.key == "moved" {
            let pattern = MovePattern::of_pieces(color, Some(&value.text), None);
            return Ok(PositionAtom::Moved(vec![
                pattern.ok_or_else(|| no_pieces(&value))?,
            ]));
        }
        let taken = MovePattern::of_pieces(color, None, Some(&value.text));
        let mut pattern = taken.ok_or_else(|| no_pieces(&value))?;
        let before = self.at;
        self.space();
        if !self.word().eq_ignore_ascii_case("by") {
            self.at = before;
            return Ok(PositionAtom::Moved(vec![pattern]));
        }
        let by = self.head()?;
        self.no_options(&by)?;
        let (_, pieces) = self.required_value(&by)?;
        pattern = MovePattern::of_pieces(color, Some(&pieces.text), Some(&value.text))
            .ok_or_else(|| no_pieces(&pieces))?;
        Ok(PositionAtom::Moved(vec![pattern]))
    }

    /// Reads a question about one position, if the key is one.
    fn position_atom(&mut self, head: &TermHead) -> ParserResult<Option<PositionAtom>> {
        let has = |name: &str| head.options.iter().any(|option| option.name == name);
        Ok(Some(match head.key.as_str() {
            "check" => PositionAtom::Check,
            "mate" => PositionAtom::Mate,
            "stalemate" => PositionAtom::Stalemate,
            "promotion" => PositionAtom::Promotion { under: false },
            "under-promotion" => PositionAtom::Promotion { under: true },
            "en-passant" => PositionAtom::EnPassant,
            "castling" => match self.operator() {
                None => PositionAtom::Castling(None),
                Some(_) => PositionAtom::Castling(Some(self.side()?)),
            },
            "double-check" => PositionAtom::DoubleCheck,
            "discovered-check" => PositionAtom::DiscoveredCheck,
            "legal-moves" => self.number_atom(head, PositionNumber::LegalMoves)?,
            "quiet-plies" => self.number_atom(head, PositionNumber::QuietPlies)?,
            "repetition" => self.number_atom(head, PositionNumber::Repetition)?,
            "at-ply" => self.number_atom(head, PositionNumber::Ply)?,
            "at-move" => self.number_atom(head, PositionNumber::Move)?,
            "move" | "moved" | "captured" => self.move_atom(head)?,
            "turn" => {
                let (_, value) = self.required_value(head)?;
                match value.text.to_ascii_lowercase().as_str() {
                    "white" | "w" => PositionAtom::Turn(Color::White),
                    "black" | "b" => PositionAtom::Turn(Color::Black),
                    _ => {
                        return Err(QueryError::new(
                            value.span,
                            "the side to move is `white` or `black`",
                        ));
                    }
                }
            }
            "position" => {
                let (_, value) = self.required_value(head)?;
                let board = fen(&value)?;
                let fields = value.text.split_whitespace().count();
                PositionAtom::Placement(Box::new(PlacementTest {
                    pieces: piece_squares(&board),
                    turn: (fields > 1).then(|| board.turn()),
                    castling: has("castling").then(|| u64::from(board.castling_rooks())),
                    en_passant: has("ep").then(|| board.legal_ep_square()),
                }))
            }
            "structure" => {
                let (_, value) = self.required_value(head)?;
                let pieces = piece_squares(&fen(&value)?);
                PositionAtom::Structure {
                    white: pieces[0],
                    black: pieces[6],
                }
            }
            "files" => {
                let (_, value) = self.required_value(head)?;
                let pieces = piece_squares(&fen(&value)?);
                PositionAtom::Files([file_counts(pieces[0]), file_counts(pieces[6])])
            }
            "material" => {
                let (_, value) = self.required_value(head)?;
                let mut material =
                    MaterialTest::parse(&value.text).map_err(|error| error.shifted(value.inner))?;
                material.either = has("either");
                PositionAtom::Material(Box::new(material))
            }
            "pattern" => {
                let (_, value) = self.required_value(head)?;
                let freedom = PatternFreedom {
                    mirror: has("mirror"),
                    flip: has("flip"),
                    shift: has("shift"),
                };
                let pattern = BoardPattern::parse(&value.text, freedom)
                    .map_err(|error| error.shifted(value.inner))?;
                PositionAtom::Pattern(Box::new(pattern))
            }
            _ => return Ok(None),
        }))
    }
}

/// The side that the options name.
pub(super) fn color(head: &TermHead) -> ParserResult<Option<Color>> {
    let mut color = None;
    for option in &head.options {
        let named = match option.name.as_str() {
            "white" => Color::White,
            "black" => Color::Black,
            _ => continue,
        };
        if color.is_some_and(|other| other != named) {
            return Err(QueryError::new(
                option.span.clone(),
                "a move is White's or Black's, not both",
            ));
        }
        color = Some(named);
    }
    Ok(color)
}

/// Options that something belongs to.
const TAKE_ARGUMENTS: [&str; 3] = ["within", "from", "for"];

/// Where the moves of a line begin.
pub(super) fn line_start(head: &TermHead) -> ParserResult<Board> {
    let Some(option) = head.options.iter().find(|option| option.name == "from") else {
        return Ok(Board::standard());
    };
    fen(&TermValue {
        text: option.argument.clone(),
        kind: ValueKind::Bare,
        span: option.span.clone(),
        inner: option.span.end - option.argument.len(),
    })
}

/// The options of a question beyond those that say which positions count.
pub(super) fn atom_options(key: &str) -> &'static [&'static str] {
    match key {
        "position" => &["castling", "ep", "mirror", "flip"],
        "material" => &["either", "flip"],
        "move" | "moved" | "captured" | "promotion" | "under-promotion" | "en-passant"
        | "castling" | "castled" | "passed" | "isolated" | "doubled" | "connected" | "backward"
        | "hanging-pawns" | "outpost" | "fianchetto" | "pinned" | "bishop-pair"
        | "half-open-files" => &["white", "black", "mirror", "flip"],
        "pattern" => &["mirror", "flip", "shift"],
        "files" => &["either", "mirror", "flip"],
        "same" | "structure" | "pieces" | "distance" => &["mirror", "flip"],
        "similar" => &["within", "mirror", "flip"],
        "arrow" | "highlight" => &["green", "red", "yellow", "blue"],
        "line" => &["from"],
        "ray" => &["straight", "diagonal", "mirror", "flip"],
        _ => &[],
    }
}

/// Whether a name stands where others have options.
fn names_a_square(head: &TermHead) -> bool {
    matches!(head.key.as_str(), "some" | "all")
}

/// Refuses options that say which positions count, where one is given.
fn no_places(head: &TermHead) -> ParserResult<()> {
    let allowed = atom_options(&head.key);
    let is_wrong =
        |option: &&TermOption| !names_a_square(head) && !allowed.contains(&option.name.as_str());
    match head.options.iter().find(is_wrong) {
        None => Ok(()),
        Some(option) => Err(
            QueryError::new(option.span.clone(), "this option has no effect here")
                .help("`lasting`, `moves` and `plies` belong to `same[...]:( )`"),
        ),
    }
}

/// A question, asked of the board as it is and turned as the options say.
pub(super) fn turned(head: &TermHead, question: PositionExpr) -> PositionExpr {
    let has = |name: &str| head.options.iter().any(|option| option.name == name);
    let files = head.key == "files" && has("either");
    let ways = BoardTransform::ways(has("flip") || files, has("mirror"));
    match ways.len() {
        1 => question,
        _ => PositionExpr::Turned(ways, Box::new(question)),
    }
}

pub(super) fn fen(value: &TermValue) -> ParserResult<Board> {
    let (board, problems) = Board::from_fen(&value.text).map_err(|error| {
        let at = value.inner + error.offset.min(value.text.len());
        let rest = value.text.get(error.offset..).unwrap_or_default();
        let width = rest.chars().next().map_or(1, char::len_utf8);
        QueryError::new(
            at..at + width,
            format!("this FEN cannot be read: {}", error.what),
        )
    })?;
    let placement = value.text.split_whitespace().next().unwrap_or_default();
    if problems.contains(PositionProblems::SHORT_RANK) || placement.matches('/').count() != 7 {
        return Err(QueryError::new(
            value.inner..value.inner + placement.len().max(1),
            "this FEN does not have eight ranks of eight squares",
        ));
    }
    Ok(board)
}
