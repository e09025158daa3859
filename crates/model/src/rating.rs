//! Ratings of players: a number and the list it comes from.

use shakmaty::Color;

/// The rating list that a number comes from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RatingKind {
    /// The FIDE list.
    #[default]
    Elo,
    /// An unnamed list.
    Rating,
    /// A list for rapid play.
    Rapid,
    /// The list of the correspondence chess federation.
    Iccf,
    /// The list of the United States.
    Uscf,
    /// The German list.
    Dwz,
    /// The English list, formerly called BCF.
    Ecf,
    /// A list for blitz play.
    Blitz,
}

/// One line per kind: the kind and its two tag names. The first seven are in Scid's order.
const KINDS: [(RatingKind, &str, &str); 8] = [
    (RatingKind::Elo, "WhiteElo", "BlackElo"),
    (RatingKind::Rating, "WhiteRating", "BlackRating"),
    (RatingKind::Rapid, "WhiteRapid", "BlackRapid"),
    (RatingKind::Iccf, "WhiteICCF", "BlackICCF"),
    (RatingKind::Uscf, "WhiteUSCF", "BlackUSCF"),
    (RatingKind::Dwz, "WhiteDWZ", "BlackDWZ"),
    (RatingKind::Ecf, "WhiteECF", "BlackECF"),
    (RatingKind::Blitz, "WhiteBlitz", "BlackBlitz"),
];

/// The kinds that Scid has codes for.
const SCID_KINDS: usize = 7;

impl RatingKind {
    /// Every kind.
    pub fn all() -> impl Iterator<Item = Self> {
        KINDS.into_iter().map(|(kind, ..)| kind)
    }

    /// The tag that holds a player's rating of this kind, such as `WhiteElo`.
    #[must_use]
    pub fn tag_name(self, color: Color) -> &'static str {
        KINDS
            .iter()
            .find(|(kind, ..)| *kind == self)
            .map_or("", |&(_, white, black)| color.fold_wb(white, black))
    }

    /// The player and rating kind of a tag name; `WhiteBCF` is the older name of `WhiteECF`.
    #[must_use]
    pub fn from_tag_name(name: &str) -> Option<(Color, Self)> {
        match name {
            "WhiteBCF" => return Some((Color::White, Self::Ecf)),
            "BlackBCF" => return Some((Color::Black, Self::Ecf)),
            _ => {}
        }
        KINDS.iter().find_map(|&(kind, white, black)| {
            if name == white {
                Some((Color::White, kind))
            } else if name == black {
                Some((Color::Black, kind))
            } else {
                None
            }
        })
    }

    /// Scid's code, if it has one for this kind.
    #[must_use]
    pub fn to_scid(self) -> Option<u8> {
        (0u8..)
            .zip(&KINDS[..SCID_KINDS])
            .find(|(_, (kind, ..))| *kind == self)
            .map(|(n, _)| n)
    }

    /// The kind of Scid's code, `None` for the undefined codes from 7 on.
    #[must_use]
    pub fn from_scid(code: u8) -> Option<Self> {
        KINDS[..SCID_KINDS]
            .get(usize::from(code))
            .map(|&(kind, ..)| kind)
    }
}

/// A rating; 0 is never a rating.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Rating {
    /// The number.
    pub value: u16,
    /// The list it comes from.
    pub kind: RatingKind,
}

impl Rating {
    /// Reads the value of a rating tag; `-`, `?`, 0 and anything but a number is not a rating.
    ///
    /// Servers put a question mark after a provisional rating; it is accepted and dropped.
    #[must_use]
    pub fn parse(kind: RatingKind, text: &str) -> Option<Self> {
        let text = text.trim();
        let text = text.strip_suffix('?').unwrap_or(text);
        if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let value = text.parse().ok().filter(|&value| value != 0)?;
        Some(Self { value, kind })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_codes_go_both_ways() {
        for kind in RatingKind::all() {
            for color in Color::ALL {
                assert_eq!(
                    RatingKind::from_tag_name(kind.tag_name(color)),
                    Some((color, kind))
                );
            }
            if let Some(code) = kind.to_scid() {
                assert_eq!(RatingKind::from_scid(code), Some(kind));
            }
        }
        assert_eq!(RatingKind::from_scid(6), Some(RatingKind::Ecf));
        assert_eq!(RatingKind::from_scid(7), None);
        assert_eq!(RatingKind::Blitz.to_scid(), None);
        assert_eq!(
            RatingKind::from_tag_name("WhiteBCF"),
            Some((Color::White, RatingKind::Ecf))
        );
        assert_eq!(RatingKind::from_tag_name("whiteelo"), None);
    }

    #[test]
    fn values() {
        let value = |text| Rating::parse(RatingKind::Elo, text).map(|r| r.value);
        assert_eq!(value("2785"), Some(2785));
        assert_eq!(value(" 0100 "), Some(100));
        assert_eq!(value("1500?"), Some(1500));
        for text in [
            "",
            "-",
            "?",
            "0",
            "-5",
            "+5",
            "65536",
            "2700!",
            "99999999999999999999",
        ] {
            assert_eq!(value(text), None, "{text}");
        }
    }
}
