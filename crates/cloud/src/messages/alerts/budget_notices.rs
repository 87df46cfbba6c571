//! Notices about spent budgets: to the recipient of a message that is held back, to its author and to the administrators of the
//! partner. Each address gets one a day.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::Timestamp;
use platform::db::{Result, Tx};

use super::{Alert, budgets};
use crate::domain::message_limits::{BudgetScope, MessageLimits};
use crate::messages::mail::{Address, Notice};
use crate::records::message::{Channel, MessageKind};
use crate::store::device_names::{self, NameRow};
use crate::store::message_budgets::{self, CounterKey};
use crate::store::partners::{self, Partner};
use crate::store::users;

/// A message that is held back, because a budget is spent.
pub(super) struct SpentBudget<'a> {
    pub(super) alert: &'a Alert,
    pub(super) budget: CounterKey<'a>,
}

/// Somebody who gets a notice.
struct Addressee<'a> {
    to: Address,
    spent: &'a SpentBudget<'a>,
    /// Whether it is the author of the message.
    is_author: bool,
    /// Whether the author of the message entered the address. The number of notices to such addresses is limited, because they can be
    /// those of strangers.
    is_entered: bool,
}

/// The notices about these budgets to the addresses that had none today.
pub(super) async fn notices(
    tx: &mut Tx,
    spent: &[SpentBudget<'_>],
    limits: &HashMap<i64, MessageLimits>,
    partners: &HashMap<i64, Partner>,
    now: Timestamp,
) -> Result<Vec<Notice>> {
    let mut by_oem: BTreeMap<i64, Vec<&SpentBudget<'_>>> = BTreeMap::new();
    for spent in spent {
        by_oem.entry(spent.alert.notice.oem_id).or_default().push(spent);
    }
    let mut notices = Vec::new();
    for (oem_id, spent) in by_oem {
        let addressees = addressees(tx, &spent, partners).await?;
        let addresses: Vec<(&str, &str)> =
            addressees.iter().map(|addressee| (addressee.to.channel().as_str(), addressee.to.as_str())).collect();
        let new = message_budgets::record_notices(tx, &budgets::day(now), oem_id, &addresses).await?;
        let limits = limits.get(&oem_id).copied().unwrap_or_default();
        let is_new = |addressee: &Addressee<'_>| {
            new.contains(&(addressee.to.channel().as_str().to_owned(), addressee.to.as_str().to_owned()))
        };
        let addressees: Vec<Addressee<'_>> = addressees.into_iter().filter(is_new).collect();
        let keys: Vec<Vec<CounterKey<'_>>> =
            addressees.iter().map(|it| it.counter(oem_id).into_iter().collect()).collect();
        let refused = budgets::charge_counters(tx, &keys, &vec![limits; keys.len()], now).await?;
        let devices: BTreeSet<i64> = spent.iter().map(|spent| spent.alert.device_id).collect();
        let names = device_names::of(tx, &devices.into_iter().collect::<Vec<_>>()).await?;
        let allowed = addressees.into_iter().zip(refused).filter(|(_, refused)| refused.is_none());
        notices.extend(allowed.filter_map(|(addressee, _)| {
            let device = names.get(&addressee.spent.alert.device_id)?;
            Some(addressee.notice(device, &limits))
        }));
    }
    Ok(notices)
}

/// The people to notify, each address once: authors and administrators before recipients.
async fn addressees<'a>(
    tx: &mut Tx,
    spent: &[&'a SpentBudget<'a>],
    partners: &HashMap<i64, Partner>,
) -> Result<Vec<Addressee<'a>>> {
    let mut found: BTreeMap<(Channel, String), Addressee<'a>> = BTreeMap::new();
    let mut add = |addressee: Addressee<'a>| {
        found.entry((addressee.to.channel(), addressee.to.as_str().to_owned())).or_insert(addressee);
    };
    let authors: BTreeSet<i64> = spent.iter().map(|spent| spent.alert.author_id).collect();
    let authors = users::emails(tx, &authors.into_iter().collect::<Vec<_>>()).await?;
    let mut administrators: BTreeMap<&Partner, Vec<String>> = BTreeMap::new();
    for &spent in spent {
        if let Some(email) = authors.get(&spent.alert.author_id) {
            add(Addressee { to: Address::Email(email.clone()), spent, is_author: true, is_entered: false });
        }
        let Some(partner) = partners.get(&spent.alert.device_id) else { continue };
        if !administrators.contains_key(partner) {
            let emails = partners::administrators(tx, partner).await?;
            for email in &emails {
                add(Addressee { to: Address::Email(email.clone()), spent, is_author: false, is_entered: false });
            }
            administrators.insert(partner, emails);
        }
    }
    for &spent in spent {
        add(Addressee { to: spent.alert.notice.to.clone(), spent, is_author: false, is_entered: true });
    }
    Ok(found.into_values().collect())
}

impl Addressee<'_> {
    /// The counter that limits such notices, if one does.
    fn counter(&self, oem_id: i64) -> Option<CounterKey<'static>> {
        let (scope_id, channel) = (self.spent.alert.author_id, self.to.channel().as_str());
        self.is_entered.then_some(CounterKey { oem_id, scope: BudgetScope::Notice, scope_id, partner: "", channel })
    }

    fn notice(self, device: &NameRow, limits: &MessageLimits) -> Notice {
        let NameRow { product_name: name, dsn, .. } = device;
        let scope = self.spent.budget.scope;
        let of = match scope {
            BudgetScope::Device => format!("about {name} ({dsn})"),
            BudgetScope::Author | BudgetScope::Notice if self.is_author => {
                "of your triggers, notifications and rules".to_owned()
            }
            BudgetScope::Author | BudgetScope::Notice => "of the person who set up this message".to_owned(),
            BudgetScope::Partner => "about the devices of this partner".to_owned(),
            BudgetScope::Manufacturer => "about all devices".to_owned(),
        };
        let limit = limits.budget(scope);
        let messages = match self.spent.alert.notice.to.channel() {
            Channel::Email => "e-mails",
            Channel::Sms => "text messages",
        };
        let first = match scope {
            BudgetScope::Device => String::new(),
            _ => format!(" The first one is about {name} ({dsn})."),
        };
        Notice {
            kind: MessageKind::Budget,
            oem_id: device.oem_id,
            user_id: None,
            subject: format!("Messages about {name} are held back"),
            opening: None,
            sentence: format!(
                "Today's {limit} {messages} {of} are sent. Others are held back until 00:00 UTC; then the last state is sent.{first}"
            ),
            remark: None,
            email_template_id: None,
            to: self.to,
        }
    }
}
