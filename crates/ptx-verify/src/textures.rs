//! What the geometry of a texture leaves no room for (manual 9.7.10.3, 9.7.10.4).

use ptx_diag::Diagnostic;
use ptx_isa::{Field, Mod};

use crate::codes;
use crate::context::{Checker, Site};
use crate::modifiers::misplaced;

/// Cubes are reached by directions, which no offset in texels can be added to, and multi-sample textures have no mipmaps.
pub(crate) fn check(cx: &mut Checker<'_>, site: Site<'_>) {
    let geometry = site.mnemonic().get(Field::Geometry);
    if let (Some(samples @ (Mod::D2ms | Mod::A2dms)), Some(Mod::Level)) =
        (geometry, site.has_any(&[Mod::Level]))
    {
        misplaced(cx, site, samples, "has no levels");
    }
    let offsets = site.form().operands.iter().position(|operand| operand.name == "e");
    if let (Some(cube @ (Mod::Cube | Mod::Acube)), Some(at)) = (geometry, offsets)
        && !site.operand(at).is_omitted()
    {
        let text = format!("`{}` takes no offsets with `.{}`", site.mnemonic(), cube.as_str());
        cx.report(Diagnostic::error(codes::OPERAND_KIND, site.span(at), text));
    }
}
