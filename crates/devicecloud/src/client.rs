use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::api::{
    Admin, Contacts, Datapoints, Devices, Files, Notifications, Properties, RoleLabels, Roles, RuleActions, Rules,
    ScheduleActions, Schedules, Shares, Subscriptions, Triggers, UserData, Users,
};
use crate::clock::{Clock, Jitter};
use crate::config::Config;
use crate::error::Result;
#[cfg(feature = "managers")]
use crate::http::pace::DEFAULT_MANAGER_REQUEST_INTERVAL;
use crate::http::{
    Connect, Counters, DEFAULT_REQUEST_TIMEOUT, HeaderSource, Http, Network, NetworkSettings, ProxySetting,
    RetryPolicy, Statistics, Transport, header,
};
#[cfg(feature = "stream")]
use crate::model::Subscription;
use crate::model::Time;
use crate::model::secret::SecretText;
use crate::session::{
    AuthProvider, Authorization, CloudAuth, CloudSession, SessionEvents, SessionState, SignIn, TokenStore,
};
#[cfg(feature = "stream")]
use crate::stream::{Backoff, ConnectorFactory, RECONNECT_DELAY, StreamHandle};

/// A client of a device cloud, for one session. Cheap to clone: clones share the connections and the session.
///
/// Calls are grouped by resource: [`users`](Self::users), [`user_data`](Self::user_data), [`contacts`](Self::contacts),
/// [`shares`](Self::shares), [`admin`](Self::admin), [`roles`](Self::roles), [`devices`](Self::devices),
/// [`role_labels`](Self::role_labels), [`properties`](Self::properties), [`datapoints`](Self::datapoints),
/// [`files`](Self::files), [`notifications`](Self::notifications), [`triggers`](Self::triggers),
/// [`rules`](Self::rules), [`rule_actions`](Self::rule_actions), [`schedules`](Self::schedules),
/// [`schedule_actions`](Self::schedule_actions), [`subscriptions`](Self::subscriptions). Every call
/// - reads its tokens from the [`TokenStore`] and refreshes them if they are about to expire or are rejected;
/// - fails with [`ErrorKind::Timeout`](crate::ErrorKind::Timeout) if an attempt takes longer than the
///   [`request_timeout`](ClientBuilder::request_timeout), 30 s by default;
/// - fails with [`ErrorKind::Json`](crate::ErrorKind::Json) if a successful response has a body that is not JSON, such as the HTML page of a
///   proxy. A write may have happened in this case, which the error message says. An empty body, or JSON of unknown
///   shape, is accepted if the call needs nothing from it;
/// - is attempted up to three times, by the [`retry_policy`](ClientBuilder::retry_policy), if it is idempotent (`GET`,
///   `PUT`, `DELETE`) and the network fails or the cloud responds with 408, 429 or 5xx (each group of calls has
///   `without_retry`). A timeout is not retried;
/// - says in [`Error::outcome`](crate::Error::outcome) whether a failed write happened, and in
///   [`Error::is_retryable`](crate::Error::is_retryable) whether repeating the call is safe;
/// - is cancel safe: dropping its future never harms the session.
///
/// [`stream`](Self::stream) follows live data. A [`SessionManager`](crate::manager::SessionManager) does all of this for one
/// user: it stays signed in and keeps the devices up to date. Tests replace the cloud with the `MockCloud` of the feature
/// `testing`.
#[derive(Clone)]
pub struct Client {
    session: Arc<CloudSession>,
    #[cfg(feature = "stream")]
    reconnect_delay: Duration,
    /// Replaces the network for streams.
    #[cfg(feature = "stream")]
    connectors: Option<ConnectorFactory>,
    #[cfg(feature = "managers")]
    manager_request_interval: Duration,
}

impl Client {
    /// Creates a client with default options.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use devicecloud::{Client, Config, MemoryTokenStore};
    ///
    /// let config = Config::local("http://127.0.0.1:8080", "my-app", "my-app-secret")?;
    /// let client = Client::new(config, Arc::new(MemoryTokenStore::new()))?;
    /// # Ok::<(), devicecloud::Error>(())
    /// ```
    ///
    /// # Errors
    /// See [`ClientBuilder::build`].
    pub fn new(config: Config, store: Arc<dyn TokenStore>) -> Result<Self> {
        Self::builder(config, store).build()
    }

