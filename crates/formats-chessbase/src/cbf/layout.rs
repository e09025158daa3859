//! The bytes of the two files as typed records: index words, the encrypted header, texts, moves and the board.
//!
//! Nothing here knows chess rules or checks values.

use shakmaty::{Bitboard, CastlingSide, Color, File, Piece, Rank, Role, Setup, Square};

/// Bytes of a record's header.
pub const HEADER_BYTES: usize = 14;
/// Bytes of the board of the starting position, at the end of a record.
pub const BOARD_BYTES: usize = 33;
/// The longest player or source text.
pub const TEXT_MAX: usize = 63;
/// The most bytes of a move area, and of a comment area.
pub const MOVES_MAX: usize = 65_534;
/// The most bytes of a comment area.
pub const COMMENTS_MAX: usize = 65_535;
/// Elo ratings that the header can hold are `ELO_BASE + ELO_STEP * n`, for n from 1 to 255.
pub const ELO_BASE: u16 = 1600;
/// See [`ELO_BASE`].
pub const ELO_STEP: u16 = 5;
/// The year byte that means no year.
const NO_YEAR: u8 = 127;

/// Multiplies a key to the power that is `count` steps away. Wrapping is the arithmetic of the format.
fn step(key: u8, factor: u8, count: usize) -> u8 {
    // Powers of odd numbers modulo 256 repeat after at most 64 steps.
    let factor = factor.wrapping_pow(u32::try_from(count % 64).unwrap_or(0));
    key.wrapping_mul(factor)
}

/// Encrypts or decrypts `bytes`, the first ones of an area of `whole` bytes, of which the last has the key `key`.
fn crypt(bytes: &mut [u8], whole: usize, key: u8, factor: u8) {
    let mut key = step(key, factor, whole.saturating_sub(bytes.len()));
    for byte in bytes.iter_mut().rev() {
        *byte ^= key;
        key = key.wrapping_mul(factor);
    }
}

/// Encrypts or decrypts the two texts, which are one area of `whole` bytes; `bytes` may be cut at its end.
pub fn crypt_texts(bytes: &mut [u8], whole: usize) {
    let key = u8::try_from(whole % 256).unwrap_or(0).wrapping_mul(3);
    crypt(bytes, whole, key, 3);
}

/// Encrypts or decrypts a move area of `whole` bytes; `bytes` may be cut at its end. The first byte stays clear.
pub fn crypt_moves(bytes: &mut [u8], whole: usize) {
    let key = u8::try_from((whole + 1) % 256)
        .unwrap_or(0)
        .wrapping_mul(49);
    if let Some((_, rest)) = bytes.split_first_mut() {
        crypt(rest, whole.saturating_sub(1), key, 7);
    }
}

/// Which formula a header's checksum follows.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum CbfChecksum {
    /// Only the one that copies keep and nothing else has.
    A,
    /// The one that is written; the other one may happen to agree.
    B,
    /// Neither.
    Wrong,
}

/// A decrypted header. The fields are methods, so that meaningless values stay unchanged.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct CbfHeader(pub [u8; HEADER_BYTES]);

impl CbfHeader {
    /// Decrypts a header.
    pub fn decrypt(mut bytes: [u8; HEADER_BYTES]) -> CbfHeader {
        crypt(&mut bytes, HEADER_BYTES, 101, 3);
        let mut header = CbfHeader(bytes);
        header.0[11] ^= header.length_key();
        header
    }

    /// The stored bytes of the header.
    pub fn encrypt(mut self) -> [u8; HEADER_BYTES] {
        self.0[11] ^= self.length_key();
        crypt(&mut self.0, HEADER_BYTES, 101, 3);
        self.0
    }

    fn length_key(&self) -> u8 {
        // At most 14 + 63 + 63.
        14 + (self.0[4] & 63) + (self.0[5] & 63)
    }

    /// The year, if there is one.
    pub fn year(&self) -> Option<u16> {
        let year = 1900 + i16::from(self.0[0].cast_signed());
        (self.0[0] != NO_YEAR)
            .then(|| u16::try_from(year).ok())
            .flatten()
    }

    /// Stores a year; false if the byte cannot hold it.
    pub fn set_year(&mut self, year: Option<u16>) -> bool {
        let Some(year) = year else {
            self.0[0] = NO_YEAR;
            return true;
        };
        let offset = i32::from(year) - 1900;
        match i8::try_from(offset).map(i8::cast_unsigned) {
            Ok(byte) if byte != NO_YEAR => {
                self.0[0] = byte;
                true
            }
            _ => {
                self.0[0] = NO_YEAR;
                false
            }
        }
    }

