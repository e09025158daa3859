//! Finds one placement or one material in games by their deltas: a few sums in registers show which positions need to be
//! evaluated.

use tabiya_model::positions::MoveDelta;

use crate::plan::bounds::CutoffRule;
use crate::run::pieces::{DeltaPieces, KIND, one};
use crate::terms::piece_counts::{PackedCounts, pack, reach};
use crate::terms::position::{PositionAtom, PositionExpr};
use crate::terms::query::{WalkQuestion, WalkTerm};

/// A number for each piece on each square; for no piece 0.
static KEYS: [[u64; 64]; 16] = {
    let mut keys = [[0; 64]; 16];
    let mut state = 0_u64;
    let mut piece = 1;
    while piece < keys.len() {
        let mut square = 0;
        while square < 64 {
            // The finaliser of SplitMix64: each bit of a counter changes half of the bits.
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut key = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            key = (key ^ key >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            keys[piece][square] = key ^ key >> 31;
            square += 1;
        }
        piece += 1;
    }
    keys
};

#[inline(always)]
fn key(piece: u8, square: u8) -> u64 {
    KEYS[usize::from(piece & 15)][usize::from(square & 63)]
}

/// What a query looks for, where it asks of nothing but one kind of position on the main line.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ScanTarget {
    /// Pieces whose keys add up to this.
    Placement(u64),
    /// Material between these counts. It changes only where pieces are taken or promoted.
    Material {
        lower: PackedCounts,
        upper: PackedCounts,
    },
}

impl ScanTarget {
    /// What a term looks for that is the only one about moves.
    pub(crate) fn new(walk: &WalkTerm) -> Option<ScanTarget> {
        let WalkQuestion::Somewhere {
            expr: PositionExpr::Atom(atom),
            lasting: (1, u32::MAX),
            plies,
            numbers,
        } = &walk.ask
        else {
            return None;
        };
        if walk.variations {
            return None;
        }
        match atom {
            PositionAtom::Placement(placement) => Some(ScanTarget::Placement(
                PositionSums::new(&DeltaPieces::of_pieces(&placement.pieces)).key,
            )),
            // The range of moves may begin where the material does not change.
            PositionAtom::Material(material) if plies.0 == 0 && numbers.0 == 0 => {
                let (mut lower, mut upper) = (material.lower(), material.upper());
                if material.either {
                    let exchanged = material.exchanged();
                    for kind in 0..lower.len() {
                        lower[kind] = lower[kind].min(exchanged.lower()[kind]);
                        upper[kind] = upper[kind].max(exchanged.upper()[kind]);
                    }
                }
                Some(ScanTarget::Material {
                    lower: pack(&lower),
                    upper: pack(&upper),
                })
            }
            _ => None,
        }
    }
}

/// What is known about a position without a board.
#[derive(Clone, Debug)]
pub(crate) struct PositionSums {
    key: u64,
    white: u64,
    black: u64,
    /// The pawns that have never moved.
    home: u64,
    black_to_move: bool,
}

impl PositionSums {
    pub(crate) fn new(field: &DeltaPieces) -> PositionSums {
        let mut sums = PositionSums {
            key: 0,
            white: field.counts[0],
            black: field.counts[1],
            home: field.home(),
            black_to_move: field.side != 0,
        };
        for (piece, set) in (0..).zip(KIND.map(|kind| field.sets[usize::from(kind & 15)])) {
            for square in (0..64).filter(|square| set >> square & 1 != 0) {
                sums.key ^= key(piece, square);
            }
        }
        sums
    }

    #[inline(always)]
    pub(crate) fn play(&mut self, delta: MoveDelta) {
        let (mover, becomes, captured) = (delta.mover(), delta.becomes(), delta.captured());
        self.black_to_move = !self.black_to_move;
        self.key ^= key(mover, delta.from())
            ^ key(becomes, delta.to())
            ^ key(captured, delta.captured_on());
        let taken = one(captured) & !0xff;
        let is_black = u64::from(captured >> 3 & 1);
        self.white = self.white.wrapping_sub(taken & is_black.wrapping_sub(1));
        self.black = self.black.wrapping_sub(taken & is_black.wrapping_neg());
        self.home &= !(1 << delta.from() | 1 << delta.to());
        if becomes != mover {
            let counts = if mover & 8 == 0 {
                &mut self.white
            } else {
                &mut self.black
            };
            *counts = counts.wrapping_sub(one(mover)).wrapping_add(one(becomes));
        }
        if let Some((from, to)) = delta.rook() {
            let rook = mover & 8 | 4;
            self.key ^= key(rook, from) ^ key(rook, to);
        }
    }

    /// Whether the pieces add up to this.
    #[inline(always)]
    pub(crate) fn is(&self, key: u64) -> bool {
        self.key == key
    }

    /// Whether the material lies between these counts.
    #[inline(always)]
    pub(crate) fn is_within(&self, lower: PackedCounts, upper: PackedCounts) -> bool {
        reach(self.white, lower[0])
            && reach(self.black, lower[1])
            && reach(upper[0], self.white)
            && reach(upper[1], self.black)
    }

    /// Whether no later position can fit.
    #[inline(always)]
    pub(crate) fn is_lost(&self, stop: &CutoffRule, promotions: bool) -> bool {
        let (side, counts) = if self.black_to_move {
            (1, self.black)
        } else {
            (0, self.white)
        };
        stop.is_lost(side, counts, self.home, promotions)
    }
}
