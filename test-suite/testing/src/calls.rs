//! Random calls of a library with a C interface: with handles of all kinds, valid or not, and random sizes, from several threads. Each must return, and
//! what it returns must be a result code of the library.

use std::ffi::CStr;
use std::sync::Mutex;

use fastrand::Rng;

/// The most arguments of a function, each passed as a word: all integers and pointers of up to 64 bits are passed alike, and structures of up to 16 bytes
/// as two of them.
pub const MOST_ARGUMENTS: usize = 11;

/// The bytes of host memory that a copy may read or write at [`Kind::Host`].
const HOST_BYTES: u64 = 4096;

/// What an argument of a function is.
#[derive(Clone, Copy, Debug)]
pub enum Kind<T> {
    /// A handle or a device address.
    Handle,
    /// The address of one or more results, or null.
    Out,
    /// The address of memory of the host.
    Host,
    /// A small number, of an enumeration for instance, and sometimes any number of 32 bits.
    Small,
    /// A number of bytes.
    Size,
    /// This number.
    Fixed(u64),
    /// One of the names of the interface, or null.
    Name,
    /// The address of an image.
    Image,
    /// The number of bytes of the image before it, or of its beginning.
    ImageSize,
    /// The addresses of the two arguments of a kernel: a handle or device address, and a number.
    Arguments,
    /// A null pointer.
    Null,
    /// An argument of a kind that only this interface has.
    Own(T),
}

/// A library whose functions are called.
pub trait Interface: Sync {
    /// The kinds of arguments that only its functions have.
    type Own: Copy + Send + Sync + 'static;
    /// Its functions, with the kinds of their arguments. One that is listed twice is called twice as often.
    const FUNCTIONS: &'static [(&'static str, &'static [Kind<Self::Own>])];
    /// An image with two names.
    const IMAGE: &'static CStr;
    /// Names that functions are given. The last one is given most often.
    const NAMES: &'static [&'static CStr];
    /// Functions that are called while there is one thread only: programs must not free memory of the host that another thread copies to.
    const ALONE: &'static [&'static str];

    /// An argument of a kind of its own.
    fn own(&self, kind: Self::Own, caller: &mut Caller<'_>) -> u64;

    /// The bytes of host memory that a function accesses with these arguments, where these are not given by a [`Kind::Size`].
    fn host_bytes(&self, _function: &str, _arguments: &[u64]) -> Option<u64> {
        None
    }

    /// Calls a function. Pointers among the arguments are null or refer to enough memory; handles may be anything.
    fn call(&self, function: &str, arguments: [u64; MOST_ARGUMENTS]) -> u32;

    /// Whether a function may return this.
    fn is_result(&self, result: u32) -> bool;
}

/// What one thread calls functions with.
#[derive(Debug)]
pub struct Caller<'known> {
    /// The generator of all choices.
    pub random: Rng,
    /// Handles and addresses that calls of all threads have returned, which later calls are given, also where another kind is expected and after they
    /// were destroyed.
    known: &'known Mutex<Vec<u64>>,
    out: Box<[u64; 256]>,
    /// It is never freed: a graph may keep a copy to it.
    memory: &'static mut [u64; 1024],
    /// Structures that arguments of this call point to.
    structures: Vec<Box<[u64]>>,
    image_bytes: u64,
}

impl<'known> Caller<'known> {
    fn new(seed: u64, known: &'known Mutex<Vec<u64>>) -> Self {
        Self {
            random: Rng::with_seed(seed),
            known,
            out: Box::new([0; 256]),
            memory: Box::leak(Box::new([0; 1024])),
            structures: Vec::new(),
            image_bytes: 0,
        }
    }

    /// A handle or a device address: mostly one that a call has returned.
    ///
    /// # Panics
    /// If another thread panicked.
    pub fn handle(&mut self) -> u64 {
        let known = self.known.lock().expect("no thread has panicked");
        match self.random.u8(..) {
            0..=9 => 0,
            10..=14 => self.random.u64(1..=2),
            15..=19 => self.random.u64(..) >> self.random.u32(0..64),
            20..=29 if !known.is_empty() => {
                known[self.random.usize(..known.len())] ^ 1 << self.random.u32(0..48)
            }
            _ if known.is_empty() => 0,
            // New ones are more often valid.
            30..=160 => known[known.len() - 1 - self.random.usize(..known.len().min(12))],
            _ => known[self.random.usize(..known.len())],
        }
    }

