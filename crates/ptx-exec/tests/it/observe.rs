//! What a watched launch reports. The counts expected were worked out by hand from the addresses that the threads access.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};

use ptx_diag::SourceFile;
use ptx_exec::{
    Argument, Counts, ExecError, Launch, Observation, Observed, Trace, TraceEvent, TrapKind, run,
    run_observed,
};

fn watch(text: &str, launch: &Launch, observation: &Observation) -> (SourceFile, Observed) {
    let source = SourceFile::new("test.ptx", text.to_owned());
    let (module, findings) = ptx_syntax::parse(&source);
    assert!(!findings.has_errors(), "{findings:?}\n{text}");
    let (verified, _) = ptx_verify::verify(&module).unwrap_or_else(|findings| panic!("{findings:?}\n{text}"));
    let observed = run_observed(verified, launch, observation);
    // A watched launch has the same outcome.
    let (verified, _) = ptx_verify::verify(&module).unwrap();
    assert_eq!(run(verified, launch), observed.result);
    (source, observed)
}

fn launch(grid: u32, block: u32, buffer: usize) -> Launch {
    Launch {
        grid: [grid, 1, 1],
        block: [block, 1, 1],
        arguments: vec![Argument::Buffer(vec![0; buffer])],
        threads: NonZeroUsize::new(1),
        ..Launch::new("k")
    }
}

fn kernel(body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64
.file 1 \"k.cu\"
.func (.reg .b32 sum) increment(.reg .b32 value) {{
add.u32 sum, value, 1;
ret;
}}
.visible .entry k(.param .u64 p) {{
.reg .pred %p, %q; .reg .b32 %t, %r<9>; .reg .f32 %f<3>; .reg .b64 %rd<9>; .shared .align 16 .b8 s[4096];
ld.param.u64 %rd0, [p];
mov.u32 %t, %tid.x;
{body}
ret;
}}"
    )
}

/// The text of an instruction.
fn text_of(source: &SourceFile, span: ptx_diag::Span) -> String {
    String::from_utf8_lossy(&source.text()[span.lo as usize..span.hi as usize]).into_owned()
}

/// The counts of the instruction whose mnemonic this is.
fn counts(observed: &Observed, instruction: &str) -> Counts {
    let mut found = observed.profile.iter().filter(|profile| profile.instruction == instruction);
    let counts = found.next().unwrap_or_else(|| panic!("{instruction}: {:?}", observed.profile)).counts;
    assert!(found.next().is_none(), "{instruction}");
    counts
}

#[test]
fn a_profile_counts_accesses_and_divergence() {
    let body = "mov.b32 %r1, s;
        mul.wide.u32 %rd1, %t, 4; add.u64 %rd1, %rd0, %rd1;
        mul.wide.u32 %rd2, %t, 64; add.u64 %rd2, %rd0, %rd2;
        ld.global.u32 %r2, [%rd1];
        ld.global.f32 %f1, [%rd2];
        ld.global.s32 %r4, [%rd0];
        mad.lo.u32 %r3, %t, 8, %r1;
        st.shared.u32 [%r3], %r2;
        mad.lo.u32 %r3, %t, 128, %r1; and.b32 %r3, %r3, 4095;
        ld.shared.u32 %r5, [%r3];
        setp.lt.u32 %p, %t, 8;
        @%p bra LOW;
        xor.b32 %r6, %t, 1;
        bra.uni END;
        LOW: or.b32 %r6, %t, 1;
        END:
        @%p not.b32 %r6, %r6;";
    let observation = Observation { profile: true, ..Observation::default() };
    let (_, observed) = watch(&kernel(body), &launch(3, 64, 4096), &observation);
    let warps = 3 * 2;
    let expect = |instruction: &str, sectors, conflicts, divergent, threads| {
        let expected = Counts { warps, threads, divergent, sectors, conflicts };
        assert_eq!(counts(&observed, instruction), expected, "{instruction}");
    };
    // 32 words in a row are 4 sectors; 64 bytes apart each has its own; one address is one.
    expect("ld.global.u32", warps * 4, 0, 0, warps * 32);
    expect("ld.global.f32", warps * 32, 0, 0, warps * 32);
    expect("ld.global.s32", warps, 0, 0, warps * 32);
    // Every second bank: two words in each. A row of 128 bytes each: 32 words in one bank.
    expect("st.shared.u32", 0, warps, 0, warps * 32);
    expect("ld.shared.u32", 0, warps * 31, 0, warps * 32);
    // Only the first warp of each block has threads below 8.
    let branch = counts(&observed, "bra");
    assert_eq!((branch.warps, branch.divergent, branch.threads), (warps, 3, 3 * 8));
    let low = counts(&observed, "or.b32");
    assert_eq!((low.warps, low.threads), (3, 3 * 8));
    let high = counts(&observed, "xor.b32");
    assert_eq!((high.warps, high.threads), (warps, 3 * (24 + 32)));
    let guarded = counts(&observed, "not.b32");
    assert_eq!(guarded.threads, 3 * 8);
}

