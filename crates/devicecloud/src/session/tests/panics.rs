//! Panics in components of the application.

use super::*;

/// The method of a store that panics.
#[derive(Clone, Copy, PartialEq)]
enum PanickingMethod {
    Load,
    Lock,
    LoadUnderLock,
    Save,
}

/// A store that panics: `lock` when called, the other methods when polled.
struct PanickingStore {
    inner: MemoryTokenStore,
    place: PanickingMethod,
    throw: fn(),
}

struct PanickingLock(Box<dyn TokenLock>, PanickingMethod, fn());

impl TokenStore for PanickingStore {
    fn load(&self) -> BoxFuture<'_, Result<Option<Authorization>>> {
        Box::pin(async {
            if self.place == PanickingMethod::Load {
                (self.throw)();
            }
            self.inner.load().await
        })
    }

    fn lock(&self) -> BoxFuture<'_, Result<Box<dyn TokenLock>>> {
        Box::pin(async {
            if self.place == PanickingMethod::Lock {
                (self.throw)();
            }
            let inner = self.inner.lock().await?;
            Ok(Box::new(PanickingLock(inner, self.place, self.throw)) as Box<dyn TokenLock>)
        })
    }
}

impl TokenLock for PanickingLock {
    fn load(&mut self) -> BoxFuture<'_, Result<Option<Authorization>>> {
        if self.1 == PanickingMethod::LoadUnderLock {
            (self.2)();
        }
        self.0.load()
    }

    fn save<'a>(self: Box<Self>, authorization: Option<&'a Authorization>) -> BoxFuture<'a, Result<()>> {
        if self.1 == PanickingMethod::Save {
            (self.2)();
        }
        self.0.save(authorization)
    }
}

/// An auth provider that panics.
struct PanickingAuth(fn());

impl AuthProvider for PanickingAuth {
    fn sign_in<'a>(&'a self, _: &'a str, _: &'a SecretText) -> BoxFuture<'a, Result<SignIn>> {
        Box::pin(async {
            (self.0)();
            Err(Error::new(ErrorKind::Internal, "the function did not panic"))
        })
    }

    fn sign_out<'a>(&'a self, _: &'a Authorization) -> BoxFuture<'a, Result<()>> {
        (self.0)();
        Box::pin(async { Ok(()) })
    }
}

const PANICS: [(fn(), &str); 3] = [
    (|| panic!("the card is stuck"), "the card is stuck"),
    (|| panic!("slot {}", 7), "slot 7"),
    (|| std::panic::panic_any(7), "A background task ended unexpectedly"),
];

fn general<T>(result: Result<T>, text: &str) {
    let error = result.map(drop).unwrap_err();
    assert_eq!((error.kind(), error.message()), (ErrorKind::General, text));
}

#[tokio::test(start_paused = true)]
async fn panic_in_a_store_is_a_general_error() {
    for place in [PanickingMethod::Load, PanickingMethod::Lock, PanickingMethod::LoadUnderLock, PanickingMethod::Save] {
        for (throw, text) in PANICS {
            let inner = MemoryTokenStore::with(authorization("old", 86_400));
            let (session, _) = session(&cloud(|| tokens("new")), PanickingStore { inner, place, throw });
            // The cloud rejects "old", so this call refreshes the tokens.
            general(call(&session).await, text);
            general(session.refresh_now().await, text);
            if place != PanickingMethod::Load {
                general(session.sign_out().await, text);
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn panic_in_an_auth_provider_is_a_general_error() {
    for (throw, text) in PANICS {
        let store = MemoryTokenStore::with(authorization("old", 86_400));
        let http = Arc::new(cloud(|| tokens("new")).http(Clock::mock(NOW.parse().unwrap())));
        let session = CloudSession::new(http, Arc::new(PanickingAuth(throw)), Arc::new(store.clone()));
        general(session.sign_in("jo@example.com", &"secret".into()).await, text);
        assert_eq!(stored(&store).await.as_deref(), Some("old"));
        general(session.sign_out().await, text);
        assert_eq!(stored(&store).await, None, "the tokens are cleared even if the provider panics");
    }
}
