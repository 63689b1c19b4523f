#!/usr/bin/env python3
"""Holds a transcript of executed instructions against what ptxas computes of the same constants.

    cargo xtask differential --transcript --operands 12 --mnemonics 40 [OPCODE..] | fold.py FOLDER [--arch sm_90]

FOLDER holds ptxas and nvdisasm.  `ptxas -O3` computes many instructions whose operands are constants itself, as its machine
code shows: a store of a constant, or of a sum of constants and carries, which is added up here.  Each execution becomes a block that gives its registers their values, executes the
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


PREDICATE = re.compile(r"U?P\d$")
ALL_ONES = (1 << 32) - 1


class Machine:
    """What registers and predicates hold in straight code; `None` is not known."""

    def __init__(self):
        self.registers, self.predicates = {}, {}

    def get(self, text):
        """An operand; `~` and `-` of it are 32 bits."""
        if text[0] in "~-" and not text[1:2].isdigit():
            value = self.get(text[1:])
            return None if value is None else (~value if text[0] == "~" else -value) & ALL_ONES
        value = literal(text)
        return self.registers.get(text) if value is None else value

    def flag(self, text):
        if text.startswith("!"):
            value = self.flag(text[1:])
            return None if value is None else 1 - value
        return 1 if text in ("PT", "UPT") else self.predicates.get(text)

    def sum(self, opcode, operands):
        """The sum that IADD3 and IADD3.X are, and its carry. `-b` is `~b + 1` with the carry of both."""
        total, extended = 0, opcode.endswith(".X")
        for text in operands[:3]:
            negated = text.startswith("-") and not text[1:2].isdigit()
            value = self.get("~" + text[1:] if negated else text)
            if value is None:
                return None, None
            total += value + negated
        for text in operands[3:] if extended else []:
            flag = self.flag(text)
            if flag is None:
                return None, None
            total += flag
        return total & ALL_ONES, total >> 32

    def step(self, opcode, operands, guarded):
        """Executes an instruction, as far as it is known."""
        if opcode.startswith(("LOP3", "ULOP3")) and operands[0].startswith(("P", "UP")):  # a predicate before the register
            self.predicates[operands[0]] = None
            operands = operands[1:]
        outs = [operands[0]]
        while PREDICATE.match(operands[len(outs)] if len(outs) < len(operands) else ""):
            outs.append(operands[len(outs)])
        sources = operands[len(outs):]
        value, pair, carry = None, False, None
        if opcode in ("MOV", "UMOV") or (opcode in ("IMAD.MOV.U32", "IMAD.U32") and sources[:2] == ["RZ", "RZ"]):
            value = self.get(sources[-1])
        elif opcode == "HFMA2" and len(operands) == 5 and sources[0].lstrip("-") == "RZ":
            parts = half(operands[3]), half(operands[4])
            value = None if None in parts else parts[0] << 16 | parts[1]
        elif opcode in ("CS2R", "CS2R.64"):
            value, pair = 0, True
        elif opcode in ("IADD3", "IADD3.X", "UIADD3", "UIADD3.X"):
            value, carry = self.sum(opcode, sources)
        elif opcode in ("IMAD.IADD", "IMAD.X") and sources[1] == "0x1":
            value, carry = self.sum("IADD3.X" if opcode == "IMAD.X" else "IADD3", [sources[0], "RZ"] + sources[2:])
        elif opcode in ("IMAD", "UIMAD") and None not in [self.get(text) for text in sources]:
            a, b, c = (self.get(text) for text in sources)
            value = (a * b + c) & ALL_ONES
        elif opcode in ("LOP3.LUT", "ULOP3.LUT") and sources[0] in ("RZ", "URZ") and sources[2:4] == [sources[0], "0x33"]:
            value = self.get("~" + sources[1])
        for name in outs:
            if PREDICATE.match(name):
                self.predicates[name] = None
        if len(outs) == 2 and not guarded and "ADD" in opcode:
            self.predicates[outs[1]] = carry
        target = re.match(r"(U?R)(\d+)$", outs[0])
        if not target:
            return
        self.registers[outs[0]] = None if guarded else value
        # An instruction that may write two registers makes the second unknown.
        single = ("MOV", "UMOV", "IMAD.MOV", "IMAD.U32", "IMAD.X", "IMAD.IADD", "IADD3", "UIADD3", "HFMA2", "SEL", "PRMT",
                  "LOP3", "ULOP3", "FADD", "FMUL")
        if pair or not (opcode.startswith(single) or opcode in ("IMAD", "UIMAD")):
            self.registers["%s%d" % (target.group(1), int(target.group(2)) + 1)] = 0 if pair else None


def stores(code):
    """What is stored as a constant at each offset, of the straight code before the first call or branch."""
    machine, found = Machine(), {}
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
            low, wide = machine.get(name), re.match(r"(U?R)(\d+)$", name)
            high = machine.registers.get("%s%d" % (wide.group(1), int(wide.group(2)) + 1)) if wide else 0
            if low is not None:
                found[at] = (low, high, name)
            continue
        machine.step(opcode, operands, guarded)
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
