mod state_machine;
mod task;
mod wire;
mod world;
