//! What one connection is sent without having asked each time: its commands and settings. Pure.

use std::collections::HashSet;

use rumqttc::mqttbytes::QoS;
use rumqttc::mqttbytes::v4::Publish;

use super::payload;
use super::topics::{Downward, Topics};
use crate::devices::link::{Command, Settings};

const MAX_IN_FLIGHT: usize = 16;

/// What was asked for, what was sent, and what the device has not taken yet.
#[derive(Debug)]
pub(super) struct Outbox {
    topics: Topics,
    /// The quality of service that was granted for commands.
    commands: Option<QoS>,
    /// The same for settings.
    settings: Option<QoS>,
    /// Packet identifiers that the device has not acknowledged yet.
    in_flight: HashSet<u16>,
    last_id: u16,
    /// Something waits for room in flight.
    waiting: bool,
    /// Commands given to this connection that still wait for the device's own ack.
    sent: HashSet<String>,
    /// The settings that the device knows.
    told: Option<Settings>,
}

impl Outbox {
    pub(super) fn new(topics: Topics) -> Self {
        Self {
            topics,
            commands: None,
            settings: None,
            in_flight: HashSet::new(),
            last_id: 0,
            waiting: false,
            sent: HashSet::new(),
            told: None,
        }
    }

    /// Returns the quality of service that is granted. Settings that were told before will be told again.
    pub(super) fn subscribe(&mut self, downward: Downward, asked: QoS) -> QoS {
        let granted = if asked == QoS::AtMostOnce { QoS::AtMostOnce } else { QoS::AtLeastOnce };
        match downward {
            Downward::Command => self.commands = Some(granted),
            Downward::Settings => {
                self.settings = Some(granted);
                self.told = None;
            }
        }
        granted
    }

    pub(super) fn unsubscribe(&mut self, downward: Downward) {
        match downward {
            Downward::Command => self.commands = None,
            Downward::Settings => self.settings = None,
        }
    }

    pub(super) fn wants(&self, downward: Downward) -> bool {
        match downward {
            Downward::Command => self.commands.is_some(),
            Downward::Settings => self.settings.is_some(),
        }
    }

    pub(super) fn wants_anything(&self) -> bool {
        self.commands.is_some() || self.settings.is_some()
    }

    /// The device took a packet. Returns whether something waited for that.
    pub(super) fn taken(&mut self, id: u16) -> bool {
        self.in_flight.remove(&id) && self.waiting
    }

    /// Begins a delivery: whatever finds no room in it waits.
    pub(super) fn begin(&mut self) {
        self.waiting = false;
    }

    /// The settings, if the device does not know them yet.
    pub(super) fn settings(&mut self, settings: Settings) -> Option<Publish> {
        let qos = self.settings?;
        if self.told.as_ref().is_some_and(|told| told.time_zone == settings.time_zone) {
            return None;
        }
        let publish = self.publish(Downward::Settings, qos, payload::settings(&settings))?;
        self.told = Some(settings);
        Some(publish)
    }

    /// The pending commands that this connection has not had yet, as far as there is room in flight. Only the device's own
    /// ack settles a command; without one it is sent again at the next connection.
    pub(super) fn commands(&mut self, pending: &[Command]) -> Vec<Publish> {
        let Some(qos) = self.commands else { return Vec::new() };
        self.sent.retain(|id| pending.iter().any(|command| command.id == *id));
        let mut publishes = Vec::new();
        for command in pending {
            if self.sent.contains(&command.id) {
                continue;
            }
            let Some(publish) = self.publish(Downward::Command, qos, payload::command(command)) else { break };
            publishes.push(publish);
            self.sent.insert(command.id.clone());
        }
        publishes
    }

    /// `None` while there is no room in flight.
    fn publish(&mut self, downward: Downward, qos: QoS, payload: Vec<u8>) -> Option<Publish> {
        let mut publish = Publish::new(self.topics.of_downward(downward), qos, payload);
        if qos == QoS::AtLeastOnce {
            if self.in_flight.len() >= MAX_IN_FLIGHT {
                self.waiting = true;
                return None;
            }
            publish.pkid = self.next_id();
            self.in_flight.insert(publish.pkid);
        }
        Some(publish)
    }

