//! `--view` and `--lines`. What a browser makes of a page is tested if Chromium is there, and what LLVM's `opt` reports of lines if that is; otherwise these
//! tests are counted as skipped.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use libtest_mimic::{Arguments, Trial};
use testing::browser::Browser;

const OPT: &str = "/usr/lib/llvm-22/bin/opt";

fn exists(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

fn main() -> ExitCode {
    let trial = |name, is_possible: bool, test: fn()| {
        let run = move || {
            test();
            Ok(())
        };
        Trial::test(name, run).with_ignored_flag(!is_possible)
    };
    let has_browser = Browser::find().is_some();
    let trials = vec![
        trial("a page has each line once and is well-formed", true, each_line_once),
        trial("text cannot leave its place in a page", true, hostile_text),
        trial("a rejected input has a page with its diagnostics", true, rejected_input),
        trial("a view comes instead of the output, or with it", true, with_output),
        trial("a view that cannot be written is an error", true, wrong_paths),
        trial("lines of the PTX are debug locations", true, lines_of_ptx),
        trial("lines without an effect are wrong usage", true, lines_without_effect),
        trial("remarks of passes name lines of the PTX", exists(OPT), remarks_of_passes),
        trial("lines of several inputs are linked", true, several_inputs),
        trial("a browser marks lines that belong together", has_browser, in_a_browser),
        trial("a browser follows the pointer and keys", has_browser, pointers_and_keys),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// The addition is at line 11.
const KERNEL: &str = "\
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [p];
    cvta.to.global.u64 %rd2, %rd1;
    ld.global.u32 %r1, [%rd2];
    add.s32 %r2, %r1, 7;
    ld.global.u32 %r3, [%rd2];
    st.global.u32 [%rd2+4], %r3;
    st.global.u32 [%rd2+8], %r2;
    ret;
}
";

fn ptx2ll(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = assert_cmd::cargo::cargo_bin_cmd!("ptx2ll").current_dir(folder).args(arguments).output();
    let output = output.expect("runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code().expect("not killed"), text(output.stdout), text(output.stderr))
}

/// A folder with this text as k.ptx.
fn folder(text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("k.ptx"), text).expect("written");
    folder
}

/// The text of each line of the input by its number, of a page that must be well-formed.
fn lines_of(page: &str) -> BTreeMap<u32, String> {
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..roxmltree::ParsingOptions::default() };
    let tree = roxmltree::Document::parse_with_options(page, options).expect("well-formed");
    let mut lines = BTreeMap::new();
    for node in tree.descendants() {
        let Some(number) = node.attribute("id").and_then(|id| id.strip_prefix("p0-")) else { continue };
        let text: String =
            node.descendants().filter_map(|node| node.text().filter(|_| node.is_text())).collect();
        assert_eq!(
            lines.insert(number.parse().expect("a number"), text),
            None,
            "line {number} is there twice"
        );
    }
    lines
}

fn page_of(folder: &Path) -> String {
    fs::read_to_string(folder.join("k.html")).expect("there is a page")
}

fn each_line_once() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../test-suite/cases");
    for case in ["triton/softmax.sm_90.ptx", "toolkit/cub_blocks.sm_80.ptx"] {
        let text = fs::read_to_string(cases.join(case)).expect("a case");
        let folder = folder(&text);
        for level in ["-O0", "-O2"] {
            let (status, out, err) = ptx2ll(folder.path(), &[level, "k.ptx", "--view", "k.html"]);
            assert_eq!((status, out.as_str(), err.as_str()), (0, "", ""), "{case}");
            let page = page_of(folder.path());
            let expected: BTreeMap<u32, String> = (1..).zip(text.lines().map(str::to_owned)).collect();
            assert_eq!(lines_of(&page), expected, "{case}");
            for part in
                ["LLVM IR", "Round-tripped PTX", "Register pressure", "Control flow", "Dominator tree"]
            {
                assert!(page.contains(part), "{case}: {part}");
            }
            for text in ["!dbg", "DILocation", ".loc\t"] {
                assert!(!page.contains(text), "{case}: {text}");
            }
        }
    }
}

fn hostile_text() {
    let line = "// </script><script>alert(1)</script> & ' \" <!-- ]]> \u{e9}\u{65e5} \u{7}";
    let text = KERNEL.replace("ret;", &format!("{line}\n    ret;"));
    let folder = folder(&text);
    let (status, _, err) = ptx2ll(folder.path(), &["k.ptx", "--view", "k.html"]);
    assert_eq!(status, 0, "{err}");
    let page = page_of(folder.path());
    assert_eq!(page.matches("</script>").count(), 1);
    let expected = format!("    {}", line.replace('\u{7}', "\u{2407}"));
    assert_eq!(lines_of(&page)[&15], expected);
}

