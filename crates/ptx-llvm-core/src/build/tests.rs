use super::*;
use crate::{Context, Module};

fn kernel<'c>(module: &Module<'c>, types: Types<'c>, parameters: &[Type<'c>]) -> (Function<'c>, Builder<'c>) {
    let function = module.function("k", types.function(types.void(), parameters)).unwrap();
    function.set_kernel();
    let builder = Builder::new(types);
    builder.position_at_end(function.append_block(types, "entry"));
    (function, builder)
}

#[test]
fn atomics_keep_order_and_scope() {
    let context = Context::new().expect("LLVM 22");
    let (module, types) = (Module::new(&context, "m"), Types::new(&context));
    let (function, b) = kernel(&module, types, &[types.pointer(1)]);
    let p = function.parameters()[0];
    let load = b.load(types.int(32), p, 4, Volatility::Ordinary).unwrap();
    b.make_atomic(load, Ordering::Acquire, Scope::Device).unwrap();
    b.atomic_rmw(RmwOp::UIncWrap, p, load, Ordering::Monotonic, Scope::Block).unwrap();
    b.compare_exchange(p, load, load, Ordering::AcqRel, Scope::System).unwrap();
    b.fence(Ordering::SeqCst, Scope::Cluster).unwrap();
    b.ret(None).unwrap();
    module.verify().unwrap();
    let text = module.to_text();
    for part in [
        "define ptx_kernel void @k(ptr addrspace(1) %0)",
        "load atomic i32, ptr addrspace(1) %0 syncscope(\"device\") acquire, align 4",
        "atomicrmw uinc_wrap ptr addrspace(1) %0, i32 %1 syncscope(\"block\") monotonic",
        "cmpxchg ptr addrspace(1) %0, i32 %1, i32 %1 acq_rel acquire",
        "fence syncscope(\"cluster\") seq_cst",
    ] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
}

#[test]
fn misfits_are_errors_and_not_undefined_behaviour() {
    let context = Context::new().expect("LLVM 22");
    let (module, types) = (Module::new(&context, "m"), Types::new(&context));
    let (function, b) = kernel(&module, types, &[types.int(32), types.f32(), types.pointer(0)]);
    let [i, f, p] = function.parameters()[..] else { panic!("three parameters") };
    assert!(b.binary(BinaryOp::Add, i, f).is_err());
    assert!(b.binary(BinaryOp::FAdd, i, i).is_err());
    assert!(b.cast(CastOp::Trunc, f, types.int(8)).is_err());
    assert!(b.cast(CastOp::ZExt, i, types.int(16)).is_err());
    assert!(b.load(types.int(32), i, 4, Volatility::Ordinary).is_err());
    assert!(b.load(types.int(32), p, 3, Volatility::Ordinary).is_err());
    assert!(b.select(i, f, f).is_err());
    assert!(b.fence(Ordering::Monotonic, Scope::System).is_err());
    assert!(b.extract_field(i, 0).is_err());
    b.ret(None).unwrap();
    assert!(b.ret(None).is_err(), "a second terminator");
    module.verify().unwrap();
}

#[test]
fn inline_assembly_attributes_and_metadata_are_written() {
    let context = Context::new().expect("LLVM 22");
    let (module, types) = (Module::new(&context, "m"), Types::new(&context));
    let (function, b) = kernel(&module, types, &[types.pointer(3), types.int(32)]);
    function.add_attribute(types, "nvvm.maxntid", "128,1,1");
    let result = types.structure(&[types.int(32), types.int(1)]);
    let ty = types.function(result, &[types.pointer(3), types.int(32)]);
    let asm = Asm {
        text: "x $0|$1, [$2], $3;",
        constraints: "=r,=b,l,r,~{memory}",
        effects: AsmEffects::SideEffects,
    };
    let call = b.inline_asm(ty, asm, &function.parameters()).unwrap();
    call.add_call_flag(types, "convergent");
    let field = b.extract_field(call, 0).unwrap();
    let store = b.store(field, function.parameters()[0], 4, Volatility::Volatile).unwrap();
    assert!(types.attach(store, "ptx.mods", types.metadata_strings(&[".cg"])));
    b.ret(None).unwrap();
    module.add_named_metadata("ptx.version", types.metadata_strings(&["8.0"]));
    module.verify().unwrap();
    let text = module.to_text();
    for part in [
        "\"nvvm.maxntid\"=\"128,1,1\"",
        "convergent",
        "store volatile",
        "!ptx.mods",
        "!{!\".cg\"}",
        "!ptx.version",
    ] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
}

