//! The queue of commands and settings for one connection. Pure.

use std::collections::HashSet;

use rumqttc::mqttbytes::QoS;
use rumqttc::mqttbytes::v4::Publish;

use super::payload;
use super::topics::{Outbound, Topics};
use crate::devices::link::{Command, Settings};

const MAX_IN_FLIGHT: usize = 16;

/// Subscriptions, sent messages and unacknowledged packets of a connection.
#[derive(Debug)]
pub(super) struct SendQueue {
    topics: Topics,
    /// The granted quality of service for commands, if subscribed.
    commands: Option<QoS>,
    /// The granted quality of service for settings, if subscribed.
    settings: Option<QoS>,
    /// Packet identifiers without a PUBACK so far.
    in_flight: HashSet<u16>,
    last_id: u16,
    /// Whether a message waits for room in flight.
    waiting: bool,
    /// Commands sent on this connection that the device has not acknowledged yet.
    sent: HashSet<String>,
    /// The settings last sent.
    sent_settings: Option<Settings>,
}

impl SendQueue {
    pub(super) fn new(topics: Topics) -> Self {
        Self {
            topics,
            commands: None,
            settings: None,
            in_flight: HashSet::new(),
            last_id: 0,
            waiting: false,
            sent: HashSet::new(),
            sent_settings: None,
        }
    }

    /// Returns the granted quality of service. A new subscription to settings sends them again.
    pub(super) fn subscribe(&mut self, outbound: Outbound, asked: QoS) -> QoS {
        let granted = if asked == QoS::AtMostOnce { QoS::AtMostOnce } else { QoS::AtLeastOnce };
        match outbound {
            Outbound::Command => self.commands = Some(granted),
            Outbound::Settings => {
                self.settings = Some(granted);
                self.sent_settings = None;
            }
        }
        granted
    }

    pub(super) fn unsubscribe(&mut self, outbound: Outbound) {
        match outbound {
            Outbound::Command => self.commands = None,
            Outbound::Settings => self.settings = None,
        }
    }

    pub(super) fn is_subscribed(&self, outbound: Outbound) -> bool {
        match outbound {
            Outbound::Command => self.commands.is_some(),
            Outbound::Settings => self.settings.is_some(),
        }
    }

    pub(super) fn has_subscriptions(&self) -> bool {
        self.commands.is_some() || self.settings.is_some()
    }

    /// Handles a PUBACK. Returns whether a message waited for it.
    pub(super) fn acknowledged(&mut self, id: u16) -> bool {
        self.in_flight.remove(&id) && self.waiting
    }

    /// Starts a delivery. Messages that find no room wait.
    pub(super) fn begin(&mut self) {
        self.waiting = false;
    }

    /// The publish of the settings, if they differ from those last sent.
    pub(super) fn settings(&mut self, settings: Settings) -> Option<Publish> {
        let qos = self.settings?;
        if self.sent_settings.as_ref().is_some_and(|sent_settings| sent_settings.time_zone == settings.time_zone) {
            return None;
        }
        let publish = self.publish(Outbound::Settings, qos, payload::settings(&settings))?;
        self.sent_settings = Some(settings);
        Some(publish)
    }

    /// Publishes of pending commands that were not sent on this connection, as far as there is room in flight. Only the
    /// device's ack settles a command; without one it is sent again on the next connection.
    pub(super) fn commands(&mut self, pending: &[Command]) -> Vec<Publish> {
        let Some(qos) = self.commands else { return Vec::new() };
        self.sent.retain(|id| pending.iter().any(|command| command.id == *id));
        let mut publishes = Vec::new();
        for command in pending {
            if self.sent.contains(&command.id) {
                continue;
            }
            let Some(publish) = self.publish(Outbound::Command, qos, payload::command(command)) else { break };
            publishes.push(publish);
            self.sent.insert(command.id.clone());
        }
        publishes
    }

    /// Whether the command was sent on this connection and is not acknowledged.
    pub(super) fn has_sent(&self, command: &str) -> bool {
        self.sent.contains(command)
    }

