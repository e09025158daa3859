//! Numeric annotation glyphs: their numbers, meanings and symbols.
//!
//! 0 to 139 are those of the 1994 standard, with 115 corrected (it is about Black); 140 to 146, 201, 220, 221 and 238
//! to 255 were added by later programs. 201 and 220 both ask for a diagram, but come from different programs and are
//! never exchanged for each other.

use std::fmt;

/// A numeric annotation glyph; undefined numbers are kept unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Nag(pub u32);

/// What a NAG is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NagKind {
    /// Nothing: number 0.
    Null,
    /// The move just made.
    Move,
    /// The position.
    Position,
    /// The clock.
    Time,
    /// Remarks on the text, diagrams and later extensions.
    Other,
}

/// The meanings of 0 to 13.
const FIRST: [&str; 14] = [
    "no annotation",
    "good move",
    "poor move",
    "very good move",
    "very poor move",
    "interesting move",
    "doubtful move",
    "forced move",
    "only move",
    "worst move",
    "drawish position",
    "equal chances, quiet position",
    "equal chances, active position",
    "unclear position",
];

/// Writes out each meaning for White and for Black.
macro_rules! both {
    ($($meaning:literal),* $(,)?) => { [$(concat!("White ", $meaning), concat!("Black ", $meaning)),*] };
}

/// The meanings of 14 to 139: even numbers speak of White, odd ones of Black.
const PAIRS: [&str; 126] = both![
    "has a slight advantage",
    "has a moderate advantage",
    "has a decisive advantage",
    "has a crushing advantage, the opponent should resign",
    "is in zugzwang",
    "has a slight space advantage",
    "has a moderate space advantage",
    "has a decisive space advantage",
    "has a slight lead in development",
    "has a moderate lead in development",
    "has a decisive lead in development",
    "has the initiative",
    "has a lasting initiative",
    "has the attack",
    "has insufficient compensation for the material",
    "has sufficient compensation for the material",
    "has more than adequate compensation for the material",
    "has slightly more control of the centre",
    "has moderately more control of the centre",
    "has decisively more control of the centre",
    "has slightly more control of the king's side",
    "has moderately more control of the king's side",
    "has decisively more control of the king's side",
    "has slightly more control of the queen's side",
    "has moderately more control of the queen's side",
    "has decisively more control of the queen's side",
    "has a vulnerable first rank",
    "has a well protected first rank",
    "has a poorly protected king",
    "has a well protected king",
    "has a poorly placed king",
    "has a well placed king",
    "has a very weak pawn structure",
    "has a moderately weak pawn structure",
    "has a moderately strong pawn structure",
    "has a very strong pawn structure",
    "has a poorly placed knight",
    "has a well placed knight",
    "has a poorly placed bishop",
    "has a well placed bishop",
    "has a poorly placed rook",
    "has a well placed rook",
    "has a poorly placed queen",
    "has a well placed queen",
    "has poor piece coordination",
    "has good piece coordination",
    "played the opening very badly",
    "played the opening badly",
    "played the opening well",
    "played the opening very well",
    "played the middlegame very badly",
    "played the middlegame badly",
    "played the middlegame well",
    "played the middlegame very well",
    "played the ending very badly",
    "played the ending badly",
    "played the ending well",
    "played the ending very well",
    "has slight counterplay",
    "has moderate counterplay",
    "has decisive counterplay",
    "is in moderate time pressure",
    "is in severe time pressure",
];

/// The meanings of higher numbers, in ascending order.
const LATER: [(u32, &str); 28] = [
    (140, "with the idea"),
    (141, "aimed against"),
    (142, "better is"),
    (143, "worse is"),
    (144, "equivalent is"),
    (145, "editor's remark"),
    (146, "novelty"),
    (201, "diagram (Scid, jose)"),
    (220, "diagram"),
    (221, "diagram, seen from the other side"),
    (238, "space advantage"),
    (239, "open file"),
    (240, "diagonal"),
    (241, "centre"),
    (242, "king's side"),
    (243, "queen's side"),
    (244, "weak point"),
    (245, "ending"),
    (246, "bishop pair"),
    (247, "bishops of opposite colours"),
    (248, "bishops of the same colour"),
    (249, "united pawns"),
    (250, "separated pawns (old diagram mark of jose)"),
    (251, "doubled pawns"),
    (252, "passed pawn"),
    (253, "more pawns"),
    (254, "with"),
    (255, "without"),
];

