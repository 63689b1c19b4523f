//! No input makes the reader panic, hang or say more than people can read.

use crate::common::HEAD;
use ptx_diag::{Diagnostics, SourceFile};
use ptx_syntax::Comments;

const SAMPLE: &str = r#"
.file 1 "a.cu"
.extern .func (.param .b32 r) f(.param .b64 a);
.visible .global .align 8 .u64 v[3] = {v, generic(v)+4, (1 + 2) * 3}; // end
.section .debug_str { L: .b8 1,2 }
.visible .entry k(.param .u64 .ptr .global .align 4 p, .param .b8 q[4])
.maxntid 128, 1, 1
{
	.reg .pred %p<2>; .reg .b32 %r<9>, z; .reg .b64 %rd<3>;
	.local .align 4 .b8 local[16];
	.loc 1 2 3, function_name L, inlined_at 1 4 5
	ld.param.u64 %rd1, [p];
	mov.u32 %r1, %tid.x; /* lane */
	setp.lt.s32 %p1, %r1, 0x20;
	@!%p1 bra $L2;
	{ // callseq
	.param .b64 a; .param .b32 r;
	st.param.b64 [a+0], %rd1;
	call.uni (r), f, (a);
	}
T: .branchtargets $L1, $L2;
	brx.idx %r1, T;
$L1: ld.global.v2.b32 {%r2, _}, [%rd1+-8];
	fma.rn.f32 %r3, %r2, 0f3F800000, -1.5;
$L2: ret;
}
"#;

fn read(text: impl Into<Vec<u8>>) -> Diagnostics {
    ptx_syntax::parse(&SourceFile::new("test.ptx", text)).1
}

fn codes(findings: &Diagnostics) -> Vec<&'static str> {
    findings.iter().map(|finding| finding.code.0).collect()
}

/// Every finding can be shown: its place lies in the text.
fn assert_sound(text: &[u8]) {
    let findings = read(text);
    for finding in &findings {
        let span = finding.span.expect("findings of the reader have places");
        assert!(span.lo <= span.hi && span.hi as usize <= text.len(), "{finding:?}");
        assert!(!finding.message.is_empty());
    }
}

#[test]
fn every_truncation_of_a_sample_is_read_or_refused() {
    let text = format!("{HEAD}{SAMPLE}");
    assert_eq!(codes(&read(text.as_str())), Vec::<&str>::new());
    for end in 0..text.len() {
        assert_sound(&text.as_bytes()[..end]);
    }
}

#[test]
fn every_byte_of_a_sample_can_be_something_else() {
    let text = format!("{HEAD}{SAMPLE}").into_bytes();
    for at in 0..text.len() {
        for byte in [b'\n', b'"', b'{', b'}', b';', b'.', b'9', 0xFF] {
            let mut changed = text.clone();
            changed[at] = byte;
            assert_sound(&changed);
        }
    }
}

#[test]
fn every_byte_of_a_sample_can_be_missing_or_doubled() {
    let text = format!("{HEAD}{SAMPLE}").into_bytes();
    for at in 0..text.len() {
        let mut shorter = text.clone();
        shorter.remove(at);
        assert_sound(&shorter);
        let mut longer = text.clone();
        longer.insert(at, text[at]);
        assert_sound(&longer);
    }
}

#[test]
fn deep_nesting_is_one_clean_error() {
    let deep = |open: &str, close: &str| format!("{}{}", open.repeat(10_000), close.repeat(10_000));
    let paren = format!("{HEAD}.entry k() {{ .reg .b32 r; mov.b32 r, {}; }}", deep("(", ")"));
    assert_eq!(codes(&read(paren)), ["P0004"]);
    let initial = format!("{HEAD}.global .u32 x = {};", deep("{", "}"));
    assert_eq!(codes(&read(initial)), ["P0004"]);
    let braces = format!("{HEAD}.entry k() {{ {} }}", deep("{", "}"));
    assert_eq!(codes(&read(braces)), ["P0004"]);
    for open in ["1?", "(.u64)", "1+("] {
        let expression = format!("{HEAD}.global .u32 x = {}1;", open.repeat(10_000));
        assert_eq!(codes(&read(expression)), ["P0004"]);
    }
    // Signs and operators of one level do not nest.
    let long = format!("{HEAD}.global .u32 x = {}1 {};", "-".repeat(10_000), "+ 1".repeat(10_000));
    assert_eq!(codes(&read(long)), Vec::<&str>::new());
}

#[test]
fn the_number_of_errors_is_limited() {
    let text = format!("{HEAD}.entry k() {{ {} ret; }}", "bogus;\n".repeat(5_000));
    let found = codes(&read(text));
    assert_eq!((found.len(), found.last()), (1001, Some(&"P0005")));
}

