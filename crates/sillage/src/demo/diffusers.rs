//! The simulated diffusers of a demo's fleet.

use std::collections::HashMap;

use serde_json::Value;
use simulator::{State, VirtualDevice};

use super::fleet::Unit;
use crate::device_key;
use diffuser::{Fan, Mode, OffCycle};

/// What a cloud last heard from a device, by property.
pub(crate) type Reported = HashMap<String, Value>;

/// A diffuser as its unit was installed, brought to where it was when it last reported.
pub(crate) fn virtual_device(unit: &Unit, fleet_secret: &[u8; 32], reported: Option<&Reported>) -> VirtualDevice {
    let mut state = installed(unit);
    if let Some(reported) = reported {
        state.restore(reported.iter().map(|(name, value)| (name.as_str(), value)));
    }
    VirtualDevice { dsn: unit.dsn.clone(), key: device_key::derive(fleet_secret, &unit.dsn), state }
}

fn installed(unit: &Unit) -> State {
    let mut state = State::new(unit.configuration.clone());
    state.mode = Mode::try_from(unit.mode).unwrap_or(Mode::Off);
    state.cycle = OffCycle::try_from(unit.cycle).unwrap_or(OffCycle::Normal);
    state.intensity = u8::try_from(unit.intensity).unwrap_or(diffuser::MIN_INTENSITY);
    state.fan = Fan::try_from(unit.fan).unwrap_or(Fan::OFF);
    state.fragrance_remaining = u8::try_from(unit.fragrance_remaining).ok();
    state
}
