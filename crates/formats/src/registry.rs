//! The list of formats, and finding the right one for a file.

use tabiya_codec::format::{Format, FormatProbe, ProbeAnswer};

/// Every format. The order decides between equal answers.
pub static FORMATS: &[&Format] = &[
    &crate::pgn::FORMAT,
    &crate::scid::SI5,
    &crate::scid::SI4,
    &crate::scid::SI3,
    &crate::cbh::FORMAT,
    &crate::cbh2::FORMAT,
    &crate::cbf::FORMAT,
    &crate::chess_assistant::FORMAT,
    &crate::jose::FORMAT,
    &crate::ndjson::FORMAT,
    &crate::lichess::FORMAT,
    &crate::chesscom::FORMAT,
    #[cfg(feature = "parquet")]
    &crate::parquet::FORMAT,
    #[cfg(feature = "parquet")]
    &crate::lake::FORMAT,
    &crate::epd::FORMAT,
    &crate::csv::GAMES,
    &crate::csv::PLIES,
    &crate::fbk::FORMAT,
    &crate::polyglot::FORMAT,
    &crate::ctg::FORMAT,
    &crate::abk::FORMAT,
];

/// The format of a name.
pub fn by_name(name: &str) -> Option<&'static Format> {
    FORMATS
        .iter()
        .copied()
        .find(|format| format.name.eq_ignore_ascii_case(name))
}

/// The extension of archives that a format writes; their content, and not their name, says what is read out of them.
const WRITTEN_ARCHIVES: [(&str, &Format); 1] = [("cbv", &crate::cbh::FORMAT)];

/// The format that is written under an extension.
pub fn by_extension(extension: &str) -> Option<&'static Format> {
    let extension = extension.to_ascii_lowercase();
    let archive = WRITTEN_ARCHIVES.iter().find(|(own, _)| *own == extension);
    FORMATS
        .iter()
        .copied()
        .find(|format| format.extensions.contains(&extension.as_str()))
        .or(archive.map(|(_, format)| *format))
}

/// Whether what is written under an extension is an archive, out of which a database is read.
pub fn is_written_archive(extension: &str) -> bool {
    WRITTEN_ARCHIVES
        .iter()
        .any(|(own, _)| own.eq_ignore_ascii_case(extension))
}

/// The format with the most certain answer to a probe, with its answer.
pub fn identify(probe: &FormatProbe<'_>) -> Option<(&'static Format, ProbeAnswer)> {
    // A lake is recognised by its manifest, before other formats search through all of its folders.
    #[cfg(feature = "parquet")]
    if probe.is_folder && (crate::lake::FORMAT.identify)(probe) == ProbeAnswer::Yes {
        return Some((&crate::lake::FORMAT, ProbeAnswer::Yes));
    }
    FORMATS
        .iter()
        .map(|format| (*format, (format.identify)(probe)))
        .filter(|(_, identity)| *identity != ProbeAnswer::No)
        .rev()
        .max_by_key(|(_, identity)| *identity)
}
