//! The icon of `packaging/linux/tabiya.svg` as pictures of points, for systems that take no drawings.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

const BLUE: [u8; 4] = [0x2c, 0x5f, 0x8a, 0xff];
const WHITE: [u8; 4] = [0xff; 4];
const NOTHING: [u8; 4] = [0; 4];

/// The colour at a place of the drawing, which is 32 wide: a rounded field with five squares of a board.
fn colour(x: f64, y: f64) -> [u8; 4] {
    let beyond = |at: f64| (4.0 - at).max(at - 28.0).max(0.0);
    if beyond(x).hypot(beyond(y)) > 4.0 {
        return NOTHING;
    }
    let squares = [
        (4.0, 4.0),
        (20.0, 4.0),
        (12.0, 12.0),
        (4.0, 20.0),
        (20.0, 20.0),
    ];
    let is_in = |&(left, top): &(f64, f64)| {
        (left..left + 8.0).contains(&x) && (top..top + 8.0).contains(&y)
    };
    if squares.iter().any(is_in) {
        WHITE
    } else {
        BLUE
    }
}

/// A picture of the icon. Each point is the mean of sixteen.
pub(crate) fn png(size: u32) -> Vec<u8> {
    let scale = 32.0 / f64::from(size);
    let mut rows = Vec::new();
    for y in 0..size {
        rows.push(0);
        for x in 0..size {
            let mut sums = [0u32; 4];
            for part in 0..16u32 {
                let at = |whole: u32, part: u32| {
                    (f64::from(whole) + (f64::from(part) + 0.5) / 4.0) * scale
                };
                let [red, green, blue, solid] =
                    colour(at(x, part % 4), at(y, part / 4)).map(u32::from);
                // What is not there has no colour to mix.
                for (sum, value) in
                    sums.iter_mut()
                        .zip([red * solid, green * solid, blue * solid, solid])
                {
                    *sum += value;
                }
            }
            let solid = sums[3];
            let mixed =
                |sum: u32| u8::try_from(sum.checked_div(solid).unwrap_or(0)).unwrap_or(u8::MAX);
            rows.extend([
                mixed(sums[0]),
                mixed(sums[1]),
                mixed(sums[2]),
                u8::try_from(solid / 16).unwrap_or(u8::MAX),
            ]);
        }
    }
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::best());
    // Into memory: nothing can fail.
    let _ = packed.write_all(&rows);
    let packed = packed.finish().unwrap_or_default();
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut head = Vec::new();
    head.extend(size.to_be_bytes());
    head.extend(size.to_be_bytes());
    // Eight bits, colours and their strength, the usual packing, no interlacing.
    head.extend([8, 6, 0, 0, 0]);
    chunk(&mut out, b"IHDR", &head);
    chunk(&mut out, b"IDAT", &packed);
    chunk(&mut out, b"IEND", &[]);
    out
}

fn chunk(out: &mut Vec<u8>, name: &[u8; 4], bytes: &[u8]) {
    out.extend(u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_be_bytes());
    out.extend(name);
    out.extend(bytes);
    let mut sum = flate2::Crc::new();
    sum.update(name);
    sum.update(bytes);
    out.extend(sum.sum().to_be_bytes());
}

/// Pictures as one file of Windows.
pub(crate) fn ico(pictures: &[(u32, Vec<u8>)]) -> Vec<u8> {
    let small = |number: usize| u16::try_from(number).unwrap_or(u16::MAX).to_le_bytes();
    let mut out = vec![0, 0, 1, 0];
    out.extend(small(pictures.len()));
    let mut at = 6 + 16 * pictures.len();
    for (size, png) in pictures {
        // 256 is written as 0.
        let side = u8::try_from(*size).unwrap_or(0);
        out.extend([side, side, 0, 0, 1, 0, 32, 0]);
        for number in [png.len(), at] {
            out.extend(u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes());
        }
        at += png.len();
    }
    for (_, png) in pictures {
        out.extend(png);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_are_round_and_squares_are_white() {
        assert_eq!(colour(0.1, 0.1), NOTHING);
        assert_eq!(colour(16.0, 1.0), BLUE);
        assert_eq!(colour(5.0, 5.0), WHITE);
        assert_eq!(colour(13.0, 5.0), BLUE);
        let drawing = include_str!("../../packaging/linux/tabiya.svg");
        assert!(
            drawing.contains("M4 4h8v8H4zm16 0h8v8h-8zM12 12h8v8h-8zM4 20h8v8H4zm16 0h8v8h-8z"),
            "the squares of the drawing have changed"
        );
    }

    #[test]
    fn a_picture_file_lists_its_pictures() {
        let pictures = [(16, png(16)), (256, png(256))];
        let file = ico(&pictures);
        let at = 6 + 32 + pictures[0].1.len();
        assert_eq!(file[6], 16);
        assert_eq!(file[22], 0);
        assert_eq!(
            &file[34..38],
            &u32::try_from(at).expect("small").to_le_bytes()
        );
        assert_eq!(&file[at + 1..at + 4], b"PNG");
    }
}
