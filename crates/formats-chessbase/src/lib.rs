//! The databases of ChessBase: those of DOS ([`cbf`]), those of Windows ([`cbh`]) and those of version 17 and later ([`cbh2`]).

pub mod cbf;
pub mod cbh;
pub mod cbh2;
mod fallback_text;
