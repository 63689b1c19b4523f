//! The kernels that engines are measured with give the right results in every engine, at a small size.

use std::path::Path;

use ptx_diag::SourceFile;
use ptx_exec::{Launch, Outcome};
use ptx_verify::Verified;
use test_suite::kernels::{KERNELS, Size, Workload, words};

type Run = fn(Verified<'_>, &Launch) -> Outcome;

/// All engines; each gives what a launch leaves.
const ENGINES: [(&str, Run); 1] =
    [("interp", |module, launch| ptx_exec::run(module, launch).expect("it is executed"))];

#[test]
fn every_engine_computes_what_each_kernel_is_defined_to() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("bench/ptx");
    for kernel in KERNELS {
        let text = std::fs::read_to_string(folder.join(format!("{kernel}.ptx"))).expect("compiled before");
        let (module, findings) = ptx_syntax::parse(&SourceFile::new(kernel, text));
        assert!(!findings.has_errors(), "{findings:?}");
        let (verified, _) = ptx_verify::verify(&module).unwrap_or_else(|findings| panic!("{findings:?}"));
        let work = Workload::new(kernel, Size::Small).expect("a known kernel");
        for (engine, run) in ENGINES {
            let outcome = run(verified, &work.launch());
            let mut written = outcome.buffers.iter().zip(&work.arguments).filter_map(|(bytes, given)| {
                let test_suite::kernels::Given::Buffer { name, .. } = given else { return None };
                Some((*name, words(bytes.as_ref()?)))
            });
            for (name, wanted) in work.expected() {
                let (_, got) = written.find(|(other, _)| *other == name).expect("it has this buffer");
                assert!(wanted.iter().any(|word| *word != 0), "{kernel}: {name} is nothing but zeros");
                work.judge(name, &wanted, &got).unwrap_or_else(|error| panic!("{engine}: {error}"));
            }
        }
    }
}
