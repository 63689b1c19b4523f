use std::ffi::c_void;

use super::*;
use crate::build::{BinaryOp, Builder, CastOp, Types, Volatility};
use crate::{Context, Module, OptLevel};

/// What a test builds into a module for a machine.
type Body = fn(&Module<'_>, &HostMachine);

fn object(machine: &HostMachine, body: Body) -> Vec<u8> {
    let context = Context::new().expect("LLVM 22");
    let mut module = Module::new(&context, "m");
    machine.set_up(&mut module);
    body(&module, machine);
    module.verify().expect("valid");
    machine.optimize(&mut module, "default<O2>").expect("runs");
    machine.emit_object(module).expect("the backend takes it")
}

fn host() -> (HostMachine, Jit) {
    let cpu = Cpu::host().expect("LLVM 22");
    (
        HostMachine::new(&cpu, OptLevel::O2).expect("the host's target"),
        Jit::new(&cpu).expect("the host's own code"),
    )
}

/// `void f(i32 *x)`: adds 1 to 16 numbers, as one vector.
fn add_one(module: &Module<'_>, machine: &HostMachine) {
    let types = Types::new(module.context());
    let f = module.function("f", types.function(types.void(), &[types.pointer(0)])).unwrap();
    machine.set_function(types, f);
    let b = Builder::new(types);
    b.position_at_end(f.append_block(types, "entry"));
    let vector = types.vector(types.int(32), 16);
    let x = f.parameters()[0];
    let old = b.load(vector, x, 4, Volatility::Ordinary).unwrap();
    let one = b.splat(types.int_value(32, 1), 16).unwrap();
    b.store(b.binary(BinaryOp::Add, old, one).unwrap(), x, 4, Volatility::Ordinary).unwrap();
    b.ret(None).unwrap();
}

/// `i64 f(i64 x)`: calls `callback(x + 1)`, which the process defines.
fn call_back(module: &Module<'_>, machine: &HostMachine) {
    let types = Types::new(module.context());
    let ty = types.function(types.int(64), &[types.int(64)]);
    let (f, callback) = (module.function("f", ty).unwrap(), module.function("callback", ty).unwrap());
    machine.set_function(types, f);
    let b = Builder::new(types);
    b.position_at_end(f.append_block(types, "entry"));
    let next = b.binary(BinaryOp::Add, f.parameters()[0], types.int_value(64, 1)).unwrap();
    let result = b.call(callback, &[next]).unwrap();
    b.ret(Some(result)).unwrap();
}

/// `void f(ptr from, ptr offsets, ptr to, i64 lanes)`: in the lanes whose bits are set, `to[lane] = *(float *)(from + offsets[lane])`,
/// and `to[16 + ..]` the same scattered by the offsets; a lane that is not set gets -1 in the first 16 and nothing in the second.
fn gather(module: &Module<'_>, machine: &HostMachine) {
    let types = Types::new(module.context());
    let (pointer, vector) = (types.pointer(0), types.vector(types.f32(), 16));
    let offsets = types.vector(types.int(32), 16);
    let f = module
        .function("f", types.function(types.void(), &[pointer, pointer, pointer, types.int(64)]))
        .unwrap();
    machine.set_function(types, f);
    let b = Builder::new(types);
    b.position_at_end(f.append_block(types, "entry"));
    let [from, at, to, lanes] = f.parameters()[..] else { panic!("four parameters") };
    let bits = b.cast(CastOp::Trunc, lanes, types.int(16)).unwrap();
    let mask = b.cast(CastOp::BitCast, bits, types.vector(types.int(1), 16)).unwrap();
    let at = b.masked_load(offsets, at, 4, mask, offsets.zero()).unwrap();
    let minus = b.splat(types.float_value(types.f32(), -1.0).unwrap(), 16).unwrap();
    let places = b.vector_offset(from, at).unwrap();
    let x = b.masked_gather(vector, places, 4, mask, minus).unwrap();
    b.store(x, to, 4, Volatility::Ordinary).unwrap();
    let second = b.offset(to, types.int_value(64, 64)).unwrap();
    let places = b.vector_offset(second, at).unwrap();
    b.masked_scatter(x, places, 4, mask).unwrap();
    b.masked_store(x, b.offset(to, types.int_value(64, 128)).unwrap(), 4, mask).unwrap();
    b.ret(None).unwrap();
}

extern "C" fn ten_times(x: u64) -> u64 {
    x.wrapping_mul(10)
}

/// Calls compiled code of the type `i64 (i64)`.
fn call(address: usize, x: u64) -> u64 {
    // SAFETY: the test that built the function gave it this type, and holds on to its code.
    let f: extern "C" fn(u64) -> u64 = unsafe { std::mem::transmute(address as *const c_void) };
    f(x)
}

#[test]
fn compiled_code_runs() {
    let (machine, jit) = host();
    let code = jit.add_object("add", &object(&machine, add_one)).unwrap();
    let address = code.address("f").unwrap();
    // SAFETY: the function built above takes a pointer to 16 numbers.
    let f: extern "C" fn(*mut i32) = unsafe { std::mem::transmute(address as *const c_void) };
    let mut x: [i32; 16] = std::array::from_fn(|lane| 100 * lane as i32);
    f(x.as_mut_ptr());
    assert_eq!(x, std::array::from_fn(|lane| 100 * lane as i32 + 1));
}

#[test]
fn masked_accesses_touch_their_lanes_alone() {
    let (machine, jit) = host();
    let code = jit.add_object("gather", &object(&machine, gather)).unwrap();
    let address = code.address("f").unwrap();
    type Gather = extern "C" fn(*const f32, *const i32, *mut f32, u64);
    // SAFETY: the function built above takes these.
    let f: Gather = unsafe { std::mem::transmute(address as *const c_void) };
    let from: [f32; 16] = std::array::from_fn(|index| 0.5 + index as f32);
    for lanes in [0u64, 0xffff, 0x8001, 0x5a5a] {
        let is_set = |lane: usize| lanes >> lane & 1 != 0;
        // What is not in the mask would fault: no such address.
        let offsets: [i32; 16] =
            std::array::from_fn(|lane| if is_set(lane) { 4 * (15 - lane as i32) } else { i32::MIN });
        let mut to = [9.0f32; 48];
        f(from.as_ptr(), offsets.as_ptr(), to.as_mut_ptr(), lanes);
        for lane in 0..16 {
            let value = from[15 - lane];
            assert_eq!(to[lane], if is_set(lane) { value } else { -1.0 }, "{lanes:x} {lane}");
            assert_eq!(to[16 + 15 - lane], if is_set(lane) { value } else { 9.0 }, "{lanes:x} {lane}");
            assert_eq!(to[32 + lane], if is_set(lane) { value } else { 9.0 }, "{lanes:x} {lane}");
        }
    }
}

#[test]
fn gathers_take_a_scalar_base() {
    let context = Context::new().expect("LLVM 22");
    let mut module = Module::new(&context, "m");
    let machine = HostMachine::new(&Cpu::baseline("x86-64-v4").unwrap(), OptLevel::O2).unwrap();
    machine.set_up(&mut module);
    gather(&module, &machine);
    machine.optimize(&mut module, "default<O2>").unwrap();
    let text = machine.emit_assembly(module).unwrap();
    // `rdi` and `rdx` hold the first and the third argument (System V ABI); offsets stay 32 bits wide.
    assert!(text.contains("vgatherdps\t(%rdi,%zmm"), "{text}");
    assert!(text.contains("vscatterdps") && text.contains("64(%rdx,%zmm"), "{text}");
}

#[test]
fn objects_are_for_their_processor() {
    // The field `e_machine` of an ELF header is at byte 18: 62 for x86-64, 183 for AArch64.
    for (baseline, number) in [("x86-64-v2", 62), ("aarch64", 183)] {
        let machine = HostMachine::new(&Cpu::baseline(baseline).unwrap(), OptLevel::O2).unwrap();
        let bytes = object(&machine, gather);
        assert_eq!((&bytes[..4], bytes[18], bytes[19]), (&b"\x7fELF"[..], number, 0), "{baseline}");
    }
}

#[test]
fn code_calls_what_the_process_defines() {
    let (machine, jit) = host();
    let bytes = object(&machine, call_back);
    let code = jit.add_object("early", &bytes).unwrap();
    let error = code.address("f").unwrap_err().to_string();
    assert!(error.contains("callback"), "{error}");
    jit.define(&[("callback", 1), ("callback", ten_times as extern "C" fn(u64) -> u64 as usize)]);
    let code = jit.add_object("late", &bytes).unwrap();
    assert_eq!(call(code.address("f").unwrap(), 4), 50);
    let error = code.address("g").unwrap_err().to_string();
    assert!(error.contains('g'), "{error}");
}

/// `i64 f(i64 x)`: copies `x` bytes from one stack slot to another, and gives `fma(x, 2, 1)`.
fn call_libraries(module: &Module<'_>, machine: &HostMachine) {
    let types = Types::new(module.context());
    let f = module.function("f", types.function(types.int(64), &[types.int(64)])).unwrap();
    machine.set_function(types, f);
    let b = Builder::new(types);
    b.position_at_end(f.append_block(types, "entry"));
    let x = f.parameters()[0];
    let [from, to] = [0; 2].map(|_| b.alloca_in_entry(types.array(types.int(8), 64), 16).unwrap());
    let pointer = types.pointer(0);
    b.intrinsic(
        "llvm.memset",
        &[pointer, types.int(64)],
        &[from, types.int_value(8, 1), x, types.bool_value(false)],
    )
    .unwrap();
    b.intrinsic("llvm.memcpy", &[pointer, pointer, types.int(64)], &[to, from, x, types.bool_value(true)])
        .unwrap();
    // All of the copy's bytes are 1.
    let last = b.offset(to, b.binary(BinaryOp::Sub, x, types.int_value(64, 1)).unwrap()).unwrap();
    let one = b.load(types.int(8), last, 1, Volatility::Volatile).unwrap();
    let [x, one] = [x, one].map(|value| b.cast(CastOp::UiToFp, value, types.f64()).unwrap());
    let two = types.float_value(types.f64(), 2.0).unwrap();
    let result = b.intrinsic("llvm.fma", &[types.f64()], &[x, two, one]).unwrap();
    let narrow = b.cast(CastOp::FpTrunc, result, types.f32()).unwrap();
    let two = types.float_value(types.f32(), 2.0).unwrap();
    let result = b.intrinsic("llvm.fma", &[types.f32()], &[narrow, two, two]).unwrap();
    // There is no conversion to `i64` in the builder: PTX's saturate.
    let result = b.intrinsic("llvm.fptoui.sat", &[types.int(64), types.f32()], &[result]).unwrap();
    b.ret(Some(result)).unwrap();
}

#[cfg(target_arch = "x86_64")]
#[test]
fn code_has_what_llvm_calls_by_itself() {
    // SSE4.2 has no `fma`.
    let cpu = Cpu::baseline("x86-64-v2").unwrap();
    let machine = HostMachine::new(&cpu, OptLevel::O2).unwrap();
    let code = Jit::new(&cpu).unwrap().add_object("libraries", &object(&machine, call_libraries)).unwrap();
    // 2 * (2 * 7 + 1) + 2
    assert_eq!(call(code.address("f").unwrap(), 7), 32);
}

#[test]
fn objects_have_their_own_names() {
    let (machine, jit) = host();
    jit.define(&[("callback", ten_times as extern "C" fn(u64) -> u64 as usize)]);
    let first = jit.add_object("a", &object(&machine, call_back)).unwrap();
    let second = jit.add_object("b", &object(&machine, add_one)).unwrap();
    let (f, g) = (first.address("f").unwrap(), second.address("f").unwrap());
    assert_ne!(f, g);
    drop(second);
    assert_eq!(call(f, 1), 20);
    assert!(jit.add_object("c", b"not an object").is_err());
}

#[test]
fn objects_are_linked_by_several_threads() {
    let (machine, jit) = host();
    jit.define(&[("callback", ten_times as extern "C" fn(u64) -> u64 as usize)]);
    let bytes = object(&machine, call_back);
    let shared = jit.add_object("shared", &bytes).unwrap();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let (jit, bytes, shared) = (&jit, &bytes, &shared);
            scope.spawn(move || {
                for round in 0..20 {
                    let code = jit.add_object("own", bytes).unwrap();
                    let x = 100 * number + round;
                    assert_eq!(call(code.address("f").unwrap(), x), 10 * (x + 1));
                    assert_eq!(call(shared.address("f").unwrap(), x), 10 * (x + 1));
                }
            });
        }
    });
}

