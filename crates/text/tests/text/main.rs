//! The tests of texts.

mod charset_detection;
mod charset_rates;
mod charsets;
