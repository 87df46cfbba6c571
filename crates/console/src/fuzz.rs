//! Entry points for fuzzing, by fuzz/ and the tests below.

pub use crate::devices::fuzz::query;
pub use crate::reports::fuzz::csv;

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn seeds_cause_no_panic() {
        for (target, read) in [("queries", query as fn(&str)), ("csv", csv)] {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(target);
            let files: Vec<_> = fs::read_dir(folder).unwrap().collect();
            assert!(!files.is_empty(), "{target} has no seeds");
            files.into_iter().for_each(|file| read(&fs::read_to_string(file.unwrap().path()).unwrap()));
        }
    }

    proptest! {
        #[test]
        fn arbitrary_queries_cause_no_panic(text in any::<String>()) {
            query(&text);
        }

        #[test]
        fn arbitrary_cells_survive_csv(text in any::<String>()) {
            csv(&text);
        }
    }
}
