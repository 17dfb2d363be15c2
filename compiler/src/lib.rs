//! From vendor sources to a signed skill, in six stages.