/// The symbol of a number, in Unicode and, if there is one, in ASCII.
const GLYPHS: [(u32, &str, Option<&str>); 50] = [
    (1, "!", Some("!")),
    (2, "?", Some("?")),
    (3, "!!", Some("!!")),
    (4, "??", Some("??")),
    (5, "!?", Some("!?")),
    (6, "?!", Some("?!")),
    (7, "□", None),
    (8, "□", None),
    (10, "=", Some("=")),
    (13, "∞", Some("~")),
    (14, "⩲", Some("+=")),
    (15, "⩱", Some("=+")),
    (16, "±", Some("+/-")),
    (17, "∓", Some("-/+")),
    (18, "+-", Some("+-")),
    (19, "-+", Some("-+")),
    (20, "+--", Some("+--")),
    (21, "--+", Some("--+")),
    (22, "⨀", None),
    (23, "⨀", None),
    (32, "⟳", None),
    (33, "⟳", None),
    (36, "↑", None),
    (37, "↑", None),
    (40, "→", None),
    (41, "→", None),
    (44, "=∞", None),
    (45, "=∞", None),
    (132, "⇆", None),
    (133, "⇆", None),
    (138, "⊕", None),
    (139, "⊕", None),
    (140, "∆", None),
    (141, "∇", None),
    (142, "⌓", None),
    (143, "≤", None),
    (145, "RR", Some("RR")),
    (146, "N", Some("N")),
    (220, "D", Some("D")),
    (239, "⇔", None),
    (240, "⇗", None),
    (241, "⊞", None),
    (242, "⟫", None),
    (243, "⟪", None),
    (244, "✕", None),
    (245, "⊥", None),
    (247, "◨", None),
    (252, "⚨", None),
    (254, "⌊", None),
    (255, "⌋", None),
];

/// Symbols that may follow a move directly, with the number of each.
///
/// A symbol that White and Black share is read as White's number, as users of the symbol do.
const SIGNS: [(&str, u32); 62] = [
    ("!", 1),
    ("?", 2),
    ("!!", 3),
    ("‼", 3),
    ("??", 4),
    ("⁇", 4),
    ("!?", 5),
    ("⁉", 5),
    ("?!", 6),
    ("⁈", 6),
    ("□", 8),
    ("[]", 8),
    ("=", 10),
    ("==", 11),
    ("∞", 13),
    ("~", 13),
    ("⩲", 14),
    ("+=", 14),
    ("+/=", 14),
    ("⩱", 15),
    ("=+", 15),
    ("=/+", 15),
    ("±", 16),
    ("+/-", 16),
    ("+/−", 16),
    ("∓", 17),
    ("-/+", 17),
    ("−/+", 17),
    ("+-", 18),
    ("+−", 18),
    ("-+", 19),
    ("−+", 19),
    ("+--", 20),
    ("--+", 21),
    ("⨀", 22),
    ("⊙", 22),
    ("⟳", 32),
    ("↻", 32),
    ("↑", 36),
    ("→", 40),
    ("=∞", 44),
    ("=/∞", 44),
    ("∞=", 44),
    ("~=", 44),
    ("⇆", 132),
    ("⇄", 132),
    ("⊕", 138),
    ("∆", 140),
    ("Δ", 140),
    ("△", 140),
    ("∇", 141),
    ("⌓", 142),
    ("≥", 142),
    ("≤", 143),
    ("⇔", 239),
    ("⇗", 240),
    ("⊞", 241),
    ("⟫", 242),
    ("⟪", 243),
    ("⊥", 245),
    ("◨", 247),
    ("⚨", 252),
];

