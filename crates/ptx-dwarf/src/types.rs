//! Types of the source (DWARF 2, 5).

use gimli::constants as dw;
use gimli::{DwAt, DwTag};
use ptx_llvm_core::view::{DebugField, DebugNode, Metadata, MetadataId};

use crate::entry::{EntryId, ExpressionPart, Value, constant, number, uleb};
use crate::unit::Unit;

/// The tag of that name.
fn tag(word: &str) -> Option<DwTag> {
    // The standard's tags, then GNU's.
    (0..0x80).chain(0x4100..0x4110).map(DwTag).find(|tag| tag.static_string() == Some(word))
}

/// The encoding of that name (DWARF 2, 7.8, and later ones).
fn encoding(word: &str) -> Option<u64> {
    (0..0x80).find(|&number| gimli::DwAte(number).static_string() == Some(word)).map(u64::from)
}

impl Unit<'_, '_> {
    /// The entry of a type; what it holds is filled in later. `None` for `void` and for what is not a type.
    pub(crate) fn type_entry(&mut self, id: Option<MetadataId>, depth: u32) -> Option<EntryId> {
        let id = id?;
        if let Some(&known) = self.types.get(&id) {
            return Some(known);
        }
        let node = self.view.debug_node(id)?;
        let tag = match node.class.as_str() {
            "DIBasicType" if node.word("tag").is_empty() => dw::DW_TAG_base_type,
            "DIStringType" if node.word("tag").is_empty() => dw::DW_TAG_string_type,
            "DIBasicType" | "DIDerivedType" | "DICompositeType" | "DIStringType" => tag(node.word("tag"))?,
            "DISubroutineType" => dw::DW_TAG_subroutine_type,
            _ => return None,
        };
        let parent = self.context(node.node("scope"), depth + 1);
        let entry = self.entries.add(parent, tag);
        self.types.insert(id, entry);
        self.waiting.push_back((id, entry));
        Some(entry)
    }

    /// `DW_AT_type`.
    pub(crate) fn set_type(&mut self, entry: EntryId, ty: Option<MetadataId>) {
        if let Some(ty) = self.type_entry(ty, 0) {
            self.entries.set(entry, dw::DW_AT_type, Value::Entry(ty));
        }
    }

    /// Fills in the types that wait; they bring up others.
    pub(crate) fn fill_types(&mut self) {
        while let Some((id, entry)) = self.waiting.pop_front() {
            let view = self.view;
            let Some(node) = view.debug_node(id) else { continue };
            match node.class.as_str() {
                "DIBasicType" => self.basic(entry, node),
                "DIDerivedType" => self.derived(entry, node),
                "DICompositeType" => self.composite(entry, node),
                "DISubroutineType" => self.signature(entry, node),
                "DISubprogram" => self.fill_declaration(entry, node),
                _ => self.name(entry, node),
            }
        }
    }

    pub(crate) fn name(&mut self, entry: EntryId, node: &DebugNode) {
        let name = node.text("name");
        if !name.is_empty() {
            self.entries.set(entry, dw::DW_AT_name, Value::Text(name.to_owned()));
        }
    }

    fn size(&mut self, entry: EntryId, node: &DebugNode) {
        if let Some(bits) = number(node, "size") {
            self.entries.set(entry, dw::DW_AT_byte_size, Value::Number(bits / 8));
        }
    }

    fn basic(&mut self, entry: EntryId, node: &DebugNode) {
        self.name(entry, node);
        if let Some(encoding) = encoding(node.word("encoding")) {
            self.entries.set(entry, dw::DW_AT_encoding, Value::Number(encoding));
            self.size(entry, node);
        }
    }

    fn derived(&mut self, entry: EntryId, node: &DebugNode) {
        self.name(entry, node);
        self.set_type(entry, node.node("baseType"));
        self.source(entry, node);
        // The size of an address follows from the unit.
        let is_address =
            node.word("tag").ends_with("pointer_type") || node.word("tag").ends_with("reference_type");
        if is_address {
            if let Some(space) = number(node, "dwarfAddressSpace") {
                self.entries.set(entry, dw::DW_AT_address_class, Value::Number(space));
            }
        } else {
            self.size(entry, node);
        }
        if node.word("tag") == "DW_TAG_ptr_to_member_type"
            && let Some(class) = self.type_entry(node.node("extraData"), 0)
        {
            self.entries.set(entry, dw::DW_AT_containing_type, Value::Entry(class));
        }
    }

