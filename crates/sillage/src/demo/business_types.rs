//! The customers' business types: which models they use, in which service areas and at which hours.

use std::ops::RangeInclusive;

use diffuser::{Days, SystemConfiguration};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum BusinessType {
    Cafe,
    Casino,
    Cinema,
    Clinic,
    Gym,
    Hotel,
    Office,
    Residence,
    Shop,
    Spa,
    Venue,
}

/// Days with an opening and a closing time, each as hour and minute.
pub(super) type OpeningHours = (Days, (u8, u8), (u8, u8));

/// Alternative opening hours of a business type. Each store uses one of them, shifted by up to half an hour.
type WeekPatterns = &'static [&'static [OpeningHours]];

const DAY_BEGINS: (u8, u8) = (0, 0);
const DAY_ENDS: (u8, u8) = (23, 59);

const SMALL: &[(u32, SystemConfiguration)] =
    &[(5, SystemConfiguration::Aq290), (3, SystemConfiguration::Aq380), (2, SystemConfiguration::Aq580)];
const MEDIUM: &[(u32, SystemConfiguration)] = &[
    (3, SystemConfiguration::Aq290),
    (2, SystemConfiguration::Aq380),
    (3, SystemConfiguration::Aq580),
    (2, SystemConfiguration::Aq880w1250),
    (1, SystemConfiguration::Aq880w2500),
];
const LARGE: &[(u32, SystemConfiguration)] = &[
    (2, SystemConfiguration::Aq290),
    (2, SystemConfiguration::Aq580),
    (2, SystemConfiguration::Aq880w1250),
    (2, SystemConfiguration::Aq880w2500),
    (2, SystemConfiguration::Aq1280),
    (2, SystemConfiguration::Aq2500),
];

impl BusinessType {
    /// The service areas. A store has at most one diffuser in each.
    pub(super) fn service_areas(self) -> &'static [&'static str] {
        match self {
            Self::Cafe => &["Counter", "Entrance", "Lounge", "Restrooms"],
            Self::Casino => &["Gaming floor", "Entrance", "High-limit room", "Lounge", "Poker room", "Restrooms"],
            Self::Cinema => &["Foyer", "Box office", "Lounge", "Restrooms", "Screen 1", "Screen 2"],
            Self::Clinic => &["Reception", "Waiting room", "Corridor", "Restrooms"],
            Self::Gym => &["Entrance", "Changing rooms", "Cycle studio", "Weights", "Yoga studio"],
            Self::Hotel => &["Lobby", "Lift hall", "Ballroom", "Bar", "Corridor 2", "Reception", "Restrooms", "Spa"],
            Self::Office => &["Reception", "Lift hall", "Meeting rooms", "Restrooms", "Canteen"],
            Self::Residence => &["Reception", "Dining room", "Lounge", "Corridor 1", "Corridor 2"],
            Self::Shop => &["Entrance", "Fitting rooms", "Tills", "First floor", "Restrooms"],
            Self::Spa => &["Reception", "Relaxation room", "Treatment 1", "Treatment 2", "Changing rooms"],
            Self::Venue => &["Foyer", "Great hall", "Cloakroom", "Bar", "Restrooms"],
        }
    }

    pub(super) fn diffusers_per_store(self) -> RangeInclusive<i64> {
        match self {
            Self::Cafe | Self::Clinic => 1..=2,
            Self::Gym | Self::Office | Self::Residence | Self::Shop | Self::Spa => 1..=4,
            Self::Casino | Self::Cinema | Self::Hotel | Self::Venue => 3..=6,
        }
    }

    /// The system configurations with their weights.
    pub(super) fn configurations(self) -> &'static [(u32, SystemConfiguration)] {
        match self {
            Self::Cafe | Self::Clinic | Self::Spa => SMALL,
            Self::Gym | Self::Office | Self::Residence | Self::Shop => MEDIUM,
            Self::Casino | Self::Cinema | Self::Hotel | Self::Venue => LARGE,
        }
    }

    pub(super) fn weeks(self) -> WeekPatterns {
        match self {
            Self::Cafe => &[
                &[
                    (Days::Weekdays, (6, 30), (19, 0)),
                    (Days::Saturday, (7, 0), (18, 0)),
                    (Days::Sunday, (8, 0), (17, 0)),
                ],
                &[(Days::AllDays, (7, 0), (20, 0))],
            ],
            Self::Casino => &[&[(Days::AllDays, DAY_BEGINS, DAY_ENDS)]],
            Self::Cinema => &[&[(Days::Weekdays, (14, 0), DAY_ENDS), (Days::WeekendDays, (10, 0), DAY_ENDS)]],
            Self::Clinic => &[
                &[(Days::Weekdays, (7, 30), (18, 30))],
                &[(Days::Weekdays, (8, 0), (12, 29)), (Days::Weekdays, (14, 0), (18, 0))],
            ],
            Self::Gym => &[&[(Days::Weekdays, (5, 30), (22, 30)), (Days::WeekendDays, (8, 0), (20, 0))]],
            // With a lower intensity at night.
            Self::Hotel => &[
                &[(Days::AllDays, (6, 0), DAY_ENDS), (Days::AllDays, DAY_BEGINS, (5, 59))],
                &[(Days::AllDays, (5, 30), DAY_ENDS)],
            ],
            Self::Office => &[
                &[(Days::Weekdays, (7, 30), (12, 0)), (Days::Weekdays, (13, 0), (18, 30))],
                &[(Days::Weekdays, (8, 0), (18, 0))],
            ],
            Self::Residence => &[&[(Days::AllDays, (7, 0), (12, 0)), (Days::AllDays, (14, 0), (20, 0))]],
            Self::Shop => &[
                &[
                    (Days::Weekdays, (9, 0), (20, 0)),
                    (Days::Saturday, (9, 0), (18, 0)),
                    (Days::Sunday, (11, 0), (17, 0)),
                ],
                &[(Days::Weekdays, (10, 0), (19, 0)), (Days::Saturday, (10, 0), (18, 0))],
                &[(Days::AllDays, (9, 0), (21, 0))],
            ],
            Self::Spa => &[
                &[(Days::AllDays, (9, 0), (21, 0))],
                &[
                    (Days::Tuesday, (10, 0), (20, 0)),
                    (Days::Wednesday, (10, 0), (20, 0)),
                    (Days::Thursday, (10, 0), (21, 0)),
                    (Days::Friday, (10, 0), (21, 0)),
                    (Days::WeekendDays, (9, 0), (18, 0)),
                ],
            ],
            Self::Venue => &[
                &[(Days::WeekendDays, (10, 0), (22, 0))],
                &[(Days::Friday, (17, 0), DAY_ENDS), (Days::WeekendDays, (10, 0), DAY_ENDS)],
            ],
        }
    }
}