    /// The byte of the result: 0 for 0-1, 1 for a draw, 2 for 1-0. Other values are not results.
    pub fn result(&self) -> u8 {
        self.0[1]
    }

    /// The symbol instead of a result, 0 for none.
    pub fn symbol(&self) -> u8 {
        match self.0[1] {
            0..=2 => 0,
            byte => byte >> 2 & 15,
        }
    }

    /// Whether the byte of the result is one that is written.
    pub fn has_plain_result(&self) -> bool {
        let byte = self.0[1];
        byte <= 2 || byte == 3 | self.symbol() << 2
    }

    /// The bytes of the move area; `None` where the field is 0, which it never is in an intact file.
    pub fn moves_len(&self) -> Option<usize> {
        usize::from(u16::from_be_bytes([self.0[2], self.0[3]])).checked_sub(1)
    }

    /// The bytes of the player text.
    pub fn players_len(&self) -> usize {
        usize::from(self.0[4] & 63)
    }

    /// The bytes of the source text.
    pub fn source_len(&self) -> usize {
        usize::from(self.0[5] & 63)
    }

    /// The bytes of both texts.
    pub fn texts_len(&self) -> usize {
        self.players_len() + self.source_len()
    }

    /// The bytes of the comment area.
    pub fn comments_len(&self) -> usize {
        usize::from(u16::from_be_bytes([self.0[6], self.0[7]]))
    }

    /// Stores the four lengths. Each is truncated to its field; callers respect the limits.
    pub fn set_lengths(&mut self, players: usize, source: usize, moves: usize, comments: usize) {
        let [high, low] = u16::try_from(moves + 1).unwrap_or(u16::MAX).to_be_bytes();
        (self.0[2], self.0[3]) = (high, low);
        let six_bits = |n: usize| u8::try_from(n.min(TEXT_MAX)).unwrap_or(63);
        self.0[4] = self.0[4] & 0xc0 | six_bits(players);
        self.0[5] = self.0[5] & 0xc0 | six_bits(source);
        let [high, low] = u16::try_from(comments).unwrap_or(u16::MAX).to_be_bytes();
        (self.0[6], self.0[7]) = (high, low);
    }

    /// The Elo rating of a player, if there is one.
    pub fn elo(&self, color: Color) -> Option<u16> {
        let byte = self.0[color.fold_wb(8, 9)];
        (byte != 0).then(|| ELO_BASE + ELO_STEP * u16::from(byte))
    }

    /// Stores an Elo rating as the nearest storable one, and returns that.
    pub fn set_elo(&mut self, color: Color, elo: Option<u16>) -> Option<u16> {
        let steps = elo.and_then(|elo| {
            let above = elo.checked_sub(ELO_BASE)?.saturating_add(ELO_STEP / 2);
            u8::try_from(above / ELO_STEP).ok()
        });
        self.0[color.fold_wb(8, 9)] = steps.unwrap_or(0);
        self.elo(color)
    }

    /// Whether the board of a starting position ends the record.
    pub fn is_setup(&self) -> bool {
        self.0[10] & 1 != 0
    }

    /// Whether the game is marked.
    pub fn is_marked(&self) -> bool {
        self.0[10] & 0x40 != 0
    }

    /// Whether the game is deleted.
    pub fn is_deleted(&self) -> bool {
        self.0[10] & 0x80 != 0
    }

    /// The flag of a program's version or platform.
    pub fn version(&self) -> bool {
        self.0[11] & 0x40 != 0
    }

    /// The main ECO number, 0 for none, and the sub-code. Set-up games have neither.
    pub fn eco(&self) -> (u16, u8) {
        if self.is_setup() {
            return (0, 0);
        }
        let main = u16::from(self.0[10] >> 1 & 31)
            | u16::from(self.0[4] >> 6) << 5
            | u16::from(self.0[5] >> 6) << 7;
        (main, self.0[11] & 0x3f | (self.0[11] & 0x80) >> 1)
    }

    /// Stores the ECO numbers of a game that starts normally.
    pub fn set_eco(&mut self, main: u16, sub: u8) {
        let bits = |shift: u32, mask: u16| u8::try_from(main >> shift & mask).unwrap_or(0);
        self.0[10] = self.0[10] & 0xc1 | bits(0, 31) << 1;
        self.0[4] = self.0[4] & 0x3f | bits(5, 3) << 6;
        self.0[5] = self.0[5] & 0x3f | bits(7, 3) << 6;
        self.0[11] = self.0[11] & 0x40 | sub & 0x3f | (sub & 0x40) << 1;
    }

