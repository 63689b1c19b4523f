//! Buffers with a type: contents that are generated, .npy files, and comparison with what is expected.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;

/// Adds 1 to each of the elements.
const INCREMENT: &str = ".version 8.0
.target sm_80
.address_size 64
.visible .entry increment(.param .u64 p)
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<4>;
    .reg .f32 %f<3>;
    ld.param.u64 %rd1, [p];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    ld.global.f32 %f1, [%rd3];
    add.f32 %f2, %f1, 0f3F800000;
    st.global.f32 [%rd3], %f2;
    ret;
}
";

fn ptxrun(folder: &Path, block: &str, arguments: &[&str]) -> (i32, String, String) {
    fs::write(folder.join("k.ptx"), INCREMENT).expect("writable");
    let mut command = Command::cargo_bin("ptxrun").expect("built with the tests");
    command.current_dir(folder).args(["k.ptx", "--grid", "1", "--block", block]).args(arguments);
    let output = command.output().expect("runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code().expect("not killed"), text(output.stdout), text(output.stderr))
}

/// The file that `numpy.save` makes of an array of `<f4`.
fn npy(shape: &str, values: &[f32]) -> Vec<u8> {
    let mut header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}");
    header.extend(std::iter::repeat_n(' ', 128 - 10 - header.len() - 1));
    header.push('\n');
    let values = values.iter().flat_map(|value| value.to_le_bytes());
    [b"\x93NUMPY\x01\x00", &118u16.to_le_bytes()[..], header.as_bytes()]
        .concat()
        .into_iter()
        .chain(values)
        .collect()
}

#[test]
fn buffers_are_filled() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let run = |argument: &str| {
        let (status, out, err) = ptxrun(folder.path(), "4", &["--arg", argument, "--print", "0:f32"]);
        assert_eq!(status, 0, "{err}");
        out
    };
    assert_eq!(run("buffer=iota,type=f32,dims=4"), "0:f32 = 1.0 2.0 3.0 4.0\n");
    assert_eq!(run("buffer=fill=-0.5,type=f32,dims=2x2"), "0:f32 = 0.5 0.5 0.5 0.5\n");
    assert_eq!(run("buffer=zero,type=f32,dims=4"), "0:f32 = 1.0 1.0 1.0 1.0\n");
    // The upper 24 bits of the published words of SplitMix64 for this seed.
    let words = [6457827717110365317u64, 3203168211198807973, 9817491932198370423, 4593380528125082431];
    let values: Vec<String> =
        words.iter().map(|word| format!("{:?}", (word >> 40) as f32 / 16_777_216.0 + 1.0)).collect();
    assert_eq!(run("buffer=random=1234567,type=f32,dims=4"), format!("0:f32 = {}\n", values.join(" ")));
}

#[test]
fn arrays_of_numpy_are_read_and_written() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name);
    fs::write(path("x.npy"), npy("(2, 2)", &[1.0, 2.0, 3.0, 4.0])).expect("writable");
    let incremented = npy("(2, 2)", &[2.0, 3.0, 4.0, 5.0]);
    for argument in
        ["inout=x.npy:y.npy", "buffer=in=x.npy,out=y.npy", "buffer=in=x.npy,type=f32,dims=2x2,out=y.npy"]
    {
        let (status, _, err) = ptxrun(folder.path(), "4", &["--arg", argument]);
        assert_eq!((status, err.as_str()), (0, ""), "{argument}");
        assert_eq!(fs::read(path("y.npy")).expect("written"), incremented, "{argument}");
        fs::remove_file(path("y.npy")).expect("there");
    }
    let (status, _, err) = ptxrun(folder.path(), "3", &["--arg", "buffer=iota,type=f32,dims=3,out=y.npy"]);
    assert_eq!((status, err.as_str()), (0, ""));
    assert_eq!(fs::read(path("y.npy")).expect("written"), npy("(3,)", &[1.0, 2.0, 3.0]));
    fs::write(path("x.bin"), [0; 6]).expect("writable");
    for (argument, status, part) in [
        ("buffer=in=x.npy,type=i32", 1, "elements of type f32, not i32"),
        ("buffer=in=x.npy,type=f32,dims=4", 1, "it has dimensions 2x2, not 4"),
        ("in=k.ptx.npy", 1, "cannot read"),
        ("out=16:y.npy", 2, "needs the type and the dimensions"),
        ("buffer=in=x.bin,type=f32", 1, "6 bytes, no whole number of f32"),
        ("buffer=in=x.bin,type=u8,dims=7", 1, "6 bytes, which is not the size"),
        (
            "tensormap=in=x.npy,type=f16,dims=8,box=8",
            1,
            "elements of type f32, of 32 bits, and elements of 16 bits",
        ),
    ] {
        let (found, _, err) = ptxrun(folder.path(), "4", &["--arg", argument]);
        assert!(found == status && err.contains(part), "{argument}: {found} {err}");
    }
}

