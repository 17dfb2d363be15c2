//! Drives operations from begin to receipt.