#[cfg(target_os = "linux")]
#[test]
fn code_is_never_writable() {
    let (machine, jit) = host();
    let code = jit.add_object("add", &object(&machine, add_one)).unwrap();
    let address = code.address("f").unwrap();
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    // Lines are `START-END PERMISSIONS ..`.
    let mut found = false;
    for line in maps.lines() {
        let (range, rest) = line.split_once(' ').unwrap();
        let (start, end) = range.split_once('-').unwrap();
        let bound = |text| usize::from_str_radix(text, 16).unwrap();
        assert!(!rest.starts_with("rwx"), "{line}");
        if (bound(start)..bound(end)).contains(&address) {
            found = true;
            assert!(rest.starts_with("r-x"), "{line}");
        }
    }
    assert!(found, "{maps}");
}

#[test]
fn vectors_are_as_wide_as_the_processor_has_them() {
    for (baseline, bits, register) in [
        ("x86-64-v2", 128, "xmm"),
        ("x86-64-v3", 256, "ymm"),
        ("x86-64-v4", 512, "zmm"),
        ("aarch64", 128, ".4s"),
    ] {
        let cpu = Cpu::baseline(baseline).unwrap();
        assert_eq!(cpu.vector_bits(), bits, "{baseline}");
        let machine = HostMachine::new(&cpu, OptLevel::O2).unwrap();
        let context = Context::new().expect("LLVM 22");
        let mut module = Module::new(&context, "m");
        machine.set_up(&mut module);
        add_one(&module, &machine);
        machine.optimize(&mut module, "default<O2>").unwrap();
        let text = machine.emit_assembly(module).unwrap();
        assert!(text.contains(register), "{baseline}:\n{text}");
        let wider = match register {
            "xmm" => "ymm",
            "ymm" => "zmm",
            _ => "none",
        };
        assert!(!text.contains(wider), "{baseline}:\n{text}");
    }
}

