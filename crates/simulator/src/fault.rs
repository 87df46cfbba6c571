use std::time::Duration;

/// After this time, a diffuser that hangs restarts.
pub(crate) const HANG_TIME: Duration = Duration::from_mins(90);
/// How long after the power-on somebody refills the cartridge.
pub(crate) const REFILL_DELAY: Duration = Duration::from_mins(10);
/// A cartridge with fewer running hours is not refilled.
pub(crate) const MIN_REFILL_HOURS: f64 = 100.0;
/// The share of its running hours that a refilled cartridge keeps.
pub(crate) const REFILL_SHARE: f64 = 0.3;

/// What is wrong with a diffuser, until it is repaired.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The nozzle is clogged: the pump runs, and nothing of the cartridge is used. A reset of the cartridge's hours repairs it, because
    /// people change the nozzle together with the cartridge.
    Clogged,
    /// The pump runs all day, whatever mode and schedule say. Another mode or schedule repairs it.
    StuckOn,
    /// It hangs when it gets a command, and answers an hour and a half later.
    Hangs,
    /// Ten minutes after the power-on, somebody refills its cartridge without resetting the hours to zero.
    RefilledWithoutReset,
}
