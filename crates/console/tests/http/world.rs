//! A cloud with two CSPs, and a console that uses it.

use std::sync::Arc;
use std::time::Duration;

use axum::middleware::from_fn_with_state;
use cloud::RoleKind;
use cloud::operator::{Address, NewDevice, NewUser, Oem, Operator, Role, Template, TemplateProperty};
use cloud::testing::{START, TestCloud, device_key};
use cloud::{BaseType, Direction, Limits};
use console::{CloudConfig, Console, ConsoleConfig, Rate, RateLimit, RateLimits};
use devicecloud::{Client, MemoryTokenStore};
use diffuser::{PARTNER_LABEL_KEY, data_keys, properties};
use jiff::{SignedDuration, Timestamp};
use platform::run::clock::Clock;
use platform::run::random::Random;
use platform::testing::TestDb;
use serde_json::json;
use tempfile::TempDir;

use crate::browser::Browser;
use crate::disconnects::{self, Connections};

/// Longer than any test.
const NEVER: Duration = Duration::from_secs(24 * 3600);
pub(crate) const PASSWORD: &str = "Correct-Horse-1";
pub(crate) const ADMIN: &str = "admin@example.com";
pub(crate) const OBSERVER: &str = "observer@example.com";
pub(crate) const NORTH_ADMIN: &str = "admin.north@example.com";
pub(crate) const NORTH_OBSERVER: &str = "observer.north@example.com";
pub(crate) const NORTH_TECH: &str = "tech.north@example.com";
/// Invited, but the address is not confirmed.
pub(crate) const NORTH_GUEST: &str = "guest.north@example.com";
pub(crate) const SOUTH_GUEST: &str = "guest.south@example.com";
pub(crate) const SOUTH_ADMIN: &str = "admin.south@example.com";
pub(crate) const NO_ROLE: &str = "nobody@example.com";
pub(crate) const END_USER: &str = "user@example.com";
const SERVICE: &str = "service@example.com";

/// Belongs to CSP North.
pub(crate) const NORTH: &str = "SC-N1";
/// Belongs to CSP North too, and has the system configuration AQ290.
pub(crate) const NORTH_AQ290: &str = "SC-N2";
/// Belongs to CSP South.
pub(crate) const SOUTH: &str = "SC-S1";
/// Registered by the end user; belongs to no CSP.
pub(crate) const OWNED: &str = "SC-U1";
/// Not registered: factory stock.
pub(crate) const STOCK: &str = "SC-X1";

pub(crate) const APP_ID: &str = "console-test";
pub(crate) const APP_SECRET: &str = "console-test-secret";

/// Cloud and console on one mock clock.
pub(crate) struct World {
    pub(crate) cloud: TestCloud,
    pub(crate) oem: Oem,
    pub(crate) console: Console,
    pub(crate) clock: Clock,
    /// Those of browsers with all consoles.
    pub(crate) connections: Connections,
    /// The console's database.
    pub(crate) database: String,
    config: ConsoleConfig,
    _folder: TempDir,
}

impl World {
    /// Starts both, fills the index and connects the live stream.
    pub(crate) async fn start() -> Self {
        Self::start_with(|_| {}).await
    }

    pub(crate) async fn start_with(change: impl FnOnce(&mut ConsoleConfig)) -> Self {
        Self::start_before(TestCloud::start().await, change).await
    }

    /// Fills `cloud` with the test data and starts a console that uses it.
    pub(crate) async fn start_before(cloud: TestCloud, change: impl FnOnce(&mut ConsoleConfig)) -> Self {
        let oem = seed(&cloud.operator()).await;
        let clock = cloud.clock().clone();
        let folder = tempfile::tempdir().unwrap();
        let own = format!("sqlite:{}", folder.path().join("console.db").display());
        let mut config = config(&cloud, &own);
        change(&mut config);
        let database = config.database_url.clone();
        if database == own {
            console::init_database(&own).await.unwrap();
        }
        let connections = Connections::default();
        let console = start_console(config.clone(), clock.clone(), connections.clone()).await;
        console.forecasts_known().await;
        Self { cloud, oem, console, clock, connections, database, config, _folder: folder }
    }

