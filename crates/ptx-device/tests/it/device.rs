//! Devices, streams and events. What is expected follows from the kernels, which are a few lines each.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ptx_device::{
    AddressSize, Argument, Device, DeviceError, DeviceOptions, Event, HostRegion, Kernel, Limits,
    MemoryError, Module, RegionKind, Shape, Sm, Stream, TrapKind,
};

const HEAD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n";

const KERNELS: &str = "
.visible .global .align 8 .u64 count;
.visible .entry tick() {
    .reg .u64 %v;
    atom.global.add.u64 %v, [count], 1;
    ret;
}
// to[i] = from[i] + add
.visible .entry shift(.param .u64 to, .param .u64 from, .param .u64 add) {
    .reg .u64 %t, %f, %v, %a, %o; .reg .u32 %i, %b, %n;
    mov.u32 %i, %tid.x; mov.u32 %b, %ctaid.x; mov.u32 %n, %ntid.x;
    mad.lo.u32 %i, %b, %n, %i;
    mul.wide.u32 %o, %i, 8;
    ld.param.u64 %t, [to]; ld.param.u64 %f, [from]; ld.param.u64 %a, [add];
    add.u64 %t, %t, %o; add.u64 %f, %f, %o;
    ld.global.u64 %v, [%f];
    add.u64 %v, %v, %a;
    st.global.u64 [%t], %v;
    ret;
}
// Waits until a word is not 0, then writes it plus 1 to the next one.
.visible .entry await(.param .u64 flag) {
    .reg .u64 %f, %v; .reg .pred %p;
    ld.param.u64 %f, [flag];
again:
    ld.acquire.sys.global.u64 %v, [%f];
    setp.eq.u64 %p, %v, 0;
    @%p bra again;
    add.u64 %v, %v, 1;
    st.release.sys.global.u64 [%f+8], %v;
    ret;
}
.visible .entry set(.param .u64 flag, .param .u64 value) {
    .reg .u64 %f, %v;
    ld.param.u64 %f, [flag]; ld.param.u64 %v, [value];
    st.release.sys.global.u64 [%f], %v;
    ret;
}
// Every block adds 1 to the first word, waits until all have, and adds what it sees to the second.
.visible .entry meet(.param .u64 words) {
    .reg .u64 %w, %v; .reg .u32 %n; .reg .u64 %all; .reg .pred %p;
    ld.param.u64 %w, [words];
    mov.u32 %n, %nctaid.x; cvt.u64.u32 %all, %n;
    atom.global.add.u64 %v, [%w], 1;
again:
    ld.acquire.gpu.global.u64 %v, [%w];
    setp.lt.u64 %p, %v, %all;
    @%p bra again;
    red.global.add.u64 [%w+8], %v;
    ret;
}
.visible .entry stop() { trap; }
.visible .entry typed(.param .f32 x, .param .b32 y, .param .u16 z, .param .align 4 .b8 s[12]) { ret; }
";

fn load(device: &Device) -> Module {
    Module::load(device, "kernels.ptx", format!("{HEAD}{KERNELS}")).unwrap()
}

/// Line and column of a piece of the kernels.
fn place_of(piece: &str) -> String {
    let text = format!("{HEAD}{KERNELS}");
    let at = text.find(piece).unwrap();
    let line_start = text[..at].rfind('\n').unwrap();
    format!("kernels.ptx:{}:{}", text[..at].matches('\n').count() + 1, at - line_start)
}

fn word(device: &Device, address: u64) -> u64 {
    let mut bytes = [0; 8];
    device.read(address, &mut bytes).unwrap();
    u64::from_le_bytes(bytes)
}

fn words(device: &Device, address: u64, count: usize) -> Vec<u64> {
    let mut bytes = vec![0; count * 8];
    device.read(address, &mut bytes).unwrap();
    bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect()
}

fn stopped(error: &DeviceError) -> &TrapKind {
    match error {
        DeviceError::Stopped(stopped) => &stopped.trap.kind,
        other => panic!("not stopped: {other}"),
    }
}

#[test]
fn a_thousand_launches_keep_the_variables() {
    let device = Device::new();
    let module = load(&device);
    let tick = module.kernel("tick").unwrap();
    for _ in 0..1000 {
        tick.launch(&Shape::linear(1, 3), &[]).unwrap();
    }
    let count = module.variable("count").unwrap().address;
    assert_eq!(word(&device, count), 3000);
    module.reset();
    assert_eq!(word(&device, count), 0);
}

