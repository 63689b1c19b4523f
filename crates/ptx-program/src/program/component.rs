//! Components of special registers.

use ptx_isa::Component;

/// The index of a component of a special register. A register without components is its own first one.
pub const fn axis(component: Option<Component>) -> usize {
    match component {
        None => 0,
        Some(component) => component.index(),
    }
}

/// The value of a component of a special register whose `.w` has the value `w`.
pub fn along<T>([x, y, z]: [T; 3], w: T, component: Option<Component>) -> T {
    match component {
        None | Some(Component::X) => x,
        Some(Component::Y) => y,
        Some(Component::Z) => z,
        Some(Component::W) => w,
    }
}
