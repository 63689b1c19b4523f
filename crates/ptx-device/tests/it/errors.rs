//! Errors as text, as values and as JSON. What is expected follows from the kernels, which are a few lines each.

use ptx_device::{Device, DeviceError, Module, Shape, TrapKind};

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
