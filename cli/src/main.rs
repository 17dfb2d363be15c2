//! The `provely` binary. It must do nothing but hand the process to the library.

use std::process::ExitCode;

/// Compiling allocates much and on all cores.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(provely_cli::run(std::env::args_os()).code())
}
