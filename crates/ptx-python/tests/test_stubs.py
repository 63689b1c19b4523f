"""The types for checkers, the docstrings and the package name the same things."""

import ast
import inspect
import pathlib
import unittest

import ptx_llvm

STUB = pathlib.Path(ptx_llvm.__file__).with_name("__init__.pyi")
# The operators of classes.
SPECIAL = {"__new__", "__getitem__", "__contains__", "__len__", "__call__"}


def parameters(arguments):
    """The names of the parameters of a function in the stub: those with positions, and those that need their names."""
    positional = [a.arg for a in arguments.posonlyargs + arguments.args if a.arg not in ("self", "cls")]
    rest = [] if arguments.vararg is None else ["*" + arguments.vararg.arg]
    return positional + rest, [a.arg for a in arguments.kwonlyargs]


def actual(function):
    """The same for a function of the package."""
    found = [p for p in inspect.signature(function).parameters.values() if p.name != "self"]
    positional = [p.name for p in found if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    rest = ["*" + p.name for p in found if p.kind == p.VAR_POSITIONAL]
    return positional + rest, [p.name for p in found if p.kind == p.KEYWORD_ONLY]


class Stubs(unittest.TestCase):
    def setUp(self):
        self.tree = ast.parse(STUB.read_text()).body

    def test_all_names_are_in_both(self):
        named = {node.name for node in self.tree if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
        named |= {alias.asname for node in self.tree if isinstance(node, ast.ImportFrom) for alias in node.names}
        self.assertEqual({name for name in named if name and hasattr(ptx_llvm, name)}, set(ptx_llvm.__all__))

    def test_functions_have_these_parameters(self):
        functions = [node for node in self.tree if isinstance(node, ast.FunctionDef)]
        self.assertEqual(len(functions), 5)
        for node in functions:
            with self.subTest(node.name):
                self.assertEqual(actual(getattr(ptx_llvm, node.name)), parameters(node.args))

    def test_classes_have_these_members(self):
        classes = [node for node in self.tree if isinstance(node, ast.ClassDef)]
        self.assertGreater(len(classes), 10)
        for node in classes:
            cls = getattr(ptx_llvm, node.name)
            members = {member.name: member for member in node.body if isinstance(member, ast.FunctionDef)}
            public = {name for name in vars(cls) if not name.startswith("_")}
            self.assertEqual({name for name in members if not name.startswith("_")}, public, node.name)
            for name, member in members.items():
                with self.subTest(f"{node.name}.{name}"):
                    is_property = bool(member.decorator_list)
                    self.assertEqual(is_property, inspect.isgetsetdescriptor(inspect.getattr_static(cls, name)))
                    if name == "__new__":
                        self.assertEqual(actual(cls), parameters(member.args))
                    # Python describes operators without the names of their parameters.
                    elif not is_property and name not in SPECIAL:
                        self.assertEqual(actual(getattr(cls, name)), parameters(member.args))

    def test_everything_has_a_docstring(self):
        self.assertTrue(ptx_llvm.__doc__)
        for name in ptx_llvm.__all__:
            object_ = getattr(ptx_llvm, name)
            if isinstance(object_, str):
                continue
            self.assertTrue(inspect.getdoc(object_), name)
            if not inspect.isclass(object_) or issubclass(object_, (Exception, ptx_llvm.Diagnostic)):
                continue
            for member, value in vars(object_).items():
                if not member.startswith("_"):
                    self.assertTrue(value.__doc__, f"{name}.{member}")


if __name__ == "__main__":
    unittest.main()
