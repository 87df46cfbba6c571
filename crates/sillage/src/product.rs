//! The product's name. Keep it equal to `web/src/lib/product.ts`.

pub(crate) const NAME: &str = "Sillage";