/// Words that mean a number only if they are alone.
const WORDS: [(&str, u32); 8] = [
    ("N", 146),
    ("D", 220),
    ("RR", 145),
    ("zz", 22),
    ("✕", 244),
    ("TN", 146),
    ("⌊", 254),
    ("⌋", 255),
];

impl Nag {
    /// The annotation without a meaning; it is never written.
    pub const NULL: Self = Self(0);
    /// The diagram mark of Scid and jose.
    pub const SCID_DIAGRAM: Self = Self(201);
    /// The diagram mark of ChessBase.
    pub const DIAGRAM: Self = Self(220);

    /// What the NAG is about.
    #[must_use]
    pub fn kind(self) -> NagKind {
        match self.0 {
            0 => NagKind::Null,
            1..=9 => NagKind::Move,
            10..=135 => NagKind::Position,
            136..=139 => NagKind::Time,
            _ => NagKind::Other,
        }
    }

    /// What the number means, if it is defined.
    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        let index = usize::try_from(self.0).ok()?;
        if let Some(name) = FIRST
            .get(index)
            .or_else(|| PAIRS.get(index.checked_sub(FIRST.len())?))
        {
            return Some(name);
        }
        let place = LATER
            .binary_search_by_key(&self.0, |&(number, _)| number)
            .ok()?;
        LATER.get(place).map(|&(_, name)| name)
    }

    /// Whether the NAG is written after a move as one of `!`, `?`, `!!`, `??`, `!?`, `?!`.
    #[must_use]
    pub fn is_suffix(self) -> bool {
        matches!(self.0, 1..=6)
    }

    fn signs(self) -> Option<(&'static str, Option<&'static str>)> {
        let place = GLYPHS
            .binary_search_by_key(&self.0, |&(number, ..)| number)
            .ok()?;
        GLYPHS.get(place).map(|&(_, glyph, ascii)| (glyph, ascii))
    }

    /// The symbol, such as `±`; several numbers share a symbol.
    #[must_use]
    pub fn glyph(self) -> Option<&'static str> {
        self.signs().map(|(glyph, _)| glyph)
    }

    /// The symbol in ASCII, such as `+/-`; read back, it gives the same number.
    #[must_use]
    pub fn ascii(self) -> Option<&'static str> {
        self.signs().and_then(|(_, ascii)| ascii)
    }

    /// Reads a whole token: a symbol such as `!?` or `±`, or a word such as `N`.
    #[must_use]
    pub fn from_glyph(token: &str) -> Option<Self> {
        let exact = |&&(known, _): &&(&str, u32)| known == token;
        SIGNS
            .iter()
            .chain(&WORDS)
            .find(exact)
            .map(|&(_, number)| Self(number))
    }

    /// Takes the longest symbol off the start of a text, as in `!?+/-`; words are not recognised.
    #[must_use]
    pub fn strip_glyph(text: &str) -> Option<(Self, &str)> {
        SIGNS
            .iter()
            .filter_map(|&(sign, number)| Some((Self(number), text.strip_prefix(sign)?)))
            .min_by_key(|(_, rest)| rest.len())
    }

    /// Reads `$` and digits; a number too large for the model is refused.
    #[must_use]
    pub fn from_pgn(token: &str) -> Option<Self> {
        let digits = token.strip_prefix('$')?;
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        digits.parse().ok().map(Self)
    }
}

