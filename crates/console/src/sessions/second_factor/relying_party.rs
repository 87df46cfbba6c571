//! The console as browsers know it, for passkeys.

use url::{Host, Url};

const LOCALHOST: &str = "localhost";

/// The domain that passkeys are bound to, and the origin of the console's pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RelyingParty {
    domain: String,
    origin: PageOrigin,
}

/// The origins whose answers are accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PageOrigin {
    /// That of the public address.
    Public(String),
    /// `localhost` with any port, for a console without a public address.
    Localhost,
}

impl RelyingParty {
    /// `None` if browsers allow no passkeys at the public address: it needs a domain, and https except on the own machine.
    pub(crate) fn new(public_url: Option<&Url>) -> Option<Self> {
        let Some(url) = public_url else {
            return Some(Self { domain: LOCALHOST.to_owned(), origin: PageOrigin::Localhost });
        };
        match url.host()? {
            Host::Domain(domain) if url.scheme() == "https" || domain == LOCALHOST => {
                Some(Self { domain: domain.to_owned(), origin: PageOrigin::Public(url.origin().ascii_serialization()) })
            }
            _ => None,
        }
    }

    pub(crate) fn domain(&self) -> &str {
        &self.domain
    }

    pub(super) fn origin(&self) -> &PageOrigin {
        &self.origin
    }
}

impl PageOrigin {
    pub(super) fn is(&self, origin: &str) -> bool {
        match self {
            Self::Public(own) => own == origin,
            Self::Localhost => Url::parse(origin).is_ok_and(|url| {
                url.host() == Some(Host::Domain(LOCALHOST)) && url.origin().ascii_serialization() == origin
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passkeys_need_a_domain_with_https_or_localhost() {
        let rows = [
            ("https://sillage.example", Some("sillage.example")),
            ("https://sillage.example:8443/", Some("sillage.example")),
            ("http://localhost:8080", Some("localhost")),
            ("http://sillage.example", None),
            ("https://192.0.2.1", None),
            ("http://127.0.0.1:8080", None),
            ("https://[2001:db8::1]", None),
        ];
        for (url, domain) in rows {
            let party = RelyingParty::new(Some(&url.parse().unwrap()));
            assert_eq!(party.as_ref().map(RelyingParty::domain), domain, "{url}");
        }
        assert_eq!(RelyingParty::new(None).unwrap().domain(), "localhost");
    }

    #[test]
    fn only_own_pages_have_the_origin() {
        let public = RelyingParty::new(Some(&"https://sillage.example:8443/".parse().unwrap())).unwrap();
        let rows = [
            (&public, "https://sillage.example:8443", true),
            (&public, "https://sillage.example", false),
            (&public, "http://sillage.example:8443", false),
            (&public, "https://a.sillage.example:8443", false),
        ];
        let local = RelyingParty::new(None).unwrap();
        let local_rows = [
            (&local, "http://localhost:8080", true),
            (&local, "http://localhost", true),
            (&local, "https://localhost:8443", true),
            (&local, "http://localhost:8080/path", false),
            (&local, "http://localhost.example:8080", false),
            (&local, "http://user@localhost:8080", false),
            (&local, "http://127.0.0.1:8080", false),
            (&local, "", false),
        ];
        for (party, origin, expected) in rows.into_iter().chain(local_rows) {
            assert_eq!(party.origin().is(origin), expected, "{origin}");
        }
    }
}
