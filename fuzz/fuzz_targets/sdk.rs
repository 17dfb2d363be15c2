//! Fuzzes `entries::sdk`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| provely_fuzz::entries::sdk(data));
