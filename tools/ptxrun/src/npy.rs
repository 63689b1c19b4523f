//! NumPy's file format `.npy`: a header with the type and the shape of an array, and its elements.

use std::path::Path;

use crate::value_type::ValueType;

/// The first bytes of a file.
const MAGIC: &[u8] = b"\x93NUMPY";
/// The data of files that are written begins at a multiple of this number of bytes, as NumPy writes them.
const ALIGNMENT: usize = 64;

/// The type and the shape of an array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Array {
    /// The type of the elements. `None` for two bytes without a type, as which `bf16` is written.
    ty: Option<ValueType>,
    /// Its dimensions, the outermost first; none for a single element.
    pub dims: Vec<u64>,
}

/// Whether a file is one of this format, by its suffix.
pub fn is_npy(path: &Path) -> bool {
    path.extension().is_some_and(|suffix| suffix == "npy")
}

impl Array {
    /// An array of a type.
    pub fn new(ty: ValueType, dims: Vec<u64>) -> Self {
        Self { ty: Some(ty).filter(|ty| *ty != ValueType::Bf16), dims }
    }

    /// The type of its elements; untyped ones are `bf16`.
    pub fn ty(&self) -> ValueType {
        match self.ty {
            Some(ty) => ty,
            None => ValueType::Bf16,
        }
    }

    /// The type of its elements, which is the declared one if there is one.
    ///
    /// # Errors
    /// A sentence with both types.
    pub fn checked_type(&self, declared: Option<ValueType>) -> Result<ValueType, String> {
        let Some(declared) = declared else { return Ok(self.ty()) };
        let is_declared = match self.ty {
            Some(ty) => ty == declared,
            None => declared.size() == self.ty().size(),
        };
        if is_declared {
            return Ok(declared);
        }
        Err(format!("the file has elements of type {}, not {}", self.ty().name(), declared.name()))
    }

    /// The number of its elements; `None` if it does not fit 64 bits.
    pub fn count(&self) -> Option<u64> {
        self.dims.iter().try_fold(1u64, |count, dim| count.checked_mul(*dim))
    }

    /// Splits a file into the array and the bytes of its elements.
    ///
    /// # Errors
    /// A sentence that describes why it is not such a file, or one that is not supported.
    pub fn split(file: &[u8]) -> Result<(Self, &[u8]), String> {
        let cut = || "the file is not a whole .npy file".to_owned();
        let rest = file.strip_prefix(MAGIC).ok_or_else(cut)?;
        let (version, rest) = rest.split_first_chunk::<2>().ok_or_else(cut)?;
        let (length, rest) = match version {
            [1, _] => rest.split_first_chunk().map(|(bytes, rest)| (u16::from_le_bytes(*bytes).into(), rest)),
            [2 | 3, _] => {
                rest.split_first_chunk().map(|(bytes, rest)| (u32::from_le_bytes(*bytes) as usize, rest))
            }
            [major, minor] => return Err(format!("version {major}.{minor} of .npy files is not known")),
        }
        .ok_or_else(cut)?;
        let (header, data) = rest.split_at_checked(length).ok_or_else(cut)?;
        let header = std::str::from_utf8(header).map_err(|_| cut())?;
        let array = Self::from_header(header)?;
        let bytes = array.count().and_then(|count| count.checked_mul(array.ty().size() as u64));
        if bytes != Some(data.len() as u64) {
            return Err(format!(
                "the file has {} bytes of elements, which is not the size of its shape",
                data.len()
            ));
        }
        Ok((array, data))
    }

    /// Reads `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`.
    fn from_header(text: &str) -> Result<Self, String> {
        let value = |key: &str| {
            let (_, rest) = text.split_once(&format!("'{key}':"))?;
            Some(rest.trim_start())
        };
        let missing = |key: &str| format!("the header of the .npy file has no `{key}`");
        let descr = value("descr").ok_or_else(|| missing("descr"))?;
        let name = descr.strip_prefix('\'').and_then(|rest| rest.split_once('\'')).map(|(name, _)| name);
        let name = name.ok_or("arrays of structures are not supported")?;
        let ty = element(name)?;
        let shape = value("shape").ok_or_else(|| missing("shape"))?;
        let shape = shape.strip_prefix('(').and_then(|rest| rest.split_once(')')).map(|(list, _)| list);
        let parts =
            shape.ok_or_else(|| missing("shape"))?.split(',').map(str::trim).filter(|part| !part.is_empty());
        let dims =
            parts.map(|part| part.parse().map_err(|_| format!("`{part}` is not a dimension of a .npy file")));
        let dims: Vec<u64> = dims.collect::<Result<_, _>>()?;
        let order = value("fortran_order").ok_or_else(|| missing("fortran_order"))?;
        if !order.starts_with("False") && dims.len() > 1 {
            return Err("the array is in Fortran's order; numpy.ascontiguousarray changes it".to_owned());
        }
        Ok(Self { ty, dims })
    }

