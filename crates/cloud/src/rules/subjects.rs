//! Looks up the subjects of a new rule's expression in the scope of its owner.

use std::collections::{BTreeSet, HashMap};

use super::Rules;
use super::error::{Result, SubjectError};
use crate::domain::policy::device_scope;
use crate::domain::policy::users::user_scope;
use crate::domain::principal::Principal;
use crate::domain::rule::{Expression, Subject, SubjectSource};
use crate::store::rules::{NewSubject, Of};
use crate::store::user_list::{self, UserRef};
use crate::store::{devices, properties};

/// Maximum number of subjects of a rule.
const MAX_SUBJECTS: usize = 20;

impl Rules {
    /// The subjects of the expression, as stored.
    pub(super) async fn subjects(&self, caller: &Principal, expression: &Expression) -> Result<Vec<NewSubject>> {
        let subjects = expression.subjects();
        let names = expression.names();
        if subjects.is_empty() {
            return Err(SubjectError::None.into());
        }
        if subjects.len().max(names.len()) > MAX_SUBJECTS {
            return Err(SubjectError::TooMany { max: MAX_SUBJECTS }.into());
        }
        let sources = self.sources(caller, &names).await?;
        let devices: Vec<i64> = sources
            .values()
            .filter_map(|of| match of {
                Of::Device(id) => Some(*id),
                Of::User(_) => None,
            })
            .collect();
        let properties: Vec<&str> = subjects.iter().filter_map(|subject| subject.property.as_deref()).collect();
        let found = properties::named(&self.db, &devices, &properties).await?;
        let mut new = Vec::with_capacity(subjects.len());
        for subject in subjects {
            let Subject { kind, source, property } = subject;
            let Some(of) = sources.get(source).copied() else { continue };
            if let (Of::Device(id), Some(name)) = (of, property)
                && !found.iter().any(|found| found.device_id == id && found.name == *name)
            {
                let (property, device) = (name.clone(), source.to_string());
                return Err(SubjectError::NoProperty { property, device }.into());
            }
            new.push(NewSubject { kind: *kind, of, property: property.clone() });
        }
        Ok(new)
    }

    /// The devices and users with these names.
    async fn sources<'a>(
        &self,
        caller: &Principal,
        names: &BTreeSet<&'a SubjectSource>,
    ) -> Result<HashMap<&'a SubjectSource, Of>> {
        let dsns: Vec<&str> = names
            .iter()
            .filter_map(|source| match source {
                SubjectSource::Device(dsn) => Some(dsn.as_str()),
                SubjectSource::User(_) => None,
            })
            .collect();
        let devices = devices::find_all(&self.db, &device_scope(caller, self.clock.now()), &dsns).await?;
        let mut ids = HashMap::new();
        for source in names {
            let id = match source {
                SubjectSource::Device(dsn) => {
                    devices.iter().find(|device| device.dsn == *dsn).map(|device| Of::Device(device.id))
                }
                SubjectSource::User(uuid) => {
                    let user = user_list::find(&self.db, &user_scope(caller), UserRef::Uuid(uuid)).await?;
                    user.map(|user| Of::User(user.id))
                }
            };
            ids.insert(*source, id.ok_or_else(|| SubjectError::NotFound { name: source.to_string() })?);
        }
        Ok(ids)
    }
}