#[test]
fn what_a_launch_cost_until_it_was_stopped_is_reported() {
    let observation = Observation { profile: true, ..Observation::default() };
    let (_, observed) = watch(&kernel("@%p trap;\ntrap;"), &launch(1, 32, 4), &observation);
    assert!(matches!(&observed.result, Err(ExecError::Trap(trap)) if trap.kind == TrapKind::Trap));
    assert_eq!(counts(&observed, "mov.u32").threads, 32);
}

/// What a trace reports, one line for each instruction of a thread.
fn trace(body: &str, launch: &Launch, limit: impl FnOnce(&mut Trace)) -> Vec<String> {
    let events: Arc<Mutex<Vec<TraceEvent>>> = Arc::default();
    let sink = {
        let events = events.clone();
        Arc::new(move |event: &TraceEvent| events.lock().unwrap().push(event.clone()))
    };
    let mut trace = Trace { block: None, thread: None, instructions: None, sink };
    limit(&mut trace);
    let observation = Observation { profile: false, trace: Some(trace) };
    let (source, _) = watch(&kernel(body), launch, &observation);
    let events = events.lock().unwrap();
    let show = |event: &TraceEvent| {
        let values = |values: &[ptx_exec::Value]| {
            let value = |value: &ptx_exec::Value| format!(" {}={:#x}", value.register, value.bits);
            values.iter().map(value).collect::<String>()
        };
        let line = event.source.as_ref().map_or_else(String::new, |line| format!(" {line}"));
        let ([bx, ..], [tx, ..]) = (event.block, event.thread);
        let text = text_of(&source, event.span);
        format!("{bx}:{tx}{line} {text}:{} ->{}", values(&event.reads), values(&event.writes))
    };
    events.iter().map(show).collect()
}

#[test]
fn a_trace_tells_values_before_and_after() {
    let body = ".loc 1 7 3
        setp.ge.u32 %p, %t, 1;
        add.u32 %r1, %t, 5;
        add.u32 %r1, %r1, %r1;
        @%p mul.wide.u32 %rd1, %r1, 4;
        shfl.sync.bfly.b32 %r2, %r1, 1, 0x1f, 3;
        .loc 1 9 0
        mov.b64 %rd2, {%r1, %r2};";
    let events = trace(body, &launch(2, 2, 4), |trace| {
        trace.block = Some([1, 0, 0]);
        trace.instructions = Some(Arc::new(|_, line| line.is_some_and(|line| line.line == 7)));
    });
    // Thread t has t + 5, and twice that; the other one's comes in an event of its own.
    let expected = [
        "1:0 k.cu:7:3 setp.ge.u32 %p, %t, 1: %t=0x0 -> %p=0x0",
        "1:1 k.cu:7:3 setp.ge.u32 %p, %t, 1: %t=0x1 -> %p=0x1",
        "1:0 k.cu:7:3 add.u32 %r1, %t, 5: %t=0x0 -> %r1=0x5",
        "1:1 k.cu:7:3 add.u32 %r1, %t, 5: %t=0x1 -> %r1=0x6",
        "1:0 k.cu:7:3 add.u32 %r1, %r1, %r1: %r1=0x5 %r1=0x5 -> %r1=0xa",
        "1:1 k.cu:7:3 add.u32 %r1, %r1, %r1: %r1=0x6 %r1=0x6 -> %r1=0xc",
        "1:1 k.cu:7:3 @%p mul.wide.u32 %rd1, %r1, 4: %p=0x1 %r1=0xc -> %rd1=0x30",
        "1:0 k.cu:7:3 shfl.sync.bfly.b32 %r2, %r1, 1, 0x1f, 3: %r1=0xa ->",
        "1:1 k.cu:7:3 shfl.sync.bfly.b32 %r2, %r1, 1, 0x1f, 3: %r1=0xc ->",
        "1:0 k.cu:7:3 shfl.sync.bfly.b32 %r2, %r1, 1, 0x1f, 3: -> %r2=0xc",
        "1:1 k.cu:7:3 shfl.sync.bfly.b32 %r2, %r1, 1, 0x1f, 3: -> %r2=0xa",
    ];
    assert_eq!(events, expected);
}