    /// Starts a world whose console uses this database.
    pub(crate) async fn start_on(database: &TestDb) -> Self {
        let url = database.url.clone();
        Self::start_with(|config| {
            config.database_url = url;
            reads_devices(config);
        })
        .await
    }

    /// Like [`start_on`](Self::start_on), but without background reads of devices, which would consume faults.
    pub(crate) async fn start_without_background_reads_on(database: &TestDb) -> Self {
        let url = database.url.clone();
        Self::start_with(|config| config.database_url = url).await
    }

    /// Starts another console with the same database and cloud.
    pub(crate) fn another_console<F: FnOnce(&mut ConsoleConfig)>(
        &self,
        change: F,
    ) -> impl Future<Output = Console> + Send + 'static + use<F> {
        let mut config = self.config.clone();
        change(&mut config);
        start_console(config, self.clock.clone(), self.connections.clone())
    }

    /// Starts another console with the same database, without waiting for the cloud.
    pub(crate) fn console_without_cloud(&self) -> impl Future<Output = Console> + 'static + use<> {
        let (config, clock) = (self.config.clone(), self.clock.clone());
        async { Console::start(config, clock, Random::system()).await.unwrap() }
    }

    /// A browser without a session.
    pub(crate) fn browser(&self) -> Browser {
        let public_origin = self.config.public_url.as_ref().map(|url| url.origin().ascii_serialization());
        let mut browser = Browser::new(self.console.addr());
        browser.public_origin = public_origin;
        browser
    }

    pub(crate) async fn signed_in(&self, email: &str) -> Browser {
        let mut browser = self.browser();
        let answer = browser.sign_in(email, PASSWORD).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        browser
    }

    pub(crate) fn pass_seconds(&self, seconds: i64) {
        self.clock.advance(SignedDuration::from_secs(seconds));
    }

    /// A client of the cloud itself, signed in as this user.
    pub(crate) async fn cloud_as(&self, email: &str) -> Client {
        let store = Arc::new(MemoryTokenStore::new());
        let client = Client::new(self.config.cloud.clone(), store).unwrap();
        client.sign_in(email, &PASSWORD.into()).await.unwrap();
        client
    }

    /// The UUID of the person with this address.
    pub(crate) async fn user_id(&self, email: &str) -> String {
        let users = self.cloud.operator().users(&self.oem).await.unwrap();
        users.into_iter().find(|user| user.email == email).expect("a person").uuid
    }

    /// The ids of [`NORTH_GUEST`] and [`SOUTH_GUEST`]. A removed guest is added again with a new id.
    pub(crate) async fn guests(&self) -> [String; 2] {
        let operator = self.cloud.operator();
        for guest in users().into_iter().filter(|user| [NORTH_GUEST, SOUTH_GUEST].contains(&&*user.email)) {
            operator.ensure_user(&self.oem, &guest).await.unwrap();
        }
        [self.user_id(NORTH_GUEST).await, self.user_id(SOUTH_GUEST).await]
    }

    /// Adds a device like [`NORTH`] with another dsn and CSP.
    pub(crate) async fn add_device(&self, dsn: &str, csp: &str) {
        self.cloud.operator().add_devices(&self.oem, &[device(dsn, Some(csp), "AQ380")]).await.unwrap();
    }
}

async fn start_console(config: ConsoleConfig, clock: Clock, connections: Connections) -> Console {
    let layer = from_fn_with_state(connections, disconnects::apply);
    let console = Console::start_wrapped(config, clock, Random::system(), |app| app.layer(layer)).await.unwrap();
    console.live().await;
    // The pass that the stream requested may still run; this one begins after it.
    console.resync().await;
    console
}

