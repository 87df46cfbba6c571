use std::fmt::Write;
use std::hash::{DefaultHasher, Hash, Hasher};

use devicecloud::{CommandState, Device, Dsn};
use diffuser::forecast::ForecastInput;
use diffuser::{Fragrance, Mode, Schedule, SystemConfiguration, properties, remaining_percent};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::store::StoredForecast;
use crate::attention_rules::{MANY_FAULTS, Observation, UseOfDay};
use crate::index::fleet_days::{DeviceDays, PastDay};
use crate::records::{
    Catalogue, ConnectionStatus, DeviceRecord, computed_level, has_commands, has_pending_command, property, timestamp,
};

/// Days of use that attention looks at.
const OBSERVED_DAYS: usize = 7;

/// What a forecast needs to know about a device, as read from the cloud.
#[derive(Clone, Debug)]
pub(crate) struct DeviceFacts {
    pub(super) dsn: Dsn,
    /// Empty texts without one.
    csp: String,
    customer: String,
    store_number: String,
    city: String,
    pub(super) read_at: Timestamp,
    pub(super) reading: Option<Reading>,
    /// Whether datapoints of the cartridge life that the device has not reported are commands.
    pub(super) has_life_commands: bool,
    configuration: SystemConfiguration,
    /// As the device names it, whether it is in the catalogue or not.
    fragrance_name: Option<String>,
    fragrance: Option<Fragrance>,
    mode: Option<Mode>,
    schedule_text: Option<String>,
    schedule: Option<Schedule>,
    time_zone: TimeZone,
    pub(super) is_online: bool,
    /// Since when it has been connected or disconnected, as far as known.
    pub(super) connection_since: Option<Timestamp>,
    offline_since: Option<Timestamp>,
    level: Option<i64>,
    /// Whether the level is 0, as computed or as the device stores it.
    is_empty: bool,
    /// When the oldest command was written that the device has not answered.
    command_since: Option<Timestamp>,
    installed_at: Option<Date>,
    /// The larger of the numbers of values that the cloud did not store today and yesterday.
    faults: i64,
    shared_identity: bool,
}

/// A value of the cartridge life.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Reading {
    pub(super) at: Timestamp,
    pub(super) hours: f64,
}

impl DeviceFacts {
    /// The facts of a device that was read at `read_at` with all that [`DeviceRecord::of`] needs.
    pub(crate) fn of(device: &Device, record: &DeviceRecord, catalogue: &Catalogue, read_at: Timestamp) -> Self {
        let value = |name: &str| property(device, name)?.value.as_ref();
        let life = property(device, properties::CARTRIDGE_LIFE);
        let is_online = record.state.connection_status == ConnectionStatus::Online;
        let reading = life.and_then(|life| {
            // A reset that the device has not answered is no reading.
            let (value, at) = match has_pending_command(life) {
                true => (&life.reported_value, life.reported_at),
                false => (&life.value, life.data_updated_at),
            };
            // The value of an online device is current, even if it has not changed.
            let at = if is_online { read_at } else { timestamp(at?) };
            Some(Reading { at, hours: value.as_ref()?.as_f64()? })
        });
        let state = record.state;
        let connection_since = state.connection_changed_at.or(state.connected_at);
        let offline_since = connection_since.or(reading.map(|reading| reading.at));
        let schedule_text = value(properties::SCHEDULE_BLOB).and_then(|blob| Some(blob.as_str()?.to_owned()));
        let commands = device.properties.iter().filter_map(|property| property.command.as_ref());
        let unanswered = commands.filter(|command| command.state == CommandState::Pending);
        let level = computed_level(device, record, catalogue);
        Self {
            dsn: device.dsn.clone(),
            csp: record.csp.clone().unwrap_or_default(),
            customer: record.customer.clone().unwrap_or_default(),
            store_number: record.store_number.clone().unwrap_or_default(),
            city: record.city.clone().unwrap_or_default(),
            read_at,
            reading,
            has_life_commands: life.is_some_and(has_commands),
            configuration: SystemConfiguration::from(record.system_configuration.as_deref().unwrap_or_default()),
            fragrance_name: record.fragrance.clone(),
            fragrance: record.fragrance.as_ref().and_then(|name| catalogue.get(name)).cloned(),
            mode: state.mode.and_then(|code| Mode::try_from(code).ok()),
            schedule: schedule_text.as_deref().map(|text| Schedule::read(text).0),
            schedule_text,
            // As the device does without a time zone.
            time_zone: record.time_zone.as_ref().and_then(|name| TimeZone::get(name).ok()).unwrap_or(TimeZone::UTC),
            is_online,
            connection_since,
            offline_since: offline_since.filter(|_| !is_online),
            is_empty: [level, state.fragrance_remaining].contains(&Some(0)),
            level,
            command_since: unanswered.filter_map(|command| command.created_at.map(timestamp)).min(),
            installed_at: record.installed_at,
            faults: device.fault_counts.today.max(device.fault_counts.yesterday),
            shared_identity: device.shared_identity,
        }
    }

