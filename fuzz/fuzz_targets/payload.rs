//! Payloads of the device link: whatever a device publishes as a report or an ack.
#![no_main]

libfuzzer_sys::fuzz_target!(|payload: &[u8]| cloud::testing::link::payload(payload));
