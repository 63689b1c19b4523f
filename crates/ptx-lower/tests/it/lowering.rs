//! The lowering of small programs. The expected IR follows from the PTX manual and LLVM's language reference.

use ptx_diag::{Diagnostics, SourceFile};
use ptx_llvm_core::{Context, Module};

mod addresses;

/// Lowers a whole file.
fn lower_text<'c>(context: &'c Context, text: &str) -> Result<Module<'c>, Diagnostics> {
    let source = SourceFile::new("test.ptx", text);
    let (module, findings) = ptx_syntax::parse(&source);
    assert!(!findings.has_errors(), "{findings:?}");
    let (verified, _) = ptx_verify::verify(&module).unwrap_or_else(|findings| panic!("{findings:?}"));
    ptx_lower::lower(&verified, context)
}

const HEADER: &str = ".version 8.0\n.target sm_90\n.address_size 64\n";
const REGISTERS: &str = ".reg .pred %p<9>;\n.reg .b16 %h<9>;\n.reg .b32 %r<9>;\n.reg .b64 %d<9>;\n.reg .f32 %f<9>;\n.reg .f64 %e<9>;\n";

/// The IR text of a file.
fn ir(text: &str) -> String {
    let context = Context::new().expect("LLVM 22");
    let module =
        lower_text(&context, &format!("{HEADER}{text}")).unwrap_or_else(|findings| panic!("{findings:?}"));
    module.to_text()
}

/// The IR text of a kernel whose parameters are an address `p` and a number `n`, loaded into `%d0` and `%r0`.
fn body(statements: &str) -> String {
    let text = ir(&format!(
        ".visible .entry k(.param .u64 p, .param .u32 n)\n{{\n{REGISTERS}ld.param.u64 %d0, [p];\nld.param.u32 %r0, [n];\n{statements}\nret;\n}}\n"
    ));
    let start = text.find("define").expect("a definition");
    let end = text[start..].find("\n}").expect("its end");
    text[start..start + end].to_owned()
}

#[track_caller]
fn has(text: &str, parts: &[&str]) {
    let mut rest = text;
    for part in parts {
        let Some(at) = rest.find(part) else { panic!("`{part}` is missing, in that order, in\n{text}") };
        rest = &rest[at + part.len()..];
    }
}

#[track_caller]
fn lacks(text: &str, part: &str) {
    assert!(!text.contains(part), "`{part}` is in\n{text}");
}

#[test]
fn addition_without_rounding_may_be_fused_and_with_rounding_may_not() {
    let text = body(
        "ld.global.f32 %f0, [%d0]; add.f32 %f1, %f0, %f0; add.rn.f32 %f2, %f1, %f0; st.global.f32 [%d0], %f2;",
    );
    has(&text, &["fadd contract float", "= fadd float"]);
}

#[test]
fn flush_to_zero_and_directed_rounding_are_kept_by_intrinsics() {
    let text = body(
        "add.ftz.f32 %f1, %f0, %f0; add.rn.ftz.f32 %f2, %f1, %f0; mul.rz.f32 %f3, %f2, %f1; sub.rp.f32 %f4, %f3, %f1; st.global.f32 [%d0], %f4;",
    );
    has(
        &text,
        &[
            "call contract float @llvm.nvvm.add.rn.ftz.f",
            "call float @llvm.nvvm.add.rn.ftz.f",
            "call float @llvm.nvvm.mul.rz.f",
            "fneg float",
            "call float @llvm.nvvm.add.rp.f",
        ],
    );
}

#[test]
fn shift_by_a_register_is_clamped_and_by_a_constant_is_plain() {
    let text = body(
        "shl.b32 %r1, %r0, 5; shr.s32 %r2, %r1, %r0; shl.b32 %r3, %r2, %r0; shr.u32 %r4, %r3, 40; st.global.u32 [%d0], %r4;",
    );
    // The last amount is over the width, so all that is stored is zero.
    has(
        &text,
        &[
            "shl i32 %n, 5",
            "llvm.umin.i32(i32 %n, i32 31)",
            "ashr i32",
            "icmp ule i32 %n, 31",
            "select",
            "store i32 0",
        ],
    );
}

