use std::env;

/// Functions of libopus between which and their callers src/analysis.rs stands.
const WRAPPED: [&str; 4] = [
    "run_analysis",
    "pitch_downsample",
    "pitch_search",
    "remove_doubling",
];

fn main() {
    napi_build::setup();
    // src/analysis.rs says why. GNU's linker and LLVM's have the option, and zig with one dash only.
    println!("cargo:rustc-check-cfg=cfg(shared_analysis)");
    let is_linux = env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux");
    if is_linux && env::var_os("CARGO_FEATURE_OPUS").is_some() {
        println!("cargo:rustc-cfg=shared_analysis");
        for function in WRAPPED {
            println!("cargo:rustc-link-arg=-Wl,-wrap,{function}");
        }
    }
}
