//! Loads object files into the process without LLVM, whose library takes longer to load than a small kernel to run.
//!
//! Kernels are position-independent code without variables: instructions, and constants that they address relative to themselves. An object with
//! anything else (variables, thread-local storage, relocations other than those below) is left to [`Jit`](ptx_llvm_core::host::Jit), as are objects for
//! processors other than x86-64.
//!
//! ```text
//! page 0    .text                    readable and executable
//!           jumps to C functions
//! page 1    .rodata, ..              readable
//!           addresses of C functions
//! ```
//!
//! Pages are written while they are neither executable nor visible to anything else, and then lose write permission for good.

use std::collections::BTreeMap;
use std::ffi::c_void;

use object::elf;
use object::read::elf::ElfFile64;
use object::{
    Architecture, Endianness, Object, ObjectKind, ObjectSection, ObjectSymbol, RelocationFlags,
    RelocationTarget, SectionFlags, SectionIndex, SymbolIndex,
};
use ptx_llvm_core::host::library_functions;
use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect, munmap};

/// Bytes of a page on x86-64.
const PAGE: usize = 4096;

/// A jump to the address stored after it: `jmp [rip]`, padded to eight bytes, then the address.
const JUMP: [u8; 8] = [0xff, 0x25, 0x02, 0, 0, 0, 0x0f, 0x0b];
/// Bytes of the jump with its address.
const JUMP_BYTES: usize = 16;

/// Code and constants in memory. Dropping it unmaps them: the code must not be running then, nor run later.
#[derive(Debug)]
pub(crate) struct Loaded {
    start: *mut c_void,
    bytes: usize,
}

// SAFETY: the memory is written before its address is shared, and not afterwards.
unsafe impl Send for Loaded {}
// SAFETY: as above.
unsafe impl Sync for Loaded {}

impl Drop for Loaded {
    fn drop(&mut self) {
        // SAFETY: it was mapped with this size, and is no longer used.
        let _ = unsafe { munmap(self.start, self.bytes) };
    }
}

impl Loaded {
    /// Maps `bytes` bytes, zero and writable.
    fn new(bytes: usize) -> Option<Self> {
        let (rights, flags) = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE);
        // SAFETY: the system chooses the address.
        let start = unsafe { mmap_anonymous(std::ptr::null_mut(), bytes, rights, flags) }.ok()?;
        Some(Self { start, bytes })
    }

    /// All bytes, while they are writable.
    fn contents(&mut self) -> &mut [u8] {
        // SAFETY: the memory has this many bytes, and is borrowed mutably with `self`.
        unsafe { std::slice::from_raw_parts_mut(self.start.cast(), self.bytes) }
    }

    /// Makes the first bytes executable and the others read-only.
    fn seal(&self, code: usize) -> Option<()> {
        let (first, rest) = (self.start, self.start.wrapping_byte_add(code));
        // SAFETY: both are whole pages of this memory, to which there is no reference.
        unsafe {
            mprotect(first, code, MprotectFlags::READ | MprotectFlags::EXEC).ok()?;
            if self.bytes > code {
                mprotect(rest, self.bytes - code, MprotectFlags::READ).ok()?;
            }
        }
        Some(())
    }
}

/// The offsets of an object's parts from the beginning of the memory.
#[derive(Default)]
struct Layout {
    sections: BTreeMap<usize, usize>,
    /// Offsets for C functions that are called, and for those whose addresses are loaded, by their symbols.
    jumps: BTreeMap<usize, usize>,
    addresses: BTreeMap<usize, usize>,
    /// Bytes of code, in whole pages, and of everything.
    code: usize,
    bytes: usize,
}

type Elf<'o> = ElfFile64<'o, Endianness>;

/// Loads an object file; returns its memory and the address of a function that it defines. `None` if it contains anything unsupported, or does not
/// define the symbol.
pub(crate) fn load(object: &[u8], symbol: &str) -> Option<(Loaded, usize)> {
    if !cfg!(target_arch = "x86_64") {
        return None;
    }
    let file = Elf::parse(object).ok()?;
    let is_known = (file.architecture(), file.kind()) == (Architecture::X86_64, ObjectKind::Relocatable);
    let layout = if is_known { layout(&file)? } else { return None };
    let mut memory = Loaded::new(layout.bytes)?;
    let start = memory.start as usize;
    fill(&file, &layout, start, memory.contents())?;
    memory.seal(layout.code)?;
    let entry = file.symbols().find(|found| found.is_definition() && found.name() == Ok(symbol))?;
    let place = place_of(&layout, &entry).filter(|&place| place < layout.code)?;
    Some((memory, start + place))
}