    /// Starts building a client with other options.
    pub fn builder(config: Config, store: Arc<dyn TokenStore>) -> ClientBuilder {
        ClientBuilder {
            config,
            store,
            auth: None,
            clock: Clock::system(),
            jitter: Jitter::system(),
            timeout: DEFAULT_REQUEST_TIMEOUT,
            time_limit: None,
            retry: RetryPolicy::default(),
            #[cfg(feature = "stream")]
            reconnect_delay: RECONNECT_DELAY,
            #[cfg(feature = "managers")]
            manager_request_interval: DEFAULT_MANAGER_REQUEST_INTERVAL,
            headers: Vec::new(),
            header_source: None,
            network: NetworkSettings::default(),
            transport: None,
            #[cfg(feature = "stream")]
            connectors: None,
        }
    }

    /// A client for another session over the same connections, for servers with many users.
    #[must_use]
    pub fn with_store(&self, store: Arc<dyn TokenStore>) -> Self {
        Self {
            session: self.session.with_store(store),
            #[cfg(feature = "stream")]
            reconnect_delay: self.reconnect_delay,
            #[cfg(feature = "stream")]
            connectors: self.connectors.clone(),
            #[cfg(feature = "managers")]
            manager_request_interval: self.manager_request_interval,
        }
    }

    /// Signs a user in and saves the tokens in the store, replacing those of an earlier session.
    /// `POST users/sign_in.json`
    ///
    /// ```no_run
    /// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
    /// let sign_in = client.sign_in("jo@example.com", &"correct horse".into()).await?;
    /// println!("signed in as {:?}", sign_in.role);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` 'Email is required' or 'Password is required'; `Auth` if the cloud rejects the credentials.
    pub async fn sign_in(&self, email: &str, password: &SecretText) -> Result<SignIn> {
        self.session.sign_in(email, password).await
    }

    /// Signs out and clears the store, even if the cloud returns an error or the future is dropped. Sends nothing if no
    /// user is signed in. `POST users/sign_out.json`
    ///
    /// # Errors
    /// `Auth` with the status text if the cloud returns an error, `Network` or `Timeout` if it could not be reached,
    /// `Json` if the response is not JSON.
    pub async fn sign_out(&self) -> Result<()> {
        self.session.sign_out().await
    }

    /// Refreshes the tokens now. Concurrent callers share one refresh. `POST users/refresh_token.json`
    ///
    /// # Errors
    /// `Precondition` 'No session is active'; `Auth` if the cloud denies the refresh, which ends the session; `Network`
    /// or `Timeout` 'Fail to refresh token', which does not end it.
    pub async fn refresh(&self) -> Result<Authorization> {
        self.session.refresh_now().await
    }

    /// The current state of the session, as far as this client knows.
    #[must_use]
    pub fn session_state(&self) -> SessionState {
        self.session.publisher.state()
    }

    /// Subscribes to the events of the session from now on.
    #[must_use]
    pub fn session_events(&self) -> SessionEvents {
        self.session.publisher.subscribe()
    }

    /// Calls for the account of the signed-in user, passwords and confirmations.
    #[must_use]
    pub fn users(&self) -> Users {
        Users::new(Arc::clone(&self.session))
    }

    /// Calls for the key/value data of the signed-in user.
    #[must_use]
    pub fn user_data(&self) -> UserData {
        UserData::new(Arc::clone(&self.session))
    }

    /// Calls for the contacts of the signed-in user.
    #[must_use]
    pub fn contacts(&self) -> Contacts {
        Contacts::new(Arc::clone(&self.session))
    }

    /// Calls for shares, which give other users access to a device.
    #[must_use]
    pub fn shares(&self) -> Shares {
        Shares::new(Arc::clone(&self.session))
    }

    /// Calls for devices.
    #[must_use]
    pub fn devices(&self) -> Devices {
        Devices::new(Arc::clone(&self.session))
    }

