//! The table as JSON (docs/editors.md describes the form).

use ptx_isa::{
    Combination, Constants, Constraint, Directive, Effects, Form, Mod, Operand, OperandKind, Place,
    PtxVersion, Role, Rule, ScalarType, Since, Slot, SpecialReg, TypeRule, VectorLength, all_forms,
};
use serde_json::{Map, Value, json as object};

/// The number of the form of [`json`]: it changes if a key is removed or gets another meaning, not if one is added.
pub const SCHEMA_VERSION: u32 = 1;

/// The whole table as a JSON document, with a line feed at its end.
///
/// ```
/// assert!(ptx_export::json().starts_with('{'));
/// ```
pub fn json() -> String {
    let mut out = String::new();
    out.push_str("{\n");
    out.push_str(&format!("\"schema\": {SCHEMA_VERSION},\n"));
    out.push_str(&format!("\"ptx\": \"{}\",\n", PtxVersion::NEWEST));
    list(&mut out, "instructions", all_forms().iter().map(form));
    list(&mut out, "directives", Directive::ALL.iter().map(directive));
    list(&mut out, "special_registers", SpecialReg::all().map(special));
    list(&mut out, "types", ScalarType::ALL.iter().map(scalar));
    // The comma after the last list.
    out.truncate(out.trim_end_matches(['\n', ',']).len());
    out.push_str("\n}\n");
    out
}

/// A list of objects, each on a line.
fn list(out: &mut String, name: &str, rows: impl Iterator<Item = Value>) {
    let rows: Vec<String> = rows.map(|row| row.to_string()).collect();
    out.push_str(&format!("\"{name}\": [\n{}\n],\n", rows.join(",\n")));
}

fn form(form: &Form) -> Value {
    let mut row = Map::new();
    let mut put = |name: &str, value: Value| row.insert(name.to_owned(), value);
    put("opcode", form.opcode.as_str().into());
    put("syntax", form.syntax().into());
    put("summary", form.doc.into());
    put("meaning", form.sem.meaning().into());
    put("family", format!("{:?}", form.sem).into());
    put("section", form.section.into());
    put("since", since(form.since));
    put("modifiers", form.slots.iter().map(|one| slot(form, one)).collect());
    put("operands", form.operands.iter().map(operand).collect());
    put("effects", effects(form.effects));
    if let Some(removed) = &form.removed {
        put("removed", since(removed.from));
    }
    if let Some(implied) = form.implied {
        put("implied", dotted(implied));
    }
    if !form.defaults.is_empty() {
        put("defaults", form.defaults.iter().map(|group| modifiers(group)).collect());
    }
    if !form.later_combined.is_empty() {
        put(
            "later_combinations",
            form.later_combined.iter().map(|(one, later)| combination(one, *later)).collect(),
        );
    }
    let rules = form.rules.iter().map(rule).chain(form.constraints.iter().map(constraint));
    let rules: Vec<Value> = rules.collect();
    if !rules.is_empty() {
        put("rules", rules.into());
    }
    row.into()
}

/// A version and targets. `targets` lists the only ones that have it; without it every one from `sm` on does.
fn since(since: Since) -> Value {
    let mut value = object!({ "ptx": since.ptx.to_string(), "sm": since.sm });
    if !since.only.is_empty() {
        value["targets"] = since.only.iter().map(|sm| Value::from(sm.to_string())).collect();
    }
    value
}

fn dotted(modifier: Mod) -> Value {
    format!(".{}", modifier.as_str()).into()
}

fn modifiers(set: &[Mod]) -> Value {
    set.iter().map(|modifier| dotted(*modifier)).collect()
}

/// A position of a modifier, with its choices.
fn slot(form: &Form, slot: &Slot) -> Value {
    let set: &[Mod] = match slot {
        Slot::Lit(only) => std::slice::from_ref(only),
        Slot::One(_, set) | Slot::Opt(_, set) => set,
    };
    let choice = |modifier: &Mod| {
        let mut value = object!({ "text": dotted(*modifier) });
        if let Some((_, later)) = form.later.iter().find(|(later, _)| later == modifier) {
            value["since"] = since(*later);
        }
        value
    };
    object!({
        "name": slot.field().map(|field| field.as_str()),
        "required": !slot.is_optional(),
        "choices": set.iter().map(choice).collect::<Vec<Value>>(),
    })
}

