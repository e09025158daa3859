//! The themes of solutions, by rules.

use shakmaty::attacks::{attacks, between, ray};
use shakmaty::{Bitboard, Color, Piece, Role, Square};
use tabiya_model::{Board, Move};

/// A theme of a solution. A solution may have several, or none that rules can find.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PuzzleTheme {
    /// Fork: one piece attacks two valuable ones.
    Fork,
    /// Pin: a piece cannot move away without exposing a more valuable one.
    Pin,
    /// Skewer: a piece has to move away, and a less valuable one behind it is captured.
    Skewer,
    /// Discovered attack: a piece moves away and opens the attack of another.
    DiscoveredAttack,
    /// Back-rank mate: the mated king cannot leave its first rank.
    BackRank,
    /// Promotion: a pawn becomes a queen.
    Promotion,
    /// Underpromotion: a pawn becomes another piece.
    UnderPromotion,
    /// Sacrifice: material is given first.
    Sacrifice,
    /// Mate: the line ends in mate.
    Mate,
    /// Smothered mate: a knight mates a king that is blocked by its own pieces.
    SmotheredMate,
    /// Double check: two pieces give check at once.
    DoubleCheck,
    /// Hanging piece: the first move captures an undefended piece.
    HangingPiece,
    /// Capturing the defender: the captured piece defends what is captured next.
    CapturedDefender,
    /// Deflection: a piece is drawn away from what it defends.
    Deflection,
    /// Attraction: a piece is drawn to a square where it is hit.
    Attraction,
    /// Quiet move: the first move is no capture, check or promotion, and does not answer a check.
    QuietMove,
    /// Advanced pawn: a pawn reaches its seventh rank.
    AdvancedPawn,
    /// A pawn is captured en passant.
    EnPassant,
    /// Pawn endgame: only kings and pawns.
    PawnEndgame,
    /// Knight endgame: only kings, pawns and knights.
    KnightEndgame,
    /// Bishop endgame: only kings, pawns and bishops.
    BishopEndgame,
    /// Rook endgame: only kings, pawns and rooks.
    RookEndgame,
    /// Queen endgame: only kings, pawns and queens.
    QueenEndgame,
}

impl PuzzleTheme {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            PuzzleTheme::Fork => "fork",
            PuzzleTheme::Pin => "pin",
            PuzzleTheme::Skewer => "skewer",
            PuzzleTheme::DiscoveredAttack => "discovered-attack",
            PuzzleTheme::BackRank => "back-rank",
            PuzzleTheme::Promotion => "promotion",
            PuzzleTheme::UnderPromotion => "under-promotion",
            PuzzleTheme::Sacrifice => "sacrifice",
            PuzzleTheme::Mate => "mate",
            PuzzleTheme::SmotheredMate => "smothered-mate",
            PuzzleTheme::DoubleCheck => "double-check",
            PuzzleTheme::HangingPiece => "hanging-piece",
            PuzzleTheme::CapturedDefender => "captured-defender",
            PuzzleTheme::Deflection => "deflection",
            PuzzleTheme::Attraction => "attraction",
            PuzzleTheme::QuietMove => "quiet-move",
            PuzzleTheme::AdvancedPawn => "advanced-pawn",
            PuzzleTheme::EnPassant => "en-passant",
            PuzzleTheme::PawnEndgame => "pawn-endgame",
            PuzzleTheme::KnightEndgame => "knight-endgame",
            PuzzleTheme::BishopEndgame => "bishop-endgame",
            PuzzleTheme::RookEndgame => "rook-endgame",
            PuzzleTheme::QueenEndgame => "queen-endgame",
        }
    }
}

fn worth(role: Role) -> i32 {
    match role {
        Role::Pawn => 1,
        Role::Knight | Role::Bishop => 3,
        Role::Rook => 5,
        Role::Queen => 9,
        Role::King => 100,
    }
}

/// What the solver has more than the other side.
fn balance(board: &Board, solver: Color) -> i32 {
    let of = |color: Color| -> i32 {
        Role::ALL
            .into_iter()
            .filter(|role| *role != Role::King)
            .map(|role| {
                worth(role)
                    * i32::try_from(board.by_piece(Piece { color, role }).count()).unwrap_or(0)
            })
            .sum()
    };
    of(solver) - of(!solver)
}

