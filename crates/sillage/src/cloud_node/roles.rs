//! `sillage cloud role`.

use anyhow::bail;
use clap::Subcommand;
use clap::builder::PossibleValuesParser;
use cloud::RoleKind;
use cloud::operator::Role;

use super::output;
use super::target::Target;

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List all roles, in the order in which one of several that somebody has counts
    List(List),
    /// Add a role
    Add(Add),
    /// Remove a role that nobody has, and that no device's label or share names
    Remove(Remove),
}

#[derive(clap::Args)]
struct List {
    #[command(flatten)]
    target: Target,
}

#[derive(clap::Args)]
struct Add {
    #[command(flatten)]
    target: Target,
    /// Its name, such as OEM::Company::Dealer
    name: String,
    /// What it may do
    #[arg(long, value_name = "KIND", value_parser = PossibleValuesParser::new(RoleKind::ALL.map(RoleKind::as_str)))]
    kind: String,
    /// The key of the label that names the partner; the kinds of a partner need it, the others have none
    #[arg(long, value_name = "KEY")]
    label_key: Option<String>,
}

#[derive(clap::Args)]
struct Remove {
    #[command(flatten)]
    target: Target,
    /// Its name, as `sillage cloud role list` tells it
    name: String,
}

pub(super) async fn run(args: Args) -> anyhow::Result<()> {
    match args.command {
        Command::List(List { target }) => {
            let (operator, oem) = target.open().await?;
            let row = |role: &Role| {
                [role.name.clone(), role.kind.as_str().to_owned(), role.label_key.clone().unwrap_or_default()]
            };
            let rows: Vec<_> = operator.roles(&oem).await?.iter().map(row).collect();
            output::print_table(["Name", "Kind", "Label key"], &rows)
        }
        Command::Add(Add { target, name, kind, label_key }) => {
            let kind = RoleKind::ALL.into_iter().find(|known| known.as_str() == kind).unwrap_or(RoleKind::EndUser);
            match (is_a_partners(kind), &label_key) {
                (true, None) => bail!("--label-key is missing: a role of kind {} needs one", kind.as_str()),
                (false, Some(_)) => bail!("--label-key: a role of kind {} has none", kind.as_str()),
                _ => {}
            }
            if name.trim().is_empty() {
                bail!("the name is empty");
            }
            let (operator, oem) = target.open().await?;
            if operator.roles(&oem).await?.iter().any(|role| role.name == name) {
                bail!("there is a role {name} already; nothing was changed");
            }
            operator.ensure_role(&oem, &Role { name, kind, label_key }).await?;
            output::print_line("Added.")
        }
        Command::Remove(Remove { target, name }) => {
            let (operator, oem) = target.open().await?;
            operator.remove_role(&oem, &name).await?;
            output::print_line("Removed.")
        }
    }
}

fn is_a_partners(kind: RoleKind) -> bool {
    matches!(kind, RoleKind::PartnerAdmin | RoleKind::PartnerObserver | RoleKind::PartnerTechnician)
}
