//! Modules in memory: variables, the heap and function addresses from launch to launch. What is expected follows from the kernels,
//! which are a few lines each.

use std::num::NonZeroUsize;
use std::sync::Arc;

use ptx_diag::SourceFile;
use ptx_exec::{
    DeviceHeap, ExecError, Image, LaunchSpec, Limits, Memory, Report, Shape, Space, Surroundings, Trap,
};

const HEAD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n";

fn image_in(memory: &Memory, heap: &DeviceHeap, text: &str) -> Arc<Image> {
    let source = SourceFile::new("test.ptx", format!("{HEAD}{text}"));
    let (module, findings) = ptx_syntax::parse(&source);
    assert!(!findings.has_errors(), "{findings:?}");
    let (verified, _) = ptx_verify::verify(&module).unwrap();
    let (memory, heap) = (memory.clone(), heap.clone());
    Image::new(verified, Surroundings { memory, heap, limits: Limits::default() }).unwrap()
}

fn image(memory: &Memory, text: &str) -> Arc<Image> {
    image_in(memory, &DeviceHeap::default(), text)
}

fn launch(image: &Arc<Image>, kernel: &str, shape: Shape, params: &[u64]) -> Report {
    let bytes: Vec<u8> = params.iter().flat_map(|param| param.to_le_bytes()).collect();
    image.kernel(kernel).unwrap().launch(LaunchSpec::new(shape, bytes))
}

fn done(image: &Arc<Image>, kernel: &str, params: &[u64]) -> String {
    let report = launch(image, kernel, Shape::default(), params);
    report.result.unwrap();
    String::from_utf8(report.output).unwrap()
}

fn stopped(report: Report) -> Trap {
    match report.result {
        Err(ExecError::Trap(trap)) => *trap,
        other => panic!("not stopped: {other:?}"),
    }
}

fn word(memory: &Memory, address: u64) -> u64 {
    let mut bytes = [0; 8];
    memory.read(address, &mut bytes).unwrap();
    u64::from_le_bytes(bytes)
}

const COUNTER: &str = ".visible .global .align 8 .u64 counter = 40;
.visible .const .align 8 .u64 step = 1;
.visible .entry count() {
    .reg .u64 %a, %b;
    ld.global.u64 %a, [counter];
    ld.const.u64 %b, [step];
    add.u64 %a, %a, %b;
    st.global.u64 [counter], %a;
    ret;
}
.visible .entry double() {
    .reg .u64 %a;
    ld.global.u64 %a, [counter];
    add.u64 %a, %a, %a;
    st.global.u64 [counter], %a;
    ret;
}";

#[test]
fn variables_keep_their_values_and_kernels_share_them() {
    let memory = Memory::new();
    let image = image(&memory, COUNTER);
    let counter = image.variable("counter").unwrap().clone();
    assert_eq!((counter.bytes, counter.space), (8, Space::Global));
    assert_eq!(word(&memory, counter.address), 40);
    done(&image, "count", &[]);
    done(&image, "count", &[]);
    done(&image, "double", &[]);
    assert_eq!(word(&memory, counter.address), 84);
    let step = image.variable("step").unwrap();
    assert_eq!(step.space, Space::Const);
    memory.write(step.address, &100u64.to_le_bytes()).unwrap();
    done(&image, "count", &[]);
    assert_eq!(word(&memory, counter.address), 184);
    image.reset();
    done(&image, "count", &[]);
    assert_eq!(word(&memory, counter.address), 41);
    assert_eq!((image.variables(), image.kernels()), (vec!["counter", "step"], vec!["count", "double"]));
}

#[test]
fn images_of_one_module_have_variables_of_their_own() {
    let memory = Memory::new();
    let (first, second) = (image(&memory, COUNTER), image(&memory, COUNTER));
    done(&first, "count", &[]);
    let of = |image: &Arc<Image>| word(&memory, image.variable("counter").unwrap().address);
    assert_eq!((of(&first), of(&second)), (41, 40));
    let address = first.variable("counter").unwrap().address;
    drop(first);
    assert!(memory.read(address, &mut [0]).is_err());
}

