//! The alarms of `ops/prometheus/rules.yml` against the metrics of servers that have just started.

use std::collections::BTreeSet;

use regex::Regex;

use crate::console::{Access, Secrets};
use crate::metrics::metrics;
use crate::process::{Process, field};
use crate::support::Demo;
use crate::{ANY, sqlite};

const RULES: &str = include_str!("../../../../ops/prometheus/rules.yml");
/// Counters of alarms that each server has for itself.
const OF_BOTH: [&str; 3] =
    ["sillage_http_responses_total", "sillage_http_connections_refused_total", "sillage_bus_losses_total"];
/// Series that an alarm tells apart without naming them.
const BY_CHANNEL: [&str; 2] = [
    r#"sillage_deliveries_total{channel="email",outcome="given_up"} 0"#,
    r#"sillage_deliveries_total{channel="sms",outcome="given_up"} 0"#,
];

/// Kinds of faults of devices, which a dashboard compares.
const FAULT_KINDS: [&str; 7] =
    ["unknown_property", "wrong_type", "out_of_range", "malformed", "too_long", "repeated", "unreadable"];

/// The counters that alarms use: each name with the labels that the alarm requires.
fn counters() -> BTreeSet<(&'static str, Vec<&'static str>)> {
    let counter = Regex::new(r"(sillage_\w+_total)(?:\{([^}]*)\})?").unwrap();
    let labels = |labels: &'static str| labels.split(',').map(str::trim).collect();
    let found = counter.captures_iter(RULES);
    found.map(|it| (it.get(1).unwrap().as_str(), it.get(2).map_or(Vec::new(), |it| labels(it.as_str())))).collect()
}

/// The values of a counter with these labels.
fn values<'a>(shown: &'a str, name: &str, labels: &[&str]) -> Vec<&'a str> {
    let series = shown.lines().filter_map(|line| line.strip_prefix(name)?.rsplit_once(' '));
    let wanted = series.filter(|(of, _)| of.is_empty() || of.starts_with('{'));
    wanted.filter(|(of, _)| labels.iter().all(|label| of.contains(label))).map(|(_, value)| value).collect()
}

#[tokio::test]
async fn counters_of_alarms_are_zero_on_fresh_servers() {
    let folder = tempfile::tempdir().unwrap();
    assert!(Demo::start(folder.path(), &[]).stop().success());
    let database = sqlite(folder.path(), "cloud.db");
    let cloud = ["cloud", "--database", &database, "--listen", ANY, "--mqtt-listen", ANY, "--metrics-listen", ANY];
    let cloud = Process::start(&cloud, &[]);
    let ready = cloud.line(&["the cloud is ready"]);
    // Before the console calls it.
    let of_cloud = metrics(&ready).await;

    let access = Access::of_demo(folder.path());
    let secrets = Secrets::write(folder.path(), &access.app_secret, &access.password, &access.token_key);
    let secrets: Vec<String> = secrets.arguments().flatten().collect();
    let database = sqlite(folder.path(), "console.db");
    let mut console = vec!["console", "--database", &database, "--listen", ANY, "--metrics-listen", ANY];
    console.extend(["--cloud", field(&ready, "cloud"), "--app-id", &access.app_id, "--service-email", &access.email]);
    console.extend(secrets.iter().map(String::as_str));
    let console = Process::start(&console, &[]);
    let of_console = metrics(&console.line(&["the console is listening"])).await;

    let counters = counters();
    assert!(counters.len() > 5, "{counters:?}");
    for counter in &counters {
        let found = [&of_cloud, &of_console].map(|shown| values(shown, counter.0, &counter.1));
        let servers = if OF_BOTH.contains(&counter.0) { 2 } else { 1 };
        assert!(found.iter().filter(|values| !values.is_empty()).count() >= servers, "{counter:?} is missing");
        assert!(found.iter().flatten().all(|value| *value == "0"), "{counter:?}: {found:?}");
    }
    for series in BY_CHANNEL {
        assert!(of_cloud.lines().any(|line| line == series), "{series}");
    }
    for kind in FAULT_KINDS {
        let series = format!("sillage_report_faults_total{{kind=\"{kind}\"}} 0");
        assert!(of_cloud.lines().any(|line| line == series), "{series}");
    }
}
