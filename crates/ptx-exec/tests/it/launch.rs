//! Launches of small programs: what is refused, what stops a thread, what the system's functions do, and that every
//! thread makes progress. The meaning of single instructions is tested by the conformance suite.

use std::num::NonZeroUsize;
use std::time::Duration;

use crate::common;
use ptx_exec::engine::Interpretation;
use ptx_exec::{Argument, ExecError, Launch, Outcome, Trap, TrapKind, codes};

const HEAD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n";

fn execute(text: &str, launch: &Launch) -> Result<Outcome, ExecError> {
    common::execute(&format!("{HEAD}{text}"), launch)
}

fn refused(text: &str, launch: &Launch) -> Vec<String> {
    match execute(text, launch) {
        Err(ExecError::Refused(findings)) => {
            findings.iter().map(|finding| format!("{} {}", finding.code.0, finding.message)).collect()
        }
        other => panic!("not refused: {other:?}"),
    }
}

fn trapped(text: &str, launch: &Launch) -> Trap {
    match execute(text, launch) {
        Err(ExecError::Trap(trap)) => *trap,
        other => panic!("not stopped: {other:?}"),
    }
}

fn launch(grid: u32, block: u32, arguments: Vec<Argument>) -> Launch {
    Launch { grid: [grid, 1, 1], block: [block, 1, 1], arguments, ..Launch::new("k") }
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
}

fn first_buffer(outcome: &Outcome) -> Vec<u32> {
    words(outcome.buffers[0].as_deref().unwrap())
}

const NOTHING: &str = ".visible .entry k() { ret; }";

#[test]
fn impossible_shapes_are_refused() {
    for (grid, block) in [
        ([0, 1, 1], [1, 1, 1]),
        ([1, 65536, 1], [1, 1, 1]),
        ([1, 1, 1], [1, 0, 1]),
        ([1, 1, 1], [33, 32, 1]),
        ([1, 1, 1], [1, 1, 65]),
    ] {
        let found = refused(NOTHING, &Launch { grid, block, ..Launch::new("k") });
        assert!(found[0].starts_with("X0002"), "{found:?}");
    }
    assert!(execute(NOTHING, &Launch { grid: [3, 2, 2], block: [4, 4, 4], ..Launch::new("k") }).is_ok());
}

#[test]
fn unknown_kernels_are_refused_and_the_known_ones_named() {
    let ExecError::Refused(findings) = execute(NOTHING, &Launch::new("kernel")).unwrap_err() else {
        panic!()
    };
    let finding = findings.iter().next().unwrap();
    assert_eq!((finding.code, finding.help.as_deref()), (codes::NO_KERNEL, Some("its kernels are: k")));
}

#[test]
fn arguments_must_fit_the_parameters() {
    let text = ".visible .entry k(.param .u32 n, .param .u64 p) { ret; }";
    let four = || Argument::Bytes(vec![0; 4]);
    assert!(refused(text, &launch(1, 1, vec![four()]))[0].starts_with("X0003"));
    assert!(
        refused(text, &launch(1, 1, vec![four(), four()]))[0]
            .contains("parameter `p` of 8 bytes has 4 bytes")
    );
    assert!(
        refused(text, &launch(1, 1, vec![Argument::Buffer(vec![0; 4]), Argument::Bytes(vec![0; 8])]))[0]
            .contains("`n`")
    );
    assert!(execute(text, &launch(1, 1, vec![four(), Argument::Buffer(Vec::new())])).is_ok());
}

#[test]
fn the_kernel_s_own_bounds_are_kept() {
    let text = ".visible .entry k() .maxntid 64, 1, 1 { ret; }";
    assert!(refused(text, &launch(1, 65, vec![]))[0].contains("at most 64 threads"));
    assert!(execute(text, &launch(1, 64, vec![])).is_ok());
    let text = ".visible .entry k() .reqntid 8, 4 { ret; }";
    assert!(refused(text, &launch(1, 32, vec![]))[0].contains("8 x 4 x 1"));
    assert!(execute(text, &Launch { block: [8, 4, 1], ..Launch::new("k") }).is_ok());
}

