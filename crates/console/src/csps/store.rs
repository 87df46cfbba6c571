//! The `csps` table.

use jiff::Timestamp;
use platform::db::{Db, Result, Tx, params};
use platform::run::random::Random;
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use super::dto::CspName;
use crate::base::Base;
use crate::policy::{Actor, Scope};
use crate::texts::alike::same_look;
use crate::texts::folding::{fold, fold_case};

/// The CSPs that `actor` may see, ordered by the code points of their names.
pub(super) async fn names(db: &Db, actor: &Actor) -> Result<Vec<CspName>> {
    match actor.scope() {
        Scope::Everything => db.fetch_all("select id, name from csps order by name", params![]).await,
        Scope::Csp(own) => db.fetch_all("select id, name from csps where name = $1", params![own]).await,
        Scope::Nothing => Ok(Vec::new()),
    }
}

/// Whether a CSP has this exact name.
pub(crate) async fn exists(db: &Db, name: &str) -> Result<bool> {
    // PostgreSQL has no text with this character.
    if name.contains('\0') {
        return Ok(false);
    }
    let found: Option<(String,)> = db.fetch_optional("select id from csps where name = $1", params![name]).await?;
    Ok(found.is_some())
}

/// One CSP.
pub(super) async fn find(db: &Db, id: Uuid) -> Result<Option<CspName>> {
    db.fetch_optional("select id, name from csps where id = $1", params![id]).await
}

/// The name of a CSP other than `id` that has this name in any case, or one that looks like it.
pub(super) async fn alike(db: &Db, name: &str, id: Uuid) -> Result<Option<String>> {
    let sql = "select name from csps where (name_cased = $1 or name_look = $2) and id <> $3
               order by name_cased <> $1, name limit 1";
    let found: Option<(String,)> = db.fetch_optional(sql, params![fold_case(name), same_look(name), id]).await?;
    Ok(found.map(|(name,)| name))
}

/// # Errors
/// A unique violation when the name has been taken concurrently, in any case, or one that looks like it.
pub(super) async fn insert(db: &Db, id: Uuid, name: &str, now: Timestamp) -> Result<()> {
    let sql = "insert into csps (id, name, name_folded, name_cased, name_look, adopted, created_at)
               values ($1, $2, $3, $4, $5, false, $6)";
    db.execute(sql, params![id, name, fold(name), fold_case(name), same_look(name), now]).await?;
    Ok(())
}

/// What is stored under the name of a CSP and outlasts it: items of attention, audited changes, and the days and months of the fleet.
const HISTORY: [(&str, &str); 4] =
    [("attention_items", "csp"), ("audit", "target_csp"), ("fleet_days", "csp"), ("fleet_store_months", "csp")];

/// Gives the history of a CSP another name.
async fn relabel_history(tx: &mut Tx, id: Uuid, name: &str) -> Result<()> {
    // Of the audited changes that the CSP sees, it also sees and finds the authors of its own.
    let sql = "update audit set actor_csp = $2 where target_csp = (select name from csps where id = $1) and actor_csp = target_csp";
    tx.execute(sql, params![id, name]).await?;
    for (table, column) in HISTORY {
        let sql = format!("update {table} set {column} = $2 where {column} = (select name from csps where id = $1)");
        tx.execute(AssertSqlSafe(sql), params![id, name]).await?;
    }
    Ok(())
}

/// Renames a CSP, which keeps its thresholds of attention and its history. Returns whether it existed.
///
/// # Errors
/// As [`insert`].
pub(super) async fn rename(db: &Db, id: Uuid, name: &str) -> Result<bool> {
    let work = |mut tx: Tx| async move {
        let sql = "update attention_settings set csp = $2 where csp = (select name from csps where id = $1)";
        tx.execute(sql, params![id, name]).await?;
        relabel_history(&mut tx, id, name).await?;
        let sql = "update csps set name = $2, name_folded = $3, name_cased = $4, name_look = $5, adopted = false
                   where id = $1";
        let folded = params![id, name, fold(name), fold_case(name), same_look(name)];
        let renamed = tx.execute(sql, folded).await? > 0;
        tx.commit().await?;
        Ok(renamed)
    };
    db.write(work).await
}

/// Removes a CSP with its thresholds of attention. Its history gets a name that no other CSP can have, because the former name is free
/// afterwards. Returns whether it existed.
pub(super) async fn remove(db: &Db, id: Uuid) -> Result<bool> {
    let work = |mut tx: Tx| async move {
        let sql = "delete from attention_settings where csp = (select name from csps where id = $1)";
        tx.execute(sql, params![id]).await?;
        let name: Option<(String,)> = tx.fetch_optional("select name from csps where id = $1", params![id]).await?;
        if let Some((name,)) = name {
            relabel_history(&mut tx, id, &format!("{name} ({id})")).await?;
        }
        let removed = tx.execute("delete from csps where id = $1", params![id]).await? > 0;
        tx.commit().await?;
        Ok(removed)
    };
    db.write(work).await
}

