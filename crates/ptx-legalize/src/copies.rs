//! Memory that is copied or set: a sequence of accesses if it is short, else a loop.

use ptx_llvm_core::view::Value;

use crate::code::{Code, Round, ir};
use crate::object;
use crate::site::Site;

/// Constant sizes up to this become a sequence of accesses, when these are not more than [`MOST_ACCESSES`].
const LONGEST: u64 = 128;
/// Memory of little alignment is accessed byte by byte: more than this many loads or stores are a loop.
const MOST_ACCESSES: u64 = 32;
/// The bytes of the widest access, and the most that an alignment is good for.
const WORD: u64 = 8;
/// Eight times the same byte, of one.
const SPREAD: u64 = 0x0101_0101_0101_0101;

/// The source of the stored values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Filling {
    /// Memory that does not overlap.
    Copied,
    /// Memory that may overlap.
    Moved,
    /// One byte.
    Set,
}

/// The kind of accesses of a copy.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Plain,
    Volatile,
    /// Each of the elements is accessed whole.
    Atomic,
}

impl Kind {
    fn load(self, code: &mut Code, bytes: u64, place: &str) -> String {
        let bits = 8 * bytes;
        match self {
            Kind::Plain => ir!(code, "load i{bits}, {place}, align {bytes}"),
            Kind::Volatile => ir!(code, "load volatile i{bits}, {place}, align {bytes}"),
            Kind::Atomic => ir!(code, "load atomic i{bits}, {place} unordered, align {bytes}"),
        }
    }

    fn store(self, code: &mut Code, bytes: u64, value: &str, place: &str) {
        let bits = 8 * bytes;
        match self {
            Kind::Plain => {
                code.line(format_args!("store i{bits} {value}, {place}, align {bytes}"));
            }
            Kind::Volatile => {
                code.line(format_args!("store volatile i{bits} {value}, {place}, align {bytes}"));
            }
            Kind::Atomic => {
                code.line(format_args!("store atomic i{bits} {value}, {place} unordered, align {bytes}"));
            }
        }
    }
}