#[test]
fn undefined_names_are_refused_where_they_are_needed() {
    let text =
        ".extern .func other();\n.visible .entry k() { call other; ret; }\n.visible .entry fine() { ret; }";
    assert!(refused(text, &Launch::new("k"))[0].starts_with("X0102"));
    assert!(execute(text, &Launch::new("fine")).is_ok(), "another kernel does not matter");
    let text =
        ".extern .global .u32 g;\n.visible .entry k() { .reg .b32 %r<2>; ld.global.u32 %r1, [g]; ret; }";
    assert!(refused(text, &Launch::new("k"))[0].contains("`g`"));
}

#[test]
fn too_much_shared_memory_is_refused() {
    let text = ".shared .b8 s[1000];\n.visible .entry k() { .reg .b32 %r<2>; ld.shared.u32 %r1, [s]; ret; }";
    let large = Launch { dynamic_shared: 1 << 20, ..Launch::new("k") };
    assert!(refused(text, &large)[0].starts_with("X0004"));
}

#[test]
fn faults_say_where_and_who() {
    let text = r"
.visible .entry k(.param .u64 p) {
    .reg .b32 %r<4>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [p];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    ld.global.u32 %r2, [%rd3];
    ret;
}";
    let trap = trapped(text, &launch(1, 64, vec![Argument::Buffer(vec![0; 160])]));
    assert_eq!(trap.thread, [40, 0, 0]);
    assert_eq!(trap.instruction, "ld.global.u32");
    let TrapKind::Fault(fault) = trap.kind else { panic!("{trap}") };
    assert_eq!((fault.size, fault.address & 0xfff), (4, 160));
    let source = format!("{HEAD}{text}");
    let span = trap.span.unwrap();
    assert_eq!(
        &source[span.lo as usize..span.hi as usize].trim_end_matches(';'),
        &"ld.global.u32 %r2, [%rd3]"
    );
}

#[test]
fn deadlocks_name_who_waits() {
    let text = r"
.visible .entry k() {
    .reg .pred %p; .reg .b32 %r<4>;
    mov.u32 %r1, %tid.x;
    setp.lt.u32 %p, %r1, 32;
    @%p bar.sync 1, 64;
    @!%p bar.sync 2, 64;
    ret;
}";
    let trap = trapped(text, &launch(1, 64, vec![]));
    assert_eq!(trap.kind.code(), codes::DEADLOCK);
    let texts: Vec<&str> = trap.related.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(
        texts,
        [
            "thread (0, 0, 0) and 31 more of its warp: wait at barrier 1, to which thread (32, 0, 0) and 31 more have not come",
            "thread (32, 0, 0) and 31 more of its warp: wait at barrier 2, to which thread (0, 0, 0) and 31 more have not come"
        ]
    );
}

#[test]
fn a_mask_without_the_own_lane_is_an_error() {
    let text = r"
.visible .entry k() {
    .reg .b32 %r<4>;
    mov.u32 %r1, %laneid;
    shfl.sync.idx.b32 %r2, %r1, 0, 31, 0x0000ffff;
    ret;
}";
    let trap = trapped(text, &launch(1, 32, vec![]));
    assert_eq!((trap.kind.code(), trap.thread), (codes::MISUSE, [16, 0, 0]));
}

const ENDLESS: &str = ".visible .entry k() { L: bra L; }";

#[test]
fn endless_programs_are_stopped() {
    let mut timed = launch(8, 64, vec![]);
    timed.limits.timeout = Some(Duration::from_millis(50));
    timed.threads = NonZeroUsize::new(2);
    let trap = trapped(ENDLESS, &timed);
    assert_eq!((trap.kind, trap.instruction.as_str()), (TrapKind::Timeout, "bra"));
    // Both warps of the block are told, with their place.
    let related: Vec<&str> = trap.related.iter().map(|(_, text)| text.as_str()).collect();
    let expected = [
        "thread (0, 0, 0) and 31 more of its warp: run here",
        "thread (32, 0, 0) and 31 more of its warp: run here",
    ];
    assert_eq!(related, expected);
    let mut counted = launch(1, 1, vec![]);
    counted.limits.steps = Some(100_000);
    assert_eq!(trapped(ENDLESS, &counted).kind, TrapKind::Steps);
}