    /// The address of a structure that consists of words, for the time of this call.
    pub fn structure(&mut self, words: &[u64]) -> u64 {
        let words: Box<[u64]> = words.into();
        let address = words.as_ptr() as u64;
        self.structures.push(words);
        address
    }

    /// The address of the addresses of the two arguments of a kernel.
    pub fn kernel_arguments(&mut self) -> u64 {
        let values = [self.handle(), self.random.u64(..)];
        let first = self.structure(&values);
        self.structure(&[first, first + 8])
    }

    /// The address of memory of the host, with 8 KiB that may be read and written at any time.
    pub fn host_memory(&mut self) -> u64 {
        self.memory.as_mut_ptr() as u64
    }

    fn name(&mut self, names: &[&'static CStr]) -> u64 {
        match self.random.usize(..2 * names.len()) {
            0 => 0,
            // Default: an interface without names has null pointers alone.
            index => names.get(index - 1).or(names.last()).map_or(0, |name| name.as_ptr() as u64),
        }
    }

    fn argument<I: Interface>(&mut self, interface: &I, kind: Kind<I::Own>) -> u64 {
        match kind {
            Kind::Handle => self.handle(),
            Kind::Out if self.random.u8(..) < 8 => 0,
            Kind::Out => {
                let at = self.random.usize(..16);
                &raw mut self.out[at] as u64
            }
            Kind::Host => self.host_memory(),
            Kind::Small if self.random.u8(..) < 10 => u64::from(self.random.u32(..)),
            Kind::Small => self.random.u64(..4),
            Kind::Size => match self.random.u8(..8) {
                0 => 0,
                1 => self.random.u64(..) >> self.random.u32(0..64),
                _ => self.random.u64(1..=HOST_BYTES),
            },
            Kind::Fixed(word) => word,
            Kind::Name => self.name(I::NAMES),
            Kind::Image => {
                let image = match self.random.u8(..8) {
                    0 => return 0,
                    1 => c" ",
                    2 => c"\x7fELF",
                    _ => I::IMAGE,
                };
                self.image_bytes = image.count_bytes() as u64 + 1;
                image.as_ptr() as u64
            }
            Kind::ImageSize => match self.random.u8(..4) {
                0 => self.random.u64(..=self.image_bytes),
                _ => self.image_bytes,
            },
            Kind::Arguments => self.kernel_arguments(),
            Kind::Null => 0,
            Kind::Own(kind) => interface.own(kind, self),
        }
    }

    /// Calls a function; its results become known.
    fn call<I: Interface>(&mut self, interface: &I, is_alone: bool) {
        let (name, kinds) = I::FUNCTIONS[self.random.usize(..I::FUNCTIONS.len())];
        if !is_alone && I::ALONE.contains(&name) {
            return;
        }
        self.structures.clear();
        let mut words = [0; MOST_ARGUMENTS];
        let mut size = 0;
        for (word, &kind) in words.iter_mut().zip(kinds) {
            *word = self.argument(interface, kind);
            size = size.max(if matches!(kind, Kind::Size) { *word } else { 0 });
        }
        // Default: most functions are given the number of bytes.
        let host_bytes = interface.host_bytes(name, &words).unwrap_or(size);
        // The memory of the host must be as large as the arguments say.
        if host_bytes > HOST_BYTES && kinds.iter().any(|kind| matches!(kind, Kind::Host)) {
            return;
        }
        self.out.fill(0);
        let result = interface.call(name, words);
        assert!(interface.is_result(result), "{name} returns {result}");
        if result == 0 {
            let mut known = self.known.lock().expect("no thread has panicked");
            known.extend(self.out.iter().copied().filter(|&word| word > 2));
            let excess = known.len().saturating_sub(400);
            known.drain(..excess);
        }
    }
}

/// Makes so many calls from one thread, and then from three at once. The same seed makes the same calls in each thread.
///
/// # Panics
/// If a function returns something that is no result code.
pub fn random_calls<I: Interface>(interface: &I, calls: usize, seed: u64) {
    let known = Mutex::default();
    let mut alone = Caller::new(seed << 2, &known);
    (0..calls).for_each(|_| alone.call(interface, true));
    known.lock().expect("no thread has panicked").clear();
    std::thread::scope(|scope| {
        for thread in 1..4 {
            let known = &known;
            scope.spawn(move || {
                let mut caller = Caller::new(seed << 2 | thread, known);
                (0..calls / 3).for_each(|_| caller.call(interface, false));
            });
        }
    });
}
