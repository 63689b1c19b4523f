//! Errors as text, as values and as JSON. What is expected follows from the kernels, which are a few lines each.

use std::time::Duration;

use ptx_device::{
    AfterStop, Argument, Device, DeviceError, DeviceOptions, Engine, ErrorKind, Event, Limits, Module, Shape,
    Sm, TrapKind,
};

const KERNELS: &str = r#".version 8.0
.target sm_80
.address_size 64
.file 1 "cross.cu"
.visible .entry cross()
{
    .reg .pred %p; .reg .b32 %i;
    mov.u32 %i, %tid.x;
    setp.lt.u32 %p, %i, 32;
    @%p bra other;
    .loc 1 3 5
    bar.sync 1, 64;
    ret;
other:
    .loc 1 5 5
    bar.sync 2, 64;
    ret;
}
"#;

#[test]
fn a_deadlock_has_the_places_of_all_threads() {
    let device = Device::new();
    let module = Module::load(&device, "cross.ptx", KERNELS).unwrap();
    let error = module.kernel("cross").unwrap().launch(&Shape::linear(1, 64), &[]).unwrap_err();
    let waits = |thread: u32, barrier: u32, other: u32, line: u32| {
        format!(
            "thread ({thread}, 0, 0) and 31 more of its warp: wait at barrier {barrier}, to which thread ({other}, 0, 0) and 31 more have not \
             come, at cross.cu:{line}:5"
        )
    };
    let places = [
        format!("cross.ptx:16:5: {}", waits(0, 2, 32, 5)),
        format!("cross.ptx:12:5: {}", waits(32, 1, 0, 3)),
    ];
    let text = error.to_string();
    let lines: Vec<&str> = text.lines().collect();
    assert!(
        lines[0].starts_with("cross.ptx:16:5: error[X0203]: deadlock: no thread of the block can go on; "),
        "{text}"
    );
    assert!(
        lines[0].ends_with("in kernel cross, block (0, 0, 0), thread (0, 0, 0), at cross.cu:5:5"),
        "{text}"
    );
    assert_eq!(lines[1..], places);

    let [finding] = error.findings() else { panic!("{error:?}") };
    assert_eq!((finding.code, finding.is_error), ("X0203", true));
    assert_eq!(finding.related, places);
    for part in [
        r#"{"file":"cross.ptx","line":16,"column":5,"severity":"error","code":"X0203","message":"deadlock: "#,
        r#""details":{"block":[0,0,0],"function":"cross","instruction":"bar.sync","kernel":"cross","source_column":5,"source_file":"cross.cu","source_line":5,"thread":[0,0,0]},"#,
        r#""related":[{"line":16,"column":5,"message":"thread (0, 0, 0) and 31 more"#,
    ] {
        assert!(finding.json.contains(part), "{}", finding.json);
    }
    let DeviceError::Stopped(stopped) = error else { panic!() };
    let (trap, source) = (&stopped.trap, stopped.trap.source.as_ref().unwrap());
    assert!(matches!(trap.kind, TrapKind::Deadlock(_)));
    assert_eq!((trap.kernel.as_str(), trap.block, trap.thread), ("cross", [0; 3], [0; 3]));
    assert_eq!((&*source.file, source.line), ("cross.cu", 5));
}

#[test]
fn findings_about_a_module_are_objects_too() {
    let error = Module::load(&Device::new(), "k.ptx", KERNELS.replace("%i, 32", "%j, 32")).unwrap_err();
    let [finding] = error.findings() else { panic!("{error:?}") };
    assert!(finding.text.starts_with("k.ptx:9:21: error["), "{}", finding.text);
    assert!(
        finding.json.starts_with(r#"{"file":"k.ptx","line":9,"column":21,"severity":"error","#),
        "{}",
        finding.json
    );
    assert!(!finding.json.contains("details") && finding.related.is_empty(), "{}", finding.json);
}

/// Kernels that are stopped, one for each kind of error; the first parameter is an allocation of 16 bytes.
const STOPPED: &str = r#".version 8.0
.target sm_80
.address_size 64
.extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);
.global .align 1 .b8 text[2] = {97, 0};
.visible .entry beyond(.param .u64 p) { .reg .b64 %a; ld.param.u64 %a, [p]; st.global.u32 [%a + 16], 1; ret; }
.visible .entry misaligned(.param .u64 p) { .reg .b64 %a; ld.param.u64 %a, [p]; st.global.u32 [%a + 2], 1; ret; }
.visible .entry null(.param .u64 p) { .reg .b64 %a; mov.u64 %a, 0; st.u32 [%a], 1; ret; }
.visible .entry local_atomic(.param .u64 p)
{
    .local .b32 l; .reg .b64 %a; .reg .b32 %r;
    mov.u64 %a, l; cvta.local.u64 %a, %a; atom.add.u32 %r, [%a], 1; ret;
}
.visible .entry trap(.param .u64 p) { trap; }
.visible .entry call(.param .u64 p)
{
    .reg .b64 %f; mov.u64 %f, 8;
proto: .callprototype _ ();
    call %f, (), proto; ret;
}
.func deep(.reg .u32 n) { .local .b32 l[4096]; .reg .u32 m; add.u32 m, n, 1; st.local.u32 [l], m; call deep, (m); ret; }
.visible .entry overflow(.param .u64 p) { .reg .u32 n; mov.u32 n, 0; call deep, (n); ret; }
.visible .entry assertion(.param .u64 p)
{
    .reg .b64 %t; mov.u64 %t, text; cvta.global.u64 %t, %t;
    { .param .b64 m; .param .b64 f; .param .b32 l; .param .b64 n; .param .b64 s;
      st.param.b64 [m], %t; st.param.b64 [f], %t; st.param.b32 [l], 7; st.param.b64 [n], %t; st.param.b64 [s], 1;
      call.uni __assertfail, (m, f, l, n, s); }
    ret;
}
.visible .entry forever(.param .u64 p) { next: bra next; }
.visible .entry deadlock(.param .u64 p)
{
    .reg .pred %p; .reg .b32 %i; mov.u32 %i, %tid.x; setp.lt.u32 %p, %i, 32;
    @%p bra other; bar.sync 1, 64; ret;
other: bar.sync 2, 64; ret;
}
"#;

