//! The game model of Tabiya.
//!
//! A [`game::Game`] holds its tags, its starting position, and its moves with their annotations on a [`tape::Tape`].
//! Formats implement the traits of [`database`]; their findings are [`diagnostic`]s, and data that they cannot hold are
//! [`loss`]es. This crate opens no file and prints nothing.
//!
//! ```
//! use tabiya_model::{Game, Replay};
//!
//! let mut game = Game::default();
//! game.tags.set("White", "Morphy, Paul");
//! let mut replay = Replay::new(&game.start_board());
//! for san in ["e4", "e5", "Nf3"] {
//!     let (found, _) = replay.now().read_san(san.as_bytes()).expect("a move in letters");
//!     let m = found.expect("a move of this position");
//!     game.tape.push_move(m);
//!     replay.play(m);
//! }
//! game.tape.push_comment("The king's knight comes out.");
//! assert_eq!(game.tape.plies(), 3);
//! assert!(replay.now().to_fen().starts_with("rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b"));
//! ```

pub mod board;
pub mod canon_game;
pub mod code_tables;
pub mod collect;
pub mod command;
pub mod control;
pub mod database;
pub mod date;
pub mod diagnostic;
pub mod diff;
pub mod eco;
pub mod editor;
pub mod error;
pub mod error_codes;
pub mod facts;
pub mod file_errors;
pub mod game;
pub mod game_offsets;
pub mod judgement;
pub mod limits;
pub mod loss;
pub mod metadata;
pub mod nag;
pub mod notation;
pub mod outcome;
pub mod performance;
pub mod pipeline;
pub mod position_book;
pub mod positions;
pub mod rating;
pub mod round;
#[cfg(feature = "serde")]
mod serialize;
pub mod setup_tags;
pub mod sort_order;
pub mod tag_name;
pub mod tags;
pub mod tape;
pub mod text;
pub mod time_class;
pub mod time_control;
pub mod user_hint;

pub use board::{Board, Move};
pub use control::{Control, JobCompletion};
pub use database::{
    Block, Database, DatabaseInfo, EncodedGames, Encoder, GameNeeds, Sink, Source, WriteSummary,
};
pub use diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Location, Severity};
pub use error::{Error, ErrorCode, ErrorKind, Result};
pub use game::Game;
pub use loss::{GameAspect, Loss, LossKind, LossReport, Losses};
pub use metadata::DatabaseMetadata;
pub use tabiya_text::{charset, csv_cells, digits, json};
pub use tags::Tags;
pub use tape::{Replay, Tape, TapeOp};
pub use user_hint::{UserAction, UserHint};