#[test]
fn features_override_the_name() {
    let cpu = Cpu::of("x86_64-pc-linux-gnu", "x86-64-v4", "+sse4.2,-avx512vl");
    assert_eq!(cpu.vector_bits(), 256);
    assert!(cpu.has("sse4.2") && cpu.has("avx512f") && !cpu.has("avx512vl"));
    let cpu = Cpu::of("x86_64-pc-linux-gnu", "znver4", "+avx2,+avx512f,+avx512bw,+avx512dq,+avx512vl");
    assert_eq!(cpu.vector_bits(), 512);
    assert!(Cpu::baseline("x86-64-v9").is_err());
}

#[test]
fn code_needs_the_features_it_is_compiled_for() {
    // The levels of x86-64 include each other (System V ABI); Zen 4 has AVX-512, Haswell no more than AVX2.
    let levels = ["x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"].map(|level| Cpu::baseline(level).unwrap());
    for (at, level) in levels.iter().enumerate() {
        let executed = levels.each_ref().map(|other| level.executes(other).unwrap());
        assert_eq!(executed, [0, 1, 2, 3].map(|other| other <= at), "{level:?}");
    }
    let named = |name| Cpu::of("x86_64-unknown-linux-gnu", name, "");
    assert!(named("znver4").executes(&levels[3]).unwrap() && !named("haswell").executes(&levels[3]).unwrap());
    assert!(!named("haswell").executes(&Cpu::baseline("aarch64").unwrap()).unwrap());
    assert!(named("haswell").executes(&named("frob")).is_err());
}

