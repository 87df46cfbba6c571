//! The one name of the product, as the web's `lib/product.ts` has it.

pub(crate) const NAME: &str = "Sillage";