    /// The en passant file of a custom starting position, from 1; 0 for none. Only 0 to 8 are valid.
    pub fn en_passant_file(&self) -> u8 {
        self.0[11] & 15
    }

    /// The bytes of the whole record.
    pub fn record_len(&self) -> usize {
        let board = if self.is_setup() { BOARD_BYTES } else { 0 };
        HEADER_BYTES
            + self.texts_len()
            + self.moves_len().unwrap_or(0)
            + self.comments_len()
            + board
    }

    /// The number of moves that the header claims.
    pub fn move_count(&self) -> u8 {
        self.0[12]
    }

    fn checksum_a(&self) -> u8 {
        let b = &self.0;
        b[0].wrapping_mul(0x25)
            .wrapping_add(b[5])
            .wrapping_add(b[9])
    }

    fn checksum_b(&self) -> u8 {
        let b = &self.0;
        b[3].wrapping_mul(0xc1)
            .wrapping_mul(b[8].wrapping_add(1))
            .wrapping_mul(b[0])
    }

    /// The kind of the checksum.
    pub fn checksum(&self) -> CbfChecksum {
        match self.0[13] {
            sum if sum == self.checksum_b() => CbfChecksum::B,
            sum if sum == self.checksum_a() => CbfChecksum::A,
            _ => CbfChecksum::Wrong,
        }
    }

    /// Stores the right checksum; the last thing to do before [`CbfHeader::encrypt`].
    pub fn seal(&mut self, formula: CbfChecksum) {
        self.0[13] = match formula {
            CbfChecksum::A => self.checksum_a(),
            CbfChecksum::B | CbfChecksum::Wrong => self.checksum_b(),
        };
    }

    /// The bytes of a set-up game that say more than its start position: flags, en passant file, and what should be zero.
    fn setup_bits(&self) -> [u8; 3] {
        let unused = self.0[4] >> 6 | self.0[5] >> 6 << 2;
        [self.0[10] & 0x3f, self.0[11] & 0xbf, unused]
    }

    /// Stores such bytes.
    fn set_setup_bits(&mut self, [flags, file, unused]: [u8; 3]) {
        self.0[10] = self.0[10] & 0xc0 | flags & 0x3f;
        self.0[11] = self.0[11] & 0x40 | file & 0xbf;
        self.0[4] = self.0[4] & 0x3f | unused << 6;
        self.0[5] = self.0[5] & 0x3f | unused >> 2 << 6;
    }
}

/// The bytes of a starting position in hexadecimal, if the position read from them would be stored differently.
pub fn odd_setup(header: &CbfHeader, board: &[u8; BOARD_BYTES], read: &Setup) -> Option<String> {
    let mut again = *header;
    let stored = write_setup(read, &mut again);
    if stored == *board && again.setup_bits() == header.setup_bits() {
        return None;
    }
    let bytes = header.setup_bits().into_iter().chain(*board);
    Some(bytes.fold(String::new(), |mut text, byte| {
        for half in [byte >> 4, byte & 15] {
            text.push(char::from_digit(half.into(), 16).unwrap_or('0'));
        }
        text
    }))
}

/// Restores the result of [`odd_setup`], as far as it is valid; returns the board of the record.
pub fn restore_setup(text: &str, header: &mut CbfHeader) -> Option<[u8; BOARD_BYTES]> {
    let text = text.as_bytes();
    let mut bytes = [0; BOARD_BYTES + 3];
    if text.len() != 2 * bytes.len() {
        return None;
    }
    for (byte, halves) in bytes.iter_mut().zip(text.chunks_exact(2)) {
        let digits = std::str::from_utf8(halves).ok()?;
        *byte = u8::from_str_radix(digits, 16).ok()?;
    }
    let (bits, board) = bytes.split_first_chunk::<3>()?;
    if bits[0] & 1 == 0 {
        return None;
    }
    header.set_setup_bits(*bits);
    board.try_into().ok()
}

/// The role of a code of the set-up board, 1 to 6.
const ROLES: [Role; 6] = [
    Role::King,
    Role::Queen,
    Role::Knight,
    Role::Bishop,
    Role::Rook,
    Role::Pawn,
];

