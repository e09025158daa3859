//! The codecs of Tabiya.