#[test]
fn bytes_that_are_no_text_are_few_errors() {
    // A linear congruential generator: any bytes do.
    let mut state = 1u32;
    let bytes: Vec<u8> = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    })
    .take(200_000)
    .collect();
    assert_sound(&bytes);
    assert!(read(bytes).error_count() < 10);
    let mut zeros = vec![0; 100_000];
    zeros.push(b'x');
    assert_eq!(codes(&read(zeros)), ["P0001"]);
}

#[test]
fn time_is_linear_in_labels_registers_and_errors() {
    // Quadratic time would take minutes for these.
    let labels: String = (0..10_000).map(|n| format!("bra L{};\nL{n}:\n", 9_999 - n)).collect();
    assert_eq!(codes(&read(format!("{HEAD}.entry k() {{ {labels} ret; }}"))), Vec::<&str>::new());
    let nested: String = (0..10_000).map(|n| format!("{{ bra L{n}; }}\n")).collect();
    let outer: String = (0..10_000).map(|n| format!("L{n}:\n")).collect();
    assert_eq!(codes(&read(format!("{HEAD}.entry k() {{ {nested} {outer} ret; }}"))), Vec::<&str>::new());
    let registers: String = (0..20_000).map(|n| format!(".reg .b32 r{n};\n")).collect();
    assert_eq!(codes(&read(format!("{HEAD}.entry k() {{ {registers} ret; }}"))), Vec::<&str>::new());
    let undefined: String = (0..10_000).map(|n| format!("bra L{n};\nM{n}:\n")).collect();
    assert_eq!(read(format!("{HEAD}.entry k() {{ {undefined} ret; }}")).error_count(), 1001);
}

#[test]
fn time_is_linear_in_marks_that_begin_no_line_marker() {
    // One line, which is searched for the end of a marker from none of its marks.
    for text in ["# ", "# 1 ", "# line 1 ", "# 1 \"a ", "#\t\t"] {
        let start = std::time::Instant::now();
        let line = text.repeat(3_000_000 / text.len());
        assert!(!codes(&read(format!("{HEAD}{line}\n"))).is_empty());
        assert!(start.elapsed().as_secs() < 120, "{text:?}: {:?}", start.elapsed());
    }
}

/// Statements of all kinds, with a blank wherever a comment may be.
const SPACED: &str = "\
.global .align 8 .b32 table [ 4 ] = { 1 , 2 , 3 , 4 } ; .global .u64 at = table ; .const .f32 numbers [ ] = { 0f3F800000 , 1.5 } ;
.func ( .param .align 8 .b8 result [ 8 ] ) f ( .reg .b32 a ) { st.param.v2.b32 [ result ] , { 0f3F800000 , 1 } ; ret ; }
.visible .entry k ( .param .u64 p , .param .u32 n ) .maxntid 32 , 1 , 1 .pragma \"nounroll\" ; {
 .reg .pred p1 , p2 ; .reg .b32 r < 4 > ; .reg .b64 d ; .param .b32 one ;
 ld.param.u64 d , [ p + 0 ] ; START : add.u32 r0 , r1 , 4 ; @ p1 bra START ; @! p2 bra END ;
 { .reg .b32 inner ; mov.u32 inner , %tid.x ; } call ( r1 ) , f , ( r0 ) ; targets : .branchtargets START , END ; brx.idx r0 , targets ;
 END : setp.eq.and.u32 p1 | p2 , r0 , r1 , ! p1 ; ret ; }";

#[test]
fn comments_may_be_between_any_tokens() {
    let read = |text: &str| {
        let source =
            SourceFile::new("test.ptx", format!(".version 8.7\n.target sm_90\n.address_size 64\n{text}"));
        let (module, findings) = ptx_syntax::parse_with(&source, Comments::Dropped);
        let messages: Vec<_> = findings.iter().map(|finding| finding.message.clone()).collect();
        assert_eq!(messages, Vec::<String>::new(), "{text}");
        module
    };
    let expected = read(SPACED);
    let blanks: Vec<usize> = SPACED.match_indices(' ').map(|(at, _)| at).collect();
    for comment in [" /* ; { */ ", " // } ,\n"] {
        assert!(read(&SPACED.replace(' ', comment)) == expected, "with {comment:?} everywhere");
        for &at in &blanks {
            let with = format!("{}{comment}{}", &SPACED[..at], &SPACED[at + 1..]);
            assert!(read(&with) == expected, "with {comment:?} at {at}: {}", &SPACED[at..]);
        }
    }
}
