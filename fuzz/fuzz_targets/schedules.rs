//! Parses a text as a schedule, and writes it again.
#![no_main]

use diffuser::Schedule;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let (schedule, invalid) = Schedule::read(text);
    assert!(invalid.iter().all(|number| schedule.frame(*number).is_some()));
    assert_eq!(Schedule::read(&schedule.to_string()), (schedule, Vec::new()));
});
