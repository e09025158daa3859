//! The driver of engines, with engines that misbehave.

mod live;
mod misbehaviour;
