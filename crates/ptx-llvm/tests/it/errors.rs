//! Errors.

use ptx_llvm::{Severity, link, parse, parse_named, print, verify};

const HEAD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n";

#[test]
fn errors_are_shown_as_the_tools_show_them() {
    let text = format!(
        "{HEAD}.visible .entry k()\n{{\n    .reg .b32 %r<2>;\n    mov.u32 %r1, %r9;\n    frob;\n    ret;\n}}\n"
    );
    let error = parse_named("k.ptx", text).expect_err("two errors");
    // Written after the form of rustc's diagnostics.
    let expected = "\
error[P0201]: register `%r9` is not declared
 --> k.ptx:7:18
  |
7 |     mov.u32 %r1, %r9;
  |                  ^^^
  |
  = help: `%r<2>` declares `%r0` to `%r1`

error[P0301]: unknown instruction `frob`
 --> k.ptx:8:5
  |
8 |     frob;
  |     ^^^^

2 errors";
    assert_eq!(error.to_string(), expected);
    assert_eq!(format!("{error:?}"), expected);
    let findings = error.findings();
    assert_eq!(findings.iter().map(|finding| finding.code).collect::<Vec<_>>(), ["P0201", "P0301"]);
    assert!(findings.iter().all(|finding| finding.severity == Severity::Error && finding.file == "k.ptx"));
    let position = findings[1].position.expect("a location");
    assert_eq!((position.line, position.column), (8, 5));
}

#[test]
fn errors_are_errors_for_callers_of_any_kind() {
    fn fails() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        parse("?")?;
        Ok(())
    }
    assert!(fails().expect_err("no PTX").to_string().starts_with("error[P"));
}

#[test]
fn linked_modules_are_verified_lowered_and_linked_again() {
    let part = |text: &str| parse(format!("{HEAD}{text}")).expect("valid");
    let f = part(".visible .func f() { ret; }");
    let g = part(".extern .func f();\n.visible .func g() { call f; ret; }");
    let k = part(".extern .func g();\n.visible .entry k() { call g; ret; }");
    let inner = link(&[f, g]).expect("they agree");
    verify(&inner).expect("it is valid");
    let all = link(&[inner, k]).expect("they agree");
    let names: Vec<&str> =
        all.functions.iter().filter(|f| f.body.is_some()).map(|f| all.name(f.name)).collect();
    assert_eq!(names, ["f", "g", "k"]);
}

#[test]
fn errors_of_linking_name_the_file() {
    let text = format!("{HEAD}.visible .func f() {{ ret; }}");
    let parts = ["a.ptx", "b.ptx"].map(|name| parse_named(name, text.as_str()).expect("valid"));
    let error = link(&parts).expect_err("defined twice");
    assert!(error.findings().iter().any(|finding| finding.file == "b.ptx"), "{error}");
}

#[test]
fn a_changed_module_is_read_again_from_its_own_text() {
    let mut module = parse(format!("{HEAD}\n\n\n.visible .entry k() {{ ret; }}")).expect("valid");
    module.items.retain(|item| !matches!(item, ptx_llvm::Item::Target(..)));
    let again = module.reread().expect("it can be read");
    assert_eq!(again.sources()[0].text(), print(&module).as_bytes());
    let error = verify(&again).expect_err("it has no target");
    assert_eq!(error.findings()[0].file, "<printed>");
}

#[test]
fn names_of_the_table_are_shown_as_in_ptx() {
    let names = format!(
        "{} {:>6}.{}.{}",
        ptx_llvm::Opcode::Ld,
        ptx_llvm::Opcode::Mul,
        ptx_llvm::Mod::Lo,
        ptx_llvm::ScalarType::U32
    );
    assert_eq!(names, "ld    mul.lo.u32");
}

#[cfg(feature = "llvm")]
mod llvm {
    use ptx_llvm::edit::Opcode;
    use ptx_llvm::{Context, OptLevel, llvm_to_ptx, optimize, parse_llvm, ptx_to_llvm, raise};

    #[test]
    fn opcodes_are_shown_as_in_llvm_ir() {
        let opcodes =
            [Opcode::GetElementPtr, Opcode::AtomicCmpXchg, Opcode::FNeg, Opcode::VAArg, Opcode::AtomicRMW];
        assert_eq!(
            opcodes.map(|opcode| opcode.to_string()),
            ["getelementptr", "cmpxchg", "fneg", "va_arg", "atomicrmw"]
        );
    }

    #[test]
    fn types_that_ptx_lacks_are_errors() {
        let text = "define x86_fp80 @f(x86_fp80 %x) {\n  ret x86_fp80 %x\n}\n";
        let error = llvm_to_ptx(text).expect_err("PTX has no numbers of 80 bits");
        assert!(error.findings().iter().all(|finding| finding.code.starts_with('R')), "{error}");
        assert!(error.to_string().contains("x86_fp80"), "{error}");
    }

