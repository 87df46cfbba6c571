//! Key-value data of users and devices. Does not check permissions; the caller must.

use platform::clock::Clock;
use platform::db::{self, Db, Tx};

use crate::store::data::{self, DatumRow, Owner};
use crate::store::users;

/// The most data of a user; a list contains all of them.
pub(crate) const MAX_USER_DATA: i64 = 256;

/// Why a datum was not changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DatumError {
    /// The owner has no such key.
    #[error("there is no such key")]
    NotFound,
    /// The owner has this key already.
    #[error("the key is taken")]
    KeyTaken,
    /// The user has [`MAX_USER_DATA`].
    #[error("the user has too many data")]
    TooMany,
    /// A database error.
    #[error(transparent)]
    Database(#[from] db::Error),
}

/// Changes data. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Data {
    pub(crate) db: Db,
    pub(crate) clock: Clock,
}

impl Data {
    /// # Errors
    /// [`DatumError`].
    pub(crate) async fn create(&self, owner: Owner, key: &str, value: &str) -> Result<DatumRow, DatumError> {
        let create = async |mut tx: Tx| -> Result<DatumRow, DatumError> {
            let is_full = match owner {
                Owner::Device(_) => false,
                Owner::User(user_id) => {
                    users::lock_rows(&mut tx, user_id).await?;
                    data::count(&mut tx, owner).await? >= MAX_USER_DATA
                }
            };
            let row = data::insert(&mut tx, owner, key, value, self.clock.now()).await?.ok_or(DatumError::KeyTaken)?;
            if is_full {
                return Err(DatumError::TooMany);
            }
            tx.commit().await?;
            Ok(row)
        };
        self.db.write(create).await
    }

    /// # Errors
    /// [`DatumError`].
    pub(crate) async fn update(&self, owner: Owner, key: &str, value: &str) -> Result<DatumRow, DatumError> {
        data::update(&self.db, owner, key, value, self.clock.now()).await?.ok_or(DatumError::NotFound)
    }

    /// # Errors
    /// [`DatumError`].
    pub(crate) async fn delete(&self, owner: Owner, key: &str) -> Result<(), DatumError> {
        if data::delete(&self.db, owner, key).await? { Ok(()) } else { Err(DatumError::NotFound) }
    }
}
