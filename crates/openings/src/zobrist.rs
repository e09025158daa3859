//! The numbers that the pieces on their squares count for in a key. The build script uses this file as well.

/// One number for each piece (numbered as the model numbers pieces) and square; zero for numbers that mean no piece.
pub(crate) static PIECES: [[u64; 64]; 16] = table();

/// What a pawn counts for that may be taken in passing, by its file. Only names of openings ask for it.
pub(crate) const PASSING: [u64; 8] = [
    0x8c5f_3d17_6be2_94a1,
    0x27d4_eb2f_1656_67c5,
    0xe703_7ed1_a0b4_28db,
    0x589a_77d3_0f4c_61b7,
    0xb492_b66f_be98_f273,
    0x3c6e_f372_fe94_f82b,
    0xd1b5_4a32_d192_ed03,
    0x632b_e59b_d9b4_e019,
];

/// What Black to move counts for.
pub(crate) const BLACK: u64 = 0x9d39_247e_3377_6d41;

const fn table() -> [[u64; 64]; 16] {
    let mut table = [[0; 64]; 16];
    let mut state = 0x7461_6269_7961_2131_u64;
    let mut piece = 0;
    while piece < 16 {
        let mut square = 0;
        while square < 64 && piece & 7 != 0 && piece & 7 != 7 {
            // SplitMix64: a counter and a mixing function, which passes the usual tests of randomness.
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = state;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            table[piece][square] = z ^ (z >> 31);
            square += 1;
        }
        piece += 1;
    }
    table
}

/// The key of pieces on their squares.
pub(crate) fn key(pieces: &[u8; 64], black_to_move: bool) -> u64 {
    pieces.iter().zip(0..64_usize).fold(
        if black_to_move { BLACK } else { 0 },
        |key, (piece, square)| key ^ PIECES[usize::from(piece & 15)][square & 63],
    )
}
