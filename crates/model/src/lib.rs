//! The game model of Tabiya.
