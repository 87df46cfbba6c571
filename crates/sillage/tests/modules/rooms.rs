//! The folders of a crate: few files beside them, and what lives in each is said in its first lines.

use std::fs;
use std::path::Path;

/// More files than this at the root of a crate hide where its subjects are.
const MAX_ROOT_FILES: usize = 6;

/// The faults of a crate with its root, `lib.rs` or `main.rs`, in this folder.
pub(crate) fn faults(sources: &Path) -> Vec<String> {
    let mut faults = Vec::new();
    let (files, folders) = entries(sources);
    if files.len() > MAX_ROOT_FILES {
        faults.push(format!(
            "{}: {} files beside the folders, {MAX_ROOT_FILES} at most",
            sources.display(),
            files.len()
        ));
    }
    let mut left = folders;
    while let Some(folder) = left.pop() {
        let folder = Path::new(&folder);
        let (files, folders) = entries(folder);
        if files.is_empty() && folders.is_empty() {
            continue;
        }
        left.extend(folders);
        if folder.with_extension("rs").exists() {
            faults.push(format!("{}: a folder and a file of one module; move the file into mod.rs", folder.display()));
        } else if !fs::read_to_string(folder.join("mod.rs")).is_ok_and(|text| text.starts_with("//!")) {
            faults.push(format!("{}: mod.rs does not begin with what lives here (//!)", folder.display()));
        }
    }
    faults
}

/// The Rust files and the folders in a folder.
fn entries(folder: &Path) -> (Vec<String>, Vec<String>) {
    let (mut files, mut folders) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.display().to_string();
        if path.is_dir() {
            folders.push(name);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(name);
        }
    }
    (files, folders)
}

#[test]
fn faults_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    for name in ["lib", "a", "b", "c", "d", "e"] {
        write(&format!("{name}.rs"), "");
    }
    write("good/mod.rs", "//! Good.\n");
    write("texts/file.txt", "");
    assert_eq!(faults(folder.path()), Vec::<String>::new());
    write("f.rs", "");
    write("good/twice.rs", "");
    write("good/twice/part.rs", "");
    write("silent/mod.rs", "mod part;\n");
    write("absent/part.rs", "");
    let mut found = faults(folder.path());
    found.sort();
    let in_folder = |rest: &str| format!("{}{rest}", folder.path().display());
    let expected = [
        in_folder("/absent: mod.rs does not begin with what lives here (//!)"),
        in_folder("/good/twice: a folder and a file of one module; move the file into mod.rs"),
        in_folder("/silent: mod.rs does not begin with what lives here (//!)"),
        in_folder(": 7 files beside the folders, 6 at most"),
    ];
    assert_eq!(found, expected);
}
