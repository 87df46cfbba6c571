//! Encrypts the secrets in a database with another token key.

use platform::db::{self, Db, params};
use platform::run::random::Random;

use crate::idempotency;
use crate::migrations::MIGRATIONS;
use crate::secrets::cipher::Cipher;
use crate::secrets::sealed_column::SealedColumn;
use crate::secrets::token_key::{TokenKeyCheck, TokenKeyState, WrongTokenKey};
use crate::sessions::{second_factor, session};

/// Rows per transaction, which bounds how long concurrent writers wait.
const BATCH: i64 = 200;

/// All columns with encrypted values.
const COLUMNS: [SealedColumn; 5] =
    [session::TOKENS, session::PENDING_TOKENS, second_factor::SECRETS, idempotency::REQUESTS, idempotency::RESPONSES];

/// What was done with the secrets of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reencryption {
    /// What the secrets are, in the plural.
    pub name: &'static str,
    /// How many now have the current key.
    pub reencrypted: u64,
    /// How many were deleted, because none of the keys decrypts them.
    pub discarded: u64,
    /// How many still have another key: none of the keys decrypts them, or a node has stored them meanwhile.
    pub left: u64,
}

/// Why no secret is encrypted again.
#[derive(Debug, thiserror::Error)]
pub enum ReencryptionError {
    /// None of the keys is that of the database.
    #[error(transparent)]
    WrongKey(#[from] WrongTokenKey),
    /// The database cannot be opened, migrated, read or written.
    #[error(transparent)]
    Database(#[from] db::Error),
}

/// Encrypts the secrets in this database (`sqlite:PATH` or `postgres://…`), which must exist, with `key`, and makes it the key of
/// the database. `earlier` are keys that the secrets have now. Nodes may run meanwhile. With `discard`, secrets that none of the
/// keys decrypts are deleted with their sessions, except those of authenticator apps: a password alone would suffice without them.
///
/// # Errors
/// [`ReencryptionError`]. A wrong key is no error with `discard`.
pub async fn reencrypt(
    database_url: &str,
    key: &[u8; 32],
    earlier: &[[u8; 32]],
    discard: bool,
) -> Result<Vec<Reencryption>, ReencryptionError> {
    let db = Db::connect_existing(database_url).await?;
    let done = async {
        db.migrate(&MIGRATIONS).await?;
        reencrypt_all(&db, &Cipher::new(key, earlier, Random::system()), discard).await
    };
    let done = done.await;
    db.close().await;
    done
}

async fn reencrypt_all(db: &Db, cipher: &Cipher, discard: bool) -> Result<Vec<Reencryption>, ReencryptionError> {
    let check = &TokenKeyCheck::new(db.clone(), cipher.clone());
    if !discard && check.state().await? == TokenKeyState::Wrong {
        return Err(WrongTokenKey.into());
    }
    // First, so that no node starts any more that cannot read what follows.
    let checked: db::Result<()> = db
        .write(|mut tx| async move {
            check.replace(&mut tx).await?;
            tx.commit().await
        })
        .await;
    checked?;
    let mut done = Vec::new();
    for column in &COLUMNS {
        done.push(reencrypt_column(db, cipher, column, discard && column.is_discardable).await?);
    }
    if done.iter().any(|column| column.discarded > 0) {
        session::announce_ended(db).await?;
    }
    Ok(done)
}

async fn reencrypt_column(db: &Db, cipher: &Cipher, column: &SealedColumn, discard: bool) -> db::Result<Reencryption> {
    let (key_id, mut last) = (cipher.key_id().to_vec(), String::new());
    let mut done = Reencryption { name: column.name, reencrypted: 0, discarded: 0, left: 0 };
    loop {
        let values = params![key_id.clone(), &last, BATCH];
        let rows: Vec<(String, Vec<u8>)> = db.fetch_all(column.page, values).await?;
        let Some((key, _)) = rows.last() else { break };
        last.clone_from(key);
        let (reencrypted, discarded) = replace(db, cipher, column, &rows, discard).await?;
        (done.reencrypted, done.discarded) = (done.reencrypted + reencrypted, done.discarded + discarded);
    }
    let (left,): (i64,) = db.fetch_one(column.count, params![key_id]).await?;
    Ok(Reencryption { left: left.unsigned_abs(), ..done })
}

/// Replaces or deletes these values, except those that a node has replaced meanwhile. Returns how many.
async fn replace(
    db: &Db,
    cipher: &Cipher,
    column: &SealedColumn,
    rows: &[(String, Vec<u8>)],
    discard: bool,
) -> db::Result<(u64, u64)> {
    db.write(|mut tx| async move {
        let (mut reencrypted, mut discarded) = (0, 0);
        for (key, sealed) in rows {
            let context = (column.context)(key);
            let values = params![key, sealed.clone()];
            match cipher.open(&context, sealed) {
                Ok(plain) => {
                    reencrypted += tx.execute(column.replace, values.with(cipher.seal(&context, &plain))).await?;
                }
                Err(_) if discard => discarded += tx.execute(column.delete, values).await?,
                Err(_) => {}
            }
        }
        tx.commit().await?;
        Ok((reencrypted, discarded))
    })
    .await
}
