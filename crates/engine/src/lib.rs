//! Chess engines: programs of others that speak the Universal Chess Interface.
//!
//! A [`driver::Engine`] is one process that is asked for positions and watched all the time: whatever it does, its holder
//! gets an answer or a sentence that says why not, and no process is left behind. On it stand [`live`]
//! analysis beside a board, [`annotate`] for games whose positions were evaluated, and the [`journal`] of a long analysis.
//!
//! What an engine says is data from a stranger: lines are bounded, moves are played on a board before they are believed.
//! What an engine is told is never a text of a user: positions are written anew from a board, options have to be on the
//! list that the engine gave, within its bounds.
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use tabiya_engine::{Engine, Go, Patience, Position, Spec};
//! use tabiya_model::{Board, Control};
//!
//! let control = Control::default();
//! let mut engine = Engine::start(&Spec::new("stockfish"), Patience::default(), &control)?;
//! let position = Position::new(&Board::standard())?;
//! let found = engine.search(&position, &Go::nodes(100_000), &control, &mut |_| true)?;
//! println!("{}: {:?}", engine.id(), found.best);
//! engine.quit();
//! # Ok(())
//! # }
//! ```

pub mod annotate;
pub mod driver;
pub mod error;
pub mod evaluated;
pub mod find;
pub mod info;
mod input;
#[cfg(windows)]
mod job;
pub mod journal;
pub mod keeper;
pub mod live;
#[cfg(target_os = "linux")]
mod offspring;
pub mod options;
mod output;
mod process;
pub mod settings;
pub mod tactics;

pub use driver::{Engine, Go, Patience, Position, Search, Spec};
pub use error::{EngineError, Fault};
pub use evaluated::{Evaluated, Key};
pub use keeper::Keeper;
