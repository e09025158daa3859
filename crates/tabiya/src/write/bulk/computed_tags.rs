//! Tags that are computed from the moves.

use shakmaty::{Color, Role};
use tabiya_model::tape::TapeOp;
use tabiya_model::{Board, Error, Game, Result};

use crate::error_codes;
use crate::select::opening::opening as opening_of;

/// A tag that is computed from the moves.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum ComputedTag {
    /// `ECO`, by position, replacing the existing one.
    Eco,
    /// `Opening`, by position.
    Opening,
    /// `PlyCount`: plies of the main line.
    PlyCount,
    /// `TotalPlyCount`: plies of the main line and all variations.
    TotalPlyCount,
    /// `FinalMaterial`: the pieces of the last position, such as `KRPP v KR`.
    Material,
    /// `FinalFEN`: the last position.
    Fen,
    /// `PositionHash`: the Polyglot hash of the last position.
    PositionHash,
    /// `MovesHash`: a hash of the moves (FNV-1a of 64 bits, of the moves in UCI notation, separated by spaces).
    MovesHash,
}

impl ComputedTag {
    /// All of them, each with its word.
    pub const WORDS: [(&'static str, ComputedTag); 8] = [
        ("eco", ComputedTag::Eco),
        ("opening", ComputedTag::Opening),
        ("ply-count", ComputedTag::PlyCount),
        ("total-ply-count", ComputedTag::TotalPlyCount),
        ("material", ComputedTag::Material),
        ("final-fen", ComputedTag::Fen),
        ("position-hash", ComputedTag::PositionHash),
        ("moves-hash", ComputedTag::MovesHash),
    ];

    /// The tag of a word.
    ///
    /// # Errors
    ///
    /// If there is none; the error names all that exist.
    pub fn parse(word: &str) -> Result<ComputedTag> {
        let found = Self::WORDS.iter().find(|(known, _)| *known == word);
        found.map(|(_, computed)| *computed).ok_or_else(|| {
            let words: Vec<&str> = Self::WORDS.iter().map(|(word, _)| *word).collect();
            Error::new(
                &error_codes::BAD_TAG,
                format!(
                    "{word}: no such tag can be computed; available: {}",
                    words.join(", ")
                ),
            )
        })
    }

    /// Sets it.
    pub(super) fn make(self, game: &mut Game) {
        let (name, value) = match self {
            ComputedTag::Eco | ComputedTag::Opening => {
                let Some(opening) = opening_of(game) else {
                    return;
                };
                match self {
                    ComputedTag::Eco => ("ECO", opening.eco.to_owned()),
                    _ => ("Opening", opening.name.to_owned()),
                }
            }
            ComputedTag::PlyCount => ("PlyCount", game.tape.plies().to_string()),
            ComputedTag::TotalPlyCount => {
                let moves = game.tape.ops().filter(|op| matches!(op, TapeOp::Move(_)));
                ("TotalPlyCount", moves.count().to_string())
            }
            ComputedTag::Material => ("FinalMaterial", material(&last(game))),
            ComputedTag::Fen => ("FinalFEN", last(game).to_fen()),
            ComputedTag::PositionHash => ("PositionHash", format!("{:016x}", last(game).zobrist())),
            ComputedTag::MovesHash => ("MovesHash", format!("{:016x}", moves_hash(game))),
        };
        game.tags.set(name, &value);
    }
}

/// The last position of the main line.
pub(super) fn last(game: &Game) -> Board {
    let mut board = game.start_board();
    for m in game.tape.main_line() {
        board.play(m);
    }
    board
}

/// The pieces of a position, kings first.
fn material(board: &Board) -> String {
    let side = |color: Color| -> String {
        let roles = [
            Role::King,
            Role::Queen,
            Role::Rook,
            Role::Bishop,
            Role::Knight,
            Role::Pawn,
        ];
        let pieces = roles.into_iter().flat_map(|role| {
            let count = board.by_piece(role.of(color)).count();
            std::iter::repeat_n(role.upper_char(), count)
        });
        pieces.collect()
    };
    format!("{} v {}", side(Color::White), side(Color::Black))
}

/// FNV-1a of the moves as engines write them.
fn moves_hash(game: &Game) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut board = game.start_board();
    let style = tabiya_model::board::CastlingStyle::KingMoves;
    let mut text = Vec::new();
    for (m, at) in game.tape.main_line().zip(0_u32..) {
        text.clear();
        if at > 0 {
            text.push(b' ');
        }
        board.write_uci(m, style, &mut text);
        board.play(m);
        for byte in &text {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    hash
}
