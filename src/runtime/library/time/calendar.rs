//! The proleptic Gregorian calendar.

/// Seconds of a day.
pub const DAY: i64 = 86_400;

/// A date and time of day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Civil {
    pub year: i64,
    /// 1–12.
    pub month: i64,
    /// 1–31.
    pub day: i64,
    pub hour: i64,
    pub minute: i64,
    pub second: i64,
}

impl Civil {
    /// The calendar date of a number of seconds since 1970.
    pub fn of(seconds: i64) -> Civil {
        let (days, rest) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
        // Eras of 400 years that begin on March 1, so that leap days are last.
        let shifted = days + 719_468;
        let (era, in_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
        let year_of_era = (in_era - in_era / 1460 + in_era / 36_524 - in_era / 146_096) / 365;
        let day_of_year = in_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted_month = (5 * day_of_year + 2) / 153;
        let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
        Civil {
            year: year_of_era + era * 400 + i64::from(month <= 2),
            month,
            day: day_of_year - (153 * shifted_month + 2) / 5 + 1,
            hour: rest / 3600,
            minute: rest / 60 % 60,
            second: rest % 60,
        }
    }

    /// Seconds since 1970; parts may be out of their ranges.
    pub fn seconds(&self) -> i64 {
        let months = i128::from(self.month) - 1;
        let year = i128::from(self.year) + months.div_euclid(12);
        let days = days_from(year, months.rem_euclid(12) as i64 + 1) + i128::from(self.day) - 1;
        let clock = i128::from(self.hour) * 3600 + i128::from(self.minute) * 60 + i128::from(self.second);
        let all = days * i128::from(DAY) + clock;
        all.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
    }

    /// Sunday is 0.
    pub fn weekday(&self) -> i64 {
        let days = days_from(i128::from(self.year), self.month) + i128::from(self.day) - 1;
        (days + 4).rem_euclid(7) as i64
    }

    /// January 1 is 1.
    pub fn day_of_year(&self) -> i64 {
        let year = i128::from(self.year);
        (days_from(year, self.month) - days_from(year, 1)) as i64 + self.day
    }

    /// Week by ISO 8601.
    pub fn iso_week(&self) -> i64 {
        // The week belongs to the year of its Thursday.
        let monday_based = (self.weekday() + 6) % 7;
        let thursday = Civil { day: self.day + 3 - monday_based, ..*self };
        let thursday = Civil::of(thursday.seconds());
        (thursday.day_of_year() - 1) / 7 + 1
    }
}

/// Days from 1970-01-01 to the first of a month.
fn days_from(year: i128, month: i64) -> i128 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, in_era) = (year.div_euclid(400), year.rem_euclid(400));
    let shifted = i128::from(if month > 2 { month - 3 } else { month + 9 });
    let day_of_year = (153 * shifted + 2) / 5;
    era * 146_097 + in_era * 365 + in_era / 4 - in_era / 100 + day_of_year - 719_468
}

/// Whether the year has a February 29.
pub fn is_leap(year: i64) -> bool {
    year.rem_euclid(4) == 0 && (year.rem_euclid(100) != 0 || year.rem_euclid(400) == 0)
}

/// Days of a month from 1 to 12.
pub fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// English names of the months.
pub const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// English names of the days, Sunday first.
pub const WEEKDAYS: [&str; 7] =
    ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// The entry of a table of names; empty if there is none.
pub fn name_of(names: &[&'static str], index: i64) -> &'static str {
    usize::try_from(index).ok().and_then(|i| names.get(i)).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_seconds_agree() {
        for seconds in [
            0,
            -1,
            951_782_400,
            1_709_651_229,
            -62_167_219_200,
            253_402_300_799,
            -99_999_999_999_999,
            i64::MAX,
            i64::MIN,
        ] {
            assert_eq!(Civil::of(seconds).seconds(), seconds);
        }
        let day = Civil::of(1_709_651_229);
        assert_eq!((day.year, day.month, day.day, day.hour, day.minute, day.second), (2024, 3, 5, 15, 7, 9));
        assert_eq!((day.weekday(), day.day_of_year(), day.iso_week()), (2, 65, 10));
        let new_year = Civil { year: 2021, month: 1, day: 1, hour: 0, minute: 0, second: 0 };
        assert_eq!(new_year.iso_week(), 53);
    }
}
