//! Games, studies and rating lists that come from the sites where they are, and stay current.
//!
//! A [`FetchJob`] feeds one base from one or several [`FetchSource`]s. What it has learnt of each is in a file beside the base
//! ([`FetchState`]), which says what need not be asked again; whether a game is there already is decided by the base alone, so that
//! a run that was cut off at any moment is only repeated. Nothing is asked that nobody asked for, every site is asked one thing
//! at a time, and a site's address comes from the user or is the one in [`FetchSite`], never from an answer.

mod broadcast;
mod chesscom;
mod client;
mod error;
mod fide;
mod lichess;
mod pgn_answer;
mod site;
mod state;
mod study;
mod target;
mod token;
mod twic;

mod job;

pub use client::FetchClient;
pub use error::FetchError;
pub use job::{FetchJob, FetchReport, FetchSource, fetch_ratings};
pub use site::{FetchSettings, FetchSite};
pub use state::FetchState;
pub use token::{FetchToken, FetchTokens};

/// What a job of this crate gives.
pub type Result<T> = std::result::Result<T, FetchError>;
