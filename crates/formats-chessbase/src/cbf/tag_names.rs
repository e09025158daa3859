//! The tags for data that has no PGN tag.

/// The tag of a symbol instead of a result.
pub const RESULT_TAG: &str = "CbfResult";
/// The tag of a result's byte that would not be written.
pub const RESULT_BYTE_TAG: &str = "CbfResultByte";
/// The tag of the bytes of a starting position that would be stored differently.
pub const SETUP_TAG: &str = "CbfSetup";
/// The tag of a version bit that is not set, and of the older checksum.
pub const VERSION_TAG: &str = "CbfVersion";
/// The tag of a player text that the names would not give back.
pub const PLAYERS_TAG: &str = "CbfPlayers";
/// The tag of a source text that event and round would not give back.
pub const SOURCE_TAG: &str = "CbfSource";
/// The tag of ECO numbers that are not a code.
pub const ECO_TAG: &str = "CbfEco";
