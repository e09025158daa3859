//! The databases of jose: dumps as text, and the tables of its server.

pub mod jose;
