//! Where a bus is.

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use url::Url;

/// The form of a bus and its server. `Debug` shows no secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BusAddress {
    /// `memory`: within this process.
    InProcess,
    /// `postgres`: the database of the nodes, which must be PostgreSQL.
    Postgres,
    /// `nats://…` or `tls://…`: NATS servers.
    Nats(NatsAddress),
}

/// NATS servers of one cluster, and what a client needs to sign in. `Debug` shows no secret.
#[derive(Clone, PartialEq, Eq)]
pub struct NatsAddress {
    /// Without credentials.
    pub(super) servers: Vec<Url>,
    pub(super) credentials: Option<Credentials>,
    /// PEM.
    pub(super) ca_file: Option<PathBuf>,
}

#[derive(Clone, PartialEq, Eq)]
pub(super) enum Credentials {
    Token(String),
    User {
        name: String,
        password: String,
    },
    /// The content of a `.creds` file.
    Jwt(String),
}

/// An address that is refused. No text contains the address, which may contain a password.
#[derive(Debug, thiserror::Error)]
pub enum AddressError {
    /// Not one of the three forms.
    #[error(
        "a bus is `memory`, `postgres`, or `nats://HOST:PORT` (`tls://HOST:PORT`), several servers separated by commas"
    )]
    Form,
    /// The servers of the list have different credentials.
    #[error("the servers of a bus must have the same credentials")]
    Credentials,
    /// Only NATS has credentials and certificates.
    #[error("only a bus on NATS has a file of credentials or certificates")]
    NotNats,
    /// A file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    File {
        /// The path of the file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The file of credentials is empty, or a `.creds` file without a usable key.
    #[error("{} must hold NATS credentials: a .creds file, USER:PASSWORD or a token", path.display())]
    CredentialsFile {
        /// The path of the file.
        path: PathBuf,
    },
    /// The file of certificates has none.
    #[error("{} must hold certificates in PEM", path.display())]
    CaFile {
        /// The path of the file.
        path: PathBuf,
    },
}

impl BusAddress {
    /// The default of a node with this database URL: the database itself if it is PostgreSQL, otherwise within the process.
    #[must_use]
    pub fn of_database(url: &str) -> Self {
        match url.split_once(':') {
            Some(("postgres" | "postgresql", _)) => Self::Postgres,
            _ => Self::InProcess,
        }
    }

    /// Adds the credentials of a file: a `.creds` file of NATS, or one line with `USER:PASSWORD` or a token.
    ///
    /// # Errors
    /// If the bus is not NATS, or the file cannot be read or holds no credentials.
    pub fn with_credentials_file(self, path: &Path) -> Result<Self, AddressError> {
        let Self::Nats(address) = self else { return Err(AddressError::NotNats) };
        let text =
            std::fs::read_to_string(path).map_err(|source| AddressError::File { path: path.to_owned(), source })?;
        let credentials =
            Credentials::read(text.trim()).ok_or_else(|| AddressError::CredentialsFile { path: path.to_owned() })?;
        Ok(Self::Nats(NatsAddress { credentials: Some(credentials), ..address }))
    }

    /// Trusts the certificate authorities of a PEM file instead of those of the system.
    ///
    /// # Errors
    /// If the bus is not NATS, or the file cannot be read or holds no certificate.
    pub fn with_ca_file(self, path: &Path) -> Result<Self, AddressError> {
        let Self::Nats(address) = self else { return Err(AddressError::NotNats) };
        let text =
            std::fs::read_to_string(path).map_err(|source| AddressError::File { path: path.to_owned(), source })?;
        if !text.contains("-----BEGIN CERTIFICATE-----") {
            return Err(AddressError::CaFile { path: path.to_owned() });
        }
        Ok(Self::Nats(NatsAddress { ca_file: Some(path.to_owned()), ..address }))
    }
}

impl FromStr for BusAddress {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        match text {
            "memory" => Ok(Self::InProcess),
            "postgres" => Ok(Self::Postgres),
            _ => NatsAddress::parse(text).map(Self::Nats),
        }
    }
}

impl NatsAddress {
    fn parse(text: &str) -> Result<Self, AddressError> {
        let mut scheme = None;
        let (mut servers, mut credentials) = (Vec::new(), None);
        for part in text.split(',') {
            // Later servers may omit the scheme.
            let url = match (part.contains("://"), scheme) {
                (true, _) => Url::parse(part),
                (false, Some(scheme)) => Url::parse(&format!("{scheme}://{part}")),
                (false, None) => return Err(AddressError::Form),
            };
            let mut url = url.map_err(|_| AddressError::Form)?;
            scheme = Some(match url.scheme() {
                "nats" => "nats",
                "tls" => "tls",
                _ => return Err(AddressError::Form),
            });
            let is_plain = matches!(url.path(), "" | "/") && url.query().is_none() && url.fragment().is_none();
            if url.host_str().is_none_or(str::is_empty) || !is_plain {
                return Err(AddressError::Form);
            }
            let of_url = Credentials::of_url(&url)?;
            if of_url.is_some() && credentials.is_some() && of_url != credentials {
                return Err(AddressError::Credentials);
            }
            credentials = credentials.or(of_url);
            url.set_username("").and_then(|()| url.set_password(None)).map_err(|()| AddressError::Form)?;
            servers.push(url);
        }
        Ok(Self { servers, credentials, ca_file: None })
    }
}

