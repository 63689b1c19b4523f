//! What `--version` prints.

use ptx_isa::{PtxVersion, SmVariant};

/// The version of a tool and the commit that it was built from, of LLVM, and the newest that is known of PTX and GPUs.
pub(crate) fn version(tool: &str) -> String {
    let commit = match option_env!("PTX_LLVM_COMMIT") {
        Some(commit) => format!(" ({commit})"),
        None => String::new(),
    };
    let llvm = match ptx_llvm_core::version() {
        Ok(version) => version,
        Err(error) => format!("is not available: {error}"),
    };
    let newest = match ptx_driver::known_targets()
        .map(|(sm, _)| sm)
        .max_by_key(|sm| (sm.number, sm.variant == SmVariant::Base))
    {
        Some(sm) => format!(", {sm}"),
        None => String::new(),
    };
    let version = env!("CARGO_PKG_VERSION");
    format!("{tool} {version}{commit}\nLLVM {llvm}\nPTX {}{newest}\n", PtxVersion::NEWEST)
}
