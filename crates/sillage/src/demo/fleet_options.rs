//! The options that choose the fleet of a demo.

use jiff::Timestamp;

use super::data_folder::FleetPlan;

const DEVICES: usize = 200;
const SEED: u64 = 1;
/// One machine cannot simulate more devices, although the serial numbers would allow it.
const MAX_DEVICES: u64 = 100_000;

/// Which fleet to create.
#[derive(clap::Args)]
pub(super) struct FleetOptions {
    /// Number of diffusers to create at the first start [default: 200], in addition to ten in the factory stock that can be
    /// added in the console
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(2..=MAX_DEVICES))]
    devices: Option<u64>,
    /// Seed of the fleet to create at the first start [default: 1]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

impl FleetOptions {
    pub(super) fn plan(&self, begun_at: Timestamp) -> FleetPlan {
        let devices = self.devices.and_then(|devices| usize::try_from(devices).ok()).unwrap_or(DEVICES);
        FleetPlan { devices, seed: self.seed.unwrap_or(SEED), begun_at }
    }

    /// Warns if the folder already contains another fleet than the one requested.
    pub(super) fn check_plan(&self, plan: FleetPlan) {
        let requested = self.plan(plan.begun_at);
        if (self.devices.is_some() && requested.devices != plan.devices)
            || (self.seed.is_some() && requested.seed != plan.seed)
        {
            tracing::warn!(
                devices = plan.devices,
                seed = plan.seed,
                "this folder already contains a fleet: --devices and --seed only apply to the first start"
            );
        }
    }
}
