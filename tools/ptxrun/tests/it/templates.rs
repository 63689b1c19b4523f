//! What kernels require: `--list` as JSON, `--template`, and arguments of other types.

use std::fs;

use assert_cmd::Command;
use serde_json::{Value, json};

/// Scales `n` numbers; `x` is used as an address by a sum, `y` by a conversion, and `stride` is a 64-bit number.
const KERNELS: &str = ".version 8.0
.target sm_90
.address_size 64
.extern .shared .align 16 .b8 more[];
.visible .entry _Z5scalePfS_lf(.param .u64 x, .param .u64 y, .param .u64 stride, .param .f32 factor, .param .align 4 .b8 pair[12])
.reqntid 64
{
    .reg .b64 %rd<8>;
    .reg .f32 %f<4>;
    .reg .b32 %r<4>;
    .shared .align 8 .b8 s[24];
    ld.param.u64 %rd1, [x];
    ld.param.u64 %rd2, [y];
    ld.param.u64 %rd3, [stride];
    ld.param.f32 %f1, [factor];
    cvta.to.global.u64 %rd4, %rd2;
    mov.u32 %r1, %tid.x;
    cvt.u64.u32 %rd5, %r1;
    mul.lo.s64 %rd6, %rd3, %rd5;
    add.s64 %rd7, %rd6, %rd1;
    ld.global.f32 %f2, [%rd7];
    mul.f32 %f3, %f2, %f1;
    st.global.f32 [%rd4], %f3;
    st.shared.f32 [s], %f3;
    st.shared.f32 [more], %f3;
    ret;
}
.visible .entry other(.param .u16 .ptr handle) .maxntid 8, 8 { ret; }
";

fn ptxrun(arguments: &[&str], program: &str, files: &[(&str, &str)]) -> (i32, String, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in files.iter().chain(&[("k.ptx", program)]) {
        fs::write(folder.path().join(name), text).expect("writable");
    }
    let mut command = Command::cargo_bin("ptxrun").expect("built with the tests");
    let output = command.current_dir(folder.path()).arg("k.ptx").args(arguments).output().expect("runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code().expect("not killed"), text(output.stdout), text(output.stderr))
}

#[test]
fn lists_are_objects_with_all_that_a_launch_needs() {
    let program = KERNELS.replace(".u16 .ptr handle", ".u16 handle");
    let (status, out, err) = ptxrun(&["--list", "--error-format=json"], &program, &[]);
    assert_eq!((status, err.as_str()), (0, ""));
    let kernels: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let parameter = |name: &str,
                     ty: &str,
                     dims: Value,
                     bytes: u32,
                     align: u32,
                     offset: u32,
                     pointer: bool| {
        json!({"name": name, "type": ty, "dims": dims, "bytes": bytes, "align": align, "offset": offset, "pointer": pointer})
    };
    let first = json!({
        "kind": "kernel", "file": "k.ptx", "name": "_Z5scalePfS_lf", "demangled": "scale(float*, float*, long, float)",
        "parameters": [
            parameter("x", "u64", json!([]), 8, 8, 0, true),
            parameter("y", "u64", json!([]), 8, 8, 8, true),
            parameter("stride", "u64", json!([]), 8, 8, 16, false),
            parameter("factor", "f32", json!([]), 4, 4, 24, false),
            parameter("pair", "b8", json!([12]), 12, 4, 28, false),
        ],
        // 24 bytes, and the padding up to the dynamic ones.
        "reqntid": [64, 1, 1], "maxntid": null, "reqnctapercluster": null, "shared_bytes": 32, "dynamic_shared": true,
    });
    assert_eq!(kernels[0], first);
    assert_eq!((&kernels[1]["maxntid"], &kernels[1]["shared_bytes"]), (&json!([8, 8, 1]), &json!(0)));
}

#[test]
fn a_template_is_a_launch_that_runs() {
    let program = KERNELS.replace(".u16 .ptr handle", ".u16 handle");
    let (status, out, err) = ptxrun(&["--template", "--entry", "scale"], &program, &[]);
    assert_eq!((status, err.as_str()), (0, ""));
    let template: Value = serde_json::from_str(&out).expect("JSON");
    let argument = |name: &str, value: Value| json!({"name": name, "value": value});
    let args = json!([
        argument("x", json!("zero=16384")),
        argument("y", json!("zero=16384")),
        argument("stride", json!("u64=0")),
        argument("factor", json!("f32=0")),
        argument("pair", json!({"bytes": 12})),
    ]);
    let wanted =
        json!({"entry": "_Z5scalePfS_lf", "grid": [1], "block": [64], "shared": 16384, "args": args});
    assert_eq!(template, wanted);
    let (status, out, err) =
        ptxrun(&["--launch", "k.json", "--print", "1:f32:1"], &program, &[("k.json", &out)]);
    assert_eq!((status, out.as_str(), err.as_str()), (0, "1:f32 = 0.0\n", ""));
    let (_, out, _) = ptxrun(&["--template", "--entry", "other"], &program, &[]);
    assert!(out.contains("\"block\": [8, 8],") && out.contains("\"u16=0\""), "{out}");
    // Several kernels, of which none is named.
    let (status, _, err) = ptxrun(&["--template"], &program, &[]);
    assert!(status == 2 && err.contains("--entry is missing"), "{err}");
    let (status, _, err) = ptxrun(&["--template", "--grid", "1"], &program, &[]);
    assert!(status == 2 && err.contains("--grid"), "{err}");
}

#[test]
fn numbers_have_the_kind_of_their_parameters() {
    let with = |ty: &str, argument: &str| {
        let program = format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .{ty} a) {{ ret; }}\n"
        );
        ptxrun(&["--grid", "1", "--block", "1", "--arg", argument], &program, &[])
    };
    for (ty, argument) in [
        ("u32", "i32=-1"),
        ("s32", "u32=1"),
        ("b32", "f32=1"),
        ("b32", "u32=1"),
        ("f32", "f32=1"),
        ("f32", "hex=00000000"),
        ("b16", "bf16=1"),
        ("f64", "f64=1"),
        ("s64", "zero=8"),
    ] {
        let (status, _, err) = with(ty, argument);
        assert_eq!((status, err.as_str()), (0, ""), "{ty} {argument}");
    }
    for (ty, argument, message) in [
        ("s32", "f32=1", "argument 0 is a number of type f32; parameter `a` has type .s32"),
        ("f32", "i32=1", "argument 0 is a number of type i32; parameter `a` has type .f32"),
        ("u64", "u32=1", "argument 0 is a number of type u32; parameter `a` has type .u64"),
        ("f64", "zero=8", "argument 0 is a buffer, whose address is an integer; parameter `a` has type .f64"),
    ] {
        let (status, _, err) = with(ty, argument);
        assert!(status == 1 && err.contains(message) && err.contains("hex="), "{ty} {argument}: {err}");
    }
}