/// For tests without faults: the console reads single devices and their histories.
pub(crate) fn reads_devices(config: &mut ConsoleConfig) {
    config.read_pause = Duration::from_millis(1);
    config.history_pause = Duration::from_millis(1);
}

fn config(cloud: &TestCloud, database: &str) -> ConsoleConfig {
    let device_cloud = CloudConfig::local(&cloud.url(), APP_ID, APP_SECRET).unwrap();
    let mut config = ConsoleConfig::new(database, device_cloud, SERVICE, PASSWORD, [7; 32]);
    // A periodic pass would consume the faults that a test has set up.
    config.pass_every = NEVER;
    config.pass_pause = Duration::ZERO;
    // As would reads of single devices and of their histories.
    config.read_pause = NEVER;
    config.history_pause = NEVER;
    let many = RateLimit { per_address: Rate::per_minute(10_000), per_account: Rate::per_minute(10_000) };
    config.rate_limits = RateLimits {
        sign_in: many,
        forgotten_password: many,
        tokens: many,
        mails: many,
        places: many,
        previews: many,
        forecasts: many,
        look_ups: many,
        per_token: Rate::per_minute(10_000),
    };
    config
}

async fn seed(operator: &Operator) -> Oem {
    let oem = operator.ensure_oem("Test OEM").await.unwrap();
    operator.ensure_application(&oem, APP_ID, "Console", &APP_SECRET.into()).await.unwrap();
    for role in diffuser::Role::ALL {
        let role = Role {
            name: role.name().to_owned(),
            kind: kind(role),
            label_key: role.is_csp_scoped().then(|| PARTNER_LABEL_KEY.to_owned()),
        };
        operator.ensure_role(&oem, &role).await.unwrap();
    }
    let end_user = Role { name: diffuser::END_USER.to_owned(), kind: RoleKind::EndUser, label_key: None };
    operator.ensure_role(&oem, &end_user).await.unwrap();
    operator.ensure_template(&oem, &template()).await.unwrap();
    for user in users() {
        operator.ensure_user(&oem, &user).await.unwrap();
    }
    let devices = [
        device(NORTH, Some("North"), "AQ380"),
        device(NORTH_AQ290, Some("North"), "AQ290"),
        device(SOUTH, Some("South"), "AQ380"),
        NewDevice { owner_email: Some(END_USER.to_owned()), ..device(OWNED, None, "AQ380") },
        stock(STOCK),
    ];
    operator.add_devices(&oem, &devices).await.unwrap();
    oem
}

fn kind(role: diffuser::Role) -> RoleKind {
    match role {
        diffuser::Role::Admin => RoleKind::OemAdmin,
        diffuser::Role::Observer => RoleKind::OemObserver,
        diffuser::Role::CspAdmin => RoleKind::PartnerAdmin,
        diffuser::Role::CspObserver => RoleKind::PartnerObserver,
        diffuser::Role::CspTech => RoleKind::PartnerTechnician,
    }
}

fn template() -> Template {
    let template = &diffuser::template::TEMPLATE;
    let property = |property: &diffuser::template::Property| TemplateProperty {
        name: property.name.to_owned(),
        display_name: property.display_name.to_owned(),
        base_type: match property.base_type {
            diffuser::template::BaseType::Integer => BaseType::Integer,
            diffuser::template::BaseType::Decimal => BaseType::Decimal,
            diffuser::template::BaseType::String => BaseType::String,
        },
        direction: match property.direction {
            diffuser::template::Direction::Input => Direction::Input,
            diffuser::template::Direction::Output => Direction::Output,
        },
        ack_enabled: property.ack_enabled(),
        retention_days: template.retention_days,
        limits: Limits::default(),
    };
    Template {
        name: template.name.to_owned(),
        properties: template.properties.iter().map(property).collect(),
        schedules: vec![],
    }
}

