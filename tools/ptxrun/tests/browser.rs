//! The page of `--profile=FILE.html` in Chromium. Without it these tests are counted as skipped.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use assert_cmd::Command;
use libtest_mimic::{Arguments, Trial};
use testing::browser::{Browser, Shown};

fn main() -> ExitCode {
    let browser = Browser::find();
    let trial = |name, test: fn(Browser)| {
        let run = move || {
            test(browser.expect("the test is ignored without one"));
            Ok(())
        };
        Trial::test(name, run).with_ignored_flag(browser.is_none())
    };
    let trials = vec![
        trial("errors and requests of a page are found", wrong_pages),
        trial("hot spots are sorted", hot_spots),
        trial("links of the source and of PTX mark what belongs together", links),
        trial("the flame graph is as wide as the work", flame_graph),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// A loop, whose body is that of a function in line 2, and a store to memory; the function `_Z4sumsi`, which is called, is at lines 8 and 9.
const KERNEL: &str = "\
.version 8.0
.target sm_80
.address_size 64
.file 1 \"k.cu\"
.func (.param .b32 result) _Z4sumsi(.param .b32 x)
{
    .reg .b32 %r<3>;
    .loc 1 8 0
    ld.param.u32 %r1, [x];
    .loc 1 9 0
    add.u32 %r2, %r1, %r1;
    st.param.b32 [result], %r2;
    ret;
}
.visible .entry _Z1kPi(.param .u64 p)
{
    .reg .b32 %r<5>;
    .reg .b64 %rd<4>;
    .reg .pred %p<2>;
    .param .b32 given;
    .param .b32 returned;
    .loc 1 4 0
    ld.param.u64 %rd1, [p];
    mov.u32 %r1, %tid.x;
    .loc 1 5 0
    mov.u32 %r2, 10;
$loop:
    .loc 1 2 0, function_name $name, inlined_at 1 5 0
    mul.lo.u32 %r3, %r1, %r1;
    sub.u32 %r2, %r2, 1;
    setp.ne.u32 %p1, %r2, 0;
    @%p1 bra $loop;
    .loc 1 5 0
    st.param.b32 [given], %r3;
    call (returned), _Z4sumsi, (given);
    ld.param.b32 %r4, [returned];
    mul.wide.u32 %rd2, %r1, 128;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r4;
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

__global__ void k(int *p) {
    p[32 * threadIdx.x] = sums(s(threadIdx.x));
}

__device__ int sums(int x) {
    return x + x;
}
";

/// A folder with the page of a launch of one warp, k.html.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("k.ptx"), KERNEL).expect("written");
    fs::write(folder.path().join("k.cu"), SOURCE).expect("written");
    let mut command = Command::cargo_bin("ptxrun").expect("built with the tests");
    command.args(["k.ptx", "--grid", "1", "--block", "32", "--arg", "zero=4096", "--profile=k.html"]);
    let output = command.current_dir(folder.path()).output().expect("runs");
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    folder
}

/// The page after a script has acted as a user would.
fn after(browser: Browser, folder: &Path, script: &str) -> Shown {
    let page = fs::read_to_string(folder.join("k.html")).expect("there is a page");
    assert_eq!(page.matches("</body>").count(), 1);
    let acting = page.replace("</body>", &format!("<script>{script}</script></body>"));
    fs::write(folder.join("acting.html"), acting).expect("written");
    browser.show(folder, "acting.html")
}

/// The text that an expression has in the page, whose script must not fail and which must not request anything.
fn told(browser: Browser, folder: &Path, actions: &str, expression: &str) -> String {
    let script = format!("{actions}; document.title = 'told:' + ({expression}) + ':told';");
    let shown = after(browser, folder, &script);
    assert_eq!(shown.console, [""; 0], "{actions}");
    let told = shown.document.split_once("told:").and_then(|(_, rest)| rest.split_once(":told"));
    told.unwrap_or_else(|| panic!("nothing is told: {}", shown.document)).0.to_owned()
}

/// What the other tests find nothing of.
fn wrong_pages(browser: Browser) {
    let folder = folder();
    for (script, message) in [
        ("missing();", "missing is not defined"),
        ("fetch('http://127.0.0.1:9/');", "Content Security Policy"),
        ("document.body.append(Object.assign(new Image(), { src: 'k.png' }));", "Content Security Policy"),
    ] {
        let console = after(browser, folder.path(), script).console;
        assert!(console.iter().any(|line| line.contains(message)), "{script}: {console:?}");
    }
    assert_eq!(browser.show(folder.path(), "k.html").console, [""; 0]);
}

fn hot_spots(browser: Browser) {
    let folder = folder();
    let rows = "[...document.querySelectorAll('tbody')][1].rows";
    let cells = format!(
        "[...{rows}].map((row) => row.cells[0].textContent + ' ' + row.cells[7].textContent).join(';')"
    );
    let cells = told(browser, folder.path(), "", &cells);
    let rows: Vec<(f64, u32)> = cells
        .split(';')
        .map(|row| {
            let (share, line) = row.split_once("% ").expect("a share and a line");
            (share.parse().expect("a share"), line.parse().expect("a line"))
        })
        .collect();
    // 40 instructions of the loop and 14 others, 32 sectors of the store and 4 of each of the four accesses to what the call passes: 102 units of work. The
    // store has 33 of them, each instruction of the loop 10.
    assert_eq!(rows.len(), 18, "{cells}");
    assert_eq!(rows[..5].iter().map(|row| row.1).collect::<Vec<_>>(), [39, 29, 30, 31, 32]);
    assert_eq!((rows[0].0, rows[1].0), (32.4, 9.8));
    assert!(rows.is_sorted_by(|before, after| before.0 >= after.0), "{cells}");
}

fn links(browser: Browser) {
    let folder = folder();
    let click = |selector: &str| {
        format!(
            "document.querySelector(\"{selector}\").dispatchEvent(new MouseEvent('click', {{ bubbles: true, cancelable: true }}))"
        )
    };
    let hover = |selector: &str| {
        format!(
            "document.querySelector(\"{selector}\").dispatchEvent(new MouseEvent('mouseover', {{ bubbles: true }}))"
        )
    };
    let marked = "[...document.querySelectorAll('.pane .on')].map((line) => (line.id ? 'ptx ' : 'source ') + line.dataset.n).join(';')";
    let told = |actions: &str| told(browser, folder.path(), actions, marked);
    // A row of the table, by its link, and by the line of PTX.
    let store = "source 5;ptx 39";
    assert_eq!(told(&click("td a[href='#p0-39']")), store);
    assert_eq!(told(&hover("#p0-39")), store);
    // A line of the source: with the loop, which is inlined there.
    let call = "source 2;source 5;ptx 26;ptx 29;ptx 30;ptx 31;ptx 32;ptx 34;ptx 35;ptx 36;ptx 37;ptx 38;ptx 39;ptx 40";
    assert_eq!(told(&click(".pane:first-child [data-n='5']")), call);
    assert_eq!(told(&hover(".pane:first-child [data-n='9']")), "source 9;ptx 11;ptx 12;ptx 13");
    // A line without code marks nothing.
    assert_eq!(told(&hover(".pane:first-child [data-n='7']")), "");
}

fn flame_graph(browser: Browser) {
    let folder = folder();
    let frames = "[...document.querySelectorAll('svg.flame rect')].map((frame) => { \
                  const place = frame.getBoundingClientRect(); \
                  return frame.parentNode.querySelector('title').textContent + '@' + place.width + '@' + place.top; }).join(';')";
    let told = told(browser, folder.path(), "", frames);
    let frames: Vec<(&str, f64, f64)> = told
        .split(';')
        .map(|frame| {
            let parts: Vec<&str> = frame.split('@').collect();
            (parts[0], parts[1].parse().expect("a width"), parts[2].parse().expect("a place"))
        })
        .collect();
    let of = |name: &str| {
        let found = frames.iter().find(|frame| frame.0.split(" · ").next() == Some(name));
        *found.unwrap_or_else(|| panic!("{name}: {frames:?}"))
    };
    let (kernel, function, line) = (of("k(int*)"), of("sums(int)"), of("k.cu:5"));
    assert!(kernel.0.ends_with(" · 100.0% · 102 units of work"), "{kernel:?}");
    assert!(kernel.1 > 600.0, "{kernel:?}");
    for (frame, work) in [(function, 12.0), (line, 88.0), (of("k.cu:2"), 40.0)] {
        assert!((frame.1 / kernel.1 - work / 102.0).abs() < 0.01, "{frame:?}: {work}");
    }
    assert!(
        function.2 > kernel.2 && of("k.cu:2").2 > line.2,
        "what is called is below its caller: {frames:?}"
    );
}
