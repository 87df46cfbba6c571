//! Hostile texts in every path, query and body of every call. Each is refused with 4xx on both databases.

use std::collections::BTreeSet;

use cloud::testing::{TestCloud, World, routes};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use platform::on_both_databases;
use platform::testing::TestDb;
use platform::testing::hostile::{long_number, refused_texts};
use reqwest::Method;
use serde_json::{Value, json};

use crate::authorisation::wrong_answers;
use crate::client::{Answer, Fixture};

/// Secrets may be long: only their hashes are compared and stored.
const SECRETS: [&str; 3] = ["password", "password_confirmation", "current_password"];
/// Members that these calls do not read, because their path, the role or another member says the same.
const UNREAD: [(&str, &str, &str); 10] = [
    ("POST", "/users", "/role"),
    ("PUT", "/api/v1/users/associate_role_user", "/label_key"),
    ("PUT", "/api/v1/users/disassociate_role_user", "/label/partner_id"),
    ("PUT", "/api/v1/users/disassociate_user", "/label"),
    ("PUT", "/api/v1/users/assign_role", "/label"),
    ("PUT", "/api/v1/users/revoke_role", "/label"),
    ("PUT", "/api/v1/users/assign_label", "/label_key"),
    ("PUT", "/api/v1/users/revoke_label", "/label/partner_id"),
    ("PUT", "/data/{key}", "/datum/key"),
    ("DELETE", "/apiv1/role_labels/{id}", "/role_label"),
];
/// Documents, which may be longer.
const DOCUMENTS: [&str; 2] = ["/datum/value", "/action/parameters/email_body"];
/// Not Unicode in a JSON text, and numbers that no type can hold.
const UNREADABLE: [&str; 3] = [r#""\ud800""#, "1e400", "-99999999999999999999"];
/// Bytes of a path or query that are not UTF-8: a wrong byte, and a lone surrogate.
const NOT_UTF_8: [&str; 2] = ["%ff", "%ED%A0%80"];

/// Calls that read nothing from a body, beside those with GET and DELETE.
const WITHOUT_MEMBERS: [(&str, &str); 3] = [
    ("PUT", "/apiv1/devices/{key}/cmds/factory_reset"),
    ("PUT", "/apiv1/schedules/{id}/clear"),
    ("PUT", "/files/{id}"),
];

/// Other hostile texts are shorter.
const LONG: usize = 1000;

/// What hostile texts led to.
#[derive(Default)]
pub(crate) struct Findings {
    /// Calls with a hostile text that was not refused.
    pub(crate) accepted: Vec<String>,
    /// The calls that were made, and those with a body that has a value.
    called: BTreeSet<(String, &'static str)>,
    with_members: BTreeSet<(String, &'static str)>,
}

impl Findings {
    pub(crate) fn record(&mut self, method: &Method, path: &str, body: Option<&Value>) {
        let call = (method.to_string(), route(method, path.split('?').next().unwrap()));
        let mut pointers = Vec::new();
        body.into_iter().for_each(|body| find_values(body, String::new(), &mut pointers));
        if !pointers.is_empty() {
            self.with_members.insert(call.clone());
        }
        self.called.insert(call);
    }
}

/// A call with a hostile text.
pub(crate) struct Copy {
    pub(crate) what: String,
    pub(crate) path: String,
    pub(crate) body: Option<String>,
}

/// Why an answer to a hostile text is wrong. Refusals for another reason than the text prove nothing.
pub(crate) fn wrong(answer: &Answer) -> Option<String> {
    let Answer { status, body } = answer;
    // Each entry of a batch has its own status.
    let entry = body[0]["status"].as_u64();
    let is_refused = |status| (400..500).contains(&status) && ![401, 403, 429].contains(&status);
    (!is_refused(entry.unwrap_or(u64::from(*status)))).then(|| format!("{status} {:.200}", body.to_string()))
}

/// The call with a hostile text in the place of each of its texts.
pub(crate) fn copies(method: &Method, path: &str, body: Option<&Value>) -> Vec<Copy> {
    let text = body.map(Value::to_string);
    let (plain, query) = path.split_once('?').map_or((path, ""), |(plain, query)| (plain, query));
    let encoded: Vec<String> = refused_texts()
        .iter()
        .map(|text| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string())
        .chain(NOT_UTF_8.map(str::to_owned))
        .collect();
    let mut copies = Vec::new();
    let route = route(method, plain);
    for (number, _) in route.split('/').enumerate().filter(|(_, segment)| segment.starts_with('{')) {
        for hostile in &encoded {
            let mut segments: Vec<&str> = plain.split('/').collect();
            segments[number] = hostile;
            let what = format!("{plain} with {hostile:.20} as segment {number}");
            copies.push(Copy { what, path: format!("{}?{query}", segments.join("/")), body: text.clone() });
        }
    }
    let pairs: Vec<(&str, &str)> = query.split('&').filter_map(|pair| pair.split_once('=')).collect();
    for (number, (name, _)) in pairs.iter().enumerate() {
        for hostile in &encoded {
            let mut pairs = pairs.clone();
            pairs[number].1 = hostile;
            let query: Vec<String> = pairs.iter().map(|(name, value)| format!("{name}={value}")).collect();
            let what = format!("{plain} with {hostile:.20} as {name}");
            copies.push(Copy { what, path: format!("{plain}?{}", query.join("&")), body: text.clone() });
        }
    }
    // A parameter that the call does not know may be long.
    for hostile in encoded.iter().filter(|hostile| hostile.len() < LONG) {
        let what = format!("{plain} with {hostile:.20} as another parameter");
        copies.push(Copy { what, path: format!("{plain}?{query}&other={hostile}"), body: text.clone() });
    }
    let Some(body) = body else { return copies };
    let mut pointers = Vec::new();
    find_values(body, String::new(), &mut pointers);
    let is_read = |pointer: &str| {
        let is_unread = |(verb, path, member): &(&str, &str, &str)| {
            method == verb && route.ends_with(path) && pointer.starts_with(member)
        };
        !UNREAD.iter().any(is_unread)
    };
    for pointer in pointers.into_iter().filter(|pointer| is_read(pointer)) {
        let is_document = DOCUMENTS.contains(&pointer.as_str());
        let texts = refused_texts().into_iter().filter(|text| !is_document || *text != long_number());
        let texts = texts.map(|text| json!(text).to_string());
        for hostile in texts.chain(UNREADABLE.map(str::to_owned)) {
            const HERE: &str = "HERE";
            let mut body = body.clone();
            *body.pointer_mut(&pointer).unwrap() = json!(HERE);
            let what = format!("{plain} with {hostile:.20} as {pointer}");
            let body = body.to_string().replacen(&json!(HERE).to_string(), &hostile, 1);
            copies.push(Copy { what, path: path.to_owned(), body: Some(body) });
        }
    }
    copies
}

/// The path of a call in the list of calls.
fn route(method: &Method, path: &str) -> &'static str {
    let segments: Vec<&str> = path.split('/').collect();
    let matches = |route: &str| {
        let pairs = route.split('/').zip(&segments);
        route.split('/').count() == segments.len()
            && pairs.clone().all(|(one, other)| one.starts_with('{') || one == *other)
    };
    let calls = routes().into_iter().filter(|route| method == route.method && matches(route.path));
    let call = calls.min_by_key(|route| route.path.matches('{').count());
    call.unwrap_or_else(|| panic!("no call is {method} {path}")).path
}

/// The JSON pointers of all texts, numbers and flags that are not secrets.
fn find_values(value: &Value, pointer: String, pointers: &mut Vec<String>) {
    match value {
        Value::String(_) | Value::Number(_) | Value::Bool(_) => pointers.push(pointer),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(n, item)| find_values(item, format!("{pointer}/{n}"), pointers));
        }
        Value::Object(members) => members
            .iter()
            .filter(|(name, _)| !SECRETS.contains(&&***name))
            .for_each(|(name, member)| find_values(member, format!("{pointer}/{name}"), pointers)),
        Value::Null => {}
    }
}

async fn hostile_texts_are_refused_by_every_call(db: &TestDb) {
    let url = db.url.clone();
    let fixture = Fixture::on(TestCloud::start_with(|config| config.database_url = url).await).await.hostile();
    let wrong = wrong_answers(&fixture, &[("OEM::Admin", Some(World::ADMIN))]).await;
    let Findings { accepted, called, with_members } = fixture.findings();
    assert!(accepted.is_empty() && wrong.is_empty(), "{}\n{}", accepted.join("\n"), wrong.join("\n"));
    let all: BTreeSet<_> = routes().into_iter().map(|route| (route.method.to_owned(), route.path)).collect();
    assert_eq!(called, all);
    let without: Vec<_> =
        all.difference(&with_members).filter(|(method, _)| method != "GET" && method != "DELETE").collect();
    assert_eq!(without, WITHOUT_MEMBERS.map(|(method, path)| (method.to_owned(), path)).iter().collect::<Vec<_>>());
}

on_both_databases!(hostile_texts_are_refused_by_every_call);