/// The themes of a solution, whose first move is the solver's.
#[must_use]
pub fn of(start: &Board, line: &[Move]) -> Vec<PuzzleTheme> {
    let solver = start.turn();
    let mut themes: Vec<PuzzleTheme> = endgame(start).into_iter().collect();
    let mut board = start.clone();
    let before = balance(start, solver);
    for (index, m) in line.iter().enumerate() {
        let last = board.clone();
        board.play(*m);
        if index % 2 == 1 {
            if balance(&board, solver) <= before - 2 {
                themes.push(PuzzleTheme::Sacrifice);
            }
            continue;
        }
        match m.promotion() {
            Some(Role::Queen) => themes.push(PuzzleTheme::Promotion),
            Some(_) => themes.push(PuzzleTheme::UnderPromotion),
            None => {}
        }
        if index == 0 {
            themes.extend(of_first_move(&last, &board, *m));
        }
        if m.is_en_passant() {
            themes.push(PuzzleTheme::EnPassant);
        }
        if m.role() == Role::Pawn && u32::from(m.to().rank()) == solver.fold_wb(6, 1) {
            themes.push(PuzzleTheme::AdvancedPawn);
        }
        if board.checkers().count() > 1 {
            themes.push(PuzzleTheme::DoubleCheck);
        }
        // What the solver takes next, at the earliest.
        let next = line.get(index + 2).copied();
        if let (Some(answer), Some(next)) = (line.get(index + 1).copied(), next) {
            themes.extend(of_answer(&last, &board, *m, answer, next));
        }
        if board.is_checkmate() {
            themes.push(PuzzleTheme::Mate);
            if is_back_rank(&board) {
                themes.push(PuzzleTheme::BackRank);
            }
            if is_smothered(&board) {
                themes.push(PuzzleTheme::SmotheredMate);
            }
            // A mate needs no other reason.
            continue;
        }
        if is_fork(&board, *m, next) {
            themes.push(PuzzleTheme::Fork);
        }
        if pins(&board, *m, next) {
            themes.push(PuzzleTheme::Pin);
        }
        if skewers(&board, *m, next) {
            themes.push(PuzzleTheme::Skewer);
        }
        if discovers(&last, &board, *m, next) {
            themes.push(PuzzleTheme::DiscoveredAttack);
        }
    }
    themes.sort_unstable();
    themes.dedup();
    themes
}

/// The kind of endgame, where one kind of pieces is left beside kings and pawns.
fn endgame(board: &Board) -> Option<PuzzleTheme> {
    let count = |role| -> usize {
        let of = |color| board.by_piece(Piece { color, role }).count();
        of(Color::White) + of(Color::Black)
    };
    let kinds = [
        (Role::Knight, PuzzleTheme::KnightEndgame),
        (Role::Bishop, PuzzleTheme::BishopEndgame),
        (Role::Rook, PuzzleTheme::RookEndgame),
        (Role::Queen, PuzzleTheme::QueenEndgame),
    ];
    let mut there = kinds.into_iter().filter(|(role, _)| count(*role) > 0);
    match (there.next(), there.next()) {
        (None, _) => Some(PuzzleTheme::PawnEndgame),
        (Some((_, theme)), None) => Some(theme),
        _ => None,
    }
}

/// What the first move alone tells.
fn of_first_move(last: &Board, board: &Board, m: Move) -> Option<PuzzleTheme> {
    let captured = last.role_at(m.to()).filter(|_| !m.is_castle());
    if let Some(role) = captured {
        let is_safe = !is_defended(board, m.to(), board.turn());
        return (role != Role::Pawn && is_safe).then_some(PuzzleTheme::HangingPiece);
    }
    let is_quiet = !m.is_en_passant()
        && m.promotion().is_none()
        && board.checkers().is_empty()
        && last.checkers().is_empty();
    is_quiet.then_some(PuzzleTheme::QuietMove)
}