#[test]
fn launches_from_several_threads_are_all_done() {
    let device = Device::new();
    let module = load(&device);
    std::thread::scope(|scope| {
        for thread in 0..5u64 {
            let (device, module) = (device.clone(), module.clone());
            scope.spawn(move || {
                let data = device.allocate(64 * 8).unwrap();
                let (tick, shift) = (module.kernel("tick").unwrap(), module.kernel("shift").unwrap());
                for _ in 0..100 {
                    tick.launch(&Shape::linear(2, 32), &[]).unwrap();
                    let arguments = [data.into(), data.into(), (thread + 1).into()];
                    shift.launch(&Shape::linear(2, 32), &arguments).unwrap();
                }
                assert_eq!(words(&device, data, 64), [100 * (thread + 1); 64]);
            });
        }
    });
    assert_eq!(word(&device, module.variable("count").unwrap().address), 5 * 100 * 64);
}

#[test]
fn two_devices_share_nothing() {
    let (first, second) = (Device::new(), Device::new());
    let (one, two) = (load(&first), load(&second));
    one.kernel("tick").unwrap().launch(&Shape::default(), &[]).unwrap();
    let of = |device, module: &Module| word(device, module.variable("count").unwrap().address);
    assert_eq!((of(&first, &one), of(&second, &two)), (1, 0));
    let data = first.allocate(16).unwrap();
    let error = second.write(data, &[1]).unwrap_err();
    assert!(matches!(error, DeviceError::Memory(MemoryError::OutOfBounds { .. })), "{error}");
    let error =
        two.kernel("set").unwrap().launch(&Shape::default(), &[data.into(), 1u64.into()]).unwrap_err();
    assert!(matches!(stopped(&error), TrapKind::Fault(_)));
    // The other one goes on.
    one.kernel("set").unwrap().launch(&Shape::default(), &[data.into(), 9u64.into()]).unwrap();
    assert_eq!(word(&first, data), 9);
}

#[test]
fn a_stopped_kernel_stops_the_device_until_it_recovers() {
    let device = Device::new();
    let module = load(&device);
    let (stop, tick) = (module.kernel("stop").unwrap(), module.kernel("tick").unwrap());
    let error = stop.launch(&Shape::default(), &[]).unwrap_err();
    assert_eq!(stopped(&error), &TrapKind::Trap);
    let text = error.to_string();
    assert!(
        text.starts_with(&format!("{}: error[X0202]: the thread executed `trap`", place_of("trap;"))),
        "{text}"
    );
    for again in [
        tick.launch(&Shape::default(), &[]).map(drop),
        device.allocate(8).map(drop),
        device.synchronize(),
        Module::load(&device, "m", HEAD).map(drop),
    ] {
        assert_eq!(again.unwrap_err().to_string(), text);
    }
    assert_eq!(device.recover().unwrap().to_string(), text);
    assert!(device.recover().is_none());
    tick.launch(&Shape::default(), &[]).unwrap();
}

#[test]
fn freed_memory_and_bounds_are_named() {
    let device = Device::new();
    let set = load(&device).kernel("set").unwrap();
    let (first, second) = (device.allocate(16).unwrap(), device.allocate(16).unwrap());
    assert_eq!(device.region(second + 15).unwrap().name, "allocation 2");
    assert_eq!((device.region(first).unwrap().kind, first % 256), (RegionKind::Allocation, 0));
    let launch = |address: u64| {
        let error = set.launch(&Shape::default(), &[address.into(), 1u64.into()]).unwrap_err().to_string();
        device.recover();
        error
    };
    device.free(first).unwrap();
    let error = launch(first + 8);
    assert!(
        error.contains("that was freed: offset 8 of allocation 1, which had 16 bytes and was freed"),
        "{error}"
    );
    let place = place_of("st.release.sys.global.u64 [%f], %v");
    assert!(error.starts_with(&format!("{place}: error[X0201]: access of 8 bytes at ")), "{error}");
    let error = launch(second + 16);
    assert!(error.contains("out of bounds: offset 16 of allocation 2, which has 16 bytes"), "{error}");
    let error = device.free(first).unwrap_err();
    assert!(matches!(error, DeviceError::Memory(MemoryError::NotARegion { .. })), "{error}");
    let error = device.copy(second, first, 8).unwrap_err();
    assert!(matches!(error, DeviceError::Memory(MemoryError::Freed { .. })), "{error}");
    assert_eq!(word(&device, second), 0, "errors of copies do not stop the device");
}

