//! Handles of textures, samplers and surfaces, and the variables that they are bound to (manual 5.3).

use ptx_ir::{VarId, VarType, Variable};
use ptx_isa::StateSpace;

use super::Handle;
use crate::program::Opaque;

/// Upper bits of handles, in no window of generic addresses, so that a handle is not a valid address.
const WINDOW: u64 = 2 << 32;
const KIND_SHIFT: u32 = 28;
/// The kind of a variable's handle; objects of a launch have kinds 1 to 3.
const VARIABLE: u64 = 4;

impl Handle {
    /// The 64-bit value of the handle in a program.
    pub const fn value(self) -> u64 {
        let (kind, index) = match self {
            Handle::Texture(index) => (1, index),
            Handle::Sampler(index) => (2, index),
            Handle::Surface(index) => (3, index),
        };
        handle_of(kind, index)
    }

    /// The handle with this [value](Handle::value); `None` if there is none.
    ///
    /// ```
    /// use ptx_program::texture::Handle;
    ///
    /// assert_eq!(Handle::from_value(Handle::Surface(5).value()), Some(Handle::Surface(5)));
    /// assert_eq!(Handle::from_value(Handle::Surface(5).value() + (1 << 40)), None);
    /// assert_eq!(Handle::from_value(5), None);
    /// ```
    pub const fn from_value(value: u64) -> Option<Self> {
        let index = (value & ((1 << KIND_SHIFT) - 1)) as usize;
        let handle = match value >> KIND_SHIFT & 7 {
            1 => Handle::Texture(index),
            2 => Handle::Sampler(index),
            3 => Handle::Surface(index),
            _ => return None,
        };
        if handle.value() == value { Some(handle) } else { None }
    }

    /// The type of variables it can be bound to.
    pub const fn opaque(self) -> Opaque {
        match self {
            Handle::Texture(_) => Opaque::Texture,
            Handle::Sampler(_) => Opaque::Sampler,
            Handle::Surface(_) => Opaque::Surface,
        }
    }

    /// Its index in the list of its type.
    pub const fn index(self) -> usize {
        let (Handle::Texture(index) | Handle::Sampler(index) | Handle::Surface(index)) = self;
        index
    }
}

/// The handle value of a variable, which is bound to an object at each launch.
pub(super) const fn variable_handle(id: VarId) -> u64 {
    handle_of(VARIABLE, id.0 as usize)
}

/// The variable whose handle has this value; `None` if there is none.
pub const fn variable_of_handle(value: u64) -> Option<VarId> {
    let index = (value & ((1 << KIND_SHIFT) - 1)) as u32;
    if handle_of(VARIABLE, index as usize) == value { Some(VarId(index)) } else { None }
}

const fn handle_of(kind: u64, index: usize) -> u64 {
    WINDOW | kind << KIND_SHIFT | index as u64 & ((1 << KIND_SHIFT) - 1)
}

/// The type of an opaque variable; `None` for others. A `.tex` variable is a texture whatever its type (manual 5.1.8).
pub fn opaque_of(variable: &Variable) -> Option<Opaque> {
    match variable.ty {
        VarType::TexRef => Some(Opaque::Texture),
        VarType::SamplerRef => Some(Opaque::Sampler),
        VarType::SurfRef => Some(Opaque::Surface),
        VarType::Scalar(_) if variable.space == StateSpace::Tex => Some(Opaque::Texture),
        VarType::Scalar(_) => None,
    }
}

/// The name of an opaque type in PTX.
pub const fn opaque_name(opaque: Opaque) -> &'static str {
    match opaque {
        Opaque::Texture => ".texref",
        Opaque::Sampler => ".samplerref",
        Opaque::Surface => ".surfref",
    }
}
