//! Password hashing with Argon2id, limited to one hash per core at a time, on all cores but one, and with a lower priority than
//! everything else.

use std::fmt;
use std::sync::Arc;
use std::thread;

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};
use platform::run::random::Random;
use rustix::process::nice;
use secrecy::{ExposeSecret, SecretString};
use tokio::sync::{Semaphore, oneshot};

/// Maximum length of a password in bytes. Longer ones are rejected without hashing.
pub(crate) const MAX_LENGTH: usize = 1024;
/// How much nicer than the others the thread of a hash is. A hash takes tens of milliseconds, and requests and reports need a core
/// for a moment.
const NICENESS: i32 = 10;

/// The rules for a new password that this one breaks. A special character is any character that is neither a
/// letter nor a digit.
pub fn broken_rules(password: &str) -> impl Iterator<Item = &'static str> {
    let any = |is: fn(char) -> bool| password.chars().any(is);
    let rules = [
        ((8..=128).contains(&password.chars().count()), "Must be 8 to 128 characters"),
        (any(|c| c.is_numeric() || !c.is_alphabetic()), "Must contain a number or special character"),
        (any(char::is_uppercase), "Must contain an uppercase letter"),
        (any(char::is_lowercase), "Must contain a lowercase letter"),
    ];
    rules.into_iter().filter(|(kept, _)| !kept).map(|(_, rule)| rule)
}

/// The cost of hashing a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PasswordCost {
    /// Memory in KiB.
    pub memory_kib: u32,
    /// Passes over that memory.
    pub passes: u32,
    /// Lanes.
    pub lanes: u32,
}

impl Default for PasswordCost {
    /// Argon2id with 19 MiB, two passes, one lane.
    fn default() -> Self {
        Self { memory_kib: 19_456, passes: 2, lanes: 1 }
    }
}

/// The cost parameters are invalid.
#[derive(Debug, thiserror::Error)]
#[error("the password cost is out of range")]
pub struct InvalidCost;

/// Hashes and verifies passwords. Cheap to clone; clones share the limit.
#[derive(Clone)]
pub(crate) struct Passwords {
    argon2: Argon2<'static>,
    /// The hash that passwords for unknown users are verified against, so that responses take equally long.
    dummy_hash: Arc<str>,
    cores: Arc<Semaphore>,
    random: Random,
    /// Number of computed hashes, on which response times depend.
    #[cfg(any(test, feature = "testing"))]
    made: Arc<std::sync::atomic::AtomicUsize>,
}

impl Passwords {
    /// # Errors
    /// [`InvalidCost`].
    pub(crate) fn new(cost: PasswordCost, random: Random) -> Result<Self, InvalidCost> {
        let params = Params::new(cost.memory_kib, cost.passes, cost.lanes, None).map_err(|_| InvalidCost)?;
        let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        let dummy_hash = hash(&argon2, &random.hex(16), &random.bytes())?.into();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        // One core remains for everything else.
        let cores = cores.saturating_sub(1).max(1);
        Ok(Self {
            argon2,
            dummy_hash,
            cores: Arc::new(Semaphore::new(cores)),
            random,
            #[cfg(any(test, feature = "testing"))]
            made: Arc::default(),
        })
    }

    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn made(&self) -> usize {
        self.made.load(std::sync::atomic::Ordering::Relaxed)
    }

    /// The PHC string to store for a password.
    ///
    /// # Errors
    /// [`InvalidCost`] if there is not enough memory.
    pub(crate) async fn hash(&self, password: SecretString) -> Result<String, InvalidCost> {
        let (argon2, salt) = (self.argon2.clone(), self.random.bytes());
        self.on_a_core(move || hash(&argon2, password.expose_secret(), &salt)).await.unwrap_or(Err(InvalidCost))
    }

    /// Whether the password matches `stored`; `false` for `None`, a user who does not exist.
    pub(crate) async fn verify(&self, password: SecretString, stored: Option<String>) -> bool {
        let (argon2, dummy_hash, known) = (self.argon2.clone(), self.dummy_hash.clone(), stored.is_some());
        let verified = self
            .on_a_core(move || {
                let stored = stored.as_deref().unwrap_or(&dummy_hash);
                PasswordVerifier::<str>::verify_password(&argon2, password.expose_secret().as_bytes(), stored).is_ok()
            })
            .await;
        known && verified == Some(true)
    }