fn operand(operand: &Operand) -> Value {
    let mut row = Map::new();
    let mut put = |name: &str, value: Value| row.insert(name.to_owned(), value);
    put("name", operand.name.into());
    put("written", operand.role.is_written().into());
    put("read", operand.role.is_read().into());
    put("required", (operand.role.is_required() || operand.required).into());
    if operand.role == Role::DefPair {
        put("pair", true.into());
    }
    put("kind", kind(operand.kind).into());
    let (ty, length) = type_and_length(operand.kind);
    if let Some(rule) = ty {
        put("type", type_rule(rule));
    }
    if let Some(length) = length {
        put("length", vector_length(length));
    }
    match operand.kind {
        OperandKind::Bracketed(parts) => {
            put("parts", parts.iter().map(self::operand).collect());
        }
        OperandKind::AddressIn(space) => {
            put("space", format!(".{}", space.as_str()).into());
        }
        OperandKind::Immediate(low, high) => {
            put("constants", object!({ "from": low, "to": high }));
        }
        _ => {}
    }
    if operand.constants != Constants::Any {
        put("constants", constants(operand.constants));
    }
    if !operand.when.is_empty() {
        put("with", modifiers(operand.when));
    }
    if !operand.without.is_empty() {
        put("without", modifiers(operand.without));
    }
    if operand.since != Since::ALWAYS {
        put("since", since(operand.since));
    }
    if let Some(discardable) = operand.discardable {
        put("discardable", since(discardable));
    }
    row.into()
}

/// The name of a kind of operand.
fn kind(kind: OperandKind) -> &'static str {
    match kind {
        OperandKind::Value(_) => "value",
        OperandKind::Register(_) => "register",
        OperandKind::Wide(_) => "wide value",
        OperandKind::Untyped(_) => "untyped register",
        OperandKind::WideVector(..) => "wide vector",
        OperandKind::Vector(..) => "vector",
        OperandKind::Elements(..) => "elements",
        OperandKind::Registers(..) => "registers",
        OperandKind::Move(_) => "source or destination of mov",
        OperandKind::Predicate => "predicate",
        OperandKind::Immediate(..) => "constant",
        OperandKind::CachePolicy => "cache policy",
        OperandKind::Address | OperandKind::AddressIn(_) => "address",
        OperandKind::TensorAddress => "address in tensor memory",
        OperandKind::LooseAddress => "address or register",
        OperandKind::Bracketed(_) => "brackets",
        OperandKind::Braced(..) => "braces",
        OperandKind::Reference => "texture, sampler, surface or tensor map",
        OperandKind::Coordinates(_) => "coordinates",
        OperandKind::Selected(..) => "part of a register",
        OperandKind::Signed(..) => "signed part of a register",
        OperandKind::Label => "label",
        OperandKind::BranchTargets => "branch targets",
        OperandKind::Callee => "function",
        OperandKind::Results => "results",
        OperandKind::Arguments => "arguments",
        OperandKind::CallTargets => "call targets",
    }
}

fn type_and_length(kind: OperandKind) -> (Option<TypeRule>, Option<VectorLength>) {
    match kind {
        OperandKind::Value(rule)
        | OperandKind::Register(rule)
        | OperandKind::Wide(rule)
        | OperandKind::Untyped(rule)
        | OperandKind::Move(rule)
        | OperandKind::Coordinates(rule)
        | OperandKind::Selected(rule, _)
        | OperandKind::Signed(rule, _) => (Some(rule), None),
        OperandKind::WideVector(rule, length)
        | OperandKind::Vector(rule, length)
        | OperandKind::Elements(rule, length)
        | OperandKind::Registers(rule, length)
        | OperandKind::Braced(rule, length) => (Some(rule), Some(length)),
        OperandKind::Predicate => (Some(TypeRule::Is(ScalarType::Pred)), None),
        OperandKind::CachePolicy => (Some(TypeRule::Is(ScalarType::B64)), None),
        OperandKind::Immediate(..)
        | OperandKind::Address
        | OperandKind::AddressIn(_)
        | OperandKind::TensorAddress
        | OperandKind::LooseAddress
        | OperandKind::Bracketed(_)
        | OperandKind::Reference
        | OperandKind::Label
        | OperandKind::BranchTargets
        | OperandKind::Callee
        | OperandKind::Results
        | OperandKind::Arguments
        | OperandKind::CallTargets => (None, None),
    }
}

/// How the type of an operand follows: one key, which names the rule.
fn type_rule(rule: TypeRule) -> Value {
    match rule {
        TypeRule::Is(ty) => object!({ "is": format!(".{}", ty.as_str()) }),
        TypeRule::Of(field) => object!({ "of": field.as_str() }),
        TypeRule::WideOf(field) => object!({ "wide_of": field.as_str() }),
        TypeRule::BitsOf(field) => object!({ "bits_of": field.as_str() }),
        TypeRule::Literal => object!({ "literal": true }),
        TypeRule::HeldBy(field) => object!({ "held_by": field.as_str() }),
        TypeRule::ValueOf(field) => object!({ "value_of": field.as_str() }),
        TypeRule::FragmentOf(field) => object!({ "fragment_of": field.as_str() }),
    }
}

