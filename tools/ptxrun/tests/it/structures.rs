//! Launch files with structures, and samplers. The expected results are computed here from the documentation of the kernels.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use half::f16;
use serde_json::{Value, json};

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn ptxrun(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::cargo_bin("ptxrun").expect("built with the tests");
    let output = command.current_dir(folder).args(arguments).output().expect("runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code().expect("not killed"), text(output.stdout), text(output.stderr))
}

/// A matrix of integers between -3 and 3, by rows.
fn matrix(rows: usize, columns: usize, seed: usize) -> Vec<i32> {
    (0..rows * columns).map(|at| ((at * 5 + at / columns * 3 + at / 13 + seed) % 7) as i32 - 3).collect()
}

/// A kernel of CUTLASS's `GemmUniversal`, with the bytes of its parameters as the host's program prints them: D = A * B + 2 * C, of sums that are exact.
#[test]
fn a_structure_of_cutlass_is_given_as_bytes_with_tensor_maps() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let kernels = workspace().join("crates/ptx-exec/tests/it/cutlass");
    let launches: Value =
        serde_json::from_slice(&fs::read(kernels.join("universal90.json")).expect("readable")).expect("JSON");
    let launch = launches.as_array().expect("a list").iter().find(|launch| launch["entry"] == "pingpong");
    let launch = launch.expect("the kernel is there");
    let [m, n, k] = [192, 192, 160];
    let (a, b, c) = (matrix(m, k, 1), matrix(n, k, 2), matrix(m, n, 3));
    let halves = |matrix: &[i32]| -> Vec<u8> {
        matrix.iter().flat_map(|&x| f16::from_f32(x as f32).to_le_bytes()).collect()
    };
    let floats =
        |matrix: &[i32]| -> Vec<u8> { matrix.iter().flat_map(|&x| (x as f32).to_le_bytes()).collect() };
    for (name, bytes) in [("a", halves(&a)), ("b", halves(&b)), ("c", floats(&c))] {
        fs::write(folder.path().join(name), bytes).expect("writable");
    }
    let fields = launch["places"].as_array().expect("a list").iter().map(|place| {
        let (at, value) = place.as_str().expect("a text").split_once(':').expect("a place");
        json!({"at": at.parse::<u64>().expect("a number"), "value": value})
    });
    let structure = json!({"hex": launch["params"], "fields": fields.collect::<Vec<_>>()});
    let file = json!({
        "entry": "pingpong", "grid": launch["grid"], "block": launch["block"], "cluster": launch["cluster"],
        "shared": launch["shared"], "timeout": 120,
        "args": ["in=a", "in=b", "in=c", format!("out={}:d", m * n * 4), "zero=64", structure],
    });
    fs::write(folder.path().join("k.json"), file.to_string()).expect("writable");
    let kernel = kernels.join("universal90.ptx");
    let (status, _, errors) =
        ptxrun(folder.path(), &[kernel.to_str().expect("UTF-8"), "--launch", "k.json", "--async", "late"]);
    assert_eq!(status, 0, "{errors}");
    let element = |at: usize| -> i32 {
        let (row, column) = (at / n, at % n);
        (0..k).map(|i| a[row * k + i] * b[column * k + i]).sum::<i32>() + 2 * c[at]
    };
    let expected: Vec<i32> = (0..m * n).map(element).collect();
    assert!(fs::read(folder.path().join("d")).expect("written") == floats(&expected));
}

/// Stores the last field of a structure, and a texel that it has the handle of.
const HANDLES: &str = ".version 8.0
.target sm_80, texmode_independent
.address_size 64
.global .samplerref edge;
.visible .entry k(.param .align 8 .b8 s[40], .param .u64 sampler)
{
    .reg .b64 %t, %s, %to; .reg .b32 %i; .reg .f32 %x, %a, %b, %c, %d;
    ld.param.u64 %t, [s]; ld.param.u64 %to, [s+16]; ld.param.u64 %s, [sampler];
    mov.u32 %i, %tid.x;
    cvt.rn.f32.u32 %x, %i;
    mad.wide.u32 %to, %i, 8, %to;
    tex.1d.v4.f32.f32 {%a, %b, %c, %d}, [%t, %s, {%x}];
    st.global.f32 [%to], %a;
    tex.1d.v4.f32.f32 {%a, %b, %c, %d}, [%t, edge, {%x}];
    st.global.f32 [%to+4], %a;
    ret;
}
";