#[test]
fn buffers_are_compared_with_what_is_expected() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name);
    fs::write(path("want.npy"), npy("(2, 4)", &[1.0, 2.0, 3.5, 4.0, 5.0, 6.0, 7.0, 9.0])).expect("writable");
    let run = |more: &[&str]| ptxrun(folder.path(), "8", more);
    let buffer = "buffer=iota,type=f32,dims=8";
    let (status, _, err) = run(&["--arg", buffer, "--expect", "0=want.npy,atol=1"]);
    assert_eq!((status, err.as_str()), (0, ""));
    let wanted = "the buffer of argument 0 differs from `want.npy` in 2 of 8 elements of f32: \
                  [0, 2] is 3.0, expected 3.5; [1, 3] is 8.0, expected 9.0";
    let as_key = format!("{buffer},out=y.bin,expect=want.npy");
    for more in [&["--arg", buffer, "--expect", "0=want.npy"][..], &["--arg", &as_key, "--print", "0:f32:1"]]
    {
        let (status, out, err) = run(more);
        assert!(status == 3 && err.contains("T0017") && err.contains(wanted), "{err}");
        assert_eq!(out.is_empty(), !more.contains(&"--print"));
    }
    // The output is there to look at.
    assert_eq!(fs::read(path("y.bin")).expect("written").len(), 32);
    let key = format!("{buffer},expect=want.npy,rtol=0.12");
    let (status, _, err) = run(&["--arg", &key, "--error-format=json"]);
    let found: Value = serde_json::from_str(err.lines().next().expect("a line")).expect("JSON");
    assert_eq!((status, &found["details"]["differences"], &found["code"]), (3, &1.into(), &"T0017".into()));
    for (spec, status, part) in [
        ("0=want.npy,type=f64", 1, "elements of type f32, not f64"),
        ("0=nothing.npy", 1, "cannot read"),
        ("1=want.npy", 2, "--expect 1: there is no such argument"),
        ("0=k.ptx", 2, "type of the elements is missing"),
        ("0=y.bin,type=u8", 3, "of 32 elements of u8"),
    ] {
        let more = ["--arg", "buffer=fill=0,type=f32,dims=8", "--expect", spec];
        let (found, _, err) = run(&more);
        assert!(found == status && err.contains(part), "{spec}: {found} {err}");
    }
}

#[test]
fn launch_files_have_contents_and_expectations_too() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let data = folder.path().join("data");
    fs::create_dir(&data).expect("writable");
    fs::write(data.join("want.npy"), npy("(2,)", &[1.0, 2.5])).expect("writable");
    let launch = |argument: &str, more: &str| {
        let text = format!(r#"{{"args": [{{"name": "p", "value": {argument}}}]{more}}}"#);
        fs::write(data.join("k.json"), text).expect("writable");
        ptxrun(folder.path(), "2", &["--launch", "data/k.json"])
    };
    let (status, _, err) = launch(r#""buffer=iota,type=f32,dims=2""#, r#", "expect": ["0=want.npy,ulp=1"]"#);
    assert!(status == 3 && err.contains("[1] is 2.0, expected 2.5"), "{err}");
    let (status, _, err) = launch(r#""buffer=iota,type=f32,dims=2,out=y.npy,expect=want.npy,atol=0.5""#, "");
    assert_eq!((status, err.as_str()), (0, ""));
    assert_eq!(fs::read(data.join("y.npy")).expect("beside the launch file"), npy("(2,)", &[1.0, 2.0]));
    let named = r#""address=x""#;
    let more = r#", "buffers": {"x": "buffer=iota,type=f32,dims=2,expect=want.npy"}"#;
    let (status, _, err) = launch(named, more);
    assert!(status == 3 && err.contains("buffer `x` differs"), "{err}");
    let (status, _, err) = launch(r#""zero=8""#, r#", "expect": ["x"]"#);
    assert!(status == 1 && err.contains("`expect[0]`: expected BUFFER=FILE"), "{err}");
}
