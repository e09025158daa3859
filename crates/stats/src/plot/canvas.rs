//! What charts are drawn with: rectangles and texts.

/// A color: red, green, blue.
pub(super) type Color = [u8; 3];

/// Corners of a rectangle, the right and lower ones outside of it.
#[derive(Copy, Clone)]
pub(super) struct Area {
    pub(super) left: i32,
    pub(super) top: i32,
    pub(super) right: i32,
    pub(super) bottom: i32,
}

/// Which end of a text stands at its place.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum TextEnd {
    Left,
    Right,
}

/// A kind of picture.
pub(super) trait Canvas {
    /// Fills an area.
    fn fill(&mut self, area: Area, color: Color);

    /// Draws the border of an area, one point wide.
    fn frame(&mut self, area: Area, color: Color);

    /// Writes a text in black. Its middle is as high as the place.
    fn text(&mut self, text: &str, size: i32, end: TextEnd, place: (i32, i32));
}
