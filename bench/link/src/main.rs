//! Moves IP packets between two network namespaces as a chosen link would.
//!
//! `aloud-link link --client NAMESPACE --server NAMESPACE [--device aloud0] [--seed 1] [--spin-us 50]
//! [up.delayMs=20 down.delayMs=20 …]` is the link; `aloud-link probe --bind ADDRESS …`
//! measures it from outside, as do `echo --bind ADDRESS` and `ping --to ADDRESS …`.

mod arrival;
mod control;
mod counters;
mod histogram;
mod jitter;
mod link;
mod loss;
mod mover;
mod options;
mod path;
mod ping;
mod probe;
mod random;
mod settings;
mod time;
mod tun;

use std::process::ExitCode;

fn main() -> ExitCode {
    // The process that started this one may be killed without a word.
    // SAFETY: a plain system call.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL as libc::c_ulong) };
    let mut arguments = std::env::args().skip(1);
    let result = match arguments.next().as_deref() {
        Some("link") => link::run(arguments),
        Some("probe") => probe::run(arguments),
        Some("echo") => ping::echo(arguments),
        Some("ping") => ping::ping(arguments),
        _ => Err("commands: link, probe, echo, ping".into()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