#[test]
fn faulty_accesses_say_which_argument_or_variable_they_miss() {
    let object = |text: &str, arguments: Vec<Argument>, dynamic: u32| {
        let mut launch = launch(1, 1, arguments);
        launch.dynamic_shared = dynamic;
        let trap = trapped(text, &launch);
        assert_eq!(trap.kind.code(), codes::FAULT);
        assert!(trap.to_string().contains(trap.object.as_deref().unwrap_or_default()));
        trap.object.unwrap_or_default()
    };
    let store = |offset: i32| {
        format!(
            ".visible .entry k(.param .u32 n, .param .u64 first, .param .u64 second) {{
                .reg .b64 %rd<2>; ld.param.u64 %rd1, [second]; st.global.u32 [%rd1+{offset}], 1; ret; }}"
        )
    };
    let buffers =
        || vec![Argument::Bytes(vec![0; 4]), Argument::Buffer(vec![0; 64]), Argument::Buffer(vec![0; 10])];
    assert_eq!(object(&store(8), buffers(), 0), "offset 8 of argument 2 (`second`), which has 10 bytes");
    assert_eq!(object(&store(400), buffers(), 0), "offset 400 of argument 2 (`second`), which has 10 bytes");
    let null = ".visible .entry k() { .reg .b64 %rd<2>; mov.u64 %rd1, 8; st.global.u32 [%rd1], 1; ret; }";
    assert_eq!(object(null, Vec::new(), 0), "it is 8 bytes after a null pointer");
    assert_eq!(object(&null.replace("%rd1, 8", "%rd1, 0"), Vec::new(), 0), "it is a null pointer");
    let nothing = "there is no argument or variable at this address";
    assert_eq!(object(&null.replace("%rd1, 8", "%rd1, 4096"), Vec::new(), 0), nothing);
    let of = |space: &str, name: &str, offset: u32| {
        format!(
            ".global .u32 g[4];\n.shared .align 8 .b8 s[24];\n.extern .shared .b8 d[];\n.const .u32 c[2];
            .visible .entry k() {{ .reg .b32 %r<2>; ld.shared.u8 %r1, [d+0]; ld.shared.u8 %r1, [s];
                ld.const.u32 %r1, [c]; ld.global.u32 %r1, [g]; ld.{space}.u32 %r1, [{name}+{offset}]; ret; }}"
        )
    };
    assert_eq!(
        object(&of("global", "g", 16), Vec::new(), 8),
        "offset 16 of variable `g`, which has 16 bytes"
    );
    assert_eq!(object(&of("const", "c", 8), Vec::new(), 8), "offset 8 of variable `c`, which has 8 bytes");
    assert_eq!(object(&of("shared", "d", 8), Vec::new(), 8), "offset 8 of variable `d`, which has 8 bytes");
}

#[test]
fn endless_recursion_ends_in_an_error() {
    let text = ".func f() { call f; ret; }\n.visible .entry k() { call f; ret; }";
    assert_eq!(trapped(text, &launch(1, 64, vec![])).kind, TrapKind::Stack);
}

/// Every thread of a warp takes a lock in turn while the others of its warp spin (manual 3.2).
#[test]
fn threads_of_a_warp_can_wait_for_each_other() {
    let text = r"
.visible .entry k(.param .u64 p) {
    .reg .pred %p<2>; .reg .b32 %r<6>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [p];
SPIN:
    atom.global.cas.b32 %r1, [%rd1], 0, 1;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra SPIN;
    ld.volatile.global.u32 %r2, [%rd1+4];
    add.u32 %r2, %r2, 1;
    st.volatile.global.u32 [%rd1+4], %r2;
    atom.global.exch.b32 %r3, [%rd1], 0;
    ret;
}";
    for threads in [1, 3] {
        let mut locked = launch(3, 48, vec![Argument::Buffer(vec![0; 8])]);
        locked.threads = NonZeroUsize::new(threads);
        locked.limits.timeout = Some(Duration::from_secs(60));
        assert_eq!(first_buffer(&execute(text, &locked).unwrap()), [0, 144]);
    }
}

