//! `position`: a complete description of a position, so that nothing has to be guessed.

use shakmaty::{Color, Role, Square};
use tabiya::openings;
use tabiya_answers::{
    Answer, McpEvaluationAnswer, McpMaterialAnswer, McpPieceAnswer, McpPieceCountsAnswer,
    McpPositionAnswer, McpPositionStateAnswer, OpeningAnswer, SideAnswer,
};
use tabiya_model::board::PositionProblems;
use tabiya_model::editor::GameEditor;
use tabiya_model::{Board, GameNeeds};

use super::arguments::FieldKind::{Text, Whole};
use super::arguments::field;
use super::game::HIGHEST;
use super::{BASE, McpTool, ToolCall, ToolPace};
use crate::error::McpRefusal;
use crate::jobs::ToolResult;
use crate::tree::{self, TreeNodes, legal_moves, play_line, san_of};

pub(super) const POSITION: McpTool = McpTool {
    name: "position",
    title: "Describe a position",
    about: "Describes a position: all legal moves, check and mate, each piece with the squares of its attackers and \
        defenders, material, the name of the opening, and an evaluation if the game has one or `analyse` has found one \
        (seen from White). The position is a FEN, a line of moves (from the FEN, or from the normal starting position), or \
        a node of a game. Ask this instead of working out positions.",
    fields: &[
        field(
            "fen",
            Text,
            "The position as FEN (default: the normal starting position)",
        ),
        field(
            "line",
            Text,
            "Moves from there in standard notation, such as `1.e4 c5 2.Nf3`",
        ),
        BASE,
        field(
            "game",
            Whole(1, HIGHEST),
            "The number of a game of the database",
        ),
        field(
            "node",
            Text,
            "The node of the game (default: the end of its main line)",
        ),
    ],
    answers: &["McpPositionAnswer"],
    pace: ToolPace::Soon,
    writes: false,
    run,
};

/// A position with what leads to it.
pub(super) struct AskedPosition {
    /// The positions on the way, the last of which is asked for.
    pub(super) boards: Vec<Board>,
    pub(super) line: Vec<String>,
    problems: PositionProblems,
    evaluation: Option<McpEvaluationAnswer>,
}

impl AskedPosition {
    pub(super) fn board(&self) -> Board {
        self.boards.last().cloned().unwrap_or_else(Board::standard)
    }

    /// The position that the arguments of a call name.
    pub(super) fn of(call: &ToolCall<'_>) -> Result<AskedPosition, McpRefusal> {
        let arguments = &call.arguments;
        if arguments.number("game").is_some() {
            if arguments.text("fen").is_some() || arguments.text("line").is_some() {
                return Err(McpRefusal::new(
                    "bad-arguments",
                    "give a position by a FEN and a line, or by a game and a node, but not by both",
                ));
            }
            return AskedPosition::in_game(call);
        }
        let (start, problems) = match arguments.text("fen") {
            None => (Board::standard(), PositionProblems::default()),
            Some(fen) => Board::from_fen(fen.trim())
                .map_err(|error| McpRefusal::new("bad-position", error.to_string()))?,
        };
        let mut board = start.clone();
        let moves = play_line(&mut board, arguments.text("line").unwrap_or(""))?;
        let mut asked = AskedPosition {
            boards: vec![start.clone()],
            line: Vec::new(),
            problems,
            evaluation: None,
        };
        let mut here = start;
        for m in moves {
            let (san, after) = san_of(&here, m);
            asked.line.push(san);
            asked.boards.push(after.clone());
            here = after;
        }
        Ok(asked)
    }

