//! Finds the games of open databases that a query or numbers select, in an order, and returns them. Writes nothing.

pub(crate) mod base_view;
pub mod fact_sort;
pub mod game_order;
pub(crate) mod gather;
pub mod list;
pub mod numbers;
pub(crate) mod opening;
pub mod sample;
pub(crate) mod search;
pub mod selection;
pub mod show;
pub(crate) mod similar_names;
