//! `tabiya info --raw`: the files inside an .emb, for people who want to help to decode the format.

use std::io::Write;
use std::path::PathBuf;
use tabiya_model::error_codes;

use anyhow::Result;
use tabiya_formats::chess_assistant::{EXTENSIONS, inner_files};
use tabiya_formats::format::OpenOptions;

use super::exit::Exit;
use super::output;

/// Bytes in a line.
const LINE: usize = 16;

pub(crate) fn run(sources: &[PathBuf], options: &OpenOptions) -> Result<Exit> {
    let [source] = sources else {
        return Err(tabiya_model::Error::new(
            &error_codes::ONE_DATABASE,
            "--raw shows one database at a time",
        )
        .into());
    };
    let extension = source.extension().unwrap_or_default();
    if !EXTENSIONS
        .iter()
        .any(|known| extension.eq_ignore_ascii_case(known))
    {
        return Err(tabiya_model::Error::new(
            &error_codes::UNSUPPORTED_VERSION,
            "--raw needs a database of Chess Assistant (.cdp, .emb, …)",
        )
        .in_file(source.display().to_string())
        .into());
    }
    let mut out = output::stdout();
    let mut exit = Exit::Success;
    for file in inner_files(source, options)? {
        writeln!(
            out,
            "{}  {} bytes, {} fragments, table at byte {}{}",
            output::printable(&file.name),
            file.length,
            file.fragments,
            file.offset,
            if file.is_described {
                ""
            } else {
                ", not in the description"
            }
        )?;
        match &file.content {
            Ok(content) => write_bytes(content, &mut out)?,
            Err(damage) => {
                exit = Exit::Incomplete;
                writeln!(out, "  {} at byte {}", damage.what, damage.offset)?;
            }
        }
    }
    out.flush()?;
    Ok(exit)
}

/// Writes bytes as offset, hexadecimal digits and ASCII.
fn write_bytes(content: &[u8], out: &mut impl Write) -> std::io::Result<()> {
    for (line, bytes) in content.chunks(LINE).enumerate() {
        write!(out, "  {:08x} ", line * LINE)?;
        for byte in bytes {
            write!(out, " {byte:02x}")?;
        }
        let missing = LINE.saturating_sub(bytes.len());
        let text: String = bytes
            .iter()
            .map(|byte| match byte {
                b' '..=b'~' => char::from(*byte),
                _ => '.',
            })
            .collect();
        writeln!(out, "{:width$}  {text}", "", width = missing * 3)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn bytes_stand_beside_their_letters() {
        let mut out = Vec::new();
        let bytes: Vec<u8> = (b'a'..=b'q').chain([0]).collect();
        super::write_bytes(&bytes, &mut out).expect("written");
        let text = String::from_utf8(out).expect("ASCII");
        assert_eq!(
            text,
            "  00000000  61 62 63 64 65 66 67 68 69 6a 6b 6c 6d 6e 6f 70  abcdefghijklmnop\n  \
             00000010  71 00                                            q.\n"
        );
    }
}
