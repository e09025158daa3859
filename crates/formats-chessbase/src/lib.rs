//! The databases of ChessBase: those of DOS ([`cbf`]) and those of Windows ([`cbh`]).

pub mod cbf;
pub mod cbh;
