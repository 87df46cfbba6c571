//! A mock cloud with one diffuser, which has faults.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use devicecloud::testing::{MockCloud, MockRequest, events};
use devicecloud::{ConnectionStatus, PropertyValue, Time};
use diffuser::{Mode, PARTNER_LABEL_KEY, Role, properties};
use jiff::{SignedDuration, Timestamp};
use platform::run::clock::to_micros;
use serde_json::{Value, json};

use crate::records::device_panic::DEFECTIVE;

/// Every day from 08:00 to 17:59.
pub(super) const DAILY: &str = "1,1,0,20,8,0,17,59";
const DSN: &str = "A";
pub(super) const DAY: SignedDuration = SignedDuration::from_hours(24);

/// A diffuser with 1000 running hours in a cartridge of Fig, in UTC, that uses ten hours a day, spread over it.
#[derive(Clone, Debug)]
pub(super) struct Diffuser {
    pub(super) online: bool,
    pub(super) connected_at: Option<Timestamp>,
    pub(super) created_at: Timestamp,
    pub(super) fragrance: &'static str,
    pub(super) schedule: &'static str,
    pub(super) level: Option<i64>,
    /// The cartridge life at a time, and the hours a day since then.
    pub(super) life: (Timestamp, f64),
    pub(super) hours_a_day: f64,
    /// Properties with a command that it has not answered, and since when.
    pub(super) commands: BTreeMap<&'static str, Timestamp>,
    /// Values of today that were not stored.
    pub(super) faults: i64,
    /// Whether its connections replace each other.
    pub(super) shared_identity: bool,
}

/// What the cloud answers and sends.
#[derive(Debug, Default)]
pub(super) struct CloudState {
    pub(super) device: Option<Diffuser>,
    /// Whether there is a second device, whose work panics.
    pub(super) has_defective: bool,
    pub(super) has_technician: bool,
    pub(super) events: Vec<Value>,
    pub(super) now: Timestamp,
}

fn wire(at: Timestamp) -> Time {
    Time::from_unix_micros(to_micros(at))
}

impl Diffuser {
    pub(super) fn new(now: Timestamp) -> Self {
        Self {
            online: true,
            connected_at: Some(now - DAY * 30),
            created_at: now - DAY * 60,
            fragrance: "Fig",
            schedule: DAILY,
            level: Some(50),
            life: (now, 500.0),
            hours_a_day: 10.0,
            commands: BTreeMap::new(),
            faults: 0,
            shared_identity: false,
        }
    }

    fn life_at(&self, at: Timestamp) -> f64 {
        let days = at.duration_since(self.life.0).as_secs_f64() / DAY.as_secs_f64();
        ((self.life.1 + days * self.hours_a_day) * 100.0).round() / 100.0
    }

    pub(super) fn json(&self, now: Timestamp, dsn: &str) -> Value {
        let property = |name: &str, base_type: &str, value: Value| {
            let command =
                self.commands.get(name).map(|at| json!({"id": "c", "state": "pending", "created_at": wire(*at)}));
            json!({"property": {
                "name": name, "base_type": base_type, "value": value, "data_updated_at": wire(now), "command": command,
            }})
        };
        let mut properties = Vec::new();
        if self.connected_at.is_some() {
            properties = vec![
                property(properties::CARTRIDGE_LIFE, "decimal", json!(self.life_at(now))),
                property(properties::CURRENT_STATE, "integer", json!(Mode::Run.code())),
                property(properties::SCHEDULE_BLOB, "string", json!(self.schedule)),
                property(properties::INTENSITY, "integer", json!(if dsn == DEFECTIVE { 30 } else { 20 })),
                property(properties::FRAGRANCE_REMAINING, "integer", json!(self.level)),
            ];
        }
        let datum = |key: &str, value: &str| json!({"datum": {"key": key, "value": value}});
        json!({"device": {
            "dsn": dsn,
            "key": if dsn == DSN { 1 } else { 2 },
            "registered": true,
            "created_at": wire(self.created_at),
            "connection_status": if self.online { "Online" } else { "Offline" },
            "connected_at": self.connected_at.map(wire),
            "addr": {},
            "data": [datum("cart_name", "AQ290"), datum("fragrance", self.fragrance), datum("time_zone", "UTC")],
            "role_labels": [{"role_label": {
                "role_name": Role::CspTech.name(), "label": {"key": PARTNER_LABEL_KEY, "value": "North"},
            }}],
            "properties": properties,
            "fault_counts": {"today": self.faults, "yesterday": 0},
            "shared_identity": self.shared_identity,
        }})
    }
}

impl CloudState {
    pub(super) fn device(&mut self) -> &mut Diffuser {
        self.device.as_mut().expect("a device")
    }

    fn send(&mut self, property: &str, value: impl Into<PropertyValue>, is_report: bool) {
        self.events.push(events::datapoint(DSN, property, value, is_report, wire(self.now)));
    }