#[test]
fn names_stand_for_their_features() {
    // The manufacturers' data sheets: AVX-512 since Skylake-X and Zen 4, AVX2 since Haswell and Excavator; NEON in ARMv8.0, SVE
    // in Neoverse V1.
    for (name, bits) in [
        ("nehalem", 128),
        ("haswell", 256),
        ("znver3", 256),
        ("skylake-avx512", 512),
        ("znver4", 512),
        ("knl", 256),
        ("", 128),
    ] {
        assert_eq!(Cpu::of("x86_64-pc-linux-gnu", name, "").vector_bits(), bits, "{name}");
    }
    let arm = |name| Cpu::of("aarch64-linux-gnu", name, "");
    assert!(arm("neoverse-v1").has("sve") && arm("neoverse-v1").has("neon"));
    assert!(!arm("neoverse-n1").has("sve") && !arm("neoverse-n1").has("frob"));
    assert_eq!(arm("neoverse-v1").vector_bits(), 128);
    let host = Cpu::host().unwrap();
    assert!(!host.name.is_empty() && host.has(if cfg!(target_arch = "x86_64") { "sse2" } else { "neon" }));
}

#[test]
fn loops_are_not_vectorized() {
    let text = "define void @f(ptr noalias %x, ptr noalias %y, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr i32, ptr %x, i64 %i
  %q = getelementptr i32, ptr %y, i64 %i
  %v = load i32, ptr %p
  %w = add i32 %v, 3
  store i32 %w, ptr %q
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}";
    let machine = HostMachine::new(&Cpu::baseline("x86-64-v3").unwrap(), OptLevel::O2).unwrap();
    let context = Context::new().expect("LLVM 22");
    let mut module = Module::parse(&context, "m", text.as_bytes()).unwrap();
    let refused = machine.optimize(&mut module, "default<O2>").unwrap_err();
    assert!(matches!(refused, LlvmError::Target { .. }), "{refused}");
    assert!(machine.emit_object(module).is_err());
    let mut module = Module::parse(&context, "m", text.as_bytes()).unwrap();
    machine.set_up(&mut module);
    machine.optimize(&mut module, "default<O3>").unwrap();
    let text = module.to_text();
    assert!(!text.contains(" x i32>"), "{text}");
    assert!(!text.contains("noimplicitfloat") && !text.contains("ptx."), "{text}");
    assert!(matches!(machine.optimize(&mut module, "frob"), Err(LlvmError::Pipeline { .. })));
}

