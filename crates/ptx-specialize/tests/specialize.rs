//! Specialized kernels: their text, and what they compute in launches that are as assumed.

use ptx_exec::{Argument, Launch};
use ptx_ir::Module;
use ptx_specialize::{Assumptions, SpecializeError, Specialized, specialize};

/// Sums of rows, scaled; parameters of all types, some of which are loaded with another one.
const SUMS: &str = "
.version 8.0
.target sm_80
.address_size 64
.visible .entry sums(.param .u64 out, .param .u64 in, .param .u32 n, .param .f32 scale, .param .u8 small, .param .s16 shift, .param .f64 wide)
{
    .reg .pred %p<3>;
    .reg .b16 %h<3>;
    .reg .b32 %r<20>;
    .reg .f32 %f<6>;
    .reg .f64 %d<3>;
    .reg .b64 %rd<8>;
    .shared .align 4 .b8 rows[1024];
    ld.param.u64 %rd1, [out];
    ld.param.u64 %rd2, [in];
    ld.param.u32 %r1, [n];
    ld.param.f32 %f1, [scale];
    ld.param.u8 %h1, [small];
    ld.param.s16 %r2, [shift];
    ld.param.f64 %d1, [wide];
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %ctaid.x;
    mov.u32 %r5, %tid.x;
    mov.u32 %r16, %tid.y;
    mov.u32 %r17, %nctaid.x;
    mad.lo.u32 %r6, %r4, %r3, %r5;
    mov.f32 %f2, 0f00000000;
    mov.u32 %r7, 0;
$L_loop:
    mad.lo.u32 %r8, %r6, %r1, %r7;
    mul.wide.u32 %rd3, %r8, 4;
    add.u64 %rd4, %rd2, %rd3;
    ld.global.f32 %f3, [%rd4];
    fma.rn.f32 %f2, %f3, %f1, %f2;
    add.u32 %r7, %r7, 1;
    setp.lt.u32 %p1, %r7, %r1;
    @%p1 bra $L_loop;
    mov.u32 %r9, rows;
    shl.b32 %r10, %r5, 2;
    add.u32 %r9, %r9, %r10;
    st.shared.f32 [%r9], %f2;
    bar.sync 0;
    ld.shared.f32 %f4, [%r9];
    cvt.rn.f32.f64 %f5, %d1;
    add.f32 %f4, %f4, %f5;
    cvt.u32.u16 %r11, %h1;
    add.s32 %r12, %r2, %r11;
    add.s32 %r12, %r12, %r16;
    add.s32 %r12, %r12, %r17;
    cvt.rn.f32.s32 %f5, %r12;
    add.f32 %f4, %f4, %f5;
    mul.wide.u32 %rd5, %r6, 4;
    add.u64 %rd6, %rd1, %rd5;
    st.global.f32 [%rd6], %f4;
    ret;
}
";

fn parsed(text: &str) -> Module {
    let (module, found) = ptx_syntax::parse(&ptx_diag::SourceFile::new("k.ptx", text));
    assert!(!found.has_errors(), "{found:?}");
    module
}

fn specialized(text: &str, assumptions: &str) -> Result<(Module, Specialized), SpecializeError> {
    let mut module = parsed(text);
    let assumptions: Assumptions = assumptions.parse().expect("assumptions");
    let made = specialize(&mut module, &assumptions)?;
    ptx_verify::verify(&module).expect("still valid");
    // What is printed is the same module.
    assert_eq!(parsed(&ptx_ir::print(&module)).functions.len(), module.functions.len());
    Ok((module, made))
}

/// What the kernel of a name stores.
fn executed(module: &Module, kernel: &str) -> Vec<u8> {
    let (verified, _) = ptx_verify::verify(module).expect("valid");
    let mut launch = Launch::new(kernel);
    (launch.grid, launch.block) = ([2, 1, 1], [16, 1, 1]);
    let input: Vec<u8> = (0..32 * 20u32).flat_map(|i| ((i % 37) as f32 * 0.25).to_le_bytes()).collect();
    launch.arguments = vec![
        Argument::Buffer(vec![0; 4 * 32]),
        Argument::Buffer(input),
        Argument::Bytes(20u32.to_le_bytes().to_vec()),
        Argument::Bytes(1.5f32.to_le_bytes().to_vec()),
        Argument::Bytes(vec![200]),
        Argument::Bytes((-3i16).to_le_bytes().to_vec()),
        Argument::Bytes(0.125f64.to_le_bytes().to_vec()),
    ];
    let outcome = ptx_exec::run(verified, &launch).expect("executed");
    outcome.buffers[0].clone().expect("a buffer")
}

