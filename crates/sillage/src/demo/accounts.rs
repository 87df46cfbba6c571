//! The demo's accounts: one for each role, and the special cases that a tester needs.

use diffuser::{END_USER, Role};
use platform::run::random::Random;
use serde::{Deserialize, Serialize};

use super::customers::CSPS;

/// An account with its password, as stored in the data folder.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Account {
    /// The role's name. A user without a role can sign in but sees nothing.
    pub(crate) role: Option<String>,
    pub(crate) email: String,
    pub(crate) password: String,
    pub(crate) firstname: String,
    pub(crate) lastname: String,
    /// The partner (CSP) whose devices this account can see.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) csp: Option<String>,
}

/// One account for each of the five roles, a CSP admin of another partner, a user without a role, and an end user.
pub(crate) fn people(random: &Random) -> Vec<Account> {
    let (near, far) = (Some(CSPS[0]), Some(CSPS[1]));
    [
        (Some(Role::Admin.name()), None, "admin", "Ada", "Marsh"),
        (Some(Role::Observer.name()), None, "observer", "Otto", "Lindqvist"),
        (Some(Role::CspAdmin.name()), near, "csp-admin", "Carla", "Nunes"),
        (Some(Role::CspObserver.name()), near, "csp-observer", "Colin", "Okafor"),
        (Some(Role::CspTech.name()), near, "csp-tech", "Tessa", "Brandt"),
        (Some(Role::CspAdmin.name()), far, "other-csp-admin", "Noor", "Haddad"),
        (None, None, "no-role", "Nils", "Weber"),
        (Some(END_USER), None, "owner", "Olive", "Santos"),
    ]
    .into_iter()
    .map(|(role, csp, name, firstname, lastname)| Account {
        role: role.map(str::to_owned),
        email: format!("{name}@sillage.example"),
        password: password(random),
        firstname: firstname.to_owned(),
        lastname: lastname.to_owned(),
        csp: csp.map(str::to_owned),
    })
    .collect()
}

/// The console's service account, which reads devices for the index.
pub(crate) fn service(random: &Random) -> Account {
    Account {
        role: Some(Role::Admin.name().to_owned()),
        email: "console-service@sillage.example".to_owned(),
        password: password(random),
        firstname: "Console".to_owned(),
        lastname: "Service".to_owned(),
        csp: None,
    }
}

/// 80 random bits in a form that satisfies the password rules and is easy to type.
fn password(random: &Random) -> String {
    let digits = random.hex(10);
    let groups: Vec<&str> = (0..digits.len()).step_by(5).map(|i| &digits[i..i + 5]).collect();
    format!("Demo-{}", groups.join("-"))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_role_has_an_account_with_its_own_password() {
        let people = people(&Random::system());
        for role in Role::ALL.map(Role::name).into_iter().chain([END_USER]) {
            assert!(people.iter().any(|account| account.role.as_deref() == Some(role)), "{role}");
        }
        assert!(people.iter().any(|account| account.role.is_none()));
        let csps: HashSet<_> = people
            .iter()
            .filter(|account| account.role.as_deref() == Some(Role::CspAdmin.name()))
            .map(|account| account.csp.clone())
            .collect();
        assert_eq!(csps.len(), 2);
        let passwords: HashSet<_> = people.iter().map(|account| &account.password).collect();
        assert_eq!(passwords.len(), people.len());
    }

    #[test]
    fn passwords_satisfy_the_password_rules() {
        let password = password(&Random::system());
        assert!((8..=128).contains(&password.len()));
        assert!(password.chars().any(char::is_uppercase) && password.chars().any(char::is_lowercase));
        assert!(password.chars().any(|c| !c.is_alphabetic()));
    }
}
