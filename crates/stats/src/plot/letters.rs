//! A picture in memory that can write: with signs of eight by eight points, so that no font has to be there.

use font8x8::{BASIC_FONTS, GREEK_FONTS, LATIN_FONTS, UnicodeFonts};
use plotters::prelude::{BitMapBackend, DrawingBackend};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingErrorKind,
    text_anchor::{HPos, VPos},
};

/// How wide and high a sign is.
const SIGN: i32 = 8;

/// A picture in memory.
pub(super) struct Lettered<'b>(BitMapBackend<'b>);

impl<'b> Lettered<'b> {
    pub(super) fn new(pixels: &'b mut [u8], size: (u32, u32)) -> Lettered<'b> {
        Lettered(BitMapBackend::with_buffer(pixels, size))
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

fn width(text: &str) -> i32 {
    i32::try_from(text.chars().count())
        .unwrap_or(0)
        .saturating_mul(SIGN)
}

type Drawn<B> = Result<(), DrawingErrorKind<<B as DrawingBackend>::ErrorType>>;

impl<'b> DrawingBackend for Lettered<'b> {
    type ErrorType = <BitMapBackend<'b> as DrawingBackend>::ErrorType;

    fn get_size(&self) -> (u32, u32) {
        self.0.get_size()
    }

    fn ensure_prepared(&mut self) -> Drawn<Self> {
        self.0.ensure_prepared()
    }

    fn present(&mut self) -> Drawn<Self> {
        self.0.present()
    }

    fn draw_pixel(&mut self, point: BackendCoord, color: BackendColor) -> Drawn<Self> {
        self.0.draw_pixel(point, color)
    }

    fn draw_line<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
    ) -> Drawn<Self> {
        self.0.draw_line(from, to, style)
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
        fill: bool,
    ) -> Drawn<Self> {
        self.0.draw_rect(from, to, style, fill)
    }

    fn draw_text<S: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &S,
        (x, y): BackendCoord,
    ) -> Drawn<Self> {
        let anchor = style.anchor();
        let left = match anchor.h_pos {
            HPos::Left => x,
            HPos::Center => x - width(text) / 2,
            HPos::Right => x - width(text),
        };
        let top = match anchor.v_pos {
            VPos::Top => y,
            VPos::Center => y - SIGN / 2,
            VPos::Bottom => y - SIGN,
        };
        for (place, sign) in (0..).zip(text.chars()) {
            for (row, points) in (0..).zip(points(sign)) {
                for column in (0..SIGN).filter(|column| points >> column & 1 != 0) {
                    let point = (left + place * SIGN + column, top + row);
                    self.0.draw_pixel(point, style.color())?;
                }
            }
        }
        Ok(())
    }

    fn estimate_text_size<S: BackendTextStyle>(
        &self,
        text: &str,
        _style: &S,
    ) -> Result<(u32, u32), DrawingErrorKind<Self::ErrorType>> {
        Ok((width(text).unsigned_abs(), SIGN.unsigned_abs()))
    }
}
