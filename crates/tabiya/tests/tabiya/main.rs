//! The jobs of the library, through its public face.

mod after_a_crash;
mod archives;
mod columns_answer;
mod dedupe;
mod explorer;
mod folders;
mod language_peer;
mod lost_files;
mod one_road;
mod query_examples;
mod random_edits;
mod search_formats;
mod search_sample;
mod search_scid;
mod selection;
mod sorted;
mod tar;
mod undone_edits;
