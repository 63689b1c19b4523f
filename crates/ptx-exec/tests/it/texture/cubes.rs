//! Cubes: faces, layers, edges, gathers and gradients.

use ptx_exec::texture::{AddressMode, ChannelFormat, Extent, Filter, Image, Sampler, Texture};

use super::model::{Axis, sample};
use super::{Random, bits, fetch, sampled};

/// The guide's table of faces: the face, m, s and t of a direction.
fn on_face([x, y, z]: [f64; 3]) -> (usize, f64, f64) {
    let (face, m, s, t) = if x.abs() > y.abs() && x.abs() > z.abs() {
        if x >= 0.0 { (0, x, -z, -y) } else { (1, -x, z, -y) }
    } else if y.abs() > x.abs() && y.abs() > z.abs() {
        if y >= 0.0 { (2, y, x, z) } else { (3, -y, x, -z) }
    } else if z >= 0.0 {
        (4, z, x, -y)
    } else {
        (5, -z, -x, -y)
    };
    (face, (s / m + 1.0) / 2.0, (t / m + 1.0) / 2.0)
}

/// A cube of 4 by 4 texels; 10000 times the cube, 1000 times the face, 10 times the row and the column.
fn cube(cubes: usize) -> (Image, impl Fn(usize, usize, i64, i64) -> f64) {
    let value =
        |cube: usize, face: usize, x: i64, y: i64| (cube * 10000 + face * 1000) as f64 + (y * 10 + x) as f64;
    let mut bytes = Vec::new();
    for cube in 0..cubes {
        for face in 0..6 {
            for y in 0..4 {
                for x in 0..4 {
                    bytes.extend((value(cube, face, x, y) as f32).to_le_bytes());
                }
            }
        }
    }
    (Image::array(ChannelFormat::Float, 1, Extent::Cube { size: 4 }, bytes), value)
}

/// Directions of which one axis is the longest.
fn directions() -> Vec<[f32; 3]> {
    let mut random = Random(31);
    let all = (0..600).map(|_| std::array::from_fn(|_| random.between(-2.0, 2.0)));
    let is_clear = |direction: &[f32; 3]| {
        let [a, b, c] = direction.map(f32::abs);
        a != b && b != c && a != c
    };
    all.filter(is_clear).collect()
}

#[test]
fn directions_meet_faces() {
    let (image, value) = cube(1);
    for filter in [Filter::Point, Filter::Linear] {
        let sampler = Sampler { filter, ..Sampler::default() };
        let inputs: Vec<Vec<u32>> =
            directions().iter().map(|d| d.iter().map(|&x| bits(x)).collect()).collect();
        let instruction = "tex.cube.v4.f32.f32 {%r20,%r21,%r22,%r23}, [%d0, {%f0,%f1,%f2,%f3}];";
        let found = fetch(instruction, image.clone(), sampled(false, sampler), &inputs);
        for (direction, found) in directions().iter().zip(found) {
            let (face, s, t) = on_face(direction.map(f64::from));
            let got = f64::from(f32::from_bits(found[0]));
            let axis = Axis { n: 4, mode: AddressMode::Clamp, normalized: false, offset: 0 };
            let texel = |numbers: Option<Vec<i64>>| numbers.map_or(0.0, |n| value(0, face, n[0], n[1]));
            let wanted = sample(&[axis, axis], &[(s * 4.0) as f32, (t * 4.0) as f32], filter, &texel);
            // The model's coordinates are rounded, which moves a weight by 1/256 at most.
            let slack = if filter == Filter::Linear { 11.0 / 256.0 } else { 0.0 };
            assert!((got - f64::from(wanted)).abs() <= slack, "{direction:?}: {got} for {wanted}");
        }
    }
}

