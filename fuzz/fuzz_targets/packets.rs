//! Parses bytes as the packets of a connection after sign-in.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| cloud::testing::fuzz::packets(bytes));
