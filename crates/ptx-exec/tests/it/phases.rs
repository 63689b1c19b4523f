//! Primary and conditional phases of barriers, reports about data that was copied, operations on the barriers of several blocks,
//! and copies past the end of an allocation (manual 9.4, 9.7.15.16 and 9.7.10.28). Expected values follow from the manual's
//! conditions for the end of a phase (9.7.15.16.8) and its table of report mechanisms (9.7.10.28.1.3), worked out by hand.

use executed_rows::run;
use ptx_diag::SourceFile;
use ptx_exec::{Argument, Completion, ExecError, Launch, TrapKind};

const ALL: [Completion; 4] =
    [Completion::Eager, Completion::Late, Completion::Random(2), Completion::Random(5)];

/// What a kernel leaves in its buffer, whose address is in `%out`; `%rank` is that of the block in a cluster of so many.
fn execute(blocks: u32, completion: Completion, body: &str, buffer: &[u8]) -> Result<Vec<u8>, TrapKind> {
    let text = format!(
        ".version 9.4\n.target sm_107a\n.address_size 64
        .visible .entry k(.param .u64 p) {{
            .reg .pred %p, %q, %w; .reg .b8 %v; .reg .b16 %h<9>; .reg .b32 %rank, %r<20>; .reg .b64 %out, %rd<20>;
            .shared .align 128 .b8 s[256]; .shared .b64 bar;
            ld.param.u64 %out, [p]; mov.u32 %rank, %cluster_ctarank; mov.u32 %r1, s; mov.u32 %r2, bar;
            {body}
            ret; }}"
    );
    let source = SourceFile::new("test.ptx", text.clone());
    let (module, findings) = ptx_syntax::parse(&source);
    assert!(!findings.has_errors(), "{findings:?}\n{text}");
    let (verified, _) = ptx_verify::verify(&module).unwrap_or_else(|findings| panic!("{findings:?}\n{text}"));
    let launch = Launch {
        grid: [blocks, 1, 1],
        cluster: Some([blocks, 1, 1]),
        arguments: vec![Argument::Buffer(buffer.to_vec())],
        completion,
        ..Launch::new("k")
    };
    match run(verified, &launch) {
        Ok(outcome) => Ok(outcome.buffers[0].clone().unwrap()),
        Err(ExecError::Trap(trap)) => Err(trap.kind),
        Err(other) => panic!("{other:?}\n{text}"),
    }
}

fn misuse(result: Result<Vec<u8>, TrapKind>) -> String {
    match result {
        Err(TrapKind::Misuse(text)) => text,
        other => panic!("{other:?}"),
    }
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}

const MEET: &str = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;";
const COPY: &str = "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes";
const WAIT: &str = "mbarrier.try_wait.parity.phase_type::primary.shared.b64";

#[test]
fn without_reports_both_phases_end_together() {
    // Asked before and after each of two phases; the registers held something else before.
    let asks = |at: usize, parity: u32| {
        format!(
            "mov.u32 %r9, 7; cvt.u8.u32 %v, %r9; setp.eq.u32 %q, %r9, 7;
            mbarrier.test_wait.parity.phase_type::conditional.shared.b64 %p, [bar], {parity}; selp.u32 %r3, 1, 0, %p;
            mbarrier.test_wait.parity.phase_type::primary.shared.b64 %p|%q, %v, [bar], {parity};
            selp.u32 %r4, 1, 0, %p; selp.u32 %r5, 1, 0, %q; cvt.u32.u8 %r6, %v;
            st.global.v4.u32 [%out+{at}], {{%r3, %r4, %r5, %r6}};"
        )
    };
    for layout in ["", ".layout::v0", ".layout::v1"] {
        let body = format!(
            "mbarrier.init{layout}.shared.b64 [bar], 1; {} mbarrier.arrive.shared.b64 %rd1, [bar]; {}
            mbarrier.test_wait.phase_type::primary.shared.b64 %w|%q, %v, [bar], %rd1;
            @!%w trap; @%q trap; {} mbarrier.arrive.shared.b64 _, [bar]; {}",
            asks(0, 0),
            asks(16, 0),
            asks(32, 1),
            asks(48, 1),
        );
        let left = execute(1, Completion::Eager, &body, &[9; 64]).unwrap();
        let expected = [[0, 0, 0, 0], [1, 1, 0, 0], [0, 0, 0, 0], [1, 1, 0, 0]];
        assert_eq!(words(&left), expected.concat(), "{layout}");
    }
}

