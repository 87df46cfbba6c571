//! Key-value data of users and devices. Does not check permissions; the caller must.

use platform::db::{self, Db, Tx};
use platform::run::clock::Clock;

use crate::store::data::{self, DataSize, DatumRow, Owner};

/// Maximum number of data of an owner. Lists contain all of them.
const MAX_ENTRIES: i64 = 256;
/// Maximum size of the keys and values of a device, in bytes. Lists of devices contain those of a hundred devices.
const MAX_DEVICE_BYTES: i64 = 64 * 1024;
/// Maximum size of the keys and values of a user, in bytes.
const MAX_USER_BYTES: i64 = 1024 * 1024;

/// Why a datum was not changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DatumError {
    /// The owner has no such key.
    #[error("there is no such key")]
    NotFound,
    /// The owner has this key already.
    #[error("the key is taken")]
    KeyTaken,
    /// The owner would have too many keys.
    #[error("the owner has too many data")]
    TooMany {
        /// Maximum number of keys.
        max: i64,
    },
    /// The keys and values of the owner would be too large.
    #[error("the data of the owner are too large")]
    TooLarge {
        /// Maximum size in bytes.
        max: i64,
    },
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
        self.check_room(owner, key, value).await?;
        let create = async |mut tx: Tx| -> Result<DatumRow, DatumError> {
            let before = lock_size(&mut tx, owner).await?;
            let row = data::insert(&mut tx, owner, key, value, self.clock.now()).await?.ok_or(DatumError::KeyTaken)?;
            check_size(owner, &before, &data::size_of_locked(&mut tx, owner).await?)?;
            tx.commit().await?;
            Ok(row)
        };
        self.db.write(create).await
    }

    /// Fails if the key is taken or has no room. Most of the data that do not fit are refused here, without a transaction for which
    /// others would wait.
    async fn check_room(&self, owner: Owner, key: &str, value: &str) -> Result<(), DatumError> {
        let before = data::size(&self.db, owner).await?;
        let added = i64::try_from(key.len() + value.len()).unwrap_or(i64::MAX);
        let after = DataSize { entries: before.entries + 1, bytes: before.bytes.saturating_add(added) };
        let fits = check_size(owner, &before, &after);
        if fits.is_err() && data::find(&self.db, owner, key).await?.is_some() {
            return Err(DatumError::KeyTaken);
        }
        fits
    }

    /// # Errors
    /// [`DatumError`].
    pub(crate) async fn update(&self, owner: Owner, key: &str, value: &str) -> Result<DatumRow, DatumError> {
        let update = async |mut tx: Tx| -> Result<DatumRow, DatumError> {
            let before = lock_size(&mut tx, owner).await?;
            let row = data::update(&mut tx, owner, key, value, self.clock.now()).await?.ok_or(DatumError::NotFound)?;
            check_size(owner, &before, &data::size_of_locked(&mut tx, owner).await?)?;
            tx.commit().await?;
            Ok(row)
        };
        self.db.write(update).await
    }

    /// # Errors
    /// [`DatumError`].
    pub(crate) async fn delete(&self, owner: Owner, key: &str) -> Result<(), DatumError> {
        if data::delete(&self.db, owner, key).await? { Ok(()) } else { Err(DatumError::NotFound) }
    }
}

/// The size of the owner's data. No other transaction adds any until this one ends.
async fn lock_size(tx: &mut Tx, owner: Owner) -> db::Result<DataSize> {
    data::lock_owner(tx, owner).await?;
    data::size_of_locked(tx, owner).await
}

/// Fails if the change exceeds a limit. An owner whose data exceed it already, because they were written before there was a
/// limit, may reduce them.
fn check_size(owner: Owner, before: &DataSize, after: &DataSize) -> Result<(), DatumError> {
    let max_bytes = match owner {
        Owner::Device(_) => MAX_DEVICE_BYTES,
        Owner::User(_) => MAX_USER_BYTES,
    };
    if after.entries > MAX_ENTRIES.max(before.entries) {
        return Err(DatumError::TooMany { max: MAX_ENTRIES });
    }
    if after.bytes > max_bytes.max(before.bytes) {
        return Err(DatumError::TooLarge { max: max_bytes });
    }
    Ok(())
}
