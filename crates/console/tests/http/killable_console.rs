//! A console that can be killed: it has a runtime of its own.

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

    /// Nothing of it goes on, and nothing is tidied up.
    pub(crate) fn kill(self) {
        std::mem::forget(self.console);
        self.runtime.shutdown_background();
    }
}
