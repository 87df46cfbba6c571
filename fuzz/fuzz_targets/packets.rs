//! The bytes of a device that has signed in.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| cloud::testing::link::packets(bytes));