impl Credentials {
    /// The user and password, or the token in the place of the user.
    fn of_url(url: &Url) -> Result<Option<Self>, AddressError> {
        let decode = |text: &str| {
            let decoded = percent_encoding::percent_decode_str(text).decode_utf8();
            decoded.map(Cow::into_owned).map_err(|_| AddressError::Form)
        };
        Ok(match (decode(url.username())?, url.password()) {
            (name, Some(password)) => Some(Self::User { name, password: decode(password)? }),
            (token, None) if !token.is_empty() => Some(Self::Token(token)),
            _ => None,
        })
    }

    fn read(text: &str) -> Option<Self> {
        if text.contains("-----BEGIN NATS USER JWT-----") {
            async_nats::ConnectOptions::with_credentials(text).ok()?;
            return Some(Self::Jwt(text.to_owned()));
        }
        if text.is_empty() || text.lines().count() > 1 {
            return None;
        }
        Some(match text.split_once(':') {
            Some((name, password)) => Self::User { name: name.to_owned(), password: password.to_owned() },
            None => Self::Token(text.to_owned()),
        })
    }
}

impl fmt::Debug for NatsAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let servers: Vec<&str> = self.servers.iter().map(Url::as_str).collect();
        f.debug_struct("NatsAddress").field("servers", &servers).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nats(text: &str) -> NatsAddress {
        match text.parse().unwrap() {
            BusAddress::Nats(address) => address,
            other => panic!("{other:?}"),
        }
    }

    fn servers(text: &str) -> Vec<String> {
        nats(text).servers.iter().map(Url::to_string).collect()
    }

    #[test]
    fn default_is_the_database_if_it_is_postgres() {
        assert_eq!(BusAddress::of_database("postgres://host/name"), BusAddress::Postgres);
        assert_eq!(BusAddress::of_database("postgresql://host/name"), BusAddress::Postgres);
        assert_eq!(BusAddress::of_database("sqlite:postgres"), BusAddress::InProcess);
    }

    #[test]
    fn words_and_server_lists_are_parsed() {
        assert_eq!("memory".parse::<BusAddress>().unwrap(), BusAddress::InProcess);
        assert_eq!("postgres".parse::<BusAddress>().unwrap(), BusAddress::Postgres);
        assert_eq!(servers("nats://a:4222"), ["nats://a:4222"]);
        assert_eq!(servers("tls://a,b:5000,tls://[::1]:6000"), ["tls://a", "tls://b:5000", "tls://[::1]:6000"]);
    }

    #[test]
    fn credentials_are_taken_out_of_the_url_and_decoded() {
        let user = Credentials::User { name: "ann".into(), password: "p@ss".into() };
        assert!(nats("nats://ann:p%40ss@a,b").credentials == Some(user));
        assert!(nats("nats://t0ken@a").credentials == Some(Credentials::Token("t0ken".into())));
        assert!(nats("nats://a").credentials.is_none());
        assert_eq!(servers("nats://ann:p%40ss@a,ann:p%40ss@b"), ["nats://a", "nats://b"]);
    }

    #[test]
    fn other_addresses_are_refused_without_repeating_them() {
        for text in [
            "",
            "redis://secret",
            "postgres://secret",
            "nats://",
            "nats:secret",
            "secret:4222",
            "nats://a/secret",
            "nats://a?secret",
            "nats://a,",
            "nats://a,http://secret",
            "nats://%ff:secret@a",
            "nats://ann:x@a,ann:secret@b",
        ] {
            let error = text.parse::<BusAddress>().unwrap_err().to_string();
            assert!(!error.contains("secret"), "{error}");
        }
    }

    #[test]
    fn debug_shows_no_secret() {
        let shown = format!("{:?}", "nats://ann:secret@a".parse::<BusAddress>().unwrap());
        assert!(shown.contains("nats://a") && !shown.contains("secret") && !shown.contains("ann"), "{shown}");
    }

    #[test]
    fn credentials_file_holds_a_user_a_token_or_a_creds_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        let read = |content: &str| {
            std::fs::write(&path, content).unwrap();
            let address: BusAddress = "nats://old@a".parse().unwrap();
            address.with_credentials_file(&path).map(|address| match address {
                BusAddress::Nats(address) => address.credentials.unwrap(),
                other => panic!("{other:?}"),
            })
        };
        let user = Credentials::User { name: "ann".into(), password: "a:b".into() };
        assert!(read("ann:a:b\n").unwrap() == user);
        assert!(read("t0ken\n").unwrap() == Credentials::Token("t0ken".into()));
        for content in ["", "\n", "two\nlines", "-----BEGIN NATS USER JWT-----\nsecret"] {
            let error = read(content).map(drop).unwrap_err();
            assert!(matches!(error, AddressError::CredentialsFile { .. }), "{error}");
        }
        let missing = folder.path().join("missing");
        let nats: BusAddress = "nats://a".parse().unwrap();
        assert!(matches!(nats.clone().with_credentials_file(&missing), Err(AddressError::File { .. })));
        assert!(matches!(nats.clone().with_ca_file(&missing), Err(AddressError::File { .. })));
        assert!(matches!(nats.with_ca_file(&path), Err(AddressError::CaFile { .. })));
        assert!(matches!(BusAddress::Postgres.with_credentials_file(&path), Err(AddressError::NotNats)));
        assert!(matches!(BusAddress::InProcess.with_ca_file(&path), Err(AddressError::NotNats)));
    }
}
