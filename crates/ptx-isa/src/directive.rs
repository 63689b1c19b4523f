//! The directives (manual 11) and the words of declarations, with where they may be written.
//!
//! The grammar of `ptx-syntax` parses them; a test there asserts that it accepts the directives of these rows at these places. Editors show the
//! sentences, and complete the words. Versions are those of [`Construct`], as for the verifier.

use crate::construct::Construct;
use crate::types::{ScalarType, StateSpace};

/// Where a directive may be written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// At the start of an item of a module.
    Module,
    /// Before `.entry`, `.func` or the state space of a variable of a module.
    Linkage,
    /// After the parameters of a function; `.attribute` before its name.
    Function,
    /// At the start of a statement of a body.
    Body,
    /// After a label in a body.
    Label,
    /// In the declaration of a variable or parameter, before its name.
    Declaration,
}

/// A directive, or another word with a dot of declarations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Directive {
    /// The word without its dot.
    pub word: &'static str,
    /// Where it may be written.
    pub places: &'static [Place],
    /// What follows the word, as the manual writes it; empty if nothing does.
    pub arguments: &'static str,
    /// The meaning, in one sentence.
    pub doc: &'static str,
    /// The manual's section; empty if only `ptxas` has the directive.
    pub section: &'static str,
    /// Its versions, if not every version of PTX has it.
    pub construct: Option<Construct>,
}

const fn row(
    word: &'static str,
    places: &'static [Place],
    arguments: &'static str,
    doc: &'static str,
    section: &'static str,
) -> Directive {
    Directive { word, places, arguments, doc, section, construct: None }
}

impl Directive {
    /// The same directive, with the versions of a construct.
    const fn since(mut self, construct: Construct) -> Self {
        self.construct = Some(construct);
        self
    }

    /// All directives, in the order of the manual's sections.
    pub const ALL: &'static [Directive] = ROWS;

    /// The directive of a word without its dot.
    pub fn from_ptx(word: &str) -> Option<&'static Directive> {
        ROWS.iter().find(|row| row.word == word)
    }

    /// The directives that may be written at a place.
    pub fn at(place: Place) -> impl Iterator<Item = &'static Directive> {
        ROWS.iter().filter(move |row| row.places.contains(&place))
    }

    /// How it is written, as the manual writes it: `.version major.minor`.
    pub fn syntax(&self) -> String {
        let space =
            if self.arguments.is_empty() || self.arguments.starts_with(['(', ';']) { "" } else { " " };
        format!(".{}{space}{}", self.word, self.arguments)
    }

    /// The state space that the word names, if it does.
    pub fn space(&self) -> Option<StateSpace> {
        StateSpace::ALL.iter().copied().find(|space| space.as_str() == self.word)
    }

    /// The fundamental types, which are words of declarations, too (manual 5.2).
    pub fn types() -> impl Iterator<Item = ScalarType> {
        ScalarType::ALL.iter().copied().filter(|ty| ty.is_declarable())
    }
}

use Place::{Body, Declaration, Function, Label, Linkage, Module};

const BOTH: &[Place] = &[Module, Body];
const VARIABLE: &str = "{.align n} {.vector} .type name {, name};";
const HEAD: &[Place] = &[Function];

