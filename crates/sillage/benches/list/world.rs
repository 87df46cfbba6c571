//! A cloud with users, and a console whose index is already filled.

use cloud::RoleKind;
use cloud::operator::{NewUser, Role};
use console::{CloudConfig, Console, ConsoleConfig};
use diffuser::PARTNER_LABEL_KEY;
use platform::db::params;
use platform::run::clock::Clock;
use platform::run::random::Random;
use platform::testing::TestDb;
use reqwest::header::{COOKIE, ORIGIN, SET_COOKIE};
use secrecy::SecretString;
use serde_json::{Value, json};

use crate::fleet::{LARGE_CSP, SMALL_CSP};
use crate::node::{self, Node};

const APP: &str = "bench";
const SECRET: &str = "Correct-Horse-1";
const SERVICE: &str = "service@example.com";

/// The readers of lists: a display name, and the partner whose devices they can see.
pub(crate) const READERS: [(&str, Option<&str>); 3] =
    [("OEM::Admin", None), ("CspAdmin of a fifth", Some(LARGE_CSP)), ("CspAdmin of a small partner", Some(SMALL_CSP))];

/// The cloud, only used for signing in.
pub(crate) struct Cloud {
    node: Node,
    _database: TestDb,
    _folder: tempfile::TempDir,
}

impl Cloud {
    pub(crate) async fn start() -> Self {
        let (database, folder) = (TestDb::sqlite().await, tempfile::tempdir().unwrap());
        let (operator, oem) = node::seed(&database, 0, 0).await;
        operator.ensure_application(&oem, APP, APP, &SECRET.into()).await.unwrap();
        let admin = Role { name: diffuser::Role::Admin.name().into(), kind: RoleKind::OemAdmin, label_key: None };
        let csp_admin = Role {
            name: diffuser::Role::CspAdmin.name().into(),
            kind: RoleKind::PartnerAdmin,
            label_key: Some(PARTNER_LABEL_KEY.into()),
        };
        for role in [&admin, &csp_admin] {
            operator.ensure_role(&oem, role).await.unwrap();
        }
        for (reader, (_, csp)) in READERS.into_iter().enumerate() {
            let user = NewUser {
                email: email(reader),
                password: SecretString::from(SECRET),
                role: Some(if csp.is_some() { &csp_admin } else { &admin }.name.clone()),
                label: csp.map(str::to_owned),
                confirmed: true,
                ..NewUser::default()
            };
            operator.ensure_user(&oem, &user).await.unwrap();
        }
        let service = NewUser {
            email: SERVICE.to_owned(),
            password: SecretString::from(SECRET),
            role: Some(admin.name.clone()),
            machine_of: Some(APP.to_owned()),
            confirmed: true,
            ..NewUser::default()
        };
        operator.ensure_user(&oem, &service).await.unwrap();
        let node = Node::start(&database.url, folder.path()).await;
        Self { node, _database: database, _folder: folder }
    }

    /// Starts a console on this database. Another holder of the lease prevents passes, which would delete the generated devices
    /// from the index.
    pub(crate) async fn console(&self, database: &TestDb) -> Console {
        let lease = "insert into leases (name, holder, until) values ('index', 'bench', $1)";
        database.execute(lease, params![i64::MAX]).await.unwrap();
        let cloud = CloudConfig::local(&self.node.url, APP, SECRET).unwrap();
        let config = ConsoleConfig::new(&*database.url, cloud, SERVICE, SECRET, [7; 32]);
        Console::start(config, Clock::system(), Random::system()).await.unwrap()
    }
}

fn email(reader: usize) -> String {
    format!("reader{reader}@example.com")
}

/// A signed-in user.
#[derive(Clone)]
pub(crate) struct Reader {
    http: reqwest::Client,
    console: String,
    cookie: String,
}

impl Reader {
    pub(crate) async fn sign_in(console: &Console, reader: usize) -> Self {
        // Another reader may have installed it.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let (http, console) = (reqwest::Client::new(), format!("http://{}", console.addr()));
        let body = json!({ "email": email(reader), "password": SECRET });
        let request = http.post(format!("{console}/api/session")).header(ORIGIN, &console).json(&body);
        let answer = request.send().await.unwrap().error_for_status().unwrap();
        let cookie = answer.headers()[SET_COOKIE].to_str().unwrap().split(';').next().unwrap().to_owned();
        Self { http, console, cookie }
    }

    /// Reads a complete response body.
    pub(crate) async fn get(&self, path: &str) -> bytes::Bytes {
        let request = self.http.get(format!("{}{path}", self.console)).header(COOKIE, &self.cookie);
        request.send().await.unwrap().error_for_status().unwrap().bytes().await.unwrap()
    }

    /// The total of a list.
    pub(crate) async fn total(&self, query: &str) -> u64 {
        let list: Value = serde_json::from_slice(&self.get(&format!("/api/devices?{query}")).await).unwrap();
        list["total"].as_u64().unwrap()
    }
}
