//! The examples, with what they print.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use assert_cmd::Command;

/// Where the examples are, with the features of this test.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let features =
        [("llvm", cfg!(feature = "llvm")), ("exec", cfg!(feature = "exec")), ("jit", cfg!(feature = "jit"))];
    let features: Vec<&str> = features.iter().filter(|(_, has)| *has).map(|(name, _)| *name).collect();
    testing::built_examples(&["ptx-llvm"], &features)
});

fn kernel(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/kernels").join(name)
}

/// What an example prints about a kernel, or alone.
fn printed(example: &str, kernel_name: Option<&str>) -> String {
    let mut command = Command::new(FOLDER.join(example));
    let output = command.args(kernel_name.map(kernel)).assert().success().get_output().stdout.clone();
    String::from_utf8(output).expect("text")
}

/// The lines of a text that contain a part, without blanks around words.
fn lines(text: &str, part: &str) -> Vec<String> {
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    text.lines().filter(|line| line.contains(part)).map(words).collect()
}

#[test]
fn loads_get_nc() {
    let text = printed("nc_loads", Some("saxpy.ptx"));
    assert!(text.starts_with("// 2 loads are ld.global.nc now\n.version 8.0\n"), "{text}");
    assert_eq!(
        lines(&text, "ld.global"),
        ["// 2 loads are ld.global.nc now", "ld.global.nc.f32 %f2, [%rd4];", "ld.global.nc.f32 %f3, [%rd5];"]
    );
    assert_eq!(lines(&text, "ld.param").len(), 3);
}

#[test]
fn blocks_are_walked() {
    let text = printed("walk_cfg", Some("scale.ptx"));
    // From the text: the guarded branch ends the first block, the label starts the third, and nothing follows the last instruction.
    assert_eq!(
        lines(&text, "block"),
        ["block 0 -> [2, 1]", "block 1 -> [2]", "block 2 -> []", "block 3 -> []"]
    );
    assert_eq!(lines(&text, "guarded"), ["guarded bra"]);
    assert!(
        text.starts_with("scale\n") && text.ends_with("block 2 -> []\n    ret\n  block 3 -> []\n"),
        "{text}"
    );
}

#[test]
fn products_become_shifts() {
    let text = printed("model_pass", Some("saxpy.ptx"));
    assert!(lines(&text, "mul.lo").is_empty());
    assert_eq!(lines(&text, "shl"), ["shl.b32 %r2, %r1, 2;"]);
}

#[cfg(feature = "llvm")]
#[test]
fn optimized_ptx_is_shorter() {
    let text = printed("optimize", Some("saxpy.ptx"));
    assert!(text.starts_with(".version 8.0\n.target sm_80\n"), "{text}");
    // The product with 4 and the conversion of the index are one operation.
    assert_eq!(lines(&text, "mul.lo").len() + lines(&text, "cvt.u64.u32").len(), 0, "{text}");
    assert_eq!((lines(&text, "ld.global").len(), lines(&text, "st.global").len()), (2, 1));
}

#[cfg(feature = "llvm")]
#[test]
fn sums_of_products_are_fused() {
    let text = printed("llvm_pass", Some("saxpy.ptx"));
    assert_eq!(lines(&text, "fma.rn.f32").len(), 1, "{text}");
    assert_eq!(lines(&text, "mul.f32").len() + lines(&text, "add.f32").len(), 0, "{text}");
}

#[cfg(feature = "exec")]
#[test]
fn kernels_are_executed() {
    let text = printed("execute", None);
    assert!(text.starts_with("[0.5, 1.0, 1.5, 2.0, 2.5], "), "{text}");
}

#[cfg(feature = "exec")]
#[test]
fn executions_are_counted() {
    // Of 64 threads 40 have an element.
    assert_eq!(printed("instrument", None), "[64, 40, 64, 0]\n");
}

#[test]
fn examples_are_short() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    for entry in std::fs::read_dir(folder).expect("the examples") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("text");
        let is_code = |line: &&str| {
            let line = line.trim();
            line.len() > 1 && ["//", "#!", "use "].iter().all(|start| !line.starts_with(start))
        };
        let count = text.lines().filter(is_code).count();
        assert!(count <= 24, "{} has {count} lines of code", path.display());
    }
}
