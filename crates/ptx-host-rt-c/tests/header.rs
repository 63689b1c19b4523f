//! The header is what `cbindgen` makes of the sources.

use std::path::Path;

#[test]
fn the_header_is_that_of_the_sources() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).unwrap();
    let builder = cbindgen::Builder::new().with_config(config).with_src(root.join("src/launch.rs"));
    let mut made = Vec::new();
    builder.generate().unwrap().write(&mut made);
    let made = String::from_utf8(made).unwrap();
    let path = root.join("include/ptx_host_rt.h");
    if std::env::var_os("PTX_HOST_RENEW_HEADER").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        made == committed,
        "include/ptx_host_rt.h is not what the sources declare; PTX_HOST_RENEW_HEADER=1 cargo test -p ptx-host-rt-c --test header renews it"
    );
}
