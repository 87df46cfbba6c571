//! `sillage cloud init`.

use anyhow::bail;
use cloud::operator::NewUser;
use diffuser::Role;
use platform::random::Random;
use secrecy::SecretString;

use super::password::Password;
use super::users::address;
use super::{output, target};
use crate::{catalogue, product};

/// Nobody gets mail there: the machine account needs an address to sign in with, no more.
const SERVICE: &str = "console-service@machine.invalid";

#[derive(clap::Args)]
pub(super) struct Args {
    /// The database: sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME. Better in the environment, where other users of
    /// this machine cannot read the password
    #[arg(long, value_name = "URL", env = "SILLAGE_DATABASE", hide_env_values = true)]
    database: String,
    /// The manufacturer whose cloud it is
    #[arg(long, value_name = "NAME", default_value = product::NAME)]
    oem: String,
    /// The first administrator's address
    #[arg(long, value_name = "EMAIL", value_parser = address)]
    admin: String,
    /// The first administrator's first name
    #[arg(long, value_name = "NAME")]
    firstname: String,
    /// The first administrator's last name
    #[arg(long, value_name = "NAME")]
    lastname: String,
    #[command(flatten)]
    password: Password,
}

/// It can be repeated until the administrator is there, who comes last.
pub(super) async fn run(args: Args) -> anyhow::Result<()> {
    let operator = target::operator(&args.database).await?;
    let oem = operator.ensure_oem(&args.oem).await?;
    let people = operator.users(&oem).await?;
    if people.iter().any(|user| !user.machine) {
        bail!("{} has people already: use `sillage cloud user`, `role` and `application`", args.oem);
    }
    let password = args.password.read()?;
    catalogue::load(&operator, &oem).await?;

    let random = Random::system();
    // What an attempt that was interrupted made is used, with new secrets: nobody has seen the old ones.
    let app_id = match operator.applications(&oem).await?.first() {
        Some(application) => application.id.clone(),
        None => format!("{}-{}", product::NAME.to_lowercase(), random.hex(4)),
    };
    let (secret, service_password) = (random.hex(24), random.hex(24));
    let name = format!("{} console", product::NAME);
    operator.ensure_application(&oem, &app_id, &name, &SecretString::from(secret.clone())).await?;
    let admin = Role::Admin.name().to_owned();
    let service = NewUser {
        email: SERVICE.to_owned(),
        password: service_password.clone().into(),
        firstname: Some("Console".to_owned()),
        lastname: Some("Service".to_owned()),
        role: Some(admin.clone()),
        machine_of: Some(app_id.clone()),
        confirmed: true,
        ..NewUser::default()
    };
    if !operator.ensure_user(&oem, &service).await? {
        operator.set_password(&oem, SERVICE, service_password.clone().into()).await?;
    }
    let first = NewUser {
        email: args.admin.clone(),
        password,
        firstname: Some(args.firstname),
        lastname: Some(args.lastname),
        role: Some(admin),
        confirmed: true,
        ..NewUser::default()
    };
    operator.ensure_user(&oem, &first).await?;
    output::print_text(&format!(
        "The cloud is made. Its secrets are shown this once; put each into a file that only the console can read.

  Manufacturer        {} (oem {}, {})
  Administrator       {}
  Application         {app_id}
  its secret          {secret}
  Console's account   {SERVICE}
  its password        {service_password}

Next: start nodes of the cloud with `sillage cloud`, and a console with `sillage console --app-id {app_id}
--app-secret-file FILE --service-email {SERVICE} --service-password-file FILE` and what its --help names. Then
`sillage cloud device add --keys FILE` adds devices. Before they can be added in the console, it needs a fragrance catalogue:
an administrator imports one there, in the user menu under Export / Import.",
        args.oem, oem.id, oem.key, args.admin,
    ))
}
