//! The opaque variables of a module: what their declarations and initializers say (manual 5.3).

use ptx_diag::{Diagnostic, Span};
use ptx_ir::{FieldValue, Initializer, Item, Linkage, Module, VarId};
use ptx_isa::Mod;
use rustc_hash::FxHashMap;

use super::handle::{opaque_name, variable_handle};
use super::query::describe;
use super::{AddressMode, Filter, Image, ReadMode, Sampler, Texture};
use crate::codes;
use crate::program::{Opaque, Property};

/// A texture with defaults resolved.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BoundTexture {
    /// The index of its image.
    pub image: usize,
    /// The result of fetching integers.
    pub read: ReadMode,
    /// Whether the first three channels are linearized when read.
    pub srgb: bool,
    /// Whether coordinates are normalized to 0..1.
    pub normalized: bool,
    /// The sampler of the unified mode.
    pub sampler: Sampler,
}

impl BoundTexture {
    /// Takes from the declaration what the texture leaves open.
    pub fn new(texture: &Texture, declared: &Declared) -> Self {
        Self {
            image: texture.image,
            read: texture.read,
            srgb: texture.srgb,
            normalized: texture.normalized.unwrap_or(declared.normalized),
            sampler: texture.sampler.unwrap_or(declared.sampler),
        }
    }
}

/// An opaque variable as declared by the module.
#[derive(Clone, Debug, Default)]
pub struct Declared {
    /// Its name.
    pub name: String,
    /// Its type; `None` for the default, which no variable declares.
    pub opaque: Option<Opaque>,
    /// The position of its declaration.
    pub span: Span,
    /// Whether it has an initializer, which for a sampler replaces a binding.
    pub has_initial_value: bool,
    /// Properties that the initializer requires of the image.
    claims: Vec<(Property, u64)>,
    normalized: bool,
    /// The sampler that the initializer describes.
    pub sampler: Sampler,
}

/// The opaque variables reachable from a kernel.
#[derive(Clone, Debug, Default)]
pub struct References {
    variables: FxHashMap<VarId, Declared>,
    /// Whether samplers are separate from textures (manual 9.7.10.1).
    pub independent: bool,
}

impl References {
    /// Reads the declarations of a module.
    pub fn new(module: &Module) -> Self {
        let independent = module.items.iter().any(|item| match item {
            Item::Target(target, _) => {
                target.names.iter().any(|&name| module.name(name) == "texmode_independent")
            }
            _ => false,
        });
        Self { independent, ..Self::default() }
    }

    /// Adds a variable; returns its handle.
    ///
    /// # Errors
    /// Variables without a definition, and arrays.
    pub fn add(&mut self, module: &Module, id: VarId, opaque: Opaque) -> Result<u64, Box<Diagnostic>> {
        let variable = module.variable(id);
        let name = module.name(variable.name);
        let refuse = |code, text: String| Err(Box::new(Diagnostic::error(code, variable.at.0, text)));
        if !variable.dims.is_empty() {
            let text = format!("`{name}` is an array of {}, which cannot be executed", opaque_name(opaque));
            return refuse(codes::UNSUPPORTED, text);
        }
        if variable.linkage == Linkage::Extern {
            return refuse(codes::UNDEFINED, format!("`{name}` is declared `.extern` and defined nowhere"));
        }
        let mut declared = Declared {
            name: name.to_owned(),
            opaque: Some(opaque),
            span: variable.at.0,
            has_initial_value: variable.init.is_some(),
            ..Declared::default()
        };
        if let Some(Initializer::Fields(fields)) = &variable.init {
            for &(name, value) in fields {
                declared.read(module.name(name), value, module);
            }
        }
        self.variables.insert(id, declared);
        Ok(variable_handle(id))
    }

    /// The variables, in the order of the module.
    pub fn in_order(&self) -> Vec<(VarId, &Declared)> {
        let mut variables: Vec<_> = self.variables.iter().map(|(id, declared)| (*id, declared)).collect();
        variables.sort_unstable_by_key(|(id, _)| id.0);
        variables
    }

    /// The handle of a variable.
    pub fn handle(&self, id: VarId) -> Option<u64> {
        self.variables.contains_key(&id).then(|| variable_handle(id))
    }
}

impl Declared {
    /// Applies a field of the initializer.
    fn read(&mut self, name: &str, value: FieldValue, module: &Module) {
        let (word, number) = match value {
            FieldValue::Name(word) => (module.name(word), None),
            FieldValue::Number(number) => ("", number.as_integer()),
        };
        match (Mod::from_ptx(name).and_then(Property::of), number) {
            (Some(Property::NormalizedCoords), number) => self.normalized = number.is_some_and(|n| n != 0),
            (Some(Property::ForceUnnormalizedCoords), number) => {
                self.sampler.force_unnormalized = number.is_some_and(|n| n != 0);
            }
            (Some(Property::FilterMode), number) => {
                let is_linear = word == "linear" || number == Some(1);
                self.sampler.filter = if is_linear { Filter::Linear } else { Filter::Point };
            }
            (Some(Property::AddressMode(axis)), number) => {
                if let Some(place) = self.sampler.address.get_mut(axis) {
                    *place = match (word, number) {
                        ("wrap", _) | (_, Some(0)) => AddressMode::Wrap,
                        ("mirror", _) | (_, Some(1)) => AddressMode::Mirror,
                        ("clamp_ogl", _) | (_, Some(2)) => AddressMode::ClampOgl,
                        ("clamp_to_border", _) | (_, Some(4)) => AddressMode::Border,
                        _ => AddressMode::Clamp,
                    };
                }
            }
            (Some(property), Some(number)) => self.claims.push((property, number)),
            _ => {}
        }
    }

    /// Checks the size and format declared by the program against the image.
    ///
    /// # Errors
    /// A message about the property that differs.
    pub fn check(&self, image: &Image, read: ReadMode) -> Result<(), String> {
        for &(property, declared) in &self.claims {
            let is = describe(image, property, 0, read).map_or(declared, u64::from);
            if is != declared {
                let name = &self.name;
                return Err(format!(
                    "`{name}` is declared with {property:?} {declared}, and its image has {is}"
                ));
            }
        }
        Ok(())
    }
}
