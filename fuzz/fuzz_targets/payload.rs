//! Parses a payload as a report and as an ack.
#![no_main]

libfuzzer_sys::fuzz_target!(|payload: &[u8]| cloud::testing::fuzz::payload(payload));