    pub(super) fn report_life(&mut self) {
        let now = self.now;
        let life = self.device().life_at(now);
        self.send(properties::CARTRIDGE_LIFE, life, true);
    }

    /// Another cartridge, or a counter that was set by hand.
    pub(super) fn set_life(&mut self, hours: f64) {
        let now = self.now;
        self.device().life = (now, hours);
        self.report_life();
    }

    /// The life goes on at another rate.
    pub(super) fn set_use(&mut self, hours_a_day: f64) {
        let now = self.now;
        let device = self.device();
        (device.life, device.hours_a_day) = ((now, device.life_at(now)), hours_a_day);
    }

    pub(super) fn set_schedule(&mut self, schedule: &'static str) {
        self.device().schedule = schedule;
        self.send(properties::SCHEDULE_BLOB, schedule, true);
    }

    pub(super) fn set_online(&mut self, online: bool) {
        let now = self.now;
        let device = self.device();
        device.online = online;
        if online {
            device.connected_at = Some(now);
        }
        let status = if online { ConnectionStatus::Online } else { ConnectionStatus::Offline };
        self.events.push(events::connectivity(DSN, &status, wire(now)));
    }

    pub(super) fn command(&mut self, property: &'static str, value: impl Into<PropertyValue>) {
        let now = self.now;
        self.device().commands.insert(property, now);
        self.send(property, value, false);
    }

    pub(super) fn acknowledge(&mut self, property: &'static str, value: impl Into<PropertyValue>) {
        self.device().commands.remove(property);
        self.events.push(events::datapoint_ack(DSN, property, value, 200, wire(self.now)));
    }

    /// Sends events of each kind about the defective device.
    pub(super) fn send_events_of_defective(&mut self) {
        let at = wire(self.now);
        self.events.extend([
            events::datapoint(DEFECTIVE, properties::INTENSITY, 30, true, at),
            events::datapoint_ack(DEFECTIVE, properties::INTENSITY, 30, 200, at),
            events::connectivity(DEFECTIVE, &ConnectionStatus::Offline, at),
        ]);
    }

    fn users(&self) -> Value {
        let technician = json!({"user": {
            "uuid": "019aa000-0000-7000-8000-000000000001", "email": "tess@example.com", "role": Role::CspTech.name(),
            "role_tags": [{"namespace": Role::CspTech.name(), "key": PARTNER_LABEL_KEY, "value": "North"}],
        }});
        if self.has_technician { json!([technician]) } else { json!([]) }
    }
}

pub(super) fn mock_cloud(cloud: &Arc<Mutex<CloudState>>) -> MockCloud {
    let mock = MockCloud::new();
    let answer = |call: &str, answer: fn(&mut CloudState, &MockRequest) -> (u16, Value)| {
        let cloud = Arc::clone(cloud);
        mock.answer_with(call, move |request| answer(&mut cloud.lock().unwrap(), request));
    };
    answer("GET apiv1/devices.json", |cloud, request| {
        let is_first = !request.query.iter().any(|it| it.starts_with("filter[key_after]="));
        let now = cloud.now;
        let dsns = [Some(DSN), Some(DEFECTIVE).filter(|_| cloud.has_defective)].into_iter().flatten();
        let device = cloud.device.as_ref().filter(|_| is_first);
        let devices: Vec<Value> = dsns.filter_map(|dsn| Some(device?.json(now, dsn))).collect();
        (200, json!({"total": devices.len(), "current_page_number": 1, "next_page": null, "devices": devices}))
    });
    answer("GET apiv1/dsns/{dsn}", |cloud, request| {
        let dsn = request.call.rsplit('/').next().unwrap();
        (200, cloud.device().clone().json(cloud.now, dsn))
    });
    answer("GET apiv1/dsns/{dsn}/properties/{name}/datapoints.json", |cloud, request| {
        let until = request.query.iter().find_map(|it| it.strip_prefix("filter[created_at_end_date]="));
        let until: Timestamp = until.unwrap().parse().unwrap();
        let hours = cloud.device().life_at(until);
        if cloud.device().connected_at.is_none() || hours < 0.0 {
            return (200, json!([]));
        }
        (200, json!([{"datapoint": {"id": "d", "value": hours, "created_at": wire(until)}}]))
    });
    answer("POST apiv1/dsns/{dsn}/properties/{name}/datapoints", |cloud, request| {
        let level = request.body.as_ref().unwrap()["datapoint"]["value"].as_i64().unwrap();
        cloud.device().level = Some(level);
        cloud.send(properties::FRAGRANCE_REMAINING, level, false);
        cloud.acknowledge(properties::FRAGRANCE_REMAINING, level);
        (201, json!({"datapoint": {"id": "d", "value": level, "created_at": wire(cloud.now), "echo": false}}))
    });
    answer("GET api/v1/users/index_by_oem.json", |cloud, _| (200, cloud.users()));
    answer("GET users/{uuid}.json", |cloud, _| match cloud.users().get(0) {
        Some(user) => (200, user.clone()),
        None => (404, json!({"error": "Not found"})),
    });
    mock
}
