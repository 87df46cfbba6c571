//! Parses a text as a frame of the stream.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| devicecloud::testing::fuzz_frame(text));
