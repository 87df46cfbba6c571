//! An authenticator in software, with one passkey (ES256, no attestation).

use data_encoding::BASE64URL_NOPAD as BASE64;
use p256::ecdsa::signature::Signer;
use p256::ecdsa::{Signature, SigningKey};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// The person is present and verified.
const VERIFIED: u8 = 0b0000_0101;
/// The data contains a new passkey.
const ATTESTED: u8 = 0b0100_0000;

#[derive(Clone)]
pub(crate) struct SoftwarePasskey {
    id: [u8; 16],
    key: SigningKey,
    /// How often it was used.
    counter: u32,
    /// The origin of the page that uses it.
    origin: String,
    /// Whether it verifies the person, for example by a fingerprint.
    verifies: bool,
}

impl SoftwarePasskey {
    pub(crate) fn new(seed: u8) -> Self {
        Self {
            id: [seed; 16],
            key: SigningKey::from_slice(&[seed; 32]).unwrap(),
            counter: 0,
            origin: "http://localhost:8080".to_owned(),
            verifies: true,
        }
    }

    /// The same passkey on a page of another origin.
    pub(crate) fn at(&self, origin: &str) -> Self {
        Self { origin: origin.to_owned(), ..self.clone() }
    }

    /// The same passkey, which does not verify the person.
    pub(crate) fn unverified(&self) -> Self {
        Self { verifies: false, ..self.clone() }
    }

    /// What the browser returns for the options of a registration.
    pub(crate) fn register(&self, options: &Value) -> Value {
        let client = self.client_data("webauthn.create", options);
        let data = self.new_authenticator_data(options["rp"]["id"].as_str().unwrap());
        let mut attestation = b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58".to_vec();
        attestation.push(u8::try_from(data.len()).unwrap());
        attestation.extend(&data);
        self.credential(&json!({
            "clientDataJSON": BASE64.encode(client.as_bytes()),
            "attestationObject": BASE64.encode(&attestation),
            "authenticatorData": BASE64.encode(&data),
            "transports": ["internal"],
            "publicKeyAlgorithm": -7,
        }))
    }

    /// What the browser returns for the options of an assertion. Counts a use.
    pub(crate) fn assert(&mut self, options: &Value) -> Value {
        self.counter += 1;
        let client = self.client_data("webauthn.get", options);
        let data = self.authenticator_data(options["rpId"].as_str().unwrap(), 0);
        let signed = [data.as_slice(), &Sha256::digest(&client)].concat();
        let signature: Signature = self.key.sign(&signed);
        self.credential(&json!({
            "clientDataJSON": BASE64.encode(client.as_bytes()),
            "authenticatorData": BASE64.encode(&data),
            "signature": BASE64.encode(signature.to_der().as_bytes()),
            "userHandle": null,
        }))
    }

    fn client_data(&self, kind: &str, options: &Value) -> String {
        json!({ "type": kind, "challenge": options["challenge"], "origin": self.origin, "crossOrigin": false })
            .to_string()
    }

    fn authenticator_data(&self, domain: &str, flags: u8) -> Vec<u8> {
        let verified = if self.verifies { VERIFIED } else { 1 };
        [&Sha256::digest(domain)[..], &[flags | verified], &self.counter.to_be_bytes()].concat()
    }

    fn new_authenticator_data(&self, domain: &str) -> Vec<u8> {
        let point = self.key.verifying_key().to_encoded_point(false);
        let cose = [
            b"\xa5\x01\x02\x03\x26\x20\x01\x21\x58\x20".as_slice(),
            point.x().unwrap(),
            b"\x22\x58\x20",
            point.y().unwrap(),
        ];
        let aaguid = [0; 16];
        let data = self.authenticator_data(domain, ATTESTED);
        [data.as_slice(), &aaguid, &[0, 16], &self.id, &cose.concat()].concat()
    }

    fn credential(&self, response: &Value) -> Value {
        let id = BASE64.encode(&self.id);
        json!({
            "id": id, "rawId": id, "type": "public-key", "authenticatorAttachment": "platform",
            "clientExtensionResults": {}, "response": response,
        })
    }
}
