//! Parses a text as a rule of the cloud.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| cloud::testing::fuzz::rule(text));
