//! Background tasks that end unexpectedly.

use crate::world::*;

#[tokio::test]
async fn end_of_any_background_task_is_a_failure_of_the_console() {
    let world = World::start().await;
    let tasks = world.console.tasks();
    assert_eq!(
        tasks,
        [
            "HTTP server",
            "check of the cloud",
            "clock",
            "device events",
            "index",
            "jobs",
            "lists",
            "notices",
            "stream writer"
        ]
    );
    for task in tasks {
        let console = world.another_console(|_| {}).await;
        console.kill_task(task);
        assert_eq!(console.failed().await.to_string(), format!("the background task \"{task}\" ended"));
        console.shutdown().await;
    }
}
