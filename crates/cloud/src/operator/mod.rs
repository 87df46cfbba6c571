//! Operations of the machine's operator, outside the wire protocol: `sillage demo` and `sillage cloud init` use them to
//! load roles, a device template, accounts and devices. All of them can be repeated; existing records stay.

mod applications;
mod connections;
mod devices;
mod error;
mod history;
mod inventory;
mod message_budgets;
mod messages;
mod registrations;
mod setup_codes;
mod templates;
mod users;

use platform::bus::Bus;
use platform::db::{Db, Tx};
use platform::run::clock::Clock;
use platform::run::random::Random;
use serde::Serialize;

pub use applications::Application;
pub use connections::ConnectionPoint;
pub use devices::{Address, DeviceValues, NewDevice};
pub use error::OperatorError;
pub use history::HistoryPoint;
pub use inventory::{DeviceFaults, DeviceSummary, ExistingDevice, Refusal};
pub use message_budgets::Spending;
pub use messages::{Message, ReceivedMail};
pub use registrations::Registration;
pub use templates::TemplateSummary;
pub use users::{NewUser, UserSummary};

pub use crate::domain::setup_code::SetupCode;
pub use crate::records::template::{Template, TemplateAction, TemplateProperty, TemplateSchedule};

use crate::devices::edits::Edits;
use crate::domain::message_limits::MessageLimits;
use crate::domain::password::{PasswordCost, Passwords};
use crate::domain::role::RoleKind;
use crate::messages::alerts::Alerts;
use crate::messages::mail::{Branding, Mail};
use crate::reactions::Reactions;
use crate::records::message::Channel;
use crate::store;
use crate::store::roles::RoleUsage;

/// Result of operator calls.
pub type Result<T> = std::result::Result<T, OperatorError>;

/// Operates on one database. Cheap to clone.
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

/// A role of the manufacturer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Role {
    /// As on the wire, `OEM::Admin`.
    pub name: String,
    /// Its permissions.
    pub kind: RoleKind,
    /// The key of the label that identifies the partner; required for partner roles.
    pub label_key: Option<String>,
}

impl Operator {
    /// An operator of `db`. Passwords are hashed at `cost`.
    ///
    /// # Errors
    /// [`OperatorError::PasswordCost`].
    pub fn new(db: Db, clock: Clock, random: Random, cost: PasswordCost) -> Result<Self> {
        let passwords = Passwords::new(cost, random.clone())?;
        let mail = Mail::new(Branding::default(), Channel::ALL, random.clone());
        Ok(Self { db, clock, random, passwords, mail })
    }

    /// An operator that shares the parts of a running node.
    pub(crate) fn of_node(db: Db, clock: Clock, random: Random, passwords: Passwords, mail: Mail) -> Self {
        Self { db, clock, random, passwords, mail }
    }

    /// Uses this branding in messages. They are delivered by a node with a mail server or, for texts, an SMS gateway.
    #[must_use]
    pub fn with_branding(self, branding: Branding) -> Self {
        Self { mail: Mail::new(branding, Channel::ALL, self.random.clone()), ..self }
    }

    /// Edits whose events reach no running node.
    fn edits(&self) -> Edits {
        Edits {
            db: self.db.clone(),
            clock: self.clock.clone(),
            bus: Bus::in_process(),
            reactions: Reactions::new(
                Alerts::new(self.mail.clone(), MessageLimits::default()),
                None,
                self.random.clone(),
            ),
        }
    }

    /// Migrates the schema. Returns the number of migrations that were applied.
    ///
    /// # Errors
    /// A database error, or a schema that is newer than this program.
    pub async fn migrate(&self) -> Result<usize> {
        Ok(store::migrate(&self.db).await?)
    }

    /// Checks that the schema is that of this program. Changes nothing.
    ///
    /// # Errors
    /// A database error, also if the database is empty or its schema is older or newer.
    pub async fn check_schema(&self) -> Result<()> {
        Ok(store::check_schema(&self.db).await?)
    }

    /// The manufacturer of this name; created with a random key if new.
    ///
    /// # Errors
    /// A database error.
    pub async fn ensure_oem(&self, name: &str) -> Result<Oem> {
        let row = store::applications::ensure_oem(&self.db, name, &self.random.hex(4), self.clock.now()).await?;
        Ok(Oem { id: row.id, key: row.code })
    }

    /// The manufacturer of this name; without a name, the only one.
    ///
    /// # Errors
    /// [`OperatorError::NoOem`], [`OperatorError::UnknownOem`], [`OperatorError::SeveralOems`], or a database error.
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

    /// Creates a role, or replaces its kind and label key.
    ///
    /// # Errors
    /// A database error.
    pub async fn ensure_role(&self, oem: &Oem, role: &Role) -> Result<()> {
        Ok(store::roles::ensure(&self.db, oem.id, &role.name, role.kind, role.label_key.as_deref()).await?)
    }

    /// The manufacturer's roles.
    ///
    /// # Errors
    /// A database error.
    pub async fn roles(&self, oem: &Oem) -> Result<Vec<Role>> {
        let rows = store::roles::listed(&self.db, oem.id).await?;
        let role = |(name, kind, label_key): (String, String, Option<String>)| Role {
            name,
            kind: RoleKind::from_stored(&kind),
            label_key,
        };
        Ok(rows.into_iter().map(role).collect())
    }

    /// Removes an unused role.
    ///
    /// # Errors
    /// [`OperatorError::UnknownRole`], [`OperatorError::RoleInUse`], or a database error.
    pub async fn remove_role(&self, oem: &Oem, name: &str) -> Result<()> {
        let remove_role = async |mut tx: Tx| -> Result<()> {
            let role_id = store::roles::lock_rows(&mut tx, oem.id, name).await?;
            let role_id = role_id.ok_or_else(|| OperatorError::UnknownRole(name.to_owned()))?;
            let RoleUsage { people, labels, shares, customers } = store::roles::usage(&mut tx, role_id).await?;
            if people + labels + shares + customers > 0 {
                return Err(OperatorError::RoleInUse { role: name.to_owned(), people, labels, shares, customers });
            }
            store::roles::delete(&mut tx, role_id).await?;
            Ok(tx.commit().await?)
        };
        self.db.write(remove_role).await
    }

    /// Creates a template, or adds missing properties to it and to its devices.
    ///
    /// # Errors
    /// A database error.
    pub async fn ensure_template(&self, oem: &Oem, template: &Template) -> Result<()> {
        Ok(store::templates::ensure(&self.db, oem.id, template, self.clock.now()).await?)
    }
}