#[test]
fn a_report_keeps_the_conditional_phase_back() {
    // 32 bytes of -0 in half precision, then 32 bytes without. After the first copy the primary phase 0 is over with a report
    // and the conditional phase 0 is not; after the second the primary phase 1 is, and the conditional phase 0.
    let copy = |from: u32, parity: u32, at: u32| {
        format!(
            "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 32;
            {COPY}.mbarrier::report::validity::per_16bytes::8000 [%r1], [%out+{from}], 32, [%r2];
            mov.u32 %r9, 7; cvt.u8.u32 %v, %r9;
            W{at}: {WAIT} %p|%q, %v, [bar], {parity}; @!%p bra W{at};
            selp.u32 %r4, 1, 0, %q; cvt.u32.u8 %r5, %v; ld.shared.u32 %r7, [s];
            mbarrier.test_wait.parity.phase_type::conditional.shared.b64 %p, [bar], 0; selp.u32 %r6, 1, 0, %p;
            st.global.v4.u32 [%out+{at}], {{%r4, %r5, %r6, %r7}};"
        )
    };
    let body =
        format!("mbarrier.init.layout::v1.shared.b64 [bar], 1; {} {}", copy(0, 0, 64), copy(32, 1, 80));
    let mut buffer = [0x00, 0x80].repeat(16);
    buffer.extend([1; 32]);
    buffer.resize(96, 0);
    for completion in ALL {
        let left = execute(1, completion, &body, &buffer).unwrap();
        assert_eq!(words(&left)[16..], [1, 0, 0, 0x8000_8000, 0, 0, 1, 0x0101_0101], "{completion:?}");
    }
}

/// Whether a copy of 32 bytes reports something.
fn reported(mechanism: &str, bytes: &[u8]) -> Result<bool, String> {
    let body = format!(
        "mbarrier.init.layout::v1.shared.b64 [bar], 1; mbarrier.arrive.expect_tx.shared.b64 _, [bar], 32;
        {COPY}.mbarrier::report::{mechanism} [%r1], [%out], 32, [%r2];
        W: {WAIT} %p|%q, [bar], 0; @!%p bra W; selp.u32 %r4, 1, 0, %q; st.global.u32 [%out], %r4;"
    );
    match execute(1, Completion::Late, &body, bytes) {
        Ok(left) => Ok(words(&left)[0] == 1),
        Err(TrapKind::Misuse(text)) => Err(text),
        Err(other) => panic!("{other:?}"),
    }
}

#[test]
fn reports_are_about_their_pattern() {
    let sizes: [(&str, &[u8]); 4] = [
        ("80000000", &[0, 0, 0, 0x80]),
        ("8000", &[0, 0x80]),
        ("80", &[0x80]),
        // Two elements of 4 bits.
        ("8", &[0x88]),
    ];
    for (size, element) in sizes {
        let mechanism = format!("validity::per_16bytes::{size}");
        let zeros = element.repeat(16 / element.len());
        let (plain, mut mixed) = (vec![1; 16], zeros.clone());
        mixed[..element.len()].fill(1);
        assert_eq!(reported(&mechanism, &[plain.clone(), plain.clone()].concat()), Ok(false), "{size}");
        // One chunk is enough.
        assert_eq!(reported(&mechanism, &[plain.clone(), zeros.clone()].concat()), Ok(true), "{size}");
        assert_eq!(reported(&mechanism, &[zeros.clone(), plain.clone()].concat()), Ok(true), "{size}");
        assert_eq!(reported(&mechanism, &[mixed.clone(), zeros.clone()].concat()), Ok(true), "{size}");
        // Which element is looked at is not documented.
        let refused = reported(&mechanism, &[plain, mixed].concat()).unwrap_err();
        assert!(refused.contains("offset 16 are negative zeros"), "{refused}");
        assert_eq!(reported("disabled", &[zeros.clone(), zeros].concat()), Ok(false), "{size}");
    }
    let ones = |at: usize, byte: u8| {
        let mut bytes = vec![0xE1; 32];
        bytes[at] = byte;
        reported("validity::per_element::ff", &bytes)
    };
    assert_eq!(ones(0, 0xE1), Ok(false));
    for at in [0, 15, 16, 31] {
        assert_eq!(ones(at, 0xFF), Ok(true), "{at}");
    }
    assert!(ones(3, 0xF1).unwrap_err().contains("offset 0 have an element of 4 bits"));
}

#[test]
fn reports_and_counts_need_the_layout_for_them() {
    let body = format!(
        "mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;
        {COPY}.mbarrier::report::validity::per_element::ff [%r1], [%out], 16, [%r2];"
    );
    assert!(misuse(execute(1, Completion::Eager, &body, &[0xFF; 16])).contains("without `.layout::v1`"));
    assert!(execute(1, Completion::Eager, "mbarrier.init.layout::v1.shared.b64 [bar], 511;", &[]).is_ok());
    let many = execute(1, Completion::Eager, "mbarrier.init.layout::v1.shared.b64 [bar], 512;", &[]);
    assert!(misuse(many).contains("for 1 to 511 arrivals"));
}

