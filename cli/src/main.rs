//! The `provely` command.

fn main() {}
