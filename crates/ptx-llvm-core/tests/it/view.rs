//! The view agrees with the text.

use ptx_llvm_core::view::{
    AtomicOrder, BinaryOp, ConstExpr, Constant, Function, Linkage, Metadata, Op, Scope, Symbol, Type, Value,
    View,
};
use ptx_llvm_core::{Context, Module};

fn view(text: &str) -> View {
    let context = Context::new().expect("LLVM 22");
    let module = Module::parse(&context, "m", text.as_bytes()).expect("valid LLVM IR");
    module.verify().expect("valid LLVM IR");
    View::new(&module).expect("readable")
}

fn ops(function: &Function) -> Vec<&Op> {
    function.insts.iter().map(|inst| &inst.op).collect()
}

#[test]
fn flags_predicates_and_operands_survive() {
    let view = view(
        "define float @f(float %a, i32 %n) {\n  %m = fmul contract afn float %a, 2.0\n  %k = add nsw i32 %n, -1\n  ret float %m\n}",
    );
    let function = &view.functions[0];
    let [Op::Binary { op: BinaryOp::FMul, lhs: Value::Arg(0), rhs: Value::Const(two), fast, .. }, add, _] =
        ops(function)[..]
    else {
        panic!("{:?}", ops(function));
    };
    assert!(fast.contract && fast.afn && !fast.reassoc && !fast.nnan);
    assert_eq!(*view.constant(*two), Constant::Float(0x4000_0000));
    let Op::Binary { op: BinaryOp::Add, rhs: Value::Const(one), wrap, .. } = add else { panic!("{add:?}") };
    assert!(wrap.nsw && !wrap.nuw);
    assert_eq!(*view.constant(*one), Constant::Int([0xffff_ffff].into()));
}

#[test]
fn atomics_keep_order_and_scope() {
    let view = view(
        "define void @f(ptr addrspace(1) %p) {
  %a = load atomic volatile i32, ptr addrspace(1) %p syncscope(\"block\") acquire, align 4
  %b = atomicrmw add ptr addrspace(1) %p, i32 1 syncscope(\"odd\") seq_cst, align 4
  fence syncscope(\"device\") acq_rel
  ret void
}",
    );
    let [load, rmw, fence, _] = ops(&view.functions[0])[..] else { panic!() };
    assert!(matches!(
        load,
        Op::Load { volatile: true, order: AtomicOrder::Acquire, scope: Scope::Block, align: 4, .. }
    ));
    let Op::AtomicRmw { order: AtomicOrder::SequentiallyConsistent, scope, .. } = rmw else {
        panic!("{rmw:?}")
    };
    assert_eq!(*scope, Scope::Other("odd".into()));
    assert!(matches!(fence, Op::Fence { order: AtomicOrder::AcquireRelease, scope: Scope::Device }));
}

#[test]
fn initializers_are_trees_with_symbols() {
    let view = view(
        "@a = addrspace(1) global [4 x i16] [i16 1, i16 2, i16 3, i16 4], align 8
@b = internal addrspace(4) constant { i8, ptr } { i8 7, ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(1) @a to ptr), i64 4) }",
    );
    let [a, b] = view.globals.as_slice() else { panic!() };
    assert_eq!((a.space, a.align, a.linkage), (1, Some(8), Linkage::External));
    let content = view.constant(a.initializer.expect("a value"));
    assert_eq!(*content, Constant::Data([1, 0, 2, 0, 3, 0, 4, 0].into()));
    assert_eq!((b.space, b.constant, b.linkage), (4, true, Linkage::Internal));
    assert_eq!(*view.layout(b.ty).expect("sized").offsets, [0, 8]);
    let Constant::Aggregate(fields) = view.constant(b.initializer.expect("a value")) else { panic!() };
    let Constant::Expr(ConstExpr::Gep { base, indices, .. }) = view.constant(fields[1]) else { panic!() };
    assert_eq!(view.constant(indices[0]).as_u64(), Some(4));
    let Constant::Expr(ConstExpr::Cast { value, .. }) = view.constant(*base) else { panic!() };
    let Constant::Symbol(symbol @ Symbol::Global(_)) = view.constant(*value) else { panic!() };
    assert_eq!(view.symbol_name(*symbol), "a");
}

#[test]
fn attributes_and_metadata_are_found_by_name() {
    let view = view(
        "@g = addrspace(1) global i32 0
define ptx_kernel void @k(ptr byval([6 x i32]) align 8 %p) \"nvvm.maxntid\"=\"32,2\" {
  %x = load i32, ptr %p, align 4, !invariant.load !1
  ret void
}
!nvvm.annotations = !{!0}
!0 = !{ptr addrspace(1) @g, !\"managed\", i32 1}
!1 = !{}",
    );
    let function = &view.functions[0];
    assert_eq!(function.attributes.string("nvvm.maxntid"), Some("32,2"));
    let param = &function.params[0];
    assert_eq!(param.attributes.number("align"), Some(8));
    let ty = param.attributes.ty("byval").expect("a type");
    assert!(matches!(view.ty(ty), Type::Array { len: 6, .. }));
    assert!(function.insts[0].metadata("invariant.load").is_some());
    assert!(function.insts[0].metadata("range").is_none());
    let [annotation] = view.named("nvvm.annotations") else { panic!() };
    let Metadata::Node(parts) = view.metadata(*annotation) else { panic!() };
    assert_eq!(*view.metadata(parts[1].expect("a string")), Metadata::String("managed".into()));
}

#[test]
fn debug_locations_have_file_and_line() {
    let view = view(
        "define void @f() !dbg !3 {\n  ret void, !dbg !5\n}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, emissionKind: DebugDirectivesOnly)
!1 = !DIFile(filename: \"a.cu\", directory: \"/src\")
!2 = !{i32 2, !\"Debug Info Version\", i32 3}
!3 = distinct !DISubprogram(name: \"f\", file: !1, line: 4, unit: !0, type: !4, spFlags: DISPFlagDefinition)
!4 = !DISubroutineType(types: !{})
!5 = !DILocation(line: 7, column: 2, scope: !3)",
    );
    let location = view.location(view.functions[0].insts[0].location.expect("a location"));
    assert_eq!((location.line, location.column, location.inlined_at), (7, 2, None));
    let file = view.file(location.file.expect("a file"));
    assert_eq!((file.directory.as_str(), file.name.as_str()), ("/src", "a.cu"));
}