#[test]
fn bytes_out_of_bounds_are_not_read() {
    // 40 bytes: of the 32 bytes from offset 16 the last 8 are not there. The barrier counts them all.
    let copy = |size: u32, left: &str, right: &str| {
        format!(
            "mov.u32 %r3, {left}; mov.u32 %r4, {right};
            mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive.expect_tx.shared.b64 _, [bar], {size};
            {COPY}.ignore_oob [%r1], [%out+16], {size}, %r3, %r4, [%r2];
            W: mbarrier.try_wait.parity.shared.b64 %p, [bar], 0; @!%p bra W;
            ld.shared.v2.u32 {{%r5, %r6}}, [s+16]; st.global.v2.u32 [%out], {{%r5, %r6}};
            ld.shared.u32 %r7, [s+12]; st.global.u32 [%out+8], %r7;"
        )
    };
    let buffer: Vec<u8> = (0..40).collect();
    for completion in ALL {
        // Offsets 32, 36 and 28 of the buffer.
        let expected = [0x2322_2120, 0x2726_2524, 0x1F1E_1D1C];
        let left = execute(1, completion, &copy(32, "12", "8"), &buffer).unwrap();
        assert_eq!(words(&left)[..3], expected, "{completion:?}");
        let fault = execute(1, completion, &copy(32, "0", "7"), &buffer);
        assert!(matches!(fault, Err(TrapKind::Fault(_))), "{fault:?}");
    }
    for (left, right) in [("16", "0"), ("0", "16")] {
        let text = misuse(execute(1, Completion::Eager, &copy(16, left, right), &buffer));
        assert!(text.contains("there are 0 to 15"), "{text}");
    }
    // Nothing of it is left.
    execute(1, Completion::Late, &copy(16, "8", "15"), &buffer).unwrap();
}

#[test]
fn arrivals_reach_the_barriers_of_several_blocks() {
    // Block 1 of 4 does everything at the barriers of blocks 0, 2 and 3, which wait for 3 arrivals and 8 transactions, one of
    // the three for the last time: the phase after it takes 2.
    let far = "relaxed.cluster.shared::cluster.multicast::cluster::32b.b64";
    let body = format!(
        "mbarrier.init.shared.b64 [bar], 3; fence.mbarrier_init.release.cluster; mov.u32 %r3, 13; setp.eq.u32 %q, %rank, 1;
        mov.u32 %r8, 1; {MEET}
        @%q mbarrier.expect_tx.{far} [%r2], 3, %r3;
        @%q mbarrier.arrive.expect_tx.{far} _, [%r2], 5, %r3;
        @%q mbarrier.arrive.{far} _, [%r2], %r8, %r3;
        @%q mbarrier.arrive_drop.{far} _, [%r2], %r3;
        {MEET} mbarrier.test_wait.parity.shared.b64 %p, [bar], 0; selp.u32 %r4, 1, 0, %p; {MEET}
        @%q mbarrier.complete_tx.{far} [%r2], 8, %r3;
        {MEET} mbarrier.test_wait.parity.shared.b64 %p, [bar], 0; selp.u32 %r5, 1, 0, %p;
        mbarrier.arrive.shared.b64 %rd1, [bar]; mbarrier.pending_count.b64 %r6, %rd1;
        mad.wide.u32 %rd2, %rank, 12, %out;
        st.global.u32 [%rd2], %r4; st.global.u32 [%rd2+4], %r5; st.global.u32 [%rd2+8], %r6;"
    );
    let (told, left_out) = ([0, 1, 2], [0, 0, 3]);
    for completion in ALL {
        let left = execute(4, completion, &body, &[9; 48]).unwrap();
        assert_eq!(words(&left), [told, left_out, told, told].concat(), "{completion:?}");
    }
    let text = misuse(execute(2, Completion::Eager, &body, &[9; 48]));
    assert!(text.contains("names blocks that the cluster does not have"), "{text}");
}

#[test]
fn copies_take_masks_of_32_bits() {
    // Block 1 of 4 brings 16 bytes, all ones, to blocks 0, 2 and 3; the barrier of each gets the report.
    let body = format!(
        "mbarrier.init.layout::v1.shared.b64 [bar], 1; fence.mbarrier_init.release.cluster; mov.u32 %r3, 13;
        setp.eq.u32 %w, %rank, 1; mov.u32 %r5, 0; mov.u32 %r4, 0;
        @!%w mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;
        {MEET}
        @%w cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster::32b.mbarrier::report::validity::per_element::ff [%r1+16], [%out], 16, [%r2], %r3;
        @%w bra DONE;
        W: {WAIT} %p|%q, [bar], 0; @!%p bra W; selp.u32 %r4, 1, 0, %q;
        DONE: {MEET}
        ld.shared.u32 %r5, [s+16]; mad.wide.u32 %rd1, %rank, 8, %out;
        st.global.u32 [%rd1+16], %r4; st.global.u32 [%rd1+20], %r5;"
    );
    let mut buffer = vec![0xFF; 16];
    buffer.resize(48, 0);
    for completion in ALL {
        let left = execute(4, completion, &body, &buffer).unwrap();
        let (told, left_out) = ([1, u32::MAX], [0, 0]);
        assert_eq!(words(&left)[4..], [told, left_out, told, told].concat(), "{completion:?}");
    }
}