/// The first block waits for the last one, so that blocks must be put aside on one host thread.
#[test]
fn blocks_can_wait_for_each_other() {
    let text = r"
.visible .entry k(.param .u64 p) {
    .reg .pred %p<3>; .reg .b32 %r<6>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [p];
    mov.u32 %r1, %ctaid.x;
    setp.eq.u32 %p1, %r1, 9;
    @%p1 st.release.gpu.global.u32 [%rd1], 7;
SPIN:
    ld.acquire.gpu.global.u32 %r2, [%rd1];
    setp.ne.u32 %p2, %r2, 7;
    @%p2 bra SPIN;
    ret;
}";
    for threads in [1, 2] {
        let mut waiting = launch(10, 1, vec![Argument::Buffer(vec![0; 4])]);
        waiting.threads = NonZeroUsize::new(threads);
        waiting.limits.timeout = Some(Duration::from_secs(60));
        assert_eq!(first_buffer(&execute(text, &waiting).unwrap()), [7]);
    }
}

#[test]
fn what_device_code_prints_comes_back_in_order_of_the_blocks() {
    let text = r#"
.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);
.global .align 1 .b8 text[21] = {98, 108, 111, 99, 107, 32, 37, 100, 58, 32, 37, 46, 50, 102, 32, 37, 99, 10, 0, 0, 0};
.visible .entry k() {
    .local .align 8 .b8 depot[24];
    .reg .b32 %r<4>; .reg .b64 %rd<6>; .reg .f64 %fd<2>;
    mov.u64 %rd1, depot;
    cvta.local.u64 %rd2, %rd1;
    mov.u32 %r1, %ctaid.x;
    st.local.u32 [%rd1], %r1;
    cvt.rn.f64.u32 %fd1, %r1;
    st.local.f64 [%rd1+8], %fd1;
    st.local.u32 [%rd1+16], 65;
    mov.u64 %rd3, text;
    cvta.global.u64 %rd4, %rd3;
    { .param .b64 p0; .param .b64 p1; .param .b32 q;
      st.param.b64 [p0], %rd4;
      st.param.b64 [p1], %rd2;
      call.uni (q), vprintf, (p0, p1);
      ld.param.b32 %r2, [q]; }
    ret;
}"#;
    let mut printing = launch(3, 1, vec![]);
    printing.threads = NonZeroUsize::new(3);
    let outcome = execute(text, &printing).unwrap();
    assert_eq!(
        String::from_utf8(outcome.output).unwrap(),
        "block 0: 0.00 A\nblock 1: 1.00 A\nblock 2: 2.00 A\n"
    );
    printing.limits.output = 20;
    printing.threads = NonZeroUsize::new(1);
    assert_eq!(trapped(text, &printing).kind, TrapKind::Output);
}

#[test]
fn device_memory_can_be_allocated_and_given_back() {
    let text = r"
.extern .func (.param .b64 r) malloc (.param .b64 n);
.extern .func free (.param .b64 p);
.visible .entry k(.param .u64 out) {
    .reg .b64 %rd<6>; .reg .b32 %r<3>;
    ld.param.u64 %rd3, [out];
    { .param .b64 n; .param .b64 p;
      st.param.b64 [n], 100;
      call (p), malloc, (n);
      ld.param.b64 %rd1, [p]; }
    st.u32 [%rd1+96], 5;
    ld.u32 %r1, [%rd1+96];
    st.global.u32 [%rd3], %r1;
    { .param .b64 n; .param .b64 p;
      st.param.b64 [n], 1000000000000;
      call (p), malloc, (n);
      ld.param.b64 %rd2, [p]; }
    st.global.u64 [%rd3+8], %rd2;
    { .param .b64 p;
      st.param.b64 [p], %rd1;
      call free, (p); }
    ret;
}";
    let outcome = execute(text, &launch(1, 1, vec![Argument::Buffer(vec![9; 16])])).unwrap();
    assert_eq!(first_buffer(&outcome), [5, 0x0909_0909, 0, 0]);
}

