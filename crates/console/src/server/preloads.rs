//! The `Link` header of a page. It lists the files and data that the page needs, so that the browser requests them in parallel.

use std::collections::HashMap;

use axum::http::{HeaderMap, HeaderValue, Uri};
use serde::Deserialize;

use crate::http::error::ApiResult;
use crate::preferences;
use crate::sessions::session::Session;
use crate::state::CoreState;

const DEVICES: &str = "/devices";
const SIGN_IN: &str = "/signin";
/// The default page size of the device list (A-05).
const ROWS: u64 = 5;

/// The content of `preloads.json`, which the web's build writes.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Preloads<'a> {
    /// The files that every page needs.
    #[serde(borrow)]
    entry: Vec<&'a str>,
    public: Routes<'a>,
    signed_in: Routes<'a>,
}

/// Further files by route, in the syntax of the web's router: `/devices/$dsn`.
type Routes<'a> = HashMap<&'a str, Vec<&'a str>>;

/// The `Link` header for the page at this address. `None` if there are no preloads, or if the session cannot be read: the page
/// works without them and shows the error itself.
pub(crate) async fn header(state: &CoreState, uri: &Uri, headers: &HeaderMap, build: &[u8]) -> Option<HeaderValue> {
    let preloads: Preloads<'_> = serde_json::from_slice(build).ok()?;
    let session = match state.cookie.read(headers) {
        Some(id) => state.sessions.find(&id).await.ok()?,
        None => None,
    };
    let path = shown(uri.path(), session.is_some());
    let data = match &session {
        Some(session) if path == DEVICES && uri.query().is_none() => list(state, session).await.ok()?,
        _ => Vec::new(),
    };
    HeaderValue::from_str(&preloads.links(path, session.is_some(), &data)?).ok()
}

/// The page to which the web's router redirects `/`.
fn shown(path: &str, is_signed_in: bool) -> &str {
    match (path, is_signed_in) {
        ("/", true) => DEVICES,
        ("/", false) => SIGN_IN,
        _ => path,
    }
}

/// The requests with which the web first shows the device list. `e2e/tests/first-load.spec.ts` checks that they match.
async fn list(state: &CoreState, session: &Session) -> ApiResult<Vec<String>> {
    let preferences = preferences::preferences(&state.base.db, session.user.id).await?;
    let rows = preferences.lists.devices_page_size().unwrap_or(ROWS);
    Ok(vec![
        format!("/api/devices?page=1&pageSize={rows}&order=desc&orderBy=created_at"),
        "/api/devices/counts".to_owned(),
    ])
}

impl Preloads<'_> {
    /// In the order of the requests. `None` for an address without a route.
    fn links(&self, path: &str, is_signed_in: bool, data: &[String]) -> Option<String> {
        let files = match find(&self.signed_in, path) {
            Some(files) if is_signed_in => files,
            // The web redirects to this page without a session.
            Some(_) => find(&self.public, SIGN_IN)?,
            None => find(&self.public, path)?,
        };
        let entry = self.entry.iter().map(|file| link_file(file));
        let data = ["/api/session"].into_iter().chain(data.iter().map(String::as_str));
        let data = data.map(|address| format!("<{address}>; rel=preload; as=fetch; crossorigin"));
        let page = files.iter().map(|file| link_file(file));
        Some(entry.chain(data).chain(page).collect::<Vec<_>>().join(", "))
    }
}

fn find<'a, 'r>(routes: &'r Routes<'a>, path: &str) -> Option<&'r Vec<&'a str>> {
    routes.get(path).or_else(|| routes.iter().find_map(|(route, files)| matches(route, path).then_some(files)))
}

fn matches(route: &str, path: &str) -> bool {
    let (mut names, mut parts) = (route.split('/'), path.split('/'));
    loop {
        match (names.next(), parts.next()) {
            (None, None) => return true,
            (Some(name), Some(part)) if name == part || (name.starts_with('$') && !part.is_empty()) => {}
            _ => return false,
        }
    }
}

fn link_file(file: &str) -> String {
    let relation = match file.rsplit('.').next() {
        Some("js") => "modulepreload",
        Some("css") => "preload; as=style; crossorigin",
        _ => "preload; as=font; crossorigin",
    };
    format!("</{file}>; rel={relation}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUILD: &[u8] = br#"{
        "entry": ["assets/app.js", "assets/app.css"],
        "public": {"/signin": ["assets/signin.js"]},
        "signed-in": {
            "/devices": ["assets/list.js", "assets/list.css", "assets/text.woff2"],
            "/devices/add": ["assets/add.js"],
            "/devices/$dsn": ["assets/device.js"]
        }
    }"#;

    fn files(path: &str, is_signed_in: bool) -> Option<Vec<String>> {
        let preloads: Preloads<'_> = serde_json::from_slice(BUILD).unwrap();
        let links = preloads.links(shown(path, is_signed_in), is_signed_in, &[])?;
        let address = |link: &str| link.trim_start_matches('<').split('>').next().unwrap().to_owned();
        Some(links.split(", ").map(address).filter(|address| address.starts_with("/assets")).skip(2).collect())
    }

    #[test]
    fn link_header_lists_entry_data_and_page_in_order() {
        let preloads: Preloads<'_> = serde_json::from_slice(BUILD).unwrap();
        assert_eq!(
            preloads.links("/devices", true, &["/api/devices?page=1".to_owned()]).unwrap(),
            "</assets/app.js>; rel=modulepreload, \
             </assets/app.css>; rel=preload; as=style; crossorigin, \
             </api/session>; rel=preload; as=fetch; crossorigin, \
             </api/devices?page=1>; rel=preload; as=fetch; crossorigin, \
             </assets/list.js>; rel=modulepreload, \
             </assets/list.css>; rel=preload; as=style; crossorigin, \
             </assets/text.woff2>; rel=preload; as=font; crossorigin"
        );
    }

    #[test]
    fn preloads_are_those_of_the_route_after_redirects() {
        let list = &["/assets/list.js", "/assets/list.css", "/assets/text.woff2"][..];
        let rows: [(&str, bool, Option<&[&str]>); 12] = [
            ("/devices", true, Some(list)),
            ("/", true, Some(list)),
            ("/devices/add", true, Some(&["/assets/add.js"])),
            ("/devices/SC-1", true, Some(&["/assets/device.js"])),
            ("/devices/SC-1", false, Some(&["/assets/signin.js"])),
            ("/", false, Some(&["/assets/signin.js"])),
            ("/signin", false, Some(&["/assets/signin.js"])),
            ("/signin", true, Some(&["/assets/signin.js"])),
            ("/devices/", true, None),
            ("/devices/SC-1/more", true, None),
            ("/nothing", true, None),
            ("", false, None),
        ];
        for (path, is_signed_in, expected) in rows {
            let expected = expected.map(|files| files.iter().map(ToString::to_string).collect());
            assert_eq!(files(path, is_signed_in), expected, "{path:?}, {is_signed_in}");
        }
    }
}