    fn in_game(call: &ToolCall<'_>) -> Result<AskedPosition, McpRefusal> {
        let base = call.base()?;
        let number = call.arguments.number("game").unwrap_or(0);
        let game = base.base.read(number, GameNeeds::ALL)?;
        let places = TreeNodes::of(&game);
        let mut editor = GameEditor::new(game).map_err(tabiya_model::Error::from)?;
        match call.arguments.text("node") {
            Some(node) => editor
                .go_to(places.place(node)?)
                .map_err(tabiya_model::Error::from)?,
            None => editor.to_end(),
        }
        let end = editor.place();
        let evaluation = editor
            .evaluation()
            .map(|(score, depth)| tree::evaluation(score, depth, "the game"));
        let mut boards = vec![editor.board().clone()];
        while editor.back().is_ok() {
            boards.push(editor.board().clone());
        }
        boards.reverse();
        // The moves are told by the nodes on the way.
        let nodes = tree::nodes(editor.game());
        let mut line = Vec::new();
        let mut id = places.id(end);
        while let Some(node) = id.and_then(|id| nodes.iter().find(|node| node.id == id)) {
            line.extend(node.san.clone());
            id = node.parent.clone();
        }
        line.reverse();
        Ok(AskedPosition {
            boards,
            line,
            problems: PositionProblems::default(),
            evaluation,
        })
    }
}

fn run(call: &ToolCall<'_>) -> ToolResult {
    let asked = AskedPosition::of(call)?;
    let board = asked.board();
    let state = if board.is_checkmate() {
        McpPositionStateAnswer::Checkmate
    } else if board.is_stalemate() {
        McpPositionStateAnswer::Stalemate
    } else if board.is_check() {
        McpPositionStateAnswer::Check
    } else {
        McpPositionStateAnswer::Play
    };
    let known = call.server.evaluations.of(&board);
    let opening = openings::on_the_way(&asked.boards);
    let odd = asked
        .problems
        .without(PositionProblems::MISSING_FIELDS)
        .without(PositionProblems::MISSING_COUNTERS);
    let answer = McpPositionAnswer {
        fen: board.to_fen(),
        turn: side(board.turn()),
        line: asked.line,
        legal_moves: legal_moves(&board),
        state,
        pieces: pieces(&board),
        material: material(&board),
        opening: opening.map(|opening| OpeningAnswer {
            eco: opening.eco,
            name: opening.name,
        }),
        evaluation: known.or(asked.evaluation),
        problems: odd.descriptions().map(str::to_owned).collect(),
    };
    Ok(answer.json())
}

pub(super) fn side(color: Color) -> SideAnswer {
    match color {
        Color::White => SideAnswer::White,
        Color::Black => SideAnswer::Black,
    }
}

fn name(role: Role) -> &'static str {
    match role {
        Role::King => "king",
        Role::Queen => "queen",
        Role::Rook => "rook",
        Role::Bishop => "bishop",
        Role::Knight => "knight",
        Role::Pawn => "pawn",
    }
}

fn pieces(board: &Board) -> Vec<McpPieceAnswer> {
    let mut all = Vec::new();
    for square in Square::ALL {
        let Some(piece) = board.piece_at(square) else {
            continue;
        };
        let from = |color| {
            let attackers = board.attackers_to(square, color, board.occupied());
            attackers
                .into_iter()
                .map(|square| square.to_string())
                .collect()
        };
        all.push(McpPieceAnswer {
            square: square.to_string(),
            color: side(piece.color),
            piece: name(piece.role),
            attacked_by: from(!piece.color),
            defended_by: from(piece.color),
        });
    }
    all
}

fn material(board: &Board) -> McpMaterialAnswer {
    let counts = |color| {
        let of = |role| (board.by_color(color) & board.by_role(role)).count() as u64;
        McpPieceCountsAnswer {
            queens: of(Role::Queen),
            rooks: of(Role::Rook),
            bishops: of(Role::Bishop),
            knights: of(Role::Knight),
            pawns: of(Role::Pawn),
        }
    };
    let (white, black) = (counts(Color::White), counts(Color::Black));
    let pawns = |of: &McpPieceCountsAnswer| {
        let all = 9 * of.queens + 5 * of.rooks + 3 * (of.bishops + of.knights) + of.pawns;
        i32::try_from(all).unwrap_or(i32::MAX)
    };
    McpMaterialAnswer {
        balance: pawns(&white) - pawns(&black),
        white,
        black,
    }
}
