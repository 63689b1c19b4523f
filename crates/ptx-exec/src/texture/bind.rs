//! Binding of a module's opaque variables in a launch: handles, and samplers from initializers (manual 5.3).

use std::sync::Arc;

use ptx_diag::{Diagnostic, Diagnostics, Span};
use ptx_ir::{FieldValue, Initializer, Item, Linkage, Module, VarId, VarType, Variable};
use ptx_isa::{Mod, StateSpace};
use rustc_hash::FxHashMap;

use super::query::describe;
use super::{
    AddressMode, ChannelFormat, Filter, Handle, Image, Meaning, ReadMode, Sampler, Storage, Surface, Texture,
    TextureError, TextureSet, Textures,
};
use crate::error::codes;
use crate::program::{Opaque, Property};

/// Upper bits of handles, in no window of generic addresses, so that a handle is not a valid address.
const WINDOW: u64 = 2 << 32;
const KIND_SHIFT: u32 = 28;
/// The kind of a variable's handle; objects in a [`TextureSet`] have kinds 1 to 3.
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
    /// use ptx_exec::texture::Handle;
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
    pub(crate) const fn opaque(self) -> Opaque {
        match self {
            Handle::Texture(_) => Opaque::Texture,
            Handle::Sampler(_) => Opaque::Sampler,
            Handle::Surface(_) => Opaque::Surface,
        }
    }

    const fn index(self) -> usize {
        let (Handle::Texture(index) | Handle::Sampler(index) | Handle::Surface(index)) = self;
        index
    }
}

const fn handle_of(kind: u64, index: usize) -> u64 {
    WINDOW | kind << KIND_SHIFT | index as u64 & ((1 << KIND_SHIFT) - 1)
}

/// The type of an opaque variable; `None` for others. A `.tex` variable is a texture whatever its type (manual 5.1.8).
pub(crate) fn opaque_of(variable: &Variable) -> Option<Opaque> {
    match variable.ty {
        VarType::TexRef => Some(Opaque::Texture),
        VarType::SamplerRef => Some(Opaque::Sampler),
        VarType::SurfRef => Some(Opaque::Surface),
        VarType::Scalar(_) if variable.space == StateSpace::Tex => Some(Opaque::Texture),
        VarType::Scalar(_) => None,
    }
}

/// The name of an opaque type in PTX.
pub(crate) const fn opaque_name(opaque: Opaque) -> &'static str {
    match opaque {
        Opaque::Texture => ".texref",
        Opaque::Sampler => ".samplerref",
        Opaque::Surface => ".surfref",
    }
}

/// A texture with defaults resolved.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct BoundTexture {
    pub(crate) image: usize,
    pub(crate) read: ReadMode,
    pub(crate) srgb: bool,
    pub(crate) normalized: bool,
    pub(crate) sampler: Sampler,
}

