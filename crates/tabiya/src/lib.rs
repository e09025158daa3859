//! Tabiya, the universal chess database.
