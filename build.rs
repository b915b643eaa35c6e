//! How the binary is linked.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |name: &str| std::env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    if target("OS") == "linux" && target("ENV") == "gnu" {
        // At a fixed address nothing has to be relocated when it starts, which takes longer than a small
        // program runs.
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
