//! Conformance cases, oracle and report.
