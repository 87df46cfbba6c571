//! A console with its own runtime, so that it can be killed.

use console::Console;
use tokio::runtime::Runtime;

use crate::world::World;

pub(crate) struct KillableConsole {
    runtime: Runtime,
    pub(crate) console: Console,
}

impl KillableConsole {
    pub(crate) async fn start(world: &World) -> Self {
        let runtime = Runtime::new().unwrap();
        let console = runtime.spawn(world.another_console(|_| {})).await.unwrap();
        Self { runtime, console }
    }

    /// Stops all tasks of the console without a shutdown.
    pub(crate) fn kill(self) {
        std::mem::forget(self.console);
        self.runtime.shutdown_background();
    }
}
