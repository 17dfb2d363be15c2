//! A provider in memory and virtual time.