/// What the answer to a move, and the move after that, tell of it. `last` is the board before the move.
fn of_answer(last: &Board, board: &Board, m: Move, answer: Move, next: Move) -> Vec<PuzzleTheme> {
    let mut themes = Vec::new();
    let solver = last.turn();
    let mut behind = board.clone();
    behind.play(answer);
    let mut end = behind.clone();
    end.play(next);
    let takes = |target: Square| {
        let taken = behind.piece_at(target);
        next.to() == target && taken.is_some_and(|piece| piece.color != solver)
    };
    let guards = |board: &Board, from: Square, target: Square| {
        board.piece_at(from).is_some_and(|piece| {
            from != target && attacks(from, piece, board.occupied()).contains(target)
        })
    };
    let target = next.to();
    let stands_still = answer.to() != target && board.piece_at(target) == last.piece_at(target);
    // The piece that is taken guarded what is taken next, which has not moved.
    if last.color_at(m.to()) == Some(!solver)
        && stands_still
        && takes(target)
        && guards(last, m.to(), target)
    {
        themes.push(PuzzleTheme::CapturedDefender);
    }
    let is_given = answer.to() == m.king_target() && !m.is_castle();
    let is_forced = is_given || !board.checkers().is_empty();
    // Who answers guarded the square of the next move, and guards it no more.
    if is_forced
        && !answer.is_castle()
        && answer.to() != target
        && (takes(target) || end.is_checkmate())
        && guards(board, answer.from(), target)
        && !guards(&behind, answer.to(), target)
    {
        themes.push(PuzzleTheme::Deflection);
    }
    // Who takes what was given stands where it is hit.
    if is_given {
        let drawn = behind.role_at(answer.to());
        let is_hit = match drawn {
            Some(Role::King) => !end.checkers().is_empty(),
            Some(Role::Queen | Role::Rook) => takes(answer.to()),
            _ => false,
        };
        if is_hit {
            themes.push(PuzzleTheme::Attraction);
        }
    }
    themes
}

/// Whether a knight has mated a king that has its own pieces on all squares beside it.
fn is_smothered(board: &Board) -> bool {
    let loser = board.turn();
    let Some(king) = board.king_of(loser) else {
        return false;
    };
    let beside = shakmaty::attacks::king_attacks(king);
    let by_knight = board
        .checkers()
        .into_iter()
        .all(|from| board.role_at(from) == Some(Role::Knight));
    by_knight && (beside & !board.by_color(loser)).is_empty()
}

/// Whether the king is mated on its first rank by a rook or queen on that rank, with its way out closed by its own pieces.
fn is_back_rank(board: &Board) -> bool {
    let loser = board.turn();
    let Some(king) = board.king_of(loser) else {
        return false;
    };
    let first = if loser.is_white() { 0 } else { 7 };
    if u32::from(king.rank()) != first {
        return false;
    }
    let by_rank = board.checkers().into_iter().any(|from| {
        from.rank() == king.rank() && matches!(board.role_at(from), Some(Role::Rook | Role::Queen))
    });
    let ahead = shakmaty::attacks::king_attacks(king)
        .into_iter()
        .filter(|square| square.rank() != king.rank());
    // A guarded square in front closes the way as well; two pieces of its own make it their fault.
    let own = ahead.filter(|square| board.color_at(*square) == Some(loser));
    by_rank && own.count() >= 2
}

/// The square that a piece reaches, and the piece.
fn arrived(board: &Board, m: Move) -> Option<(Square, Piece)> {
    let square = m.king_target();
    Some((square, board.piece_at(square)?))
}

fn is_defended(board: &Board, square: Square, by: Color) -> bool {
    !board.attackers_to(square, by, board.occupied()).is_empty()
}

/// Whether a target is worth attacking with a piece of this role.
fn matters(board: &Board, target: Square, attacker: Role) -> bool {
    let Some(piece) = board.piece_at(target) else {
        return false;
    };
    piece.role == Role::King
        || worth(piece.role) > worth(attacker)
        || (piece.role != Role::Pawn && !is_defended(board, target, piece.color))
}

fn is_fork(board: &Board, m: Move, next: Option<Move>) -> bool {
    let Some((square, piece)) = arrived(board, m).filter(|(_, piece)| piece.role != Role::King)
    else {
        return false;
    };
    let targets: Vec<Square> = (attacks(square, piece, board.occupied())
        & board.by_color(!piece.color))
    .into_iter()
    .filter(|target| matters(board, *target, piece.role))
    .collect();
    // The attack has to bring something: the piece takes one of them next.
    targets.len() >= 2
        && next.is_some_and(|next| next.from() == square && targets.contains(&next.to()))
}

/// The first piece on a ray from a slider, and the one behind it.
fn behind(board: &Board, slider: Square, target: Square) -> Option<Square> {
    let beyond = ray(slider, target) & board.occupied();
    beyond
        .into_iter()
        .filter(|square| {
            *square != slider && *square != target && between(slider, *square).contains(target)
        })
        .min_by_key(|square| between(slider, *square).count())
}