    /// `None` if there is no room in flight.
    fn publish(&mut self, outbound: Outbound, qos: QoS, payload: Vec<u8>) -> Option<Publish> {
        let mut publish = Publish::new(self.topics.topic(outbound), qos, payload);
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

    /// The next packet identifier; wraps around, skips 0 and identifiers in flight.
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

    fn queue() -> SendQueue {
        SendQueue::new(Topics::of("SL0001").unwrap())
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
        Settings { time_zone: Some(time_zone.to_owned()), time: "2026-11-20T12:00:00Z".parse().unwrap(), rules: None }
    }

    fn ids(publishes: &[Publish]) -> Vec<u16> {
        publishes.iter().map(|publish| publish.pkid).collect()
    }

    #[test]
    fn nothing_is_sent_without_a_subscription() {
        let mut queue = queue();
        assert!(queue.commands(&commands(0..2)).is_empty() && queue.settings(zone("Europe/Paris")).is_none());
        queue.subscribe(Outbound::Settings, QoS::AtMostOnce);
        assert!(queue.commands(&commands(0..2)).is_empty());
        assert_eq!(queue.settings(zone("Europe/Paris")).unwrap().topic, "devices/SL0001/settings");
    }

    #[test]
    fn pending_command_is_sent_once_and_settings_when_they_change() {
        let mut queue = queue();
        assert_eq!(queue.subscribe(Outbound::Command, QoS::ExactlyOnce), QoS::AtLeastOnce);
        queue.subscribe(Outbound::Settings, QoS::AtLeastOnce);
        assert_eq!(ids(&queue.commands(&commands(0..2))), [1, 2]);
        assert_eq!(ids(&queue.commands(&commands(0..3))), [3]);
        assert_eq!(queue.settings(zone("Europe/Paris")).unwrap().pkid, 4);
        assert!(queue.settings(zone("Europe/Paris")).is_none());
        assert_eq!(queue.settings(zone("Asia/Tokyo")).unwrap().pkid, 5);
        queue.subscribe(Outbound::Settings, QoS::AtLeastOnce);
        assert_eq!(queue.settings(zone("Asia/Tokyo")).unwrap().pkid, 6);
    }

    #[test]
    fn at_most_sixteen_publishes_are_in_flight_and_the_rest_wait() {
        let mut queue = queue();
        queue.subscribe(Outbound::Command, QoS::AtLeastOnce);
        queue.subscribe(Outbound::Settings, QoS::AtLeastOnce);
        assert_eq!(queue.commands(&commands(0..20)).len(), MAX_IN_FLIGHT);
        assert!(queue.settings(zone("Europe/Paris")).is_none());
        assert!(!queue.acknowledged(99), "the packet was not in flight");
        assert!(queue.acknowledged(3));
        queue.begin();
        assert_eq!(queue.settings(zone("Europe/Paris")).unwrap().pkid, 17);
        assert!(queue.commands(&commands(0..20)).is_empty());
        assert!(queue.acknowledged(4));
        queue.begin();
        assert_eq!(queue.commands(&commands(0..20))[0].payload, payload::command(&commands(16..17)[0]));
    }

    #[test]
    fn qos_zero_publishes_are_never_in_flight() {
        let mut queue = queue();
        queue.subscribe(Outbound::Command, QoS::AtMostOnce);
        assert_eq!(ids(&queue.commands(&commands(0..20))), [0; 20]);
    }

    #[test]
    fn packet_identifiers_wrap_and_skip_zero_and_those_in_flight() {
        let mut queue = queue();
        queue.subscribe(Outbound::Command, QoS::AtLeastOnce);
        queue.last_id = u16::MAX - 1;
        assert_eq!(ids(&queue.commands(&commands(0..2))), [u16::MAX, 1]);
        queue.last_id = u16::MAX - 1;
        assert_eq!(ids(&queue.commands(&commands(0..3))), [2]);
    }
}