const ALL: &str = "block=16 grid=2 arg2=20 arg3=1.5 arg4=200 arg5=-3 arg6=0.125";

#[test]
fn results_are_those_of_the_original() {
    for assumptions in [ALL, "block=16", "grid=2", "arg2=20", "arg3=1.5 arg4=200", "arg5=-3 arg6=0.125"] {
        let (module, made) = specialized(SUMS, assumptions).expect(assumptions);
        let found = executed(&module, &made.name);
        assert_eq!(found, executed(&module, "sums"), "{assumptions}");
        // The original is as it was.
        assert_eq!(found, executed(&parsed(SUMS), "sums"), "{assumptions}");
    }
}

#[test]
fn what_is_assumed_is_constant() {
    let (module, made) = specialized(SUMS, ALL).expect("specialized");
    let text = ptx_ir::print(&module);
    let (_, kernel) = text.split_once(&format!(".entry {}(", made.name)).expect("the kernel");
    for part in [
        ".reqntid 16, 1, 1",
        "mov.b32 \t%r1, 20;",
        "mov.f32 \t%f1, 0f3FC00000;",
        "mov.b16 \t%h1, 200;",
        // The low bits of the register are those of -3, extended.
        "mov.b32 \t%r2, 4294967293;",
        "mov.f64 \t%d1, 0d3FC0000000000000;",
        "mov.u32 \t%r3, 16;",
        "mov.u32 \t%r16, 0;",
        "mov.u32 \t%r17, 2;",
        "mov.u32 \t%r4, %ctaid.x;",
    ] {
        let part = part.replace(" \t", " ");
        assert!(kernel.replace('\t', " ").replace("  ", " ").contains(&part), "{part}: {kernel}");
    }
    let described = format!("{}_assumptions", made.name);
    let variable = module.variables.iter().find(|variable| module.name(variable.name) == described);
    let expected = "entry=sums block=16,1,1 grid=2,1,1 arg2=20 arg3=1.5 arg4=200 arg5=-3 arg6=0.125";
    assert_eq!(variable.and_then(ptx_ir::Variable::bytes), Some(expected.len() as u64 + 1));
    let bytes: Vec<String> = expected.bytes().chain([0]).map(|byte| byte.to_string()).collect();
    assert!(text.replace(char::is_whitespace, "").contains(&bytes.join(",")), "{text}");
}

#[test]
fn names_depend_on_what_is_assumed_alone() {
    let name = |assumptions| specialized(SUMS, assumptions).expect("specialized").1.name;
    assert_eq!(name("block=16 arg2=20"), name("arg2=0x14 entry=sums block=16,1"));
    assert_ne!(name("block=16 arg2=20"), name("block=16 arg2=21"));
    // Twice the same is refused, another one is not.
    let (mut module, _) = specialized(SUMS, "arg2=20").expect("specialized");
    let again = specialize(&mut module, &"entry=sums arg2=20".parse().expect("assumptions"));
    assert!(matches!(again, Err(SpecializeError::Taken(_))), "{again:?}");
    specialize(&mut module, &"entry=sums arg2=21".parse().expect("assumptions")).expect("specialized");
    ptx_verify::verify(&module).expect("valid");
}

#[test]
fn other_uses_of_a_parameter_stay() {
    let text = SUMS.replace("ld.param.u32 %r1, [n];", "mov.b64 %rd7, n; ld.param.u32 %r1, [%rd7];");
    let (module, made) = specialized(&text, "arg2=20").expect("specialized");
    assert_eq!(executed(&module, &made.name), executed(&module, "sums"));
    // A load of other bytes than the parameter has.
    let text = SUMS.replace("ld.param.u32 %r1, [n];", "ld.param.u16 %r1, [n+0];");
    let (module, made) = specialized(&text, "arg2=20").expect("specialized");
    assert_eq!(executed(&module, &made.name), executed(&module, "sums"));
}

