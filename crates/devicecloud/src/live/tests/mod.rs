//! Tests of the live stream manager: its state machine, its task, and the wire.

mod harness;
mod state_machine;
mod task;
mod wire;