/// Lays out the memory; `None` if there is anything unsupported.
fn layout(file: &Elf<'_>) -> Option<Layout> {
    let mut layout = Layout::default();
    let mut end = 0;
    for is_code in [true, false] {
        for section in file.sections() {
            let SectionFlags::Elf { sh_flags } = section.flags() else { return None };
            let has = |flag: u32| sh_flags & u64::from(flag) != 0;
            if !has(elf::SHF_ALLOC) || has(elf::SHF_EXECINSTR) != is_code {
                continue;
            }
            // Only the loader writes constants that contain addresses.
            let is_written = has(elf::SHF_WRITE) && !section.name().ok()?.starts_with(".data.rel.ro");
            if is_written || has(elf::SHF_TLS) {
                return None;
            }
            let align = usize::try_from(section.align()).ok()?.max(1);
            if align > PAGE {
                return None;
            }
            end = usize::next_multiple_of(end, align);
            layout.sections.insert(section.index().0, end);
            end += section.data().ok()?.len();
        }
        end = usize::next_multiple_of(end, JUMP_BYTES);
        for (symbol, kind) in functions(file)? {
            let places = if is_code { &mut layout.jumps } else { &mut layout.addresses };
            if (kind == elf::R_X86_64_PLT32) == is_code && !places.contains_key(&symbol) {
                places.insert(symbol, end);
                end += JUMP_BYTES;
            }
        }
        end = usize::next_multiple_of(end, PAGE);
        if is_code {
            layout.code = end;
        }
    }
    layout.bytes = end;
    (layout.code > 0).then_some(layout)
}

/// The undefined symbols, and the types of the relocations that reference them.
fn functions(file: &Elf<'_>) -> Option<Vec<(usize, u32)>> {
    let mut all = Vec::new();
    for (_, relocation) in file.sections().flat_map(|section| section.relocations()) {
        let RelocationTarget::Symbol(symbol) = relocation.target() else { return None };
        let RelocationFlags::Elf { r_type } = relocation.flags() else { return None };
        if file.symbol_by_index(symbol).ok()?.is_undefined() {
            all.push((symbol.0, r_type));
        }
    }
    Some(all)
}

/// Copies the sections and relocates them.
fn fill(file: &Elf<'_>, layout: &Layout, start: usize, memory: &mut [u8]) -> Option<()> {
    for (&index, &place) in &layout.sections {
        let data = file.section_by_index(SectionIndex(index)).ok()?.data().ok()?;
        memory.get_mut(place..place + data.len())?.copy_from_slice(data);
    }
    let known = library_functions();
    let address_of = |symbol: usize| {
        let name = file.symbol_by_index(SymbolIndex(symbol)).ok()?.name().ok()?;
        Some(known.iter().find(|(known, _)| *known == name)?.1.to_le_bytes())
    };
    for (&symbol, &place) in &layout.jumps {
        memory.get_mut(place..place + 8)?.copy_from_slice(&JUMP);
        memory.get_mut(place + 8..place + 16)?.copy_from_slice(&address_of(symbol)?);
    }
    for (&symbol, &place) in &layout.addresses {
        memory.get_mut(place..place + 8)?.copy_from_slice(&address_of(symbol)?);
    }
    for (&index, &place) in &layout.sections {
        let section = file.section_by_index(SectionIndex(index)).ok()?;
        for (offset, relocation) in section.relocations() {
            if relocation.has_implicit_addend() {
                return None;
            }
            let RelocationTarget::Symbol(symbol) = relocation.target() else { return None };
            let RelocationFlags::Elf { r_type } = relocation.flags() else { return None };
            let at = place.checked_add(usize::try_from(offset).ok()?)?;
            let target = target(file, layout, symbol, r_type)?;
            let value = (target as i64).wrapping_add(relocation.addend());
            let to = memory.get_mut(at..)?;
            match r_type {
                elf::R_X86_64_64 => {
                    let value = value.wrapping_add(start as i64);
                    to.get_mut(..8)?.copy_from_slice(&value.to_le_bytes());
                }
                _ => {
                    let value = i32::try_from(value.wrapping_sub(at as i64)).ok()?;
                    to.get_mut(..4)?.copy_from_slice(&value.to_le_bytes());
                }
            }
        }
    }
    Some(())
}

/// The offset of a relocation's target from the beginning of the memory; `None` for unsupported types.
fn target(file: &Elf<'_>, layout: &Layout, symbol: SymbolIndex, r_type: u32) -> Option<usize> {
    let found = file.symbol_by_index(symbol).ok()?;
    let is_load =
        matches!(r_type, elf::R_X86_64_GOTPCREL | elf::R_X86_64_GOTPCRELX | elf::R_X86_64_REX_GOTPCRELX);
    if found.is_undefined() {
        return match r_type {
            elf::R_X86_64_PLT32 => layout.jumps.get(&symbol.0).copied(),
            _ if is_load => layout.addresses.get(&symbol.0).copied(),
            _ => None,
        };
    }
    if !matches!(r_type, elf::R_X86_64_PC32 | elf::R_X86_64_PLT32 | elf::R_X86_64_64) {
        return None;
    }
    place_of(layout, &found)
}

