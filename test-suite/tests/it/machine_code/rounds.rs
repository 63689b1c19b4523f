//! Loops of a known number of rounds.

use test_suite::directive::Level;

use super::{count, instructions, oracles, round_trip};

/// Two rounds, which ptxas unrolls.
const TWO_ROUNDS: &str = ".version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 n)
{
  .reg .b32 %r<9>; .reg .b64 %rd<3>; .reg .pred %p<3>;
  .shared .align 4 .b8 table[1024];
  ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x; shl.b32 %r3, %r2, 2; mov.u32 %r4, table; add.u32 %r3, %r3, %r4;
  mov.u32 %r5, 0;
$L_1:
  st.shared.u32 [%r3], %r1;
  bar.sync 0;
  ld.shared.u32 %r6, [table];
  mad.lo.u32 %r1, %r6, %r1, %r2;
  bar.sync 0;
  add.s32 %r5, %r5, 4;
  setp.lt.u32 %p1, %r5, 8;
  @%p1 bra $L_1;
  st.global.u32 [%rd1], %r1;
  ret;
}
";

#[test]
fn loops_of_two_rounds_keep_a_counter() {
    let Some(oracles) = oracles() else { return };
    let copies = |ptx: &str| count(&instructions(&oracles, ptx), &["BAR"]);
    assert_eq!(copies(TWO_ROUNDS), 4, "two copies of both barriers");
    for level in [Level::O0, Level::O1, Level::O2, Level::O3] {
        let ptx = round_trip(TWO_ROUNDS, level);
        assert_eq!(copies(&ptx), 4, "{}: {ptx}", level.as_str());
    }
}