fn rejected_input() {
    let folder = folder(&KERNEL.replace("add.s32", "add.s33").replace("ret;", "ret"));
    let (status, out, err) = ptx2ll(folder.path(), &["k.ptx", "--view", "k.html", "-o", "k.ll"]);
    assert_eq!((status, out.as_str()), (1, ""));
    assert!(err.contains("error[P0302]") && !folder.path().join("k.ll").exists(), "{err}");
    let page = page_of(folder.path());
    assert!(page.contains("error[P0302]: `add` has no modifier `.s33`"), "{page}");
    assert!(page.contains("add<mark class=\"error\">.s33</mark>"), "{page}");
    assert_eq!(lines_of(&page).len(), KERNEL.lines().count());
}

fn with_output() {
    let folder = folder(KERNEL);
    let (_, plain, _) = ptx2ll(folder.path(), &["-O2", "k.ptx"]);
    let (status, out, err) = ptx2ll(folder.path(), &["-O2", "k.ptx", "--view", "k.html", "-o", "k.ll"]);
    assert_eq!((status, out.as_str(), err.as_str()), (0, "", ""));
    assert_eq!(fs::read_to_string(folder.path().join("k.ll")).expect("there"), plain, "without locations");
    assert!(page_of(folder.path()).contains("ptx2ll -O2"));
    let (status, out, _) = ptx2ll(folder.path(), &["k.ptx", "--view", "-"]);
    assert!(status == 0 && out.starts_with("<!DOCTYPE html>"), "{out}");
}

fn wrong_paths() {
    let folder = folder(KERNEL);
    let (status, _, err) = ptx2ll(folder.path(), &["k.ptx", "--view", "no/such/folder/k.html"]);
    assert!(status == 1 && err.contains("cannot write `no/such/folder/k.html`"), "{status}: {err}");
    for arguments in [
        &["k.ptx", "--view", "k.ptx"][..],
        &["k.ptx", "--view", "k.out", "-o", "k.out"],
        &["k.ptx", "--view", "k.html", "--output-dir", "out"],
        &["k.ptx", "--view", "k.html", "--target=host", "--block=32"],
    ] {
        let (status, _, err) = ptx2ll(folder.path(), arguments);
        assert_eq!(status, 2, "{arguments:?}: {err}");
        assert_eq!(fs::read_to_string(folder.path().join("k.ptx")).expect("there"), KERNEL);
    }
}

fn lines_of_ptx() {
    // Locations of the source are replaced.
    let located = KERNEL
        .replace(".address_size 64\n", ".address_size 64 .file 1 \"a.cu\"\n")
        .replace("    add", " .loc 1 77 0\n    add");
    let folder = folder(&located);
    let (status, ir, err) = ptx2ll(folder.path(), &["--lines=ptx", "-O2", "k.ptx"]);
    assert_eq!((status, err.as_str()), (0, ""));
    let add = ir.lines().find(|line| line.contains(" = add ")).expect("an addition");
    let (_, node) = add.rsplit_once("!dbg ").expect("a location");
    let location = ir.lines().find(|line| line.starts_with(&format!("{node} = "))).expect("its node");
    assert!(location.contains("!DILocation(line: 12, column: 5, "), "{location}");
    assert!(ir.contains("filename: \"k.ptx\"") && !ir.contains("a.cu"), "{ir}");
    let (status, ptx, _) = ptx2ll(folder.path(), &["--lines=ptx", "--emit=ptx", "k.ptx"]);
    assert!(status == 0 && ptx.contains(".loc\t1 12 5\n\tadd.s32"), "{ptx}");
    let (_, kept, _) = ptx2ll(folder.path(), &["--lines=source", "k.ptx"]);
    assert!(kept.contains("line: 77") && !kept.contains("line: 12"), "{kept}");
}

fn lines_without_effect() {
    let folder = folder(KERNEL);
    for arguments in [&["--emit=none"][..], &["--target=host", "--block=32", "--emit=ll"]] {
        let arguments = [&["k.ptx", "--lines=ptx"], arguments].concat();
        let (status, _, err) = ptx2ll(folder.path(), &arguments);
        assert!(status == 2 && err.contains("--lines"), "{arguments:?}: {err}");
    }
    let (status, _, err) = ptx2ll(folder.path(), &["k.ptx", "--lines=none"]);
    assert!(status == 2 && err.contains("[possible values: source, ptx]"), "{err}");
}