#[test]
fn division_never_sees_zero_or_the_least_number_by_minus_one() {
    let text = body(
        "ld.global.u32 %r1, [%d0]; div.s32 %r2, %r0, %r1; rem.u32 %r3, %r2, %r1; div.u32 %r4, %r3, 10; st.global.u32 [%d0], %r4;",
    );
    has(
        &text,
        &[
            "%r1 = load i32",
            "icmp eq i32 %r1, -1",
            ", -2147483648",
            "select i1",
            "icmp eq i32 %r1, 0",
            "select i1",
            "!ptx.open",
            "sdiv",
            "select i1",
            "!ptx.open",
            "urem",
            "udiv i32",
        ],
    );
    // Neither divides by what was loaded.
    let divides = |line: &&str| line.contains("div i32") || line.contains("rem i32");
    assert!(text.lines().filter(divides).all(|line| !line.ends_with(", %r1")), "{text}");
}

#[test]
fn guarded_instruction_is_a_branch_around_it() {
    let text =
        body("setp.eq.s32 %p1, %r0, 3; mov.u32 %r1, 1; @!%p1 mov.u32 %r1, 2; st.global.u32 [%d0], %r1;");
    has(&text, &["icmp eq i32 %n, 3", "br i1", "phi i32"]);
    // Negated: the block of the guarded move is the second target.
    let branch = text.lines().find(|line| line.contains("br i1")).expect("a branch");
    let phi = text.lines().find(|line| line.contains("phi i32")).expect("a phi");
    assert!(branch.contains("!ptx.guard"), "{branch}");
    let targets = branch.split(", !").next().expect("a branch");
    let second = targets.rsplit('%').next().expect("a second target");
    assert!(phi.contains(&format!("[ 2, %{second} ]")), "{branch}\n{phi}");
}

#[test]
fn register_read_before_it_is_written_is_one_number_whatever_it_is() {
    let text = body(
        "add.s32 %r2, %r1, %r1; setp.ne.s32 %p2, %r2, 0; @%p1 st.global.u32 [%d0], %r2; mul.lo.s32 %r3, %r1, 3;",
    );
    assert_eq!(text.matches("freeze i32 poison").count(), 1, "{text}");
    assert_eq!(text.matches("freeze i1 poison").count(), 1, "{text}");
    assert_eq!(text.matches("poison").count(), 2, "{text}");
}

#[test]
fn carry_passes_from_instruction_to_instruction() {
    let text = body(
        "add.cc.u32 %r1, %r0, 7; addc.cc.u32 %r2, %r0, %r0; addc.u32 %r3, 0, 0; st.global.u32 [%d0], %r3;",
    );
    has(
        &text,
        &[
            "llvm.uadd.with.overflow.i32(i32 %n, i32 7)",
            "extractvalue",
            "zext i1",
            "llvm.uadd.with.overflow.i32(i32 %n, i32 %n)",
            "or i1",
            "zext i1",
        ],
    );
}

#[test]
fn carry_into_a_sum_with_zero_is_added_once() {
    let text = body(
        "add.cc.u32 %r1, %r0, 7; addc.cc.u32 %r2, %r0, 0; addc.u32 %r3, %r0, 0; st.global.u32 [%d0], %r3;",
    );
    assert_eq!(text.matches("= call { i32, i1 } @llvm.uadd.with.overflow").count(), 2, "{text}");
    assert_eq!(text.matches("or i1").count(), 0, "{text}");
    assert_eq!(text.matches("add i32").count(), 1, "{text}");
}

#[test]
fn borrow_is_that_of_the_subtraction() {
    let text = body("sub.cc.u32 %r1, %r0, 7; subc.u32 %r2, %r0, 0; st.global.u32 [%d0], %r2;");
    has(&text, &["llvm.usub.with.overflow.i32(i32 %n, i32 7)", "sub i32"]);
}

