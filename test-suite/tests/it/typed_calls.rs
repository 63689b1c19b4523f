//! What the methods of a crate call on each other, as far as the text of a file tells the type of the receiver.
//!
//! A method needs no import: files that define methods of one type reach each other through `self`. So a call counts as an edge
//! between two files if its receiver is `self`, a parameter, or a field of one of these (also of a field), the type of that is defined in
//! the crate, and the method is defined in exactly one other file of the crate. `Self::name(..)` counts likewise. Methods of traits
//! do not count, nor do calls on values whose type only inference knows.

use std::collections::{BTreeMap, BTreeSet};

/// The name of a type, without its path and parameters.
type TypeName = String;

/// The items of a file, as far as calls need them.
#[derive(Debug, Default)]
pub(crate) struct Items {
    /// The structures, enumerations, unions and traits that it defines, each with the types of its named fields.
    pub(crate) types: BTreeMap<TypeName, BTreeMap<String, TypeName>>,
    /// The inherent methods and associated functions that it defines.
    pub(crate) methods: Vec<(TypeName, String)>,
    pub(crate) calls: BTreeSet<Call>,
}

/// A call whose receiver is a place that begins at `self` or a parameter.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Call {
    /// The type of `self` or the parameter.
    pub(crate) root: TypeName,
    /// The fields between it and the method.
    pub(crate) fields: Vec<String>,
    pub(crate) method: String,
}

impl Items {
    /// The items of a file, given its tokens (`imports.rs`).
    pub(crate) fn of(tokens: &[String]) -> Self {
        let mut items = Self::default();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            at = match token.as_str() {
                "impl" => items.implementation(tokens, at + 1),
                "struct" | "enum" | "union" | "trait" if is_name(tokens.get(at + 1)) => {
                    items.definition(tokens, at + 1)
                }
                "fn" => items.function(tokens, at + 1, None),
                // The items of a module in the file.
                "mod" if tokens.get(at + 2).is_some_and(|token| token == "{") => at + 3,
                "{" | "(" | "[" => closing(tokens, at) + 1,
                _ => at + 1,
            };
        }
        items
    }

    /// Reads a type's definition from its name on; returns where it ends.
    fn definition(&mut self, tokens: &[String], at: usize) -> usize {
        let mut end = at + 1;
        while tokens.get(end).is_some_and(|token| !matches!(token.as_str(), "{" | ";" | "(")) {
            end += 1;
        }
        let (mut fields, close) = (BTreeMap::new(), closing(tokens, end));
        if tokens.get(end).is_some_and(|token| token == "{") {
            for field in parts(tokens.get(end + 1..close).unwrap_or_default()) {
                if let Some((name, ty)) = named_type(field, None) {
                    fields.insert(name, ty);
                }
            }
        }
        self.types.insert(tokens[at].clone(), fields);
        close + 1
    }

    /// Reads an `impl` from the token after it on; returns where it ends.
    fn implementation(&mut self, tokens: &[String], at: usize) -> usize {
        let mut open = at;
        while tokens.get(open).is_some_and(|token| token != "{" && token != ";") {
            open += 1;
        }
        let header = tokens.get(at..open).unwrap_or_default();
        let (end, header) = (closing(tokens, open), after_parameters(header));
        let of_trait = header.iter().position(|token| token == "for");
        let of = of_trait.map_or(header, |at| &header[at + 1..]);
        let Some(ty) = type_name(of, None) else { return end + 1 };
        let mut at = open + 1;
        while at < end {
            if tokens[at] == "fn" {
                if of_trait.is_none() && is_name(tokens.get(at + 1)) {
                    self.methods.push((ty.clone(), tokens[at + 1].clone()));
                }
                at = self.function(tokens, at + 1, Some(&ty));
            } else if matches!(tokens[at].as_str(), "{" | "(" | "[") {
                at = closing(tokens, at) + 1;
            } else {
                at += 1;
            }
        }
        end + 1
    }

    /// Reads a function from its name on; returns where it ends.
    fn function(&mut self, tokens: &[String], at: usize, own: Option<&str>) -> usize {
        let mut open = at + 1;
        if tokens.get(open).is_some_and(|token| token == "<") {
            open = closing_angle(tokens, open) + 1;
        }
        if tokens.get(open).is_none_or(|token| token != "(") {
            return at + 1;
        }
        let close = closing(tokens, open);
        let mut receivers = BTreeMap::new();
        for part in parts(tokens.get(open + 1..close).unwrap_or_default()) {
            if part.iter().take(4).any(|token| token == "self") {
                receivers.extend(own.map(|own| ("self".to_owned(), own.to_owned())));
            } else {
                receivers.extend(named_type(part, own));
            }
        }
        let mut body = close + 1;
        while tokens.get(body).is_some_and(|token| token != "{" && token != ";") {
            body += 1;
        }
        let end = closing(tokens, body);
        self.body(tokens.get(body..end).unwrap_or_default(), receivers, own);
        end + 1
    }

    fn body(&mut self, tokens: &[String], mut receivers: BTreeMap<String, TypeName>, own: Option<&str>) {
        let text = |at: usize| tokens.get(at).map(String::as_str);
        for (at, token) in tokens.iter().enumerate() {
            let before = at.checked_sub(1).and_then(text);
            if matches!(before, Some("." | "::")) {
                continue;
            }
            // A variable of the same name has another type.
            if before == Some("let") || (before == Some("mut") && text(at.wrapping_sub(2)) == Some("let")) {
                receivers.remove(token);
            }
            if token == "Self" && text(at + 1) == Some("::") && text(at + 3) == Some("(") {
                self.calls.extend(own.map(|own| Call {
                    root: own.to_owned(),
                    fields: Vec::new(),
                    method: tokens[at + 2].clone(),
                }));
            }
            let Some(root) = receivers.get(token) else { continue };
            let (mut fields, mut at) = (Vec::new(), at + 1);
            while text(at) == Some(".") && is_name(tokens.get(at + 1)) {
                let name = tokens[at + 1].clone();
                if text(at + 2) == Some("(") || (text(at + 2) == Some("::") && text(at + 3) == Some("<")) {
                    self.calls.insert(Call { root: root.clone(), fields, method: name });
                    break;
                }
                fields.push(name);
                at += 2;
            }
        }
    }
}

