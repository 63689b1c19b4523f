#!/usr/bin/env python3
"""Triton kernels of this project, each with what NumPy computes for it.

    kernels.py            check that the directives and the expected values are what this script makes
    kernels.py --write    write them
    kernels.py --compile [NAME ..]  compile the kernels with the `triton` package (no GPU is needed), and write them

NAME.sm_80.ptx and so on hold a kernel's PTX after its directives; NAME.BUFFER.bin its inputs and expected values, which are computed
in double precision or in exact integers. A file X.py holds kernels and their cases; `common.py` what they share.
"""
import os
import sys

import common
import elementwise, reductions, matrices, memory  # noqa: E401, F401

HERE = os.path.dirname(os.path.abspath(__file__))
END = common.END


def compiled(this, target):
    """The PTX of a case, and the bytes of shared memory and of scratch memory of a block."""
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
    names = this.function.arg_names
    # Triton's names of the types.
    kinds = iter(ty.replace(ty.lstrip("*"), common.TYPES.get(ty.lstrip("*"), ty.lstrip("*"))) for ty in this.types)
    signature = {n: "constexpr" if n in this.constexprs else next(kinds) for n in names}
    aligned = {(at,): [["tt.divisibility", 16]] for at, n in enumerate(names) if signature[n].startswith("*")}
    # Types are named, so that this file is read without the package, too.
    values = {n: getattr(common.tl, v[3:]) if isinstance(v, str) and v.startswith("tl.") else v for n, v in this.constexprs.items()}
    source = ASTSource(fn=this.function, signature=signature, constexprs=values, attrs=aligned)
    kernel = triton.compile(source, target=GPUTarget("cuda", target, 32), options=this.options)
    return kernel.asm["ptx"], kernel.metadata


def head(this, metadata):
    """The directives in front of the PTX."""
    blocks = [*this.grid, 1, 1][:3]
    warps, shared, scratch, ctas, name = metadata
    runs = ["// RUN: parse", "// RUN: exec"] + (["// RUN: roundtrip -O0 -O2"] if this.roundtrip else [])
    grid = ",".join(str(n) for n in [blocks[0] * ctas, *blocks[1:]])
    launch = f"// LAUNCH: entry={name} grid={grid} block={32 * warps}"
    launch += f" shared={shared}" if shared else ""
    launch += f" cluster={ctas}" if ctas > 1 else ""
    total = scratch * blocks[0] * blocks[1] * blocks[2]
    arguments = this.arguments()
    # Every kernel takes two more: memory for what does not fit in registers, and for profiles.
    arguments += [f"// ARG: inout scratch u8[{total}] = {total}*0" if total else "// ARG: u64 = 0", "// ARG: u64 = 0"]
    wants = this.wants() + ([f"// WANT: scratch = {total}*_"] if total else [])
    return "\n".join(runs + [launch] + arguments + wants) + "\n" + END


def numbers(text):
    """What the directives in front of a file were made from."""
    lines = text[:text.index(END)].splitlines()
    launch = dict(word.split("=") for word in next(line for line in lines if "LAUNCH" in line).split()[2:])
    scratch = next((line for line in lines if "ARG: inout scratch" in line), None)
    ctas = int(launch.get("cluster", 1))
    grid = [int(n) for n in launch["grid"].split(",")]
    blocks = grid[0] * (grid[1] if len(grid) > 1 else 1) * (grid[2] if len(grid) > 2 else 1) // ctas
    total = int(scratch.split("[")[1].split("]")[0]) if scratch else 0
    return int(launch["block"]) // 32, int(launch.get("shared", 0)), total // blocks, ctas, launch["entry"]


def main():
    chosen = [word for word in sys.argv[1:] if not word.startswith("-")]
    made = {}
    for name, this in common.CASES.items():
        if chosen and name not in chosen:
            continue
        made.update(this.files)
        for target in this.targets:
            path = f"{name}.sm_{target}.ptx"
            if "--compile" in sys.argv:
                code, m = compiled(this, target)
                metadata = (m.num_warps, m.shared, m.global_scratch_size, m.num_ctas, m.name)
            else:
                text = open(os.path.join(HERE, path)).read()
                code, metadata = text[text.index(END) + len(END):], numbers(text)
            made[path] = (head(this, metadata) + code).encode()
    common.settle(HERE, made, "--write" in sys.argv or "--compile" in sys.argv)


if __name__ == "__main__":
    main()