impl fmt::Display for Nag {
    /// Writes the number as PGN does, `$14`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "${}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn meanings() {
        for (number, name) in [
            (1, "good move"),
            (13, "unclear position"),
            (14, "White has a slight advantage"),
            (19, "Black has a decisive advantage"),
            (23, "Black is in zugzwang"),
            (36, "White has the initiative"),
            (41, "Black has the attack"),
            (44, "White has sufficient compensation for the material"),
            (66, "White has a vulnerable first rank"),
            (85, "Black has a very strong pawn structure"),
            (105, "Black has good piece coordination"),
            (115, "Black played the middlegame very badly"),
            (129, "Black played the ending very well"),
            (132, "White has moderate counterplay"),
            (139, "Black is in severe time pressure"),
            (146, "novelty"),
        ] {
            assert_eq!(Nag(number).name(), Some(name), "{number}");
        }
        for number in [147, 200, 222, 256, 1000, u32::MAX] {
            assert_eq!(Nag(number).name(), None, "{number}");
        }
        assert_ne!(Nag::SCID_DIAGRAM.name(), Nag::DIAGRAM.name());
    }

    #[test]
    fn kinds() {
        for (number, kind) in [
            (0, NagKind::Null),
            (9, NagKind::Move),
            (10, NagKind::Position),
            (135, NagKind::Position),
            (136, NagKind::Time),
            (140, NagKind::Other),
        ] {
            assert_eq!(Nag(number).kind(), kind);
        }
    }

    #[test]
    fn tables_are_in_order_and_agree() {
        assert!(LATER.is_sorted_by_key(|&(number, _)| number));
        assert!(GLYPHS.is_sorted_by_key(|&(number, ..)| number));
        for (number, glyph, ascii) in GLYPHS {
            assert!(
                Nag(number).name().is_some(),
                "{number} has a sign but no meaning"
            );
            let read = Nag::from_glyph(glyph);
            assert!(read.is_some(), "{glyph} is written but not read");
            assert_eq!(read.and_then(Nag::glyph), Some(glyph), "{glyph}");
            if let Some(ascii) = ascii {
                assert!(ascii.is_ascii());
                assert_eq!(Nag::from_glyph(ascii), Some(Nag(number)), "{ascii}");
            }
        }
        for (sign, number) in SIGNS.into_iter().chain(WORDS) {
            let name = Nag(number).name();
            assert!(name.is_some(), "{sign}");
            let known = SIGNS
                .iter()
                .chain(&WORDS)
                .filter(|(other, _)| *other == sign);
            assert_eq!(known.count(), 1, "{sign} is listed twice");
        }
    }

    #[test]
    fn the_longest_sign_wins() {
        let all = |mut text: &str| {
            let mut numbers = Vec::new();
            while let Some((nag, rest)) = Nag::strip_glyph(text) {
                numbers.push(nag.0);
                text = rest;
            }
            (numbers, text.to_owned())
        };
        for (text, numbers, rest) in [
            ("!", vec![1], ""),
            ("!!", vec![3], ""),
            ("!!?", vec![3, 2], ""),
            ("!?+/-", vec![5, 16], ""),
            ("?!∓", vec![6, 17], ""),
            ("+-", vec![18], ""),
            ("+--", vec![20], ""),
            ("+/=", vec![14], ""),
            ("=+", vec![15], ""),
            ("=/+!", vec![15, 1], ""),
            ("±∞ x", vec![16, 13], " x"),
            ("N", vec![], "N"),
            ("", vec![], ""),
        ] {
            assert_eq!(all(text), (numbers, rest.to_owned()), "{text}");
        }
        assert_eq!(Nag::from_glyph("N"), Some(Nag(146)));
        assert_eq!(Nag::from_glyph("D"), Some(Nag::DIAGRAM));
        assert_eq!(Nag::from_glyph("!x"), None);
    }

    #[test]
    fn numbers_in_pgn() {
        assert_eq!(Nag::from_pgn("$14"), Some(Nag(14)));
        assert_eq!(Nag::from_pgn("$00300"), Some(Nag(300)));
        for token in ["", "$", "14", "$1x", "$+1", "$4294967296"] {
            assert_eq!(Nag::from_pgn(token), None, "{token}");
        }
    }

    proptest! {
        #[test]
        fn every_number_goes_both_ways(number in any::<u32>()) {
            prop_assert_eq!(Nag::from_pgn(&Nag(number).to_string()), Some(Nag(number)));
        }

        #[test]
        fn any_text_is_read_without_panic(text in "[!?+/=~±∓-]{0,6}.{0,6}") {
            if let Some((_, rest)) = Nag::strip_glyph(&text) {
                prop_assert!(rest.len() < text.len() && text.ends_with(rest));
            }
            let _ = Nag::from_glyph(&text);
        }
    }
}
