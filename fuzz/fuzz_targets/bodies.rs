//! Reads bytes as the body of a request to the cloud.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| cloud::testing::fuzz::body(bytes));
