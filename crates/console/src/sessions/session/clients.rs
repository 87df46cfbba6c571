//! One cloud client per session in use, so that concurrent requests share a token refresh.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use devicecloud::Client;

use super::SessionHash;

/// Unused clients are removed when the map reaches this size.
const PRUNE_AT: usize = 1000;

/// Clients by session.
#[derive(Default)]
pub(super) struct Clients(Mutex<HashMap<SessionHash, Weak<Client>>>);

impl Clients {
    /// Returns the session's client in use, or creates one.
    pub(super) fn get(&self, session: &SessionHash, make: impl FnOnce() -> Client) -> Arc<Client> {
        let mut clients = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = clients.get(session).and_then(Weak::upgrade) {
            return client;
        }
        if clients.len() >= PRUNE_AT {
            clients.retain(|_, client| client.strong_count() > 0);
        }
        let client = Arc::new(make());
        clients.insert(session.clone(), Arc::downgrade(&client));
        client
    }
}

#[cfg(test)]
mod tests {
    use devicecloud::{Config, MemoryTokenStore};

    use super::*;

    #[test]
    fn client_is_shared_while_in_use_and_dropped_afterwards() {
        let config = Config::local("http://127.0.0.1:1", "app", "app-secret").unwrap();
        let nobody = Client::new(config, Arc::new(MemoryTokenStore::new())).unwrap();
        let make = || nobody.with_store(Arc::new(MemoryTokenStore::new()));
        let (clients, alice) = (Clients::default(), SessionHash::of(&[1; 32]));
        let first = clients.get(&alice, make);
        assert!(Arc::ptr_eq(&first, &clients.get(&alice, make)));
        assert!(!Arc::ptr_eq(&first, &clients.get(&SessionHash::of(&[2; 32]), make)));
        for number in 0..2 * PRUNE_AT {
            let mut id = [3; 32];
            id[..8].copy_from_slice(&number.to_be_bytes());
            clients.get(&SessionHash::of(&id), make);
        }
        assert!(clients.0.lock().unwrap().len() <= PRUNE_AT);
        assert!(Arc::ptr_eq(&first, &clients.get(&alice, make)), "in use all the time");
    }
}
