//! Bitmaps, with characters of eight by eight pixels, so that no font is needed.

use font8x8::{BASIC_FONTS, GREEK_FONTS, LATIN_FONTS, UnicodeFonts};

use super::canvas::{Area, Canvas, Color, TextEnd};

/// How wide and high a sign is.
const SIGN: i32 = 8;

/// A picture in memory, three bytes a point.
pub(super) struct PixelCanvas {
    pixels: Vec<u8>,
    width: usize,
}

impl PixelCanvas {
    /// A black picture, or none where it is too large.
    pub(super) fn new(width: u32, height: u32) -> Option<PixelCanvas> {
        let width = usize::try_from(width).ok()?;
        let height = usize::try_from(height).ok()?;
        let bytes = width.checked_mul(height)?.checked_mul(3)?;
        Some(PixelCanvas {
            pixels: vec![0; bytes],
            width,
        })
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.pixels
    }

    /// Colors a point, as far as the picture reaches.
    fn point(&mut self, x: i32, y: i32, color: Color) {
        let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) else {
            return;
        };
        if x >= self.width {
            return;
        }
        let at = (y * self.width + x) * 3;
        if let Some(point) = self.pixels.get_mut(at..at + 3) {
            point.copy_from_slice(&color);
        }
    }
}

/// The points of a sign, a byte a row. Signs that the letters do not have look like `?`.
fn points(sign: char) -> [u8; 8] {
    BASIC_FONTS
        .get(sign)
        .or_else(|| LATIN_FONTS.get(sign))
        .or_else(|| GREEK_FONTS.get(sign))
        .or_else(|| BASIC_FONTS.get(if sign == '…' { '.' } else { '?' }))
        .unwrap_or_default()
}

impl Canvas for PixelCanvas {
    fn fill(&mut self, area: Area, color: Color) {
        for y in area.top..area.bottom {
            for x in area.left..area.right {
                self.point(x, y, color);
            }
        }
    }

    fn frame(&mut self, area: Area, color: Color) {
        for x in area.left..=area.right {
            self.point(x, area.top, color);
            self.point(x, area.bottom, color);
        }
        for y in area.top..=area.bottom {
            self.point(area.left, y, color);
            self.point(area.right, y, color);
        }
    }

    fn text(&mut self, text: &str, _size: i32, end: TextEnd, (x, y): (i32, i32)) {
        let signs = i32::try_from(text.chars().count()).unwrap_or(0);
        let mut left = match end {
            TextEnd::Left => x,
            TextEnd::Right => x - signs.saturating_mul(SIGN),
        };
        for sign in text.chars() {
            for (row, points) in (0..).zip(points(sign)) {
                for column in (0..SIGN).filter(|column| points >> column & 1 != 0) {
                    self.point(left + column, y - SIGN / 2 + row, [0; 3]);
                }
            }
            left += SIGN;
        }
    }
}
