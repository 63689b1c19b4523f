//! Counters after a launch are what follows from the program, and the program computes what it did without them.

use ptx_device::{Device, Module, Shape};
use ptx_diag::SourceFile;
use ptx_instrument::{COUNTERS, Counted, InstrumentError, PLACES, Place, instrument};

/// 40 of 64 threads add what is below their number, in a loop; even ones store it.
const KERNEL: &str = ".version 8.0
.target sm_80
.address_size 64
.func (.param .b32 r) twice(.param .b32 a)
{
    .reg .b32 %x;
    ld.param.b32 %x, [a];
    add.s32 %x, %x, %x;
    st.param.b32 [r], %x;
    ret;
}
.visible .entry sums(.param .u64 out, .param .u32 n)
{
    .reg .pred %p<3>;
    .reg .b32 %r<6>;
    .reg .b64 %rd<3>;
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    mov.u32 %r3, 0;
    mov.u32 %r4, 0;
    setp.ge.u32 %p1, %r2, %r1;
    @%p1 bra $end;
$loop:
    add.u32 %r3, %r3, %r4;
    add.u32 %r4, %r4, 1;
    setp.le.u32 %p1, %r4, %r2;
    @%p1 bra $loop;
    {
        .param .b32 a;
        .param .b32 r;
        st.param.b32 [a], %r3;
        call (r), twice, (a);
        ld.param.b32 %r3, [r];
    }
    and.b32 %r5, %r2, 1;
    setp.eq.u32 %p2, %r5, 0;
    ld.param.u64 %rd1, [out];
    mad.wide.u32 %rd2, %r2, 4, %rd1;
    @%p2 st.global.u32 [%rd2], %r3;
$end:
    bar.sync 0;
    ret;
}
";

fn instrumented(counted: Counted) -> (String, Vec<Place>) {
    let (mut module, findings) = ptx_syntax::parse(&SourceFile::new("k.ptx", KERNEL));
    assert!(!findings.has_errors());
    let line = |offset: u32| KERNEL[..offset as usize].matches('\n').count() + 1;
    let places = instrument(&mut module, counted, |spans| {
        spans.iter().map(|span| format!("k.ptx:{}", line(span.lo))).collect()
    })
    .expect("room");
    assert!(ptx_verify::verify(&module).is_ok());
    (ptx_ir::print(&module), places)
}

/// The results and the counters of a launch of 2 blocks of 64 threads.
fn run(text: &str, counters: usize) -> (Vec<u32>, Vec<u64>, String) {
    let device = Device::new();
    let module = Module::load(&device, "k.ptx", text.to_owned()).expect("valid");
    let (mut results, mut counts) = (vec![0u32; 64], vec![0u64; counters]);
    let out = device.upload(&results).expect("memory");
    let kernel = module.kernel("sums").expect("the kernel");
    kernel.launch(&Shape::linear(2, 64), &[out.into(), 40u32.into()]).expect("no fault");
    device.download(out, &mut results).expect("the buffer");
    let mut places = Vec::new();
    if counters > 0 {
        let found = |name| module.variable(name).expect("the variable");
        device.download(found(COUNTERS).address, &mut counts).expect("the counters");
        places = vec![0u8; usize::try_from(found(PLACES).bytes).expect("a size")];
        device.read(found(PLACES).address, &mut places).expect("the places");
        assert_eq!(places.pop(), Some(0));
    }
    (results, counts, String::from_utf8(places).expect("a text"))
}

#[test]
fn counters_are_what_the_program_executes() {
    let (plain, ..) = run(KERNEL, 0);
    assert_eq!((plain[4], plain[5], plain[40]), (20, 0, 0));
    // Both blocks: 80 threads go on, those of number n 1 + n times around the loop; 40 store.
    let rounds: u64 = 2 * (0..40u64).map(|n| n + 1).sum::<u64>();
    for (counted, expected) in [
        // The function, the entry, the loop, what follows, the end.
        (Counted::Blocks, &[80, 128, rounds, 80, 128][..]),
        (Counted::Accesses, &[40]),
        (Counted::Barriers, &[128]),
        (Counted::Calls, &[80]),
    ] {
        let (text, places) = instrumented(counted);
        let (results, counts, lines) = run(&text, places.len());
        assert_eq!(results, plain, "{counted:?}");
        assert_eq!(counts, expected, "{counted:?}: {lines}");
    }
    let (text, places) = instrumented(Counted::Instructions);
    let (results, counts, lines) = run(&text, places.len());
    assert_eq!((results, counts.len(), lines.lines().count()), (plain, places.len(), places.len()));
    for (line, count) in lines.lines().zip(counts) {
        let expected = match line.split('\t').collect::<Vec<_>>()[..] {
            ["twice", ..] => 80,
            ["sums", place, _] => match place.trim_start_matches("k.ptx:").parse::<u32>().expect("a line") {
                ..=21 => 128,
                23..=26 => rounds,
                // The branch is counted when it is taken.
                22 => 48,
                39 => 40,
                27..=38 => 80,
                _ => 128,
            },
            _ => panic!("{line}"),
        };
        let expected = if line.contains("bra $loop") { rounds - 80 } else { expected };
        assert_eq!(count, expected, "{line}");
    }
}

#[test]
fn a_module_is_instrumented_once_and_needs_a_place() {
    let (text, _) = instrumented(Counted::Blocks);
    let (mut again, _) = ptx_syntax::parse(&SourceFile::new("k.ptx", text));
    let error = instrument(&mut again, Counted::Barriers, |spans| vec![String::new(); spans.len()]);
    assert_eq!(error, Err(InstrumentError::Taken(COUNTERS)));
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n.entry k()\n{\nret;\n}\n";
    let (mut module, _) = ptx_syntax::parse(&SourceFile::new("k.ptx", text));
    let before = ptx_ir::print(&module);
    assert_eq!(
        instrument(&mut module, Counted::Calls, |spans| vec![String::new(); spans.len()]),
        Err(InstrumentError::Nothing)
    );
    assert_eq!(ptx_ir::print(&module), before);
}