#[test]
fn the_heap_is_kept_and_shared_by_images() {
    let heap = DeviceHeap::default();
    let memory = Memory::new();
    let text = ".extern .func (.param .b64 r) malloc(.param .b64 n);
.extern .func free(.param .b64 p);
.visible .entry make(.param .u64 out) {
    .reg .b64 %p, %o; .reg .b64 %n;
    mov.u64 %n, 64;
    { .param .b64 n; .param .b64 r; st.param.b64 [n], %n;
      call.uni (r), malloc, (n); ld.param.b64 %p, [r]; }
    mov.u64 %n, 77;
    st.u64 [%p], %n;
    ld.param.u64 %o, [out];
    st.global.u64 [%o], %p;
    ret;
}
.visible .entry take(.param .u64 out) {
    .reg .b64 %p, %o, %v;
    ld.param.u64 %o, [out];
    ld.global.u64 %p, [%o];
    ld.u64 %v, [%p];
    st.global.u64 [%o+8], %v;
    { .param .b64 p; st.param.b64 [p], %p; call.uni free, (p); }
    ret;
}";
    let (first, second) = (image_in(&memory, &heap, text), image_in(&memory, &heap, text));
    let out = memory.allocate(16).unwrap();
    done(&first, "make", &[out]);
    let piece = word(&memory, out);
    done(&second, "take", &[out]);
    assert_eq!(word(&memory, out + 8), 77);
    // The piece is free again, and the first place that fits is taken.
    done(&second, "make", &[out]);
    assert_eq!(word(&memory, out), piece);
}

#[test]
fn addresses_of_functions_are_the_same_in_all_kernels() {
    let memory = Memory::new();
    let text = ".visible .global .align 8 .u64 chosen;
.func (.reg .u32 %r) unused() { mov.u32 %r, 1; ret; }
.func (.reg .u32 %r) seven() { mov.u32 %r, 7; ret; }
.visible .entry choose() {
    .reg .u64 %f;
    mov.u64 %f, seven;
    st.global.u64 [chosen], %f;
    ret;
}
.visible .entry use(.param .u64 out) {
    .reg .u64 %f, %o; .reg .u32 %v;
    prototype: .callprototype (.reg .u32 _) _ ();
    ld.global.u64 %f, [chosen];
    call (%v), %f, (), prototype;
    ld.param.u64 %o, [out];
    st.global.u32 [%o], %v;
    ret;
}";
    let image = image(&memory, text);
    let out = memory.allocate(8).unwrap();
    done(&image, "choose", &[]);
    done(&image, "use", &[out]);
    assert_eq!(word(&memory, out), 7);
}

const LOAD: &str = ".visible .entry load(.param .u64 p) {
    .reg .u64 %p; .reg .u32 %v;
    ld.param.u64 %p, [p];
    ld.global.u32 %v, [%p];
    st.global.u32 [%p], %v;
    ret;
}";

#[test]
fn faults_name_the_allocation_or_what_was_freed() {
    let memory = Memory::new();
    let image = image(&memory, LOAD);
    let (first, second) = (memory.allocate(64).unwrap(), memory.allocate(64).unwrap());
    let at = |address| stopped(launch(&image, "load", Shape::default(), &[address])).to_string();
    let past = at(second + 64);
    assert!(past.contains("out of bounds: offset 64 of allocation 2, which has 64 bytes"), "{past}");
    let before = at(second - 4);
    assert!(before.contains("out of bounds: 4 bytes before allocation 2, which has 64 bytes"), "{before}");
    memory.free(first).unwrap();
    let freed = at(first + 8);
    let wanted = "memory that was freed: offset 8 of allocation 1, which had 64 bytes and was freed";
    assert!(freed.contains(wanted), "{freed}");
    let nowhere = at(0x1234_5678_0000);
    assert!(nowhere.contains("there is no argument or variable at this address"), "{nowhere}");
    let misaligned = at(second + 2);
    assert!(misaligned.contains("not aligned to 4 bytes: offset 2 of allocation 2"), "{misaligned}");
}

