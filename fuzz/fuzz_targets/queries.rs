//! Parses a text as the filters of the console's device list.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| console::fuzz::query(text));