#[test]
fn samplers_and_textures_in_structures_have_handles() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("k.ptx"), HANDLES).expect("writable");
    fs::write(folder.path().join("x"), [10f32, 20.0].map(f32::to_le_bytes).concat()).expect("writable");
    let launch = |texture: &str| {
        json!({
            "entry": "k", "grid": [1], "block": [4],
            "args": [
                {"bytes": 40, "fields": [{"at": 0, "value": texture}, {"at": 16, "value": "address=to"}]},
                "sampler=filter=linear,address=border,border=100",
            ],
            "references": ["edge=sampler=address=border,border=7:8"],
            "buffers": {"to": "zero=32", "line": {"buffer": ["u32=0", "f32=10", "f32=20"]}},
            "print": ["to:f32", "line:u32:1"],
        })
    };
    // x = 0 is halfway between the border and 10, 1 between 10 and 20, 2 between 20 and the border; the nearest texels are 10, 20 and the border.
    let wanted = "to:f32 = 55.0 10.0 15.0 20.0 60.0 7.0 100.0 7.0\nline:u32 = 0\n";
    fs::write(folder.path().join("own.json"), launch("texture=in=x,type=f32,dims=2").to_string())
        .expect("writable");
    let (status, printed, errors) = ptxrun(folder.path(), &["k.ptx", "--launch", "own.json"]);
    assert_eq!((status, printed.as_str()), (0, wanted), "{errors}");
    // One of linear memory is fetched by whole coordinates alone, so it has two axes.
    let pitched = launch("texture=line,type=f32,dims=2x1,pitch=8,offset=4").to_string();
    fs::write(folder.path().join("pitched.json"), pitched).expect("writable");
    let text = HANDLES.replace("tex.1d", "tex.2d").replace("{%x}", "{%x, 0f3F000000}");
    fs::write(folder.path().join("k.ptx"), text).expect("writable");
    let (status, printed, errors) = ptxrun(folder.path(), &["k.ptx", "--launch", "pitched.json"]);
    assert_eq!((status, printed.as_str()), (0, wanted), "{errors}");
}

#[test]
fn borders_of_textures_have_colours() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = HANDLES.replace(", texmode_independent", "").replace("%s, {", "{").replace(", edge, {", ", {");
    fs::write(folder.path().join("k.ptx"), text.replace(".global .samplerref edge;", "")).expect("writable");
    let launch = json!({
        "entry": "k", "grid": [1], "block": [3],
        "args": [
            ["texture=zero=8,type=f32,dims=2,address=border,border=2.5:1", "u64=0", "address=to", "u64=0", "u64=0"],
            "u64=0",
        ],
        "buffers": {"to": "zero=24"}, "print": ["to:f32"],
    });
    fs::write(folder.path().join("k.json"), launch.to_string()).expect("writable");
    let (status, printed, errors) = ptxrun(folder.path(), &["k.ptx", "--launch", "k.json"]);
    assert_eq!((status, printed.as_str()), (0, "to:f32 = 0.0 0.0 0.0 0.0 2.5 2.5\n"), "{errors}");
}

#[test]
fn what_refers_to_nothing_is_wrong_usage() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("k.ptx"), HANDLES).expect("writable");
    let wrong = |args: Value, print: &str, status: i32, wanted: &str| {
        let launch = json!({"entry": "k", "grid": [1], "block": [1], "args": args, "buffers": {"a": "zero=8"}, "print": [print]});
        fs::write(folder.path().join("k.json"), launch.to_string()).expect("writable");
        let (found, _, errors) = ptxrun(folder.path(), &["k.ptx", "--launch", "k.json"]);
        assert!(found == status && errors.contains(wanted), "{found}: {errors}");
    };
    wrong(json!(["address=b"]), "a:u8", 2, "there is no buffer `b`");
    wrong(json!([["address=0"]]), "a:u8", 2, "argument 0 is not a buffer");
    wrong(json!([{"buffer": ["tensormap=b,type=u8,dims=16,box=16"]}]), "a:u8", 2, "there is no buffer `b`");
    wrong(json!([]), "b:u8", 2, "there is no buffer `b`");
    wrong(json!([]), "a:u8:9", 2, "--print a:u8:9: buffer `a` has 8 bytes, which are 8 of u8");
    wrong(json!([["texture=0"]]), "a:u8", 2, "which is not a texture or surface before this one");
    wrong(json!([["texture=b,type=u8,dims=4"]]), "a:u8", 2, "there is no buffer `b`");
    // The structure has fewer bytes than the parameter.
    wrong(json!([["address=a"], "u64=0"]), "a:u8", 1, "argument 0 for parameter `s` of 40 bytes has 8 bytes");
}
