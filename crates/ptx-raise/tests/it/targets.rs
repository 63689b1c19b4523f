//! The features of each target: by architecture and version, as in the manual.

use std::path::Path;
use std::process::Command;

use ptx_isa::{PtxVersion, Sm};
use ptx_llvm_core::{Context, Module};
use ptx_raise::{RaiseOptions, raise};

/// Which architectures have a feature.
enum Has {
    /// All from a number on.
    From(u16),
    /// These alone.
    Only(&'static [&'static str]),
}

/// A feature: a call, who has it, and its first version.
struct Feature {
    declaration: &'static str,
    call: &'static str,
    has: Has,
    version: PtxVersion,
}

const fn feature(declaration: &'static str, call: &'static str, has: Has, version: (u8, u8)) -> Feature {
    Feature { declaration, call, has, version: PtxVersion::new(version.0, version.1) }
}

const FEATURES: [Feature; 13] = [
    feature("void @llvm.nvvm.barrier0()", "", Has::From(50), (1, 0)),
    feature("i32 @llvm.nvvm.activemask()", "", Has::From(50), (6, 2)),
    feature("i1 @llvm.nvvm.vote.all.sync(i32, i1)", "i32 -1, i1 true", Has::From(50), (6, 0)),
    feature("i32 @llvm.nvvm.match.any.sync.i32(i32, i32)", "i32 -1, i32 5", Has::From(70), (6, 0)),
    // 6.3 in the manual; ptxas accepts it from 6.2 on.
    feature("void @llvm.nvvm.nanosleep(i32)", "i32 5", Has::From(70), (6, 2)),
    feature("void @llvm.nvvm.cp.async.wait.all()", "", Has::From(80), (7, 0)),
    feature("i32 @llvm.nvvm.redux.sync.add(i32, i32)", "i32 5, i32 -1", Has::From(80), (7, 0)),
    feature("void @llvm.nvvm.barrier.cluster.arrive()", "", Has::From(90), (7, 8)),
    feature("void @llvm.nvvm.griddepcontrol.wait()", "", Has::From(90), (7, 8)),
    feature("{ i32, i1 } @llvm.nvvm.elect.sync(i32)", "i32 -1", Has::From(90), (8, 0)),
    feature("ptr @llvm.stacksave.p0()", "", Has::From(52), (7, 3)),
    feature("void @llvm.nvvm.wgmma.fence.sync.aligned()", "", Has::Only(&["sm_90a"]), (8, 0)),
    feature(
        "void @llvm.nvvm.tcgen05.fence.before.thread.sync()",
        "",
        Has::Only(&["sm_100a", "sm_100f", "sm_101a", "sm_101f", "sm_103a", "sm_103f", "sm_110a", "sm_110f"]),
        (8, 6),
    ),
];

/// The targets with the first versions that have them (release notes).
const TARGETS: [(&str, (u8, u8)); 24] = [
    ("sm_50", (4, 0)),
    ("sm_52", (4, 1)),
    ("sm_53", (4, 2)),
    ("sm_60", (5, 0)),
    ("sm_61", (5, 0)),
    ("sm_62", (5, 0)),
    ("sm_70", (6, 0)),
    ("sm_72", (6, 1)),
    ("sm_75", (6, 3)),
    ("sm_80", (7, 0)),
    ("sm_86", (7, 1)),
    ("sm_87", (7, 4)),
    ("sm_88", (9, 0)),
    ("sm_89", (7, 8)),
    ("sm_90", (7, 8)),
    ("sm_90a", (8, 0)),
    ("sm_100", (8, 6)),
    ("sm_100a", (8, 6)),
    ("sm_100f", (8, 8)),
    ("sm_103a", (8, 8)),
    ("sm_110f", (9, 0)),
    ("sm_120", (8, 7)),
    ("sm_120a", (8, 7)),
    ("sm_121", (8, 8)),
];

impl Feature {
    fn is_in(&self, target: &str, sm: Sm) -> bool {
        match self.has {
            Has::From(number) => sm.number >= number,
            Has::Only(list) => list.contains(&target),
        }
    }

    fn module(&self) -> String {
        let (result, name) = self.declaration.split_once(" @").expect("a declaration");
        let name = name.split('(').next().expect("a name");
        format!(
            "target triple = \"nvptx64-nvidia-cuda\"\ndeclare {}\ndefine void @f() {{\n  {}call {result} \
             @{name}({})\n  ret void\n}}\n",
            self.declaration,
            if result == "void" { "" } else { "%r = " },
            self.call,
        )
    }

    fn raised(&self, target: Sm, version: Option<PtxVersion>) -> Result<String, String> {
        let context = Context::new().expect("LLVM 22");
        let module = Module::parse(&context, "test", self.module().as_bytes()).expect("valid LLVM IR");
        module.verify().expect("valid LLVM IR");
        match raise(&module, &RaiseOptions { target: Some(target), version }) {
            Ok((module, _)) => Ok(ptx_ir::print(&module)),
            Err(found) => {
                let lines = found.iter().map(|finding| format!("{}: {}", finding.code.0, finding.message));
                Err(lines.collect::<Vec<_>>().join("\n"))
            }
        }
    }
}