#[test]
fn failed_assertions_are_reported_with_their_text() {
    let text = r#"
.extern .func __assertfail (.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);
.global .align 1 .b8 message[6] = {120, 32, 62, 32, 48, 0};
.visible .entry k() {
    .reg .b64 %rd<3>;
    mov.u64 %rd1, message;
    cvta.global.u64 %rd2, %rd1;
    { .param .b64 m; .param .b64 f; .param .b32 l; .param .b64 n; .param .b64 s;
      st.param.b64 [m], %rd2;
      st.param.b64 [f], %rd2;
      st.param.b32 [l], 12;
      st.param.b64 [n], %rd2;
      st.param.b64 [s], 1;
      call __assertfail, (m, f, l, n, s); }
    ret;
}"#;
    assert_eq!(
        trapped(text, &launch(1, 1, vec![])).kind,
        TrapKind::Assertion("x > 0:12: x > 0: x > 0".to_owned())
    );
}

#[test]
fn indirect_calls_and_branches_are_checked() {
    let text = r"
.visible .entry k(.param .u64 f) {
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [f];
    P: .callprototype _ ();
    call %rd1, P;
    ret;
}";
    let argument = Argument::Bytes(64u64.to_le_bytes().to_vec());
    assert_eq!(trapped(text, &launch(1, 1, vec![argument])).kind, TrapKind::CallTarget(64));
    let text = r"
.visible .entry k() {
    .reg .b32 %r<2>;
    T: .branchtargets A, B;
    mov.u32 %r1, %tid.x;
    brx.idx %r1, T;
A:  ret;
B:  ret;
}";
    assert!(execute(text, &launch(1, 2, vec![])).is_ok());
    let trap = trapped(text, &launch(1, 3, vec![]));
    assert_eq!((trap.kind, trap.thread), (TrapKind::BranchIndex(2), [2, 0, 0]));
}

#[test]
fn vector_registers_are_loaded_and_stored_whole() {
    let text = r"
.visible .entry k(.param .u64 p) {
    .reg .v4 .u32 %v; .reg .b64 %rd<2>; .reg .b32 %r<2>;
    ld.param.u64 %rd1, [p];
    ld.global.v4.u32 %v, [%rd1];
    mov.b32 %r1, %v.w;
    add.u32 %v.x, %v.x, %r1;
    st.global.v4.u32 [%rd1], %v;
    ret;
}";
    let bytes = [1u32, 2, 3, 4].into_iter().flat_map(u32::to_le_bytes).collect();
    let outcome = execute(text, &launch(1, 1, vec![Argument::Buffer(bytes)])).unwrap();
    assert_eq!(first_buffer(&outcome), [5, 2, 3, 4]);
}

#[test]
fn results_do_not_depend_on_the_number_of_host_threads() {
    let text = r"
.visible .entry k(.param .u64 p) {
    .reg .b32 %r<8>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [p];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %tid.x;
    mad.lo.u32 %r3, %r1, 100, %r2;
    mul.wide.u32 %rd2, %r3, 2;
    add.u64 %rd3, %rd1, %rd2;
    st.global.u16 [%rd3], %r3;
    ret;
}";
    let expected: Vec<u8> = (0..5000u16).flat_map(u16::to_le_bytes).collect();
    for threads in [1, 2, 7] {
        let mut spread = launch(50, 100, vec![Argument::Buffer(vec![0; 10_000])]);
        spread.threads = NonZeroUsize::new(threads);
        let outcome = execute(text, &spread).unwrap();
        assert_eq!(outcome.buffers[0].as_deref(), Some(expected.as_slice()));
        assert_eq!(outcome.thread_instructions, 5000 * 8);
        assert_eq!(outcome.warp_instructions, 50 * 4 * 8);
    }
}

