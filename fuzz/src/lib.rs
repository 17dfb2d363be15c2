//! The fuzz targets' shared part. It must hold nothing but the places where text comes in.

pub mod entries;
