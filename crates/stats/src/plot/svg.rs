//! Charts as SVG.

use std::fmt::Write as _;

use super::canvas::{Area, Canvas, Color, TextEnd};

/// The text of a picture.
pub(super) struct SvgCanvas(String);

impl SvgCanvas {
    pub(super) fn new(width: u32, height: u32) -> SvgCanvas {
        SvgCanvas(format!(
            "<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" xmlns=\"http://www.w3.org/2000/svg\">\n"
        ))
    }

    pub(super) fn finish(mut self) -> String {
        self.0.push_str("</svg>\n");
        self.0
    }

    fn rectangle(&mut self, area: Area, style: &str) {
        let (width, height) = (area.right - area.left, area.bottom - area.top);
        // Writing into a string cannot fail.
        let _ = writeln!(
            self.0,
            "<rect x=\"{}\" y=\"{}\" width=\"{width}\" height=\"{height}\" {style}/>",
            area.left, area.top
        );
    }
}

fn hex([red, green, blue]: Color) -> String {
    format!("#{red:02X}{green:02X}{blue:02X}")
}

impl Canvas for SvgCanvas {
    fn fill(&mut self, area: Area, color: Color) {
        self.rectangle(area, &format!("fill=\"{}\"", hex(color)));
    }

    fn frame(&mut self, area: Area, color: Color) {
        self.rectangle(area, &format!("fill=\"none\" stroke=\"{}\"", hex(color)));
    }

    fn text(&mut self, text: &str, size: i32, end: TextEnd, (x, y): (i32, i32)) {
        let anchor = match end {
            TextEnd::Left => "start",
            TextEnd::Right => "end",
        };
        let _ = write!(
            self.0,
            "<text x=\"{x}\" y=\"{y}\" font-family=\"sans-serif\" font-size=\"{size}\" text-anchor=\"{anchor}\" dominant-baseline=\"central\">"
        );
        for sign in text.chars() {
            match sign {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                // XML has no name for these at all.
                sign if sign.is_control() || matches!(sign, '\u{fffe}' | '\u{ffff}') => {
                    self.0.push('\u{fffd}');
                }
                sign => self.0.push(sign),
            }
        }
        self.0.push_str("</text>\n");
    }
}