#[test]
fn a_stream_works_in_order() {
    let device = Device::new();
    let shift = load(&device).kernel("shift").unwrap();
    let stream = Stream::new(&device).unwrap();
    let (a, b) = (device.allocate(80).unwrap(), device.allocate(80).unwrap());
    let ten = Shape::linear(1, 10);
    stream.fill(a, 5u64.to_le_bytes().to_vec(), 10).unwrap();
    for step in 0..50u64 {
        let (to, from) = if step % 2 == 0 { (b, a) } else { (a, b) };
        stream.launch(&shift, &ten, &[to.into(), from.into(), step.into()]).unwrap();
    }
    stream.copy(b, a, 40).unwrap();
    let read = stream.read(b, 48).unwrap();
    stream.synchronize().unwrap();
    assert!(stream.is_idle());
    let sum = 5 + 49 * 50 / 2;
    assert_eq!(words(&device, a, 10), [sum; 10]);
    let read: Vec<u64> =
        read.wait().unwrap().as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
    // The last of the copy is what the launch before the last one wrote.
    assert_eq!(read, [sum, sum, sum, sum, sum, sum - 49]);
}

#[test]
fn functions_of_the_host_are_called_in_order() {
    let device = Device::new();
    let set = load(&device).kernel("set").unwrap();
    let stream = Stream::new(&device).unwrap();
    let data = device.allocate(8).unwrap();
    let seen = Arc::new(Mutex::new(Vec::new()));
    for n in 1..=3u64 {
        stream.launch(&set, &Shape::default(), &[data.into(), n.into()]).unwrap();
        let (reads, calls) = (seen.clone(), seen.clone());
        stream.read_with(data, 8, move |bytes| reads.lock().unwrap().push(bytes[0])).unwrap();
        stream.call(move || calls.lock().unwrap().push(100 + n as u8)).unwrap();
    }
    stream.synchronize().unwrap();
    assert_eq!(*seen.lock().unwrap(), [1, 101, 2, 102, 3, 103]);
    // After an error nothing is read, and functions are still called.
    let (reads, calls) = (seen.clone(), seen.clone());
    stream.read_with(8, 8, move |_| reads.lock().unwrap().clear()).unwrap();
    stream.call(move || calls.lock().unwrap().push(7)).unwrap();
    assert!(matches!(stream.synchronize(), Err(DeviceError::Memory(_))));
    assert_eq!(*seen.lock().unwrap(), [1, 101, 2, 102, 3, 103, 7]);
}

#[test]
fn streams_run_at_the_same_time() {
    let device = Device::new();
    let module = load(&device);
    let (wait, set) = (module.kernel("await").unwrap(), module.kernel("set").unwrap());
    // More streams that wait than the host has threads, each with more blocks.
    let streams: Vec<(Stream, u64)> =
        (0..6).map(|_| (Stream::new(&device).unwrap(), device.allocate(16).unwrap())).collect();
    for (stream, flag) in &streams {
        stream.launch(&wait, &Shape::linear(8, 1), &[(*flag).into()]).unwrap();
    }
    let last = Stream::new(&device).unwrap();
    for (n, (_, flag)) in streams.iter().enumerate() {
        last.launch(&set, &Shape::linear(4, 1), &[(*flag).into(), (n as u64 + 1).into()]).unwrap();
    }
    device.synchronize().unwrap();
    for (n, (_, flag)) in streams.iter().enumerate() {
        assert_eq!(words(&device, *flag, 2), [n as u64 + 1, n as u64 + 2]);
    }
}

#[test]
fn the_host_and_a_running_kernel_see_each_other() {
    let device = Device::new();
    let wait = load(&device).kernel("await").unwrap();
    let stream = Stream::new(&device).unwrap();
    let flag = device.allocate(16).unwrap();
    let shared = device.words(flag).unwrap();
    stream.launch(&wait, &Shape::default(), &[flag.into()]).unwrap();
    assert_eq!((shared[0].load(Ordering::SeqCst), shared.len()), (0, 2));
    shared[0].store(41, Ordering::SeqCst);
    stream.synchronize().unwrap();
    assert_eq!(shared[1].load(Ordering::SeqCst), 42);
    assert_eq!(shared.as_ptr() as u64, flag);
}

