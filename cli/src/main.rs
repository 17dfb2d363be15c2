//! The `provely` binary. It must do nothing but hand the process to the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(provely_cli::run(std::env::args_os()).code())
}
