//! Texts, without chess: charsets and how they are detected, JSON, numbers as digits, cells of comma-separated values.
//!
//! ```
//! use tabiya_text::charset::Charset;
//!
//! assert_eq!(Charset::Cp1252.decode(b"Gr\xfcnfeld"), "Grünfeld");
//! ```

pub mod charset;
pub mod csv_cells;
pub mod digits;
pub mod json;