#[test]
fn events_order_streams_and_have_times() {
    let device = Device::new();
    let module = load(&device);
    let (wait, set) = (module.kernel("await").unwrap(), module.kernel("set").unwrap());
    let (first, second) = (Stream::new(&device).unwrap(), Stream::new(&device).unwrap());
    let (flag, data) = (device.allocate(16).unwrap(), device.allocate(8).unwrap());
    let (before, after) = (Event::new(), Event::new());
    assert!(before.is_reached(), "it was never recorded");
    assert!(matches!(after.since(&before), Err(DeviceError::Event(_))));
    first.record(&before);
    first.launch(&wait, &Shape::default(), &[flag.into()]).unwrap();
    first.launch(&set, &Shape::default(), &[data.into(), 1u64.into()]).unwrap();
    first.record(&after);
    second.wait(&after).unwrap();
    let read = second.read(data, 8).unwrap();
    before.synchronize();
    let asleep = Duration::from_millis(20);
    std::thread::sleep(asleep);
    assert!(!after.is_reached() && !second.is_idle());
    set.launch(&Shape::default(), &[flag.into(), 1u64.into()]).unwrap();
    assert_eq!(read.wait().unwrap(), 1u64.to_le_bytes());
    assert!(after.is_reached());
    assert!(after.since(&before).unwrap() >= asleep);
    assert_eq!(before.since(&after).unwrap(), Duration::ZERO);
}

#[test]
fn errors_of_streams_are_told_when_they_are_waited_for() {
    let device = Device::new();
    let module = load(&device);
    let stream = Stream::new(&device).unwrap();
    stream.write(0x1234_5678_9000, vec![1]).unwrap();
    assert!(matches!(stream.synchronize(), Err(DeviceError::Memory(_))));
    stream.synchronize().unwrap();
    let (stop, tick) = (module.kernel("stop").unwrap(), module.kernel("tick").unwrap());
    stream.launch(&stop, &Shape::default(), &[]).unwrap();
    // May be refused at once or not be done: the kernel before was stopped.
    let _ = stream.launch(&tick, &Shape::default(), &[]);
    assert_eq!(stopped(&stream.synchronize().unwrap_err()), &TrapKind::Trap);
    assert_eq!(stopped(&stream.synchronize().unwrap_err()), &TrapKind::Trap);
    device.recover();
    stream.synchronize().unwrap();
    assert_eq!(word(&device, module.variable("count").unwrap().address), 0);
}

#[test]
fn arguments_are_checked_against_parameters() {
    let device = Device::new();
    let typed = load(&device).kernel("typed").unwrap();
    let names: Vec<&str> = typed.parameters().iter().map(|parameter| parameter.name.as_str()).collect();
    assert_eq!(names, ["x", "y", "z", "s"]);
    let s = || Argument::bytes([0; 12]);
    let launch = |arguments: &[Argument]| typed.launch(&Shape::default(), arguments).map(drop);
    launch(&[1f32.into(), 1f32.into(), 1u16.into(), s()]).unwrap();
    launch(&[Argument::bytes([0; 4]), 1i32.into(), (-1i16).into(), s()]).unwrap();
    let wrong: [(&[Argument], &str); 6] = [
        (&[1f32.into()], "kernel `typed` takes 4 arguments, not 1"),
        (
            &[1i32.into(), 1i32.into(), 1u16.into(), s()],
            "argument 0 of kernel `typed` is an integer of 4 bytes; parameter `x` is .f32 of 4 bytes",
        ),
        (
            &[1f64.into(), 1i32.into(), 1u16.into(), s()],
            "argument 0 of kernel `typed` is a floating-point number of 8 bytes; parameter `x` is .f32 of 4 bytes",
        ),
        (
            &[1f32.into(), 1i32.into(), 1u32.into(), s()],
            "argument 2 of kernel `typed` is an integer of 4 bytes; parameter `z` is .u16 of 2 bytes",
        ),
        (
            &[1f32.into(), 1i32.into(), 1u16.into(), Argument::bytes([0; 8])],
            "argument 3 of kernel `typed` is a run of 8 bytes; parameter `s` is an array of .b8 of 12 bytes",
        ),
        (
            &[1f32.into(), 1i32.into(), 1u16.into(), 7u64.into()],
            "argument 3 of kernel `typed` is an integer of 8 bytes; parameter `s` is an array of .b8 of 12 bytes",
        ),
    ];
    for (arguments, text) in wrong {
        assert_eq!(launch(arguments).unwrap_err().to_string(), text);
    }
}