/// Creates a CSP for each unknown partner in the labels of devices and people.
pub(crate) async fn adopt_labelled(base: &Base) -> Result<()> {
    let sql = "select csp from (select csp from idx_devices union select csp from idx_users) as labelled
               where csp <> '' and csp not in (select name from csps)";
    let unknown: Vec<(String,)> = base.db.fetch_all(sql, params![]).await?;
    let names: Vec<String> = unknown.into_iter().map(|(name,)| name).collect();
    adopt(&base.db, &base.random, &names, base.clock.now()).await
}

/// Creates a CSP for each unknown name, also for names that differ only in case, because the cloud distinguishes them.
/// Safe to call on two nodes concurrently.
pub(crate) async fn adopt(db: &Db, random: &Random, names: &[String], now: Timestamp) -> Result<()> {
    for name in names {
        db.execute(
            "insert into csps (id, name, name_folded, name_cased, name_look, adopted, created_at)
             values ($1, $2, $3, $4, $5, true, $6) on conflict (name) do nothing",
            params![random.uuid().to_string(), name, fold(name), fold_case(name), same_look(name), now],
        )
        .await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use diffuser::Role;

    use super::*;
    use crate::policy::session_hash::SessionHash;

    fn actor(role: Option<Role>, csp: Option<&str>) -> Actor {
        Actor { session: SessionHash::of(&[1; 32]), user: uuid::Uuid::nil(), role, csp: csp.map(str::to_owned) }
    }

    async fn adopted(db: &Db, seed: u64, names: &[&str]) {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        adopt(db, &Random::seeded(seed), &names, Timestamp::UNIX_EPOCH).await.unwrap();
    }

    async fn each_role_gets_its_visible_csps_by_name(db: Db) {
        adopted(&db, 1, &["South", "Łódź", "North"]).await;
        let rows = [
            (actor(Some(Role::Admin), None), vec!["North", "South", "Łódź"]),
            (actor(Some(Role::Observer), None), vec!["North", "South", "Łódź"]),
            (actor(Some(Role::CspAdmin), Some("South")), vec!["South"]),
            (actor(Some(Role::CspObserver), Some("Łódź")), vec!["Łódź"]),
            (actor(Some(Role::CspTech), Some("south")), vec![]),
            (actor(Some(Role::CspTech), None), vec![]),
            (actor(None, Some("South")), vec![]),
        ];
        for (actor, expected) in rows {
            let found: Vec<String> = names(&db, &actor).await.unwrap().into_iter().map(|csp| csp.name).collect();
            assert_eq!(found, expected, "{actor:?}");
        }
    }

    /// The number of rows of each history under this name.
    async fn history(db: &Db, csp: &str) -> [i64; HISTORY.len()] {
        let mut counts = [0; HISTORY.len()];
        for ((table, column), count) in HISTORY.into_iter().zip(&mut counts) {
            let sql = format!("select count(*) from {table} where {column} = $1");
            (*count,) = db.fetch_one(AssertSqlSafe(sql), params![csp]).await.unwrap();
        }
        counts
    }

    async fn history_follows_a_csp_and_not_its_name(db: Db) {
        let [first, second] = [1, 2].map(Uuid::from_u128);
        insert(&db, first, "Aqua", Timestamp::UNIX_EPOCH).await.unwrap();
        for sql in [
            "insert into attention_items (id, kind, severity, dsn, csp, since, opened_at, closed_at, occurrences, cause, \
             evidence) values ('1', 'offline', 3, 'SC-1', 'Aqua', 1, 2, 3, 1, 'power_or_network', '{}')",
            "insert into audit (id, user_id, email, operation, target_kind, target_id, target_csp, changes, result) \
             values ('1', '1', 'a@example.com', 'update_device', 'device', 'SC-1', 'Aqua', '[]', 'done')",
            "insert into fleet_days (dimension, value, csp, day, refills, used_ml, used_devices) \
             values ('customer', 'Hotel Aurora', 'Aqua', 0, 1, 1.5, 1)",
            "insert into fleet_store_months (month, csp, customer, store_number, city, fragrance, refills, used_ml, used_days) \
             values (0, 'Aqua', 'Hotel Aurora', '7', 'Oslo', 'Fig', 1, 1.5, 1)",
        ] {
            db.execute(sql, params![]).await.unwrap();
        }
        assert_eq!(history(&db, "Aqua").await, [1; 4]);
        assert!(rename(&db, first, "Blue").await.unwrap());
        insert(&db, second, "Aqua", Timestamp::UNIX_EPOCH).await.unwrap();
        assert_eq!((history(&db, "Aqua").await, history(&db, "Blue").await), ([0; 4], [1; 4]));

        assert!(remove(&db, first).await.unwrap());
        assert!(rename(&db, second, "Blue").await.unwrap());
        assert_eq!((history(&db, "Aqua").await, history(&db, "Blue").await), ([0; 4], [0; 4]));
        assert_eq!(history(&db, &format!("Blue ({first})")).await, [1; 4], "administrators still see it");
    }

    async fn csp_is_adopted_once_and_keeps_its_id(db: Db) {
        let admin = actor(Some(Role::Admin), None);
        adopted(&db, 1, &["North"]).await;
        let first = names(&db, &admin).await.unwrap();
        adopted(&db, 2, &["North", "South"]).await;
        let later = names(&db, &admin).await.unwrap();
        assert_eq!(later.len(), 2);
        assert_eq!(later[0], first[0]);
        assert!(later.iter().all(|csp| csp.id.parse::<uuid::Uuid>().is_ok()), "{later:?}");
    }

    async fn two_nodes_can_adopt_concurrently(db: Db) {
        let nodes: Vec<_> = (0..8)
            .map(|seed| {
                let db = db.clone();
                tokio::spawn(async move { adopted(&db, seed, &["East", "North", "South"]).await })
            })
            .collect();
        for node in nodes {
            node.await.unwrap();
        }
        assert_eq!(names(&db, &actor(Some(Role::Admin), None)).await.unwrap().len(), 3);
    }

    async fn listed(db: &Db) -> Vec<String> {
        let all = names(db, &actor(Some(Role::Admin), None)).await.unwrap();
        all.into_iter().map(|csp| csp.name).collect()
    }

    async fn name_is_unique_regardless_of_case(db: Db) {
        let (one, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        insert(&db, one, "Łódź & Sons", Timestamp::UNIX_EPOCH).await.unwrap();
        let of = |name: &'static str, id| {
            let db = db.clone();
            async move { alike(&db, name, id).await.unwrap() }
        };
        assert_eq!(of("ŁÓDŹ & sons", other).await.as_deref(), Some("Łódź & Sons"));
        assert_eq!(of("ŁÓDŹ & sons", one).await, None, "its own");
        assert_eq!(of("Łódź", other).await, None);
        let refused = insert(&db, other, "ŁÓDŹ & sons", Timestamp::UNIX_EPOCH).await.unwrap_err();
        assert!(refused.is_unique_violation(), "{refused}");

        insert(&db, other, "Lodz", Timestamp::UNIX_EPOCH).await.unwrap();
        let refused = rename(&db, other, "łódź & SONS").await.unwrap_err();
        assert!(refused.is_unique_violation(), "{refused}");
        assert!(rename(&db, one, "ŁÓDŹ & sons").await.unwrap(), "only its case");
        assert_eq!(listed(&db).await, ["Lodz", "ŁÓDŹ & sons"]);
    }

    async fn name_that_looks_like_another_is_taken(db: Db) {
        let (one, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        insert(&db, one, "Acme", Timestamp::UNIX_EPOCH).await.unwrap();
        let cyrillic = "\u{410}cme";
        assert_eq!(alike(&db, cyrillic, other).await.unwrap().as_deref(), Some("Acme"));
        let refused = insert(&db, other, cyrillic, Timestamp::UNIX_EPOCH).await.unwrap_err();
        assert!(refused.is_unique_violation(), "{refused}");
        insert(&db, other, "Aroma", Timestamp::UNIX_EPOCH).await.unwrap();
        let refused = rename(&db, other, cyrillic).await.unwrap_err();
        assert!(refused.is_unique_violation(), "{refused}");
    }

    async fn labels_that_differ_in_case_are_two_csps_and_a_third_name_is_refused(db: Db) {
        insert(&db, Uuid::from_u128(1), "Acme", Timestamp::UNIX_EPOCH).await.unwrap();
        adopted(&db, 1, &["ACME", "acme", "Acme"]).await;
        assert_eq!(listed(&db).await, ["ACME", "Acme", "acme"]);
        remove(&db, Uuid::from_u128(1)).await.unwrap();
        let alike = alike(&db, "Acme", Uuid::from_u128(2)).await.unwrap();
        assert_eq!(alike.as_deref(), Some("ACME"), "as long as labels have it");
    }

    async fn removed_csp_can_be_adopted_again(db: Db) {
        let id = Uuid::from_u128(1);
        insert(&db, id, "North", Timestamp::UNIX_EPOCH).await.unwrap();
        assert_eq!(find(&db, id).await.unwrap().unwrap().name, "North");
        assert!(remove(&db, id).await.unwrap());
        assert_eq!(find(&db, id).await.unwrap(), None);
        assert!(!remove(&db, id).await.unwrap(), "twice");
        assert!(!rename(&db, id, "South").await.unwrap());
        adopted(&db, 1, &["North"]).await;
        assert_eq!(listed(&db).await, ["North"]);
    }

    platform::store_suite!(
        migrate = crate::migrations::migrate,
        tests = [
            each_role_gets_its_visible_csps_by_name,
            csp_is_adopted_once_and_keeps_its_id,
            history_follows_a_csp_and_not_its_name,
            two_nodes_can_adopt_concurrently,
            name_is_unique_regardless_of_case,
            name_that_looks_like_another_is_taken,
            labels_that_differ_in_case_are_two_csps_and_a_third_name_is_refused,
            removed_csp_can_be_adopted_again,
        ]
    );
}
