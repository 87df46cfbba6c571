//! The product's name. Keep it equal to `web/src/domain/product.ts`.

pub(crate) const NAME: &str = "Sillage";
