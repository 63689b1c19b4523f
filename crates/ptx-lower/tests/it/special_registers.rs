//! The ranges that LLVM assumes for special registers: by its own declarations, by attributes that lowering adds to calls, and by LLVM's
//! pass that reads the directives of kernels. Each range must contain every number that the manual allows, and lowering's must contain
//! no others.

use ptx_diag::SourceFile;
use ptx_isa::{Component, ScalarType, SpecialReg};
use ptx_llvm_core::{Context, Gpu, Machine, OptLevel};

/// The least and the greatest number.
type Bounds = (u64, u64);

const ALL: Bounds = (0, u32::MAX as u64);

/// The range that the manual guarantees on every target, for a component or for the register: 10.2 and 10.7 have tables, of which the
/// newest targets count as modules for old ones run on them; 10.3 with 4.5.1 (`WARP_SZ` is 32 on all targets); "the fourth element is
/// unused and always returns zero" (10.1 to 10.15).
fn promised(name: &str) -> Bounds {
    match name {
        "%tid.x" | "%tid.y" => (0, 1023),
        "%tid.z" => (0, 63),
        "%ntid.x" | "%ntid.y" => (1, 1024),
        "%ntid.z" => (1, 64),
        // The numbers of clusters, and of blocks in one, are at most those of blocks in a grid (10.12 to 10.15).
        "%ctaid.x" | "%clusterid.x" | "%cluster_ctaid.x" => (0, 0x7fff_fffe),
        "%nctaid.x" | "%nclusterid.x" | "%cluster_nctaid.x" => (1, 0x7fff_ffff),
        "%ctaid.y" | "%ctaid.z" | "%clusterid.y" | "%clusterid.z" | "%cluster_ctaid.y"
        | "%cluster_ctaid.z" => (0, 65534),
        "%nctaid.y" | "%nctaid.z" | "%nclusterid.y" | "%nclusterid.z" | "%cluster_nctaid.y"
        | "%cluster_nctaid.z" => (1, 65535),
        "%laneid" => (0, 31),
        "%lanemask_eq" => (1, 0x8000_0000),
        "%lanemask_le" => (1, 0xffff_ffff),
        "%lanemask_lt" => (0, 0x7fff_ffff),
        "%lanemask_ge" => (0x8000_0000, 0xffff_ffff),
        "%lanemask_gt" => (0, 0xffff_fffe),
        // The own warp, multiprocessor and block are among those counted (10.5, 10.9, 10.17).
        "%nwarpid" | "%nsmid" | "%cluster_nctarank" => (1, 0xffff_ffff),
        _ if name.ends_with(".w") => (0, 0),
        _ => ALL,
    }
}

/// Directives, and what else they promise: 11.4.2 ("the total number of threads .. not .. any particular dimension"), 11.4.3, 11.7.1, 11.7.3.
const LAUNCHES: &[(&str, &[(&str, Bounds)])] = &[
    ("", &[]),
    (
        ".maxntid 16, 16",
        &[("%tid.x", (0, 255)), ("%tid.y", (0, 255)), ("%ntid.x", (1, 256)), ("%ntid.y", (1, 256))],
    ),
    (".maxntid 65536, 65536", &[]),
    (".maxntid 2147483648, 2147483648, 4", &[]),
    (".maxntid 4294967295", &[]),
    (
        ".reqntid 64, 4, 2",
        &[
            ("%tid.x", (0, 63)),
            ("%tid.y", (0, 3)),
            ("%tid.z", (0, 1)),
            ("%ntid.x", (64, 64)),
            ("%ntid.y", (4, 4)),
            ("%ntid.z", (2, 2)),
        ],
    ),
    (
        ".maxclusterrank 8",
        &[
            ("%cluster_ctaid.x", (0, 7)),
            ("%cluster_ctaid.y", (0, 7)),
            ("%cluster_ctaid.z", (0, 7)),
            ("%cluster_nctaid.x", (1, 8)),
            ("%cluster_nctaid.y", (1, 8)),
            ("%cluster_nctaid.z", (1, 8)),
            ("%cluster_ctarank", (0, 7)),
            ("%cluster_nctarank", (1, 8)),
        ],
    ),
    // ptxas treats it as no limit.
    (".maxclusterrank 0", &[]),
    (".maxclusterrank 4294967295", &[("%cluster_ctarank", (0, 0xffff_fffe))]),
    (
        ".reqnctapercluster 2, 3",
        &[
            ("%cluster_ctaid.x", (0, 1)),
            ("%cluster_ctaid.y", (0, 2)),
            ("%cluster_ctaid.z", (0, 0)),
            ("%cluster_nctaid.x", (2, 2)),
            ("%cluster_nctaid.y", (3, 3)),
            ("%cluster_nctaid.z", (1, 1)),
            ("%cluster_ctarank", (0, 5)),
            ("%cluster_nctarank", (6, 6)),
        ],
    ),
    (".reqnctapercluster 0", &[]),
];