    /// Calls for the role labels of devices.
    #[must_use]
    pub fn role_labels(&self) -> RoleLabels {
        RoleLabels::new(Arc::clone(&self.session))
    }

    /// Calls for notifications of device events.
    #[must_use]
    pub fn notifications(&self) -> Notifications {
        Notifications::new(Arc::clone(&self.session))
    }

    /// Calls for triggers, which notify people of values of a property.
    #[must_use]
    pub fn triggers(&self) -> Triggers {
        Triggers::new(Arc::clone(&self.session))
    }

    /// Calls for rules, by which the cloud reacts to device events.
    #[must_use]
    pub fn rules(&self) -> Rules {
        Rules::new(Arc::clone(&self.session))
    }

    /// Calls for the actions of rules.
    #[must_use]
    pub fn rule_actions(&self) -> RuleActions {
        RuleActions::new(Arc::clone(&self.session))
    }

    /// Calls for the schedules of a device.
    #[must_use]
    pub fn schedules(&self) -> Schedules {
        Schedules::new(Arc::clone(&self.session))
    }

    /// Calls for the actions of schedules.
    #[must_use]
    pub fn schedule_actions(&self) -> ScheduleActions {
        ScheduleActions::new(Arc::clone(&self.session))
    }

    /// Calls for administrators of a manufacturer (OEM).
    #[must_use]
    pub fn admin(&self) -> Admin {
        Admin::new(Arc::clone(&self.session))
    }

    /// Calls for the roles of users.
    #[must_use]
    pub fn roles(&self) -> Roles {
        Roles::new(Arc::clone(&self.session))
    }

    /// Calls for the properties of a device.
    #[must_use]
    pub fn properties(&self) -> Properties {
        Properties::new(Arc::clone(&self.session))
    }

    /// Calls for the values (datapoints) of a property.
    #[must_use]
    pub fn datapoints(&self) -> Datapoints {
        Datapoints::new(Arc::clone(&self.session))
    }

    /// Calls for properties of type `file`.
    #[must_use]
    pub fn files(&self) -> Files {
        Files::new(Arc::clone(&self.session))
    }

    /// Calls for subscriptions to live data.
    #[must_use]
    pub fn subscriptions(&self) -> Subscriptions {
        Subscriptions::new(Arc::clone(&self.session))
    }

    /// What this client, its clones and those of [`with_store`](Self::with_store) sent and received so far.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.session.http().counters.snapshot()
    }

    /// Opens the live data stream of a subscription. It connects in the background and reconnects automatically; see
    /// [`StreamHandle`].
    ///
    /// ```no_run
    /// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
    /// use devicecloud::StreamEvent;
    ///
    /// let subscription = client.subscriptions().create().send().await?;
    /// let mut stream = client.stream(&subscription);
    /// while let Some(event) = stream.next().await {
    ///     match event {
    ///         StreamEvent::Connected | StreamEvent::Gap => { /* reload everything */ }
    ///         StreamEvent::Datapoint(event) => {
    ///             if let Some(value) = event.datapoint.value {
    ///                 println!("{} {} = {value}", event.dsn, event.property);
    ///             }
    ///         }
    ///         StreamEvent::ConnectFailed(error) => println!("no live data at the moment: {error}"),
    ///         StreamEvent::GaveUp(error) => return Err(error), // create a new subscription
    ///         _ => {}
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    /// Outside a tokio runtime.
    #[cfg(feature = "stream")]
    #[must_use = "the stream closes when its handle is dropped"]
    pub fn stream(&self, subscription: &Subscription) -> StreamHandle {
        let (http, key) = (self.session.http(), &subscription.stream_key);
        match &self.connectors {
            None => StreamHandle::open(http, key, self.reconnect_delay),
            Some(connectors) => {
                let backoff = Backoff { first: self.reconnect_delay, jitter: http.jitter.clone() };
                StreamHandle::start(connectors(key, http.timeout), backoff)
            }
        }
    }

    #[cfg(any(feature = "managers", all(test, feature = "stream")))]
    pub(crate) fn http(&self) -> &Arc<Http> {
        self.session.http()
    }

    pub(crate) fn config(&self) -> &Config {
        self.session.config()
    }

    #[cfg(feature = "managers")]
    pub(crate) fn manager_request_interval(&self) -> Duration {
        self.manager_request_interval
    }

    pub(crate) fn jitter(&self) -> &Jitter {
        &self.session.http().jitter
    }

    pub(crate) fn now(&self) -> Time {
        self.session.now()
    }

    /// The authorization of the session, or a `Precondition` error with the text `no_session` if no user is signed in.
    pub(crate) async fn require_session(&self, no_session: &str) -> Result<Authorization> {
        self.session.require(no_session).await
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("config", self.config()).finish_non_exhaustive()
    }
}