    fn composite(&mut self, entry: EntryId, node: &DebugNode) {
        self.name(entry, node);
        match node.word("tag") {
            "DW_TAG_array_type" => return self.array(entry, node),
            "DW_TAG_enumeration_type" => self.set_type(entry, node.node("baseType")),
            _ => {}
        }
        if node.has_flag("flags", "DIFlagFwdDecl") {
            self.flag(entry, dw::DW_AT_declaration);
        } else {
            self.size(entry, node);
        }
        for (flag, convention) in [
            ("DIFlagTypePassByValue", dw::DW_CC_pass_by_value),
            ("DIFlagTypePassByReference", dw::DW_CC_pass_by_reference),
        ] {
            if node.has_flag("flags", flag) {
                self.entries.set(entry, dw::DW_AT_calling_convention, Value::Number(u64::from(convention.0)));
            }
        }
        if !node.has_flag("flags", "DIFlagFwdDecl") {
            self.source(entry, node);
        }
        if node.has_flag("flags", "DIFlagEnumClass") {
            self.flag(entry, dw::DW_AT_enum_class);
        }
        let is_variants = node.word("tag") == "DW_TAG_variant_part";
        if is_variants && let Some(discriminator) = node.node("discriminator") {
            let member = self.member(entry, discriminator);
            self.entries.set(entry, dw::DW_AT_discr, Value::Entry(member));
        }
        for element in self.list(node.node("elements")) {
            self.element(entry, element, is_variants);
        }
        for parameter in self.list(node.node("templateParams")) {
            self.template_parameter(entry, parameter);
        }
        if let Some(holder) = self.type_entry(node.node("vtableHolder"), 0) {
            self.entries.set(entry, dw::DW_AT_containing_type, Value::Entry(holder));
        }
    }

    /// What is in a structure, a union, a class or an enumeration.
    fn element(&mut self, entry: EntryId, element: MetadataId, is_variants: bool) {
        let view = self.view;
        let Some(node) = view.debug_node(element) else { return };
        match node.class.as_str() {
            "DIEnumerator" => {
                let one = self.entries.add(entry, dw::DW_TAG_enumerator);
                self.name(one, node);
                if let Some(value) = node.integer("value") {
                    self.entries.set(one, dw::DW_AT_const_value, constant(value));
                }
            }
            "DISubprogram" => {
                self.declaration(element, entry);
            }
            "DIDerivedType" if is_variants => {
                let variant = self.entries.add(entry, dw::DW_TAG_variant);
                if let Some(value) = node.integer("extraData") {
                    self.entries.set(variant, dw::DW_AT_discr_value, constant(value));
                }
                self.member(variant, element);
            }
            "DIDerivedType" if matches!(node.word("tag"), "DW_TAG_member" | "DW_TAG_variable") => {
                self.member(entry, element);
            }
            "DIDerivedType" if node.word("tag") == "DW_TAG_inheritance" => {
                let base = self.entries.add(entry, dw::DW_TAG_inheritance);
                self.set_type(base, node.node("baseType"));
                self.access(base, node);
                if node.has_flag("flags", "DIFlagVirtual") {
                    self.entries.set(base, dw::DW_AT_virtuality, Value::Number(1));
                } else {
                    self.set_offset(base, offset_of(node) / 8);
                }
            }
            "DIDerivedType" if node.word("tag") == "DW_TAG_friend" => {
                let friend = self.entries.add(entry, dw::DW_TAG_friend);
                if let Some(ty) = self.type_entry(node.node("baseType"), 0) {
                    self.entries.set(friend, dw::DW_AT_friend, Value::Entry(ty));
                }
            }
            // A part of variants, or a type that only is here.
            "DICompositeType" if node.word("tag") == "DW_TAG_variant_part" => {
                if !self.types.contains_key(&element) {
                    let part = self.entries.add(entry, dw::DW_TAG_variant_part);
                    self.types.insert(element, part);
                    self.waiting.push_back((element, part));
                }
            }
            _ => {
                self.type_entry(Some(element), 0);
            }
        }
    }

