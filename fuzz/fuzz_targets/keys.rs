//! Reads bytes as a list of diffusers and their keys.
#![no_main]

#[path = "../../crates/sillage/src/files/key_list.rs"]
#[expect(dead_code, reason = "only the parser is fuzzed")]
mod key_list;
#[path = "../../crates/sillage/src/files/private_file.rs"]
#[expect(dead_code, reason = "only the parser is fuzzed")]
mod private_file;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    match key_list::parse(bytes) {
        Ok(devices) => assert!(devices.iter().all(|device| device.key.len() == 64)),
        Err(error) => {
            let text = format!("{error:#}");
            let longest = text.split(|c: char| !c.is_ascii_hexdigit()).map(str::len).max();
            assert!(longest.is_none_or(|longest| longest < 64), "an error contains a key: {text}");
        }
    }
});