/// The starting position of a record, with the number of squares whose code has no meaning.
pub fn read_setup(header: &CbfHeader, board: &[u8; BOARD_BYTES]) -> (Setup, u32) {
    let mut setup = Setup::empty();
    let mut unknown = 0;
    for square in Square::ALL {
        let index = usize::from(square);
        let byte = board.get(index / 2).copied().unwrap_or(0);
        let code = if index % 2 == 0 { byte >> 4 } else { byte & 15 };
        let color = Color::from_white(code < 8);
        match (
            code,
            usize::from(code & 7)
                .checked_sub(1)
                .and_then(|n| ROLES.get(n)),
        ) {
            (0, _) => {}
            (_, Some(&role)) => setup.board.set_piece_at(square, Piece { color, role }),
            (_, None) => unknown += 1,
        }
    }
    let flags = header.0[10];
    setup.turn = Color::from_white(flags & 2 == 0);
    for (mask, color, side) in CASTLING {
        if flags & mask != 0 {
            setup.castling_rights |= Bitboard::from(corner(color, side));
        }
    }
    if let Some(file) = header.en_passant_file().checked_sub(1)
        && file < 8
    {
        let rank = setup.turn.fold_wb(Rank::Sixth, Rank::Third);
        setup.ep_square = Some(Square::from_coords(File::new(u32::from(file)), rank));
    }
    // From 1 to 256, so never 0.
    if let Some(number) = std::num::NonZeroU32::new(u32::from(board[BOARD_BYTES - 1]) + 1) {
        setup.fullmoves = number;
    }
    (setup, unknown)
}

/// Stores a position into the header's flags and the board of the record. Castling with rooks outside the corners, and
/// move numbers above 256, are left out.
pub fn write_setup(setup: &Setup, header: &mut CbfHeader) -> [u8; BOARD_BYTES] {
    let mut board = [0; BOARD_BYTES];
    for (square, piece) in setup.board.clone() {
        let role = ROLES.iter().position(|role| *role == piece.role);
        let code = u8::try_from(role.unwrap_or(0)).unwrap_or(0) + piece.color.fold_wb(1, 9);
        let index = usize::from(square);
        if let Some(byte) = board.get_mut(index / 2) {
            *byte |= if index % 2 == 0 { code << 4 } else { code };
        }
    }
    let mut flags = 1;
    if setup.turn == Color::Black {
        flags |= 2;
    }
    for (mask, color, side) in CASTLING {
        if setup.castling_rights.contains(corner(color, side)) {
            flags |= mask;
        }
    }
    header.0[10] = header.0[10] & 0xc0 | flags;
    header.0[4] &= 0x3f;
    header.0[5] &= 0x3f;
    let file = setup.ep_square.map_or(0, |ep| u32::from(ep.file()) + 1);
    header.0[11] = header.0[11] & 0x40 | u8::try_from(file).unwrap_or(0);
    let number = setup.fullmoves.get() - 1;
    board[BOARD_BYTES - 1] = u8::try_from(number).unwrap_or(u8::MAX);
    board
}

/// The bits of header byte 10 that allow castling.
const CASTLING: [(u8, Color, CastlingSide); 4] = [
    (4, Color::White, CastlingSide::QueenSide),
    (8, Color::White, CastlingSide::KingSide),
    (16, Color::Black, CastlingSide::QueenSide),
    (32, Color::Black, CastlingSide::KingSide),
];

fn corner(color: Color, side: CastlingSide) -> Square {
    let file = match side {
        CastlingSide::KingSide => File::H,
        CastlingSide::QueenSide => File::A,
    };
    Square::from_coords(file, color.fold_wb(Rank::First, Rank::Eighth))
}

/// The word that an index has for game `number` (from 1) at `offset`, or for the end as number games + 1.
pub fn index_word(offset: u64, number: u64) -> Option<u32> {
    u32::try_from(offset.checked_add(number)?.checked_add(1)?).ok()
}

/// The offset in an index word for game `number`; `None` if it would be negative.
pub fn index_offset(word: u32, number: u64) -> Option<u64> {
    u64::from(word).checked_sub(number.checked_add(1)?)
}

/// An index file.
#[derive(Copy, Clone, Debug)]
pub struct CbfIndex<'a>(pub &'a [u8]);

