//! Parses the public address of a server from a command line option.

use url::Url;

/// Parses an http or https origin. Rejects a path or a query.
pub(super) fn public_url(text: &str) -> Result<String, &'static str> {
    let is_origin = |url: &Url| ["http", "https"].contains(&url.scheme()) && url.path() == "/" && url.query().is_none();
    let url = Url::parse(text).ok().filter(is_origin).ok_or("not an address such as https://cloud.example.com")?;
    Ok(url.origin().ascii_serialization())
}
