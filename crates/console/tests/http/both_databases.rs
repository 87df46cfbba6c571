//! Tests that run on both databases.

/// Defines each test for SQLite and for PostgreSQL.
macro_rules! on_both_databases {
    ($($test:ident),* $(,)?) => {
        mod sqlite {
            $(
                #[tokio::test]
                async fn $test() {
                    // On the heap, because the state of a long test is too large to be moved on the stack.
                    Box::pin(super::$test(platform::testing::TestDb::sqlite().await)).await;
                }
            )*
        }
        mod postgres {
            $(
                #[tokio::test]
                async fn $test() {
                    // On the heap, because the state of a long test is too large to be moved on the stack.
                    Box::pin(super::$test(platform::testing::TestDb::postgres().await)).await;
                }
            )*
        }
    };
}
