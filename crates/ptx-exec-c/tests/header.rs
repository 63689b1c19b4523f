//! The header is what `cbindgen` makes of the sources.

use std::path::Path;

#[test]
fn the_header_is_that_of_the_sources() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).unwrap();
    // The order of the parts, which is that of the header.
    let parts = [
        "status",
        "error_kind",
        "device",
        "regions",
        "module",
        "attributes",
        "objects",
        "tensor",
        "stream",
        "boxes",
        "graph",
        "run",
    ];
    let builder = parts.iter().fold(cbindgen::Builder::new().with_config(config), |builder, part| {
        builder.with_src(root.join(format!("src/{part}.rs")))
    });
    let mut made = Vec::new();
    builder.generate().unwrap().write(&mut made);
    let made = String::from_utf8(made).unwrap();
    let path = root.join("include/ptx_exec.h");
    if std::env::var_os("PTX_EXEC_RENEW_HEADER").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        made == committed,
        "include/ptx_exec.h is not what the sources declare; PTX_EXEC_RENEW_HEADER=1 cargo test -p ptx-exec-c --test header renews it"
    );
}
