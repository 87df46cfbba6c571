//! What the machine's operator does to the cloud, without the wire: `sillage demo` and `sillage cloud init` load roles, a device
//! template, accounts and devices. Everything can be repeated; what is there already stays.

mod applications;
mod connections;
mod devices;
mod error;
mod history;
mod inventory;
mod outbox;
mod users;

use jiff::civil::Time;
use platform::bus::Bus;
use platform::clock::Clock;
use platform::db::Db;
use platform::random::Random;
use serde_json::Value;

pub use applications::Application;
pub use connections::ConnectionPoint;
pub use devices::{Address, DeviceValues, NewDevice};
pub use error::OperatorError;
pub use history::HistoryPoint;
pub use inventory::{DeviceSummary, ExistingDevice};
pub use outbox::Message;
pub use users::{NewUser, UserSummary};

use crate::app::App;
use crate::devices::edits::Edits;
use crate::domain::password::{PasswordCost, Passwords};
use crate::domain::role::RoleKind;
use crate::domain::schedule::FirePoint;
use crate::domain::value::{BaseType, Direction, Limits};
use crate::mail::{Channel, Letterhead, Mail};
use crate::reactions::Reactions;
use crate::store;
use crate::store::roles::Uses;

/// A result of the operator's functions.
pub type Result<T> = std::result::Result<T, OperatorError>;

/// The operator's hands on one database.
#[derive(Clone, Debug)]
pub struct Operator {
    db: Db,
    clock: Clock,
    random: Random,
    passwords: Passwords,
    mail: Mail,
}

/// A manufacturer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Oem {
    /// The number in `oems/{oemId}` of the wire.
    pub id: i64,
    /// Eight hex digits: `oem` of the wire.
    pub key: String,
}

/// A role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Role {
    /// As on the wire, `OEM::Admin`.
    pub name: String,
    /// What it may do.
    pub kind: RoleKind,
    /// The key of the label that says whose users and devices it is for; partner roles need one.
    pub label_key: Option<String>,
}

/// A type of device.
#[derive(Clone, Debug, PartialEq)]
pub struct Template {
    /// By which devices name it.
    pub name: String,
    /// Its properties, in the order in which they are listed.
    pub properties: Vec<TemplateProperty>,
    /// What its devices get when they are registered.
    pub schedules: Vec<TemplateSchedule>,
}

/// A schedule of a [`Template`], each day in the zone of the device.
#[derive(Clone, Debug, PartialEq)]
pub struct TemplateSchedule {
    /// As on the wire.
    pub name: String,
    /// For people.
    pub display_name: String,
    /// Whether it begins at once; else somebody switches it on.
    pub active: bool,
    /// When its day begins.
    pub start: Time,
    /// When its day ends: on the next day, if that is not after the start.
    pub end: Time,
    /// What it does.
    pub actions: Vec<TemplateAction>,
}

/// What a [`TemplateSchedule`] does: it sets a property.
#[derive(Clone, Debug, PartialEq)]
pub struct TemplateAction {
    /// The property's name.
    pub property: String,
    /// The type of its values.
    pub base_type: BaseType,
    /// The value that it gets.
    pub value: Value,
    /// When.
    pub at: FirePoint,
}

/// A property that every device of a template has.
#[derive(Clone, Debug, PartialEq)]
pub struct TemplateProperty {
    /// As on the wire.
    pub name: String,
    /// For people.
    pub display_name: String,
    /// The type of its values.
    pub base_type: BaseType,
    /// Who writes it.
    pub direction: Direction,
    /// Whether the device acknowledges what users write.
    pub ack_enabled: bool,
    /// How long datapoints are kept.
    pub retention_days: u32,
    /// The range of a number and the form of a text, narrower than the type's own.
    pub limits: Limits,
}

impl Operator {
    /// An operator of `db`. Passwords are hashed at `cost`.
    ///
    /// # Errors
    /// [`OperatorError::PasswordCost`].
    pub fn new(db: Db, clock: Clock, random: Random, cost: PasswordCost) -> Result<Self> {
        let passwords = Passwords::new(cost, random.clone())?;
        let mail = Mail::new(Letterhead::default(), Channel::ALL, random.clone());
        Ok(Self { db, clock, random, passwords, mail })
    }