const ROWS: &[Directive] = &[
    row(
        "ptr",
        &[Declaration],
        "{.space} {.align n}",
        "The parameter is a pointer to memory of this state space and alignment.",
        "5.1.6.3",
    )
    .since(Construct::Ptr),
    row(
        "reg",
        BOTH,
        ".type name {, name};",
        "Declares registers; `%r<10>` declares `%r0` to `%r9`.",
        "5.1.1",
    ),
    row("const", BOTH, VARIABLE, "Declares a variable in constant memory, which kernels only read.", "5.1.3"),
    row("global", BOTH, VARIABLE, "Declares a variable in global memory, which all threads share.", "5.1.4"),
    row(
        "local",
        BOTH,
        VARIABLE,
        "Declares a variable in local memory, of which each thread has its own.",
        "5.1.5",
    ),
    row(
        "param",
        &[Body, Declaration],
        VARIABLE,
        "Declares a parameter, or a variable that holds an argument or result of a call.",
        "5.1.6",
    ),
    row(
        "shared",
        BOTH,
        VARIABLE,
        "Declares a variable in shared memory, of which each block has its own.",
        "5.1.7",
    ),
    row(
        "tex",
        &[Module],
        ".type name {, name};",
        "Declares a texture in texture memory; older than `.texref`.",
        "5.1.8",
    ),
    row("texref", &[Declaration], "name", "A reference to a texture.", "5.3").since(Construct::Reference),
    row("samplerref", &[Declaration], "name", "A reference to a sampler.", "5.3").since(Construct::Reference),
    row("surfref", &[Declaration], "name", "A reference to a surface.", "5.3").since(Construct::Reference),
    row("v2", &[Declaration], ".type name", "A vector of two elements.", "5.4.2"),
    row("v4", &[Declaration], ".type name", "A vector of four elements.", "5.4.2"),
    row("v8", &[Declaration], ".type name", "A vector of eight elements.", "5.4.2"),
    row(
        "align",
        &[Module, Body, Declaration],
        "n",
        "The address is a multiple of this number of bytes.",
        "5.4.5",
    ),
    row(
        "attribute",
        &[Module, Body, Function, Declaration],
        "(.managed | .unified(upper, lower))",
        "Attributes of a variable or function.",
        "5.4.8",
    ),
    row(
        "managed",
        &[Declaration],
        "",
        "The variable is in memory that the host accesses, too; a value of `.attribute`.",
        "5.4.8",
    )
    .since(Construct::ManagedVariable),
    row(
        "unified",
        &[Declaration],
        "(upper, lower)",
        "The variable or function has this identity in all modules; a value of `.attribute`.",
        "5.4.8",
    )
    .since(Construct::UnifiedVariable),
    row("version", &[Module], "major.minor", "The version of PTX of the module.", "11.1.1"),
    row(
        "target",
        &[Module],
        "target {, option}",
        "The architecture that the module is for, and options.",
        "11.1.2",
    ),
    row("address_size", &[Module], "32 | 64", "The number of bits of addresses.", "11.1.3")
        .since(Construct::AddressSize),
    row(
        "entry",
        &[Module],
        "name {(parameters)} {directives} { body }",
        "A kernel, with its parameters and body.",
        "11.2.1",
    ),
    row(
        "func",
        &[Module],
        "{(result)} name {(parameters)} {directives} { body }",
        "A device function, with its results, parameters and body.",
        "11.2.2",
    ),
    row("alias", &[Module], "name, function;", "A second name for a function.", "11.2.3")
        .since(Construct::Alias),
    row("branchtargets", &[Label], "label {, label};", "The labels to which a `brx.idx` may jump.", "11.3.1")
        .since(Construct::BranchTargets),
    row(
        "calltargets",
        &[Label],
        "function {, function};",
        "The functions that an indirect call may call.",
        "11.3.2",
    )
    .since(Construct::CallTargets),
    row(
        "callprototype",
        &[Label],
        "{(result)} _ {(parameters)};",
        "The signature of the functions that an indirect call may call.",
        "11.3.3",
    )
    .since(Construct::CallPrototype),
    row("maxnreg", HEAD, "n", "The most registers of a thread.", "11.4.1").since(Construct::MaxNReg),
    row("maxntid", HEAD, "x {, y {, z}}", "The most threads of a block.", "11.4.2").since(Construct::MaxNtid),
    row("reqntid", HEAD, "x {, y {, z}}", "The number of threads that a block must have.", "11.4.3")
        .since(Construct::ReqNtid),
    row(
        "minnctapersm",
        HEAD,
        "n",
        "The least number of blocks that a multiprocessor runs at once.",
        "11.4.4",
    )
    .since(Construct::MinNCtaPerSm),
    row("maxnctapersm", HEAD, "n", "The former name of `.minnctapersm`.", "11.4.5")
        .since(Construct::MaxNCtaPerSm),
    row("noreturn", HEAD, "", "The function does not return.", "11.4.6").since(Construct::NoReturn),
    row(
        "pragma",
        &[Module, Body, Function],
        "\"text\" {, \"text\"};",
        "A hint for the compiler of the module.",
        "11.4.7",
    )
    .since(Construct::Pragma),
    row("abi_preserve", HEAD, "n", "How many registers a function preserves for its caller.", "11.4.8")
        .since(Construct::AbiPreserve),
    row(
        "abi_preserve_control",
        HEAD,
        "n",
        "How many registers of control a function preserves for its caller.",
        "11.4.9",
    )
    .since(Construct::AbiPreserveControl),
    row("local_maxnreg", HEAD, "n", "The most registers of a thread in this function.", "")
        .since(Construct::LocalMaxNReg),
    row("minperctamemory", HEAD, "n", "The least number of bytes of memory for each block.", "")
        .since(Construct::MinPerCtaMemory),
    row("language", HEAD, "n {, n}", "The number of the language that the function was written in.", "")
        .since(Construct::Language),
    row("section", &[Module], "name { lines }", "Debug information in DWARF.", "11.5.2")
        .since(Construct::Section),
    row(
        "file",
        &[Module],
        "index \"name\" {, time, size}",
        "A file of the program that the module was compiled from.",
        "11.5.3",
    ),
    row(
        "loc",
        &[Body],
        "file line column {, function_name label {+ n}, inlined_at file line column}",
        "The line of the program that the following instructions were compiled from.",
        "11.5.4",
    ),
    row("extern", &[Module, Linkage], "", "What follows is defined in another module.", "11.6.1"),
    row("visible", &[Module, Linkage], "", "What follows can be used by other modules.", "11.6.2"),
    row(
        "weak",
        &[Module, Linkage],
        "",
        "What follows can be used by other modules, of which one definition is chosen.",
        "11.6.3",
    )
    .since(Construct::Weak),
    row(
        "common",
        &[Module, Linkage],
        "",
        "The variable may be declared by several modules, which share it.",
        "11.6.4",
    )
    .since(Construct::Common),
    row(
        "reqnctapercluster",
        HEAD,
        "x {, y {, z}}",
        "The number of blocks that a cluster must have.",
        "11.7.1",
    )
    .since(Construct::ReqNCtaPerCluster),
    row("explicitcluster", HEAD, "", "The kernel must be launched with clusters.", "11.7.2")
        .since(Construct::ExplicitCluster),
    row("maxclusterrank", HEAD, "n", "The most blocks of a cluster.", "11.7.3")
        .since(Construct::MaxClusterRank),
    row(
        "blocksareclusters",
        HEAD,
        "",
        "The numbers of blocks of a launch are numbers of clusters.",
        "11.8.1",
    )
    .since(Construct::BlocksAreClusters),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_directive_is_listed_once_and_has_what_an_editor_shows() {
        for (at, row) in ROWS.iter().enumerate() {
            assert!(ROWS[at + 1..].iter().all(|other| other.word != row.word), "{}", row.word);
            assert!(row.doc.ends_with('.') && !row.places.is_empty(), "{}", row.word);
        }
    }

    #[test]
    fn sections_and_words_are_those_of_the_constructs() {
        for row in ROWS {
            let Some(construct) = row.construct else { continue };
            let section = construct.section().unwrap_or("");
            assert_eq!(row.section, section, "{}", row.word);
            let is_word = construct.text().starts_with("`.");
            assert!(!is_word || construct.text() == format!("`.{}`", row.word), "{}", row.word);
        }
        // Each construct that is a directive has its row.
        for construct in Construct::ALL {
            let text = construct.text();
            if let Some(word) = text.strip_prefix("`.").and_then(|text| text.strip_suffix('`')) {
                assert!(Directive::from_ptx(word).is_some(), "{word}");
            }
        }
    }
}
