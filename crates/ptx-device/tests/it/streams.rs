//! The order of streams, memory that is allocated and freed in it, and values that streams wait for. What is expected follows from CUDA's rules of
//! default streams and from the kernels.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use ptx_device::graph::{Condition, ValueSize};
use ptx_device::{BoxSize, Device, ErrorKind, Event, MemoryKind, Pitched, Stream, StreamOptions, StreamRole};

fn stream(device: &Device, role: StreamRole) -> Stream {
    Stream::with(device, StreamOptions { role, priority: -1 }).unwrap()
}

/// Queues work that goes on until something is sent.
fn blocked(stream: &Stream) -> mpsc::Sender<()> {
    let (to, from) = mpsc::channel::<()>();
    let from = std::sync::Mutex::new(from);
    stream
        .call(move || {
            let _ = from.lock().unwrap().recv();
        })
        .unwrap();
    to
}

#[test]
fn blocking_streams_and_the_default_stream_wait_for_each_other() {
    let device = Device::new();
    let (default, a, b, free) = (
        stream(&device, StreamRole::Default),
        stream(&device, StreamRole::Blocking),
        stream(&device, StreamRole::Blocking),
        stream(&device, StreamRole::Independent),
    );
    let step = Arc::new(AtomicUsize::new(0));
    let count = |stream: &Stream, at: usize| {
        let step = step.clone();
        stream.call(move || assert_eq!(step.fetch_add(1, Ordering::SeqCst), at)).unwrap();
    };
    let release = blocked(&a);
    // The default stream waits for `a`, and `b` for the default stream.
    count(&a, 1);
    count(&default, 2);
    count(&b, 3);
    // An independent one waits for no one.
    count(&free, 0);
    free.synchronize().unwrap();
    assert!(!b.is_idle() && !default.is_idle());
    release.send(()).unwrap();
    for stream in [&b, &default, &a] {
        stream.synchronize().unwrap();
    }
    assert_eq!((step.load(Ordering::SeqCst), a.options().priority), (4, -1));
    assert_ne!(a.id(), b.id());
}

/// Many threads that queue work on both kinds: streams that waited for each other would never end.
#[test]
fn streams_do_not_wait_for_each_other_forever() {
    let device = Device::new();
    let streams = [StreamRole::Default, StreamRole::Blocking, StreamRole::Blocking, StreamRole::Default];
    let streams = streams.map(|role| stream(&device, role));
    let done = Arc::new(AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for stream in &streams {
            let done = &done;
            scope.spawn(move || {
                for _ in 0..500 {
                    let done = done.clone();
                    stream
                        .call(move || {
                            done.fetch_add(1, Ordering::Relaxed);
                        })
                        .unwrap();
                }
            });
        }
    });
    device.synchronize().unwrap();
    assert_eq!(done.load(Ordering::Relaxed), 2000);
}

#[test]
fn memory_is_freed_in_the_order_of_the_stream() {
    let device = Device::new();
    let stream = Stream::new(&device).unwrap();
    let release = blocked(&stream);
    let at = stream.allocate(8).unwrap();
    stream.write(at, vec![3; 8]).unwrap();
    let read = stream.read(at, 8).unwrap();
    stream.free(at).unwrap();
    stream.write(at, vec![4; 8]).unwrap();
    // Nothing of it has happened.
    assert_eq!(device.used_bytes(), 8);
    release.send(()).unwrap();
    assert_eq!(read.wait().unwrap(), [3; 8]);
    let error = stream.synchronize().unwrap_err();
    assert!(error.to_string().contains("was freed"), "{error}");
    assert_eq!(device.used_bytes(), 0);
    assert_eq!(stream.free(at).unwrap_err().kind(), ErrorKind::InvalidValue);
    let host = device.allocate_in(MemoryKind::Host, 8).unwrap();
    stream.free(host).unwrap();
    stream.synchronize().unwrap();
}

#[test]
fn streams_wait_for_values_in_memory() {
    let device = Device::new();
    let (first, second) = (Stream::new(&device).unwrap(), Stream::new(&device).unwrap());
    let flag = device.allocate(16).unwrap();
    let is_reached = Arc::new(AtomicBool::new(false));
    let reached = is_reached.clone();
    first.wait_value(flag, 5, ValueSize::Four, Condition::GreaterOrEqual).unwrap();
    first.call(move || reached.store(true, Ordering::SeqCst)).unwrap();
    first.write_value(flag + 8, u64::MAX - 1, ValueSize::Eight).unwrap();
    second.write_value(flag, 4, ValueSize::Four).unwrap();
    second.synchronize().unwrap();
    std::thread::sleep(Duration::from_millis(5));
    assert!(!is_reached.load(Ordering::SeqCst));
    second.write_value(flag, 1 << 32 | 6, ValueSize::Four).unwrap();
    first.synchronize().unwrap();
    assert!(is_reached.load(Ordering::SeqCst));
    let mut bytes = [0; 16];
    device.read(flag, &mut bytes).unwrap();
    assert_eq!(bytes, [6, 0, 0, 0, 0, 0, 0, 0, 254, 255, 255, 255, 255, 255, 255, 255]);
    // A wait for what is no memory is an error, not a wait without an end.
    first.wait_value(8, 5, ValueSize::Eight, Condition::Equal).unwrap();
    assert_eq!(first.synchronize().unwrap_err().kind(), ErrorKind::InvalidValue);
}

#[test]
fn boxes_are_copied_and_filled_in_streams() {
    let device = Device::new();
    let stream = Stream::new(&device).unwrap();
    let (a, b) = (device.allocate(64).unwrap(), device.allocate(64).unwrap());
    let at = |address| Pitched { address, pitch: 8, slice: 32 };
    let size = BoxSize { width: 4, height: 3, depth: 2 };
    stream.fill_box(at(a), &[1, 2], size).unwrap();
    stream.copy_box(at(b + 4), at(a), size).unwrap();
    stream.write_box(at(b), ((0..12).collect(), 6, 6), BoxSize { width: 4, height: 2, depth: 1 }).unwrap();
    stream.synchronize().unwrap();
    let mut bytes = [0; 64];
    device.read(b, &mut bytes).unwrap();
    assert_eq!(bytes[..24], [0, 1, 2, 3, 1, 2, 1, 2, 6, 7, 8, 9, 1, 2, 1, 2, 0, 0, 0, 0, 1, 2, 1, 2]);
    assert_eq!((&bytes[24..32], &bytes[32..40]), (&[0; 8][..], &[0, 0, 0, 0, 1, 2, 1, 2][..]));
}

#[test]
fn events_order_streams_without_the_default_stream() {
    let device = Device::new();
    let (first, second) = (Stream::new(&device).unwrap(), Stream::new(&device).unwrap());
    let event = Event::new();
    let release = blocked(&first);
    first.record(&event);
    second.wait(&event).unwrap();
    assert!(!event.is_reached() && !second.is_idle());
    release.send(()).unwrap();
    second.synchronize().unwrap();
    assert!(event.is_reached());
}
