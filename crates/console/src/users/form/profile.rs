//! What a person's record says of them, apart from role and CSP. Missing texts are empty.

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

    /// By the names in the requests.
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

    /// What differs from what was there `before`.
    pub(super) fn changes_from(&self, before: &Self) -> Vec<FieldChange> {
        let differ = before.fields().into_iter().zip(self.fields()).filter(|(before, after)| before != after);
        differ.map(|((field, before), (_, after))| FieldChange::new(field, some(before), some(after))).collect()
    }

    /// The first field that differs.
    pub(super) fn first_change_from(&self, before: &Self) -> Option<&'static str> {
        let mut pairs = before.fields().into_iter().zip(self.fields());
        pairs.find_map(|(before, after)| (before != after).then_some(after.0))
    }

    /// As the cloud is told of a person whom it knows; an empty text clears what was there.
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

    /// As the cloud is told of a new person.
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