#[test]
fn features_are_there_exactly_where_the_manual_says() {
    for feature in &FEATURES {
        for (target, first) in TARGETS {
            let sm = Sm::from_text(target).expect("a target");
            let place = format!("{} for {target}", feature.declaration);
            match feature.raised(sm, None) {
                Ok(text) => {
                    assert!(feature.is_in(target, sm), "{place}:\n{text}");
                    let version = feature.version.max(PtxVersion::new(first.0, first.1));
                    let heading = format!(".version {version}\n.target {target}\n");
                    assert!(text.starts_with(&heading), "{place}, not {heading}:\n{text}");
                }
                Err(found) => {
                    assert!(!feature.is_in(target, sm), "{place}: {found}");
                    assert!(found.starts_with("R0106: ") && found.contains("sm_"), "{place}: {found}");
                }
            }
        }
    }
}

#[test]
fn stated_versions_hold_and_those_that_lack_a_feature_are_refused() {
    for feature in &FEATURES {
        let (target, _) = *TARGETS
            .iter()
            .find(|(target, _)| feature.is_in(target, Sm::from_text(target).expect("a target")))
            .expect("some target has it");
        let sm = Sm::from_text(target).expect("a target");
        let newest = PtxVersion::new(9, 0);
        let text = feature.raised(sm, Some(newest)).expect("newer versions have it");
        assert!(text.starts_with(".version 9.0\n"), "{text}");
        let before = PtxVersion::new(4, 3);
        if feature.version > before {
            let found = feature.raised(sm, Some(before)).expect_err("too old a version");
            assert!(found.starts_with("R0106: "), "{target}: {found}");
        }
    }
}

#[test]
fn every_known_target_gets_a_version_that_knows_it() {
    for (target, _) in ptx_verify::known_targets().filter(|(target, _)| target.number >= 20) {
        let context = Context::new().expect("LLVM 22");
        let text = b"target triple = \"nvptx64-nvidia-cuda\"\ndefine void @f() {\n  ret void\n}\n";
        let module = Module::parse(&context, "test", text).expect("valid LLVM IR");
        let options = RaiseOptions { target: Some(target), version: None };
        let (module, _) = raise(&module, &options).expect("every target has functions");
        assert!(ptx_verify::verify(&module).is_ok(), "{}", ptx_ir::print(&module));
    }
}

/// Widening a bfloat is an instruction since PTX 7.1 and sm_80 (manual 9.7.9.21), and a shift before.
#[test]
fn a_widened_bfloat_asks_for_the_version_of_its_conversion() {
    let text = "define float @f(bfloat %a) {\n  %x = fpext bfloat %a to float\n  ret float %x\n}\n";
    let raised = |version| {
        let context = Context::new().expect("LLVM 22");
        let module = Module::parse(&context, "test", text.as_bytes()).expect("valid LLVM IR");
        let options = RaiseOptions { target: Some(Sm::new(80)), version };
        let (module, _) = raise(&module, &options).expect("every version has a way");
        ptx_ir::print(&module)
    };
    let lowest = raised(None);
    assert!(lowest.starts_with(".version 7.1\n") && lowest.contains("cvt.f32.bf16"), "{lowest}");
    let older = raised(Some(PtxVersion::new(7, 0)));
    assert!(older.starts_with(".version 7.0\n") && !older.contains("cvt.f32.bf16"), "{older}");
}

/// ptxas accepts each feature on the first target that it still supports, and no older version of PTX.
#[test]
fn ptxas_agrees_about_the_first_targets() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder =
        std::env::var_os("PTX_ORACLE").map_or_else(|| root.join(".oracle/bin"), std::path::PathBuf::from);
    let ptxas = folder.join("ptxas");
    if !ptxas.exists() {
        return;
    }
    let file = std::env::temp_dir().join(format!("ptx-targets-{}.ptx", std::process::id()));
    for feature in &FEATURES {
        let known = |target: &&(&str, (u8, u8))| {
            let sm = Sm::from_text(target.0).expect("a target");
            sm.number >= 75 && feature.is_in(target.0, sm)
        };
        let (target, _) = *TARGETS.iter().find(known).expect("some target has it");
        let text = feature.raised(Sm::from_text(target).expect("a target"), None).expect("raised");
        std::fs::write(&file, &text).expect("a writable folder");
        let run = Command::new(&ptxas)
            .args(["-c", &format!("-arch={target}"), "-o", "/dev/null"])
            .arg(&file)
            .output()
            .expect("ptxas runs");
        assert!(run.status.success(), "{text}{}", String::from_utf8_lossy(&run.stderr));
    }
    let _ = std::fs::remove_file(&file);
}

/// Requirements of types and constants by separate rules.
#[test]
fn the_version_covers_what_the_verifier_asks_for() {
    const NARROW: &str = "declare i16 @llvm.nvvm.ff.to.e4m3x2.rn(float, float)
define i16 @f(float %a, float %b) {
  %r = call i16 @llvm.nvvm.ff.to.e4m3x2.rn(float %a, float %b)
  ret i16 %r\n}\n";
    const PACKED: &str = "declare void @llvm.nvvm.tensormap.replace.elemtype.p1(ptr addrspace(1), i32 immarg)
define void @f(ptr addrspace(1) %p) {
  call void @llvm.nvvm.tensormap.replace.elemtype.p1(ptr addrspace(1) %p, i32 13)
  ret void\n}\n";
    for (text, sm, version) in [(NARROW, Sm::new(89), (8, 1)), (PACKED, Sm::arch(100), (8, 7))] {
        let context = Context::new().expect("LLVM 22");
        let module = Module::parse(&context, "test", text.as_bytes()).expect("valid LLVM IR");
        let (module, _) =
            raise(&module, &RaiseOptions { target: Some(sm), version: None }).expect("the target has it");
        assert_eq!(module.version(), Some(PtxVersion::new(version.0, version.1)));
        assert!(ptx_verify::verify(&module).is_ok(), "{}", ptx_ir::print(&module));
    }
}
