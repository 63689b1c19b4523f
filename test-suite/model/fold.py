#!/usr/bin/env python3
"""Holds a transcript of executed instructions against what ptxas computes of the same constants.

    cargo xtask differential --transcript --operands 12 --mnemonics 40 [OPCODE..] | fold.py FOLDER [--arch sm_90]

FOLDER holds ptxas and nvdisasm.  `ptxas -O3` computes many instructions whose operands are constants itself, as its machine
code shows: a store of a constant.  Each execution becomes a block that gives its registers their values, executes the
instruction and stores the results; where the machine code stores something else than a constant, the execution does not count.
Printed are the executions that ptxas computes otherwise, and a last line with how many were folded.
"""

import argparse
import collections
import os
import re
import struct
import subprocess
import sys
import tempfile

BLOCKS = 64
SHOWN = 3
BITS = {"pred": 1, "f16x2": 32, "bf16x2": 32, "f32x2": 64, "tf32": 32, "f16": 16, "bf16": 16, "u16x2": 32, "s16x2": 32,
        "u8x4": 32, "s8x4": 32}


def bits(ty):
    return BITS.get(ty) or int(re.match(r"[a-z]+(\d+)", ty).group(1))


def block(text, names, types, before, results, first):
    """One execution; result `n` goes to the n-th 8 bytes."""
    lines = ["{"]
    for name, value in zip(names, before):
        ty, size = types[name], bits(types[name])
        lines.append(".reg .%s %s;" % (ty, name))
        if size == 1:
            lines.append("mov.pred %s, %d;" % (name, -value))
        elif ty == "f32":
            lines.append("mov.f32 %s, 0f%08X;" % (name, value))
        elif ty == "f64":
            lines.append("mov.f64 %s, 0d%016X;" % (name, value))
        else:
            lines.append("mov.b%d %s, %#x;" % (size, name, value))
    lines.append(text if text.endswith(";") else text + ";")
    for n, name in enumerate(results):
        at, size = 8 * (first + n), bits(types[name])
        if size == 1:
            lines.append("selp.u32 %%fold_bit, 1, 0, %s;" % name)
            lines.append("st.volatile.global.u32 [%%fold_out+%d], %%fold_bit;" % at)
        else:
            lines.append("st.volatile.global.b%d [%%fold_out+%d], %s;" % (size, at, name))
    return "\n".join(lines + ["}"])


def assemble(folder, arch, version, blocks):
    """The disassembly of a kernel of these blocks; nothing when ptxas refuses it."""
    head = [".version " + version, ".target " + arch, ".address_size 64", ".visible .entry k(.param .u64 out)", "{",
            ".reg .b64 %fold_out;", ".reg .b32 %fold_bit;", "ld.param.u64 %fold_out, [out];",
            "cvta.to.global.u64 %fold_out, %fold_out;"]
    with tempfile.TemporaryDirectory() as work:
        source, code = os.path.join(work, "k.ptx"), os.path.join(work, "k.cubin")
        with open(source, "w") as file:
            file.write("\n".join(head + blocks + ["ret;", "}", ""]))
        command = [os.path.join(folder, "ptxas"), "-O3", "-w", "-arch=" + arch, source, "-o", code]
        if subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
            return None
        return subprocess.run([os.path.join(folder, "nvdisasm"), "-c", code], stdout=subprocess.PIPE, text=True).stdout


def literal(text):
    if text in ("RZ", "URZ"):
        return 0
    match = re.fullmatch(r"(-?)(0x[0-9a-f]+|\d+)", text)
    return int(text, 0) & 0xFFFFFFFF if match else None


def half(text):
    """An operand of the HFMA2 that loads two halves at once."""
    text = text.replace("-RZ", "-0").replace("RZ", "0")
    try:
        return struct.unpack("<H", struct.pack("<e", float(text)))[0] if "NAN" not in text else None
    except (ValueError, OverflowError):
        return None


