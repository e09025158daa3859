//! The guarantees of single formats, tested through their public interfaces: with data of others, with other programs, and
//! with damage.

mod books;
mod cbf;
mod cbh;
mod cbh2;
mod chess_assistant;
mod epd;
#[path = "../games/mod.rs"]
mod games;
mod kept;
mod parquet;
mod pgn_few_tags;
mod pgn_golden;
mod scid;