    /// Changes when forecast and attention should be computed again: at the latest when a day of UTC begins.
    pub(super) fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        let flow = self.fragrance.as_ref().map(|it| (it.density.to_bits(), it.flow.map(|flow| flow.map(f64::to_bits))));
        let (zone, day) = (self.time_zone.iana_name(), self.read_at.as_second().div_euclid(24 * 60 * 60));
        let facts = (
            &self.configuration,
            flow,
            self.running_plan(),
            zone,
            self.offline_since,
            (self.level, self.is_empty),
            day,
        );
        facts.hash(&mut hasher);
        // Their number may increase with every read.
        let faults = (self.faults >= MANY_FAULTS, self.faults.checked_ilog2());
        let observed = (
            &self.fragrance_name,
            &self.schedule_text,
            self.is_online,
            self.command_since,
            self.installed_at,
            faults,
            self.shared_identity,
        );
        observed.hash(&mut hasher);
        hasher.finish()
    }

    /// The mode and the frames that run, without their intensities, which do not change the running time.
    fn running_plan(&self) -> String {
        let mut plan = self.mode.map_or("?", Mode::label).to_owned();
        if self.mode == Some(Mode::Run) {
            let frames = self.schedule.iter().flat_map(Schedule::frames).filter(|(_, frame)| frame.active);
            for (_, frame) in frames {
                // Writing to a text cannot fail.
                let _ = write!(plan, " {} {}-{}", frame.days.code(), frame.start, frame.stop);
            }
        }
        plan
    }

    /// The forecast row after these facts; `before` is the present one.
    pub(super) fn apply_to(&self, before: StoredForecast) -> StoredForecast {
        let mut next = before;
        let plan = self.running_plan();
        if next.running_plan != plan {
            // An empty plan is that of a device that was not known.
            if !next.running_plan.is_empty() {
                next.plan_since = Some(self.read_at);
                next.usual_share = next.share.or(next.usual_share);
            }
            next.running_plan = plan;
        }
        if let Some(reading) = self.reading
            && next.daily_use.record(reading.at, reading.hours)
        {
            next.refills.push(reading.at);
        }
        let forecast = self.input(&next).forecast();
        next.share = forecast.ok().and_then(|it| it.share);
        next.empty = forecast.ok().map(|it| it.empty);
        if !self.is_empty {
            next.ml_per_week = forecast.ok().map(|it| it.ml_per_week);
        }
        next.obstacle = forecast.err().map(Into::into);
        next.emptied_at = self.is_empty.then(|| {
            let known = [next.emptied_at, self.input(&next).empty_since()];
            known.into_iter().flatten().min().unwrap_or(self.reading.map_or(self.read_at, |reading| reading.at))
        });
        next
    }

    /// What attention needs to know; `stored` is the forecast after these facts.
    pub(super) fn observation(&self, stored: &StoredForecast) -> Observation {
        let days: Vec<UseOfDay> = stored.daily_use.days().map(|(start, hours)| UseOfDay { start, hours }).collect();
        Observation {
            read_at: self.read_at,
            schedule: self.schedule_text.clone(),
            fragrance: self.fragrance_name.clone(),
            life_hours: self.reading.map(|reading| reading.hours),
            level: self.level,
            command_since: self.command_since,
            plan_since: stored.plan_since,
            use_of_days: days[days.len().saturating_sub(OBSERVED_DAYS)..].to_vec(),
            use_today: stored.daily_use.last_day(),
            faults: self.faults,
            shared_identity: self.shared_identity,
        }
    }

    /// What the device adds to the sums of the fleet; `stored` is the forecast after these facts.
    pub(super) fn device_days(&self, stored: &StoredForecast, past: Vec<PastDay>) -> DeviceDays {
        let ml_per_hour = self.input(stored).ml_per_hour().ok();
        let used_ml = stored.daily_use.days().filter_map(|(day, hours)| Some((day, hours? * ml_per_hour?)));
        DeviceDays {
            dsn: self.dsn.as_str().to_owned(),
            csp: self.csp.clone(),
            customer: self.customer.clone(),
            store_number: self.store_number.clone(),
            city: self.city.clone(),
            fragrance: self.fragrance_name.clone().unwrap_or_default(),
            used_ml: used_ml.collect(),
            refills: stored.refills.clone(),
            last_reading: stored.daily_use.last_reading(),
            past,
        }
    }

    /// The level in percent after these running hours with the present fragrance.
    pub(super) fn level_after(&self, hours: f64) -> Option<i64> {
        remaining_percent(&self.configuration, self.fragrance.as_ref()?, hours).map(i64::from)
    }

    /// The input of the forecast of the device.
    pub(super) fn input<'a>(&'a self, stored: &'a StoredForecast) -> ForecastInput<'a> {
        ForecastInput {
            configuration: &self.configuration,
            fragrance: self.fragrance.as_ref(),
            cartridge_life_hours: self.reading.map(|reading| reading.hours),
            mode: self.mode,
            schedule: self.schedule.as_ref(),
            time_zone: &self.time_zone,
            plan_since: stored.plan_since,
            usual_share: stored.usual_share,
            daily_use: &stored.daily_use,
            offline_since: self.offline_since,
            now: self.read_at,
        }
    }
}
