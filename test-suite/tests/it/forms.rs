//! Each special form of compiled code (`ptx_host::Form`) is used by some kernel that engines are measured with, and `--disable` turns it off.

use std::collections::BTreeSet;
use std::path::Path;

use ptx_diag::SourceFile;
use ptx_exec::DecodedLaunch;
use ptx_host::analysis::Launched;
use ptx_host::{Form, Options, explain, unoptimized_ir};
use ptx_llvm_core::host::Cpu;
use test_suite::kernels::{KERNELS, Size, Workload};

/// Processors with the vectors that forms are meant for.
fn processors() -> Vec<Cpu> {
    ["x86-64-v3", "x86-64-v4"].into_iter().filter_map(|level| Cpu::baseline(level).ok()).collect()
}

/// The code and the strategy of a kernel without some forms.
fn code(kernel: &str, cpu: &Cpu, disabled: Option<Form>) -> [String; 2] {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("bench/ptx/{kernel}.ptx"));
    let text = std::fs::read_to_string(file).expect("compiled before");
    let (module, findings) = ptx_syntax::parse(&SourceFile::new(kernel, text));
    assert!(!findings.has_errors(), "{findings:?}");
    let (verified, _) = ptx_verify::verify(&module).expect("valid PTX");
    let launch = Workload::new(kernel, Size::Small).expect("a known kernel").launch();
    let decoded = DecodedLaunch::at_host_addresses(verified, &launch).expect("decoded");
    let (program, launched) = (decoded.program(), Launched::blocks(launch.block));
    let options = Options::default().with_disabled(disabled);
    [
        unoptimized_ir(program, &launched, cpu, &options).expect("compiled"),
        explain(program, &launched, cpu, &options).expect("compiled").strategy,
    ]
}

#[test]
fn each_form_is_used_and_can_be_disabled() {
    let mut unused: BTreeSet<Form> = Form::ALL.into_iter().collect();
    for cpu in processors() {
        for kernel in KERNELS {
            let [usual, _] = code(kernel, &cpu, None);
            unused.retain(|&form| code(kernel, &cpu, Some(form))[0] == usual);
        }
    }
    assert!(unused.is_empty() || processors().is_empty(), "no kernel of the benchmark has {unused:?}");
}

#[test]
fn strategies_are_told_in_words() {
    let Some(cpu) = processors().pop() else { return };
    let [_, usual] = code("matmul_tiled", &cpu, None);
    let [_, single] = code("matmul_tiled", &cpu, Some(Form::Groups));
    assert!(usual.contains("warps in lockstep"), "{usual}");
    assert!(single.contains("a warp at a time"), "{single}");
}

#[test]
fn names_are_those_of_forms() {
    for form in Form::ALL {
        assert_eq!(Form::named(form.name()), Some(form));
    }
    assert_eq!(Form::named("none"), None);
}
