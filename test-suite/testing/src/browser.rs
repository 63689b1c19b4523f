//! What a browser makes of a page: Chromium, where it is installed.

use std::path::Path;
use std::process::Command;

const PROGRAMS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// An installed browser.
#[derive(Clone, Copy, Debug)]
pub struct Browser(&'static str);

/// A page in a browser, after its script has run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shown {
    /// The document that the browser has made of it.
    pub document: String,
    /// What was printed on the console: errors of the script, and requests that the page's policy forbids.
    pub console: Vec<String>,
}

impl Browser {
    /// The browser, if there is one.
    pub fn find() -> Option<Self> {
        let exists = |program: &&&str| {
            Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
        };
        PROGRAMS.iter().find(exists).copied().map(Self)
    }

    /// Shows a page by its address in a folder, `k.html#p0-11`.
    ///
    /// # Panics
    ///
    /// If the browser fails.
    pub fn show(self, folder: &Path, address: &str) -> Shown {
        let mut command = Command::new(self.0);
        command.args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--enable-logging=stderr",
            "--dump-dom",
        ]);
        command.arg(format!("--user-data-dir={}", folder.join("profile").display()));
        let output = command.arg(format!("file://{}/{address}", folder.display())).output().expect("runs");
        assert!(output.status.success(), "{output:?}");
        let told = String::from_utf8_lossy(&output.stderr);
        // `[1:1:0101/000000.0:INFO:CONSOLE:1] "Uncaught ReferenceError: x is not defined", source: ..`; before the line number there was a parenthesis in
        // older versions.
        let console =
            told.lines().filter_map(|line| Some(line.split_once(":CONSOLE")?.1.to_owned())).collect();
        Shown { document: String::from_utf8(output.stdout).expect("UTF-8"), console }
    }
}