    /// The operator of a node that runs.
    pub(crate) fn of(app: &App) -> Self {
        let App { db, clock, random, passwords, mail, .. } = app.clone();
        Self { db, clock, random, passwords, mail }
    }

    /// The same, whose messages have this letterhead. They wait for a node that has a mail server or, texts, a gateway.
    #[must_use]
    pub fn writing_as(self, letterhead: Letterhead) -> Self {
        Self { mail: Mail::new(letterhead, Channel::ALL, self.random.clone()), ..self }
    }

    /// Changes devices; no node hears of them.
    fn edits(&self) -> Edits {
        Edits {
            db: self.db.clone(),
            clock: self.clock.clone(),
            bus: Bus::in_process(),
            reactions: Reactions::new(self.mail.clone(), None, self.random.clone()),
        }
    }

    /// Brings the schema up to date.
    ///
    /// # Errors
    /// What the database says.
    pub async fn migrate(&self) -> Result<()> {
        Ok(store::migrate(&self.db).await?)
    }

    /// The manufacturer of this name; made with a random key when it is new.
    ///
    /// # Errors
    /// What the database says.
    pub async fn ensure_oem(&self, name: &str) -> Result<Oem> {
        let row = store::applications::ensure_oem(&self.db, name, &self.random.hex(4), self.clock.now()).await?;
        Ok(Oem { id: row.id, key: row.code })
    }

    /// The manufacturer of this name; without a name the only one that there is.
    ///
    /// # Errors
    /// [`OperatorError::NoOem`], [`OperatorError::UnknownOem`], [`OperatorError::SeveralOems`], or what the database says.
    pub async fn oem(&self, name: Option<&str>) -> Result<Oem> {
        let mut known = store::applications::oems(&self.db).await?;
        if known.is_empty() {
            return Err(OperatorError::NoOem);
        }
        if let Some(name) = name {
            known.retain(|oem| oem.name == name);
        }
        match &known[..] {
            [] => Err(OperatorError::UnknownOem(name.unwrap_or_default().to_owned())),
            [oem] => Ok(Oem { id: oem.id, key: oem.code.clone() }),
            several => Err(OperatorError::SeveralOems(
                several.iter().map(|oem| oem.name.clone()).collect::<Vec<_>>().join(", "),
            )),
        }
    }

    /// A role. A repeated call replaces kind and label key.
    ///
    /// # Errors
    /// What the database says.
    pub async fn ensure_role(&self, oem: &Oem, role: &Role) -> Result<()> {
        Ok(store::roles::ensure(&self.db, oem.id, &role.name, role.kind, role.label_key.as_deref()).await?)
    }

    /// The manufacturer's roles.
    ///
    /// # Errors
    /// What the database says.
    pub async fn roles(&self, oem: &Oem) -> Result<Vec<Role>> {
        let rows = store::roles::listed(&self.db, oem.id).await?;
        let role = |(name, kind, label_key): (String, String, Option<String>)| Role {
            name,
            kind: RoleKind::from_stored(&kind),
            label_key,
        };
        Ok(rows.into_iter().map(role).collect())
    }

    /// Removes a role that nobody and nothing has.
    ///
    /// # Errors
    /// [`OperatorError::UnknownRole`], [`OperatorError::RoleInUse`], or what the database says.
    pub async fn remove_role(&self, oem: &Oem, name: &str) -> Result<()> {
        let mut tx = self.db.begin().await?;
        let role_id = store::roles::hold(&mut tx, oem.id, name).await?;
        let role_id = role_id.ok_or_else(|| OperatorError::UnknownRole(name.to_owned()))?;
        let Uses { people, labels, shares, customers } = store::roles::uses(&mut tx, role_id).await?;
        if people + labels + shares + customers > 0 {
            return Err(OperatorError::RoleInUse { role: name.to_owned(), people, labels, shares, customers });
        }
        store::roles::delete(&mut tx, role_id).await?;
        Ok(tx.commit().await?)
    }

    /// A template. A repeated call adds the properties that it lacks, also to the devices that have it.
    ///
    /// # Errors
    /// What the database says.
    pub async fn ensure_template(&self, oem: &Oem, template: &Template) -> Result<()> {
        Ok(store::templates::ensure(&self.db, oem.id, template, self.clock.now()).await?)
    }
}
