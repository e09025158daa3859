//! Answers of the server alone. Its jobs give the same answers as the commands for the same job.

mod changes;
mod databases;
mod drafts;
mod engines;
mod jobs;
mod refusals;
mod repertoires;
mod rows;
mod studies;

pub use changes::*;
pub use databases::*;
pub use drafts::*;
pub use engines::*;
pub use jobs::*;
pub use refusals::*;
pub use repertoires::*;
pub use rows::*;
pub use studies::*;