#[test]
fn what_cannot_be_loaded_or_launched_is_refused_by_itself() {
    let device = Device::with(DeviceOptions { architecture: Some(Sm::new(80)), ..DeviceOptions::default() });
    let bad = format!("{HEAD}.visible .entry k() {{ add.u33 %r1, %r1, 1; }}");
    let Err(DeviceError::Module(findings)) = Module::load(&device, "bad.ptx", bad) else { panic!() };
    assert!(findings[0].text.starts_with("bad.ptx:4:26: error["), "{}", findings[0].text);
    let later = HEAD.replace("8.0", "8.7").replace("sm_80", "sm_90a");
    let error = Module::load(&device, "later.ptx", later).unwrap_err();
    assert_eq!(error.to_string(), "the module requires sm_90a, but the device is sm_80");
    let twice = format!("{HEAD}.visible .entry k() {{ ret; }}");
    let error = Module::link(&device, [("a.ptx", twice.clone()), ("b.ptx", twice)]).unwrap_err();
    assert!(error.to_string().contains("error[K0001]"), "{error}");
    let module = load(&device);
    let Err(DeviceError::Kernel(findings)) = module.kernel("none") else { panic!() };
    assert_eq!(findings[0].code, "X0001");
    let tick = module.kernel("tick").unwrap();
    for shape in
        [Shape::linear(0, 1), Shape::linear(1, 1025), Shape { dynamic_shared: 1 << 30, ..Shape::default() }]
    {
        assert!(matches!(tick.launch(&shape, &[]), Err(DeviceError::Launch(_))), "{shape:?}");
    }
    device.synchronize().unwrap();
}

#[test]
fn all_blocks_of_a_cooperative_launch_are_there() {
    let device = Device::new();
    let meet = load(&device).kernel("meet").unwrap();
    let words_at = device.allocate(16).unwrap();
    let shape = |blocks| Shape { cooperative: true, ..Shape::linear(blocks, 1) };
    meet.launch(&shape(200), &[words_at.into()]).unwrap();
    assert_eq!(words(&device, words_at, 2), [200, 200 * 200]);
    let most = device.properties().cooperative_blocks;
    assert!(matches!(meet.launch(&shape(most + 1), &[words_at.into()]), Err(DeviceError::Launch(_))));
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let results: Vec<Vec<u64>> = [1, 2, 7]
        .map(|threads| {
            let threads = NonZeroUsize::new(threads);
            let device = Device::with(DeviceOptions { threads, ..DeviceOptions::default() });
            let shift = load(&device).kernel("shift").unwrap();
            let (from, to) = (device.allocate(8 * 960).unwrap(), device.allocate(8 * 960).unwrap());
            let bytes: Vec<u8> = (0..960u64).flat_map(|n| (n * n).to_le_bytes()).collect();
            device.write(from, &bytes).unwrap();
            shift.launch(&Shape::linear(30, 32), &[to.into(), from.into(), 3u64.into()]).unwrap();
            words(&device, to, 960)
        })
        .into();
    let wanted: Vec<u64> = (0..960).map(|n| n * n + 3).collect();
    assert!(results.iter().all(|result| *result == wanted));
}

#[test]
fn registered_memory_of_the_host_is_used_in_place() {
    let device = Device::new();
    let shift = load(&device).kernel("shift").unwrap();
    let memory: &'static [AtomicU64] = (0..4).map(AtomicU64::new).collect::<Vec<_>>().leak();
    let address = memory.as_ptr() as u64;
    let region = HostRegion { words: memory, address, bytes: 32, is_writable: true };
    let launch = || shift.launch(&Shape::linear(1, 4), &[address.into(), address.into(), 10u64.into()]);
    assert!(launch().is_err());
    device.recover();
    device.register(region, "numbers").unwrap();
    launch().unwrap();
    let now: Vec<u64> = memory.iter().map(|word| word.load(Ordering::SeqCst)).collect();
    assert_eq!(now, [10, 11, 12, 13]);
    let error = shift.launch(&Shape::linear(1, 5), &[address.into(), address.into(), 1u64.into()]);
    assert!(error.unwrap_err().to_string().contains("offset 32 of numbers, which has 32 bytes"));
    device.recover();
    device.unregister(address).unwrap();
    assert!(launch().is_err());
}

