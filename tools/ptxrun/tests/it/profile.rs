//! Pages of profiles: `--profile=FILE.html`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use assert_cmd::Command;

fn ptxrun(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::cargo_bin("ptxrun").expect("built with the tests");
    let output = command.current_dir(folder).args(arguments).output().expect("runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code().expect("not killed"), text(output.stdout), text(output.stderr))
}

/// The multiplication is that of a function in line 2, which was inlined in line 5.
const KERNEL: &str = "\
.version 8.0
.target sm_80
.address_size 64
.file 1 \"k.cu\"
.visible .entry k(.param .u64 p)
{
    .reg .b32 %r<3>;
    .reg .b64 %rd<4>;
    .loc 1 4 0
    ld.param.u64 %rd1, [p];
    mov.u32 %r1, %tid.x;
    .loc 1 5 0
    mul.wide.u32 %rd2, %r1, 128;
    .loc 1 2 0, function_name $name, inlined_at 1 5 0
    mul.lo.u32 %r2, %r1, %r1;
    .loc 1 5 0
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r2;
    ret;
}
.section .debug_str
{
$name:
    .b8 115
    .b8 0
}
";

const SOURCE: &str = "\
// </script> & <squares>
__device__ int s(int x) { return x * x; }

extern \"C\" __global__ void k(int *p) {
    p[32 * threadIdx.x] = s(threadIdx.x);
}
";

/// A launch of one warp, with a page.
const LAUNCH: [&str; 8] = ["k.ptx", "--grid", "1", "--block", "32", "--arg", "zero=4096", "--profile=k.html"];

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("k.ptx"), KERNEL).expect("written");
    folder
}

/// What the lines of a column show, by their number: first the input, then files of the source.
fn columns(page: &str) -> Vec<BTreeMap<u32, String>> {
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..roxmltree::ParsingOptions::default() };
    let tree = roxmltree::Document::parse_with_options(page, options).expect("well-formed");
    let panes = tree.descendants().filter(|node| node.attribute("class") == Some("pane"));
    panes
        .map(|pane| {
            let lines = pane.descendants().filter_map(|node| {
                let number = node.attribute("data-n")?.parse().expect("a number");
                let text = node.descendants().filter(|node| node.is_text()).filter_map(|node| node.text());
                Some((number, text.collect()))
            });
            lines.collect()
        })
        .collect()
}

#[test]
fn a_page_has_the_counts_at_each_line() {
    let folder = folder();
    fs::write(folder.path().join("k.cu"), SOURCE).expect("written");
    let (status, out, err) = ptxrun(folder.path(), &LAUNCH);
    assert_eq!((status, out.as_str(), err.as_str()), (0, "", ""));
    let page = fs::read_to_string(folder.path().join("k.html")).expect("there");
    let columns = columns(&page);
    let [source, ptx] = &columns[..] else { panic!("two columns: {columns:?}") };
    assert_eq!((source.len(), ptx.len()), (SOURCE.lines().count(), KERNEL.lines().count()));
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    // 7 instructions of one warp, and 32 sectors: 39 units of work. The line of the call has that of the function, too.
    assert_eq!(words(&source[&2])[..5], ["2.6%", "1", "·", "·", "·"]);
    assert_eq!(words(&source[&5])[..5], ["94.9%", "5", "·", "32", "·"]);
    assert!(source[&1].ends_with("// </script> & <squares>"), "{source:?}");
    assert_eq!(words(&ptx[&18])[..5], ["84.6%", "1", "·", "32", "·"]);
    assert_eq!(page.matches("</script>").count(), 1);
    // The flame graph has the function in the line of its call.
    for part in ["k.cu:5 · 94.9% · 37 units", "k.cu:2 · 2.6% · 1 units", "st.global.u32 [%rd3], %r2"] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn a_source_that_is_missing_is_told() {
    let folder = folder();
    let (status, _, err) = ptxrun(folder.path(), &LAUNCH);
    assert_eq!((status, err.as_str()), (0, ""));
    let page = fs::read_to_string(folder.path().join("k.html")).expect("there");
    assert!(page.contains("The file cannot be read."), "{page}");
}

#[test]
fn pages_that_cannot_be_written_are_errors() {
    let folder = folder();
    let with = |option| [&LAUNCH[..7], &[option]].concat();
    let (status, _, err) = ptxrun(folder.path(), &with("--profile=no/such/folder/k.html"));
    assert!(status == 1 && err.contains("cannot write `no/such/folder/k.html`"), "{status}: {err}");
    let (status, _, err) = ptxrun(folder.path(), &with("--profile=k.txt"));
    assert!(status == 2 && err.contains("expected a file named *.html or *.json"), "{status}: {err}");
    // Each program of a folder would write the page.
    let (status, _, err) = ptxrun(folder.path(), &[".", "--profile=k.html"]);
    assert!(status == 2 && err.contains("every program of the folder would write `k.html`"), "{err}");
    let (status, _, err) = ptxrun(folder.path(), &[".", "--profile=k.json"]);
    assert!(status == 2 && err.contains("every program of the folder would write `k.json`"), "{err}");
    assert!(!folder.path().join("k.html").exists() && !folder.path().join("k.json").exists());
}