fn is_name(token: Option<&String>) -> bool {
    token.is_some_and(|token| token.starts_with(|c: char| c.is_alphabetic() || c == '_'))
}

/// Where the bracket at a position is closed; the position itself if there is none.
fn closing(tokens: &[String], at: usize) -> usize {
    let mut depth = 0usize;
    for (end, token) in tokens.iter().enumerate().skip(at) {
        match token.as_str() {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return end;
        }
    }
    tokens.len()
}

/// Where the parameters that begin with `<` end. The `>` of an arrow ends none.
fn closing_angle(tokens: &[String], at: usize) -> usize {
    let mut depth = 0usize;
    for (end, token) in tokens.iter().enumerate().skip(at) {
        match token.as_str() {
            "<" => depth += 1,
            ">" if !matches!(tokens[end - 1].as_str(), "-" | "=") => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return end;
        }
    }
    tokens.len()
}

/// What follows the parameters that a header begins with.
fn after_parameters(header: &[String]) -> &[String] {
    match header.first() {
        Some(first) if first == "<" => header.get(closing_angle(header, 0) + 1..).unwrap_or_default(),
        _ => header,
    }
}

/// The parts of a list that commas separate.
fn parts(tokens: &[String]) -> Vec<&[String]> {
    let (mut found, mut start, mut at) = (Vec::new(), 0, 0);
    while let Some(token) = tokens.get(at) {
        match token.as_str() {
            "{" | "(" | "[" => at = closing(tokens, at),
            "<" => at = closing_angle(tokens, at),
            "," => {
                found.push(&tokens[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    found.push(tokens.get(start..).unwrap_or_default());
    found
}

/// The name and the type of a field or parameter.
fn named_type(tokens: &[String], own: Option<&str>) -> Option<(String, TypeName)> {
    let colon = tokens.iter().position(|token| token == ":")?;
    let name = tokens.get(colon.checked_sub(1)?).filter(|name| is_name(Some(name)))?;
    Some((name.clone(), type_name(&tokens[colon + 1..], own)?))
}

/// The name of a type, or of what a reference or box refers to.
fn type_name(mut tokens: &[String], own: Option<&str>) -> Option<TypeName> {
    loop {
        let (first, rest) = tokens.split_first()?;
        tokens = match first.as_str() {
            "&" | "mut" | "dyn" | "impl" => rest,
            // A lifetime.
            "'" => rest.get(1..)?,
            "Box" | "Arc" | "Rc" if rest.first().is_some_and(|token| token == "<") => &rest[1..],
            "Self" => return own.map(str::to_owned),
            _ => break,
        };
    }
    let mut last = None;
    while is_name(tokens.first()) {
        last = tokens.first();
        match tokens.get(1) {
            Some(next) if next == "::" => tokens = &tokens[2..],
            _ => break,
        }
    }
    last.cloned()
}
