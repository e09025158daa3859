//! jose: games in MySQL tables, archives of tables and SQL dumps.

pub mod dump;
pub mod error;
pub mod moves;
pub mod myisam;
pub mod table;
pub mod text;

#[cfg(test)]
mod oracle;