impl CbfIndex<'_> {
    /// The word at an index, if the file has it.
    pub fn word(&self, at: u64) -> Option<u32> {
        let start = usize::try_from(at.checked_mul(4)?).ok()?;
        let bytes = self.0.get(start..start.checked_add(4)?)?;
        Some(u32::from_be_bytes(bytes.try_into().ok()?))
    }

    /// The number of whole words.
    pub fn words(&self) -> u64 {
        (self.0.len() / 4) as u64
    }

    /// Whether there are words, and the first one, which is 1 for a database without games, is impossible.
    pub fn is_blank(&self) -> bool {
        self.word(0) == Some(0)
    }

    /// The number of games that the first word claims.
    pub fn claimed(&self) -> u64 {
        u64::from(self.word(0).unwrap_or(0)).saturating_sub(1)
    }

    /// The number of games that the file has words for: all but the first, and the last if it is the end.
    pub fn games(&self) -> u64 {
        self.claimed().min(self.words().saturating_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabiya_model::Board;

    #[test]
    fn the_published_index() {
        let words = [(0, 1, 2), (48, 2, 51), (87, 3, 91), (122, 4, 127)];
        for (offset, number, word) in words {
            assert_eq!(index_word(offset, number), Some(word));
            assert_eq!(index_offset(word, number), Some(offset));
        }
        assert_eq!(index_offset(1, 1), None);
        assert_eq!(index_word(u64::from(u32::MAX), 1), None);
        let index = [
            0, 0, 0, 4, 0, 0, 0, 2, 0, 0, 0, 51, 0, 0, 0, 91, 0, 0, 0, 127,
        ];
        assert_eq!(CbfIndex(&index).games(), 3);
        assert_eq!(CbfIndex(&index[..10]).games(), 1);
        assert_eq!(CbfIndex(&[]).games(), 0);
    }

    #[test]
    fn the_published_board() {
        let fen = "kqrbn3/p7/8/8/8/8/P7/KQRBN3 w - - 0 55";
        let (board, _) = Board::from_fen(fen).expect("a position");
        let mut header = CbfHeader::default();
        let bytes = write_setup(&board.to_setup(), &mut header);
        assert_eq!(&bytes[..8], &[0x12, 0x54, 0x30, 0, 0x60, 0, 0, 0]);
        assert_eq!(
            &bytes[24..],
            &[0xe0, 0, 0, 0, 0x9a, 0xdc, 0xb0, 0, 54],
            "ranks 7 and 8 and the number of the move before the next"
        );
        assert!(bytes[8..24].iter().all(|byte| *byte == 0));
        let (setup, unknown) = read_setup(&header, &bytes);
        assert_eq!((Board::from_setup(&setup).0, unknown), (board, 0));
    }

    #[test]
    fn encryption_undoes_itself_also_when_cut() {
        let header = CbfHeader(*b"\xde\x01\x00\x01\x1e\x10\0\0\0\0\0\x40\0\x26");
        assert_eq!(CbfHeader::decrypt(header.encrypt()), header);
        assert_eq!(header.checksum(), CbfChecksum::A);
        let mut other = header;
        other.seal(CbfChecksum::B);
        assert_eq!(other.checksum(), CbfChecksum::B);
        other.seal(CbfChecksum::A);
        assert_eq!(other, header);
        let plain: Vec<u8> = (0..=255).cycle().take(1000).collect();
        type Crypt = fn(&mut [u8], usize);
        for (crypt, len) in [(crypt_texts as Crypt, 126), (crypt_moves, 1000)] {
            let plain = &plain[..len];
            let mut secret = plain.to_vec();
            crypt(&mut secret, len);
            assert_ne!(secret, plain);
            for cut in [0, 1, 2, 63, 64, 65, 100, len] {
                let mut part = secret[..cut].to_vec();
                crypt(&mut part, len);
                assert_eq!(part, &plain[..cut]);
            }
        }
    }

    #[test]
    fn every_field_comes_back() {
        let mut header = CbfHeader::default();
        for year in 1772..=2026 {
            assert!(header.set_year(Some(year)));
            assert_eq!(header.year(), Some(year));
        }
        for year in [0, 1771, 2027, u16::MAX] {
            assert!(!header.set_year(Some(year)));
            assert_eq!(header.year(), None);
        }
        for main in 0..512 {
            let sub = u8::try_from(main % 100).unwrap_or(0);
            header.set_eco(main, sub);
            assert_eq!(header.eco(), (main, sub));
        }
        header.set_lengths(63, 1, MOVES_MAX, COMMENTS_MAX);
        assert_eq!(header.eco(), (511, 11));
        assert_eq!((header.players_len(), header.source_len()), (63, 1));
        assert_eq!(header.moves_len(), Some(MOVES_MAX));
        assert_eq!(header.comments_len(), COMMENTS_MAX);
        for (elo, stored) in [
            (1605, Some(1605)),
            (2603, Some(2605)),
            (2602, Some(2600)),
            (2875, Some(2875)),
            (2878, None),
            (1599, None),
            (1601, None),
        ] {
            assert_eq!(header.set_elo(Color::Black, Some(elo)), stored, "{elo}");
        }
    }
}
