use crate::build::*;
use crate::{Context, Module};

fn function<'c>(
    module: &Module<'c>,
    types: Types<'c>,
    parameters: &[Type<'c>],
) -> (Vec<Value<'c>>, Builder<'c>) {
    let function = module.function("f", types.function(types.void(), parameters)).unwrap();
    let builder = Builder::new(types);
    builder.position_at_end(function.append_block(types, "entry"));
    (function.parameters(), builder)
}

fn expect(module: &Module<'_>, parts: &[&str]) {
    module.verify().unwrap();
    let text = module.to_text();
    for part in parts {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
}

#[test]
fn broadcasts_shuffles_and_lanes_are_written() {
    let context = Context::new().expect("LLVM 22");
    let (module, types) = (Module::new(&context, "m"), Types::new(&context));
    let v4 = types.vector(types.int(32), 4);
    let (p, b) = function(&module, types, &[types.int(32), v4, v4, types.int(64)]);
    let seven = b.splat(types.int_value(32, 7), 4).unwrap();
    assert!(seven.is_constant());
    assert_eq!(seven.constant_element(3).and_then(Value::as_constant_int), Some(7));
    let same = b.splat(p[0], 4).unwrap();
    assert_eq!(same.ty(), v4);
    let mixed = b.shuffle(p[1], p[2], &[Some(7), None]).unwrap();
    assert_eq!(mixed.ty(), types.vector(types.int(32), 2));
    b.extract_lane(p[1], p[3]).unwrap();
    b.insert_lane(p[1], p[0], p[3]).unwrap();
    assert!(b.splat(p[1], 4).is_err() && b.splat(p[0], 0).is_err());
    assert!(b.shuffle(p[1], p[2], &[Some(8)]).is_err(), "there are eight lanes");
    assert!(b.shuffle(p[1], p[2], &[]).is_err() && b.shuffle(p[0], p[0], &[Some(0)]).is_err());
    assert!(b.extract_lane(p[0], p[3]).is_err() && b.extract_lane(p[1], p[1]).is_err());
    assert!(b.insert_lane(p[1], p[3], p[3]).is_err());
    b.ret(None).unwrap();
    expect(
        &module,
        &[
            "insertelement <4 x i32> poison, i32 %0, i32 0",
            "<4 x i32> zeroinitializer",
            "shufflevector <4 x i32> %1, <4 x i32> %2, <2 x i32> <i32 7, i32 poison>",
            "extractelement <4 x i32> %1, i64 %3",
            "insertelement <4 x i32> %1, i32 %0, i64 %3",
        ],
    );
}

#[test]
fn addresses_of_lanes_keep_the_scalar_base() {
    let context = Context::new().expect("LLVM 22");
    let (module, types) = (Module::new(&context, "m"), Types::new(&context));
    let pointer = types.pointer(0);
    let parameters =
        [pointer, types.vector(types.int(64), 8), types.vector(pointer, 8), types.vector(types.int(32), 4)];
    let (p, b) = function(&module, types, &parameters);
    assert_eq!(b.vector_offset(p[0], p[1]).unwrap().ty(), types.vector(pointer, 8));
    assert_eq!(b.vector_offset(p[0], p[3]).unwrap().ty(), types.vector(pointer, 4));
    b.vector_offset(p[2], p[1]).unwrap();
    assert!(b.vector_offset(p[2], p[3]).is_err(), "eight and four lanes");
    assert!(b.vector_offset(p[0], p[0]).is_err() && b.vector_offset(p[1], p[1]).is_err());
    b.ret(None).unwrap();
    expect(
        &module,
        &["getelementptr i8, ptr %0, <8 x i64> %1", "getelementptr i8, <8 x ptr> %2, <8 x i64> %1"],
    );
}

#[test]
fn masked_accesses_are_llvms_with_their_alignment() {
    let context = Context::new().expect("LLVM 22");
    let (module, types) = (Module::new(&context, "m"), Types::new(&context));
    let (float, pointer) = (types.vector(types.f32(), 8), types.pointer(0));
    let mask = types.vector(types.int(1), 8);
    let parameters = [pointer, mask, float, types.vector(pointer, 8), types.vector(types.int(1), 4)];
    let (p, b) = function(&module, types, &parameters);
    let read = b.masked_load(float, p[0], 4, p[1], p[2]).unwrap();
    assert_eq!(read.ty(), float);
    b.masked_store(read, p[0], 16, p[1]).unwrap();
    let gathered = b.masked_gather(float, p[3], 4, p[1], float.poison()).unwrap();
    b.masked_scatter(gathered, p[3], 4, p[1]).unwrap();
    let wrong = [
        b.masked_load(float, p[0], 3, p[1], p[2]),
        b.masked_load(float, p[0], 4, p[4], p[2]),
        b.masked_load(types.f32(), p[0], 4, p[1], p[2]),
        b.masked_load(float, p[3], 4, p[1], p[2]),
        b.masked_store(p[2], p[0], 4, p[4]),
        b.masked_store(p[0], p[0], 4, p[1]),
        b.masked_gather(float, p[0], 4, p[1], p[2]),
        b.masked_gather(float, p[3], 4, p[1], p[1]),
        b.masked_scatter(p[2], p[0], 4, p[1]),
        b.masked_scatter(p[2], p[3], 0, p[1]),
    ];
    assert!(wrong.iter().all(Result::is_err), "{wrong:?}");
    b.ret(None).unwrap();
    expect(
        &module,
        &[
            "@llvm.masked.load.v8f32.p0(ptr align 4 %0, <8 x i1> %1, <8 x float> %2)",
            "@llvm.masked.store.v8f32.p0(<8 x float> %5, ptr align 16 %0, <8 x i1> %1)",
            "@llvm.masked.gather.v8f32.v8p0(<8 x ptr> align 4 %3, <8 x i1> %1, <8 x float> poison)",
            "@llvm.masked.scatter.v8f32.v8p0(<8 x float> %6, <8 x ptr> align 4 %3, <8 x i1> %1)",
        ],
    );
}

#[test]
fn constants_of_vectors_and_floats_are_their_numbers() {
    let context = Context::new().expect("LLVM 22");
    let types = Types::new(&context);
    let vector = types.int_vector(8, &[1, 0x1ff, 3]).unwrap();
    assert_eq!(vector.constant_element(1).and_then(Value::as_constant_int), Some(0xff));
    assert!(types.int_vector(8, &[]).is_err() && types.float_value(types.int(32), 1.0).is_err());
    // The bits of 1.5 by IEEE 754: exponent bias 15 (half), 127 (float and bfloat), 1023 (double), then the first bit of the fraction.
    for (ty, bits) in [
        (types.f16(), 0x3e00),
        (types.bf16(), 0x3fc0),
        (types.f32(), 0x3fc0_0000),
        (types.f64(), 0x3ff8_0000_0000_0000),
    ] {
        let value = types.float_value(ty, 1.5).unwrap();
        let width = ty.bits().unwrap();
        let number = value.constant_bits_as(types.int(width)).unwrap();
        assert_eq!(number.as_constant_int(), Some(bits), "{}", ty.text());
    }
}

#[test]
fn branches_switches_and_slots_are_written() {
    let context = Context::new().expect("LLVM 22");
    let (module, types) = (Module::new(&context, "m"), Types::new(&context));
    let ty = types.function(types.void(), &[types.int(1), types.int(8)]);
    let function = module.function("f", ty).unwrap();
    let [entry, yes, no] = ["entry", "yes", "no"].map(|name| function.append_block(types, name));
    let (p, b) = (function.parameters(), Builder::new(types));
    assert!(b.alloca_in_entry(types.int(32), 4).is_err(), "no place yet");
    b.position_at_end(entry);
    b.branch_if_likely(p[0], yes, no, false).unwrap();
    b.position_at_end(yes);
    assert!(b.switch_on(p[1], no, &[(1, yes), (0x101, no)]).is_err(), "1 twice");
    assert!(b.switch_on(p[0], no, &[(0, no), (1, no)]).is_ok());
    b.position_at_end(no);
    let slot = b.alloca_in_entry(types.vector(types.int(32), 16), 64).unwrap();
    b.store(types.vector(types.int(32), 16).zero(), slot, 64, Volatility::Ordinary).unwrap();
    assert!(b.alloca_in_entry(types.int(32), 3).is_err());
    b.switch_on(p[1], yes, &[(9, no), (200, yes)]).unwrap();
    module.verify().unwrap();
    let text = module.to_text();
    for part in [
        "entry:\n  %2 = alloca <16 x i32>, align 64\n  br i1 %0, label %yes, label %no, !prof",
        "!{!\"branch_weights\", i32 1, i32 2000}",
        "i8 9, label %no\n    i8 -56, label %yes",
    ] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
}

#[test]
fn flags_of_arithmetic_and_parameters_are_written() {
    let context = Context::new().expect("LLVM 22");
    let (module, types) = (Module::new(&context, "m"), Types::new(&context));
    let ty = types.function(types.void(), &[types.pointer(0), types.int(32)]);
    let f = module.function("f", ty).unwrap();
    f.add_parameter_flag(types, 0, "noalias");
    f.add_parameter_flag(types, 0, "no such attribute");
    f.add_parameter_dereferenceable(types, 0, 64);
    let b = Builder::new(types);
    b.position_at_end(f.append_block(types, "entry"));
    let x = f.parameters()[1];
    for (op, wrap) in [
        (BinaryOp::Add, NoWrap::Signed),
        (BinaryOp::Mul, NoWrap::Unsigned),
        (BinaryOp::Shl, NoWrap::Both),
        (BinaryOp::Xor, NoWrap::Both),
    ] {
        b.set_no_wrap(b.binary(op, x, x).unwrap(), wrap);
    }
    b.set_no_wrap(x, NoWrap::Both);
    b.ret(None).unwrap();
    expect(
        &module,
        &[
            "ptr noalias dereferenceable(64) %0",
            "add nsw i32 %1, %1",
            "mul nuw i32 %1, %1",
            "shl nuw nsw i32 %1, %1",
            "xor i32 %1, %1",
        ],
    );
}

#[test]
fn intrinsics_are_called_with_their_own_arguments_only() {
    let context = Context::new().expect("LLVM 22");
    let (module, types) = (Module::new(&context, "m"), Types::new(&context));
    let float = types.vector(types.f32(), 16);
    let (p, b) = function(&module, types, &[float, types.f32()]);
    assert_eq!(b.intrinsic("llvm.fma", &[float], &[p[0], p[0], p[0]]).unwrap().ty(), float);
    assert!(b.intrinsic("llvm.fma", &[float], &[p[0], p[0]]).is_err());
    assert!(b.intrinsic("llvm.fma", &[float], &[p[0], p[0], p[1]]).is_err());
    assert!(b.intrinsic("llvm.fma", &[], &[p[0], p[0], p[0]]).is_err());
    let zero = types.f32().zero();
    assert_eq!(b.intrinsic("llvm.vector.reduce.fadd", &[float], &[zero, p[0]]).unwrap().ty(), types.f32());
    b.ret(None).unwrap();
    expect(&module, &["@llvm.fma.v16f32(<16 x float> %0,", "@llvm.vector.reduce.fadd.v16f32(float 0.0"]);
}
