//! Addresses, and what they cost.

use ptx_inspect::{AccessKind, AddressForm, Analysis, Conflicts, Padding, Sectors};

use crate::kernel;

/// The sectors of the only access of global memory at `[p] + offset`, where `%rd9` is the offset and `%r1` the thread.
fn sectors(offset: &str, access: &str, block: Option<[u32; 3]>) -> Option<Sectors> {
    let body = format!(
        "ld.param.u64 %rd1, [p]; ld.param.u32 %r2, [n]; mov.u32 %r1, %tid.x; {offset} add.s64 %rd2, %rd1, %rd9; {access} ret;"
    );
    let report = kernel(&body, &[Analysis::Coalescing], block);
    let accesses = report.functions[0].coalescing.as_ref().unwrap();
    assert_eq!(accesses.len(), 1, "{accesses:?}");
    accesses[0].sectors
}

fn known(least: u32, most: u32, ideal: u32, stride: Option<i64>) -> Option<Sectors> {
    Some(Sectors { least, most, ideal, stride })
}

#[test]
fn sectors_follow_from_the_stride() {
    let strided = |bytes: u32| format!("mul.wide.u32 %rd9, %r1, {bytes};");
    let load = "ld.global.u32 %r3, [%rd2];";
    assert_eq!(sectors(&strided(4), load, None), known(4, 4, 4, Some(4)));
    assert_eq!(sectors(&strided(8), load, None), known(8, 8, 4, Some(8)));
    assert_eq!(sectors(&strided(128), load, None), known(32, 32, 4, Some(128)));
    assert_eq!(sectors(&strided(4), "ld.global.u32 %r3, [%rd2+4];", None), known(5, 5, 4, Some(4)));
    assert_eq!(
        sectors(&strided(16), "ld.global.v4.u32 {%r3,%r4,%r5,%r6}, [%rd2];", None),
        known(16, 16, 16, Some(16))
    );
    assert_eq!(sectors("mov.u64 %rd9, 0;", load, None), known(1, 1, 1, Some(0)));
}

#[test]
fn what_is_the_same_for_a_warp_may_move_it_within_a_sector() {
    let load = "ld.global.u32 %r3, [%rd2];";
    let row = "mul.lo.s32 %r4, %r2, 4; add.s32 %r5, %r4, %r1; mul.wide.s32 %rd9, %r5, 4;";
    assert_eq!(sectors(row, load, None), known(4, 5, 4, Some(4)));
    let aligned = "mul.lo.s32 %r4, %r2, 8; add.s32 %r5, %r4, %r1; mul.wide.s32 %rd9, %r5, 4;";
    assert_eq!(sectors(aligned, load, None), known(4, 4, 4, Some(4)));
}

#[test]
fn indices_may_be_taken_apart() {
    let load = "ld.global.u32 %r3, [%rd2];";
    let swapped = "xor.b32 %r4, %r1, 1; mul.wide.u32 %rd9, %r4, 4;";
    assert_eq!(sectors(swapped, load, None), known(4, 4, 4, None));
    let halves = "and.b32 %r4, %r1, 15; mul.wide.u32 %rd9, %r4, 4;";
    assert_eq!(sectors(halves, load, None), known(2, 2, 2, None));
    // Rows of 16 threads of a block, in rows of 64 bytes far apart.
    let rows = "mov.u32 %r4, %tid.y; mad.lo.s32 %r5, %r4, 1000, %r1; mul.wide.s32 %rd9, %r5, 4;";
    assert_eq!(sectors(rows, load, Some([16, 2, 1])), known(4, 4, 4, None));
}

#[test]
fn a_disjunction_without_common_bits_is_a_sum() {
    let load = "ld.global.u32 %r3, [%rd2];";
    // A number of the block times 64, the upper three bits of a lane, and a constant between them.
    let apart = "mov.u32 %r4, %ctaid.x; shl.b32 %r5, %r4, 6; shr.u32 %r6, %r1, 2; and.b32 %r7, %r6, 7; or.b32 %r8, %r7, %r5; \
         or.b32 %r9, %r8, 8; mul.lo.s32 %r10, %r9, 8; mul.wide.s32 %rd9, %r10, 4;";
    assert_eq!(sectors(apart, load, None), known(8, 8, 1, None));
    // The bits of a lane are in both.
    let common = apart.replace("and.b32 %r7, %r6, 7", "and.b32 %r7, %r6, 127");
    assert_eq!(sectors(&common, load, None), None);
}

