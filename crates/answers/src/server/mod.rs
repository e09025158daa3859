//! Answers of the server alone. Its jobs give the same answers as the commands for the same job.

mod changes;
mod databases;
mod drafts;
mod engines;
mod jobs;
mod logins;
mod refusals;
mod renewals;
mod repertoires;
mod rows;
mod studies;

pub use changes::*;
pub use databases::*;
pub use drafts::*;
pub use engines::*;
pub use jobs::*;
pub use logins::*;
pub use refusals::*;
pub use renewals::*;
pub use repertoires::*;
pub use rows::*;
pub use studies::*;