/// Builder of a [`Client`]; returned by [`Client::builder`].
#[must_use]
pub struct ClientBuilder {
    config: Config,
    store: Arc<dyn TokenStore>,
    auth: Option<Arc<dyn AuthProvider>>,
    clock: Clock,
    jitter: Jitter,
    timeout: Duration,
    time_limit: Option<Duration>,
    retry: RetryPolicy,
    #[cfg(feature = "stream")]
    reconnect_delay: Duration,
    #[cfg(feature = "managers")]
    manager_request_interval: Duration,
    headers: Vec<(String, SecretText)>,
    header_source: Option<HeaderSource>,
    network: NetworkSettings,
    /// Replaces the network.
    transport: Option<Box<dyn Transport>>,
    /// Replaces the network for streams.
    #[cfg(feature = "stream")]
    connectors: Option<ConnectorFactory>,
}

impl ClientBuilder {
    /// Signs users in and out; the cloud's own sign-in by default.
    pub fn auth_provider(self, auth: Arc<dyn AuthProvider>) -> Self {
        Self { auth: Some(auth), ..self }
    }

    /// The clock; the system clock by default.
    pub fn clock(self, clock: Clock) -> Self {
        Self { clock, ..self }
    }

    /// The source of jitter for retries and reconnects; random by default.
    pub fn jitter(self, jitter: Jitter) -> Self {
        Self { jitter, ..self }
    }