#[test]
fn straight_code_is_not_vectorized() {
    let one = |lane: u32| {
        format!(
            "%p{lane} = getelementptr i32, ptr %x, i64 {lane}\n%v{lane} = load i32, ptr %p{lane}\n\
             %w{lane} = add i32 %v{lane}, 3\nstore i32 %w{lane}, ptr %p{lane}\n"
        )
    };
    let body: String = (0..8).map(one).collect();
    let text = format!(
        "define void @f(ptr %x) {{\n{body}ret void\n}}\ndefine void @g() noimplicitfloat {{\nret void\n}}"
    );
    let machine = HostMachine::new(&Cpu::baseline("x86-64-v3").unwrap(), OptLevel::O2).unwrap();
    let context = Context::new().expect("LLVM 22");
    let mut module = Module::parse(&context, "m", text.as_bytes()).unwrap();
    machine.set_up(&mut module);
    machine.optimize(&mut module, "default<O3>").unwrap();
    let text = module.to_text();
    assert_eq!(text.matches("store i32").count(), 8, "{text}");
    assert_eq!(text.matches("noimplicitfloat").count(), 2, "those of @g and its comment: {text}");
}

/// Bits that are chosen from two numbers.
type Chosen = fn(u32, u32) -> u32;

/// Functions of two vectors: bits by a constant, under a mask that keeps one of the two. Each has its result computed from `a` and `b`
/// in the lanes of the mask, and whether the others keep `a`.
const SELECTIONS: [(&str, Chosen, bool); 5] = [
    (
        "%x = and <16 x i32> %a, splat (i32 255)\n%y = and <16 x i32> %b, splat (i32 -256)\n\
         %z = or <16 x i32> %x, %y\n%r = select <16 x i1> %m, <16 x i32> %z, <16 x i32> %b",
        |a, b| a & 255 | b & !255,
        false,
    ),
    (
        "%x = and <16 x i32> %a, splat (i32 255)\n%y = and <16 x i32> %b, splat (i32 -256)\n\
         %z = or <16 x i32> %y, %x\n%n = xor <16 x i1> %m, splat (i1 true)\n\
         %r = select <16 x i1> %n, <16 x i32> %a, <16 x i32> %z",
        |a, b| a & 255 | b & !255,
        true,
    ),
    (
        "%d = xor <16 x i32> %a, %b\n%x = and <16 x i32> %d, splat (i32 4080)\n\
         %z = xor <16 x i32> %x, %b\n%r = select <16 x i1> %m, <16 x i32> %z, <16 x i32> %a",
        |a, b| a & 4080 | b & !4080,
        true,
    ),
    (
        "%x = and <16 x i32> %a, splat (i32 2147483647)\n%y = and <16 x i32> %b, splat (i32 -2147483648)\n\
         %z = or <16 x i32> %x, %y\n%f = bitcast <16 x i32> %z to <16 x float>\n\
         %g = bitcast <16 x i32> %b to <16 x float>\n%s = select <16 x i1> %m, <16 x float> %f, <16 x float> %g\n\
         %r = bitcast <16 x float> %s to <16 x i32>",
        |a, b| a & 0x7fff_ffff | b & 0x8000_0000,
        false,
    ),
    (
        "%p = bitcast <16 x i32> %a to <8 x i64>\n%q = bitcast <16 x i32> %b to <8 x i64>\n\
         %x = and <8 x i64> %p, splat (i64 280375465148160)\n%y = and <8 x i64> %q, splat (i64 -280375465148161)\n\
         %o = or <8 x i64> %x, %y\n%z = bitcast <8 x i64> %o to <16 x i32>\n\
         %r = select <16 x i1> %m, <16 x i32> %z, <16 x i32> %b",
        |a, b| a & 0xff00 | b & !0xff00,
        false,
    ),
];

