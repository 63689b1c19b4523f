//! The ids of a view: positions in its tables, one type a table.

/// Defines an id: an index into one table of a view.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub struct $name(pub(crate) u32);

        impl $name {
            /// The position in the table, from 0.
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// The id of position `index`.
            pub const fn new(index: usize) -> Self {
                Self(index as u32)
            }
        }
    };
}

id! {
    /// A type; equal ids mean the same type.
    TypeId
}
id! {
    /// A constant; equal ids mean the same constant.
    ConstId
}
id! {
    /// A function.
    FunctionId
}
id! {
    /// A global variable.
    GlobalId
}
id! {
    /// An alias.
    AliasId
}
id! {
    /// A block of one function.
    BlockId
}
id! {
    /// An instruction of one function.
    InstId
}
id! {
    /// An inline assembly text.
    InlineAsmId
}
id! {
    /// A piece of metadata; equal ids mean the same piece.
    MetadataId
}
id! {
    /// A place in the source.
    LocationId
}
id! {
    /// A source file.
    FileId
}
