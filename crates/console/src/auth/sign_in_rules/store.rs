//! The table `second_factor_roles`, which every request reads together with its session.

use diffuser::Role;
use platform::db::{Db, Result, params};

/// The roles whose people need a second factor, in the order of [`Role::ALL`].
pub(super) async fn second_factor_roles(db: &Db) -> Result<Vec<Role>> {
    let rows: Vec<(String,)> = db.fetch_all("select role from second_factor_roles", params![]).await?;
    Ok(Role::ALL.into_iter().filter(|role| rows.iter().any(|(name,)| name == role.name())).collect())
}

/// Stores whether the people of a role need a second factor.
pub(super) async fn set_second_factor_role(db: &Db, role: Role, needs_second_factor: bool) -> Result<()> {
    let sql = match needs_second_factor {
        true => "insert into second_factor_roles (role) values ($1) on conflict do nothing",
        false => "delete from second_factor_roles where role = $1",
    };
    db.write(|mut tx| async move {
        tx.execute(sql, params![role.name()]).await?;
        // Open streams check their sessions again.
        tx.execute("update session_version set version = version + 1", params![]).await?;
        tx.commit().await
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn roles_are_stored_one_by_one(db: Db) {
        assert_eq!(second_factor_roles(&db).await.unwrap(), []);
        for (role, needs_second_factor, stored) in [
            (Role::CspTech, true, vec![Role::CspTech]),
            (Role::CspTech, true, vec![Role::CspTech]),
            (Role::Admin, true, vec![Role::Admin, Role::CspTech]),
            (Role::CspTech, false, vec![Role::Admin]),
            (Role::CspTech, false, vec![Role::Admin]),
        ] {
            set_second_factor_role(&db, role, needs_second_factor).await.unwrap();
            assert_eq!(second_factor_roles(&db).await.unwrap(), stored);
        }
    }

    platform::store_suite!(migrate = crate::migrations::migrate, tests = [roles_are_stored_one_by_one]);
}
