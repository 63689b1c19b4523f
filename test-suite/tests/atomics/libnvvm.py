#!/usr/bin/env python3
"""Asks libnvvm what it makes of LLVM's atomic instructions and writes libnvvm.tsv.

    python3 libnvvm.py PATH/TO/libnvvm.so > libnvvm.tsv

A line: order, scope (as LLVM writes it, `-` for none), the fences and ordered accesses of the PTX without spaces
and types, and the instructions that become them, as OPERATION:TYPE. Those of every address space must agree.
"""
import collections, ctypes, re, sys

INTEGERS = {"i8": 1, "i16": 2, "i32": 4, "i64": 8, "i128": 16}
FLOATS = {"half": 2, "bfloat": 2, "float": 4, "double": 8, "<2 x half>": 4, "<2 x bfloat>": 4}
ON_INTEGERS = "xchg add sub and nand or xor max min umax umin uinc_wrap udec_wrap usub_cond usub_sat".split()
ON_FLOATS = "xchg fadd fsub fmax fmin fmaximum fminimum".split()
SCOPES = ["", "block", "cluster", "device", "singlethread"]
ORDERS = ["unordered", "monotonic", "acquire", "release", "acq_rel", "seq_cst"]
LOADS, STORES = {"acquire", "seq_cst"}, {"release", "seq_cst"}
WEAK = {"unordered", "monotonic"}
KEPT = set("""ld st atom red fence membar relaxed acquire release acq_rel sc cta cluster gpu sys
              exch add and or xor max min inc dec cas""".split())
HEAD = """target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
"""
TAIL = "!nvvmir.version = !{!0}\n!0 = !{i32 2, i32 0, i32 3, i32 1}\n"


def instructions():
    for ty, size in {**INTEGERS, **FLOATS}.items():
        for order in ORDERS:
            if order in LOADS | WEAK:
                yield "load", ty, order, f"%o = load atomic {ty}, PTR %p SCOPE {order}, align {size}\n store {ty} %o, ptr %out"
            if order in STORES | WEAK:
                yield "store", ty, order, f"store atomic {ty} %v, PTR %p SCOPE {order}, align {size}"
            if order == "unordered":
                continue
            for op in ON_INTEGERS if ty in INTEGERS else ON_FLOATS:
                if not (op == "xchg" and ty.startswith("<")):
                    yield op, ty, order, f"%o = atomicrmw {op} PTR %p, {ty} %v SCOPE {order}\n store {ty} %o, ptr %out"
            if ty in INTEGERS:
                failure = order if order in ("acquire", "seq_cst") else "monotonic"
                yield "cmpxchg", ty, order, (f"%c = cmpxchg PTR %p, {ty} %v, {ty} %w SCOPE {order} {failure}\n"
                    f" %o = extractvalue {{{ty}, i1}} %c, 0\n store {ty} %o, ptr %out")
    for order in ORDERS[2:]:
        yield "fence", "", order, f"fence SCOPE {order}"


def compile_module(library, text):
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    assert library.nvvmCreateProgram(ctypes.byref(program)) == 0
    data = text.encode()
    assert library.nvvmAddModuleToProgram(program, data, ctypes.c_size_t(len(data)), b"m") == 0
    options = (ctypes.c_char_p * 2)(b"-arch=compute_100", b"-opt=0")
    status = library.nvvmCompileProgram(program, 2, options)
    if status != 0:
        library.nvvmGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        library.nvvmGetProgramLog(program, log)
        sys.exit(log.value.decode())
    library.nvvmGetCompiledResultSize(program, ctypes.byref(size))
    result = ctypes.create_string_buffer(size.value)
    library.nvvmGetCompiledResult(program, result)
    library.nvvmDestroyProgram(ctypes.byref(program))
    return result.value.decode()


def signature(lines):
    found = []
    for line in lines:
        words = re.match(r"\s*([a-z][\w.:]*)", line)
        words = words.group(1).split(".") if words else [""]
        if words[0] not in ("ld", "st", "atom", "red", "fence", "membar"):
            continue
        kept = [word for word in words if word in KEPT]
        if len(kept) > 1:
            found.append(".".join(kept))
    return "; ".join(found)


def answers(library, scope, space):
    written = f'syncscope("{scope}")' if scope else ""
    pointer = f"ptr addrspace({space})" if space else "ptr"
    keys, text = [], HEAD
    for number, (op, ty, order, body) in enumerate(instructions()):
        value = ty or "i32"
        body = body.replace("PTR", pointer).replace("SCOPE", written)
        text += f"define void @f{number}({pointer} %p, {value} %v, {value} %w, ptr %out) {{\n {body}\n ret void\n}}\n"
        keys.append((op, ty, order))
    bodies = re.split(r"\.func\s+f\d+\(", compile_module(library, text + TAIL))[1:]
    bodies = bodies[-len(keys):]
    return {key: signature(body.splitlines()) for key, body in zip(keys, bodies)}


def main():
    library = ctypes.CDLL(sys.argv[1])
    rows = collections.defaultdict(list)
    for scope in SCOPES:
        everywhere = [answers(library, scope, space) for space in (1, 0, 3, 7)]
        for key, found in everywhere[0].items():
            assert all(other[key] == found for other in everywhere), (key, [other[key] for other in everywhere])
            op, ty, order = key
            rows[order, scope or "-", found].append(f"{op}:{ty}")
    for (order, scope, found), instructions_ in rows.items():
        print(order, scope, found, ",".join(instructions_), sep="\t")


main()
