//! Performance: what rating a result against opponents of a mean rating speaks for.

/// The rating difference for a score of 50, 51, … 100 per cent, as the world federation publishes it.
const DIFFERENCES: [u16; 51] = [
    0, 7, 14, 21, 29, 36, 43, 50, 57, 65, 72, 80, 87, 95, 102, 110, 117, 125, 133, 141, 149, 158,
    166, 175, 184, 193, 202, 211, 220, 230, 240, 251, 262, 273, 284, 296, 309, 322, 336, 351, 366,
    383, 401, 422, 444, 470, 501, 538, 589, 677, 800,
];

/// The difference for a score of `half_points` of `2 * games`; half a per cent is rounded down.
#[must_use]
pub fn difference(half_points: u64, games: u64) -> i32 {
    if games == 0 {
        return 0;
    }
    // round(x - 1/2) with halves going down is ceil(x - 1/2).
    let (points, games) = (u128::from(half_points), u128::from(games));
    let percent = (points * 100)
        .saturating_sub(games)
        .div_ceil(2 * games)
        .min(100) as usize;
    let at = |index: usize| i32::from(DIFFERENCES.get(index).copied().unwrap_or(800));
    match percent.checked_sub(50) {
        Some(above) => at(above),
        None => -at(50 - percent),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_and_its_rounding() {
        assert_eq!(difference(0, 0), 0);
        assert_eq!(difference(2, 1), 800);
        assert_eq!(difference(0, 1), -800);
        assert_eq!(difference(1, 1), 0);
        assert_eq!(difference(6, 9), -125);
        assert_eq!(difference(40, 38), 21);
        // Five eighths are 62.5 per cent.
        assert_eq!(difference(5, 4), 87);
        assert_eq!(difference(3, 4), -95);
    }
}
