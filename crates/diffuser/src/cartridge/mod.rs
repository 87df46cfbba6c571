//! The cartridge of a diffuser: which fragrance, which size, and how much remains.

pub(crate) mod catalogue;
pub(crate) mod configuration;
pub(crate) mod level;
pub(crate) mod remaining;
