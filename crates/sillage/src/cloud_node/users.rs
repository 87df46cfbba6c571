//! `sillage cloud user`.

use std::io::{IsTerminal, stdin};

use anyhow::{Context, bail};
use clap::Subcommand;
use cloud::operator::{NewUser, UserSummary};

use super::output::{self, ListFormat};
use super::password::Password;
use super::target::CloudTarget;
use crate::options::spelling::nearest;

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List all accounts
    List(List),
    /// Add a user with a confirmed address
    Add(Add),
    /// Lock an account until it is unlocked, and end its sessions
    Lock(UserArgs),
    /// Unlock an account, whether an operator locked it or wrong passwords did
    Unlock(UserArgs),
    /// Set an account's password, and end its sessions
    Password(NewPassword),
    /// Remove an account permanently, with all its data; its devices return to the factory stock
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
struct UserArgs {
    #[command(flatten)]
    target: CloudTarget,
    /// The e-mail address of the account
    #[arg(value_parser = address)]
    email: String,
}

#[derive(clap::Args)]
struct Remove {
    #[command(flatten)]
    user: UserArgs,
    /// Remove the account without asking
    #[arg(long)]
    yes: bool,
}

#[derive(clap::Args)]
struct NewPassword {
    #[command(flatten)]
    user: UserArgs,
    #[command(flatten)]
    password: Password,
}

#[derive(clap::Args)]
struct Add {
    #[command(flatten)]
    user: UserArgs,
    /// First name
    #[arg(long, value_name = "NAME")]
    firstname: String,
    /// Last name
    #[arg(long, value_name = "NAME")]
    lastname: String,
    /// The role, from `sillage cloud role list` [default: none, an end user]
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,
    /// The value of the role's label: the partner whose users and devices the role covers
    #[arg(long, value_name = "TEXT", requires = "role")]
    label: Option<String>,
    /// Permit a label that nobody and no device has yet: the console creates a CSP with this name
    #[arg(long, requires = "label")]
    new_partner: bool,
    #[command(flatten)]
    password: Password,
}

pub(super) async fn run(args: Args) -> anyhow::Result<()> {
    match args.command {
        Command::List(List { target, format }) => {
            let (operator, oem) = target.open().await?;
            format.print(&operator.users(&oem).await?, ["E-mail", "Name", "Roles", "State"], row)
        }
        Command::Add(add) => self::add(add).await,
        Command::Lock(UserArgs { target, email }) => {
            let (operator, oem) = target.open().await?;
            operator.lock_user(&oem, &email).await?;
            output::print_line("Locked; the sessions have ended.")
        }
        Command::Unlock(UserArgs { target, email }) => {
            let (operator, oem) = target.open().await?;
            operator.unlock_user(&oem, &email).await?;
            output::print_line("Unlocked.")
        }
        Command::Password(NewPassword { user, password }) => {
            let (operator, oem) = user.target.open().await?;
            operator.set_password(&oem, &user.email, password.read()?).await?;
            output::print_line("The password is changed; the sessions have ended.")
        }
        Command::Remove(Remove { user: UserArgs { target, email }, yes }) => {
            let (operator, oem) = target.open().await?;
            if !yes && !confirm(&format!("Remove {email} permanently, with all its data?"))? {
                bail!("nothing was removed; --yes removes the account without asking");
            }
            operator.remove_user(&oem, &email).await?;
            output::print_line("Removed.")
        }
    }
}

/// Asks at the terminal. False if there is none.
fn confirm(question: &str) -> anyhow::Result<bool> {
    if !stdin().is_terminal() {
        return Ok(false);
    }
    output::print_line(&format!("{question} [y/N]"))?;
    let mut answer = String::new();
    stdin().read_line(&mut answer).context("cannot read the answer")?;
    Ok(answer.trim().eq_ignore_ascii_case("y"))
}

async fn add(add: Add) -> anyhow::Result<()> {
    let (operator, oem) = add.user.target.open().await?;
    if let Some(name) = &add.role {
        let roles = operator.roles(&oem).await?;
        match (roles.iter().find(|role| role.name == *name), &add.label) {
            (None, _) => bail!("--role: there is no role {name}; `sillage cloud role list` lists all roles"),
            (Some(role), None) if role.label_key.is_some() => bail!("--label is missing: the role {name} needs one"),
            (Some(role), Some(_)) if role.label_key.is_none() => bail!("--label: the role {name} has none"),
            (Some(_), Some(label)) if !add.new_partner => check_label(&operator.labels(&oem).await?, label)?,
            _ => {}
        }
    }
    let user = NewUser {
        email: add.user.email,
        password: add.password.read()?,
        firstname: Some(add.firstname),
        lastname: Some(add.lastname),
        role: add.role,
        label: add.label,
        confirmed: true,
        ..NewUser::default()
    };
    if !operator.ensure_user(&oem, &user).await? {
        bail!("a user with this address already exists; nothing was changed");
    }
    output::print_line("Added.")
}

/// # Errors
/// A label that nobody and no device has: probably a typing error.
fn check_label(known: &[String], label: &str) -> anyhow::Result<()> {
    if known.iter().any(|known| known == label) {
        return Ok(());
    }
    let nearest = nearest(label, known.iter().map(String::as_str));
    let nearest = if known.is_empty() { String::new() } else { format!("; the nearest label is {nearest}") };
    bail!("--label: nobody and no device has the label {label} yet{nearest}. Add --new-partner to create the partner")
}

fn row(user: &UserSummary) -> [String; 4] {
    let role = |(name, label): &(String, Option<String>)| match label {
        Some(label) => format!("{name} ({label})"),
        None => name.clone(),
    };
    let state = [(user.machine, "machine"), (!user.confirmed, "unconfirmed"), (user.locked, "locked")];
    let state: Vec<&str> = state.into_iter().filter_map(|(is, word)| is.then_some(word)).collect();
    [
        user.email.clone(),
        user.name.clone(),
        user.roles.iter().map(role).collect::<Vec<_>>().join(", "),
        state.join(", "),
    ]
}

/// A mail address.
pub(super) fn address(text: &str) -> Result<String, &'static str> {
    let text = text.trim();
    let parts: Vec<&str> = text.split('@').collect();
    let fits = parts.len() == 2 && parts.iter().all(|part| !part.is_empty()) && text.len() <= 255;
    if fits && !text.contains(char::is_whitespace) { Ok(text.to_owned()) } else { Err("not a mail address") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_without_one_at_or_with_blanks_are_rejected() {
        assert_eq!(address(" ada@example.com ").unwrap(), "ada@example.com");
        for text in ["", "ada", "@example.com", "ada@", "a@b@c", "a da@example.com", &format!("{}@b", "a".repeat(254))]
        {
            assert!(address(text).is_err(), "{text:?}");
        }
    }
}
