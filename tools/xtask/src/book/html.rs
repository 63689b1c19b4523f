//! A page of the book as HTML: its Markdown, and beside it the table of contents.

use std::fmt::Write as _;

use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html};

use super::links::{anchor, inside, resolve};
use super::pages::Page;

/// The file with the style of all pages.
pub(super) const STYLE_FILE: &str = "style.css";
/// The file with the script that filters the table of contents.
pub(super) const SCRIPT_FILE: &str = "filter.js";

pub(super) const STYLE: &str = "\
:root { color-scheme: light dark }
body { margin: 0; display: flex; font: 16px/1.5 system-ui, sans-serif }
nav { flex: 0 0 17em; box-sizing: border-box; height: 100vh; overflow-y: auto; position: sticky; top: 0; padding: 1em; border-right: 1px solid #8884 }
nav ul { list-style: none; margin: 0; padding-left: .6em }
nav p { margin: .8em 0 .2em; font-weight: bold }
nav input { width: 100%; box-sizing: border-box }
main { flex: 1; min-width: 0; max-width: 60em; padding: 1em 2em }
pre { overflow-x: auto; padding: .6em; background: #8881 }
code { font: .9em ui-monospace, monospace }
table { border-collapse: collapse; display: block; overflow-x: auto }
th, td { border: 1px solid #8886; padding: .2em .5em; text-align: left; vertical-align: top }
a { color: #2a6fc4 }
a[aria-current] { font-weight: bold }
";

/// Without the script all entries are shown.
pub(super) const SCRIPT: &str = "\
const input = document.querySelector('nav input');
input.addEventListener('input', () => {
  const wanted = input.value.toLowerCase();
  for (const entry of document.querySelectorAll('nav li')) {
    entry.hidden = !entry.textContent.toLowerCase().includes(wanted);
  }
});
";

/// The file of a page: `docs/isa.html` for `docs/isa.md`; the first page is `index.html`.
pub(super) fn file_of(path: &str) -> String {
    match path {
        "README.md" => "index.html".to_owned(),
        _ => format!("{}.html", path.strip_suffix(".md").unwrap_or(path)),
    }
}

/// The whole document.
pub(super) fn document(page: &Page, pages: &[Page]) -> String {
    let to_root = "../".repeat(page.path.matches('/').count());
    let mut out = String::from("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    out.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    let _ = writeln!(out, "<title>{} - ptx-llvm</title>", escaped(&page.title));
    let _ = writeln!(out, "<link rel=\"stylesheet\" href=\"{to_root}{STYLE_FILE}\">\n</head>\n<body>");
    push_contents(&mut out, page, pages, &to_root);
    out.push_str("<main>\n");
    push_body(&mut out, &page.path, &inside(page, pages));
    let _ = writeln!(out, "</main>\n<script src=\"{to_root}{SCRIPT_FILE}\"></script>\n</body>\n</html>");
    out
}

/// The table of contents, with a field that filters it.
fn push_contents(out: &mut String, current: &Page, pages: &[Page], to_root: &str) {
    out.push_str("<nav>\n<input type=\"search\" placeholder=\"instruction, code, page\" aria-label=\"Filter\">\n<ul>\n");
    for page in pages {
        if let Some(part) = page.part {
            let _ = writeln!(out, "</ul>\n<p>{}</p>\n<ul>", escaped(part));
        }
        let indent = if page.below { "&emsp;" } else { "" };
        let mark = if page.path == current.path { " aria-current=\"page\"" } else { "" };
        let (file, title) = (file_of(&page.path), escaped(&page.title));
        let _ = writeln!(out, "<li>{indent}<a href=\"{to_root}{file}\"{mark}>{title}</a></li>");
    }
    out.push_str("</ul>\n</nav>\n");
}

/// Markdown as HTML: headings have the names that links use, and links to pages lead to their files.
fn push_body(out: &mut String, page: &str, markdown: &str) {
    let mut events: Vec<Event<'_>> = Parser::new_ext(markdown, Options::ENABLE_TABLES).collect();
    let mut heading: Option<(usize, String)> = None;
    for at in 0..events.len() {
        match &mut events[at] {
            Event::Start(Tag::Heading { .. }) => heading = Some((at, String::new())),
            Event::Text(text) | Event::Code(text) => {
                if let Some((_, name)) = &mut heading {
                    name.push_str(text);
                }
            }
            Event::End(TagEnd::Heading(_)) => {
                if let Some((start, name)) = heading.take()
                    && let Event::Start(Tag::Heading { id, .. }) = &mut events[start]
                {
                    *id = Some(CowStr::from(anchor(&name)));
                }
            }
            Event::Start(Tag::Link { dest_url, .. }) => *dest_url = CowStr::from(to_html(page, dest_url)),
            _ => {}
        }
    }
    html::push_html(out, events.into_iter());
}

/// The target of a link on a page to another, as that of its file.
fn to_html(page: &str, target: &str) -> String {
    let (file, heading) = target.split_at(target.find('#').unwrap_or(target.len()));
    let Some(stem) = file.strip_suffix(".md").filter(|_| !target.contains("://")) else {
        return target.to_owned();
    };
    let stem =
        if resolve(page, file).0 == "README.md" { stem.replace("README", "index") } else { stem.to_owned() };
    format!("{stem}.html{heading}")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::{push_body, to_html};

    #[test]
    fn headings_have_names_and_links_lead_to_files() {
        let mut out = String::new();
        push_body(
            &mut out,
            "docs/x.md",
            "## What `ptxas` unrolls\n\n[a](isa/a.md#b), [c](#d), [web](https://x.org/y.md)\n",
        );
        assert_eq!(
            out,
            "<h2 id=\"what-ptxas-unrolls\">What <code>ptxas</code> unrolls</h2>\n\
             <p><a href=\"isa/a.html#b\">a</a>, <a href=\"#d\">c</a>, <a href=\"https://x.org/y.md\">web</a></p>\n"
        );
    }

    #[test]
    fn the_first_page_is_the_index() {
        assert_eq!(to_html("docs/a.md", "../README.md#x"), "../index.html#x");
        assert_eq!(to_html("test-suite/corpus/README.md", "../README.md"), "../README.html");
    }
}
