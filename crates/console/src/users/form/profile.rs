//! The fields of a person except role and CSP. Missing texts are empty.

use devicecloud::{NewUser, UserChanges};

use crate::audit::FieldChange;
use crate::users::company;
use crate::users::record::UserRecord;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Profile {
    pub(super) firstname: String,
    pub(super) lastname: String,
    pub(super) company: String,
    pub(super) business_role: String,
    pub(super) phone: String,
    pub(super) city: String,
    pub(super) state: String,
    pub(super) country: String,
}

impl Profile {
    pub(super) fn of(record: &UserRecord) -> Self {
        Self {
            firstname: record.firstname.clone(),
            lastname: record.lastname.clone(),
            company: record.company.clone(),
            business_role: record.business_role.clone(),
            phone: record.phone.clone(),
            city: record.city.clone(),
            state: record.state.clone(),
            country: record.country.clone(),
        }
    }

    /// The values by their names in requests.
    fn fields(&self) -> [(&'static str, &str); 8] {
        [
            ("firstname", &self.firstname),
            ("lastname", &self.lastname),
            ("company", &self.company),
            ("businessRole", &self.business_role),
            ("phone", &self.phone),
            ("city", &self.city),
            ("state", &self.state),
            ("country", &self.country),
        ]
    }

    /// The fields that differ from `before`.
    pub(super) fn changes_from(&self, before: &Self) -> Vec<FieldChange> {
        let differ = before.fields().into_iter().zip(self.fields()).filter(|(before, after)| before != after);
        differ.map(|((field, before), (_, after))| FieldChange::new(field, some(before), some(after))).collect()
    }

    /// The first field that differs.
    pub(super) fn first_change_from(&self, before: &Self) -> Option<&'static str> {
        let mut pairs = before.fields().into_iter().zip(self.fields());
        pairs.find_map(|(before, after)| (before != after).then_some(after.0))
    }

    /// Converts to an update of an existing user. An empty text clears the field.
    pub(super) fn changes(&self) -> UserChanges {
        UserChanges::new()
            .firstname(&self.firstname)
            .lastname(&self.lastname)
            .company(company::write(&self.company, &self.business_role))
            .phone(&self.phone)
            .city(&self.city)
            .state(&self.state)
            .country(&self.country)
    }

    /// Adds the fields to a new user.
    pub(super) fn of_new(&self, user: NewUser) -> NewUser {
        user.firstname(&self.firstname)
            .lastname(&self.lastname)
            .company(company::write(&self.company, &self.business_role))
            .phone(&self.phone)
            .city(&self.city)
            .state(&self.state)
            .country(&self.country)
    }
}

fn some(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}