#[test]
fn bytes_of_constants_are_numbers_or_elements() {
    let context = Context::new().expect("LLVM 22");
    let types = Types::new(&context);
    let number = types.int_value(32, 0x0403_0201);
    assert_eq!(number.constant_byte(types, 2).unwrap().as_constant_int(), Some(3));
    assert!(number.constant_byte(types, 4).is_err(), "it has no byte 4");
    assert!(types.int_value(12, 0).constant_byte(types, 0).is_err(), "not whole bytes");
    assert!(types.f32().zero().constant_byte(types, 0).is_err(), "no integer");
}

#[test]
fn globals_have_their_space_linkage_and_initializer() {
    let context = Context::new().expect("LLVM 22");
    let (module, types) = (Module::new(&context, "m"), Types::new(&context));
    let element = types.int(32);
    let values = [types.int_value(32, 7), types.int_value(32, u64::MAX)];
    let array = types.array_value(element, &values).unwrap();
    let spec = GlobalSpec {
        name: "g",
        ty: array.ty(),
        space: 1,
        align: 16,
        linkage: Linkage::Internal,
        initializer: Some(array),
    };
    let g = module.global(spec).unwrap();
    module.set_externally_initialized(g, DeviceAccess::ReadWrite);
    let address = g.constant_offset(types, 4).unwrap().constant_space_cast(types.pointer(0)).unwrap();
    module
        .global(GlobalSpec { name: "p", ty: types.pointer(0), initializer: Some(address), align: 8, ..spec })
        .unwrap();
    module.verify().unwrap();
    let text = module.to_text();
    assert!(
        text.contains(
            "@g = internal addrspace(1) externally_initialized global [2 x i32] [i32 7, i32 -1], align 16"
        ),
        "{text}"
    );
    assert!(
        text.contains(
            "addrspacecast (ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @g, i64 4) to ptr)"
        ),
        "{text}"
    );
}

#[test]
fn lines_survive() {
    let context = Context::new().expect("LLVM 22");
    let (module, types) = (Module::new(&context, "m"), Types::new(&context));
    let (function, b) = kernel(&module, types, &[]);
    let mut debug = DebugInfo::new(&module, types);
    let file = debug.file(&module, "/src/a.cu");
    let scope = debug.subprogram("k", "k", file, 3, Some(function));
    b.set_location(Some(debug.location(5, 7, scope, None)));
    b.ret(None).unwrap();
    debug.finish();
    module.verify().unwrap();
    let text = module.to_text();
    assert!(
        text.contains("!DILocation(line: 5, column: 7")
            && text.contains("filename: \"a.cu\", directory: \"/src\""),
        "{text}"
    );
}

#[test]
fn arrays_of_integers_are_those_of_their_elements() {
    let context = Context::new().expect("LLVM 22");
    let types = Types::new(&context);
    let tables: [&[i64]; 5] =
        [&[], &[0, 0], &[1, -1, 255, -128], &[0x1234_5678_9abc_def0, 7], &[i64::MIN, -2]];
    for bits in [8, 16, 32, 64] {
        for values in tables {
            let mut elements: Vec<_> =
                values.iter().map(|value| types.int_value(bits, *value as u64)).collect();
            elements.resize(5, types.int(bits).zero());
            let expected = types.array_value(types.int(bits), &elements).expect("elements of one type");
            let array = types.integers_value(bits, values.iter().copied(), 5).expect("a usual width");
            assert!(array == expected, "i{bits}: {values:?}");
        }
    }
    for (bits, length) in [(1, 5), (24, 5), (128, 5), (32, 1), (64, usize::MAX)] {
        assert!(types.integers_value(bits, [1, 2].into_iter(), length).is_none(), "i{bits}, {length}");
    }
}
