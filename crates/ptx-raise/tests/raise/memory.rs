//! Fields of structures that go to memory in one access.

use super::{has, ptx};

#[test]
fn neighbours_of_several_widths_are_stored_each_by_its_own() {
    let text = ptx("define void @f(ptr %p, i13 %a, i16 %b) {
  %s = insertvalue { i13, i16 } poison, i13 %a, 0
  %t = insertvalue { i13, i16 } %s, i16 %b, 1
  store { i13, i16 } %t, ptr %p, align 4
  ret void
}");
    has(&text, &["and.b16", "%rs1, 8191", "st.v2.b16", "{%rs3, %rs2}"]);
}
