//! The names of kernels and functions as their source has them: compilers of C++ and Rust mangle them.
//!
//! ```
//! assert_eq!(ptx_demangle::demangled("_Z5saxpyif").as_deref(), Some("saxpy(int, float)"));
//! assert_eq!(ptx_demangle::demangled_text("trap in kernel _Z5saxpyif"), "trap in kernel saxpy(int, float)");
//! assert_eq!(ptx_demangle::named(&["_Z5saxpyif", "_Z5scalev"], "saxpy"), ["_Z5saxpyif"]);
//! ```

use std::fmt;

use cpp_demangle::{DemangleOptions, Symbol};
use ptx_diag::{Detail, Diagnostic};

/// The longest demangled name, in bytes. Mangled names refer to their own parts, so that few bytes can stand for any number of them.
const LONGEST: usize = 4096;

/// The name in the source of a mangled name, as in `saxpy(int, float)` of `_Z5saxpyif`; `None` for other names.
pub fn demangled(name: &str) -> Option<String> {
    if name.len() > LONGEST || !name.starts_with("_Z") && !name.starts_with("_R") {
        return None;
    }
    let text = if is_rust(name) {
        format!("{:#}", rustc_demangle::try_demangle(name).ok()?)
    } else {
        let mut text = Bounded::default();
        Symbol::new(name).ok()?.structured_demangle(&mut text, &DemangleOptions::default()).ok()?;
        text.0
    };
    (text != name && !text.is_empty() && text.len() <= LONGEST).then_some(text)
}

/// A text that takes no more than [`LONGEST`] bytes.
#[derive(Default)]
struct Bounded(String);

impl fmt::Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > LONGEST {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

/// Whether a mangled name is one of Rust: of the current scheme, or of the older one, whose names are those of C++ and end with a hash.
fn is_rust(name: &str) -> bool {
    let has_hash = || {
        let hash = name.strip_suffix('E').and_then(|rest| rest.rsplit_once("17h"));
        hash.is_some_and(|(_, hash)| hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()))
    };
    name.starts_with("_R") || has_hash()
}

/// A text in which each mangled name is the name in the source. Parts of the paths of files are kept, and a mangled name if the text has its name in the source,
/// too.
pub fn demangled_text(text: &str) -> String {
    let mut found = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$');
        // Default: the last word.
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        let is_in_path = found.ends_with(['/', '\\', '.']) || begins_in_path(after);
        match demangled(word).filter(|name| !is_in_path && !text.contains(name)) {
            Some(name) => found.push_str(&name),
            None => found.push_str(word),
        }
        // Default: no further word.
        let others = after.find(is_part).unwrap_or(after.len());
        let (between, next) = after.split_at(others);
        found.push_str(between);
        rest = next;
    }
    found
}

/// Whether a text goes on with a path whose beginning is before it: with a separator, or with an extension. A full stop ends a sentence.
fn begins_in_path(text: &str) -> bool {
    let extension =
        || text.strip_prefix('.').is_some_and(|rest| rest.starts_with(|c: char| c.is_alphanumeric()));
    text.starts_with(['/', '\\']) || extension()
}

/// A diagnostic with the names of the source. The help keeps those of the module if there is an edit that carries it out: it has what is to be written. The detail
/// `kernel` keeps the name in the module, too, and `demangled` has that of the source.
#[must_use]
pub fn demangled_finding(mut finding: Diagnostic) -> Diagnostic {
    finding.message = demangled_text(&finding.message);
    if finding.fixes.is_empty() {
        finding.help = finding.help.map(|help| demangled_text(&help));
    }
    finding.label = finding.label.map(|label| demangled_text(&label));
    for label in &mut finding.related {
        label.text = demangled_text(&label.text);
    }
    let kernel = finding.details.iter().find_map(|(key, detail)| match (*key, detail) {
        ("kernel", Detail::Text(name)) => demangled(name),
        _ => None,
    });
    match kernel {
        Some(kernel) => finding.with_detail("demangled", Detail::Text(kernel)),
        None => finding,
    }
}

