//! `ptx-index-elements`: indices of elements in place of distances in bytes.
//!
//! PTX computes addresses in bytes, and so does the lowered IR: `getelementptr i8` of a product. Who reads it looks for the elements.

use ptx_llvm_core::build::CastOp;
use ptx_llvm_core::edit::{Editor, Function, GepFlags, Inst, Layout, Opcode, Type, Value};
use ptx_llvm_core::{LlvmError, Module, marks};

use crate::pass::{Pass, Run, When, on_functions};

/// Runs where it is named, and where `ptx2ll` writes code without a level.
pub(crate) const PASS: Pass = Pass {
    name: "ptx-index-elements",
    summary: "Replaces byte offsets that are products by element indices: `getelementptr float, ptr %p, i64 %i`.",
    when: When::Named,
    run: Run::Function(index),
    parameters: &[],
};

/// Indices have this width. Narrower products wrap before LLVM extends them, which elements would not.
const INDEX_BITS: u32 = 64;

/// Gives addresses the type of what is accessed there, where their index is a product with its size:
///
/// ```text
///   %d = shl i64 %i, 2
///   %a = getelementptr i8, ptr %p, i64 %d          %a = getelementptr float, ptr %p, i64 %i
///   %x = load float, ptr %a                        %x = load float, ptr %a
/// ```
///
/// The product may be narrower and extended, if it does not wrap. All uses have to be such addresses, for it goes; functions that are
/// `optnone` stay as they are. Without `nusw` and `nuw` both forms wrap alike; with them the address keeps its form unless the product has
/// the same.
///
/// # Errors
///
/// What the editor refuses, which a valid module does not lead to.
pub fn index_elements(module: &mut Module<'_>) -> Result<(), LlvmError> {
    on_functions(module, index)
}

fn index<'e>(editor: &Editor<'e>, function: Function<'e>) -> Result<(), LlvmError> {
    let elements = Elements::new(editor);
    let products: Vec<Product<'_>> =
        function.instructions().into_iter().filter_map(|inst| elements.product(inst)).collect();
    products.into_iter().try_for_each(|product| elements.take_in(&product))
}

/// A product with a constant that may be a size, of 64 bits or extended to them.
struct Product<'e> {
    /// The product, or its extension.
    instruction: Inst<'e>,
    /// The factor that is not a constant.
    index: Value<'e>,
    size: u64,
    /// How the factor is extended where the product was.
    extension: Option<CastOp>,
    /// Whether the product is known not to wrap as a signed number, and as an unsigned one.
    signed: bool,
    unsigned: bool,
}

/// What the pass asks of a module.
struct Elements<'a, 'e> {
    editor: &'a Editor<'e>,
    layout: Layout<'e>,
    /// The metadata that keeps an instruction of PTX.
    marks: [ptx_llvm_core::edit::MetadataKind<'e>; 2],
}

impl<'a, 'e> Elements<'a, 'e> {
    fn new(editor: &'a Editor<'e>) -> Self {
        let marks = [marks::INST, marks::LITERAL].map(|kind| editor.metadata_kind(kind));
        Self { editor, layout: editor.layout(), marks }
    }

    /// Whether PTX's instruction is kept in metadata.
    fn is_marked(&self, inst: Inst<'e>) -> bool {
        self.marks.iter().any(|kind| inst.metadata(*kind).is_some())
    }