    /// A member of a structure (DWARF 2, 5.6.6); a static one is only declared here.
    pub(crate) fn member(&mut self, parent: EntryId, id: MetadataId) -> EntryId {
        if let Some(&known) = self.types.get(&id) {
            return known;
        }
        let entry = self.entries.add(parent, dw::DW_TAG_member);
        self.types.insert(id, entry);
        let view = self.view;
        let Some(node) = view.debug_node(id) else { return entry };
        self.name(entry, node);
        self.set_type(entry, node.node("baseType"));
        self.source(entry, node);
        self.access(entry, node);
        if node.has_flag("flags", "DIFlagStaticMember") {
            self.flag(entry, dw::DW_AT_external);
            self.flag(entry, dw::DW_AT_declaration);
            if let Some(value) = node.integer("extraData") {
                self.entries.set(entry, dw::DW_AT_const_value, constant(value));
            }
            return entry;
        }
        if node.has_flag("flags", "DIFlagArtificial") {
            self.flag(entry, dw::DW_AT_artificial);
        }
        let offset = offset_of(node);
        match number(node, "size") {
            Some(bits) if node.has_flag("flags", "DIFlagBitField") => {
                self.bit_field(entry, node, offset, bits);
            }
            Some(_) | None => self.set_offset(entry, offset / 8),
        }
        entry
    }

    /// A bit field lies in a unit of its type; its place counts from the highest bit (DWARF 2, 5.6.6).
    fn bit_field(&mut self, entry: EntryId, node: &DebugNode, offset: u64, bits: u64) {
        let storage = match self.bits_of(node.node("baseType")) {
            None | Some(0) => 8,
            Some(bits) => bits,
        };
        let start = offset - offset % storage;
        self.entries.set(entry, dw::DW_AT_byte_size, Value::Number(storage / 8));
        self.entries.set(entry, dw::DW_AT_bit_size, Value::Number(bits));
        let above = storage.saturating_sub(offset - start + bits);
        self.entries.set(entry, dw::DW_AT_bit_offset, Value::Number(above));
        self.set_offset(entry, start / 8);
    }

    /// The bits of a type, through other names of it.
    fn bits_of(&self, ty: Option<MetadataId>) -> Option<u64> {
        let mut ty = ty;
        for _ in 0..64 {
            let node = self.view.debug_node(ty?)?;
            if let Some(bits) = number(node, "size") {
                return Some(bits);
            }
            ty = node.node("baseType");
        }
        None
    }

    fn set_offset(&mut self, entry: EntryId, bytes: u64) {
        let mut block = vec![ExpressionPart::Byte(dw::DW_OP_plus_uconst.0)];
        block.extend(uleb(bytes).into_iter().map(ExpressionPart::Byte));
        self.entries.set(entry, dw::DW_AT_data_member_location, Value::Block(block));
    }

    pub(crate) fn access(&mut self, entry: EntryId, node: &DebugNode) {
        for (flag, value) in [("DIFlagPublic", 1), ("DIFlagProtected", 2), ("DIFlagPrivate", 3)] {
            if node.has_flag("flags", flag) {
                self.entries.set(entry, dw::DW_AT_accessibility, Value::Number(value));
            }
        }
    }

    fn array(&mut self, entry: EntryId, node: &DebugNode) {
        self.set_type(entry, node.node("baseType"));
        if node.has_flag("flags", "DIFlagVector") {
            self.flag(entry, dw::DW_AT_GNU_vector);
            self.size(entry, node);
        }
        for element in self.list(node.node("elements")) {
            let Some(range) = self.view.debug_node(element).filter(|node| node.class == "DISubrange") else {
                continue;
            };
            let dimension = self.entries.add(entry, dw::DW_TAG_subrange_type);
            let index = self.index_type();
            self.entries.set(dimension, dw::DW_AT_type, Value::Entry(index));
            for (field, attribute) in [
                ("lowerBound", dw::DW_AT_lower_bound),
                ("upperBound", dw::DW_AT_upper_bound),
                ("count", dw::DW_AT_count),
            ] {
                // A count of -1 is not known.
                let value = range.integer(field).filter(|value| field != "count" || *value >= 0);
                if let Some(value) = value {
                    self.entries.set(dimension, attribute, constant(value));
                }
            }
        }
    }