/// Directions through the middle of each face, and through one that is to the upper left of it as it is seen from inside.
#[test]
fn the_middles_of_the_faces() {
    let (image, value) = cube(1);
    let middles = [
        [1.0, 0.1, 0.1],
        [-1.0, 0.1, 0.1],
        [0.1, 1.0, 0.1],
        [0.1, -1.0, 0.1],
        [0.1, 0.1, 1.0],
        [0.1, 0.1, -1.0],
    ];
    // Columns and rows 1 and 2 are on both sides of the middle. By the guide's table: (s, t) = (-z, -y), (z, -y), (x, z), (x, -z),
    // (x, -y), (-x, -y).
    let wanted = [(1, 1), (2, 1), (2, 2), (2, 1), (2, 1), (1, 1)];
    let inputs: Vec<Vec<u32>> = middles.iter().map(|d| d.iter().map(|&x: &f32| bits(x)).collect()).collect();
    let instruction = "tex.cube.v4.f32.f32 {%r20,%r21,%r22,%r23}, [%d0, {%f0,%f1,%f2,%f3}];";
    let found = fetch(instruction, image, Texture::new(0), &inputs);
    for (face, found) in found.into_iter().enumerate() {
        let (x, y) = wanted[face];
        assert_eq!(f64::from(f32::from_bits(found[0])), value(0, face, x, y), "face {face}");
    }
}

#[test]
fn cubes_of_an_array_are_clamped() {
    let (mut image, value) = cube(3);
    image.layers = Some(3);
    let inputs: Vec<Vec<u32>> =
        [0, 1, 2, 3, u32::MAX].map(|cube| vec![cube, bits(0.3), bits(0.1), bits(-1.0)]).to_vec();
    let instruction = "tex.acube.v4.f32.f32 {%r20,%r21,%r22,%r23}, [%d0, {%r0,%f1,%f2,%f3}];";
    for (input, found) in inputs.iter().zip(fetch(instruction, image.clone(), Texture::new(0), &inputs)) {
        // s = -0.3, t = -0.1: (1.4, 1.8)
        let wanted = value(input[0].min(2) as usize, 5, 1, 1);
        assert_eq!(f64::from(f32::from_bits(found[0])), wanted);
    }
    let instruction = "tld4.r.acube.v4.f32.f32 {%r20,%r21,%r22,%r23}, [%d0, {%r0,%f1,%f2,%f3}];";
    for (input, found) in inputs.iter().zip(fetch(instruction, image, Texture::new(0), &inputs)) {
        let of = |x, y| bits(value(input[0].min(2) as usize, 5, x, y) as f32);
        assert_eq!(found[..4], [of(0, 2), of(1, 2), of(1, 1), of(0, 1)]);
    }
}

/// On edges and corners, where the guide names no face, z takes precedence over y and y over x.
#[test]
fn edges_and_corners_have_a_face() {
    let (image, _) = cube(1);
    let cases = [
        ([1.0, 1.0, 0.2], 2),
        ([1.0, 0.2, 1.0], 4),
        ([-1.0, -1.0, -1.0], 5),
        ([0.3, -2.0, 2.0], 4),
        ([1.0, -1.0, 0.0], 3),
    ];
    let inputs: Vec<Vec<u32>> =
        cases.iter().map(|(d, _)| d.iter().map(|&x: &f32| bits(x)).collect()).collect();
    let instruction = "tex.cube.v4.f32.f32 {%r20,%r21,%r22,%r23}, [%d0, {%f0,%f1,%f2,%f3}];";
    for ((direction, face), found) in cases.iter().zip(fetch(instruction, image, Texture::new(0), &inputs)) {
        assert_eq!((f32::from_bits(found[0]) / 1000.0) as usize, *face, "{direction:?}");
    }
}

