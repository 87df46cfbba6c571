//! Changes of profiles.

use platform::db::Tx;

use super::person::lock_managed;
use super::{People, PersonError};
use crate::domain::principal::Principal;
use crate::store::profiles::{self, Field};

impl People {
    /// Changes the profile of the caller's own account.
    ///
    /// # Errors
    /// [`PersonError`].
    pub(crate) async fn change_own_profile(&self, user_id: i64, fields: &[Field]) -> Result<(), PersonError> {
        let change_own_profile = async |mut tx: Tx| -> Result<(), PersonError> {
            profiles::change(&mut tx, user_id, fields, self.clock.now()).await?;
            Ok(tx.commit().await?)
        };
        self.db.write(change_own_profile).await
    }

    /// Changes the profile of a user on behalf of `caller`.
    ///
    /// # Errors
    /// [`PersonError`].
    pub(crate) async fn change_profile(
        &self,
        caller: &Principal,
        user_id: i64,
        fields: &[Field],
    ) -> Result<(), PersonError> {
        let change_profile = async |mut tx: Tx| -> Result<(), PersonError> {
            lock_managed(&mut tx, caller, user_id).await?;
            profiles::change(&mut tx, user_id, fields, self.clock.now()).await?;
            Ok(tx.commit().await?)
        };
        self.db.write(change_profile).await
    }
}
