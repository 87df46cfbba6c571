//! A fleet in the hand: a session that keeps itself signed in, its devices, and their properties, fresh without asking too often.
//!
//! What has rules is pure, `(state, event) → (state, effects)`; thin tasks perform the effects.

mod events;

pub use events::{DeviceManagerEvent, DeviceManagerState};
