//! Fuzzes `entries::html`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| provely_fuzz::entries::html(data));