/// The numbers are those of `cuda.h`.
#[test]
fn kinds_tell_why_a_kernel_was_stopped() {
    let limits = Limits { timeout: Some(Duration::from_millis(200)), ..Limits::default() };
    let options = DeviceOptions {
        after_stop: AfterStop::GoOn,
        engine: Engine::Interpreter,
        limits,
        ..Default::default()
    };
    let device = Device::with(options);
    let module = Module::load(&device, "stopped.ptx", STOPPED).unwrap();
    let at = device.allocate(16).unwrap();
    let cases = [
        ("beyond", ErrorKind::IllegalAddress, 700),
        ("null", ErrorKind::IllegalAddress, 700),
        ("misaligned", ErrorKind::Misaligned, 716),
        ("local_atomic", ErrorKind::InvalidAddressSpace, 717),
        ("trap", ErrorKind::Trap, 719),
        ("call", ErrorKind::InvalidPc, 718),
        ("overflow", ErrorKind::StackOverflow, 714),
        ("assertion", ErrorKind::Assertion, 710),
        ("forever", ErrorKind::Timeout, 702),
        ("deadlock", ErrorKind::Deadlock, 702),
    ];
    for (name, kind, number) in cases {
        let kernel = module.kernel(name).unwrap();
        let error = kernel.launch(&Shape::linear(1, 64), &[at.into()]).unwrap_err();
        assert_eq!((error.kind(), kind.cuda_result()), (kind, number), "{name}: {error}");
    }
}

#[test]
fn kinds_tell_why_a_call_failed() {
    let device = Device::with(DeviceOptions {
        memory: Some(1 << 20),
        architecture: Some(Sm::new(80)),
        ..DeviceOptions::default()
    });
    let load = |text: &[u8]| Module::load(&device, "m.ptx", text).map(drop).unwrap_err();
    let mut cubin = [0; 64];
    cubin[..4].copy_from_slice(b"\x7fELF");
    cubin[18] = 190;
    for (image, what) in [
        (&cubin[..], "a cubin"),
        (b"\x50\xed\x55\xba\x01\x00", "a fatbin"),
        (b"\xed\x43\x4e\x7f", "LTO-IR"),
        (b"!<arch>\n", "a library of object files"),
        (b"\x7fELF", "an ELF file"),
    ] {
        let error = load(image);
        assert_eq!(error.kind(), ErrorKind::NoBinary, "{error}");
        assert!(error.to_string().contains(&format!("this is {what}")), "{error}");
        assert!(error.findings()[0].json.contains("--ptx"), "{}", error.findings()[0].json);
    }
    assert_eq!(load(b"nothing").kind(), ErrorKind::InvalidModule);
    assert_eq!(load(b".version 8.0\n.target sm_90\n.address_size 64\n").kind(), ErrorKind::Target);
    let module = Module::load(&device, "stopped.ptx", STOPPED).unwrap();
    assert_eq!(module.kernel("other").unwrap_err().kind(), ErrorKind::NotFound);
    let trap = module.kernel("trap").unwrap();
    let launch = |shape: Shape, arguments: &[Argument]| trap.launch(&shape, arguments).unwrap_err().kind();
    assert_eq!(launch(Shape::default(), &[]), ErrorKind::InvalidValue);
    assert_eq!(launch(Shape::linear(1, 2048), &[0u64.into()]), ErrorKind::InvalidLaunch);
    let shared = Shape { dynamic_shared: 2 << 20, ..Shape::default() };
    assert_eq!(launch(shared, &[0u64.into()]), ErrorKind::SharedMemory);
    let cooperative = Shape { cooperative: true, ..Shape::linear(1 << 30, 1) };
    assert_eq!(launch(cooperative, &[0u64.into()]), ErrorKind::CooperativeTooLarge);
    assert_eq!(device.allocate(1 << 20).unwrap_err().kind(), ErrorKind::OutOfMemory);
    assert_eq!(device.allocate(u64::MAX).unwrap_err().kind(), ErrorKind::OutOfMemory);
    assert_eq!(device.free(8).unwrap_err().kind(), ErrorKind::InvalidValue);
    assert_eq!(device.unregister(8).unwrap_err().kind(), ErrorKind::NotRegistered);
    assert_eq!(Event::new().since(&Event::new()).unwrap_err().kind(), ErrorKind::NotReady);
}