#[test]
fn a_trace_is_of_one_thread() {
    let body = "mov.u32 %r1, 7;\nst.global.u32 [%rd0], %r1;\n@%p bra END;\nEND:";
    let events = trace(body, &launch(1, 64, 4), |trace| trace.thread = Some([33, 0, 0]));
    let base = 1u64 << 36;
    let expected = [
        format!("0:33 ld.param.u64 %rd0, [p]: -> %rd0={base:#x}"),
        "0:33 mov.u32 %t, %tid.x: -> %t=0x21".to_owned(),
        "0:33 mov.u32 %r1, 7: -> %r1=0x7".to_owned(),
        format!("0:33 st.global.u32 [%rd0], %r1: %rd0={base:#x} %r1=0x7 ->"),
        "0:33 ret: ->".to_owned(),
    ];
    let events: Vec<&String> = events.iter().filter(|line| !line.contains("bra")).collect();
    assert_eq!(events, expected.iter().collect::<Vec<_>>());
}

#[test]
fn a_trace_tells_what_is_written_from_what_is_read() {
    let body = "mov.u32 %r1, 5;
        setp.lt.u32 %p|%q, %r1, 6;
        shfl.sync.bfly.b32 %r2|%p, %r1, 0, 0x1f, 1;
        st.global.v2.u32 [%rd0], {%r1, %r2};
        ld.global.v2.u32 {%r3, %r4}, [%rd0];
        vadd.u32.u32.u32 %r6.b1, %r3.b0, %r4, %r1;
        call (%r5), increment, (%r3);";
    let events = trace(body, &launch(1, 1, 8), |_| {});
    let base = 1u64 << 36;
    let expected = [
        "0:0 setp.lt.u32 %p|%q, %r1, 6: %r1=0x5 -> %p=0x1 %q=0x0",
        "0:0 shfl.sync.bfly.b32 %r2|%p, %r1, 0, 0x1f, 1: %r1=0x5 ->",
        "0:0 shfl.sync.bfly.b32 %r2|%p, %r1, 0, 0x1f, 1: -> %r2=0x5 %p=0x1",
        &format!("0:0 st.global.v2.u32 [%rd0], {{%r1, %r2}}: %rd0={base:#x} %r1=0x5 %r2=0x5 ->"),
        &format!("0:0 ld.global.v2.u32 {{%r3, %r4}}, [%rd0]: %rd0={base:#x} -> %r3=0x5 %r4=0x5"),
        // The rest of the destination comes from the last operand.
        "0:0 vadd.u32.u32.u32 %r6.b1, %r3.b0, %r4, %r1: %r3=0x5 %r4=0x5 %r1=0x5 -> %r6=0xa05",
        "0:0 call (%r5), increment, (%r3): %r3=0x5 ->",
        "0:0 add.u32 sum, value, 1: value=0x5 -> sum=0x6",
        // The results come in an event of their own, after the function.
        "0:0 call (%r5), increment, (%r3): -> %r5=0x6",
    ];
    let skip = |line: &&String| [" ld.param", " mov", " ret"].iter().all(|text| !line.contains(text));
    assert_eq!(events.iter().filter(skip).collect::<Vec<_>>(), expected);
}