    /// The file of an array with these elements.
    pub fn file(&self, data: &[u8]) -> Vec<u8> {
        let dims: Vec<String> = self.dims.iter().map(u64::to_string).collect();
        let shape = match dims.as_slice() {
            [one] => format!("({one},)"),
            all => format!("({})", all.join(", ")),
        };
        let descr = descr(self.ty());
        let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
        let before = MAGIC.len() + 4;
        let whole = (before + header.len() + 1).next_multiple_of(ALIGNMENT);
        header.extend(std::iter::repeat_n(' ', whole - before - header.len() - 1));
        header.push('\n');
        let mut file = MAGIC.to_vec();
        match u16::try_from(header.len()) {
            Ok(length) => {
                file.extend([1, 0]);
                file.extend(length.to_le_bytes());
            }
            // Only an array of thousands of dimensions has such a header.
            Err(_) => {
                file.extend([2, 0]);
                file.extend((header.len() as u32).to_le_bytes());
            }
        }
        file.extend(header.as_bytes());
        file.extend(data);
        file
    }
}

/// NumPy's name of a type; `bf16`, which it does not have, is two bytes without a type, as `ml_dtypes` writes it.
fn descr(ty: ValueType) -> &'static str {
    match ty {
        ValueType::I8 => "|i1",
        ValueType::U8 => "|u1",
        ValueType::I16 => "<i2",
        ValueType::U16 => "<u2",
        ValueType::I32 => "<i4",
        ValueType::U32 => "<u4",
        ValueType::I64 => "<i8",
        ValueType::U64 => "<u8",
        ValueType::F16 => "<f2",
        ValueType::Bf16 => "<V2",
        ValueType::F32 => "<f4",
        ValueType::F64 => "<f8",
    }
}

/// The type with a name of NumPy's; `None` for two bytes without a type.
fn element(name: &str) -> Result<Option<ValueType>, String> {
    let known = ValueType::ALL.into_iter().find(|ty| descr(*ty) == name);
    match (known, name) {
        (Some(ValueType::Bf16), _) | (None, "|V2") => Ok(None),
        (Some(ty), _) => Ok(Some(ty)),
        (None, "|b1" | "<u1") => Ok(Some(ValueType::U8)),
        (None, "<i1") => Ok(Some(ValueType::I8)),
        (None, _) if name.starts_with('>') => Err(format!(
            "the elements (`{name}`) are big-endian; array.astype('<{}') changes them",
            &name[1..]
        )),
        (None, _) => Err(format!("elements of type `{name}` are not supported")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file as NumPy 2 writes it: `numpy.save("x.npy", numpy.array([[1, 2, 3]], dtype="<u2"))`.
    fn saved(descr: &str, order: &str, shape: &str, data: &[u8]) -> Vec<u8> {
        let mut header = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}");
        while (10 + header.len() + 1) % 64 != 0 {
            header.push(' ');
        }
        header.push('\n');
        [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), data].concat()
    }

    #[test]
    fn arrays_are_read_and_written_as_numpy_has_them() {
        let data = [1, 0, 2, 0, 3, 0];
        let file = saved("<u2", "False", "(1, 3)", &data);
        assert_eq!(file.len(), 128 + data.len());
        let (array, elements) = Array::split(&file).expect("valid");
        assert_eq!((array.ty(), array.dims.as_slice(), elements), (ValueType::U16, &[1, 3][..], &data[..]));
        assert_eq!(array.file(&data), file);
        for (descr, ty, bytes) in
            [("<f4", ValueType::F32, 4), ("|i1", ValueType::I8, 1), ("<V2", ValueType::Bf16, 2)]
        {
            for (shape, count) in [("(5,)", 5), ("()", 1), ("(2, 0)", 0)] {
                let file = saved(descr, "False", shape, &vec![7; count * bytes]);
                let (array, elements) = Array::split(&file).expect("valid");
                assert_eq!(
                    (array.ty(), array.count(), elements.len()),
                    (ty, Some(count as u64), count * bytes)
                );
                assert_eq!(array.file(elements), file);
            }
        }
    }

    #[test]
    fn other_files_are_refused_with_the_reason() {
        let short = saved("<u2", "False", "(4,)", &[0; 6]);
        let cases: [(Vec<u8>, &str); 9] = [
            (Vec::new(), "not a whole .npy file"),
            (short[..40].to_vec(), "not a whole .npy file"),
            (short.clone(), "6 bytes of elements"),
            (saved("<u2", "True", "(2, 2)", &[0; 8]), "Fortran's order"),
            (saved(">f4", "False", "(1,)", &[0; 4]), "astype('<f4')"),
            (saved("<c8", "False", "(1,)", &[0; 8]), "type `<c8` are not supported"),
            (saved("<u2", "False", "(x,)", &[0; 8]), "not a dimension"),
            (saved("<u2", "False", "(18446744073709551615, 2)", &[0; 8]), "not the size"),
            ([b"\x93NUMPY\x09\x00", &[0; 60][..]].concat(), "version 9.0"),
        ];
        for (file, part) in cases {
            let error = Array::split(&file).expect_err(part);
            assert!(error.contains(part), "{part}: {error}");
        }
    }
}
