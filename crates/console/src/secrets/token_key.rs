//! The check value: an encrypted text in the database that shows whether the token key is the one of its secrets.

use platform::db::{Db, Result, Tx, params};
use platform::run::random::Random;

use super::cipher::Cipher;

/// Binds the check value to its purpose.
const CONTEXT: &[u8] = b"token key check";
const PLAIN: &[u8] = b"the key of this database";

/// Whether one of the keys of a console is that of its database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKeyState {
    /// One of them decrypts the check value.
    Right,
    /// Another key encrypted the secrets in the database.
    Wrong,
    /// No console has used the database yet.
    Unused,
}

/// None of the configured keys is that of the database.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error(
    "another key encrypted the secrets in this database: name its file, also with --earlier-token-key-file; if it is lost, run \
     `sillage console reencrypt --discard`"
)]
pub struct WrongTokenKey;

/// Compares the keys of this node with the database.
#[derive(Clone)]
pub(crate) struct TokenKeyCheck {
    db: Db,
    cipher: Cipher,
}

impl TokenKeyCheck {
    pub(crate) fn new(db: Db, cipher: Cipher) -> Self {
        Self { db, cipher }
    }

    /// Stores the check value if the database has none.
    ///
    /// # Errors
    /// Database errors.
    pub(crate) async fn store_first(&self) -> Result<()> {
        let sql = "insert into token_key_check (id, sealed) values (1, $1) on conflict (id) do nothing";
        self.db.execute(sql, params![self.cipher.seal(CONTEXT, PLAIN)]).await?;
        Ok(())
    }

    /// Makes the current key that of the database.
    ///
    /// # Errors
    /// Database errors.
    pub(crate) async fn replace(&self, tx: &mut Tx) -> Result<()> {
        let sql = "insert into token_key_check (id, sealed) values (1, $1) \
                   on conflict (id) do update set sealed = excluded.sealed";
        tx.execute(sql, params![self.cipher.seal(CONTEXT, PLAIN)]).await?;
        Ok(())
    }

    /// # Errors
    /// Database errors.
    pub(crate) async fn state(&self) -> Result<TokenKeyState> {
        let sql = "select sealed from token_key_check where id = 1";
        let sealed: Option<(Vec<u8>,)> = self.db.fetch_optional(sql, params![]).await?;
        Ok(match sealed {
            None => TokenKeyState::Unused,
            Some((sealed,)) if self.cipher.open(CONTEXT, &sealed).is_ok() => TokenKeyState::Right,
            Some(_) => TokenKeyState::Wrong,
        })
    }
}

/// Compares keys with a database, and stores nothing.
///
/// # Errors
/// Database errors.
pub async fn token_key_state(db: &Db, key: &[u8; 32], earlier: &[[u8; 32]]) -> Result<TokenKeyState> {
    TokenKeyCheck::new(db.clone(), Cipher::new(key, earlier, Random::system())).state().await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(db: &Db, key: u8, earlier: &[[u8; 32]]) -> TokenKeyCheck {
        TokenKeyCheck::new(db.clone(), Cipher::new(&[key; 32], earlier, Random::system()))
    }

    async fn database_belongs_to_its_first_key_until_it_is_replaced(db: Db) {
        assert_eq!(check(&db, 1, &[]).state().await.unwrap(), TokenKeyState::Unused);
        for key in [1, 2] {
            check(&db, key, &[]).store_first().await.unwrap();
        }
        let states = async || {
            let keys: [(u8, &[[u8; 32]]); 3] = [(1, &[]), (2, &[]), (2, &[[1; 32]])];
            let mut states = Vec::new();
            for (key, earlier) in keys {
                states.push(check(&db, key, earlier).state().await.unwrap());
            }
            states
        };
        assert_eq!(states().await, [TokenKeyState::Right, TokenKeyState::Wrong, TokenKeyState::Right]);
        let mut tx = db.begin().await.unwrap();
        check(&db, 2, &[]).replace(&mut tx).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(states().await, [TokenKeyState::Wrong, TokenKeyState::Right, TokenKeyState::Right]);
    }

    platform::store_suite!(
        migrate = crate::migrations::migrate,
        tests = [database_belongs_to_its_first_key_until_it_is_replaced]
    );
}