#[test]
fn what_the_kernel_has_no_room_for_is_an_error() {
    let error =
        |text: &str, assumptions: &str| specialized(text, assumptions).expect_err(assumptions).to_string();
    assert!(error(SUMS, "entry=other block=1").contains("no kernel `other`"));
    assert!(error(SUMS, "arg7=1").contains("has 7 parameters"));
    assert!(error(SUMS, "arg2=4294967296").contains("not a value of type .u32"));
    assert!(error(SUMS, "arg2=-1").contains("not a value of type .u32"));
    assert!(error(SUMS, "arg5=40000").contains("not a value of type .s16"));
    assert!(error(SUMS, "arg2=1.5").contains("not a value of type .u32"));
    let limited = SUMS.replace(".param .f64 wide)", ".param .f64 wide) .maxntid 64");
    assert!(error(&limited, "block=65").contains(".maxntid"));
    specialized(&limited, "block=64").expect("as many as there may be");
    let required = SUMS.replace(".param .f64 wide)", ".param .f64 wide) .reqntid 64");
    assert!(error(&required, "block=32,2").contains(".reqntid"));
    let array = SUMS.replace(".param .u32 n,", ".param .align 4 .b8 n[4],");
    assert!(error(&array, "arg2=1").contains("an array"));
    let two = format!("{SUMS}\n.visible .entry more() {{ ret; }}");
    assert!(error(&two, "block=1").contains("sums, more"));
}

/// The text of the kernel that is made of one with these statements, if its pointers are apart.
fn apart(statements: &str) -> String {
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.global .u64 g;\n.func f() {{ ret; }}
.visible .entry k(.param .u64 out, .param .u64 in, .param .u64 more) {{
    .reg .u64 %o, %i, %m, %x; .reg .u32 %v, %w;
    .shared .u32 s;
    ld.param.u64 %o, [out];
    ld.param.u64 %i, [in];
    ld.param.u64 %m, [more];
    {statements}
    ret;
}}
"
    );
    let (mut module, found) = ptx_syntax::parse(&ptx_diag::SourceFile::new("k.ptx", text));
    assert!(!found.has_errors(), "{found:?}");
    let made = specialize(&mut module, &"noalias entry=k".parse().expect("assumptions")).expect("a kernel");
    let printed = ptx_ir::print(&module);
    let at = printed.find(&format!(".entry {}", made.name)).expect("the kernel");
    printed[at..].to_owned()
}

#[test]
fn loads_through_pointers_that_nothing_is_stored_through_are_read_only() {
    let loads = "add.u64 %i, %i, 8; ld.global.u32 %v, [%i]; ld.global.v2.u32 {%v, %w}, [%m];";
    let text = apart(&format!("{loads} st.global.u32 [%o], %v; st.shared.u32 [s], %w; bar.sync 0;"));
    assert_eq!(text.matches("ld.global.nc").count(), 2, "{text}");
    let text = apart(&format!("{loads} add.u64 %x, %i, 4; st.global.u32 [%x], %v;"));
    assert_eq!(text.matches("ld.global.nc").count(), 1, "{text}");
    assert!(text.contains("ld.global.nc.v2.u32"), "{text}");
    let text = apart(&format!("{loads} red.global.add.u32 [%m], %v;"));
    assert!(text.contains("ld.global.nc.u32") && text.contains("ld.global.v2.u32"), "{text}");
    // A pointer that may be either.
    let text = apart(
        &format!("{loads} selp.b64 %x, %o, %m, 1; st.global.u32 [%x], %v;")
            .replace("selp.b64 %x, %o, %m, 1", "max.u64 %x, %o, %m"),
    );
    assert!(text.contains("ld.global.nc.u32") && text.contains("ld.global.v2.u32"), "{text}");
}

#[test]
fn what_is_not_known_keeps_all_loads() {
    let load = "ld.global.u32 %v, [%i];";
    for write in [
        "ld.global.u64 %x, [%m]; st.global.u32 [%x], %v;",
        "mov.u64 %x, g; st.global.u32 [%x], %v;",
        "st.global.u32 [g], %v;",
        "st.global.u32 [4096], %v;",
        "call f;",
        "cp.async.ca.shared.global [s], [%i], 4;",
    ] {
        let text = apart(&format!("{load} {write}"));
        assert!(!text.contains(".nc"), "{write}: {text}");
    }
    for load in
        ["ld.volatile.global.u32 %v, [%i];", "ld.relaxed.gpu.global.u32 %v, [%i];", "ld.u32 %v, [%i];"]
    {
        let text = apart(&format!("{load} st.global.u32 [%o], %v;"));
        assert!(!text.contains(".nc"), "{text}");
    }
    // A loop that goes on with what it loaded.
    let text = apart("$L: ld.global.u64 %i, [%i]; ld.global.u32 %v, [%m]; st.global.u32 [%o], %v; bra $L;");
    assert!(text.contains("ld.global.u64 ") && text.contains("ld.global.nc.u32"), "{text}");
}
