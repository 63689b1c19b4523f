//! Text in HTML, and the frame of a page.
//!
//! Pages are also well-formed XML, so that a mistake in their making is an error of any XML parser.

use std::fmt::Write as _;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Appends text as it must be written in HTML, in contents and in attributes. Control characters, which HTML does not allow, become their
/// pictures in Unicode.
pub(crate) fn escape(out: &mut String, text: &str) {
    out.reserve(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' => out.push(character),
            '\0'..='\x1f' => out.extend(char::from_u32(0x2400 + character as u32)),
            '\x7f' => out.push('\u{2421}'),
            '\u{80}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => out.push(char::REPLACEMENT_CHARACTER),
            _ => out.push(character),
        }
    }
}

/// The head of a page up to where its parts begin: the title, and a line below it if there is one.
pub(crate) fn heading(title: &str, subtitle: &str) -> String {
    let mut out = String::from("<header><h1>");
    escape(&mut out, title);
    out.push_str("</h1>\n");
    if !subtitle.is_empty() {
        out.push_str("<p class=\"facts\">");
        escape(&mut out, subtitle);
        out.push_str("</p>\n");
    }
    out.push_str("</header>\n<main>\n");
    out
}

/// Text as it must be written in HTML.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::new();
    escape(&mut out, text);
    out
}

/// Appends formatted HTML. Writing to a string cannot fail.
macro_rules! html {
    ($out:expr, $($part:tt)*) => {{
        use std::fmt::Write as _;
        let _ = write!($out, $($part)*);
    }};
}
pub(crate) use html;

/// A whole page: the title and the contents of its body, with the style and the script that all pages have.
pub(crate) fn page(title: &str, body: &str) -> String {
    let mut out = String::with_capacity(body.len() + STYLE.len() + SCRIPT.len() + 1024);
    out.push_str("<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n<meta charset=\"utf-8\" />\n");
    out.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\" />\n");
    // What the page has from elsewhere would be a mistake: no input may cause a request.
    out.push_str("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\" />\n");
    let _ = writeln!(out, "<title>{}</title>", escaped(title));
    let _ = writeln!(out, "<style>\n{STYLE}</style>\n</head>\n<body>");
    out.push_str(MARKERS);
    out.push_str(body);
    let _ = writeln!(out, "<script>\n//<![CDATA[\n{SCRIPT}//]]>\n</script>\n</body>\n</html>");
    out
}

/// The arrow heads of graphs, which edges refer to.
const MARKERS: &str = "<svg class=\"markers\" width=\"0\" height=\"0\" aria-hidden=\"true\"><defs>\
<marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">\
<path d=\"M0 0 L8 4 L0 8 z\" /></marker></defs></svg>\n";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_leave_its_place() {
        assert_eq!(
            escaped("</script><b a='\"'>&amp;"),
            "&lt;/script&gt;&lt;b a=&#39;&quot;&#39;&gt;&amp;amp;"
        );
        assert_eq!(escaped("é 日本 🙂\t\n"), "é 日本 🙂\t\n");
        assert_eq!(escaped("\0\x1b[31m\r\x7f\u{85}\u{ffff}"), "␀␛[31m␍␡\u{fffd}\u{fffd}");
    }

    #[test]
    fn the_frame_is_well_formed_and_loads_nothing() {
        let page = page("a < b & \"c\"", "<p>body</p>\n");
        let tree = roxmltree::Document::parse_with_options(
            &page,
            roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() },
        )
        .unwrap();
        let title =
            tree.descendants().find(|node| node.has_tag_name(("http://www.w3.org/1999/xhtml", "title")));
        assert_eq!(title.and_then(|title| title.text()), Some("a < b & \"c\""));
        for request in ["src=", "@import", "url(http", "fetch(", "XMLHttpRequest", "<link"] {
            assert!(!page.contains(request), "{request}");
        }
    }
}
