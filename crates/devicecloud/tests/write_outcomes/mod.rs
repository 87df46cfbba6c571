//! Whether an error says what became of a write: each fault for each write call.

mod cloud;
mod several_requests;

use std::time::Duration;

use devicecloud::{Error, Outcome};
use futures::future::join_all;

use crate::cases::{self, Run};
use crate::golden;
use crate::unexpected_responses::{NEEDY, with_own_session, writes};
use cloud::{Fault, FaultyCloud, builder, client};

const REFUSED: &str = "{\"error\": \"refused\"}";
const PAGE: &str = "<html><body>Sign in to the network</body></html>";

/// Calls that are not idempotent in spite of their method: a token or a password is valid once.
const ONCE: [&str; 6] = [
    "users/confirm",
    "users/reset_password",
    "users/cancel_email_change",
    "users/update_password",
    "users/update_email",
    "users/delete_account",
];

/// A write call with its name, and whether it is idempotent.
struct Write {
    name: &'static str,
    run: Run,
    is_idempotent: bool,
}

fn write_calls() -> Vec<Write> {
    let needy = cases::all().into_iter().filter(|(name, _)| NEEDY.contains(name));
    let all = writes::all().into_iter().chain(needy);
    all.map(|(name, run)| {
        let method = golden::load(name)["request"]["method"].as_str().unwrap().to_owned();
        Write { name, run, is_idempotent: ["PUT", "DELETE"].contains(&method.as_str()) && !ONCE.contains(&name) }
    })
    .collect()
}

/// The invariant that a caller relies on: nothing that was performed is called 'not sent', nothing that was not performed
/// is called 'done', and repeating a retryable call cannot perform it twice.
fn assert_truthful(error: &Error, performed: bool, is_idempotent: bool, case: &str) {
    match error.outcome() {
        Outcome::NotSent => assert!(!performed, "{case}: {error:?}"),
        Outcome::Done => assert!(performed, "{case}: {error:?}"),
        _ => {}
    }
    assert!(!error.is_retryable() || is_idempotent || !performed, "{case}: {error:?}");
}

#[tokio::test]
async fn every_fault_of_every_write_says_whether_it_happened() {
    use Outcome::{NotSent, Unknown};
    // The fault, the outcome, and whether a call is retryable that is not idempotent or is.
    let table = [
        (None, NotSent, true, true),
        (Some(Fault::CutBeforeReading), Unknown, false, true),
        (Some(Fault::CutAfterReading), Unknown, false, true),
        (Some(Fault::Silence), Unknown, false, true),
        (Some(Fault::NotPerformed(400, REFUSED)), NotSent, false, false),
        (Some(Fault::NotPerformed(401, REFUSED)), NotSent, false, false),
        (Some(Fault::NotPerformed(403, REFUSED)), NotSent, false, false),
        (Some(Fault::NotPerformed(404, REFUSED)), NotSent, false, false),
        (Some(Fault::NotPerformed(409, PAGE)), NotSent, false, false),
        (Some(Fault::NotPerformed(422, REFUSED)), NotSent, false, false),
        (Some(Fault::NotPerformed(429, "")), NotSent, true, true),
        (Some(Fault::NotPerformed(302, "")), Unknown, false, false),
        (Some(Fault::Performed(408, "")), Unknown, false, true),
        (Some(Fault::Performed(500, REFUSED)), Unknown, false, true),
        (Some(Fault::NotPerformed(503, PAGE)), Unknown, false, true),
        (Some(Fault::Performed(504, "")), Unknown, false, true),
        (Some(Fault::NotPerformed(200, PAGE)), Unknown, false, false),
        (Some(Fault::Performed(201, "{\"cut off\": ")), Unknown, false, false),
    ];
    for (fault, outcome, is_retryable, is_retryable_if_idempotent) in table {
        let cloud = FaultyCloud::with(fault).await;
        let base = if fault.is_some() { cloud.base.clone() } else { FaultyCloud::absent().await };
        let mut builder = builder(&base);
        // With other faults, a slow machine must not look like a missing response.
        if matches!(fault, Some(Fault::Silence)) {
            builder = builder.request_timeout(Duration::from_secs(1));
        }
        let client = builder.build().unwrap();
        let mut performed = 0;
        let writes = write_calls();
        let results = join_all(writes.iter().map(|write| (write.run)(with_own_session(&client)))).await;
        for (Write { name, is_idempotent, .. }, result) in writes.into_iter().zip(results) {
            let case = format!("{name} with {fault:?}");
            let error = result.expect_err(&case);
            let retryable = if is_idempotent { is_retryable_if_idempotent } else { is_retryable };
            assert_eq!((error.outcome(), error.is_retryable()), (outcome, retryable), "{case}: {error:?}");
            let performs = fault.is_some_and(Fault::performs);
            assert_truthful(&error, performs, is_idempotent, &case);
            // The library retries only what its own error calls retryable, except timeouts.
            let is_retried = is_idempotent && retryable && !matches!(fault, Some(Fault::Silence));
            performed += usize::from(performs) * if is_retried { 3 } else { 1 };
        }
        assert_eq!(cloud.performed(performed).await, performed, "{fault:?}");
    }
}

#[tokio::test]
async fn write_without_a_usable_response_succeeds_or_is_done() {
    for body in ["", " ", "null", "[]", "7", "{\"unexpected\": true}"] {
        let fault = Fault::Performed(200, body);
        let cloud = FaultyCloud::with([fault]).await;
        let client = client(&cloud.base);
        let writes = write_calls();
        for Write { name, run, is_idempotent } in &writes {
            let result = run(with_own_session(&client)).await;
            assert_eq!(result.is_err(), NEEDY.contains(name), "{name} with {body:?}: {result:?}");
            if let Err(error) = result {
                assert_eq!((error.outcome(), error.is_retryable()), (Outcome::Done, false), "{name} with {body:?}");
                assert_truthful(&error, true, *is_idempotent, name);
            }
        }
        assert_eq!(cloud.performed(writes.len()).await, writes.len());
    }
}