/// With AVX-512 LLVM 22 makes instructions with wrong truth tables of these without [`blend`].
#[test]
fn bits_are_selected_under_masks() {
    let (machine, jit) = host();
    for (at, (body, selected, keeps_a)) in SELECTIONS.into_iter().enumerate() {
        let text = format!(
            "define void @f(ptr %to, ptr %from, i16 %lanes) {{\n%a = load <16 x i32>, ptr %from, align 4\n\
             %second = getelementptr i8, ptr %from, i64 64\n%b = load <16 x i32>, ptr %second, align 4\n\
             %m = bitcast i16 %lanes to <16 x i1>\n{body}\nstore <16 x i32> %r, ptr %to, align 4\nret void\n}}"
        );
        let context = Context::new().expect("LLVM 22");
        let mut module = Module::parse(&context, "m", text.as_bytes()).expect("valid");
        machine.set_up(&mut module);
        let types = Types::new(module.context());
        let ty = types.function(types.void(), &[types.pointer(0), types.pointer(0), types.int(16)]);
        machine.set_function(types, module.function("f", ty).expect("the one above"));
        machine.optimize(&mut module, "default<O2>").expect("runs");
        module.verify().expect("valid");
        let object = machine.emit_object(module).expect("the backend takes it");
        let code = jit.add_object(&format!("selection{at}"), &object).expect("links");
        let address = code.address("f").expect("defined");
        // SAFETY: the function built above takes these.
        let f: extern "C" fn(*mut u32, *const u32, u16) =
            unsafe { std::mem::transmute(address as *const c_void) };
        let from: [u32; 32] = std::array::from_fn(|lane| (lane as u32 + 3).wrapping_mul(2_654_435_761));
        let mut to = [0; 16];
        f(to.as_mut_ptr(), from.as_ptr(), 0x5a3c);
        let expected: [u32; 16] = std::array::from_fn(|lane| {
            let (a, b) = (from[lane], from[lane + 16]);
            let kept = if keeps_a { a } else { b };
            if 0x5a3c >> lane & 1 != 0 { selected(a, b) } else { kept }
        });
        assert_eq!(to, expected, "{body}");
    }
}

