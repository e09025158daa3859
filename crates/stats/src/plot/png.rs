//! The few chunks that a PNG file needs.

use std::io::{self, Write};

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};

/// A picture of three bytes a pixel.
pub(super) fn encode(pixels: &[u8], width: u32, height: u32) -> io::Result<Vec<u8>> {
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut header = Vec::new();
    header.extend(width.to_be_bytes());
    header.extend(height.to_be_bytes());
    // Eight bits a channel, colours without alpha, the one way of packing, filters by row, not interlaced.
    header.extend([8, 2, 0, 0, 0]);
    chunk(&mut file, *b"IHDR", &header)?;
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
    let row = usize::try_from(width).map_or(0, |width| width * 3);
    for pixels in pixels.chunks(row.max(1)) {
        packed.write_all(&[0])?;
        packed.write_all(pixels)?;
    }
    chunk(&mut file, *b"IDAT", &packed.finish()?)?;
    chunk(&mut file, *b"IEND", &[])?;
    Ok(file)
}

fn chunk(file: &mut Vec<u8>, name: [u8; 4], data: &[u8]) -> io::Result<()> {
    let length = u32::try_from(data.len()).map_err(|_| io::ErrorKind::FileTooLarge)?;
    let mut crc = Crc::new();
    crc.update(&name);
    crc.update(data);
    file.extend(length.to_be_bytes());
    file.extend(name);
    file.extend(data);
    file.extend(crc.sum().to_be_bytes());
    Ok(())
}
