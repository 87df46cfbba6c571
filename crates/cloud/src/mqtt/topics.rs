//! The topics of a device. Pure.

const MAX_DSN: usize = 32;

/// Topics that a device may publish to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Inbound {
    Report,
    Ack,
}

/// Topics that a device may subscribe to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outbound {
    Command,
    Settings,
}

/// The topics of one device. All others are foreign.
#[derive(Debug, Clone)]
pub(super) struct Topics {
    own: String,
}

impl Topics {
    /// `None` if `dsn` is not valid: 1 to 32 ASCII letters, digits, `-` and `_`. This excludes wildcards, separators
    /// and characters that are unsafe to log.
    pub(super) fn of(dsn: &str) -> Option<Self> {
        let valid = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        let is_dsn = (1..=MAX_DSN).contains(&dsn.len()) && dsn.bytes().all(valid);
        is_dsn.then(|| Self { own: format!("devices/{dsn}/") })
    }

    pub(super) fn inbound(&self, topic: &str) -> Option<Inbound> {
        match topic.strip_prefix(&self.own)? {
            "report" => Some(Inbound::Report),
            "ack" => Some(Inbound::Ack),
            _ => None,
        }
    }

    /// Only the exact topics are granted, no wildcards.
    pub(super) fn outbound(&self, filter: &str) -> Option<Outbound> {
        match filter.strip_prefix(&self.own)? {
            "command" => Some(Outbound::Command),
            "settings" => Some(Outbound::Settings),
            _ => None,
        }
    }

    /// The full topic.
    pub(super) fn topic(&self, outbound: Outbound) -> String {
        let kind = match outbound {
            Outbound::Command => "command",
            Outbound::Settings => "settings",
        };
        format!("{}{kind}", self.own)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn own() -> Topics {
        Topics::of("SL0001").unwrap()
    }

    #[test]
    fn device_publishes_only_under_its_own_dsn() {
        let rows = [
            ("devices/SL0001/report", Some(Inbound::Report)),
            ("devices/SL0001/ack", Some(Inbound::Ack)),
            ("devices/SL0001/command", None),
            ("devices/SL0001/report/", None),
            ("devices/SL0001/report/x", None),
            ("devices/SL0001", None),
            ("devices/SL0002/report", None),
            ("devices/SL00011/report", None),
            ("devices/sl0001/report", None),
            ("/devices/SL0001/report", None),
            ("devices/+/report", None),
            ("$SYS/report", None),
            ("", None),
        ];
        for (topic, expected) in rows {
            assert_eq!(own().inbound(topic), expected, "{topic}");
        }
    }

    #[test]
    fn device_subscribes_only_to_its_own_topics() {
        for outbound in [Outbound::Command, Outbound::Settings] {
            assert_eq!(own().outbound(&own().topic(outbound)), Some(outbound));
        }
        for foreign in [
            "devices/SL0002/command",
            "devices/SL0002/settings",
            "devices/+/command",
            "devices/SL0001/#",
            "devices/SL0001/+",
            "devices/SL0001/report",
            "#",
            "",
        ] {
            assert_eq!(own().outbound(foreign), None, "{foreign}");
        }
    }

    #[test]
    fn text_with_topic_or_control_characters_is_not_a_dsn() {
        for good in ["A", "SL0001", "AC000W000000001", "a-b_c", &"x".repeat(32)] {
            assert!(Topics::of(good).is_some(), "{good}");
        }
        for bad in ["", "SL/1", "+", "#", "SL 1", "SL\n1", "SLé", "SL\0", &"x".repeat(33), &"f".repeat(64)] {
            assert!(Topics::of(bad).is_none(), "{bad:?}");
        }
    }

    proptest! {
        #[test]
        fn topic_of_another_device_is_rejected(other in "[A-Za-z0-9_-]{1,32}", kind in "report|ack|command|settings") {
            prop_assume!(other != "SL0001");
            let topic = format!("devices/{other}/{kind}");
            prop_assert!(own().inbound(&topic).is_none() && own().outbound(&topic).is_none());
        }

        #[test]
        fn arbitrary_topics_never_panic(topic in ".*", dsn in ".*") {
            let _ = (own().inbound(&topic), own().outbound(&topic));
            let _ = Topics::of(&dsn);
        }
    }
}
