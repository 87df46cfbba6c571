//! Limits of messages that devices cause.

use jiff::SignedDuration;

/// Limits of messages that devices cause: of triggers, notifications and rules. Budgets are per day (UTC) and channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageLimits {
    /// Minimum interval between messages of one source to one recipient.
    pub gap: SignedDuration,
    /// Messages about a device.
    pub per_device: u32,
    /// Messages of the triggers, notifications and rules of a user.
    pub per_author: u32,
    /// Messages of a manufacturer.
    pub per_manufacturer: u32,
    /// Messages about the devices of a partner, so that one partner cannot use up the messages of the others. `None`: a tenth of
    /// `per_manufacturer`.
    pub per_partner: Option<u32>,
}

/// Separate limits of a manufacturer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MessageLimitOverrides {
    /// [`MessageLimits::gap`].
    pub gap: Option<SignedDuration>,
    /// [`MessageLimits::per_device`].
    pub per_device: Option<u32>,
    /// [`MessageLimits::per_author`].
    pub per_author: Option<u32>,
    /// [`MessageLimits::per_manufacturer`].
    pub per_manufacturer: Option<u32>,
    /// [`MessageLimits::per_partner`].
    pub per_partner: Option<u32>,
}

/// What a daily budget is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BudgetScope {
    /// A manufacturer. The first: transactions lock its counter before those of its users and devices.
    Manufacturer,
    /// A partner of the manufacturer.
    Partner,
    /// A user whose triggers, notifications or rules cause messages.
    Author,
    /// A device.
    Device,
    /// Notices of spent budgets to recipients that an author chose. Limited like the messages of the author.
    Notice,
}

impl Default for MessageLimits {
    fn default() -> Self {
        Self {
            gap: SignedDuration::from_mins(5),
            per_device: 50,
            per_author: 200,
            per_manufacturer: 20_000,
            per_partner: None,
        }
    }
}

impl MessageLimits {
    /// These limits, replaced by the separate limits of the manufacturer.
    pub(crate) fn overridden_by(self, own: MessageLimitOverrides) -> Self {
        Self {
            gap: own.gap.unwrap_or(self.gap),
            per_device: own.per_device.unwrap_or(self.per_device),
            per_author: own.per_author.unwrap_or(self.per_author),
            per_manufacturer: own.per_manufacturer.unwrap_or(self.per_manufacturer),
            per_partner: own.per_partner.or(self.per_partner),
        }
    }

    pub(crate) fn budget(&self, scope: BudgetScope) -> u32 {
        match scope {
            BudgetScope::Manufacturer => self.per_manufacturer,
            BudgetScope::Partner => self.per_partner.unwrap_or_else(|| (self.per_manufacturer / 10).max(1)),
            BudgetScope::Author | BudgetScope::Notice => self.per_author,
            BudgetScope::Device => self.per_device,
        }
    }
}

impl BudgetScope {
    pub(crate) const ALL: [Self; 5] = [Self::Manufacturer, Self::Partner, Self::Author, Self::Device, Self::Notice];

    /// As in the database.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Manufacturer => "manufacturer",
            Self::Partner => "partner",
            Self::Author => "author",
            Self::Device => "device",
            Self::Notice => "notice",
        }
    }

    pub(crate) fn find(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == text)
    }
}