#[test]
fn the_first_of_several_bad_blocks_is_reported() {
    let text = r"
.visible .entry k() {
    .reg .pred %p<3>; .reg .b32 %r<3>;
    mov.u32 %r1, %ctaid.x;
    setp.lt.u32 %p1, %r1, 5;
    @!%p1 trap;
    mov.u32 %r2, 0;
L:  add.u32 %r2, %r2, 1;
    setp.lt.u32 %p2, %r2, 20000;
    @%p2 bra L;
    setp.eq.u32 %p1, %r1, 3;
    @%p1 trap;
    ret;
}";
    for threads in [1, 2, 8] {
        let mut bad = launch(8, 1, vec![]);
        bad.threads = NonZeroUsize::new(threads);
        assert_eq!(trapped(text, &bad).block, [3, 0, 0], "{threads} host threads");
    }
}

#[test]
fn too_large_variables_are_refused() {
    let text = r"
.global .b8 a[600000000]; .global .b8 b[600000000];
.visible .entry k() { .reg .b64 %rd<3>; mov.u64 %rd1, a; mov.u64 %rd2, b; ret; }
.visible .entry fine() { ret; }";
    assert!(refused(text, &Launch::new("k"))[0].starts_with("X0004 with `b`"));
    assert!(execute(text, &Launch::new("fine")).is_ok());
}

#[test]
fn a_trap_names_the_line_of_the_source() {
    let text = r#"
.file 1 "/src/kernel.cu"
.file 2 "/src/inline.cuh"
.visible .entry k(.param .u64 p) {
    .reg .b64 %rd<3>; .reg .b32 %r<3>;
    .loc 1 12 9
    ld.param.u64 %rd1, [p];
    .loc 2 20 1, function_name $name, inlined_at 1 12 9
    .loc 2 3 7, function_name $name, inlined_at 2 20 1
    ld.global.u32 %r1, [%rd1+4];
    .loc 1 13 0
    bar.sync 1, 64;
    ret;
}
.section .debug_str { $name: .b8 107 .b8 0 }"#;
    let found = trapped(text, &launch(1, 1, vec![Argument::Buffer(vec![0; 4])]));
    let source = found.source.as_ref().unwrap();
    assert_eq!((&*source.file, source.line, source.column), ("/src/inline.cuh", 3, 7));
    assert!(
        found.to_string().ends_with(
            ", at /src/inline.cuh:3:7, inlined at /src/inline.cuh:20:1, inlined at /src/kernel.cu:12:9"
        ),
        "{found}"
    );
    // Where the threads of a deadlock wait is named too.
    let found = trapped(text, &launch(1, 1, vec![Argument::Buffer(vec![0; 8])]));
    assert!(matches!(found.kind, TrapKind::Deadlock(_)), "{found}");
    assert!(found.to_string().ends_with(", at /src/kernel.cu:13"), "{found}");
    assert!(found.related[0].1.ends_with(", at /src/kernel.cu:13"), "{:?}", found.related);
    // Of a module without lines none is named.
    let without = text.lines().filter(|line| !line.trim().starts_with(".loc")).collect::<Vec<_>>().join("\n");
    assert_eq!(trapped(&without, &launch(1, 1, vec![Argument::Buffer(vec![0; 4])])).source, None);
}

/// Of a kernel of one warp, that its threads are reported as divergent at an instruction, and the texts about others.
fn diverges(body: &str, at: &str) -> Vec<String> {
    let text = format!(
        ".visible .entry k() {{ .reg .pred %p<3>; .reg .b32 %r<9>; .shared .align 16 .b8 s[512];
        mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 16; mov.b32 %r2, s; {body} ret; }}"
    );
    let found = trapped(&text, &launch(1, 32, vec![]));
    assert!(matches!(&found.kind, TrapKind::Misuse(_)), "{found}");
    assert_eq!(found.instruction, at, "{found}");
    found.related.into_iter().map(|(_, text)| text).collect()
}