fn sliders(board: &Board, color: Color) -> Bitboard {
    let role = |role| board.by_piece(Piece { color, role });
    role(Role::Bishop) | role(Role::Rook) | role(Role::Queen)
}

/// Whether a slider that has just arrived pins a piece to its king or queen, and that piece, or what it cannot guard any more,
/// falls next.
fn pins(board: &Board, m: Move, next: Option<Move>) -> bool {
    let Some((square, piece)) = arrived(board, m) else {
        return false;
    };
    if !sliders(board, piece.color).contains(square) {
        return false;
    }
    let targets = attacks(square, piece, board.occupied()) & board.by_color(!piece.color);
    targets.into_iter().any(|target| {
        let Some(front) = board.role_at(target).filter(|role| *role != Role::King) else {
            return false;
        };
        let pinned = behind(board, square, target)
            .and_then(|square| board.piece_at(square))
            .is_some_and(|back| {
                back.color != piece.color
                    && (back.role == Role::King || (back.role == Role::Queen && worth(front) < 9))
            });
        pinned && next.is_some_and(|next| next.to() == target)
    })
}

/// Whether a slider that has just arrived attacks a piece before a lesser one, which it takes next.
fn skewers(board: &Board, m: Move, next: Option<Move>) -> bool {
    let Some((square, piece)) = arrived(board, m) else {
        return false;
    };
    let Some(next) = next.filter(|next| next.from() == square) else {
        return false;
    };
    if !sliders(board, piece.color).contains(square) {
        return false;
    }
    let targets = attacks(square, piece, board.occupied()) & board.by_color(!piece.color);
    targets.into_iter().any(|target| {
        let Some(front) = board.role_at(target) else {
            return false;
        };
        behind(board, square, target).is_some_and(|back| {
            back == next.to()
                && board.piece_at(back).is_some_and(|piece_behind| {
                    piece_behind.color != piece.color && worth(front) > worth(piece_behind.role)
                })
        })
    })
}

