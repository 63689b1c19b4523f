//! The functions of CUDA's device runtime as a module to link. What is expected follows from the declarations of `cuda_device_runtime_api.h`.

use ptx_diag::SourceFile;
use ptx_ir::Module;
use ptx_link::device_runtime::{device_runtime, of_module};
use ptx_link::{Sources, Unit, link, unresolved};

const DECLARED: &str = "
.extern .func (.param .b64 r) cudaCGGetIntrinsicHandle(.param .b32 scope);
.extern .func (.param .b32 r) cudaCGSynchronize(.param .b64 h, .param .b32 flags);
.extern .func (.param .b32 r) cudaCGSynchronizeGrid(.param .b64 h, .param .b32 flags);
.extern .func (.param .b32 r) cudaGetLastError();
.extern .func (.param .b32 r) __cudaCDP2GetLastError();
.extern .func (.param .b32 r) cudaPeekAtLastError();
.extern .func (.param .b32 r) cudaMalloc(.param .b64 to, .param .b64 bytes);
.extern .func (.param .b32 r) cudaFree(.param .b64 address);
.extern .func (.param .b32 r) cudaDeviceSynchronize();
.extern .func other();
";

fn read(name: &str, text: String) -> (SourceFile, Module) {
    let source = SourceFile::new(name, text);
    let (module, found) = ptx_syntax::parse(&source);
    assert!(!found.has_errors(), "{found:?}\n{}", String::from_utf8_lossy(source.text()));
    if let Err(found) = ptx_verify::verify(&module) {
        panic!("{found:?}\n{}", String::from_utf8_lossy(source.text()));
    }
    (source, module)
}

/// A module that calls these functions, each with its arguments.
fn calling(head: &str, calls: &str) -> (SourceFile, Module) {
    read(
        "a.ptx",
        format!(
            "{head}{DECLARED}.visible .entry k() {{ .param .b64 a; .param .b64 b; .param .b32 f; .param .b32 r; .param .b64 h;\n{calls}\nret; }}"
        ),
    )
}

const ALL: &str = "call (h), cudaCGGetIntrinsicHandle, (f); call (r), cudaCGSynchronize, (a, f); call (r), cudaCGSynchronizeGrid, (a, f);
call (r), cudaGetLastError; call (r), __cudaCDP2GetLastError; call (r), cudaPeekAtLastError; call (r), cudaMalloc, (a, b); call (r), cudaFree, (a);";

#[test]
fn they_are_valid_and_link_in_every_version_and_target() {
    for (version, target) in [
        ("4.0", "sm_20"),
        ("6.0", "sm_70"),
        ("7.5", "sm_80"),
        ("9.0", "sm_90a"),
        ("9.3", "sm_120f, texmode_independent"),
    ] {
        let head = format!(".version {version}\n.target {target}\n.address_size 64\n");
        let (source, module) = calling(&head, ALL);
        let text = device_runtime(&[&module]).unwrap().unwrap();
        let (runtime, functions) = read("cudadevrt.ptx", text);
        let sources = Sources::new(vec![source.clone(), runtime.clone()]).unwrap();
        let units =
            [Unit { module: &module, source: &source }, Unit { module: &functions, source: &runtime }];
        let (linked, _) =
            link(&units, &sources).unwrap_or_else(|found| panic!("{:?}", sources.split(&found)));
        // `malloc` and `free` are built in.
        assert_eq!(unresolved(&linked).len(), 2);
    }
}

#[test]
fn only_what_is_used_and_defined_nowhere_is_there() {
    let head = ".version 7.5\n.target sm_80\n.address_size 64\n";
    let (_, none) = calling(head, "");
    assert_eq!(device_runtime(&[&none]).unwrap(), None);
    let (_, one) = calling(head, "call (r), cudaGetLastError; call (r), cudaGetLastError; call other;");
    let text = device_runtime(&[&one]).unwrap().unwrap();
    assert_eq!((text.matches(".func").count(), text.contains("cudaGetLastError()")), (1, true), "{text}");
    let own =
        format!("{head}.visible .func (.param .b32 r) cudaGetLastError() {{ st.param.b32 [r], 7; ret; }}");
    let (_, own) = read("own.ptx", own);
    assert_eq!(device_runtime(&[&one, &own]).unwrap(), None);
}

#[test]
fn others_are_refused_by_name_at_their_call() {
    let head = ".version 7.5\n.target sm_80\n.address_size 64\n";
    let (source, module) = calling(head, "call (r), cudaDeviceSynchronize;");
    let refused = device_runtime(&[&module]).unwrap_err();
    let findings = of_module(&refused, 0);
    let finding = findings.iter().next().unwrap();
    assert_eq!(finding.code.0, "K0005");
    assert!(finding.message.starts_with("`cudaDeviceSynchronize` is"), "{}", finding.message);
    let line = source.position(finding.span.unwrap().lo).line;
    assert!(
        source
            .text()
            .split(|&byte| byte == b'\n')
            .nth(line as usize - 1)
            .unwrap()
            .starts_with(b"call (r), cudaDevice")
    );
    assert!(of_module(&refused, 1).is_empty());
}