/// The offset of a symbol that is defined in a section, from the beginning of the memory.
fn place_of<'o>(layout: &Layout, symbol: &impl ObjectSymbol<'o>) -> Option<usize> {
    let section = layout.sections.get(&symbol.section_index()?.0)?;
    section.checked_add(usize::try_from(symbol.address()).ok()?)
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use ptx_llvm_core::host::{Cpu, HostMachine};
    use ptx_llvm_core::{Context, Module, OptLevel};

    use super::*;

    /// The object file of a module for the oldest processors of the architecture, so that it calls what others have instructions for.
    fn object(text: &str) -> Vec<u8> {
        let cpu = Cpu::baseline("x86-64").expect("a level");
        let machine = HostMachine::new(&cpu, OptLevel::O2).expect("LLVM 22");
        let context = Context::new().expect("LLVM 22");
        let mut module = Module::parse_text(&context, "m", text.as_bytes()).expect("valid IR");
        machine.set_up(&mut module);
        machine.emit_object(module).expect("the backend takes it")
    }

    /// The rights of the pages with an address, as `r-xp`.
    fn rights(address: usize) -> String {
        let maps = std::fs::read_to_string("/proc/self/maps").expect("Linux");
        let line = maps.lines().find(|line| {
            let (from, to) =
                line.split_once(' ').and_then(|(range, _)| range.split_once('-')).expect("a range");
            let number = |text| usize::from_str_radix(text, 16).expect("a number");
            (number(from)..number(to)).contains(&address)
        });
        line.map_or(String::new(), |line| line.split(' ').nth(1).unwrap_or_default().to_owned())
    }

    /// A table of constants, an address in one, a function beside the first, and functions of C that are called or given on.
    const WHOLE: &str = "
@table = private unnamed_addr constant [4 x i64] [i64 10, i64 20, i64 30, i64 40], align 32
@place = private unnamed_addr constant ptr getelementptr (i8, ptr @table, i64 16), align 8
declare double @fma(double, double, double)
declare ptr @memcpy(ptr, ptr, i64)
define internal i64 @beside(i64 %x) noinline { %y = mul i64 %x, 3 ret i64 %y }
define i64 @f(i64 %i, ptr %to) {
  %at = getelementptr i64, ptr @table, i64 %i
  %a = load i64, ptr %at
  %third = load volatile ptr, ptr @place
  %b = load i64, ptr %third
  %c = call i64 @beside(i64 %a)
  %x = uitofp i64 %c to double
  %y = call double @fma(double %x, double 2.0, double 0.5)
  %d = fptoui double %y to i64
  call ptr @memcpy(ptr %to, ptr @table, i64 32)
  %sum = add i64 %b, %d
  ret i64 %sum
}
define ptr @g() { ret ptr @memcpy }
";

    #[test]
    fn code_reaches_its_constants_and_functions_of_c() {
        let object = object(WHOLE);
        let (code, address) = load(&object, "f").expect("loaded");
        // SAFETY: the function has this type, and its code is alive.
        let f: extern "C" fn(u64, *mut u64) -> u64 = unsafe { std::mem::transmute(address) };
        let mut copied = [0; 4];
        // The third constant, and 3 * 20 * 2 + 0.5 without its fraction.
        assert_eq!(f(1, copied.as_mut_ptr()), 30 + 120);
        assert_eq!(copied, [10, 20, 30, 40]);
        assert_eq!(
            (rights(address).as_str(), rights(code.start as usize + code.bytes - 1).as_str()),
            ("r-xp", "r--p")
        );
        let start = code.start as usize;
        let all = || (start..start + code.bytes).step_by(PAGE).map(rights);
        assert!(all().all(|rights| !rights.contains('w')));
        drop(code);
        assert!((start..start + PAGE).step_by(PAGE).map(rights).all(|rights| !rights.contains('x')));
        let (_code, address) = load(&object, "g").expect("loaded");
        // SAFETY: as above.
        let g: extern "C" fn() -> usize = unsafe { std::mem::transmute(address) };
        let known = library_functions();
        assert_eq!(Some(g()), known.iter().find(|(name, _)| *name == "memcpy").map(|found| found.1));
    }

    #[test]
    fn what_is_not_known_is_not_loaded() {
        let known = "define i64 @f() { ret i64 7 }";
        assert!(load(&object(known), "f").is_some());
        assert!(load(&object(known), "g").is_none(), "no such function");
        for text in [
            "@v = global i64 5 define i64 @f() { %x = load i64, ptr @v ret i64 %x }",
            "@v = thread_local global i64 5 define i64 @f() { %x = load i64, ptr @v ret i64 %x }",
            "declare i64 @other() define i64 @f() { %x = call i64 @other() ret i64 %x }",
            "@other = external global i64 define i64 @f() { %x = load i64, ptr @other ret i64 %x }",
        ] {
            assert!(load(&object(text), "f").is_none(), "{text}");
        }
        let whole = object(WHOLE);
        // No part of an object, and none with a byte changed, does more than to be refused or loaded.
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 0xff;
            drop(load(&changed, "f"));
            drop(load(&whole[..at], "f"));
        }
    }
}
