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