#[test]
fn divergence_at_an_aligned_barrier_is_reported() {
    // Manual 9.7.13.1: all threads execute the same instruction.
    let both = "@%p1 bra L; bar.sync 0; bra E; L: bar.sync 0; E:";
    let waits = diverges(both, "bar.sync");
    assert_eq!(waits.len(), 1);
    assert!(waits[0].ends_with("of the warp waits here"), "{waits:?}");
    diverges(&both.replace("bar.sync 0", "barrier.sync.aligned 0"), "barrier.sync.aligned");
    // Some threads pass by the first one and come to the second.
    diverges("@%p1 bra L; bar.sync 0; L: bar.sync 0;", "bar.sync");
    // Those of named barriers too.
    diverges("@%p1 bra L; bar.sync 1, 32; bra E; L: bar.sync 2, 32; E:", "bar.sync");
    // What is not aligned may be different instructions.
    let apart = format!(
        ".visible .entry k() {{ .reg .pred %p<3>; .reg .b32 %r<9>;
        mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 16; {} ret; }}",
        both.replace("bar.sync 0", "barrier.sync 0")
    );
    assert!(execute(&apart, &launch(1, 64, vec![])).is_ok());
}

#[test]
fn divergence_at_an_aligned_collective_is_reported() {
    let load = "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [%r2];";
    diverges(&format!("@%p1 bra L; {load} bra E; L: {load} E:"), "ldmatrix.sync.aligned.m8n8.x1.shared.b16");
}

#[test]
fn a_deadlock_tells_for_whom_each_group_waits() {
    let waits = |threads: u32, body: &str| {
        let text = format!(
            ".visible .entry k() {{ .reg .pred %p<3>; .reg .b32 %r<9>;
            mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, {}; @%p1 bra L; {body} ret; }}",
            threads / 2
        );
        let found = trapped(&text, &launch(1, threads, vec![]));
        assert!(matches!(found.kind, TrapKind::Deadlock(_)), "{found}");
        let mut texts: Vec<String> = found.related.into_iter().map(|(_, text)| text).collect();
        texts.sort();
        texts
    };
    // Two warps at each of two barriers that are for three.
    let named = waits(128, "bar.sync 1, 96; bra E; L: bar.sync 2, 96; E:");
    let expected = |(first, barrier)| {
        format!(
            "thread ({first}, 0, 0) and 31 more of its warp: wait at barrier {barrier}, to which 64 of 96 threads have come"
        )
    };
    assert_eq!(named, [(0, 2), (32, 2), (64, 1), (96, 1)].map(expected));
    // Half a warp shuffles with the other half, which waits for all threads.
    assert_eq!(
        waits(32, "shfl.sync.idx.b32 %r2, %r1, 0, 31, -1; bra E; L: barrier.sync 0; E:"),
        [
            "thread (0, 0, 0) and 15 more of its warp: wait at barrier 0, to which thread (16, 0, 0) and 15 more have not come",
            "thread (16, 0, 0) and 15 more of its warp: wait for lanes 0xffffffff, of which thread (0, 0, 0) and 15 more have not come",
        ]
    );
}

#[test]
fn a_launch_of_at_most_so_many_instructions_is_over_or_stopped() {
    // Each of two warps executes `st` and `ret`.
    let text = format!(
        "{HEAD}.visible .entry k(.param .u64 to) {{ .reg .b64 %a; .shared .u32 s; st.shared.u32 [s], 1; ret; }}"
    );
    let launch = launch(2, 32, vec![Argument::Buffer(vec![0; 4])]);
    let source = ptx_diag::SourceFile::new("test.ptx", text);
    let (module, _) = ptx_syntax::parse(&source);
    let (verified, _) = ptx_verify::verify(&module).expect("valid");
    let at_most = |steps| {
        let decoded = ptx_exec::DecodedLaunch::new(verified, &launch).expect("it fits");
        let setup = decoded.load().set_up_with(|spec| spec.limits.steps = Some(steps)).expect("it fits");
        match Interpretation::new(setup).run().executed() {
            Ok(executed) => Ok(executed.warp_instructions),
            Err(ExecError::Trap(trap)) => Err(trap.kind),
            Err(other) => panic!("{other:?}"),
        }
    };
    assert_eq!((at_most(4), at_most(3)), (Ok(4), Err(TrapKind::Steps)));
}
