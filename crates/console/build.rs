//! Makes sure that the folder of the web application exists. A development build reads the files from there when it runs, and finds
//! none if the folder did not exist when it was compiled.

fn main() -> std::io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    std::fs::create_dir_all("../../web/dist")
}
