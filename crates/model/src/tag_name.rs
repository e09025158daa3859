//! Tag names: the Seven Tag Roster, the well-known ones, and the rules for valid names.

/// The seven tags that every exported game has, in their order.
pub const ROSTER: [&str; 7] = ["Event", "Site", "Date", "Round", "White", "Black", "Result"];

/// Further names with a known meaning, in ASCII order.
pub const WELL_KNOWN: [&str; 55] = [
    "Annotator",
    "BlackBlitz",
    "BlackClock",
    "BlackCountry",
    "BlackDWZ",
    "BlackECF",
    "BlackElo",
    "BlackFideId",
    "BlackICCF",
    "BlackNA",
    "BlackRapid",
    "BlackRating",
    "BlackTeam",
    "BlackTitle",
    "BlackType",
    "BlackUSCF",
    "Board",
    "ECO",
    "EventDate",
    "EventSponsor",
    "EventType",
    "FEN",
    "Mode",
    "NIC",
    "Opening",
    "PlyCount",
    "ScidFlags",
    "Section",
    "SetUp",
    "Source",
    "SourceDate",
    "Stage",
    "SubVariation",
    "Termination",
    "Time",
    "TimeControl",
    "UTCDate",
    "UTCTime",
    "Variant",
    "Variation",
    "WhiteBlitz",
    "WhiteClock",
    "WhiteCountry",
    "WhiteDWZ",
    "WhiteECF",
    "WhiteElo",
    "WhiteFideId",
    "WhiteICCF",
    "WhiteNA",
    "WhiteRapid",
    "WhiteRating",
    "WhiteTeam",
    "WhiteTitle",
    "WhiteType",
    "WhiteUSCF",
];

/// The index of a tag in the Seven Tag Roster, if it is one of them, in any case.
#[must_use]
pub fn roster_index(name: &str) -> Option<usize> {
    ROSTER
        .iter()
        .position(|known| known.eq_ignore_ascii_case(name))
}

/// The proper spelling of a roster name written in any case.
#[must_use]
pub fn restore(name: &str) -> Option<&'static str> {
    roster_index(name).and_then(|index| ROSTER.get(index).copied())
}

/// The usual spelling of any known name written in any case; a suggestion, for names are case-sensitive.
#[must_use]
pub fn suggest(name: &str) -> Option<&'static str> {
    restore(name).or_else(|| {
        WELL_KNOWN
            .into_iter()
            .find(|known| known.eq_ignore_ascii_case(name))
    })
}

/// Whether a name is a valid PGN tag name: ASCII letters, digits and underscores.
#[must_use]
pub fn is_valid(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Whether a name is valid and, as usual in archives, begins with a capital letter.
#[must_use]
pub fn is_archival(name: &str) -> bool {
    is_valid(name) && name.starts_with(|c: char| c.is_ascii_uppercase())
}

/// The value that an export writes for a missing tag of the Seven Tag Roster.
#[must_use]
pub fn missing_value(name: &str) -> &'static str {
    match name {
        "Date" => "????.??.??",
        "Result" => "*",
        _ => "?",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelling() {
        assert_eq!(restore("white"), Some("White"));
        assert_eq!(restore("RESULT"), Some("Result"));
        assert_eq!(restore("whiteelo"), None);
        assert_eq!(suggest("whiteelo"), Some("WhiteElo"));
        assert_eq!(suggest("setup"), Some("SetUp"));
        assert_eq!(suggest("Colour"), None);
        assert_eq!(roster_index("black"), Some(5));
        assert_eq!(missing_value("Date"), "????.??.??");
        assert_eq!(missing_value("Site"), "?");
    }

    #[test]
    fn validity() {
        for name in ["White", "_x", "1st", "a_B9"] {
            assert!(is_valid(name), "{name}");
        }
        for name in ["", "White Elo", "Wei\u{df}", "a-b", "a\"b"] {
            assert!(!is_valid(name), "{name}");
        }
        assert!(is_archival("ECO") && !is_archival("eco") && !is_archival("_E"));
    }

    #[test]
    fn the_list_is_sorted_and_valid() {
        assert!(WELL_KNOWN.is_sorted());
        assert!(
            WELL_KNOWN
                .iter()
                .chain(&ROSTER)
                .all(|name| is_archival(name))
        );
    }
}