    /// Packet identifiers go round, leave out 0 and those in flight.
    fn next_id(&mut self) -> u16 {
        loop {
            self.last_id = self.last_id.checked_add(1).unwrap_or(1);
            if !self.in_flight.contains(&self.last_id) {
                return self.last_id;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn outbox() -> Outbox {
        Outbox::new(Topics::of("SL0001").unwrap())
    }

    fn commands(ids: std::ops::Range<u32>) -> Vec<Command> {
        let command = |id: u32| Command {
            id: id.to_string(),
            property: format!("p{id}"),
            value: json!(id),
            created_at: "2026-11-20T12:00:00Z".parse().unwrap(),
        };
        ids.map(command).collect()
    }

    fn zone(time_zone: &str) -> Settings {
        Settings { time_zone: Some(time_zone.to_owned()), time: "2026-11-20T12:00:00Z".parse().unwrap() }
    }

    fn ids(publishes: &[Publish]) -> Vec<u16> {
        publishes.iter().map(|publish| publish.pkid).collect()
    }

    #[test]
    fn nothing_is_sent_without_a_subscription() {
        let mut outbox = outbox();
        assert!(outbox.commands(&commands(0..2)).is_empty() && outbox.settings(zone("Europe/Paris")).is_none());
        outbox.subscribe(Downward::Settings, QoS::AtMostOnce);
        assert!(outbox.commands(&commands(0..2)).is_empty());
        assert_eq!(outbox.settings(zone("Europe/Paris")).unwrap().topic, "devices/SL0001/settings");
    }

    #[test]
    fn pending_command_is_sent_once_and_settings_when_they_change() {
        let mut outbox = outbox();
        assert_eq!(outbox.subscribe(Downward::Command, QoS::ExactlyOnce), QoS::AtLeastOnce);
        outbox.subscribe(Downward::Settings, QoS::AtLeastOnce);
        assert_eq!(ids(&outbox.commands(&commands(0..2))), [1, 2]);
        assert_eq!(ids(&outbox.commands(&commands(0..3))), [3]);
        assert_eq!(outbox.settings(zone("Europe/Paris")).unwrap().pkid, 4);
        assert!(outbox.settings(zone("Europe/Paris")).is_none());
        assert_eq!(outbox.settings(zone("Asia/Tokyo")).unwrap().pkid, 5);
        outbox.subscribe(Downward::Settings, QoS::AtLeastOnce);
        assert_eq!(outbox.settings(zone("Asia/Tokyo")).unwrap().pkid, 6);
    }

    #[test]
    fn at_most_sixteen_publishes_are_in_flight_and_the_rest_wait() {
        let mut outbox = outbox();
        outbox.subscribe(Downward::Command, QoS::AtLeastOnce);
        outbox.subscribe(Downward::Settings, QoS::AtLeastOnce);
        assert_eq!(outbox.commands(&commands(0..20)).len(), MAX_IN_FLIGHT);
        assert!(outbox.settings(zone("Europe/Paris")).is_none());
        assert!(!outbox.taken(99), "that was not in flight");
        assert!(outbox.taken(3));
        outbox.begin();
        assert_eq!(outbox.settings(zone("Europe/Paris")).unwrap().pkid, 17);
        assert!(outbox.commands(&commands(0..20)).is_empty());
        assert!(outbox.taken(4));
        outbox.begin();
        assert_eq!(outbox.commands(&commands(0..20))[0].payload, payload::command(&commands(16..17)[0]));
    }

    #[test]
    fn qos_zero_publishes_are_never_in_flight() {
        let mut outbox = outbox();
        outbox.subscribe(Downward::Command, QoS::AtMostOnce);
        assert_eq!(ids(&outbox.commands(&commands(0..20))), [0; 20]);
    }

    #[test]
    fn packet_identifiers_wrap_and_skip_zero_and_those_in_flight() {
        let mut outbox = outbox();
        outbox.subscribe(Downward::Command, QoS::AtLeastOnce);
        outbox.last_id = u16::MAX - 1;
        assert_eq!(ids(&outbox.commands(&commands(0..2))), [u16::MAX, 1]);
        outbox.last_id = u16::MAX - 1;
        assert_eq!(ids(&outbox.commands(&commands(0..3))), [2]);
    }
}
