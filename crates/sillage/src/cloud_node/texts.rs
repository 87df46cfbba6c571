//! Command line flags of the text message gateway.

use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::builder::NonEmptyStringValueParser;
use cloud::SmsGateway;

use crate::files::secrets;

/// The environment variable with the token, as an alternative to the file.
pub(crate) const TOKEN: &str = "SILLAGE_SMS_GATEWAY_TOKEN";

#[derive(clap::Args)]
#[command(next_help_heading = "Text messages")]
pub(super) struct Texts {
    /// The gateway's URL for text messages, which must accept Twilio's request format; Twilio's own URL ends in
    /// /2010-04-01/Accounts/ACCOUNT/Messages.json. Without it text messages stay in the outbox
    #[arg(long, value_name = "URL", requires_all = ["sms_gateway_account", "sms_from"])]
    sms_gateway_url: Option<String>,
    /// The account at the gateway; its token comes from --sms-gateway-token-file or the environment variable
    /// SILLAGE_SMS_GATEWAY_TOKEN
    #[arg(long, value_name = "NAME", requires = "sms_gateway_url", value_parser = NonEmptyStringValueParser::new())]
    sms_gateway_account: Option<String>,
    /// File with the token of the gateway account
    #[arg(long, value_name = "FILE", requires = "sms_gateway_url")]
    sms_gateway_token_file: Option<PathBuf>,
    /// Sender of text messages: a number such as +33612345678, a short number, or a name of up to eleven letters and digits
    #[arg(long, value_name = "SENDER", requires = "sms_gateway_url")]
    sms_from: Option<String>,
}

impl Texts {
    /// The configured gateway.
    pub(super) fn gateway(&self) -> anyhow::Result<Option<SmsGateway>> {
        let (Some(url), Some(account), Some(sender)) =
            (&self.sms_gateway_url, &self.sms_gateway_account, &self.sms_from)
        else {
            return Ok(None);
        };
        let token = match (&self.sms_gateway_token_file, std::env::var(TOKEN)) {
            (Some(file), _) => secrets::line(file).context("--sms-gateway-token-file")?,
            (None, Ok(token)) => token,
            (None, Err(_)) => {
                bail!("--sms-gateway-url needs its token: --sms-gateway-token-file, or {TOKEN} in the environment")
            }
        };
        Ok(Some(SmsGateway { url: url.clone(), account: account.clone(), token: token.into(), sender: sender.clone() }))
    }
}
