//! What single formats promise, through their public faces: against data of others, against other programs, and against damage.

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