impl BoundTexture {
    pub(super) fn new(texture: &Texture, declared: &Declared) -> Self {
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
pub(super) struct Declared {
    name: String,
    opaque: Option<Opaque>,
    span: Span,
    has_initial_value: bool,
    /// Properties that the initializer requires of the image.
    claims: Vec<(Property, u64)>,
    normalized: bool,
    sampler: Sampler,
}

/// The opaque variables reachable from a kernel.
#[derive(Clone, Debug, Default)]
pub(crate) struct References {
    variables: FxHashMap<VarId, Declared>,
    /// Whether samplers are separate from textures (manual 9.7.10.1).
    pub(crate) independent: bool,
}

impl References {
    /// Reads the declarations of a module.
    pub(crate) fn new(module: &Module) -> Self {
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
    pub(crate) fn add(&mut self, module: &Module, id: VarId, opaque: Opaque) -> Result<u64, Box<Diagnostic>> {
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
        Ok(handle_of(VARIABLE, id.0 as usize))
    }

    /// The handle of a variable.
    pub(crate) fn handle(&self, id: VarId) -> Option<u64> {
        self.variables.contains_key(&id).then(|| handle_of(VARIABLE, id.0 as usize))
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
    fn check(&self, image: &Image, read: ReadMode) -> Result<(), String> {
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

/// The object that a variable is bound to in a launch.
#[derive(Clone, Copy, Debug)]
enum Meant {
    Texture(BoundTexture),
    Sampler(Sampler),
    Surface(Surface),
}

/// The textures, samplers and surfaces of a launch as bound for its threads.
#[derive(Debug, Default)]
pub(crate) struct Units {
    pub(crate) set: Arc<TextureSet>,
    variables: FxHashMap<VarId, Meant>,
}

impl Units {
    /// Binds the variables of a kernel to the objects given by a launch: the module's `bound` ones, else those of the set.
    ///
    /// # Errors
    /// [`codes::ARGUMENTS`] for variables for which the launch has no object, or one of the wrong type.
    pub(crate) fn bind(
        references: &References,
        set: Arc<TextureSet>,
        bound: &[(String, Handle)],
    ) -> Result<Self, Diagnostics> {
        let mut findings = Diagnostics::new();
        let mut variables = FxHashMap::default();
        let mut in_order: Vec<_> = references.variables.iter().collect();
        in_order.sort_unstable_by_key(|(id, _)| id.0);
        for (&id, declared) in in_order {
            match bind_variable(declared, &set, bound) {
                Ok(meant) => {
                    variables.insert(id, meant);
                }
                Err(text) => findings.push(Diagnostic::error(codes::ARGUMENTS, declared.span, text)),
            }
        }
        if findings.has_errors() {
            return Err(findings);
        }
        Ok(Self { set, variables })
    }

    /// The object of a handle value; `None` if it is not a valid handle.
    fn meant(&self, value: u64) -> Option<Meant> {
        let low = value.checked_sub(WINDOW).filter(|&low| low >> 32 == 0)?;
        let index = (low & ((1 << KIND_SHIFT) - 1)) as usize;
        match low >> KIND_SHIFT {
            1 => self.set.textures.get(index).map(|(_, bound)| Meant::Texture(*bound)),
            2 => self.set.samplers.get(index).copied().map(Meant::Sampler),
            3 => self.set.surfaces.get(index).copied().map(Meant::Surface),
            VARIABLE => self.variables.get(&VarId(index as u32)).copied(),
            _ => None,
        }
    }

    /// The type of the object of a handle value.
    pub(crate) fn opaque(&self, value: u64) -> Option<Opaque> {
        self.meant(value).map(|meant| match meant {
            Meant::Texture(_) => Opaque::Texture,
            Meant::Sampler(_) => Opaque::Sampler,
            Meant::Surface(_) => Opaque::Surface,
        })
    }

    /// The texture of a handle.
    pub(crate) fn texture(&self, value: u64) -> Option<BoundTexture> {
        if let Some(Meant::Texture(texture)) = self.meant(value) { Some(texture) } else { None }
    }

    /// The sampler of a handle.
    pub(crate) fn sampler(&self, value: u64) -> Option<Sampler> {
        if let Some(Meant::Sampler(sampler)) = self.meant(value) { Some(sampler) } else { None }
    }

    /// The surface of a handle.
    pub(crate) fn surface(&self, value: u64) -> Option<Surface> {
        if let Some(Meant::Surface(surface)) = self.meant(value) { Some(surface) } else { None }
    }
}

fn bind_variable(declared: &Declared, set: &TextureSet, bound: &[(String, Handle)]) -> Result<Meant, String> {
    let name = &declared.name;
    let of = |references: &[(String, Handle)]| {
        references.iter().rfind(|(known, _)| known == name).map(|(_, handle)| *handle)
    };
    let found = of(bound).or_else(|| of(&set.references));
    let wanted = declared.opaque.unwrap_or(Opaque::Texture);
    let Some(handle) = found else {
        if wanted == Opaque::Sampler && declared.has_initial_value {
            return Ok(Meant::Sampler(declared.sampler));
        }
        return Err(format!("the launch gives nothing for the {} `{name}`", opaque_name(wanted)));
    };
    if handle.opaque() != wanted {
        let (wanted, got) = (opaque_name(wanted), opaque_name(handle.opaque()));
        return Err(format!("`{name}` is a {wanted}, and the launch gives it a {got}"));
    }
    let missing = || format!("the launch gives `{name}` {wanted:?} {}, which there is not", handle.index());
    let image = |index: usize| set.images.get(index).map(|placed| &placed.image).ok_or_else(missing);
    match handle {
        Handle::Texture(index) => {
            let (texture, _) = set.textures.get(index).ok_or_else(missing)?;
            declared.check(image(texture.image)?, texture.read)?;
            Ok(Meant::Texture(BoundTexture::new(texture, declared)))
        }
        Handle::Sampler(index) => set.samplers.get(index).copied().map(Meant::Sampler).ok_or_else(missing),
        Handle::Surface(index) => {
            let surface = set.surfaces.get(index).copied().ok_or_else(missing)?;
            declared.check(image(surface.image)?, ReadMode::Element)?;
            Ok(Meant::Surface(surface))
        }
    }
}

/// Checks that a module has a variable to which a handle can be bound.
///
/// # Errors
/// Why it has not.
pub(crate) fn check_reference(module: &Module, name: &str, handle: Handle) -> Result<(), TextureError> {
    let opaque = module.items.iter().find_map(|item| match item {
        Item::Variable(id) if module.name(module.variable(*id).name) == name => {
            opaque_of(module.variable(*id))
        }
        _ => None,
    });
    let got = handle.opaque();
    match opaque {
        None => Err(TextureError(format!("the module has no texture, sampler or surface `{name}`"))),
        Some(wanted) if wanted != got => {
            let (wanted, got) = (opaque_name(wanted), opaque_name(got));
            Err(TextureError(format!("`{name}` is a {wanted}, and the handle is of a {got}")))
        }
        Some(_) => Ok(()),
    }
}

/// Reports handles and names given by a launch that refer to nothing.
pub(crate) fn check_given(
    module: &Module,
    given: &Textures,
    handles: impl IntoIterator<Item = (usize, Handle)>,
    findings: &mut Diagnostics,
) {
    let mut report = |text: String| findings.push(Diagnostic::error_without_place(codes::ARGUMENTS, text));
    for (argument, handle) in handles {
        let count = match handle {
            Handle::Texture(_) => given.textures.len(),
            Handle::Sampler(_) => given.samplers.len(),
            Handle::Surface(_) => given.surfaces.len(),
        };
        let (name, number) = (opaque_name(handle.opaque()), handle.index());
        if number >= count {
            report(format!("argument {argument} is {name} {number}, and the launch has {count} of them"));
        }
    }
    for (name, _) in &given.references {
        let is_it = |item: &Item| match item {
            Item::Variable(id) => {
                let variable = module.variable(*id);
                module.name(variable.name) == name && opaque_of(variable).is_some()
            }
            _ => false,
        };
        if !module.items.iter().any(is_it) {
            report(format!("the module has no texture, sampler or surface `{name}`"));
        }
    }
}

/// Describes the error of a texture, if any.
pub(super) fn texture_mistake(image: Option<&Image>, texture: &Texture) -> Option<String> {
    let Some(image) = image else {
        return Some(format!("is of image {}, which there is not", texture.image));
    };
    let is_fraction = match image.format.meaning() {
        Meaning::UnsignedFraction => true,
        Meaning::Unsigned => texture.read == ReadMode::NormalizedFloat,
        Meaning::Signed | Meaning::Float | Meaning::SignedFraction => false,
    };
    let is_wide = matches!(image.format, ChannelFormat::Unsigned32 | ChannelFormat::Signed32);
    if texture.read == ReadMode::NormalizedFloat && is_wide {
        return Some("reads integers of 32 bits as fractions; only those of 8 and 16 bits can be".to_owned());
    }
    if texture.srgb && !(is_fraction && image.format.bytes() == 1) {
        return Some("is in sRGB, which only fractions of 8 bits are".to_owned());
    }
    None
}

/// Describes the error of a surface, if any.
pub(super) fn surface_mistake(image: Option<&Image>, surface: &Surface) -> Option<String> {
    let Some(image) = image else {
        return Some(format!("is of image {}, which there is not", surface.image));
    };
    if matches!(image.storage, Storage::Linear { .. }) {
        return Some("is of linear memory; surfaces are of arrays".to_owned());
    }
    if surface.level >= image.levels || image.samples > 1 {
        return Some("is of a level that the image does not have, or of one with several samples".to_owned());
    }
    None
}
