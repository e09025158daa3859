//! Formats of text: PGN, EPD, and tables of games and plies as comma-separated values.

pub mod csv;
pub mod epd;
pub mod pgn;
