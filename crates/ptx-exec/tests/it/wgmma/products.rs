//! Products against those of the whole matrices, computed as integers in plain loops.

use super::model::{A, Case, Type};

const FLOATS: [[Type; 3]; 4] = [
    [Type::F32, Type::F16, Type::F16],
    [Type::F16, Type::F16, Type::F16],
    [Type::F32, Type::Bf16, Type::Bf16],
    [Type::F32, Type::Tf32, Type::Tf32],
];

/// All types of D, A and B.
pub fn all_types() -> Vec<[Type; 3]> {
    let mut all = FLOATS.to_vec();
    for a in [Type::E4m3, Type::E5m2] {
        for b in [Type::E4m3, Type::E5m2] {
            all.extend([[Type::F32, a, b], [Type::F16, a, b]]);
        }
    }
    for a in [Type::U8, Type::S8] {
        all.extend([Type::U8, Type::S8].map(|b| [Type::S32, a, b]));
    }
    all.push([Type::S32, Type::B1, Type::B1]);
    all
}

#[test]
fn every_type_with_a_in_shared_memory_or_in_registers() {
    for types in all_types() {
        for n in [8, 32, 80] {
            let case = Case::new(n, types);
            case.check();
            Case { place: A::Registers, ..case }.check();
        }
    }
}

/// Every width of `types`, with A in shared memory and in registers, dense and sparse.
fn widths(types: [Type; 3]) {
    for n in (8..=256).step_by(8) {
        // Of integers only the multiples of 16, and 8 and 24.
        if types[0] == Type::S32 && n % 16 != 0 && n > 24 {
            continue;
        }
        let case = Case::new(n, types);
        case.check();
        Case { place: A::Registers, ..case }.check();
        if types[1] != Type::B1 {
            let sparse = Case { k: 512 / types[1].bits(), selector: Some(0), ..case };
            sparse.check();
            Case { place: A::Registers, ..sparse }.check();
        }
    }
}

#[test]
fn every_width_of_halves() {
    widths(FLOATS[0]);
    widths(FLOATS[1]);
}

#[test]
fn every_width_of_bfloats_and_tf32() {
    widths(FLOATS[2]);
    widths(FLOATS[3]);
}

#[test]
fn every_width_of_bytes_and_bits() {
    widths([Type::F16, Type::E4m3, Type::E5m2]);
    widths([Type::S32, Type::U8, Type::S8]);
    widths([Type::S32, Type::B1, Type::B1]);
}

#[test]
fn every_swizzling_mode_and_order() {
    for types in
        [FLOATS[0], FLOATS[2], FLOATS[3], [Type::S32, Type::S8, Type::U8], [Type::S32, Type::B1, Type::B1]]
    {
        for swizzle in [16, 32, 64, 128] {
            for n in [8, 24, 72] {
                // Widths of integers are fewer.
                let n = if types[0] == Type::S32 && n == 72 { 64 } else { n };
                let place = A::Shared { swizzle, mn_major: false };
                let case = Case { place, swizzle, ..Case::new(n, types) };
                case.check();
                if types[1].bits() == 16 {
                    Case { mn_major: true, ..case }.check();
                    let place = A::Shared { swizzle, mn_major: true };
                    Case { place, ..case }.check();
                    Case { place, mn_major: true, ..case }.check();
                    Case { place: A::Registers, mn_major: true, ..case }.check();
                }
            }
        }
    }
}

#[test]
fn sparse_factors() {
    for [d, a, b] in all_types() {
        if a == Type::B1 {
            continue;
        }
        let selectors = if a.bits() == 8 { 1 } else { 2 };
        for selector in 0..selectors {
            for (n, swizzle) in [(8, 128), (32, 64), (48, 16)] {
                let place = A::Shared { swizzle, mn_major: false };
                let k = 512 / a.bits();
                let case = Case { k, swizzle, place, selector: Some(selector), ..Case::new(n, [d, a, b]) };
                case.check();
                Case { place: A::Registers, ..case }.check();
                if a.bits() == 16 {
                    Case { place: A::Shared { swizzle, mn_major: true }, mn_major: true, ..case }.check();
                }
            }
        }
    }
}

#[test]
fn scales_negate_factors_and_leave_out_sums() {
    let case = Case::new(16, FLOATS[0]);
    for scale_d in ["0", "%false", "!%false"] {
        for scales in [[1, 1], [-1, 1], [1, -1], [-1, -1]] {
            Case { scale_d, scales, ..case }.check();
            Case { scale_d, scales, ..Case::new(8, [Type::F16, Type::E4m3, Type::E5m2]) }.check();
        }
    }
    Case { scale_d: "0", ..Case::new(8, [Type::S32, Type::U8, Type::S8]) }.check();
}
