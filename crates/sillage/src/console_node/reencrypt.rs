//! `sillage console reencrypt`: encrypts the secrets in the database with another token key.

use std::path::PathBuf;

use console::ReencryptionError;

use crate::cloud_node::output;
use crate::options::database_option::DatabaseOption;

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    database: DatabaseOption,
    /// File with the new token key
    #[arg(long, value_name = "FILE")]
    token_key_file: PathBuf,
    /// File with an earlier token key; can be repeated
    #[arg(long, value_name = "FILE")]
    earlier_token_key_file: Vec<PathBuf>,
    /// Delete what none of these keys decrypts, after the loss of a key: its sessions and access tokens end. Authenticator apps are
    /// kept, so that their owners sign in with a recovery code
    #[arg(long)]
    discard: bool,
}

pub(super) async fn run(args: Args) -> anyhow::Result<()> {
    let (key, earlier) = super::token_keys(&args.token_key_file, &args.earlier_token_key_file)?;
    let done = console::reencrypt(&args.database.url()?, &key, &earlier, args.discard).await;
    let done = done.map_err(|error| {
        let option = match &error {
            ReencryptionError::WrongKey(_) => "--token-key-file",
            ReencryptionError::Database(_) => "--database",
        };
        anyhow::Error::new(error).context(option)
    })?;
    let rows = done.iter().map(|kind| {
        [kind.name.to_owned(), kind.reencrypted.to_string(), kind.discarded.to_string(), kind.left.to_string()]
    });
    output::print_table(["", "ENCRYPTED", "DELETED", "LEFT"], &rows.collect::<Vec<_>>())?;
    output::print_line(match done.iter().map(|kind| kind.left).sum::<u64>() {
        0 => "Nothing is left with another key: the nodes need no earlier key any more.",
        _ => {
            "What is left has another key. If a node has stored it meanwhile, restart all nodes with the new key as \
             --token-key-file and run this again; otherwise name the file of its key with --earlier-token-key-file."
        }
    })
}
