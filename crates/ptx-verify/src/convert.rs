//! Rounding, saturation and flushing of conversions (manual 9.7.9.21, 9.7.9.22).

use ptx_isa::{Field, Mod, ScalarType};

use crate::context::{Checker, Site, dotted};
use crate::modifiers::{misplaced, missing};

/// Checks `cvt` between single values.
pub(crate) fn check(cx: &mut Checker<'_>, site: Site<'_>) {
    let mnemonic = site.mnemonic();
    let (Some(to), Some(from)) = (mnemonic.type_of(Field::DType), mnemonic.type_of(Field::AType)) else {
        return;
    };
    if to.is_float() && from.is_float() {
        check_floats(cx, site, to, from);
    }
}

fn check_floats(cx: &mut Checker<'_>, site: Site<'_>, to: ScalarType, from: ScalarType) {
    let rounding = site.mnemonic().get(Field::Rnd);
    let narrows = to.bits() < from.bits();
    match rounding {
        None if narrows => {
            let text =
                format!("a conversion from {} to {} rounds and must say how", dotted(from), dotted(to));
            missing(cx, site, text, "add `.rn`, `.rz`, `.rm` or `.rp`");
        }
        Some(rounding) if to.bits() > from.bits() => {
            misplaced(cx, site, rounding, "has nothing to round");
        }
        Some(rounding @ (Mod::Rn | Mod::Rz | Mod::Rm | Mod::Rp)) if to == from => {
            misplaced(
                cx,
                site,
                rounding,
                "has nothing to round; `.rni` and its like round to an integral value",
            );
        }
        Some(rounding @ (Mod::Rni | Mod::Rzi | Mod::Rmi | Mod::Rpi)) if to != from => {
            misplaced(cx, site, rounding, "rounds to an integral value of the same type");
        }
        _ => {}
    }
}

/// Checks `cvt` of two values into one register.
pub(crate) fn check_pack(_cx: &mut Checker<'_>, _site: Site<'_>) {}
