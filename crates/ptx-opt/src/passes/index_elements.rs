//! `ptx-index-elements`: addresses as in a listing that a compiler of C writes.

use ptx_llvm::{LlvmError, Module};

pub(super) fn run(module: &mut Module<'_>) -> Result<(), LlvmError> {
    ptx_llvm::index_elements(module);
    Ok(())
}

#[cfg(test)]
mod tests {
    use ptx_llvm::{Context, Module, index_elements};

    /// The body of a function after the pass.
    fn after(body: &str) -> Vec<String> {
        let context = Context::new().expect("LLVM 22");
        let text = format!(
            "define void @f(i64 %i, ptr addrspace(1) %p, ptr addrspace(1) %q) {{\n{body}\n  ret void\n}}\n"
        );
        let mut module = Module::parse(&context, "m", text.as_bytes()).expect("valid text");
        index_elements(&mut module);
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