/// The texts that name a function in a command line, the most precise first, without spaces: the mangled name, the demangled name with its parameters, also
/// without the type of the result, the qualified name with its template arguments and without them, and its last part.
fn names(name: &str) -> Vec<String> {
    let mut all = vec![name.to_owned()];
    let Some(whole) = demangled(name) else { return all };
    let (head, parameters) = split_parameters(&whole);
    // The type of the result of a template: `void f<int>(int)`.
    let head_without_result = match top_level(head, ' ').next_back() {
        Some(at) if !head[..at].ends_with("operator") => &head[at + 1..],
        _ => head,
    };
    let plain = without_template_arguments(head_without_result);
    let last = top_level(&plain, ':').next_back().map_or(plain.as_str(), |at| &plain[at + 1..]);
    let forms = [&whole, &format!("{head_without_result}{parameters}"), head_without_result, &plain, last];
    all.extend(forms.into_iter().map(|form| form.split_whitespace().collect::<String>()));
    all.dedup();
    all
}

/// The functions among `all` that `wanted` names: the one with this name in the module, or else those with the most precise name in the source that it is. Spaces do not matter
/// there.
pub fn named<'n>(all: &[&'n str], wanted: &str) -> Vec<&'n str> {
    let forms: Vec<Vec<String>> = all.iter().map(|name| names(name)).collect();
    let text: String = wanted.split_whitespace().collect();
    let longest = forms.iter().map(Vec::len).fold(0, usize::max);
    // `f<int>` is not `g::f<int>` where both are there.
    let at = |precision: usize| {
        let fits = |forms: &Vec<String>| forms.get(precision).is_some_and(|form| *form == text);
        let found = all.iter().zip(&forms).filter(|(_, forms)| fits(forms)).map(|(name, _)| *name);
        Some(found.collect::<Vec<_>>()).filter(|found| !found.is_empty())
    };
    (0..longest).find_map(at).into_iter().flatten().collect()
}

/// The part of a demangled name before its parameters, and the parameters in parentheses.
fn split_parameters(whole: &str) -> (&str, &str) {
    // `(anonymous namespace)::f(int)` has parentheses before those of the parameters.
    match top_level(whole, '(').find(|&at| !whole[at..].starts_with("(anonymous")) {
        Some(at) => whole.split_at(at),
        None => (whole, ""),
    }
}

/// The places of a character outside of angle brackets and parentheses; an opening parenthesis is outside of itself.
fn top_level(text: &str, wanted: char) -> impl DoubleEndedIterator<Item = usize> {
    let mut depth = 0i32;
    let mut found = Vec::new();
    for (at, c) in text.char_indices() {
        if c == wanted && depth == 0 {
            found.push(at);
        }
        match c {
            '<' | '(' => depth += 1,
            '>' | ')' => depth -= 1,
            _ => {}
        }
    }
    found.into_iter()
}

/// A qualified name without what is in angle brackets.
fn without_template_arguments(name: &str) -> String {
    let mut depth = 0i32;
    let outside = name.chars().filter(|c| {
        depth += i32::from(*c == '<');
        let is_outside = depth == 0;
        depth -= i32::from(*c == '>');
        is_outside
    });
    outside.collect()
}

#[cfg(test)]
mod tests {
    use ptx_diag::{Code, Span};

    use super::*;

    #[test]
    fn names_that_would_be_endless_are_kept() {
        // Each parameter is a pair of the one before it: `A<int, int>`, `A<A<int, int>, A<int, int>>`, and so on.
        let base36 = |number: u32| char::from_digit(number, 36).map(|digit| digit.to_ascii_uppercase());
        let pairs = (0..30).filter_map(base36).map(|number| format!("S_IS{number}_S{number}_E"));
        let pairs: Vec<String> = pairs.collect();
        let name = |pairs: &[String]| format!("_Z1f1AIiiE{}", pairs.concat());
        assert_eq!(
            demangled(&name(&pairs[..1])).as_deref(),
            Some("f(A<int, int>, A<A<int, int>, A<int, int> >)")
        );
        assert_eq!(demangled(&name(&pairs)), None);
    }