#[test]
fn selections_have_no_choice_left() {
    let text = "define <4 x i32> @f(<4 x i32> %a, <4 x i32> %b, <4 x i1> %m) {
  %x = and <4 x i32> %a, <i32 1, i32 undef, i32 3, i32 4>
  %y = and <4 x i32> %b, <i32 -2, i32 -3, i32 -4, i32 -5>
  %z = or <4 x i32> %x, %y
  %r = select <4 x i1> %m, <4 x i32> %z, <4 x i32> %b
  ret <4 x i32> %r
}
define <4 x i32> @others(<4 x i32> %a, <4 x i32> %b, <4 x i1> %m) {
  %x = and <4 x i32> %a, splat (i32 255)
  %y = and <4 x i32> %b, splat (i32 -255)
  %z = or <4 x i32> %x, %y
  %r = select <4 x i1> %m, <4 x i32> %z, <4 x i32> %b
  ret <4 x i32> %r
}";
    for (name, constant) in [("x86-64-v4", true), ("x86-64-v3", false)] {
        let machine = HostMachine::new(&Cpu::baseline(name).unwrap(), OptLevel::O2).unwrap();
        let context = Context::new().expect("LLVM 22");
        let mut module = Module::parse(&context, "m", text.as_bytes()).unwrap();
        machine.set_up(&mut module);
        machine.optimize(&mut module, "verify").unwrap();
        module.verify().unwrap();
        let text = module.to_text();
        let split = "select <4 x i1> %m, <4 x i32> <i32 1, i32 2, i32 3, i32 4>, <4 x i32> zeroinitializer";
        assert_eq!(text.contains(split), constant, "{text}");
        assert!(text.contains("select <4 x i1> %m, <4 x i32> %z, <4 x i32> %b"), "that of @others: {text}");
    }
}

#[test]
fn unknown_targets_are_errors() {
    for (triple, name, features) in [
        ("frob-unknown-none", "", ""),
        ("x86_64-pc-linux-gnu", "i386", ""),
        ("x86_64-pc-linux-gnu", "frob", ""),
        ("x86_64-pc-linux-gnu", "haswell", "+avx2,+frob"),
        ("x86_64-pc-linux-gnu", "haswell", "avx2"),
        ("x86_64-pc-linux-gnu", "has\0well", ""),
        ("x86_64\0", "", ""),
        ("aarch64-linux-gnu", "haswell", ""),
    ] {
        let cpu = Cpu::of(triple, name, features);
        let error = HostMachine::new(&cpu, OptLevel::O2).expect_err(name);
        assert!(matches!(error, LlvmError::Target { .. }), "{error}");
    }
    let other = if cfg!(target_arch = "x86_64") { "aarch64" } else { "x86-64" };
    assert!(matches!(Jit::new(&Cpu::baseline(other).unwrap()), Err(LlvmError::Target { .. })));
}