/// Over an edge a seamless filter takes the texel of the next face; at a corner three texels share.
#[test]
fn seamless_filters_reach_the_next_face() {
    let (image, value) = cube(1);
    let sampler = Sampler { filter: Filter::Linear, seamless: true, ..Sampler::default() };
    let instruction = "tex.cube.v4.f32.f32 {%r20,%r21,%r22,%r23}, [%d0, {%f0,%f1,%f2,%f3}];";
    // On +z just left of the edge to +x (x = z): s = 0.99, t = -0.25 or -y = 0.25 - a row's middle: y = (2 j + 1) / 4 - 1.
    let edge = [0.99f32, 0.25, 1.0];
    let corner = [0.98f32, 0.99, 1.0];
    let inputs = [edge, corner].map(|d| d.iter().map(|&x| bits(x)).collect::<Vec<u32>>()).to_vec();
    let found = fetch(instruction, image, sampled(false, sampler), &inputs);
    let weight = |x: f64| (x * 256.0).round() / 256.0;
    // s: (0.99 + 1) / 2 * 4 - 0.5 = 3.48; t: (-0.25 + 1) / 2 * 4 - 0.5 = 1.0, row 1 alone. Next to column 3 of +z is column 0 of +x:
    // its s is -z, which is -1 there, and its t is -y as on +z, so the same row.
    let a = weight(f64::from((edge[0] + 1.0) * 2.0 - 0.5) - 3.0);
    let wanted = (1.0 - a) * value(0, 4, 3, 1) + a * value(0, 0, 0, 1);
    assert_eq!(f32::from_bits(found[0][0]), wanted as f32);
    // s: 3.46, t: (-0.99 + 1) * 2 - 0.5 = -0.48. The corner of +z at column 3 and row 0, of +x at column 0 and row 0, and of +y
    // (s = x, t = z) at column 3 and row 3; the fourth texel's weight is shared.
    let a = weight(f64::from(corner[0] + 1.0) * 2.0 - 0.5 - 3.0);
    let b = weight(f64::from(1.0 - corner[1]) * 2.0 + 0.5);
    let share = a * (1.0 - b) / 3.0;
    let wanted = ((1.0 - a) * b + share) * value(0, 4, 3, 0)
        + (a * b + share) * value(0, 0, 0, 0)
        + ((1.0 - a) * (1.0 - b) + share) * value(0, 2, 3, 3);
    assert!(
        (f64::from(f32::from_bits(found[1][0])) - wanted).abs() < 0.01,
        "{} for {wanted}",
        f32::from_bits(found[1][0])
    );
}

/// The derivative of a place on a face by the rule for quotients, in texels: here on +x, where s = -z / x and t = -y / x.
#[test]
fn gradients_of_directions() {
    let constant: Vec<u8> =
        [64usize, 16, 4, 1].iter().enumerate().flat_map(|(n, &size)| vec![n as u8; size * 6]).collect();
    let image =
        Image { levels: 4, ..Image::array(ChannelFormat::Unsigned8, 1, Extent::Cube { size: 8 }, constant) };
    let instruction = "tex.grad.cube.v4.u32.f32 {%r20,%r21,%r22,%r23}, [%d0, {%f0,%f1,%f2,%f3}], \
        {%f3,%f4,%f5,%f6}, {%f7,%f8,%f9,%f6};";
    let cases: [([f32; 10], u32); 4] = [
        // Nothing changes.
        ([2.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], 0),
        // z by 1: s by -1/2, of which a half is 1/4 of 8 texels: 2, level 1.
        ([2.0, 0.0, 0.5, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0], 1),
        // y by 2: 4 texels, level 2, in the second vector.
        ([2.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0], 2),
        // x by 16: s by z / x² * 16 = 2, of which a half is 1 of 8 texels: 8, level 3.
        ([2.0, 0.0, 0.5, 16.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], 3),
    ];
    let inputs: Vec<Vec<u32>> =
        cases.iter().map(|(words, _)| words.iter().map(|&x| bits(x)).collect()).collect();
    for ((words, wanted), found) in
        cases.iter().zip(fetch(instruction, image.clone(), Texture::new(0), &inputs))
    {
        assert_eq!(found[0], *wanted, "{words:?}");
    }
    let instruction = "tex.level.cube.v4.u32.f32 {%r20,%r21,%r22,%r23}, [%d0, {%f0,%f1,%f2,%f3}], %f3;";
    let found = fetch(instruction, image, Texture::new(0), &[vec![bits(1.0), 0, 0, bits(2.2)]]);
    assert_eq!(found[0][0], 2);
}
