//! Fuzzes `entries::canonical_json`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| provely_fuzz::entries::canonical_json(data));
