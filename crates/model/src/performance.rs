//! Ratings by the FIDE tables: the rating for a result, and the result for a rating.

/// The rating difference for a score of 50, 51, … 100 per cent, as published by FIDE.
const DIFFERENCES: [u16; 51] = [
    0, 7, 14, 21, 29, 36, 43, 50, 57, 65, 72, 80, 87, 95, 102, 110, 117, 125, 133, 141, 149, 158,
    166, 175, 184, 193, 202, 211, 220, 230, 240, 251, 262, 273, 284, 296, 309, 322, 336, 351, 366,
    383, 401, 422, 444, 470, 501, 538, 589, 677, 800,
];

/// The difference for a score of `half_points` of `2 * games`; half a per cent is rounded up, as in the FIDE rules.
#[must_use]
pub fn difference(half_points: u64, games: u64) -> i32 {
    if games == 0 {
        return 0;
    }
    let (points, games) = (u128::from(half_points), u128::from(games));
    of_percent((points * 100 + games) / (2 * games))
}

/// The same as calculated by Scid, which rounds half a per cent down.
#[must_use]
pub fn difference_of_scid(half_points: u64, games: u64) -> i32 {
    if games == 0 {
        return 0;
    }
    // round(x - 1/2) with halves going down is ceil(x - 1/2).
    let (points, games) = (u128::from(half_points), u128::from(games));
    of_percent((points * 100).saturating_sub(games).div_ceil(2 * games))
}

fn of_percent(percent: u128) -> i32 {
    let percent = percent.min(100) as usize;
    let at = |index: usize| i32::from(DIFFERENCES.get(index).copied().unwrap_or(800));
    match percent.checked_sub(50) {
        Some(above) => at(above),
        None => -at(50 - percent),
    }
}

/// The rating differences up to which a score of 50, 51, … 99 per cent is expected.
const EXPECTED: [u16; 50] = [
    3, 10, 17, 25, 32, 39, 46, 53, 61, 68, 76, 83, 91, 98, 106, 113, 121, 129, 137, 145, 153, 162,
    170, 179, 188, 197, 206, 215, 225, 235, 245, 256, 267, 278, 290, 302, 315, 328, 344, 357, 374,
    391, 411, 432, 456, 484, 517, 559, 619, 735,
];

/// The greatest difference that counts; greater ones are reduced to it.
const GREATEST: i32 = 400;

/// The expected score against an opponent, in hundredths of a point; a difference of more than 400 counts as 400.
#[must_use]
pub fn expected(own: u16, opponent: u16) -> i32 {
    expected_by(signed(own, opponent).clamp(-GREATEST, GREATEST))
}

/// The expected score against an opponent, for any difference of ratings: the rule for the strongest players since October
/// 2025.
#[must_use]
pub fn expected_unlimited(own: u16, opponent: u16) -> i32 {
    expected_by(signed(own, opponent))
}

fn signed(own: u16, opponent: u16) -> i32 {
    i32::from(own) - i32::from(opponent)
}

fn expected_by(difference: i32) -> i32 {
    let above = EXPECTED.partition_point(|most| i32::from(*most) < difference.abs());
    let percent = 50 + i32::try_from(above).unwrap_or(50);
    if difference < 0 {
        100 - percent
    } else {
        percent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_expected_scores_of_the_table() {
        for (own, opponent, percent) in [
            (2500, 2500, 50),
            (2503, 2500, 50),
            (2504, 2500, 51),
            (2500, 2504, 49),
            (2600, 2400, 76),
            (2400, 2600, 24),
            (2735, 2391, 88),
            (2800, 2000, 92),
            (2000, 2800, 8),
            (1400, 1009, 91),
            (1400, 1008, 92),
        ] {
            assert_eq!(expected(own, opponent), percent, "{own} {opponent}");
        }
        for (own, opponent, percent) in [(2750, 2300, 94), (2750, 2015, 99), (2750, 2014, 100)] {
            assert_eq!(
                expected_unlimited(own, opponent),
                percent,
                "{own} {opponent}"
            );
        }
        // Their expected scores add up to one point, whatever their ratings.
        for opponent in (1000..3000).step_by(7) {
            assert_eq!(expected(2000, opponent) + expected(opponent, 2000), 100);
        }
    }

    /// The share of a normal distribution below this number of standard deviations.
    fn below(deviations: f64) -> f64 {
        // The sum of the rectangles under the density, from far below.
        let step = (deviations + 8.0) / 2000.0;
        let middles = (0..2000_u16).map(|rectangle| -8.0 + (f64::from(rectangle) + 0.5) * step);
        let sum: f64 = middles.map(|at| (-at * at / 2.0).exp() * step).sum();
        sum / (2.0 * std::f64::consts::PI).sqrt()
    }

    /// The rating difference for a share of the points by Elo's own model: the normal distribution, with a standard
    /// deviation of two sevenths of a thousand points.
    fn of_the_model(share: f64) -> f64 {
        let (mut low, mut high) = (0.0, 4.0);
        for _ in 0..30 {
            let middle = (low + high) / 2.0;
            match below(middle) < share {
                true => low = middle,
                false => high = middle,
            }
        }
        low * 2000.0 / 7.0
    }

    #[test]
    fn the_tables_follow_the_model_that_they_were_made_by() {
        for (percent, difference) in (50_u32..).zip(DIFFERENCES) {
            let model = of_the_model(f64::from(percent) / 100.0);
            // At both ends, the figures of FIDE are coarser.
            let most = match percent {
                ..=97 => 0.9,
                98 => 2.5,
                99 => 13.0,
                _ => continue,
            };
            let off = (model - f64::from(difference)).abs();
            assert!(off <= most, "{percent} %: {difference} and {model}");
        }
        for (percent, least) in (50_u32..).zip(EXPECTED) {
            let model = of_the_model((f64::from(percent) + 0.5) / 100.0);
            let off = (model - f64::from(least)).abs();
            assert!(off <= 1.2, "{percent} %: {least} and {model}");
        }
    }

    #[test]
    fn the_table_and_its_rounding() {
        assert_eq!(difference(0, 0), 0);
        assert_eq!(difference(2, 1), 800);
        assert_eq!(difference(0, 1), -800);
        assert_eq!(difference(1, 1), 0);
        assert_eq!(difference(6, 9), -125);
        assert_eq!(difference(40, 38), 21);
        // Five eighths are 62.5 per cent.
        assert_eq!(difference(5, 4), 95);
        assert_eq!(difference(3, 4), -87);
        assert_eq!(difference_of_scid(5, 4), 87);
        assert_eq!(difference_of_scid(3, 4), -95);
        assert_eq!(difference_of_scid(0, 0), 0);
    }
}
