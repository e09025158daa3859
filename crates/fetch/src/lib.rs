//! Games, studies and rating lists from sites on the web, kept current.
//!
//! A [`FetchJob`] updates one base from one or several [`FetchSource`]s. What it knows of each is in a file beside the base
//! ([`FetchState`]), which saves requests; only the base itself decides whether a game is already there, so that a run that
//! was cut off at any moment can simply be repeated. Nothing is requested that the user did not ask for, every site gets
//! one request at a time, and a site's address comes from the user or is the one in [`FetchSite`], never from an answer.

mod broadcast;
mod chesscom;
mod client;
mod dump;
mod error;
mod fide;
mod game_key;
mod lichess;
mod login;
mod login_listener;
mod pgn_answer;
mod site;
mod state;
mod stoppable_reader;
mod study;
mod target;
mod token;
mod twic;

mod job;

pub use client::FetchClient;
pub use error::FetchError;
pub use job::{
    FetchConflict, FetchConflictChoice, FetchConflictSide, FetchJob, FetchReport, FetchSource,
    fetch_dump, fetch_ratings,
};
pub use login::{LoginAttempt, LoginCallback, LoginCode};
pub use login_listener::{LoginListener, LoginVisitor};
pub use site::{FetchSettings, FetchSite};
pub use state::FetchState;
pub use token::{FetchToken, FetchTokens};

/// The result type of this crate.
pub type Result<T> = std::result::Result<T, FetchError>;
