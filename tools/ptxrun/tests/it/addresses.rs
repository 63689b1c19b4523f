//! Modules with 32-bit addresses, as PTX and as LLVM IR: the same options as for others, and pointers of four bytes.

use std::fs;
use std::path::Path;

use assert_cmd::Command;

/// Element n of the second buffer becomes 3 * n in the first one; the host passes four bytes for each address.
const PTX: &str = ".version 8.0
.target sm_80
.address_size 32
.visible .entry triple(.param .u32 out, .param .u32 in)
{
    .reg .b32 %r<7>;
    ld.param.u32 %r1, [out]; ld.param.u32 %r2, [in];
    mov.u32 %r3, %tid.x; mad.lo.u32 %r4, %r3, 4, %r2; ld.global.u32 %r5, [%r4];
    mul.lo.u32 %r5, %r5, 3; mad.lo.u32 %r6, %r3, 4, %r1; st.u32 [%r6], %r5;
    ret;
}
";

const LLVM: &str = "target triple = \"nvptx-nvidia-cuda\"
define ptx_kernel void @triple(ptr %out, ptr addrspace(1) %in) {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %from = getelementptr i32, ptr addrspace(1) %in, i32 %i
  %v = load i32, ptr addrspace(1) %from
  %w = mul i32 %v, 3
  %to = getelementptr i32, ptr %out, i32 %i
  store i32 %w, ptr %to
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
";

fn ptxrun(folder: &Path, arguments: &str) -> (Option<i32>, String, String) {
    let mut command = Command::cargo_bin("ptxrun").unwrap();
    command.env("XDG_CACHE_HOME", folder);
    let output = command.current_dir(folder).args(arguments.split(' ')).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn modules_with_32_bit_addresses_are_executed() {
    let folder = tempfile::tempdir().unwrap();
    let input: Vec<u8> = [5u32, 70, 900].iter().flat_map(|word| word.to_le_bytes()).collect();
    fs::write(folder.path().join("x.bin"), input).unwrap();
    let common = "--entry triple --grid 1 --block 3 --arg zero=12 --arg in=x.bin --print 0:u32";
    for (name, text) in [("k.ptx", PTX), ("k.ll", LLVM)] {
        fs::write(folder.path().join(name), text).unwrap();
        let expected = "0:u32 = 15 210 2700\n".to_owned();
        assert_eq!(
            ptxrun(folder.path(), &format!("{name} {common}")),
            (Some(0), expected.clone(), String::new())
        );
        // No code is made for the host: its memory has other addresses.
        let (status, printed, error) = ptxrun(folder.path(), &format!("{name} {common} --engine=jit"));
        let wanted = "error[T0012]: the kernel is not compiled: modules with 32-bit addresses";
        assert!((status, printed.as_str()) == (Some(1), "") && error.contains(wanted), "{error}");
        let (status, printed, remark) = ptxrun(folder.path(), &format!("{name} {common} --remarks"));
        assert_eq!((status, printed), (Some(0), expected), "{remark}");
        let wanted = "note[T0012]: the interpreter executes the kernel: modules with 32-bit addresses";
        assert!(remark.contains(wanted), "{remark}");
    }
    // The last thread is beyond the buffer: 4 bytes at offset 12.
    let beyond = common.replace("--block 3", "--block 4");
    let (status, _, error) = ptxrun(folder.path(), &format!("k.ptx {beyond}"));
    assert!(status != Some(0) && error.contains("offset 12 of argument 1"), "{error}");
}
