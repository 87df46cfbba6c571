use std::sync::Arc;

use super::connector;
use super::mock_cloud::MockCloud;
use crate::client::{Client, ClientBuilder};
use crate::clock::Jitter;
use crate::config::Config;
use crate::session::{Authorization, MemoryTokenStore};

impl MockCloud {
    /// A client of this cloud whose user is signed in, with tokens that are valid for a day.
    #[must_use]
    pub fn client(&self) -> Client {
        let tokens = Authorization {
            access_token: "mock-access-token".into(),
            refresh_token: "mock-refresh-token".into(),
            expires_in_secs: 86_400,
            role: None,
            created_at: self.clock().now(),
        };
        let client = Config::local("https://cloud.test", "mock-app", "mock-app-secret")
            .and_then(|config| self.connect(Client::builder(config, Arc::new(MemoryTokenStore::with(tokens)))).build());
        client.expect("the configuration of the mock cloud is valid")
    }

    /// Connects a client to this cloud instead of the network, for tests with their own configuration, token store or
    /// options. Sets the cloud's [clock](Self::clock), and a [jitter](Jitter) with which retries do not wait.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use devicecloud::{Client, Config, MemoryTokenStore};
    /// use devicecloud::testing::MockCloud;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> devicecloud::Result<()> {
    /// let config = Config::local("https://cloud.example.com", "my-app", "my-app-secret")?;
    /// let builder = Client::builder(config, Arc::new(MemoryTokenStore::new()));
    /// let client = MockCloud::new().connect(builder).build()?;
    /// client.sign_in("jo@example.com", &"correct horse".into()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn connect(&self, builder: ClientBuilder) -> ClientBuilder {
        let builder = builder.clock(self.clock()).jitter(Jitter::fixed(0.0));
        builder.in_process(Box::new(self.clone()), connector::factory(self.clone()))
    }
}
