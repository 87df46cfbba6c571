//! The platform services that everything else uses.

use platform::bus::Bus;
use platform::db::Db;
use platform::run::clock::Clock;
use platform::run::random::Random;

/// Database, bus, clock and random source. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Base {
    pub(crate) db: Db,
    pub(crate) bus: Bus,
    pub(crate) clock: Clock,
    pub(crate) random: Random,
}
