//! Textures, samplers and surfaces as operands, and their coordinates (manual 5.3, 9.7.10, 9.7.11).

use crate::families::{Sem, TextureSem};
use crate::form::Role;
use crate::geometry::Geometry;
use crate::mnemonic::Mnemonic;
use crate::names::{Field, Mod};
use crate::types::ScalarType;

/// What a variable without a visible value is (manual 5.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Opaque {
    /// A texture, with its sampler in the unified mode.
    Texture,
    /// A sampler, which is separate in the independent mode.
    Sampler,
    /// A surface.
    Surface,
}

impl Mnemonic {
    /// What a reference ([`OperandKind::Reference`](crate::OperandKind::Reference)) with this role refers to; `None` for tensor maps, which are
    /// ordinary memory. A sampler may be left out.
    pub fn opaque(&self, role: Role) -> Option<Opaque> {
        match self.sem() {
            Sem::Texture(TextureSem::Tex | TextureSem::Tld4) => {
                Some(if role == Role::UseOpt { Opaque::Sampler } else { Opaque::Texture })
            }
            Sem::Texture(TextureSem::SurfaceLoad | TextureSem::SurfaceStore | TextureSem::SurfaceReduce) => {
                Some(Opaque::Surface)
            }
            _ => None,
        }
    }

    /// The geometry that the mnemonic names.
    pub fn geometry(&self) -> Option<Geometry> {
        self.get(Field::Geometry).and_then(Mod::geometry)
    }

    /// How many registers hold coordinates ([`OperandKind::Coordinates`](crate::OperandKind::Coordinates)); four without a geometry.
    pub fn coordinates(&self) -> u8 {
        // Default: as above.
        self.geometry().map_or(4, Geometry::registers)
    }

    /// The type of the first coordinate where it is not that of the others: the index of an array, beside which a multi-sample
    /// texture has the number of the sample. The index of an array of surfaces counts with the coordinates.
    pub fn index_type(&self) -> Option<ScalarType> {
        let is_fetch = matches!(self.sem(), Sem::Texture(TextureSem::Tex | TextureSem::Tld4));
        let geometry = self.geometry().filter(|geometry| geometry.is_array)?;
        match (geometry.has_samples, is_fetch) {
            (true, _) => Some(ScalarType::B32),
            (false, true) => Some(ScalarType::U32),
            (false, false) => None,
        }
    }
}
