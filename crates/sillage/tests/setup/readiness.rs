//! `/readyz` of both servers while their bus is down.

use platform::testing::NatsServer;
use serde_json::{Value, json};
use tokio::time::{Duration, sleep, timeout};

use crate::console::{Access, Console};
use crate::metrics::{metrics, value};
use crate::process::{Process, field};
use crate::support::{Demo, page};
use crate::{ANY, sqlite};

/// Longer than a loss or a return of the bus takes to be noticed.
const NOTICED: Duration = Duration::from_secs(30);

/// Polls until a server answers with this status and this state of its bus.
async fn until_ready(server: &str, query: &str, expected: (u16, bool)) {
    let answers = async {
        loop {
            let (status, body) = page(&format!("{server}/readyz{query}")).await;
            let checks: Value = body.parse().unwrap();
            if (status, &checks["bus"]) == (expected.0, &json!(expected.1)) {
                return checks;
            }
            sleep(Duration::from_millis(50)).await;
        }
    };
    let checks = timeout(NOTICED, answers).await.unwrap_or_else(|_| panic!("{server}{query}: not {expected:?}"));
    let others = checks.as_object().unwrap().iter().filter(|(check, _)| *check != "bus");
    assert!(others.into_iter().all(|(_, passed)| passed == true), "{checks}");
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_without_their_bus_are_not_ready_unless_it_is_excluded() {
    let folder = tempfile::tempdir().unwrap();
    let demo = Demo::start(folder.path(), &[]);
    let mut nats = NatsServer::start();
    let (bus, database) = (nats.url(), sqlite(folder.path(), "node.db"));
    let arguments = ["cloud", "--bus", &bus, "--database", &database, "--listen", ANY, "--mqtt-listen", ANY];
    let cloud = Process::start(&[&arguments[..], &["--metrics-listen", ANY]].concat(), &[]);
    let cloud_ready = cloud.line(&["the cloud is ready"]);
    let console_database = sqlite(folder.path(), "another.db");
    let demo_cloud = demo.ready()["cloud"].as_str().unwrap();
    let access = Access::of_demo(folder.path());
    let console =
        Console::start_with(&console_database, demo_cloud, &access, folder.path(), "console", &["--bus", &bus]);
    let servers = [field(&cloud_ready, "cloud"), console.url()];
    for server in servers {
        until_ready(server, "", (200, true)).await;
    }
    nats.stop();
    for server in servers {
        until_ready(server, "", (503, false)).await;
        until_ready(server, "?exclude=bus", (200, false)).await;
        assert_eq!(page(&format!("{server}/healthz")).await.0, 200);
    }
    let shown = metrics(&cloud_ready).await;
    assert_eq!(value(&shown, r#"sillage_check_passed{check="bus"}"#), "0");
    assert_eq!(value(&shown, "sillage_bus_losses_total"), "1");
    nats.restart();
    for server in servers {
        until_ready(server, "", (200, true)).await;
    }
}