    /// The instruction as a product, where no metadata keeps it.
    fn product(&self, inst: Inst<'e>) -> Option<Product<'e>> {
        if inst.ty().integer_bits()? != INDEX_BITS || self.is_marked(inst) {
            return None;
        }
        let extension = match inst.opcode() {
            Opcode::SExt => CastOp::SExt,
            Opcode::ZExt => CastOp::ZExt,
            _ => return plain_product(inst),
        };
        let narrow = inst.operand(0)?.as_inst().filter(|narrow| !self.is_marked(*narrow))?;
        let product = plain_product(narrow)?;
        let holds = if extension == CastOp::SExt { product.signed } else { product.unsigned };
        // The extended product is too small to wrap, as a signed number too.
        let unsigned = extension == CastOp::ZExt;
        holds.then_some(Product {
            instruction: inst,
            extension: Some(extension),
            signed: true,
            unsigned,
            ..product
        })
    }

    /// Indexes by elements what is indexed by the product, when that is all the product is for.
    fn take_in(&self, product: &Product<'e>) -> Result<(), LlvmError> {
        let mut addresses = Vec::new();
        for user in product.instruction.users() {
            let Some((base, element)) = self.element_of(product, user) else { return Ok(()) };
            addresses.push((user, base, element));
        }
        if addresses.is_empty() {
            return Ok(());
        }
        let index = self.index(product)?;
        for (address, base, element) in addresses {
            let new = self.editor.before(address)?.gep(element, base, &[index], address.gep_flags())?;
            self.editor.replace(address, new)?;
        }
        let narrow = product.extension.and_then(|_| product.instruction.operand(0)?.as_inst());
        self.editor.erase(product.instruction)?;
        match narrow.filter(|narrow| !narrow.has_users()) {
            Some(narrow) => self.editor.erase(narrow),
            None => Ok(()),
        }
    }

    /// The factor, extended as the product is.
    fn index(&self, product: &Product<'e>) -> Result<Value<'e>, LlvmError> {
        let Some(extension) = product.extension else { return Ok(product.index) };
        let inst = product.instruction;
        let extended = self.editor.before(inst)?.cast(extension, product.index, inst.ty())?;
        if let Some(extended) = extended.as_inst() {
            extended.take_location(inst);
        }
        Ok(extended)
    }

    /// The base of an address of bytes whose index is the product, and the type of the product's size that is accessed there.
    fn element_of(&self, product: &Product<'e>, user: Inst<'e>) -> Option<(Value<'e>, Type<'e>)> {
        let (base, index) = byte_address(user)?;
        if index != product.instruction.value() || self.is_marked(user) {
            return None;
        }
        let flags: GepFlags = user.gep_flags();
        if flags.is_signed() && !product.signed || flags.is_unsigned() && !product.unsigned {
            return None;
        }
        let element = accessed(user, true)?;
        (self.layout.abi_size(element) == Some(product.size)).then_some((base, element))
    }
}

/// The product that the instruction itself is.
fn plain_product(inst: Inst<'_>) -> Option<Product<'_>> {
    let opcode = inst.opcode();
    if !matches!(opcode, Opcode::Shl | Opcode::Mul) {
        return None;
    }
    let bits = inst.ty().integer_bits()?;
    let [index, factor] = inst.two_operands()?;
    if bits > INDEX_BITS || index.is_constant() {
        return None;
    }
    let factor = factor.as_unsigned()?;
    let size = match opcode {
        Opcode::Shl => 1u64.checked_shl(u32::try_from(factor).ok()?)?,
        _ => factor,
    };
    // A size that is not a positive number of the product's width would have another sign.
    let is_size = size > 1 && size < 1 << (bits - 1).min(32);
    let flags = inst.wrap_flags();
    is_size.then_some(Product {
        instruction: inst,
        index,
        size,
        extension: None,
        signed: flags.nsw,
        unsigned: flags.nuw,
    })
}

/// The pointer and the index of a `getelementptr i8` that has one of each.
fn byte_address(inst: Inst<'_>) -> Option<(Value<'_>, Value<'_>)> {
    let source = inst.value().gep_source()?;
    let is_of_bytes = source.integer_bits() == Some(8)
        && inst.value().operand_count() == 2
        && inst.ty().pointer_space().is_some();
    let [base, index] = inst.two_operands()?;
    is_of_bytes.then_some((base, index))
}

/// The type that all accesses at an address have, or at a constant distance from it where `nearby`.
fn accessed(address: Inst<'_>, nearby: bool) -> Option<Type<'_>> {
    let mut found = None;
    for user in address.users() {
        let ty = match (user.access(), byte_address(user)) {
            (Some((place, ty)), _) if place == address.value() => ty,
            (_, Some((_, index))) if nearby && index.is_constant_integer() => {
                let Some(ty) = accessed(user, false) else { continue };
                ty
            }
            _ => continue,
        };
        if found.is_some_and(|found| found != ty) {
            return None;
        }
        found = Some(ty);
    }
    found
}

#[cfg(test)]
mod tests {
    use ptx_llvm_core::{Context, Module};

    use super::index_elements;

    /// The body of a function after the pass.
    fn after(body: &str) -> Vec<String> {
        let context = Context::new().expect("LLVM 22");
        let text = format!(
            "define void @f(i64 %i, ptr addrspace(1) %p, ptr addrspace(1) %q) {{\n{body}\n  ret void\n}}\n"
        );
        let mut module = Module::parse(&context, "m", text.as_bytes()).expect("valid text");
        index_elements(&mut module).expect("runs");
        module.verify().expect("still valid");
        let text = module.to_text();
        let lines = text.lines().skip_while(|line| !line.starts_with("define")).skip(1);
        lines.take_while(|line| !line.contains("ret void")).map(|line| line.trim().to_owned()).collect()
    }

    /// Whether the pass leaves a body alone.
    fn stays(body: &str) -> bool {
        after(body).iter().eq(body.lines().map(str::trim))
    }

    #[test]
    fn product_with_the_size_of_what_is_accessed_is_an_index() {
        for product in ["shl i64 %i, 2", "mul i64 %i, 4"] {
            let body = format!(
                "%d = {product}
%a = getelementptr i8, ptr addrspace(1) %p, i64 %d
%x = load float, ptr addrspace(1) %a, align 4
%b = getelementptr i8, ptr addrspace(1) %q, i64 %d
%c = getelementptr i8, ptr addrspace(1) %b, i64 8
store i32 0, ptr addrspace(1) %c, align 4"
            );
            assert_eq!(
                after(&body),
                [
                    "%a = getelementptr float, ptr addrspace(1) %p, i64 %i",
                    "%x = load float, ptr addrspace(1) %a, align 4",
                    "%b = getelementptr i32, ptr addrspace(1) %q, i64 %i",
                    "%c = getelementptr i8, ptr addrspace(1) %b, i64 8",
                    "store i32 0, ptr addrspace(1) %c, align 4"
                ]
            );
        }
    }

    #[test]
    fn other_sizes_types_and_uses_stay_in_bytes() {
        const ACCESS: &str = "%d = shl i64 %i, 2
%a = getelementptr i8, ptr addrspace(1) %p, i64 %d
%x = load float, ptr addrspace(1) %a, align 4";
        assert!(!stays(ACCESS));
        assert!(stays(&ACCESS.replace("i64 %i, 2", "i64 %i, 3")));
        assert!(stays(&ACCESS.replace("load float", "load double")));
        assert!(stays(&format!("{ACCESS}\n%y = load i32, ptr addrspace(1) %a, align 4")), "two types");
        assert!(
            stays(&format!("{ACCESS}\nstore i64 %d, ptr addrspace(1) %q, align 8")),
            "the product is used"
        );
        assert!(stays(&format!("{ACCESS}\n%b = getelementptr i8, ptr addrspace(1) %q, i64 %d")), "no access");
    }

    #[test]
    fn extended_product_is_an_extended_index_unless_it_wraps() {
        let body = |product: &str, cast: &str| {
            format!(
                "%n = trunc i64 %i to i32
%s = {product}
%d = {cast} i32 %s to i64
%a = getelementptr i8, ptr addrspace(1) %p, i64 %d
%x = load float, ptr addrspace(1) %a, align 4"
            )
        };
        for (product, cast) in [
            ("shl nuw i32 %n, 2", "zext"),
            ("mul nuw nsw i32 %n, 4", "zext nneg"),
            ("shl nsw i32 %n, 2", "sext"),
        ] {
            let found = after(&body(product, cast));
            assert_eq!(found[1], format!("%1 = {} i32 %n to i64", &cast[..4]));
            assert_eq!(found[2], "%a = getelementptr float, ptr addrspace(1) %p, i64 %1");
            assert_eq!(found.len(), 4, "{found:?}");
        }
        for (product, cast) in
            [("shl nsw i32 %n, 2", "zext"), ("shl nuw i32 %n, 2", "sext"), ("shl i32 %n, 2", "zext")]
        {
            assert!(stays(&body(product, cast)), "{cast} {product}");
        }
        let used =
            format!("{}\nstore i32 %s, ptr addrspace(1) %q, align 4", body("shl nuw i32 %n, 2", "zext"));
        let found = after(&used);
        assert!(found[1].starts_with("%s = shl") && found[3].contains("float"), "{found:?}");
    }

    #[test]
    fn index_of_32_bits_stays() {
        let body = "%n = trunc i64 %i to i32
%d = shl i32 %n, 2
%a = getelementptr i8, ptr addrspace(1) %p, i32 %d
%x = load float, ptr addrspace(1) %a, align 4";
        assert!(stays(body));
    }

    #[test]
    fn flags_of_the_address_need_those_of_the_product() {
        let body = |product: &str, flags: &str| {
            format!(
                "%d = shl {product}i64 %i, 2
%a = getelementptr {flags}i8, ptr addrspace(1) %p, i64 %d
%x = load float, ptr addrspace(1) %a, align 4"
            )
        };
        assert!(stays(&body("", "inbounds ")));
        assert!(stays(&body("nuw ", "inbounds ")));
        assert!(stays(&body("nsw ", "nuw ")));
        let found = after(&body("nsw ", "inbounds "));
        assert_eq!(found[0], "%a = getelementptr inbounds float, ptr addrspace(1) %p, i64 %i");
        assert!(after(&body("nuw nsw ", ""))[0].contains("getelementptr float,"));
    }
}