    // The expected names are those of c++filt and of the RFC of Rust's mangling.
    #[test]
    fn names_of_both_languages_are_demangled() {
        let name = |name: &str| demangled(name);
        let is = |text: &str| Some(text.to_owned());
        assert_eq!(name("_Z5saxpyifPKfPf"), is("saxpy(int, float, float const*, float*)"));
        assert_eq!(name("_ZN2ns3addIfEEvPT_S2_"), is("void ns::add<float>(float*, float*)"));
        assert_eq!(name("_ZN12_GLOBAL__N_11kEv"), is("(anonymous namespace)::k()"));
        assert_eq!(name("_RNvC6_123foo3bar"), is("123foo::bar"));
        assert_eq!(
            name("_ZN4core3fmt5Write9write_str17h0123456789abcdefE"),
            is("core::fmt::Write::write_str")
        );
        for plain in ["saxpy", "_Z", "_Zq", "_Rust", "_Z5saxpyifPKfPf_param_0", ""] {
            assert_eq!(name(plain), None, "{plain}");
        }
    }

    #[test]
    fn names_in_texts_are_replaced() {
        let text = "trap in kernel _Z1kv, function _Z1fi, at `_Z1kv_param_0`";
        assert_eq!(demangled_text(text), "trap in kernel k(), function f(int), at `_Z1kv_param_0`");
        assert_eq!(demangled_text("é _Z1kv"), "é k()");
        assert_eq!(demangled_text("It ends in _Z1kv."), "It ends in k().");
    }

    #[test]
    fn paths_and_names_that_have_both_forms_are_kept() {
        for text in ["a/_Z1kv", "_Z1kv/a.ptx", "in `_Z1kv.ptx`", "a._Z1kv", "C:\\_Z1kv", "`_Z1kv` (k())"] {
            assert_eq!(demangled_text(text), text);
        }
    }

    #[test]
    fn a_kernel_has_names_of_several_lengths() {
        let all = names("_ZN2ns3addIfEEvPT_S2_");
        let wanted = [
            "_ZN2ns3addIfEEvPT_S2_",
            "voidns::add<float>(float*,float*)",
            "ns::add<float>(float*,float*)",
            "ns::add<float>",
            "ns::add",
            "add",
        ];
        assert_eq!(all, wanted);
        assert_eq!(names("_Z1kv"), ["_Z1kv", "k()", "k"]);
        assert_eq!(
            names("_ZN12_GLOBAL__N_11kEv"),
            ["_ZN12_GLOBAL__N_11kEv", "(anonymousnamespace)::k()", "(anonymousnamespace)::k", "k"]
        );
        assert_eq!(names("plain"), ["plain"]);
    }

    #[test]
    fn the_kernel_of_a_report_keeps_its_name_in_the_module() {
        let finding = Diagnostic::error(Code("X0001"), Span::default(), "in kernel _Z1kv")
            .with_label("`_Z1kv` here")
            .with_related(Span::default(), "from `_Z1fi`")
            .with_help("write `_Z1gv`")
            .with_fix(Span::default(), "_Z1gv")
            .with_detail("kernel", Detail::Text("_Z1kv".to_owned()));
        let finding = demangled_finding(finding);
        assert_eq!(finding.message, "in kernel k()");
        assert_eq!(finding.label.as_deref(), Some("`k()` here"));
        assert_eq!(finding.related[0].text, "from `f(int)`");
        assert_eq!(finding.help.as_deref(), Some("write `_Z1gv`"));
        let other = Diagnostic::error(Code("X0001"), Span::default(), "").with_help("one of _Z1gv, _Z1kv");
        assert_eq!(demangled_finding(other).help.as_deref(), Some("one of g(), k()"));
        let text = |text: &str| Detail::Text(text.to_owned());
        assert_eq!(finding.details, [("kernel", text("_Z1kv")), ("demangled", text("k()"))]);
    }
}
