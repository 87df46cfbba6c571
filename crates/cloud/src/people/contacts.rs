//! Contacts of users. Each change is one transaction.

use platform::db::{self, Db, Tx};
use platform::run::clock::Clock;

use crate::store::contacts::{self, Contact, ContactRow};
use crate::store::users;

/// The most contacts of a user; a list contains all of them.
pub(crate) const MAX_CONTACTS: i64 = 500;

/// The fields to set. `None` leaves a field as it is, `Some(None)` clears it.
#[derive(Clone, Default)]
pub(crate) struct ContactChange {
    pub(crate) display_name: Option<Option<String>>,
    pub(crate) firstname: Option<Option<String>>,
    pub(crate) lastname: Option<Option<String>>,
    pub(crate) email: Option<Option<String>>,
    pub(crate) phone_country_code: Option<Option<String>>,
    pub(crate) phone_number: Option<Option<String>>,
    pub(crate) street_address: Option<Option<String>>,
    pub(crate) zip_code: Option<Option<String>>,
    pub(crate) country: Option<Option<String>>,
    pub(crate) notes: Option<Option<String>>,
    pub(crate) metadata: Option<Option<String>>,
    pub(crate) oem_models: Option<Option<String>>,
    pub(crate) email_notification: Option<bool>,
    pub(crate) sms_notification: Option<bool>,
    pub(crate) push_notification: Option<bool>,
}

/// Why a contact was not changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ContactError {
    /// The user has no such contact.
    #[error("there is no such contact")]
    NotFound,
    /// The user has [`MAX_CONTACTS`].
    #[error("the user has too many contacts")]
    TooMany,
    /// The contact would have neither a name nor an address nor a telephone number.
    #[error("the contact has no name, address or telephone number")]
    Unidentifiable,
    /// A database error.
    #[error(transparent)]
    Database(#[from] db::Error),
}

/// Changes contacts. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Contacts {
    pub(crate) db: Db,
    pub(crate) clock: Clock,
}

impl Contacts {
    /// # Errors
    /// [`ContactError`].
    pub(crate) async fn create(&self, user_id: i64, change: ContactChange) -> Result<ContactRow, ContactError> {
        let contact = change.checked(Contact::default())?;
        let create = async |mut tx: Tx| -> Result<ContactRow, ContactError> {
            users::lock_rows(&mut tx, user_id).await?;
            if contacts::count(&mut tx, user_id).await? >= MAX_CONTACTS {
                return Err(ContactError::TooMany);
            }
            let row = contacts::insert(&mut tx, user_id, &contact, self.clock.now()).await?;
            tx.commit().await?;
            Ok(row)
        };
        self.db.write(create).await
    }

    /// # Errors
    /// [`ContactError`].
    pub(crate) async fn update(
        &self,
        user_id: i64,
        id: i64,
        change: ContactChange,
    ) -> Result<ContactRow, ContactError> {
        let update = async |mut tx: Tx| -> Result<ContactRow, ContactError> {
            let row = contacts::lock_rows(&mut tx, user_id, id).await?.ok_or(ContactError::NotFound)?;
            let contact = change.clone().checked(row.contact)?;
            let row = contacts::update(&mut tx, id, &contact, self.clock.now()).await?;
            tx.commit().await?;
            Ok(row)
        };
        self.db.write(update).await
    }

    /// # Errors
    /// [`ContactError`].
    pub(crate) async fn delete(&self, user_id: i64, id: i64) -> Result<(), ContactError> {
        if contacts::delete(&self.db, user_id, id).await? { Ok(()) } else { Err(ContactError::NotFound) }
    }
}

impl ContactChange {
    /// The contact with this change.
    pub(crate) fn apply(self, before: Contact) -> Contact {
        Contact {
            display_name: self.display_name.unwrap_or(before.display_name),
            firstname: self.firstname.unwrap_or(before.firstname),
            lastname: self.lastname.unwrap_or(before.lastname),
            email: self.email.unwrap_or(before.email),
            phone_country_code: self.phone_country_code.unwrap_or(before.phone_country_code),
            phone_number: self.phone_number.unwrap_or(before.phone_number),
            street_address: self.street_address.unwrap_or(before.street_address),
            zip_code: self.zip_code.unwrap_or(before.zip_code),
            country: self.country.unwrap_or(before.country),
            notes: self.notes.unwrap_or(before.notes),
            metadata: self.metadata.unwrap_or(before.metadata),
            oem_models: self.oem_models.unwrap_or(before.oem_models),
            email_notification: self.email_notification.unwrap_or(before.email_notification),
            sms_notification: self.sms_notification.unwrap_or(before.sms_notification),
            push_notification: self.push_notification.unwrap_or(before.push_notification),
        }
    }

    fn checked(self, before: Contact) -> Result<Contact, ContactError> {
        let contact = self.apply(before);
        if contact.is_identifiable() { Ok(contact) } else { Err(ContactError::Unidentifiable) }
    }
}
