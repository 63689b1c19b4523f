//! The coordinates of textures, surfaces and tensors.

use crate::names::Mod;

/// The geometry of a texture or surface (manual 9.7.10.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Geometry {
    /// How many numbers give the position in a layer: a point, or a direction from the centre of a cube.
    pub axes: u32,
    /// Whether the index of a layer comes before them.
    pub is_array: bool,
    /// Whether they are a direction.
    pub is_cube: bool,
    /// Whether the number of a sample comes before them.
    pub has_samples: bool,
}

impl Geometry {
    const fn new(axes: u32) -> Self {
        Self { axes, is_array: false, is_cube: false, has_samples: false }
    }

    const CUBE: Self = Self { is_cube: true, ..Self::new(3) };
    const SAMPLES: Self = Self { has_samples: true, ..Self::new(2) };

    const fn array(self) -> Self {
        Self { is_array: true, ..self }
    }

    /// How many registers hold the coordinates, with the numbers of a layer and of a sample: three are padded to four (manual
    /// 9.7.10.3).
    pub const fn registers(self) -> u8 {
        match self.axes + self.is_array as u32 + self.has_samples as u32 {
            1 => 1,
            2 => 2,
            _ => 4,
        }
    }
}

impl Mod {
    /// The geometry that a modifier like `.2d` or `.acube` names; `None` for other modifiers.
    pub const fn geometry(self) -> Option<Geometry> {
        Some(match self {
            Mod::D1 => Geometry::new(1),
            Mod::D2 => Geometry::new(2),
            Mod::D3 => Geometry::new(3),
            Mod::A1d => Geometry::new(1).array(),
            Mod::A2d => Geometry::new(2).array(),
            Mod::Cube => Geometry::CUBE,
            Mod::Acube => Geometry::CUBE.array(),
            Mod::D2ms => Geometry::SAMPLES,
            Mod::A2dms => Geometry::SAMPLES.array(),
            _ => return None,
        })
    }

    /// The dimensions of a tensor, for `.1d` to `.5d`; `None` for other modifiers.
    pub const fn dimensions(self) -> Option<u32> {
        Some(match self {
            Mod::D1 => 1,
            Mod::D2 => 2,
            Mod::D3 => 3,
            Mod::D4 => 4,
            Mod::D5 => 5,
            _ => return None,
        })
    }
}
