//! Writes a text as cells of a report.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| console::fuzz::csv(text));
