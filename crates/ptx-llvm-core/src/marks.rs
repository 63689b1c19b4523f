//! The names of this project's own metadata, attributes and operand bundles: what lowering writes and raising reads.
//!
//! What each means is in docs/mapping.md; a test finds no such name outside of this module.

// Metadata of instructions.

/// The PTX instruction that the marked instruction has a result of: its text, constraints and which result ("Mnemonics").
pub const INST: &str = "ptx.inst";
/// The instruction is a PTX instruction of its own and no part of another one ("One instruction").
pub const LITERAL: &str = "ptx.literal";
/// Modifiers of a PTX instruction that are hints: cache operators, eviction priorities.
pub const MODS: &str = "ptx.mods";
/// A branch around one instruction, which has a guard in PTX.
pub const GUARD: &str = "ptx.guard";
/// A divisor that replaces zero, for which PTX leaves the quotient unspecified ("Unspecified results").
pub const OPEN: &str = "ptx.open";
/// The strings of `.pragma`: of a module, a function or the next instruction.
pub const PRAGMA: &str = "ptx.pragma";
/// Labels and `.loc` that come before the instruction.
pub const DEBUG: &str = "ptx.debug";

/// Of a function: those at its end.
pub const DEBUG_END: &str = "ptx.debug.end";

// Metadata of variables.

/// The fields of a reference to a texture or sampler, each with its value.
pub const FIELDS: &str = "ptx.fields";
/// The function that a variable of the module was declared in, and its name there.
pub const SCOPE: &str = "ptx.scope";
/// `.attribute(.unified(a, b))`: of variables as metadata, of functions as an attribute.
pub const UNIFIED: &str = "ptx.unified";

// Named metadata of a module.

/// The version of `.version`: the module was lowered from PTX.
pub const VERSION: &str = "ptx.version";
/// Passes have optimized the functions that allow it: the module no longer has each instruction as it was in PTX.
pub const OPTIMIZED: &str = "ptx.optimized";
/// The words of `.target`.
pub const TARGET: &str = "ptx.target";
/// The `.section`s and `@@DWARF` lines of a PTX module.
pub const SECTION: &str = "ptx.section";
/// A `.file`.
pub const FILE: &str = "ptx.file";

// Attributes of functions and parameters.

/// `"reg"`: parameters and results are registers.
pub const ABI: &str = "ptx.abi";
/// `.abi_preserve`.
pub const ABI_PRESERVE: &str = "ptx.abi_preserve";
/// `.abi_preserve_control`.
pub const ABI_PRESERVE_CONTROL: &str = "ptx.abi_preserve_control";
/// `.reqnctapercluster` of which the product is 0 or has more than 32 bits; `nvvm.cluster_dim` otherwise.
pub const CLUSTER_DIM: &str = "ptx.cluster_dim";
/// `.explicitcluster`.
pub const EXPLICIT_CLUSTER: &str = "ptx.explicitcluster";
/// `.reqnctapercluster` without `.explicitcluster`.
pub const IMPLICIT_CLUSTER: &str = "ptx.implicitcluster";
/// `.language`.
pub const LANGUAGE: &str = "ptx.language";
/// `.local_maxnreg`.
pub const LOCAL_MAXNREG: &str = "ptx.local_maxnreg";
/// The same for `.maxclusterrank`.
pub const MAX_CLUSTER_RANK: &str = "ptx.maxclusterrank";
/// The same for `.maxntid`.
pub const MAX_NTID: &str = "ptx.maxntid";
/// `.minperctamemory`.
pub const MIN_PER_CTA_MEMORY: &str = "ptx.minperctamemory";
/// `.pragma` before everything else in the body.
pub const PRAGMA_BODY: &str = "ptx.pragma.body";
/// `.ptr` of a parameter, as far as the type and alignment of the argument do not have it.
pub const PTR: &str = "ptx.ptr";
/// The same for `.reqntid`.
pub const REQ_NTID: &str = "ptx.reqntid";

// Others.

/// An operand bundle without operands: the call reads and writes any memory.
pub const ORDER: &str = "ptx.order";
/// Named metadata: the names of dynamic shared memory in PTX, with types and alignments.
pub const DYNAMIC_SHARED: &str = "ptx.dynamic_shared";

// Contents.

/// In [`MODS`]: a load of 16 bits fills the machine's register with the sign.
pub const SIGNED_LOAD: &str = ".s16";
/// In [`MODS`]: an address is written with its offset of zero, for which `ptxas` assigns different registers when it compiles for debugging.
pub const ZERO_OFFSET: &str = "+0";
/// In the metadata of a loop: it is not unrolled. The name is LLVM's.
pub const UNROLL_DISABLE: &str = "llvm.loop.unroll.disable";

/// Whether a name of metadata is this project's.
pub fn is_own(name: &str) -> bool {
    name.starts_with("ptx.")
}

/// The attribute `memory` of [assembly](OPAQUE_WRITE) that writes a variable: LLVM's number for `memory(argmem: write)`.
pub const WRITES_ARGUMENTS: u64 = 0b10;
/// The constraints of inline assembly without a text that may write a variable: its address, and that memory is touched.
pub const OPAQUE_WRITE: &str = "l,~{memory}";

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::{Path, PathBuf};

    fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.extension() {
                None if path.is_dir() => sources(&path, found),
                Some(extension) if extension == "rs" && !path.ends_with("tests.rs") => found.push(path),
                _ => {}
            }
        }
    }

    /// The names in quotes that are this project's, but for those of code for the host.
    fn names(text: &str) -> impl Iterator<Item = &str> {
        let quoted = text.split('"').filter(|text| text.starts_with("ptx."));
        quoted.filter(|text| {
            text.len() > "ptx.".len()
                && text.bytes().all(|byte| byte.is_ascii_lowercase() || b"._".contains(&byte))
        })
    }

    #[test]
    fn both_ends_take_the_names_from_here_and_the_contract_has_them() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let contract = fs::read_to_string(crates.join("../docs/mapping.md")).unwrap();
        let own: BTreeSet<&str> = names(include_str!("marks.rs")).collect();
        let missing: Vec<&&str> = own.iter().filter(|name| !contract.contains(**name)).collect();
        assert!(missing.is_empty(), "docs/mapping.md does not have {missing:?}");
        let mut files = Vec::new();
        for stage in
            ["ptx-llvm-core", "ptx-lower", "ptx-opt", "ptx-dwarf", "ptx-legalize", "ptx-raise", "ptx-driver"]
        {
            sources(&crates.join(stage).join("src"), &mut files);
        }
        for file in files.iter().filter(|file| !file.ends_with("marks.rs")) {
            let text = fs::read_to_string(file).unwrap();
            let code = text.split("\n#[cfg(test)]").next().unwrap_or_default();
            let code = code.lines().filter(|line| !line.trim_start().starts_with("//"));
            let literal: Vec<String> =
                code.flat_map(names).filter(|name| own.contains(name)).map(str::to_owned).collect();
            assert!(literal.is_empty(), "{}: {literal:?} instead of constants", file.display());
        }
    }
}