fn remarks_of_passes() {
    let folder = folder(KERNEL);
    let (_, ir, _) = ptx2ll(folder.path(), &["--lines=ptx", "k.ptx"]);
    fs::write(folder.path().join("k.ll"), ir).expect("written");
    let mut opt = Command::new(OPT);
    opt.args(["-passes=gvn", "-pass-remarks=gvn", "-pass-remarks-analysis=gvn", "-disable-output", "k.ll"]);
    let output = opt.current_dir(folder.path()).output().expect("runs");
    let told = String::from_utf8_lossy(&output.stderr);
    // The second load of the same address.
    assert!(told.contains("remark: k.ptx:12:5: load of type i32 eliminated"), "{told}");
}

/// The document that the browser has made of a page, by its address in a folder. The page makes no request, and its script no error.
fn shown(folder: &Path, address: &str) -> String {
    let shown = Browser::find().expect("found before").show(folder, address);
    assert_eq!(shown.console, [""; 0], "{address}");
    shown.document
}

/// What a user does, and the lines of the input that are marked then.
fn pointers_and_keys() {
    let folder = folder(KERNEL);
    let (status, _, err) = ptx2ll(folder.path(), &["k.ptx", "--view", "k.html"]);
    assert_eq!(status, 0, "{err}");
    let page = page_of(folder.path());
    let store = "[...document.querySelectorAll('.pane:nth-child(2) [data-k]')].find((line) => line.textContent.includes('store i32 %r3'))";
    let pointer = format!("({store}).dispatchEvent(new MouseEvent('mouseover', {{ bubbles: true }}));");
    let key = |name: &str| {
        format!(
            "document.querySelector('.pane').dispatchEvent(new KeyboardEvent('keydown', {{ key: '{name}' }}));"
        )
    };
    let block =
        "document.querySelector('svg a').dispatchEvent(new MouseEvent('mouseover', { bubbles: true }));";
    let cases = [
        (pointer, vec![13]),
        (key("Home") + &key("ArrowDown") + &key("ArrowDown"), vec![3]),
        (key("End"), vec![16]),
        (block.to_owned(), (8..=15).collect()),
    ];
    for (action, lines) in cases {
        let acting = page.replace("</body>", &format!("<script>{action}</script></body>"));
        fs::write(folder.path().join("acting.html"), acting).expect("written");
        let shown = shown(folder.path(), "acting.html");
        let marked: Vec<u32> = shown
            .lines()
            .filter(|line| {
                line.starts_with("<div id=\"p0-")
                    && [" class=\"on\"", " class=\"at on\""].iter().any(|class| line.contains(class))
            })
            .filter_map(|line| line.strip_prefix("<div id=\"p0-")?.split('"').next()?.parse().ok())
            .collect();
        assert_eq!(marked, lines, "{action}");
    }
}

fn several_inputs() {
    let folder = folder(KERNEL);
    let other = KERNEL.replace(".entry k(", ".entry other(");
    fs::write(folder.path().join("b.ptx"), other).expect("written");
    let (status, _, err) = ptx2ll(folder.path(), &["k.ptx", "b.ptx", "--view", "k.html"]);
    assert_eq!(status, 0, "{err}");
    let page = page_of(folder.path());
    // The store of each: in the inputs, its address and itself in LLVM IR, in the round-tripped PTX, and a bar.
    for place in ["0-14", "1-14"] {
        assert_eq!(page.matches(&format!("data-k=\"{place}\"")).count(), 5, "{place}");
        assert_eq!(page.matches(&format!("id=\"p{place}\"")).count(), 1, "{place}");
    }
}

fn in_a_browser() {
    let folder = folder(KERNEL);
    let (status, _, err) = ptx2ll(folder.path(), &["k.ptx", "--view", "k.html"]);
    assert_eq!(status, 0, "{err}");
    let shown = shown(folder.path(), "k.html#p0-11");
    let marked: Vec<&str> =
        shown.lines().filter(|line| line.contains("class=\"on\"") && !line.contains("<a ")).collect();
    for text in ["add.s32 %r2, %r1, 7;", "%r2 = add i32 %r1, 7", "add.s32 \t%r2, %r1, 7;"] {
        assert!(marked.iter().any(|line| line.contains(text)), "{text}: {marked:?}");
    }
    assert_eq!(marked.len(), 3, "{marked:?}");
    // The blocks of both graphs, and the bar.
    assert_eq!(
        shown.matches(" class=\"on\"").count() + shown.matches("class=\"bar on\"").count(),
        6,
        "{marked:?}"
    );
}