    /// What arrays are indexed by: no type of the source, so one is made, under the name that LLVM gives it.
    fn index_type(&mut self) -> EntryId {
        if let Some(known) = self.index {
            return known;
        }
        let root = self.entries.root();
        let entry = self.entries.add(root, dw::DW_TAG_base_type);
        self.entries.set(entry, dw::DW_AT_name, Value::Text("__ARRAY_SIZE_TYPE__".to_owned()));
        self.entries.set(entry, dw::DW_AT_byte_size, Value::Number(8));
        self.entries.set(entry, dw::DW_AT_encoding, Value::Number(u64::from(dw::DW_ATE_unsigned.0)));
        self.index = Some(entry);
        entry
    }

    /// Results and parameters of a type of functions.
    pub(crate) fn signature(&mut self, entry: EntryId, node: &DebugNode) {
        let types = self.optional_list(node.node("types"));
        let mut types = types.into_iter();
        self.set_type(entry, types.next().flatten());
        let params: Vec<Option<MetadataId>> = types.collect();
        for (at, param) in params.iter().enumerate() {
            if param.is_none() {
                // Nothing at the end stands for the dots of C.
                if at + 1 == params.len() {
                    self.entries.add(entry, dw::DW_TAG_unspecified_parameters);
                }
                continue;
            }
            let one = self.entries.add(entry, dw::DW_TAG_formal_parameter);
            self.set_type(one, *param);
            let artificial = param.and_then(|id| self.view.debug_node(id));
            if artificial.is_some_and(|node| node.has_flag("flags", "DIFlagArtificial")) {
                self.flag(one, dw::DW_AT_artificial);
            }
        }
    }

    /// A parameter of a template, under GNU's tags also one that is a template or stands for several.
    pub(crate) fn template_parameter(&mut self, parent: EntryId, id: MetadataId) {
        let view = self.view;
        let Some(node) = view.debug_node(id) else { return };
        let tag = match node.word("tag") {
            "" if node.class == "DITemplateValueParameter" => dw::DW_TAG_template_value_parameter,
            "" => dw::DW_TAG_template_type_parameter,
            word => match tag(word) {
                Some(tag) => tag,
                None => return,
            },
        };
        let entry = self.entries.add(parent, tag);
        self.set_type(entry, node.node("type"));
        self.name(entry, node);
        match node.field("value") {
            Some(DebugField::Integer(value)) => {
                self.entries.set(entry, dw::DW_AT_const_value, constant(*value));
            }
            Some(DebugField::Text(name)) => {
                self.entries.set(entry, dw::DW_AT_GNU_template_name, Value::Text(name.clone()));
            }
            // The parameters of a pack are no packs themselves.
            Some(DebugField::Node(list)) if tag == dw::DW_TAG_GNU_template_parameter_pack => {
                for parameter in self.list(Some(*list)) {
                    let nested = view
                        .debug_node(parameter)
                        .is_some_and(|node| node.word("tag") == "DW_TAG_GNU_template_parameter_pack");
                    if !nested {
                        self.template_parameter(entry, parameter);
                    }
                }
            }
            Some(DebugField::Node(_) | DebugField::Word(_) | DebugField::Nested(_)) | None => {}
        }
    }

    pub(crate) fn flag(&mut self, entry: EntryId, name: DwAt) {
        self.entries.set(entry, name, Value::Flag);
    }

    /// The parts of a list; empty for none.
    pub(crate) fn list(&self, id: Option<MetadataId>) -> Vec<MetadataId> {
        self.optional_list(id).into_iter().flatten().collect()
    }

    /// The same with places for what is missing.
    fn optional_list(&self, id: Option<MetadataId>) -> Vec<Option<MetadataId>> {
        match id.map(|id| self.view.metadata(id)) {
            Some(Metadata::Node(parts)) => parts.to_vec(),
            Some(
                Metadata::String(_)
                | Metadata::Constant(_)
                | Metadata::File(_)
                | Metadata::Debug(_)
                | Metadata::Other,
            )
            | None => Vec::new(),
        }
    }
}

/// The offset of a member in bits. LLVM does not write one of zero.
fn offset_of(node: &DebugNode) -> u64 {
    // Default: as above.
    number(node, "offset").unwrap_or(0)
}