fn hello(device: &Device) -> Kernel {
    let text = format!(
        "{HEAD}.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
        .global .align 1 .b8 text[4] = {{104, 105, 10, 0}};
        .visible .entry hello() {{
            .reg .u64 %f; .reg .u64 %z;
            mov.u64 %f, text; cvta.global.u64 %f, %f; mov.u64 %z, 0;
            {{ .param .b64 f; .param .b64 a; .param .b32 r;
               st.param.b64 [f], %f; st.param.b64 [a], %z; call.uni (r), vprintf, (f, a); }}
            ret; }}"
    );
    Module::load(device, "hello.ptx", text).unwrap().kernel("hello").unwrap()
}

#[test]
fn what_kernels_print_goes_where_it_is_wanted() {
    let device = Device::new();
    let hello = hello(&device);
    hello.launch(&Shape::linear(2, 1), &[]).unwrap();
    assert_eq!(device.take_output(), b"hi\nhi\n");
    assert_eq!(device.take_output(), b"");
    let printed = Arc::new(Mutex::new(Vec::new()));
    let sink = printed.clone();
    device.print_to(move |text| sink.lock().unwrap().extend_from_slice(text));
    hello.launch(&Shape::default(), &[]).unwrap();
    assert_eq!((printed.lock().unwrap().as_slice(), device.take_output().len()), (b"hi\n".as_slice(), 0));
}

#[test]
fn a_time_limit_ends_what_never_ends() {
    let limits = Limits { timeout: Some(Duration::from_millis(50)), ..Limits::default() };
    let device = Device::with(DeviceOptions { limits, ..DeviceOptions::default() });
    let wait = load(&device).kernel("await").unwrap();
    let flag = device.allocate(16).unwrap();
    let begun = Instant::now();
    let error = wait.launch(&Shape::linear(3, 32), &[flag.into()]).unwrap_err();
    assert_eq!(stopped(&error), &TrapKind::Timeout);
    assert!(begun.elapsed() < Duration::from_secs(120));
}

#[test]
fn textures_and_tensor_maps_are_arguments() {
    use ptx_device::TensorMap;
    use ptx_device::tensormap::{ElementType, Tensor};
    use ptx_device::texture::{ChannelFormat, Extent, Handle, Image, Texture, TextureSet, Textures};

    let device = Device::new();
    let head = HEAD.replace("8.0", "8.7").replace("sm_80", "sm_90");
    let text = format!(
        "{head}.visible .entry fetch(.param .u64 texture, .param .u64 to) {{
            .reg .b64 %t, %o; .reg .b32 %x, %a, %b, %c, %d;
            ld.param.u64 %t, [texture]; ld.param.u64 %o, [to];
            mov.u32 %x, %tid.x;
            tex.1d.v4.u32.s32 {{%a, %b, %c, %d}}, [%t, {{%x}}];
            mad.wide.u32 %o, %x, 4, %o;
            st.global.u32 [%o], %a;
            ret;
        }}
        .visible .entry map(.param .align 64 .b8 map[128], .param .u64 to) {{
            .reg .b64 %o, %v;
            ld.param.u64 %o, [to];
            ld.param.u64 %v, [map];
            st.global.u64 [%o], %v;
            ld.param.u64 %v, [map+120];
            st.global.u64 [%o+8], %v;
            ret;
        }}"
    );
    let module = Module::load(&device, "objects.ptx", text).unwrap();
    let texels: Vec<u8> = [10u32, 20, 30, 40].map(u32::to_le_bytes).concat();
    let image = Image::array(ChannelFormat::Unsigned32, 1, Extent::D1 { width: 4 }, texels);
    let textures = Textures { images: vec![image], textures: vec![Texture::new(0)], ..Textures::default() };
    device.set_textures(Arc::new(TextureSet::new(textures).unwrap()));
    let to = device.allocate(16).unwrap();
    let fetch = module.kernel("fetch").unwrap();
    fetch.launch(&Shape::linear(1, 4), &[Handle::Texture(0).into(), to.into()]).unwrap();
    assert_eq!(words(&device, to, 2), [20 << 32 | 10, 40 << 32 | 30]);

    let tensor = Tensor::new(ElementType::U32, to, &[4, 1], &[16]);
    let map = TensorMap::tiled(&tensor, &[4, 1]).unwrap();
    let bytes = map.to_bytes();
    module.kernel("map").unwrap().launch(&Shape::default(), &[map.into(), to.into()]).unwrap();
    let word_of = |at: usize| u64::from_le_bytes(*bytes[at..].first_chunk().unwrap());
    assert_eq!(words(&device, to, 2), [word_of(0), word_of(120)]);
}

