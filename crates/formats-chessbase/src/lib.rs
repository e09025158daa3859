//! The databases of ChessBase: those of DOS ([`cbf`]), those of Windows ([`cbh`]) and those of version 17 and later ([`cbh2`]); and
//! the list of those that its window shows ([`window_list`]).

pub mod cbf;
pub mod cbh;
pub mod cbh2;
mod counted;
mod encode;
mod fallback_text;
pub mod window_list;
mod writer;