/// All registers of 32 bits, component by component.
fn registers() -> Vec<(SpecialReg, Option<Component>, String)> {
    let mut list = Vec::new();
    for register in SpecialReg::all() {
        if register.scalar_type().bits() != 32 || register.scalar_type() == ScalarType::Pred {
            continue;
        }
        if register.is_vector() {
            for component in Component::ALL {
                list.push((register, Some(component), format!("{register}.{}", component.as_str())));
            }
        } else {
            list.push((register, None, register.to_string()));
        }
    }
    list
}

/// The range that LLVM assumes for the register in a kernel with these directives: as lowered, and after LLVM's passes.
fn taken(name: &str, directive: &str) -> [Bounds; 2] {
    let text = format!(
        ".version 9.0\n.target sm_100\n.address_size 64\n.visible .entry k(.param .u64 p) {directive}\n{{\n\
         .reg .b32 %r; .reg .b64 %d; ld.param.u64 %d, [p];\nmov.u32 %r, {name};\nst.volatile.u32 [%d], %r;\nret;\n}}\n"
    );
    let source = SourceFile::new("test.ptx", text);
    let (module, findings) = ptx_syntax::parse(&source);
    assert!(!findings.has_errors(), "{findings:?}");
    let (verified, _) = ptx_verify::verify(&module).unwrap_or_else(|findings| panic!("{findings:?}"));
    let context = Context::new().expect("LLVM 22");
    let mut lowered = ptx_lower::lower(&verified, &context).unwrap_or_else(|findings| panic!("{findings:?}"));
    let before = range_in(&lowered.to_text());
    let machine = Machine::new(&Gpu::of_module(&lowered), OptLevel::O2).expect("a known GPU");
    ptx_llvm_core::run_passes(&mut lowered, "default<O2>", &machine)
        .unwrap_or_else(|error| panic!("{error}"));
    [before, range_in(&lowered.to_text())]
}

/// The range at the call, else the declaration's; a constant if LLVM has folded it.
fn range_in(text: &str) -> Bounds {
    let stored =
        text.lines().find_map(|line| line.trim().strip_prefix("store volatile i32 ")).expect("a store");
    if let Some(number) = stored.split(',').next().and_then(|value| value.parse::<i64>().ok()) {
        let number = u64::from(number as u32);
        return (number, number);
    }
    assert!(stored.starts_with('%'), "LLVM takes it for no number at all: {stored}");
    let mut found = ALL;
    for line in text.lines() {
        let is_read =
            line.starts_with("declare ") && line.contains("@llvm.nvvm.read.") || line.contains(" call ");
        let Some((_, rest)) = line.split_once(" range(i32 ").filter(|_| is_read) else { continue };
        let (first, rest) = rest.split_once(", ").expect("two bounds");
        let (end, _) = rest.split_once(')').expect("closed");
        let word = |text: &str| text.parse::<i64>().expect("a number") as u32;
        assert_ne!(word(first), word(end), "a range without numbers: {line}");
        let bounds = (u64::from(word(first)), u64::from(word(end).wrapping_sub(1)));
        assert!(bounds.0 <= bounds.1, "neither has the other in it: {line}");
        if line.contains(" call ") {
            return bounds;
        }
        found = bounds;
    }
    found
}

#[test]
fn ranges_have_all_that_the_manual_allows_and_nothing_else() {
    let mut wrong = Vec::new();
    for (register, component, name) in registers() {
        for (directive, more) in LAUNCHES {
            let is_concerned = directive.is_empty() || name.contains("tid") || name.contains("cluster_");
            if !is_concerned {
                continue;
            }
            let wanted =
                more.iter().find(|(which, _)| *which == name).map_or(promised(&name), |(_, bounds)| *bounds);
            let [lowered, optimized] = taken(&name, directive);
            if lowered != wanted {
                wrong.push(format!("{name} {directive}: {lowered:x?} instead of {wanted:x?}"));
            }
            if optimized.0 > wanted.0 || optimized.1 < wanted.1 {
                wrong.push(format!(
                    "{name} {directive}, optimized: {optimized:x?} has not all of {wanted:x?}"
                ));
            }
        }
        if register.values(component) != promised(&name) {
            wrong.push(format!("{name}: the table has {:x?}", register.values(component)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