/// One side of a copy, or the byte that is stored.
enum Source {
    Memory(&'static str),
    /// Eight times, as `i64`.
    Byte(String),
}

impl Source {
    fn read(&self, site: &Site<'_>, code: &mut Code, kind: Kind, bytes: u64, at: &str) -> Option<String> {
        Some(match self {
            Source::Memory(pointer) => {
                let place = code.address(site.type_text(1)?, pointer, at);
                kind.load(code, bytes, &place)
            }
            Source::Byte(all) => match all.parse::<u64>() {
                Ok(all) => (all >> (64 - 8 * bytes)).to_string(),
                Err(_) => code.resized(all, 64, 8 * bytes as u32, false),
            },
        })
    }
}

impl Code {
    /// An address with its type, `at` bytes after a pointer.
    fn address(&mut self, ty: &str, pointer: &str, at: &str) -> String {
        match at {
            "0" => format!("{ty} {pointer}"),
            _ => format!("{ty} {}", ir!(self, "getelementptr i8, {ty} {pointer}, i64 {at}")),
        }
    }
}

/// `memcpy`, `memmove`, `memset`, also by elements that are each accessed whole.
pub(crate) fn filled(site: &Site<'_>, filling: Filling, by_elements: bool) -> Option<String> {
    let sets = filling == Filling::Set;
    let element = if by_elements { site.constant(3)? } else { 1 };
    let kind = match site.constant(3) {
        _ if by_elements => Kind::Atomic,
        Some(0) => Kind::Plain,
        _ => Kind::Volatile,
    };
    if !matches!(element, 1 | 2 | 4 | 8) {
        return None;
    }
    let mut code = Code::new();
    let source = if !sets {
        Source::Memory("%a1")
    } else if let Some(byte) = site.constant(1) {
        Source::Byte(byte.wrapping_mul(SPREAD).to_string())
    } else {
        let byte = ir!(code, "zext i8 %a1 to i64");
        Source::Byte(ir!(code, "mul i64 {byte}, {SPREAD}"))
    };
    let align = alignment(site, 0).min(if sets { WORD } else { alignment(site, 1) });
    let size = site.constant(2);
    let length = match size {
        Some(size) => size.to_string(),
        None => code.resized("%a2", site.bits(site.ty(2)?)?, 64, false),
    };
    let access = |code: &mut Code, bytes: u64, at: &str| {
        let value = source.read(site, code, kind, bytes, at)?;
        let place = code.address(site.type_text(0)?, "%a0", at);
        kind.store(code, bytes, &value, &place);
        Some(())
    };
    // Loads everything before it stores anything, so that overlapping does not matter.
    let sequence = |code: &mut Code, from: u64, to: u64| {
        let mut parts = Vec::new();
        let mut at = from;
        while at < to {
            let bytes = piece(at, to - at, align);
            parts.push((at, bytes, source.read(site, code, kind, bytes, &at.to_string())?));
            at += bytes;
        }
        for (at, bytes, value) in parts {
            let place = code.address(site.type_text(0)?, "%a0", &at.to_string());
            kind.store(code, bytes, &value, &place);
        }
        Some(())
    };
    match size {
        Some(size) if !by_elements && size <= LONGEST && size / align <= MOST_ACCESSES => {
            sequence(&mut code, 0, size)?;
        }
        _ if filling == Filling::Moved => {
            let [start, stop, step] = direction(&mut code, site, &length, element)?;
            code.counted([&start, &stop, &step], |code, at| access(code, element, at))?;
        }
        Some(size) if !by_elements => {
            let whole = size - size % align;
            let [whole_text, step] = [whole, align].map(|number| number.to_string());
            code.counted(["0", &whole_text, &step], |code, at| access(code, align, at))?;
            sequence(&mut code, whole, size)?;
        }
        _ => code.counted(["0", &length, &element.to_string()], |code, at| access(code, element, at))?,
    }
    Some(code.finish(site, ""))
}

/// The alignment of the memory that an argument points to.
fn alignment(site: &Site<'_>, at: usize) -> u64 {
    let known = site.args.get(at).and_then(|(pointer, _)| object::dereferenceable(site, *pointer));
    let stated = site.align(at);
    known.map_or(stated, |known| known.align.max(stated)).min(WORD)
}

/// The largest power of two up to the alignment that is aligned `at` bytes into something, and fits.
fn piece(at: u64, left: u64, align: u64) -> u64 {
    let mut bytes = align;
    while bytes > left || !at.is_multiple_of(bytes) {
        bytes /= 2;
    }
    bytes
}

/// Where a copy of memory that may overlap starts, where it stops, and its step: from the end that is safe, which is the upper one where the target lies after the source.
fn direction(code: &mut Code, site: &Site<'_>, length: &str, element: u64) -> Option<[String; 3]> {
    let mut addresses = Vec::with_capacity(2);
    for at in 0..2 {
        let generic = match site.space(at)? {
            0 => format!("%a{at}"),
            _ => ir!(code, "addrspacecast {} %a{at} to ptr", site.type_text(at)?),
        };
        addresses.push(ir!(code, "ptrtoint ptr {generic} to i64"));
    }
    let backward = ir!(code, "icmp ugt i64 {}", addresses.join(", "));
    let last = ir!(code, "sub i64 {length}, {element}");
    let start = ir!(code, "select i1 {backward}, i64 {last}, i64 0");
    let stop = ir!(code, "select i1 {backward}, i64 -{element}, i64 {length}");
    Some([start, stop, ir!(code, "select i1 {backward}, i64 -{element}, i64 {element}")])
}

impl Code {
    /// Repeats what `body` writes for numbers from the first one on, perhaps never, until the second one is reached.
    fn counted(
        &mut self,
        [start, stop, step]: [&str; 3],
        body: impl FnOnce(&mut Self, &str) -> Option<()>,
    ) -> Option<()> {
        let none = stop.starts_with('%').then(|| ir!(self, "icmp eq i64 {stop}, {start}"));
        self.repeated(none.as_deref(), [("i64", start)], |code, [at], _| {
            body(code, at)?;
            let next = ir!(code, "add i64 {at}, {step}");
            let condition = ir!(code, "icmp eq i64 {next}, {stop}");
            Some(Round { next: [next], condition, ends: true })
        })
        .map(drop)
    }
}

/// The pointers among the arguments of an intrinsic that copies or sets memory, by its name without `llvm.`.
pub(crate) fn pointers<'a>(name: &str, args: &'a [Value]) -> &'a [Value] {
    let count = match name.get(..6) {
        Some("memset") => 1,
        Some("memcpy" | "memmov") => 2,
        _ => 0,
    };
    match args.get(..count) {
        Some(pointers) => pointers,
        None => {
            debug_assert!(false, "`llvm.{name}` has {count} pointers");
            &[]
        }
    }
}
