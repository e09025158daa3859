//! Repertoires: the opening lines of one side as positions with moves (`docs/repertoire.md` has the exact meaning).
//!
//! A [`RepertoireBuilder`] takes games and makes one [`Repertoire`] for each side that they are for. A
//! [`RepertoireFollower`] finds where a game leaves one.
//!
//! ```
//! use tabiya_repertoire::{Repertoire, RepertoireBuilder, RepertoireError};
//!
//! let made = RepertoireBuilder::default().finish(None);
//! assert!(matches!(made, Err(RepertoireError::Empty)));
//! ```

mod builder;
mod follower;
mod frequency;
mod fsrs;
mod key_bits;
mod marks;
mod repertoire;
mod return_filter;
mod reviews;
mod training;

pub use builder::{RepertoireBuilder, RepertoireError};
pub use follower::{RepertoireEnd, RepertoireExit, RepertoireFollower};
pub use frequency::{MoveFrequency, position_frequencies};
pub use fsrs::{Fsrs, MemoryState, ReviewRating};
pub use marks::{RepertoireMarks, RepertoireNotes};
pub use repertoire::{ColorSource, Repertoire, RepertoireMove, RepertoirePosition, moves_in_words};
pub use reviews::{
    LOG_HEADING, Review, ReviewLog, ReviewedPosition, device_name, position_in_words, read_time,
    time_in_words,
};
pub use training::{
    TrainingCard, TrainingQuestion, TrainingSession, TrainingVerdict, training_cards,
};