    async fn on_a_core<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        // The permit moves into the thread: a caller that gives up must not make room for another hash.
        let permit = self.cores.clone().acquire_owned().await.ok()?;
        #[cfg(any(test, feature = "testing"))]
        self.made.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let (sender, result) = oneshot::channel();
        let hashing = move || {
            let _permit = permit;
            // Elsewhere the priority is that of the process. A system that refuses leaves it as it is.
            if cfg!(target_os = "linux") {
                let _ = nice(NICENESS);
            }
            let _ = sender.send(work());
        };
        // Not a thread of the runtime, which would keep the priority: only root may raise it again.
        thread::Builder::new().name("password".into()).spawn(hashing).expect("the system can start a thread");
        result.await.ok()
    }
}

impl fmt::Debug for Passwords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Passwords")
    }
}

fn hash(argon2: &Argon2<'_>, password: &str, salt: &[u8; 16]) -> Result<String, InvalidCost> {
    let hash: PasswordHash = argon2.hash_password_with_salt(password.as_bytes(), salt).map_err(|_| InvalidCost)?;
    Ok(hash.to_string())
}

#[cfg(test)]
mod tests {
    use rustix::process::getpriority_process;

    use super::*;

    const CHEAP: PasswordCost = PasswordCost { memory_kib: 8, passes: 1, lanes: 1 };

    fn text(password: &str) -> SecretString {
        password.into()
    }

    #[tokio::test]
    async fn only_the_right_password_is_verified() {
        let passwords = Passwords::new(CHEAP, Random::seeded(1)).unwrap();
        let stored = passwords.hash(text("Correct 1")).await.unwrap();
        assert!(stored.starts_with("$argon2id$v=19$m=8,t=1,p=1$"), "{stored}");
        assert!(passwords.verify(text("Correct 1"), Some(stored.clone())).await);
        assert!(!passwords.verify(text("correct 1"), Some(stored)).await);
        assert!(!passwords.verify(text("Correct 1"), None).await);
        assert!(!passwords.verify(text("Correct 1"), Some("not a hash".into())).await);
    }

    #[tokio::test]
    async fn two_hashes_of_one_password_differ() {
        let passwords = Passwords::new(CHEAP, Random::seeded(1)).unwrap();
        assert_ne!(passwords.hash(text("a")).await.unwrap(), passwords.hash(text("a")).await.unwrap());
    }

    #[tokio::test]
    async fn hashing_has_a_lower_priority_than_the_caller() {
        let niceness = || getpriority_process(None).unwrap();
        let passwords = Passwords::new(CHEAP, Random::seeded(1)).unwrap();
        let before = niceness();
        // 19 is the maximum.
        assert_eq!(passwords.on_a_core(niceness).await, Some((before + NICENESS).min(19)));
        assert_eq!(niceness(), before);
    }

    #[test]
    fn password_is_checked_against_four_rules() {
        let all = [
            "Must be 8 to 128 characters",
            "Must contain a number or special character",
            "Must contain an uppercase letter",
            "Must contain a lowercase letter",
        ];
        let (long, longest) = (format!("Aa1{}", "é".repeat(126)), format!("Aa1{}", "é".repeat(125)));
        let table: [(&str, &[usize]); 9] = [
            ("Aaaaaaa1", &[]),
            ("Aaaaaaa ", &[]),
            ("Éééééé—é", &[]),
            (&longest, &[]),
            ("Aaaaaa1", &[0]),
            (&long, &[0]),
            ("Aaaaaaaa", &[1]),
            ("aaaaaaa1", &[2]),
            ("1", &[0, 2, 3]),
        ];
        for (password, expected) in table {
            let expected: Vec<_> = expected.iter().map(|&rule| all[rule]).collect();
            assert_eq!(broken_rules(password).collect::<Vec<_>>(), expected, "{password}");
        }
    }

    #[test]
    fn cost_out_of_range_is_rejected() {
        let cost = PasswordCost { memory_kib: 0, passes: 1, lanes: 1 };
        assert!(Passwords::new(cost, Random::seeded(1)).is_err());
    }
}
