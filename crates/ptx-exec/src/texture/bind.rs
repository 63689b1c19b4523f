//! Binding of a module's opaque variables in a launch (manual 5.3).

use std::sync::Arc;

use ptx_diag::{Diagnostic, Diagnostics};
use ptx_ir::{Item, Module, VarId};
use ptx_program::Opaque;
use ptx_program::texture::{
    BoundTexture, Declared, Handle, ReadMode, References, Sampler, Surface, Textures, opaque_name, opaque_of,
    variable_of_handle,
};
use rustc_hash::FxHashMap;

use super::{TextureError, TextureSet};
use crate::error::codes;

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
        for (id, declared) in references.in_order() {
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
        match Handle::from_value(value) {
            Some(Handle::Texture(index)) => {
                self.set.textures.get(index).map(|(_, bound)| Meant::Texture(*bound))
            }
            Some(Handle::Sampler(index)) => self.set.samplers.get(index).copied().map(Meant::Sampler),
            Some(Handle::Surface(index)) => self.set.surfaces.get(index).copied().map(Meant::Surface),
            None => self.variables.get(&variable_of_handle(value)?).copied(),
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

/// The kind of a module's `.texref`, `.samplerref` or `.surfref` variable; `None` if there is none of this name.
pub(crate) fn reference(module: &Module, name: &str) -> Option<Opaque> {
    module.items.iter().find_map(|item| match item {
        Item::Variable(id) if module.name(module.variable(*id).name) == name => {
            opaque_of(module.variable(*id))
        }
        _ => None,
    })
}

/// Checks that a module has a variable to which a handle can be bound.
///
/// # Errors
/// Why it has not.
pub(crate) fn check_reference(module: &Module, name: &str, handle: Handle) -> Result<(), TextureError> {
    let got = handle.opaque();
    match reference(module, name) {
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