fn vector_length(length: VectorLength) -> Value {
    match length {
        VectorLength::Is(count) => object!({ "is": count }),
        VectorLength::Of(field) => object!({ "of": field.as_str() }),
        VectorLength::By(rule) => object!({ "by": format!("{rule:?}") }),
        VectorLength::Free => object!({ "free": true }),
    }
}

fn constants(constants: Constants) -> Value {
    match constants {
        Constants::Any => Value::Null,
        Constants::Range(low, high) => object!({ "from": low, "to": high }),
        Constants::Multiple(step, low, high) => object!({ "from": low, "to": high, "multiple_of": step }),
        Constants::PowerOfTwo(low, high) => object!({ "from": low, "to": high, "power_of_two": true }),
        Constants::Either(one, other) => object!({ "one_of": [one, other] }),
        Constants::LowWord(inner) => object!({ "low_word": self::constants(*inner) }),
        Constants::Elements(elements) => {
            object!({ "elements": elements.iter().map(|one| self::constants(*one)).collect::<Vec<_>>() })
        }
        Constants::ScaleBytes => object!({ "by": "scale bytes" }),
        Constants::SparsitySelector => object!({ "by": "sparsity selector" }),
    }
}

fn combination(combination: &Combination, later: Since) -> Value {
    let slots = combination.iter().map(|(field, set)| (field.as_str().to_owned(), modifiers(set)));
    object!({ "modifiers": slots.collect::<Map<String, Value>>(), "since": since(later) })
}

fn rule(rule: &Rule) -> Value {
    match rule {
        Rule::Together(one, other) => {
            object!({ "rule": "together", "slots": [one.as_str(), other.as_str()] })
        }
        Rule::Needs(modifier, needed) => needs(&[*modifier], needed),
        Rule::Excludes(modifier, others) => excludes(&[*modifier], others, None),
    }
}

fn constraint(constraint: &Constraint) -> Value {
    match constraint {
        Constraint::Never(modifier, reason) => {
            object!({ "rule": "never", "modifiers": modifiers(&[*modifier]), "reason": reason })
        }
        Constraint::Needs(with, needed) => needs(with, needed),
        Constraint::Excludes(with, others) => excludes(with, others, None),
        Constraint::Misplaced(with, others, reason) => excludes(with, others, Some(reason)),
    }
}

fn needs(with: &[Mod], needed: &[Mod]) -> Value {
    object!({ "rule": "needs", "modifiers": modifiers(with), "one_of": modifiers(needed) })
}

fn excludes(with: &[Mod], others: &[Mod], reason: Option<&str>) -> Value {
    let mut value =
        object!({ "rule": "excludes", "modifiers": modifiers(with), "none_of": modifiers(others) });
    if let Some(reason) = reason {
        value["reason"] = reason.into();
    }
    value
}

fn effects(effects: Effects) -> Value {
    let Effects { reads, writes, convergent, terminator, side_effects } = effects;
    object!({
        "reads_memory": reads,
        "writes_memory": writes,
        "convergent": convergent,
        "terminator": terminator,
        "side_effects": side_effects,
    })
}

fn directive(directive: &Directive) -> Value {
    let places = directive.places.iter().map(|place| match place {
        Place::Module => "module",
        Place::Linkage => "linkage",
        Place::Function => "function",
        Place::Body => "body",
        Place::Label => "label",
        Place::Declaration => "declaration",
    });
    let first = match directive.construct {
        Some(construct) => construct.since(),
        None => Since::ALWAYS,
    };
    object!({
        "text": format!(".{}", directive.word),
        "syntax": directive.syntax(),
        "summary": directive.doc,
        "section": directive.section,
        "places": places.collect::<Vec<_>>(),
        "since": since(first),
    })
}

fn special(register: SpecialReg) -> Value {
    object!({
        "text": register.to_string(),
        "type": format!(".{}", register.scalar_type().as_str()),
        "vector": register.is_vector(),
        "summary": register.doc(),
        "since": since(register.since()),
    })
}

fn scalar(ty: &ScalarType) -> Value {
    object!({
        "text": format!(".{}", ty.as_str()),
        "bits": ty.bits(),
        "kind": format!("{:?}", ty.kind()).to_lowercase(),
        "declarable": ty.is_declarable(),
    })
}