#[test]
fn sums_and_differences_read_the_opposite_of_each_others_overflow() {
    let text = body("sub.cc.u32 %r1, %r0, 7; addc.u32 %r2, %r0, 5; st.global.u32 [%d0], %r2;");
    has(&text, &["llvm.usub.with.overflow.i32(i32 %n, i32 7)", "xor i1", "add i32"]);
    let text = body("add.cc.u32 %r1, %r0, 7; subc.u32 %r2, %r0, 5; st.global.u32 [%d0], %r2;");
    has(&text, &["llvm.uadd.with.overflow.i32(i32 %n, i32 7)", "xor i1", "sub i32"]);
}

#[test]
fn borrows_stay_borrows_where_differences_alone_meet() {
    let chosen = |first: &str| {
        body(&format!(
            "setp.ne.u32 %p1, %r0, 3; @%p1 bra other; {first} bra join; other: sub.cc.u32 %r1, %r0, 8; join: subc.u32 %r2, %r0, %r1; st.global.u32 [%d0], %r2;"
        ))
    };
    assert_eq!(chosen("sub.cc.u32 %r1, %r0, 7;").matches("xor i1").count(), 0);
    let mixed = chosen("add.cc.u32 %r1, %r0, 7;");
    assert_eq!(mixed.matches("xor i1").count(), 2, "{mixed}");
}

#[test]
fn atomics_have_their_order_and_scope() {
    let text = body(
        "atom.global.add.u32 %r1, [%d0], 1; atom.acq_rel.cta.global.cas.b32 %r2, [%d0], 1, 2; red.relaxed.sys.global.max.s32 [%d0], 5;\nld.acquire.gpu.global.u32 %r3, [%d0]; st.release.sys.global.u32 [%d0], %r3; fence.sc.cluster; atom.global.inc.u32 %r4, [%d0], 9;",
    );
    has(
        &text,
        &[
            "atomicrmw add ptr addrspace(1) %p, i32 1 syncscope(\"device\") monotonic",
            "cmpxchg ptr addrspace(1) %p, i32 1, i32 2 syncscope(\"block\") acq_rel acquire",
            "atomicrmw max ptr addrspace(1) %p, i32 5 monotonic",
            "load atomic i32, ptr addrspace(1) %p syncscope(\"device\") acquire, align 4",
            "store atomic i32",
            "release, align 4",
            "fence syncscope(\"cluster\") seq_cst",
            "atomicrmw uinc_wrap ptr addrspace(1) %p, i32 9 syncscope(\"device\") monotonic",
        ],
    );
}

#[test]
fn volatile_accesses_and_cache_hints_survive() {
    let text = body(
        "ld.volatile.global.u32 %r1, [%d0]; ld.global.cg.u32 %r2, [%d0]; st.global.wt.u32 [%d0], %r1; ld.global.nc.L1::no_allocate.f32 %f1, [%d0]; st.global.f32 [%d0], %f1; st.global.u32 [%d0], %r2;",
    );
    has(
        &text,
        &[
            "load volatile i32",
            "load i32",
            "!ptx.mods",
            "store volatile i32",
            "!ptx.mods",
            "load float",
            "!invariant.load",
            "!ptx.mods",
        ],
    );
}

#[test]
fn cache_policy_keeps_the_instruction_as_it_is_written() {
    let text = body("ld.global.L2::cache_hint.u32 %r1, [%d0+8], %d0; st.global.u32 [%d0], %r1;");
    has(&text, &["asm", "\"ld.global.L2::cache_hint.u32 $0, [$1+8], $2;\", \"=r,l,l,~{memory}\""]);
}

#[test]
fn asynchronous_copy_tells_a_size_from_a_predicate() {
    let text = body(
        "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; cvta.to.shared.u64 %d2, %d0;\n\
         cp.async.ca.shared.global [%d2], [%d0], 16, %r1; cp.async.ca.shared.global [%d2], [%d0], 16, %p1;",
    );
    has(
        &text,
        &[
            "@llvm.nvvm.cp.async.ca.shared.global.16.s(",
            "asm sideeffect \"cp.async.ca.shared.global [$0], [$1], 16, $2;\", \"l,l,b,~{memory}\"",
        ],
    );
}