#[test]
fn what_is_not_known_has_no_sectors() {
    let load = "ld.global.u32 %r3, [%rd2];";
    let report = kernel(
        "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r2, [%rd3]; \
         mul.wide.s32 %rd4, %r2, 4; add.s64 %rd5, %rd1, %rd4; st.global.u32 [%rd5], 1; ret;",
        &[Analysis::Coalescing, Analysis::Memory],
        None,
    );
    let accesses = report.functions[0].coalescing.as_ref().unwrap();
    assert_eq!(accesses.iter().map(|access| access.sectors.is_some()).collect::<Vec<_>>(), [true, false]);
    let forms: Vec<AddressForm> =
        report.functions[0].memory.as_ref().unwrap().iter().map(|access| access.form).collect();
    assert_eq!(forms, [AddressForm::Affine, AddressForm::Unknown]);
    // A factor that is not known, and a negative number with zeros above it.
    assert_eq!(sectors("mul.lo.s32 %r4, %r1, %r2; mul.wide.s32 %rd9, %r4, 4;", load, None), None);
    assert_eq!(sectors("sub.s32 %r4, 5, %r1; mul.wide.u32 %rd9, %r4, 4;", load, None), None);
    assert_eq!(sectors("xor.b32 %r4, %r1, -1; mul.wide.u32 %rd9, %r4, 4;", load, None), None);
    assert_eq!(
        sectors("xor.b32 %r4, %r1, -1; mul.wide.s32 %rd9, %r4, 4;", load, None),
        known(4, 4, 4, Some(-4))
    );
    assert_eq!(sectors("mov.u32 %r4, %clock; mul.wide.u32 %rd9, %r4, 4;", load, None), None);
}

#[test]
fn accesses_are_told_with_all_that_they_are() {
    let report = kernel(
        "ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd2, %rd1; ld.global.nc.L1::no_allocate.v2.f32 {%f1, %f2}, [%rd2+8]; ld.u32 %r1, [%rd1]; \
         red.shared.add.u32 [s+4], 1; cp.async.ca.shared.global [s], [%rd2], 8; ld.u32 %r2, [%rd9]; ret;",
        &[Analysis::Memory],
        None,
    );
    let accesses = report.functions[0].memory.as_ref().unwrap();
    let found: Vec<_> = accesses
        .iter()
        .map(|access| {
            (
                access.kind,
                access.space,
                access.bytes,
                access.elements,
                access.cache.as_str(),
                access.address.as_deref(),
            )
        })
        .collect();
    use AccessKind::{Atomic, Read, Write};
    assert_eq!(
        found,
        [
            (Read, "global", Some(8), 2, ".nc.L1::no_allocate", Some("[p] + 8")),
            (Read, "global", Some(4), 1, "", Some("[p]")),
            (Atomic, "shared", Some(4), 1, "", Some("s + 4")),
            (Write, "shared", Some(8), 1, ".ca", Some("s")),
            (Read, "global", Some(8), 1, ".ca", Some("[p]")),
            (Read, "generic", Some(4), 1, "", Some("%rd9")),
        ]
    );
}

#[test]
fn layouts_are_for_all_accesses_that_are_known() {
    let report = kernel(
        "mov.u32 %r1, %tid.x; mov.u32 %r2, s; mov.u32 %r4, %tid.y;
mad.lo.s32 %r3, %r1, 64, %r2;
st.shared.v4.u32 [%r3], {%r1, %r1, %r1, %r1};
mad.lo.s32 %r5, %r1, 16, %r2;
ld.shared.v4.u32 {%r6, %r7, %r8, %r9}, [%r5];
add.s32 %r10, %r2, %r6;
ld.shared.u32 %r11, [%r10];
ret;",
        &[Analysis::BankConflicts],
        None,
    );
    let found = report.functions[0].bank_conflicts.as_ref().unwrap();
    let conflicts: Vec<Option<Conflicts>> = found.accesses.iter().map(|access| access.conflicts).collect();
    // Of eight rows of 64 bytes four begin at the same bank each, in four turns.
    let of = |most, ways| Some(Conflicts { least: most, most, ways });
    assert_eq!(conflicts, [of(12, 4), of(0, 1), None]);
    let [array] = found.arrays.as_slice() else { panic!("{found:?}") };
    assert_eq!((array.array.as_str(), array.unknown), ("s", 1));
    // Of eight rows two are in each 128 bytes, and 16 bytes between these lead to other banks.
    assert_eq!(array.padding, Some(Padding { row: 128, bytes: 16 }));
    let costs: Vec<_> =
        array.accesses.iter().map(|access| (access.before, access.padded, access.swizzled)).collect();
    assert_eq!(costs[0].0, 12);
    assert_eq!(costs[0].1, Some(0));
}