/// Whether the piece that went away has opened a line of another one, onto a king or onto what falls next.
fn discovers(last: &Board, board: &Board, m: Move, next: Option<Move>) -> bool {
    if m.is_castle() {
        return false;
    }
    let color = last.turn();
    sliders(board, color)
        .into_iter()
        .filter(|from| *from != m.to())
        .any(|from| {
            let Some(piece) = board.piece_at(from) else {
                return false;
            };
            let now = attacks(from, piece, board.occupied());
            let then = attacks(from, piece, last.occupied());
            let opened = now & !then & board.by_color(!color);
            opened.into_iter().any(|target| {
                between(from, target).contains(m.from())
                    && (board.role_at(target) == Some(Role::King)
                        || next.is_some_and(|next| next.from() == from && next.to() == target))
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn themes(fen: &str, moves: &[&str]) -> Vec<&'static str> {
        let (start, _) = Board::from_fen(fen).expect("valid");
        let mut board = start.clone();
        let mut line = Vec::new();
        for token in moves {
            let m = board
                .parse_uci(token.as_bytes())
                .filter(|m| board.is_legal(*m))
                .expect("legal");
            board.play(m);
            line.push(m);
        }
        of(&start, &line)
            .into_iter()
            .map(PuzzleTheme::name)
            .collect()
    }

    #[test]
    fn motifs_are_told() {
        for (fen, moves, expected) in [
            // A knight attacks king and queen.
            (
                "3q2k1/8/8/5N2/8/8/8/6K1 w - - 0 1",
                &["f5e7", "g8f7", "e7g6"][..],
                &[][..],
            ),
            (
                "q3k3/8/8/1N6/8/8/8/6K1 w - - 0 1",
                &["b5c7", "e8d7", "c7a8"],
                &["fork"][..],
            ),
            (
                "2q1k3/8/8/1N6/8/8/8/6K1 w - - 0 1",
                &["b5d6", "e8e7", "d6c8"],
                &["fork"],
            ),
            // Mate on the first rank.
            (
                "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1",
                &["a1a8"],
                &["back-rank", "mate", "rook-endgame"],
            ),
            (
                "6k1/8/6K1/8/8/8/8/R7 w - - 0 1",
                &["a1a8"],
                &["mate", "rook-endgame"],
            ),
            // The rook goes through the king.
            (
                "8/8/8/q2k4/8/8/8/5K1R w - - 0 1",
                &["h1h5", "d5d4", "h5a5"],
                &["skewer"],
            ),
            // The bishop pins the queen, and takes it.
            (
                "4k3/3q4/8/8/8/8/4B3/4K3 w - - 0 1",
                &["e2b5", "e8f8", "b5d7"],
                &["pin", "quiet-move"],
            ),
            // The knight goes and the rook gives check.
            (
                "q3k3/8/8/8/4N3/8/8/1K2R3 w - - 0 1",
                &["e4c5", "e8f7", "c5b3"],
                &["discovered-attack"],
            ),
            (
                "8/P6k/8/8/8/8/8/K7 w - - 0 1",
                &["a7a8q"],
                &["promotion", "pawn-endgame"],
            ),
            (
                "8/P6k/8/8/8/8/8/K7 w - - 0 1",
                &["a7a8n"],
                &["under-promotion", "pawn-endgame"],
            ),
            // A knight that attacks one piece, a pinned piece that nobody takes, and one that is pinned where a lesser one
            // would be skewered.
            (
                "q3k3/8/8/8/4N3/8/8/1K1R4 w - - 0 1",
                &["e4c5", "e8f7", "c5b3"],
                &["quiet-move"],
            ),
            (
                "4k3/3n4/8/8/8/8/4B3/4K3 w - - 0 1",
                &["e2b5", "e8e7", "b5e2"],
                &["quiet-move"],
            ),
            (
                "8/8/8/q2n4/8/8/k7/5K1R w - - 0 1",
                &["h1h5", "a2b2", "h5d5"],
                &["pin", "quiet-move"],
            ),
            // A pawn that only goes on, and queens that go for each other.
            (
                "8/8/P6k/8/8/8/8/K7 w - - 0 1",
                &["a6a7"],
                &["quiet-move", "advanced-pawn", "pawn-endgame"],
            ),
            (
                "3q1rk1/8/8/8/8/8/8/3Q2K1 w - - 0 1",
                &["d1d8", "f8d8", "g1f1"],
                &[],
            ),
            // Philidor's smothered mate.
            (
                "r6k/6pp/7N/8/8/1Q6/8/6K1 w - - 0 1",
                &["b3g8", "a8g8", "h6f7"],
                &["sacrifice", "mate", "smothered-mate"],
            ),
            // A queen that nobody guards, and one that is guarded.
            (
                "6k1/8/8/3q4/8/8/8/3R2K1 w - - 0 1",
                &["d1d5"],
                &["hanging-piece"],
            ),
            ("3r2k1/8/8/3q4/8/8/8/3R2K1 w - - 0 1", &["d1d5"], &[]),
            // The knight that guards the queen is taken.
            (
                "6k1/8/5n2/3q4/7B/8/6P1/3R2K1 w - - 0 1",
                &["h4f6", "g8f7", "d1d5"],
                &["hanging-piece", "captured-defender"],
            ),
            (
                "3q2k1/5ppp/8/8/8/8/3Q4/R5K1 w - - 0 1",
                &["d2d8"],
                &["back-rank", "mate", "hanging-piece"],
            ),
            // The rook takes, and leaves its first rank to the other one.
            (
                "3r2k1/5ppp/8/3p4/8/8/3Q4/4R1K1 w - - 0 1",
                &["d2d5", "d8d5", "e1e8"],
                &["back-rank", "sacrifice", "mate", "deflection"],
            ),
            // The king has to take, and is hit by the knight.
            (
                "6k1/5p1p/8/8/4N3/8/8/6KQ w - - 0 1",
                &["h1h7", "g8h7", "e4f6"],
                &["sacrifice", "attraction"],
            ),
            (
                "4k3/8/8/pP6/8/8/8/4K3 w - a6 0 1",
                &["b5a6"],
                &["en-passant", "pawn-endgame"],
            ),
            // The knight goes and gives check, and so does the rook behind it.
            (
                "4k3/8/8/8/4N3/8/8/1K2R3 w - - 0 1",
                &["e4f6"],
                &["discovered-attack", "double-check"],
            ),
        ] {
            assert_eq!(themes(fen, moves), expected, "{fen} {moves:?}");
        }
    }
}