    /// The timeout of one attempt of a call, or of connecting a stream; [`DEFAULT_REQUEST_TIMEOUT`] by default.
    pub fn request_timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// The time for opening a connection: the look-up of the name, TCP, the proxy and TLS;
    /// [`DEFAULT_CONNECT_TIMEOUT`](crate::DEFAULT_CONNECT_TIMEOUT) by default. If it passes, nothing was sent: the error has
    /// the kind [`Network`](crate::ErrorKind::Network) and the outcome [`NotSent`](crate::Outcome::NotSent), and is handled
    /// like other network failures. A longer time than the [`request_timeout`](Self::request_timeout) has no effect.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.network.connect_timeout = Some(timeout);
        self
    }

    /// The most bytes of a response that a call reads; [`DEFAULT_RESPONSE_LIMIT`](crate::DEFAULT_RESPONSE_LIMIT) by
    /// default. A larger response is an error with the kind [`Json`](crate::ErrorKind::Json), and is not requested again.
    /// File content has no such limit.
    pub fn response_limit(mut self, bytes: usize) -> Self {
        self.network.response_limit = Some(bytes);
        self
    }

    /// The time for a whole call, with its refresh, retries and delays; unlimited by default. A stream of pages has it
    /// for each page. File content has no such limit.
    pub fn call_timeout(self, limit: Duration) -> Self {
        Self { time_limit: Some(limit), ..self }
    }

    /// How often and when calls are retried.
    pub fn retry_policy(self, retry: RetryPolicy) -> Self {
        Self { retry, ..self }
    }

    /// The first delay before a stream reconnects; 3 s by default. It grows up to 20 times as much while attempts fail;
    /// see [`StreamHandle`].
    #[cfg(feature = "stream")]
    pub fn reconnect_delay(self, reconnect_delay: Duration) -> Self {
        Self { reconnect_delay, ..self }
    }

    /// The interval between the requests of a device manager, for any number of devices;
    /// [`DEFAULT_MANAGER_REQUEST_INTERVAL`] by default.
    #[cfg(feature = "managers")]
    pub fn manager_request_interval(self, interval: Duration) -> Self {
        Self { manager_request_interval: interval, ..self }
    }

    /// Opens connections in place of TCP, for calls, file transfers and streams.
    pub fn connector(mut self, connect: impl Connect) -> Self {
        self.network.connect = Some(Arc::new(connect));
        self
    }

    /// The proxy for calls, file transfers and streams: an address such as `http://user:password@proxy.example.com:3128`,
    /// with http or https. It must support `CONNECT`. Connections to loopback hosts are always direct.
    ///
    /// By default the environment variables `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` apply, in upper or
    /// lower case.
    pub fn proxy(mut self, address: impl Into<SecretText>) -> Self {
        self.network.proxy = ProxySetting::At(address.into());
        self
    }

    /// Uses no proxy, and ignores the environment variables.
    pub fn no_proxy(mut self) -> Self {
        self.network.proxy = ProxySetting::None;
        self
    }

    /// Trusts these certificate authorities too: certificates in PEM format. The platform's are trusted unless
    /// [`no_platform_roots`](Self::no_platform_roots) is set.
    pub fn root_certificates(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.network.root_certificates.push(pem.into());
        self
    }

    /// Trusts only the added [`root_certificates`](Self::root_certificates), for example in a container without any.
    pub fn no_platform_roots(mut self) -> Self {
        self.network.no_platform_roots = true;
        self
    }

    /// The header `User-Agent` of calls, file transfers and streams; `devicecloud/` and the version by default.
    pub fn user_agent(mut self, user_agent: impl Into<String>) -> Self {
        self.network.user_agent = Some(user_agent.into());
        self
    }

    /// Adds a header to every call and to the handshake of streams, in addition to those that the library sets. File
    /// transfers, which may go to other hosts, do not get it.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<SecretText>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Adds headers that are read before every attempt of a call, for example the trace context of the current span. Streams and
    /// file transfers do not get them. Headers that the library sets take precedence. A call fails with `InvalidArgument` if a name or
    /// value is not valid in HTTP.
    pub fn headers_per_request(mut self, read: impl Fn() -> Vec<(String, String)> + Send + Sync + 'static) -> Self {
        self.header_source = Some(Box::new(read));
        self
    }

    /// Creates the client. Sends nothing.
    ///
    /// # Errors
    /// `InvalidArgument` for an invalid header, proxy address or root certificate; `Internal` if TLS cannot be set up,
    /// for example because the platform has no root certificates; `Precondition` if the feature `rustls-ring` is off
    /// and the program has installed no rustls provider.
    pub fn build(mut self) -> Result<Client> {
        let transport = match self.transport.take() {
            Some(transport) => transport,
            None => Box::new(Network::new(&self.network)?),
        };
        self.build_over(transport)
    }

    /// Replaces the network.
    #[cfg(feature = "testing")]
    pub(crate) fn in_process(self, transport: Box<dyn Transport>, connectors: ConnectorFactory) -> Self {
        Self { transport: Some(transport), connectors: Some(connectors), ..self }
    }

    pub(crate) fn build_over(self, transport: Box<dyn Transport>) -> Result<Client> {
        let headers = self.headers.iter().map(|(name, value)| header(name, value.expose())).collect::<Result<_>>()?;
        let http = Arc::new(Http {
            config: self.config,
            transport,
            clock: self.clock,
            jitter: self.jitter,
            timeout: self.timeout,
            time_limit: self.time_limit,
            retry: self.retry,
            headers,
            header_source: self.header_source,
            counters: Counters::default(),
        });
        let auth = self.auth.unwrap_or_else(|| Arc::new(CloudAuth(Arc::clone(&http))));
        let session = CloudSession::new(http, auth, self.store);
        Ok(Client {
            session,
            #[cfg(feature = "stream")]
            reconnect_delay: self.reconnect_delay,
            #[cfg(feature = "stream")]
            connectors: self.connectors,
            #[cfg(feature = "managers")]
            manager_request_interval: self.manager_request_interval,
        })
    }
}

impl fmt::Debug for ClientBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientBuilder").field("config", &self.config).finish_non_exhaustive()
    }
}
