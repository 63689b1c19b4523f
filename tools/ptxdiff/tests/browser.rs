//! The page of `--format=html` in Chromium. Without it these tests are counted as skipped.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use assert_cmd::Command;
use libtest_mimic::{Arguments, Trial};
use testing::browser::Browser;

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
        trial("functions are found by their names", filter),
        trial("what differs is side by side", side_by_side),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

const HEAD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n";

fn function(name: &str, body: &str) -> String {
    format!(".func {name}()\n{{\n.reg .b32 %r<3>;\n{body}ret;\n}}\n")
}

/// The page of two modules: `_Z4sumsi` and `other` differ, `same` does not.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let module = |operation: &str| {
        let body = format!("mov.u32 %r1, 1;\n{operation}.u32 %r2, %r1, 1;\n");
        let functions = [("_Z4sumsi", body.as_str()), ("other", &body), ("same", "")];
        let functions = functions.map(|(name, body)| function(name, body));
        format!("{HEAD}{}", functions.concat())
    };
    fs::write(folder.path().join("<a>&.ptx"), module("add")).expect("written");
    fs::write(folder.path().join("b.ptx"), module("mul.lo")).expect("written");
    let mut command = Command::cargo_bin("ptxdiff").expect("built with the tests");
    let output = command.current_dir(folder.path()).args(["--format=html", "<a>&.ptx", "b.ptx"]).output();
    let output = output.expect("runs");
    assert!(output.status.code() == Some(1) && output.stderr.is_empty(), "{output:?}");
    fs::write(folder.path().join("d.html"), output.stdout).expect("written");
    folder
}

/// The text that an expression has in the page after some actions. Its script must not fail, and must not request anything.
fn told(browser: Browser, folder: &Path, actions: &str, expression: &str) -> String {
    let page = fs::read_to_string(folder.join("d.html")).expect("there is a page");
    assert_eq!(page.matches("</body>").count(), 1);
    let script = format!("{actions}; document.title = 'told:' + ({expression}) + ':told';");
    let acting = page.replace("</body>", &format!("<script>{script}</script></body>"));
    fs::write(folder.join("acting.html"), acting).expect("written");
    let shown = browser.show(folder, "acting.html");
    assert_eq!(shown.console, [""; 0], "{actions}");
    let told = shown.document.split_once("told:").and_then(|(_, rest)| rest.split_once(":told"));
    told.unwrap_or_else(|| panic!("nothing is told: {}", shown.document)).0.to_owned()
}

fn filter(browser: Browser) {
    let folder = folder();
    let shown = "[...document.querySelectorAll('details[data-name]')].filter((one) => one.offsetHeight > 0).map((one) => one.dataset.name).join(';') + ' ' + document.getElementById('shown').textContent";
    let told = |actions: &str| told(browser, folder.path(), actions, shown);
    assert_eq!(told(""), "sums(int);other 2 of 3 functions");
    let all = "document.getElementById('differing').click()";
    assert_eq!(told(all), "sums(int);other;same 3 of 3 functions");
    let search = |text: &str| {
        format!(
            "const filter = document.getElementById('filter'); filter.value = '{text}'; filter.dispatchEvent(new Event('input'))"
        )
    };
    assert_eq!(told(&search("SUMS(")), "sums(int) 1 of 3 functions");
    assert_eq!(told(&search("nothing")), " 0 of 3 functions");
    assert_eq!(told(&format!("{all}; {}", search("s"))), "sums(int);same 2 of 3 functions");
}

fn side_by_side(browser: Browser) {
    let folder = folder();
    let texts = "[...document.querySelectorAll('details[data-name=\"other\"] tr.removed td.text, details[data-name=\"other\"] tr.added td.text')].map((cell) => cell.cellIndex + ' ' + cell.textContent).join('|')";
    assert_eq!(told(browser, folder.path(), "", texts), "3 add.u32 %r2, %r1, 1;|6 mul.lo.u32 %r2, %r1, 1;");
    let title = told(browser, folder.path(), "", "document.querySelector('h1').textContent");
    assert_eq!(title, "&lt;a&gt;&amp;.ptx and b.ptx");
    let places = "[...document.querySelectorAll('details[data-name=\"other\"] tr.removed td')].map((cell) => cell.textContent).slice(0, 2).join(';')";
    assert_eq!(told(browser, folder.path(), "", places), "-;15");
}