#[test]
fn collectives_take_the_mask_where_llvm_wants_it() {
    let text = body(
        "shfl.sync.bfly.b32 %r1|%p1, %r0, 1, 31, -1; vote.sync.ballot.b32 %r2, %p1, 255; bar.sync 0; barrier.sync 1, 64; st.global.u32 [%d0], %r2;",
    );
    has(
        &text,
        &[
            "@llvm.nvvm.shfl.sync.bfly.i32p(i32 -1, i32 %n, i32 1, i32 31)",
            "@llvm.nvvm.vote.ballot.sync(i32 255, i1",
            "@llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)",
            "@llvm.nvvm.barrier.cta.sync.count(i32 1, i32 64)",
        ],
    );
}

#[test]
fn lop3_is_exact_for_every_table() {
    // With constants LLVM folds the expression: the result for the columns of the truth table is the table.
    for table in 0..=255u32 {
        let text = body(&format!(
            "mov.b32 %r1, 0xF0; mov.b32 %r2, 0xCC; mov.b32 %r3, 0xAA; lop3.b32 %r4, %r1, %r2, %r3, {table}; and.b32 %r5, %r4, 255; st.global.u32 [%d0], %r5;"
        ));
        has(&text, &[&format!("store i32 {table}, ")]);
    }
}

#[test]
fn bit_fields_with_constant_places_are_exact() {
    // 0xDEADBEEF: bits 8 to 15 are 0xBE; as a signed field that is -66.
    let text = body(
        "mov.u32 %r1, 0xDEADBEEF; bfe.u32 %r2, %r1, 8, 8; bfe.s32 %r3, %r1, 8, 8; st.global.u32 [%d0], %r2; st.global.u32 [%d0], %r3;\nbfi.b32 %r4, 0x12, %r1, 4, 8; st.global.u32 [%d0], %r4;",
    );
    has(&text, &["store i32 190", "store i32 -66", &format!("store i32 {}", 0xDEAD_B12F_u32 as i32)]);
}

#[test]
fn vectors_are_loaded_and_stored_whole() {
    let text = body("ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%d0]; st.global.v2.f32 [%d0], {%f4, %f1};");
    has(&text, &["load <4 x float>, ptr addrspace(1) %p, align 16", "store <2 x float>", "align 8"]);
}

#[test]
fn byte_loads_fill_wide_registers_by_the_sign_of_the_type() {
    let text = body(
        "ld.global.s8 %r1, [%d0]; ld.global.u8 %r2, [%d0]; st.global.u8 [%d0], %r1; add.s32 %r3, %r1, %r2; st.global.u32 [%d0], %r3;",
    );
    has(&text, &["load i8", "sext i8", "load i8", "zext i8", "trunc i32", "store i8"]);
}

#[test]
fn call_passes_parameters_as_arguments() {
    let text = ir(&format!(
        ".func (.param .b32 r) f(.param .b32 a, .param .align 8 .b8 s[16])\n{{\n{REGISTERS}ld.param.b32 %r1, [a]; ld.param.b32 %r2, [s+4]; add.s32 %r1, %r1, %r2; st.param.b32 [r], %r1; ret;\n}}\n\
         .visible .entry k(.param .u64 p)\n{{\n{REGISTERS}ld.param.u64 %d0, [p];\n{{\n.param .b32 x; .param .align 8 .b8 y[16]; .param .b32 z;\nst.param.b32 [x], 5; st.param.v2.b32 [y+0], {{%r1, %r2}}; call.uni (z), f, (x, y); ld.param.b32 %r3, [z];\n}}\nst.global.u32 [%d0], %r3; ret;\n}}\n"
    ));
    has(&text, &["define internal i32 @f(i32 %a, ptr byval([16 x i8]) align 8 %s)", "add i32", "ret i32"]);
    has(
        &text,
        &["define ptx_kernel void @k", "call i32 @f(i32 5, ptr byval([16 x i8]) align 8", "store i32"],
    );
}

