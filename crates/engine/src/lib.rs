//! Everything that touches data and disk.
