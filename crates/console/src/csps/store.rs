//! The table of the CSPs.

use jiff::Timestamp;
use platform::db::{Db, Result, params};
use platform::random::Random;

use super::dto::CspName;
use crate::policy::{Actor, Scope};

/// The CSPs that `actor` may know of, in the order of their names' code points.
pub(super) async fn names(db: &Db, actor: &Actor) -> Result<Vec<CspName>> {
    match actor.scope() {
        Scope::Everything => db.fetch_all("SELECT id, name FROM csps ORDER BY name", params![]).await,
        Scope::Csp(own) => db.fetch_all("SELECT id, name FROM csps WHERE name = $1", params![own]).await,
        Scope::Nothing => Ok(Vec::new()),
    }
}

/// Whether there is a CSP of this exact name.
pub(crate) async fn exists(db: &Db, name: &str) -> Result<bool> {
    let found: Option<(String,)> = db.fetch_optional("SELECT id FROM csps WHERE name = $1", params![name]).await?;
    Ok(found.is_some())
}

/// Makes a CSP of each of these names that has none yet. Two nodes may do so at once.
pub(crate) async fn adopt(db: &Db, random: &Random, names: &[String], now: Timestamp) -> Result<()> {
    for name in names {
        db.execute(
            "INSERT INTO csps (id, name, created_at) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING",
            params![random.uuid().to_string(), name, now],
        )
        .await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use diffuser::Role;

    use super::*;
    use crate::session::SessionHash;

    fn actor(role: Option<Role>, csp: Option<&str>) -> Actor {
        Actor { session: SessionHash::of(&[1; 32]), user: uuid::Uuid::nil(), role, csp: csp.map(str::to_owned) }
    }

    async fn adopted(db: &Db, seed: u64, names: &[&str]) {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        adopt(db, &Random::seeded(seed), &names, Timestamp::UNIX_EPOCH).await.unwrap();
    }

    async fn each_role_gets_the_csps_it_may_know_of_by_name(db: Db) {
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

    async fn a_csp_is_adopted_once_and_keeps_its_id(db: Db) {
        let admin = actor(Some(Role::Admin), None);
        adopted(&db, 1, &["North"]).await;
        let first = names(&db, &admin).await.unwrap();
        adopted(&db, 2, &["North", "South"]).await;
        let later = names(&db, &admin).await.unwrap();
        assert_eq!(later.len(), 2);
        assert_eq!(later[0], first[0]);
        assert!(later.iter().all(|csp| csp.id.parse::<uuid::Uuid>().is_ok()), "{later:?}");
    }

    async fn two_nodes_adopt_at_once(db: Db) {
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

    platform::store_suite!(
        migrate = crate::migrations::migrate,
        tests = [
            each_role_gets_the_csps_it_may_know_of_by_name,
            a_csp_is_adopted_once_and_keeps_its_id,
            two_nodes_adopt_at_once,
        ]
    );
}
