//! Comparing texts as people do: without regard to case, accents and marks that nobody sees.

pub(crate) mod alike;
pub(crate) mod folding;
pub(crate) mod natural_order;