#[test]
fn parameter_without_a_size_is_what_a_variadic_function_takes() {
    let text = ir(".func (.param .b32 r) f(.param .b32 a, .param .align 8 .b8 p[])
{
.reg .b32 %r<3>; .reg .b64 %d;
ld.param.b32 %r0, [p+8];
mov.b64 %d, p; ld.local.b32 %r1, [%d];
add.u32 %r0, %r0, %r1;
st.param.b32 [r], %r0; ret;
}
.visible .entry k(.param .u64 p)
{
.reg .b32 %r0; .reg .b64 %d0;
.param .b32 a; .param .align 8 .b8 b[12]; .param .b32 r;
st.param.b32 [a], 1; st.param.b64 [b], 2; st.param.b32 [b+8], 3;
call (r), f, (a, b);
ld.param.b32 %r0, [r];
ld.param.u64 %d0, [p]; st.global.b32 [%d0], %r0; ret;
}
");
    has(
        &text,
        &[
            "define internal i32 @f(i32 %a, ...)",
            "call void @llvm.va_start.p0(ptr %1)",
            "%2 = load ptr, ptr %1",
        ],
    );
    // The address in PTX is one in local memory (manual 9.7.9.5).
    has(&text, &["getelementptr i8, ptr %2, i64 8", "addrspacecast ptr %2 to ptr addrspace(5)"]);
    // 12 bytes are two integers of eight, of which the caller has the memory.
    has(&text, &["alloca [2 x i64], align 8", "@f(i32 1, ptr byval([2 x i64]) align 8"]);
}

#[test]
fn accumulating_instruction_reads_what_its_destination_holds() {
    let context = Context::new().expect("LLVM 22");
    let text = format!(
        ".version 8.0\n.target sm_90a\n.address_size 64\n.entry k(.param .u64 p)\n{{\n{REGISTERS}ld.param.u64 %d0, [p];\n\
         ld.global.v4.f32 {{%f1, %f2, %f3, %f4}}, [%d0];\n\
         wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {{%f1, %f2, %f3, %f4}}, %d0, %d0, 1, 1, 1, 0, 1;\n\
         st.global.v4.f32 [%d0], {{%f1, %f2, %f3, %f4}};\nret;\n}}\n"
    );
    let text = lower_text(&context, &text).unwrap_or_else(|findings| panic!("{findings:?}")).to_text();
    has(&text, &["{$0, $1, $2, $3}, $4, $5, 1, 1, 1, 0, 1;", "=f,=f,=f,=f,l,l,0,1,2,3,~{memory}"]);
}

#[test]
fn indexed_branch_is_a_switch() {
    let text = body(
        "ts: .branchtargets A, B, A;\nbrx.idx %r0, ts;\nA: st.global.u32 [%d0], 1; ret;\nB: st.global.u32 [%d0], 2;",
    );
    has(&text, &["switch i32 %n, label", "i32 0, label", "i32 1, label", "i32 2, label", "unreachable"]);
}

#[test]
fn kernel_directives_and_target_are_attributes() {
    let text = ir(
        ".visible .entry k()\n.maxntid 128, 2, 1\n.minnctapersm 3\n.maxnreg 64\n{ ret; }\n.entry h() { exit; }\n",
    );
    has(&text, &["define ptx_kernel void @k()", "define internal ptx_kernel void @h()"]);
    for part in [
        "\"nvvm.maxntid\"=\"128,2,1\"",
        "\"nvvm.minctasm\"=\"3\"",
        "\"nvvm.maxnreg\"=\"64\"",
        "\"target-cpu\"=\"sm_90\"",
        "\"target-features\"=\"+ptx80\"",
    ] {
        has(&text, &[part]);
    }
    has(&text, &["!ptx.version = !{!0}", "!ptx.target = !{!1}", "!0 = !{!\"8.0\"}", "!1 = !{!\"sm_90\"}"]);
}

#[test]
fn variables_have_initial_values_and_addresses() {
    let text = ir(concat!(
        ".const .align 4 .f32 c[2] = {1.0, 0f40000000};\n",
        ".visible .global .align 4 .u32 g[3] = {1, 2};\n",
        ".global .align 8 .u64 a[2] = {generic(g), g+4};\n",
        ".extern .shared .align 16 .b8 d[];\n",
        ".entry k() { ret; }\n",
    ));
    let floats = "@c = internal addrspace(4) externally_initialized constant [2 x float]";
    has(&text, &[floats, "[float 1.000000e+00, float 2.000000e+00], align 4"]);
    has(&text, &["@g = addrspace(1) externally_initialized global [3 x i32] [i32 1, i32 2, i32 0]"]);
    let generic = "i64 ptrtoint (ptr addrspacecast (ptr addrspace(1) @g to ptr) to i64)";
    let global = "i64 ptrtoint (ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @g, i64 4) to i64)";
    has(&text, &["@a = internal addrspace(1) externally_initialized global [2 x i64]", generic, global]);
    has(&text, &["@__ptx_dynamic_shared = external addrspace(3) global [0 x i8], align 16"]);
}

#[test]
fn lines_become_locations() {
    let text = ir(
        ".visible .entry k()\n{\n.reg .b32 %r<3>;\n.loc 1 7 3\nmov.u32 %r1, %clock;\n.loc 1 9 5\nret;\n}\n.file 1 \"/src/x.cu\"\n",
    );
    has(
        &text,
        &[
            "define ptx_kernel void @k() #0 !dbg",
            "DIFile(filename: \"x.cu\", directory: \"/src\")",
            "DISubprogram(name: \"k\"",
            "DILocation(line: 7, column: 3",
            "DILocation(line: 9, column: 5",
        ],
    );
}

#[test]
fn unrolling_pragma_marks_the_branch_back() {
    let text = ir(&format!(
        ".entry k(.param .u32 n)\n{{\n{REGISTERS}ld.param.u32 %r0, [n]; mov.u32 %r1, 0;\nL:\n.pragma \"nounroll\";\nadd.s32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, %r0; @%p1 bra L;\nret;\n}}\n"
    ));
    has(&text, &["br i1", "!llvm.loop", "!{!\"llvm.loop.unroll.disable\"}"]);
}

#[test]
fn other_pragmas_stay_with_the_instruction_they_stand_before() {
    let text = ir(&format!(
        ".entry k(.param .u64 p)\n{{\n{REGISTERS}ld.param.u64 %d0, [p];\n.pragma \"used_bytes_mask 0x0fff\";\n\
         ld.global.v2.u64 {{%d1, %d2}}, [%d0]; st.global.u64 [%d0], %d1; ret;\n}}\n"
    ));
    has(&text, &["load <2 x i64>", ", !ptx.pragma !", "extractelement"]);
    has(&text, &["!{!\"used_bytes_mask 0x0fff\"}"]);
}

#[test]
fn pragmas_before_all_instructions_are_about_the_function() {
    let text = ir(".entry k()\n.pragma \"a\";\n{\n.pragma \"enable_smem_spilling\";\nret;\n}\n");
    has(&text, &["\"ptx.pragma\"=\"a\" \"ptx.pragma.body\"=\"enable_smem_spilling\""]);
}

#[test]
fn indirect_call_goes_through_a_pointer_and_keeps_its_targets() {
    let text = ir(&format!(
        ".func (.param .b32 r) f(.param .b32 a)\n{{\n{REGISTERS}ld.param.b32 %r1, [a]; st.param.b32 [r], %r1; ret;\n}}\n\
         .entry k(.param .u64 p)\n{{\n{REGISTERS}ld.param.u64 %d0, [p]; mov.u64 %d1, f;\n{{\n.param .b32 x; .param .b32 z;\n\
         st.param.b32 [x], 5;\nts: .calltargets f;\ncall (z), %d1, (x), ts;\nld.param.b32 %r3, [z];\n}}\n\
         st.global.u32 [%d0], %r3; ret;\n}}\n"
    ));
    has(&text, &["call i32 @f(i32 5)", "!callees !"]);
    has(&text, &["!{ptr @f}"]);
}

#[test]
fn packed_halves_are_vectors() {
    let text = body(
        "ld.global.b32 %r1, [%d0]; add.f16x2 %r2, %r1, %r1; fma.rn.f16x2 %r3, %r2, %r1, %r1; mov.b32 {%h1, %h2}, %r3; st.global.b16 [%d0], %h2;",
    );
    has(
        &text,
        &[
            "load <2 x half>",
            "fadd contract <2 x half>",
            "llvm.fma.v2f16",
            "extractelement <2 x half>",
            "i32 1",
        ],
    );
}

#[test]
fn comparisons_follow_the_nan_rules() {
    let text = body(
        "setp.lt.f32 %p1, %f0, %f1; setp.neu.and.f32 %p2|%p3, %f0, %f1, %p1; min.f32 %f2, %f0, %f1; max.NaN.f32 %f3, %f2, %f1; selp.f32 %f4, %f3, %f2, %p3; st.global.f32 [%d0], %f4;",
    );
    has(&text, &["llvm.minimumnum.f32", "llvm.maximum.f32"]);
    let dynamic = body(
        "ld.global.f32 %f1, [%d0]; setp.lt.f32 %p1, %f1, 0f3F800000; setp.neu.and.f32 %p2|%p3, %f1, %f1, %p1; @%p2 ret; @%p3 ret; st.global.f32 [%d0], %f1;",
    );
    has(&dynamic, &["fcmp olt float", "fcmp une float", "and i1", "xor i1", "and i1"]);
}

#[test]
fn registers_of_eight_bits_are_registers_of_the_assembly_where_the_instruction_wants_them() {
    let context = Context::new().expect("LLVM 22");
    let module = lower_text(
        &context,
        ".version 9.5\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 p) {\n.reg .b8 %b<2>;\n.reg .b64 %d<2>;\nld.param.u64 %d0, [p];\nld.global.b8 %b0, [%d0];\nst.async.release.gpu.global.u8 [%d0], %b0;\nret; }\n",
    );
    let text = module.unwrap_or_else(|findings| panic!("{findings:?}")).to_text();
    has(&text, &["{ .reg .b8 %b0; cvt.u8.u16 %b0, $1; st.async.release.gpu.global.u8 [$0], %b0; }"]);
}

#[test]
fn what_is_stored_through_an_address_of_parameters_stays_as_it_is_written() {
    let text = body("st.param.b32 [%d0], %r0;");
    has(&text, &["asm sideeffect \"st.param.b32 [$0], $1;\", \"l,r,~{memory}\""]);
}

#[test]
fn unsupported_construct_is_a_located_error() {
    let context = Context::new().expect("LLVM 22");
    let text = format!("{HEADER}.global .b8 deep{};\n.entry k() {{ ret; }}\n", "[1]".repeat(65));
    let source = SourceFile::new("test.ptx", text.clone());
    let (module, findings) = ptx_syntax::parse(&source);
    assert!(!findings.has_errors(), "{findings:?}");
    let (verified, _) = ptx_verify::verify(&module).unwrap_or_else(|findings| panic!("{findings:?}"));
    let Err(findings) = ptx_lower::lower(&verified, &context) else { panic!("lowered 65 dimensions") };
    let finding = findings.iter().next().expect("a finding");
    assert_eq!(finding.code.0, "L0102");
    let span = finding.span.expect("a place");
    assert_eq!(&text[span.lo as usize..span.hi as usize], "deep");
    assert!(finding.help.is_some());
}

/// The attributes of a function, those of its group included.
fn attributes_of(text: &str, name: &str) -> String {
    let define = text.lines().find(|line| line.starts_with("define") && line.contains(&format!("@{name}(")));
    let number = define.and_then(|line| line.split('#').nth(1)).expect("a group");
    let group = format!("attributes #{} =", number.trim_end_matches(" {").trim());
    text.lines().find(|line| line.starts_with(&group)).expect("the group's line").to_owned()
}

#[test]
fn functions_say_what_their_bodies_cannot_do() {
    let text = ir(
        ".extern .func elsewhere();
.func (.param .b32 r) pure(.param .b32 a)
{ .reg .b32 %r; ld.param.u32 %r, [a]; add.u32 %r, %r, 1; st.param.b32 [r], %r; ret; }
.func reads(.param .b64 a)
{ .reg .b64 %d; .reg .b32 %r; ld.param.u64 %d, [a]; ld.global.u32 %r, [%d]; st.global.u32 [%d], %r; ret; }
.func loops()
{ L: bra L; }
.func synchronizes()
{ bar.sync 0; ret; }
.func ends()
{ trap; }
.func counts(.param .b64 a)
{ .reg .b64 %d; .reg .b32 %r; ld.param.u64 %d, [a]; atom.global.add.u32 %r, [%d], 1; ret; }
.func calls_pure(.param .b32 a)
{ .param .b32 b; .param .b32 q; .reg .b32 %r; ld.param.u32 %r, [a]; st.param.b32 [b], %r; call (q), pure, (b); ret; }
.func calls_others()
{ call elsewhere; ret; }
.func itself()
{ call itself; ret; }
.func ping();
.func pong()
{ call ping; ret; }
.func ping()
{ call pong; ret; }
.weak .func replaced()
{ ret; }
.func calls_replaced()
{ call replaced; ret; }
.func times(.param .b64 a)
{ .reg .b64 %d<2>; ld.param.u64 %d0, [a]; mov.u64 %d1, %clock64; st.global.u64 [%d0], %d1; ret; }
.visible .entry kernel()
{ call elsewhere; ret; }
",
    );
    let names = ["convergent", "memory(none)", "norecurse", "nosync", "willreturn"];
    for (name, expected) in [
        ("pure", &["memory(none)", "norecurse", "nosync", "willreturn"][..]),
        ("reads", &["norecurse", "nosync", "willreturn"]),
        ("loops", &["memory(none)", "norecurse", "nosync"]),
        ("synchronizes", &["convergent", "norecurse"]),
        ("ends", &["norecurse"]),
        ("counts", &["norecurse", "willreturn"]),
        ("calls_pure", &["memory(none)", "norecurse", "nosync", "willreturn"]),
        ("calls_others", &["convergent"]),
        ("itself", &["convergent"]),
        ("ping", &["convergent"]),
        ("pong", &["convergent"]),
        ("replaced", &["convergent"]),
        ("calls_replaced", &["convergent"]),
        ("times", &["norecurse", "willreturn"]),
        ("kernel", &["convergent", "norecurse"]),
    ] {
        let attributes = attributes_of(&text, name);
        let found: Vec<&str> =
            names.iter().copied().filter(|attribute| attributes.contains(attribute)).collect();
        assert_eq!(found, expected, "{name}: {attributes}");
    }
}

/// A function that returns 32 bytes in pieces of 8, 8 and 4 bytes, and one that reads what another returns in pieces of 4.
const PIECES: &str = ".extern .func (.param .align 16 .b8 r[16]) other;
.visible .func (.param .align 32 .b8 r[32]) f(.param .b64 a)
{
.reg .b32 %r<9>; .reg .b64 %d<9>;
.param .align 16 .b8 got[16];
ld.param.b64 %d1, [a];
call (got), other;
ld.param.v2.b32 {%r1, %r2}, [got+8];
st.param.v2.b64 [r], {%d1, %d1};
st.param.b32 [r+16], %r2;
ret;
}
";

#[test]
fn results_have_the_pieces_in_which_they_are_accessed() {
    let text = ir(PIECES);
    has(&text, &["declare alignstack(16) { i64, i32, i32 } @other("]);
    has(&text, &["define alignstack(32) { i64, i64, i32, i32, i64 } @f("]);
    has(&text, &["call alignstack(16) { i64, i32, i32 } @other("]);
}

#[test]
fn function_whose_address_is_taken_returns_what_a_prototype_says() {
    let taken = "{\n.reg .b64 %d<9>;\nmov.b64 %d1, f;\nst.global.b64 [%d1], %d1;\nret;\n}";
    let text = ir(&format!("{PIECES}.visible .entry k()\n{taken}\n"));
    has(&text, &["define alignstack(32) [2 x i128] @f("]);
}
