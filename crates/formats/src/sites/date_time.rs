//! Times of sites, in seconds or milliseconds since 1970, as dates and times of day.

/// A moment in UTC.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SiteMoment {
    seconds: i64,
}

impl SiteMoment {
    /// A moment by seconds since 1970; `None` outside the years 1970 to 9999.
    pub(crate) fn of_seconds(seconds: i64) -> Option<SiteMoment> {
        (0..253_402_300_800)
            .contains(&seconds)
            .then_some(SiteMoment { seconds })
    }

    /// The date in the form of PGN.
    pub(crate) fn date(self) -> String {
        // Days are counted from the 1st of March of year 0, so the leap day is the last one of its year.
        let days = self.seconds / 86_400 + 719_468;
        let era = days / 146_097;
        let of_era = days % 146_097;
        let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month = (5 * of_year + 2) / 153;
        let day = of_year - (153 * month + 2) / 5 + 1;
        let (month, next_year) = if month < 10 {
            (month + 3, 0)
        } else {
            (month - 9, 1)
        };
        let year = year_of_era + era * 400 + next_year;
        format!("{year:04}.{month:02}.{day:02}")
    }

    /// The time of day.
    pub(crate) fn time(self) -> String {
        let second = self.seconds % 86_400;
        format!(
            "{:02}:{:02}:{:02}",
            second / 3600,
            second / 60 % 60,
            second % 60
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_dates_and_times() {
        let told =
            |seconds| SiteMoment::of_seconds(seconds).map(|moment| (moment.date(), moment.time()));
        let is = |date: &str, time: &str| Some((date.to_owned(), time.to_owned()));
        assert_eq!(told(0), is("1970.01.01", "00:00:00"));
        assert_eq!(told(951_782_399), is("2000.02.28", "23:59:59"));
        assert_eq!(told(951_782_400), is("2000.02.29", "00:00:00"));
        assert_eq!(told(951_868_800), is("2000.03.01", "00:00:00"));
        assert_eq!(told(1_514_505_150), is("2017.12.28", "23:52:30"));
        assert_eq!(told(253_402_300_799), is("9999.12.31", "23:59:59"));
        assert_eq!(told(253_402_300_800), None);
        assert_eq!(told(-1), None);
    }
}
