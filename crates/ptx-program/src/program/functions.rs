//! The functions of a program.

use std::ops::{Deref, DerefMut};

use super::{Object, Slot};

/// A function.
#[derive(Clone, Debug, Default, Hash)]
pub struct Function {
    /// Its name in the module.
    pub name: String,
    /// Index of its first instruction.
    pub start: u32,
    /// Register rows of its frame.
    pub rows: u32,
    /// Bytes of local memory of its frame.
    pub local: u32,
    /// The variables in that local memory; their addresses are offsets from its start.
    pub objects: Box<[Object]>,
    /// Where it finds its arguments.
    pub params: Box<[Slot]>,
    /// Where it leaves its results.
    pub results: Box<[Slot]>,
}

/// The kernel and the functions that it can call. A program always has a kernel.
#[derive(Clone, Debug, Hash)]
pub struct Functions(Vec<Function>);

impl Functions {
    /// The index of the kernel.
    pub const KERNEL: u32 = 0;

    /// The functions of a program that has only a kernel.
    pub fn of_kernel(kernel: Function) -> Self {
        Self(vec![kernel])
    }

    /// Functions of which the first is the kernel; `None` if there are none.
    pub fn new(functions: Vec<Function>) -> Option<Self> {
        (!functions.is_empty()).then_some(Self(functions))
    }

    /// The kernel.
    pub fn kernel(&self) -> &Function {
        &self.0[Self::KERNEL as usize]
    }

    /// The kernel, to change it.
    pub fn kernel_mut(&mut self) -> &mut Function {
        &mut self.0[Self::KERNEL as usize]
    }
}

impl Deref for Functions {
    type Target = [Function];

    fn deref(&self) -> &[Function] {
        &self.0
    }
}

impl DerefMut for Functions {
    fn deref_mut(&mut self) -> &mut [Function] {
        &mut self.0
    }
}
