//! `sillage cloud role`.

use anyhow::bail;
use clap::Subcommand;
use clap::builder::PossibleValuesParser;
use cloud::RoleKind;
use cloud::operator::Role;

use super::output::{self, ListFormat};
use super::target::CloudTarget;

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List all roles in order of precedence, which decides for users with several roles
    List(List),
    /// Add a role
    Add(Add),
    /// Remove a role that no user, device label or share refers to
    Remove(Remove),
}

#[derive(clap::Args)]
struct List {
    #[command(flatten)]
    target: CloudTarget,
    #[command(flatten)]
    format: ListFormat,
}

#[derive(clap::Args)]
struct Add {
    #[command(flatten)]
    target: CloudTarget,
    /// The role's name, such as OEM::Company::Dealer
    name: String,
    /// The permissions of the role
    #[arg(long, value_name = "KIND", value_parser = PossibleValuesParser::new(RoleKind::ALL.map(RoleKind::as_str)))]
    kind: String,
    /// Key of the label that holds the partner's name; required for partner roles, not allowed for others
    #[arg(long, value_name = "KEY")]
    label_key: Option<String>,
}

#[derive(clap::Args)]
struct Remove {
    #[command(flatten)]
    target: CloudTarget,
    /// The role's name, from `sillage cloud role list`
    name: String,
}

pub(super) async fn run(args: Args) -> anyhow::Result<()> {
    match args.command {
        Command::List(List { target, format }) => {
            let (operator, oem) = target.open().await?;
            let row = |role: &Role| {
                [role.name.clone(), role.kind.as_str().to_owned(), role.label_key.clone().unwrap_or_default()]
            };
            format.print(&operator.roles(&oem).await?, ["Name", "Kind", "Label key"], row)
        }
        Command::Add(Add { target, name, kind, label_key }) => {
            let kind = RoleKind::ALL.into_iter().find(|known| known.as_str() == kind).unwrap_or(RoleKind::EndUser);
            match (is_partner_role(kind), &label_key) {
                (true, None) => bail!("--label-key is missing: a role of kind {} needs one", kind.as_str()),
                (false, Some(_)) => bail!("--label-key: a role of kind {} has none", kind.as_str()),
                _ => {}
            }
            if name.trim().is_empty() {
                bail!("the name is empty");
            }
            let (operator, oem) = target.open().await?;
            if operator.roles(&oem).await?.iter().any(|role| role.name == name) {
                bail!("the role {name} already exists; nothing was changed");
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

fn is_partner_role(kind: RoleKind) -> bool {
    matches!(kind, RoleKind::PartnerAdmin | RoleKind::PartnerObserver | RoleKind::PartnerTechnician)
}
