//! `sillage cloud init`.

use anyhow::{Context, bail};
use cloud::operator::NewUser;
use diffuser::Role;
use platform::run::random::Random;
use secrecy::SecretString;

use super::output;
use super::password::Password;
use super::target::Database;
use super::users::address;
use crate::{catalogue, product};

/// The address of the service account. It only signs in; mail to it is never delivered.
const SERVICE: &str = "console-service@machine.invalid";

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    database: Database,
    /// The manufacturer that owns the cloud
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

/// Can be repeated after an interruption: the administrator, who is created last, marks the setup as complete.
pub(super) async fn run(args: Args) -> anyhow::Result<()> {
    let operator = args.database.create().await?;
    operator.migrate().await.context("--database")?;
    let oem = operator.ensure_oem(&args.oem).await?;
    let people = operator.users(&oem).await?;
    if people.iter().any(|user| !user.machine) {
        bail!("{} already has users: use `sillage cloud user`, `role` and `application`", args.oem);
    }
    let password = args.password.read()?;
    catalogue::load(&operator, &oem).await?;

    let random = Random::system();
    // Reuse what an interrupted attempt created, with new secrets, because the old ones were never shown.
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
        "The cloud is set up. Its secrets are shown only once: store each in a file that only the console can read.

  Manufacturer        {} (oem {}, {})
  Administrator       {}
  Application         {app_id}
  its secret          {secret}
  Console's account   {SERVICE}
  its password        {service_password}

Next: start nodes of the cloud with `sillage cloud`, and a console with `sillage console --app-id {app_id}
--app-secret-file FILE --service-email {SERVICE} --service-password-file FILE` and the other options in its --help. Then
`sillage cloud device add --keys FILE` adds devices. Before they can be added in the console, it needs a fragrance catalogue:
an administrator imports one there, in the user menu under Export / Import.",
        args.oem, oem.id, oem.key, args.admin,
    ))
}