fn users() -> Vec<NewUser> {
    let user = |email: &str, role: Option<diffuser::Role>, csp: Option<&str>| NewUser {
        email: email.to_owned(),
        password: PASSWORD.into(),
        firstname: Some("Tess".to_owned()),
        lastname: Some("Tester".to_owned()),
        role: role.map(|role| role.name().to_owned()),
        label: csp.map(str::to_owned),
        confirmed: true,
        ..NewUser::default()
    };
    use diffuser::Role;
    vec![
        user(ADMIN, Some(Role::Admin), None),
        user(OBSERVER, Some(Role::Observer), None),
        user(NORTH_ADMIN, Some(Role::CspAdmin), Some("North")),
        user(NORTH_OBSERVER, Some(Role::CspObserver), Some("North")),
        user(NORTH_TECH, Some(Role::CspTech), Some("North")),
        user(SOUTH_ADMIN, Some(Role::CspAdmin), Some("South")),
        NewUser {
            confirmed: false,
            company: Some(r#"{"company": "Aurora", "businessRole": "Night porter"}"#.to_owned()),
            phone: Some("+47 1234".to_owned()),
            city: Some("Oslo".to_owned()),
            state: Some("Viken".to_owned()),
            country: Some("Norway".to_owned()),
            ..user(NORTH_GUEST, Some(Role::CspTech), Some("North"))
        },
        NewUser { confirmed: false, ..user(SOUTH_GUEST, Some(Role::CspTech), Some("South")) },
        user(NO_ROLE, None, None),
        NewUser { role: Some(diffuser::END_USER.to_owned()), ..user(END_USER, None, None) },
        NewUser { machine_of: Some(APP_ID.to_owned()), ..user(SERVICE, Some(Role::Admin), None) },
    ]
}

/// An unregistered device of the factory stock.
pub(crate) fn stock(dsn: &str) -> NewDevice {
    NewDevice {
        registered: false,
        product_name: "Diffuser".to_owned(),
        data: vec![],
        tz_id: None,
        addr: Address::default(),
        lat: None,
        lng: None,
        ..device(dsn, None, "AQ380")
    }
}

pub(crate) fn device(dsn: &str, csp: Option<&str>, cart_name: &str) -> NewDevice {
    let created_at: Timestamp = START.parse().unwrap();
    let text = |text: &str| Some(text.to_owned());
    let csp_roles = diffuser::Role::ALL.into_iter().filter(|role| role.is_csp_scoped());
    let data = [
        (data_keys::SERIAL_NUMBER, "4711"),
        (data_keys::CART_NAME, cart_name),
        (data_keys::FRAGRANCE, "White Tea"),
        (data_keys::CUSTOMER, "Hotel Aurora"),
        (data_keys::CUSTOMER_ID, "C-9"),
        (data_keys::TIME_ZONE, "Europe/Oslo"),
    ];
    let values = [
        (properties::CURRENT_STATE, 3),
        (properties::CYCLE, 3),
        (properties::INTENSITY, 20),
        (properties::FAN, 2),
        (properties::FRAGRANCE_REMAINING, 64),
        (properties::CURRENT_SCHEDULE_RUNNING, 0),
    ];
    NewDevice {
        dsn: dsn.to_owned(),
        template: diffuser::template::TEMPLATE.name.to_owned(),
        product_name: "Lobby".to_owned(),
        ssid: text("Aurora Guest"),
        lat: Some(59.911_491),
        lng: Some(10.757_933),
        link_key: device_key(dsn).into(),
        registered: true,
        labels: csp
            .map(|csp| {
                csp_roles.map(|role| (role.name().to_owned(), PARTNER_LABEL_KEY.to_owned(), csp.to_owned())).collect()
            })
            .unwrap_or_default(),
        data: data.map(|(key, value)| (key.to_owned(), value.to_owned())).into(),
        tz_id: text("Europe/Oslo"),
        addr: Address { city: text("Oslo"), country: text("Norway"), ..Address::default() },
        values: values.map(|(name, value)| (name.to_owned(), json!(value))).into(),
        created_at,
        ..NewDevice::default()
    }
}
