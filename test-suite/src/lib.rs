//! Conformance runner: the input file is the test.