def stores(code):
    """What is stored as a constant at each offset, of the straight code before the first call or branch."""
    registers, found = {}, {}

    def get(text):
        value = literal(text)
        return registers.get(text) if value is None else value

    for line in code.splitlines():
        match = re.search(r"/\*[0-9a-f]{4,}\*/\s+(.*?)\s*;", line)
        if not match:
            continue
        instruction = match.group(1).lstrip("{ ")
        guarded = instruction.startswith("@")
        if guarded:
            instruction = instruction.split(None, 1)[1]
        opcode, _, rest = instruction.partition(" ")
        operands = [part.strip().replace(".reuse", "") for part in rest.split(",")]
        if opcode.startswith(("CALL", "BRA", "EXIT")):
            break
        if opcode.startswith("ST"):
            offset = re.search(r"\+(0x[0-9a-f]+)\]", rest)
            at, name = int(offset.group(1), 16) if offset else 0, operands[-1]
            low, wide = get(name), re.match(r"(U?R)(\d+)$", name)
            high = registers.get("%s%d" % (wide.group(1), int(wide.group(2)) + 1)) if wide else 0
            if low is not None:
                found[at] = (low, high, name)
            continue
        if re.match(r"U?P(\d|T)$", operands[0]):  # LOP3 with a predicate writes that and a register
            operands = operands[1:] + [""]
        target = re.match(r"(U?R)(\d+)$", operands[0])
        if not target:
            continue
        value, pair = None, False
        if opcode in ("MOV", "UMOV"):
            value = get(operands[1])
        elif opcode == "IMAD.MOV.U32" and operands[1:3] == ["RZ", "RZ"]:
            value = get(operands[3])
        elif opcode == "HFMA2" and len(operands) == 5 and operands[1].lstrip("-") == "RZ":
            parts = half(operands[3]), half(operands[4])
            value = None if None in parts else parts[0] << 16 | parts[1]
        elif opcode in ("CS2R", "CS2R.64"):
            value, pair = 0, True
        registers[operands[0]] = None if guarded else value
        # Whatever may write two registers makes the second unknown.
        if pair or not opcode.startswith(("MOV", "UMOV", "IMAD.MOV", "HFMA2", "SEL", "PRMT", "LOP3", "FADD", "FMUL")):
            registers["%s%d" % (target.group(1), int(target.group(2)) + 1)] = 0 if pair else None
    return found


def written(text):
    """The registers that the statements of a text write first."""
    names = []
    for statement in filter(None, (part.strip() for part in text.split(";"))):
        statement = re.sub(r"^@!?\S+\s+", "", statement)
        operands = statement.partition(" ")[2]
        first = operands[: operands.index("}") + 1] if operands.startswith("{") else operands.split(",")[0]
        names += re.findall(r"%[A-Za-z0-9_]+", first)
    return list(dict.fromkeys(names))


def judge(folder, arch, version, runs, counts, shown):
    blocks, first, places = [], 0, []
    for text, names, types, before, after in runs:
        results = written(text)
        blocks.append(block(text, names, types, before, results, first))
        places.append((first, results))
        first += len(results)
    code = assemble(folder, arch, version, blocks)
    if code is None:
        if len(runs) == 1:
            counts["refused"] += 1
            return
        middle = len(runs) // 2
        judge(folder, arch, version, runs[:middle], counts, shown)
        judge(folder, arch, version, runs[middle:], counts, shown)
        return
    found = stores(code)
    for (text, names, types, before, after), (first, results) in zip(runs, places):
        for n, name in enumerate(results):
            size = bits(types[name])
            low, high, _ = found.get(8 * (first + n), (None, None, None))
            if low is None or (size == 64 and high is None):
                counts["not folded"] += 1
                continue
            got = (low | (high << 32 if size == 64 else 0)) & ((1 << max(size, 1)) - 1)
            counts["folded"] += 1
            wanted = dict(zip(names, after))[name]
            if got == wanted:
                continue
            counts["different"] += 1
            shown[text] += 1
            if shown[text] <= SHOWN:
                inputs = ", ".join("%s = %#x" % pair for pair in zip(names, before))
                print("%s: %s is %#x, ptxas computes %#x; %s" % (text, name, wanted, got, inputs))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", help="where ptxas and nvdisasm are")
    parser.add_argument("--arch", help="the target for all; else each instruction's own")
    arguments = parser.parse_args()
    counts, shown = collections.Counter(), collections.Counter()
    groups = collections.defaultdict(list)
    home, text, names, types = None, "", [], {}
    for line in sys.stdin:
        word, _, rest = line.rstrip("\n").partition(" ")
        if word == "home":
            version, target = rest.split()
            home = (version, arguments.arch or target)
        elif word == "case":
            text = rest
        elif word == "registers":
            pairs = [one.split(":") for one in rest.split()]
            names, types = [name for name, _ in pairs], dict(pairs)
        elif word == "run" and all(bits(ty) not in (8, 128) for ty in types.values()):
            values = [[int(side, 16) for side in one.split(":")] for one in rest.split()]
            groups[home].append((text, names, types, [b for b, _ in values], [a for _, a in values]))
    for (version, arch), runs in groups.items():
        for at in range(0, len(runs), BLOCKS):
            judge(arguments.folder, arch, version, runs[at : at + BLOCKS], counts, shown)
    print(", ".join("%d %s" % (counts[key], key) for key in ("folded", "not folded", "refused", "different")))
    return 1 if counts["different"] or not counts["folded"] else 0


if __name__ == "__main__":
    sys.exit(main())
