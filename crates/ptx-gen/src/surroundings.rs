//! What instructions name: registers of the block, and a fixed set of variables and functions.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use ptx_isa::ScalarType;

/// Something declared outside the instruction's block, or at its start.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Symbol {
    /// 1024 bytes of global memory.
    Global,
    /// 1024 bytes of shared memory.
    Shared,
    /// 1024 bytes of constant memory.
    Const,
    /// 1024 bytes of local memory.
    Local,
    /// A parameter of the kernel, 1024 bytes.
    KernelParameter,
    /// Room for an argument or result of a call, 1024 bytes.
    CallParameter,
    /// A texture.
    Texture,
    /// A sampler; the module is then in the independent texture mode.
    Sampler,
    /// A surface.
    Surface,
    /// A function without parameters.
    Plain,
    /// A function of one parameter in memory, with a result in memory.
    InMemory,
    /// A function of two parameters in registers, with a result in a register.
    InRegisters,
}

/// Where a symbol is declared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// At the start of the module.
    Module,
    /// In the parameter list of the kernel.
    Parameters,
    /// At the start of the block.
    Block,
}

impl Symbol {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Symbol::Global => "gv",
            Symbol::Shared => "sv",
            Symbol::Const => "cv",
            Symbol::Local => "lv",
            Symbol::KernelParameter => "kp",
            Symbol::CallParameter => "ap",
            Symbol::Texture => "tex0",
            Symbol::Sampler => "smp0",
            Symbol::Surface => "surf0",
            Symbol::Plain => "fn0",
            Symbol::InMemory => "fn1",
            Symbol::InRegisters => "fn2",
        }
    }

    /// The line that declares it; for a parameter without the comma or parenthesis after it.
    pub const fn declaration(self) -> &'static str {
        match self {
            Symbol::Global => ".global .align 128 .b8 gv[1024];",
            Symbol::Shared => ".shared .align 128 .b8 sv[1024];",
            Symbol::Const => ".const .align 128 .b8 cv[1024];",
            Symbol::Local => ".local .align 128 .b8 lv[1024];",
            Symbol::KernelParameter => ".param .align 128 .b8 kp[1024]",
            Symbol::CallParameter => ".param .align 128 .b8 ap[1024];",
            Symbol::Texture => ".global .texref tex0;",
            Symbol::Sampler => ".global .samplerref smp0;",
            Symbol::Surface => ".global .surfref surf0;",
            Symbol::Plain => ".func fn0 () { ret; }",
            Symbol::InMemory => ".func (.param .b32 rv) fn1 (.param .b32 pa) { ret; }",
            Symbol::InRegisters => {
                ".func (.reg .b32 rv) fn2 (.reg .b32 pa, .reg .b64 pb) { mov.b32 rv, pa; ret; }"
            }
        }
    }

    /// Where the line is.
    pub const fn level(self) -> Level {
        match self {
            Symbol::Local | Symbol::CallParameter => Level::Block,
            Symbol::KernelParameter => Level::Parameters,
            Symbol::Global
            | Symbol::Shared
            | Symbol::Const
            | Symbol::Texture
            | Symbol::Sampler
            | Symbol::Surface
            | Symbol::Plain
            | Symbol::InMemory
            | Symbol::InRegisters => Level::Module,
        }
    }
}

/// The symbols that some text names, in the order of [`Symbol`].
pub type Symbols = BTreeSet<Symbol>;

/// How many registers of each type some text names: `%b32_0`, `%b32_1` and so on.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Registers(BTreeMap<ScalarType, u32>);

impl Registers {
    /// How many of a type there are.
    pub fn count(&self, ty: ScalarType) -> u32 {
        // Default: a type that is not there has no registers.
        self.0.get(&ty).copied().unwrap_or(0)
    }

    /// Makes sure that there are so many of a type.
    pub fn reserve(&mut self, ty: ScalarType, count: u32) {
        let known = self.0.entry(ty).or_default();
        *known = count.max(*known);
    }

    /// The declarations of all of them, blanks in front of each.
    pub fn declarations(&self) -> String {
        let mut text = String::new();
        for (ty, count) in &self.0 {
            // Writing to a string cannot fail.
            let _ = write!(text, " .reg .{} %{}_<{count}>;", ty.as_str(), ty.as_str());
        }
        text
    }
}

/// The name of a register of a type, by its number.
pub fn register(ty: ScalarType, number: u32) -> String {
    format!("%{}_{number}", ty.as_str())
}