    fn error_of_raising(gpu: &str, body: &str) -> String {
        let text = format!(
            "define void @f() \"target-cpu\"=\"{gpu}\" {{\n  {body}\n  ret void\n}}\ndeclare i32 @llvm.nvvm.redux.sync.umin(i32, i32)\n"
        );
        let context = Context::new().expect("LLVM 22");
        raise(&mut parse_llvm(&context, text).expect("valid")).expect_err("the target lacks it").to_string()
    }

    #[test]
    fn features_that_a_target_lacks_are_errors() {
        let text = error_of_raising("sm_70", "%s = call i32 @llvm.nvvm.redux.sync.umin(i32 0, i32 -1)");
        assert!(text.starts_with("error[R0106]") && text.contains("in function f: %s = call"), "{text}");
        let text = error_of_raising("sm_70", "call void asm sideeffect \"cp.async.wait_all;\", \"\"()");
        assert!(text.contains("sm_80") && text.contains("in function f"), "{text}");
    }

    #[test]
    fn text_goes_there_and_back() {
        let ptx = include_str!("../../examples/kernels/saxpy.ptx");
        let llvm = ptx_to_llvm(ptx).expect("it can be lowered");
        let again = llvm_to_ptx(llvm).expect("it can be raised");
        assert_eq!(again.matches("ld.global").count(), 2, "{again}");
        let context = Context::new().expect("LLVM 22");
        let mut module = parse_llvm(&context, ptx_to_llvm(ptx).expect("as before")).expect("valid");
        optimize(&mut module, OptLevel::O3).expect("it can be optimized");
    }
}

#[cfg(feature = "exec")]
mod exec {
    use ptx_llvm::device::ErrorKind;
    use ptx_llvm::{Shape, run};

    const SCALE: &str = include_str!("../../examples/kernels/scale.ptx");

    #[test]
    fn slices_arrays_and_vectors_are_arguments() {
        let (from, mut to) = (vec![1.0f32, 2.0, 3.0], vec![0.0f32; 3]);
        run(
            SCALE,
            "scale",
            Shape::linear(1, 32),
            [(&from).into(), (&mut to).into(), 3.0f32.into(), 3u32.into()],
        )
        .expect("it runs");
        assert_eq!(to, [3.0, 6.0, 9.0]);
        run(
            SCALE,
            "scale",
            Shape::linear(1, 32),
            [(&to[..2]).into(), (&mut [0.0f32; 2]).into(), 3.0f32.into(), 2u32.into()],
        )
        .expect("it runs");
        let nothing: [f32; 0] = [];
        run(
            SCALE,
            "scale",
            Shape::linear(1, 1),
            [(&nothing).into(), (&nothing).into(), 0.0f32.into(), 0u32.into()],
        )
        .expect("no element is accessed");
    }

    #[test]
    fn numbers_go_to_a_device_and_back() {
        let device = ptx_llvm::Device::new();
        let data = device.upload(&[1i16, -2, 3]).expect("memory");
        let mut bytes = [0u8; 6];
        device.download(data, &mut bytes).expect("six bytes");
        assert_eq!(bytes, [1, 0, 0xfe, 0xff, 3, 0]);
        let error = device.download(data, &mut [0u64; 1]).expect_err("two bytes more than there are");
        assert_eq!(error.kind(), ErrorKind::InvalidValue);
    }

    #[test]
    fn what_stops_a_kernel_is_shown_with_its_line() {
        let (from, mut to) = ([1.0f32; 4], [0.0f32; 4]);
        let error = run(
            SCALE,
            "scale",
            Shape::linear(1, 32),
            [(&from).into(), (&mut to).into(), 2.0f32.into(), 5u32.into()],
        )
        .expect_err("there is no fifth number");
        let text = error.to_string();
        assert!(text.contains("ld.global.f32 %f2, [%rd4];\n") && text.ends_with("1 error"), "{text}");
        assert_eq!(error.device().expect("of the device").kind(), ErrorKind::IllegalAddress);
        assert_eq!(to, [0.0; 4]);
    }

    #[test]
    fn arguments_that_do_not_fit_are_an_error_without_findings() {
        let error = run(SCALE, "scale", Shape::linear(1, 1), [1u32.into()]).expect_err("it takes four");
        assert_eq!(error.to_string(), "kernel `scale` takes 4 arguments, not 1");
        assert!(error.findings().is_empty());
    }

    #[cfg(feature = "llvm")]
    #[test]
    fn llvm_ir_is_executed_as_well() {
        let mut to = [0u32];
        let text = "define ptx_kernel void @k(ptr %to) {\n  store i32 7, ptr %to\n  ret void\n}";
        run(text, "k", Shape::default(), [(&mut to).into()]).expect("it runs");
        assert_eq!(to, [7]);
    }
}
