//! What needs attention (docs/attention.md): items that open and close by themselves, and what people do with them.
//!
//! [`crate::attention_rules`] says when; this module stores the items. Whoever may see a device may see its items: the scope is that
//! of the device in the index. One item of a kind is open per device, and one that closed a short time ago opens again.

mod device_rows;
mod evaluator;
mod items;
mod settings_store;
#[cfg(test)]
mod tests;

pub(crate) use evaluator::AttentionEvaluator;
