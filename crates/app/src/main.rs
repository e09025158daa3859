//! Starts the program beside it as an icon does: `tabiya app FILE`, without a terminal window on Windows.

#![windows_subsystem = "windows"]

use std::env;
use std::process::{Command, ExitCode, Stdio};

fn main() -> ExitCode {
    let name = format!("tabiya{}", env::consts::EXE_SUFFIX);
    let Ok(own) = env::current_exe() else {
        return ExitCode::FAILURE;
    };
    let mut call = Command::new(own.with_file_name(name));
    call.arg("app")
        .args(env::args_os().skip(1))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    #[cfg(windows)]
    {
        use std::os::windows::process::CommandExt as _;
        const CREATE_NO_WINDOW: u32 = 0x0800_0000;
        call.creation_flags(CREATE_NO_WINDOW);
    }
    match call.spawn() {
        Ok(_) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