#[test]
fn many_allocations_are_found_wherever_they_are() {
    let memory = Memory::new();
    let text = ".visible .entry sum(.param .u64 pointers, .param .u64 n, .param .u64 out) {
    .reg .u64 %p, %n, %o, %a, %v, %s; .reg .pred %q;
    ld.param.u64 %p, [pointers];
    ld.param.u64 %n, [n];
    ld.param.u64 %o, [out];
    mov.u64 %s, 0;
again:
    ld.global.u64 %a, [%p];
    ld.global.u64 %v, [%a];
    add.u64 %s, %s, %v;
    add.u64 %p, %p, 8;
    sub.u64 %n, %n, 1;
    setp.ne.u64 %q, %n, 0;
    @%q bra again;
    st.global.u64 [%o], %s;
    ret;
}";
    let image = image(&memory, text);
    let count = 1000u64;
    let pointers = memory.allocate(count * 8).unwrap();
    let out = memory.allocate(8).unwrap();
    for n in 0..count {
        let one = memory.allocate(8 + n % 5000).unwrap();
        memory.write(one, &(n * n).to_le_bytes()).unwrap();
        memory.write(pointers + n * 8, &one.to_le_bytes()).unwrap();
    }
    done(&image, "sum", &[pointers, count, out]);
    assert_eq!(word(&memory, out), (count - 1) * count * (2 * count - 1) / 6, "the sum of squares");
}

#[test]
fn results_and_output_do_not_depend_on_the_number_of_host_threads() {
    let text = ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.global .align 1 .b8 format[4] = {37, 117, 10, 0};
.visible .entry write(.param .u64 out) {
    .local .align 8 .b8 args[8];
    .reg .u64 %o, %f, %a; .reg .u32 %b, %t, %n, %i;
    ld.param.u64 %o, [out];
    mov.u32 %b, %ctaid.x;
    mov.u32 %t, %tid.x;
    mov.u32 %n, %ntid.x;
    mad.lo.u32 %i, %b, %n, %t;
    mad.wide.u32 %o, %i, 4, %o;
    mul.lo.u32 %i, %i, %i;
    st.global.u32 [%o], %i;
    .reg .pred %p;
    setp.ne.u32 %p, %t, 0;
    @%p bra end;
    mov.u64 %a, args;
    cvta.local.u64 %a, %a;
    st.u32 [%a], %b;
    mov.u64 %f, format;
    cvta.global.u64 %f, %f;
    { .param .b64 p; .param .b64 q; .param .b32 r;
      st.param.b64 [p], %f; st.param.b64 [q], %a; call.uni (r), vprintf, (p, q); }
end:
    ret;
}";
    let memory = Memory::new();
    let image = image(&memory, text);
    let (blocks, threads) = (50u32, 64u32);
    let total = u64::from(blocks * threads);
    let wanted: Vec<u8> = (0..total as u32).flat_map(|i| (i * i).to_le_bytes()).collect();
    let text: String = (0..blocks).map(|block| format!("{block}\n")).collect();
    for host in [1, 2, 8] {
        let out = memory.allocate(total * 4).unwrap();
        let kernel = image.kernel("write").unwrap();
        let spec = LaunchSpec::new(Shape::linear(blocks, threads), out.to_le_bytes());
        let report = kernel.launch(LaunchSpec { threads: NonZeroUsize::new(host), ..spec });
        report.result.unwrap();
        assert_eq!(String::from_utf8(report.output).unwrap(), text);
        let mut bytes = vec![0; wanted.len()];
        memory.read(out, &mut bytes).unwrap();
        assert!(bytes == wanted, "{host} threads");
    }
}

#[test]
fn only_kernels_that_need_it_mind_what_cannot_be_executed() {
    let memory = Memory::new();
    let text = ".extern .global .align 4 .u32 elsewhere;
.visible .entry good() { ret; }
.visible .entry bad() { .reg .u32 %v; ld.global.u32 %v, [elsewhere]; st.global.u32 [elsewhere], %v; ret; }";
    let image = image(&memory, text);
    done(&image, "good", &[]);
    let findings = image.kernel("bad").unwrap_err();
    assert_eq!(findings.iter().next().unwrap().code, ptx_exec::codes::UNDEFINED);
    let findings = image.kernel("none").unwrap_err();
    assert_eq!(findings.iter().next().unwrap().code, ptx_exec::codes::NO_KERNEL);
}

#[test]
fn cooperative_launches_fit_or_are_refused() {
    let memory = Memory::new();
    let image = image(&memory, ".visible .entry k() { ret; }");
    let kernel = image.kernel("k").unwrap();
    let shape = |blocks| Shape { cooperative: true, ..Shape::linear(blocks, 32) };
    assert!(kernel.check(&shape(4096), &Limits::default()).is_ok());
    let findings = kernel.check(&shape(4097), &Limits::default()).unwrap_err();
    assert_eq!(findings.iter().next().unwrap().code, ptx_exec::codes::COOPERATIVE);
}
