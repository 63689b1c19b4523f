//! Cubes: directions and faces (CUDA C++ Programming Guide, "Cubemap Textures"; manual 9.7.10.3).

/// A direction projected onto a face.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct OnFace {
    /// 0 to 5: +x, -x, +y, -y, +z, -z.
    pub(super) face: u32,
    /// The position on the face, from 0 to 1.
    pub(super) at: [f64; 2],
}

/// The coordinate along the face's major axis, and the two others in the orientation of the face.
fn unfold([x, y, z]: [f64; 3], face: u32) -> (f64, [f64; 2]) {
    match face {
        0 => (x, [-z, -y]),
        1 => (-x, [z, -y]),
        2 => (y, [x, z]),
        3 => (-y, [x, -z]),
        4 => (z, [x, -y]),
        _ => (-z, [-x, -y]),
    }
}

/// The direction of a position on a face, whose coordinates range from -1 to 1.
fn fold(face: u32, [s, t]: [f64; 2]) -> [f64; 3] {
    match face {
        0 => [1.0, -t, -s],
        1 => [-1.0, -t, s],
        2 => [s, 1.0, t],
        3 => [s, -1.0, -t],
        4 => [s, -t, 1.0],
        _ => [-s, -t, -1.0],
    }
}

/// The face that a direction intersects. On an edge the later axis takes precedence, as in Direct3D; the guide leaves it unspecified.
fn face_of([x, y, z]: [f64; 3]) -> u32 {
    let (a, b, c) = (x.abs(), y.abs(), z.abs());
    let (positive, coordinate) = if c >= a && c >= b {
        (4, z)
    } else if b >= a {
        (2, y)
    } else {
        (0, x)
    };
    positive + u32::from(coordinate < 0.0)
}

/// Projects a direction onto the cube.
pub(super) fn project(direction: [f64; 3]) -> OnFace {
    let face = face_of(direction);
    let (major, minor) = unfold(direction, face);
    OnFace { face, at: minor.map(|minor| (minor / major + 1.0) / 2.0) }
}

/// The derivative of the projected position along a change of the direction.
pub(super) fn project_gradient(direction: [f64; 3], change: [f64; 3]) -> [f64; 2] {
    let face = face_of(direction);
    let (major, minor) = unfold(direction, face);
    let (major_change, minor_change) = unfold(change, face);
    let quotient =
        |axis: usize| (minor_change[axis] * major - minor[axis] * major_change) / (major * major) / 2.0;
    [quotient(0), quotient(1)]
}

/// The texel past an edge of a face, on the adjacent face: the point on the extended plane of the face is projected onto the cube.
pub(super) fn beyond_edge(face: u32, size: u32, texel: [i64; 2]) -> (u32, [u32; 2]) {
    let size_of = f64::from(size);
    let middle = texel.map(|at| (2.0 * at as f64 + 1.0) / size_of - 1.0);
    let there = project(fold(face, middle));
    (there.face, there.at.map(|at| ((at * size_of).floor().max(0.0) as u32).min(size - 1)))
}
