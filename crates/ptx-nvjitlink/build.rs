//! Names the library as NVIDIA's is named, for programs that are linked with `-lnvJitLink`.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libnvJitLink.so.13");
    }
}
