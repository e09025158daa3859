//! Chess engines: other programs that speak the Universal Chess Interface.
//!
//! A [`driver::Engine`] is one process, which is watched all the time: whatever it does, the caller gets a result or a
//! sentence with the reason why not, and no process is left running. [`live`] analysis of a board, [`annotate`] for games
//! with evaluated positions, and the [`journal`] of a long analysis are built on it.
//!
//! The output of an engine is untrusted: lines are bounded, and moves are played on a board before they are accepted. An
//! engine never gets text from a user: positions are written from a board, and options have to be on the engine's own list,
//! within its bounds.
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use tabiya_engine::{Engine, SearchLimits, EngineTimeouts, SearchPosition, EngineSpec};
//! use tabiya_model::{Board, Control};
//!
//! let control = Control::default();
//! let mut engine = Engine::start(&EngineSpec::new("stockfish"), EngineTimeouts::default(), &control)?;
//! let position = SearchPosition::new(&Board::standard())?;
//! let found = engine.search(&position, &SearchLimits::nodes(100_000), &control, &mut |_| true)?;
//! println!("{}: {:?}", engine.id(), found.best);
//! engine.quit();
//! # Ok(())
//! # }
//! ```

pub mod annotate;
#[cfg(target_os = "linux")]
mod descendants;
pub mod driver;
pub mod engine_line;
pub mod error;
pub mod journal;
pub mod live;
pub mod options;
pub mod position_evaluation;
mod process;
mod process_input;
mod process_output;
pub mod program_path;
pub mod settings;
pub mod supervisor;
pub mod tactics;
#[cfg(windows)]
mod windows_job;

pub use driver::{Engine, EngineSpec, EngineTimeouts, SearchLimits, SearchOutcome, SearchPosition};
pub use error::{EngineError, EngineFault};
pub use position_evaluation::{EvaluationKey, PositionEvaluation};
pub use supervisor::EngineSupervisor;
