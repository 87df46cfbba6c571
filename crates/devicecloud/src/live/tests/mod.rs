mod machine;
mod task;
mod wire;
mod world;
