mod harness;
mod state_machine;
mod task;
mod wire;