#[test]
fn blocks_of_a_cluster_reach_each_other_s_memory() {
    let device = Device::new();
    // Each block of a pair writes the number of its block plus 1 to its own shared memory, and gives out what its peer has.
    let text = "
.version 8.0
.target sm_90
.address_size 64
.visible .entry pair(.param .u64 to)
{
    .shared .align 4 .u32 mine;
    .reg .b32 %own, %peer, %a, %v;
    .reg .b64 %o;
    mov.u32 %own, %ctaid.x;
    add.u32 %v, %own, 1;
    st.shared.u32 [mine], %v;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    mov.u32 %peer, %cluster_ctarank;
    xor.b32 %peer, %peer, 1;
    mov.u32 %a, mine;
    mapa.shared::cluster.u32 %a, %a, %peer;
    ld.shared::cluster.u32 %v, [%a];
    ld.param.u64 %o, [to];
    mad.wide.u32 %o, %own, 8, %o;
    st.global.u32 [%o], %v;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    ret;
}
";
    let pair = Module::load(&device, "pair.ptx", text).unwrap().kernel("pair").unwrap();
    let to = device.allocate(6 * 8).unwrap();
    let shape = Shape { cluster: Some([2, 1, 1]), ..Shape::linear(6, 1) };
    pair.launch(&shape, &[to.into()]).unwrap();
    assert_eq!(words(&device, to, 6), [2, 1, 4, 3, 6, 5]);
    let odd = Shape { grid: [5, 1, 1], ..shape };
    assert!(matches!(pair.launch(&odd, &[to.into()]), Err(DeviceError::Launch(_))));
}

#[test]
#[cfg(not(feature = "llvm"))]
fn llvm_ir_is_refused_without_the_feature() {
    let device = Device::new();
    for (name, text) in [("k.ll", &b"define void @f() {}"[..]), ("k", b"BC\xc0\xde\x35\x14"), ("k.bc", b"")] {
        let error = Module::load(&device, name, text).unwrap_err().to_string();
        let wanted = format!(
            "the module is rejected:\n{name}: error[I0008]: this is LLVM IR, which requires the feature `llvm` of ptx-device"
        );
        assert!(error.starts_with(&wanted), "{error}");
    }
}

#[test]
fn modules_of_32_bit_addresses_need_a_device_with_such() {
    let text = ".version 8.0\n.target sm_80\n.address_size 32
.visible .entry double(.param .u32 p) { .reg .b32 %p, %v; ld.param.u32 %p, [p]; ld.u32 %v, [%p]; add.u32 %v, %v, %v; st.u32 [%p], %v; ret; }";
    assert!(Module::load(&Device::new(), "double.ptx", text).is_err());
    let device = Device::with(DeviceOptions { addresses: AddressSize::Bits32, ..DeviceOptions::default() });
    let double = Module::load(&device, "double.ptx", text).unwrap().kernel("double").unwrap();
    let at = device.allocate(8).unwrap();
    device.write(at, &[21, 0, 0, 0]).unwrap();
    double.launch(&Shape::default(), &[u32::try_from(at).unwrap().into()]).unwrap();
    assert_eq!(word(&device, at), 42);
    // Eight bytes are not what the kernel takes.
    assert!(double.launch(&Shape::default(), &[at.into()]).is_err());
    // A kernel of 64-bit addresses has the same memory.
    let shift = load(&device).kernel("shift").unwrap();
    shift.launch(&Shape::default(), &[at.into(), at.into(), 8u64.into()]).unwrap();
    assert_eq!(word(&device, at), 50);
}
