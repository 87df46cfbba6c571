use serde_json::{Value, json};

use super::*;
use crate::policy::session_hash::SessionHash;

fn actor(role: Role, csp: Option<&str>) -> Actor {
    let user = uuid::Uuid::from_u128(1);
    Actor { session: SessionHash::of(&[0; 32]), user, role: Some(role), csp: csp.map(str::to_owned) }
}

fn admin() -> Actor {
    actor(Role::Admin, None)
}

fn form(changes: &Value) -> Value {
    let mut form = json!({
        "role": Role::CspTech.name(), "csp": "North", "firstname": "Jo", "lastname": "Moss", "city": "Oslo",
        "country": "Norway",
    });
    let members = form.as_object_mut().unwrap();
    members.extend(changes.as_object().unwrap().clone());
    form
}

fn check(actor: &Actor, changes: &Value) -> ApiResult<UserFields> {
    let form: UserForm = serde_json::from_value(form(changes)).unwrap();
    form.check(&FormContext { actor, before: None, has_csp: form.csp() == "North" || form.csp() == "South" })
}

fn check_invitation(actor: &Actor, changes: &Value) -> ApiResult<CheckedInvitation> {
    let mut body = form(&json!({ "email": "jo@example.com", "password": "Correct-Horse-1" }));
    body.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    let invitation: Invitation = serde_json::from_value(body).unwrap();
    invitation.check(&FormContext { actor, before: None, has_csp: true })
}

/// A person without a city.
fn stored() -> UserRecord {
    UserRecord {
        firstname: "Jo".to_owned(),
        lastname: "Moss".to_owned(),
        company: "Aurora".to_owned(),
        country: "Norway".to_owned(),
        role: Some(Role::CspTech),
        csp: Some("North".to_owned()),
        ..UserRecord::named(uuid::Uuid::from_u128(2), "jo@example.com")
    }
}

fn check_change(before: &UserRecord, form: &Value) -> ApiResult<UserFields> {
    let form: UserForm = serde_json::from_value(form.clone()).unwrap();
    form.check(&FormContext { actor: &admin(), before: Some(before), has_csp: form.csp() == "South" })
}

fn errors<T>(result: ApiResult<T>) -> Vec<(String, String)> {
    match result {
        Err(ApiError::Invalid(errors)) => errors.into_iter().map(|(field, texts)| (field, texts.join("; "))).collect(),
        Err(other) => panic!("{other}"),
        Ok(_) => Vec::new(),
    }
}

fn pairs(errors: &[(String, String)]) -> Vec<(&str, &str)> {
    errors.iter().map(|(field, text)| (field.as_str(), text.as_str())).collect()
}

#[test]
fn form_is_trimmed_and_omitted_fields_are_empty() {
    let fields = check(&admin(), &json!({ "firstname": " Jo ", "company": " ", "phone": null })).unwrap();
    let profile = Profile {
        firstname: "Jo".to_owned(),
        lastname: "Moss".to_owned(),
        city: "Oslo".to_owned(),
        country: "Norway".to_owned(),
        ..Profile::default()
    };
    let access = Access { role: Role::CspTech, csp: Some("North".to_owned()) };
    assert_eq!(fields, UserFields { profile, access: Some(access) });
}

#[test]
fn each_missing_required_field_is_named_and_others_are_optional() {
    for field in ["role", "csp", "firstname", "lastname", "city", "country"] {
        for nothing in [json!(null), json!(""), json!("  ")] {
            let wrong = errors(check(&admin(), &json!({ field: nothing })));
            assert_eq!(pairs(&wrong), [(field, "Required")], "{nothing}");
        }
    }
    for field in ["company", "businessRole", "phone", "state"] {
        assert!(errors(check(&admin(), &json!({ field: "" }))).is_empty(), "{field}");
    }
}

#[test]
fn texts_are_one_line_of_limited_length() {
    let fields = ["firstname", "lastname", "company", "businessRole", "phone", "city", "state", "country"];
    for field in fields {
        let rows = [
            ("ü".repeat(255), vec![]),
            ("ü".repeat(256), vec![(field, "Must be at most 255 characters")]),
            ("a\nb".to_owned(), vec![(field, "Must be one line of text")]),
            ("a\0b".to_owned(), vec![(field, "Must be one line of text")]),
        ];
        for (text, expected) in rows {
            let wrong = errors(check(&admin(), &json!({ field: text })));
            assert_eq!(pairs(&wrong), expected, "{field}");
        }
    }
}

#[test]
fn role_is_one_of_five_that_the_actor_may_grant() {
    for name in ["EndUser", "OEM::Nobody", "oem::admin"] {
        let wrong = errors(check(&admin(), &json!({ "role": name, "city": "" })));
        assert_eq!(pairs(&wrong), [("city", "Required"), ("role", "Is not one of the choices")]);
    }
    let rows = [
        (admin(), Role::ALL.to_vec()),
        (actor(Role::CspAdmin, Some("North")), vec![Role::CspAdmin, Role::CspObserver, Role::CspTech]),
        (actor(Role::CspTech, Some("North")), vec![Role::CspTech]),
        (actor(Role::Observer, None), vec![]),
        (actor(Role::CspObserver, Some("North")), vec![]),
        (actor(Role::CspAdmin, None), vec![]),
    ];
    for (actor, choices) in rows {
        for role in Role::ALL {
            // The city is invalid, too: permission errors come first.
            let result = check(&actor, &json!({ "role": role.name(), "city": "" }));
            let is_refused = matches!(result, Err(ApiError::Forbidden));
            assert_eq!(is_refused, !choices.contains(&role), "{actor:?} gives {role:?}");
        }
    }
}

#[test]
fn only_users_of_the_manufacturer_choose_the_csp() {
    let north = actor(Role::CspAdmin, Some("North"));
    let csp = |actor: &Actor, role: Role, csp: Value| {
        check(actor, &json!({ "role": role.name(), "csp": csp })).unwrap().access.unwrap().csp
    };
    assert_eq!(csp(&admin(), Role::CspTech, json!("South")).as_deref(), Some("South"));
    for csp_input in [json!("South"), json!("Nobody"), json!(null)] {
        assert_eq!(csp(&north, Role::CspTech, csp_input.clone()).as_deref(), Some("North"), "{csp_input}");
    }
    for role in [Role::Admin, Role::Observer] {
        for csp_input in [json!("South"), json!("Nobody"), json!(null)] {
            assert_eq!(csp(&admin(), role, csp_input.clone()), None, "{role:?} {csp_input}");
        }
    }
    let wrong = errors(check(&admin(), &json!({ "csp": "Nobody" })));
    assert_eq!(pairs(&wrong), [("csp", "Is not one of the choices")]);
    let form: UserForm = serde_json::from_value(form(&json!({ "csp": "Gone" }))).unwrap();
    let before = UserRecord { csp: Some("Gone".to_owned()), ..stored() };
    let kept = form.check(&FormContext { actor: &admin(), before: Some(&before), has_csp: false }).unwrap();
    assert_eq!(kept.access.unwrap().csp.as_deref(), Some("Gone"), "current values stay valid");
}

#[test]
fn email_of_an_invitation_is_trimmed_and_has_one_at_with_text_on_both_sides() {
    let invited = check_invitation(&admin(), &json!({ "email": " a@b.c " })).unwrap();
    assert_eq!(invited.email, "a@b.c");
    for email in ["jo", "@example.com", "jo@", "a@b@c", "a b@c", "a@b\u{a0}c"] {
        let wrong = errors(check_invitation(&admin(), &json!({ "email": email })));
        assert_eq!(pairs(&wrong), [("email", "Must be an email address")], "{email}");
    }
    for nothing in [json!(null), json!(" ")] {
        let wrong = errors(check_invitation(&admin(), &json!({ "email": nothing })));
        assert_eq!(pairs(&wrong), [("email", "Required")]);
    }
    let long = format!("{}@example.com", "x".repeat(244));
    assert_eq!(errors(check_invitation(&admin(), &json!({ "email": long })))[0].0, "email");
}

#[test]
fn invitation_password_is_checked_untrimmed() {
    let invited = check_invitation(&admin(), &json!({ "password": " Abcdef " })).unwrap();
    assert_eq!(invited.password.unwrap().expose(), " Abcdef ");
    let own = check_invitation(&admin(), &json!({ "password": "", "ownPassword": true })).unwrap();
    assert!(own.password.is_none(), "the invited person chooses it");
    assert!(check_invitation(&admin(), &json!({ "password": "", "ownPassword": false })).is_err());
    let rows = [
        (json!(null), "Required"),
        (json!(""), "Required"),
        (json!("Abc-defg1".to_owned() + &"x".repeat(120)), "Must be 8 to 128 characters"),
        (
            json!("abc"),
            "Must be 8 to 128 characters; Must contain a number or special character; Must contain an uppercase letter",
        ),
    ];
    for (password, expected) in rows {
        let wrong = errors(check_invitation(&admin(), &json!({ "password": password })));
        assert_eq!(pairs(&wrong), [("password", expected)], "{password}");
    }
}

#[test]
fn all_errors_of_an_invitation_are_returned_at_once() {
    let changes = json!({ "email": "jo", "password": "", "firstname": "", "csp": "", "role": "OEM::Nobody" });
    let wrong = errors(check_invitation(&admin(), &changes));
    let fields: Vec<&str> = wrong.iter().map(|(field, _)| field.as_str()).collect();
    assert_eq!(fields, ["email", "firstname", "password", "role"]);
}

#[test]
fn omitted_fields_of_a_change_are_neither_changed_nor_validated() {
    let before = stored();
    let unchanged = UserFields { profile: Profile::of(&before), access: None };
    assert_eq!(check_change(&before, &json!({})).unwrap(), unchanged);
    let cleared = check_change(&before, &json!({ "company": "", "firstname": " Tess " })).unwrap();
    let profile = Profile { company: String::new(), firstname: "Tess".to_owned(), ..Profile::of(&before) };
    assert_eq!(cleared, UserFields { profile, access: None });
    for empty in [json!(null), json!("")] {
        let wrong = errors(check_change(&before, &json!({ "lastname": empty })));
        assert_eq!(pairs(&wrong), [("lastname", "Required")]);
    }
}

#[test]
fn role_and_csp_can_be_changed_separately() {
    let access = |role, csp: Option<&str>| Some(Access { role, csp: csp.map(str::to_owned) });
    let change = |before: &UserRecord, form: Value| check_change(before, &form).map(|fields| fields.access);
    let before = stored();
    assert_eq!(change(&before, json!({ "csp": "South" })).unwrap(), access(Role::CspTech, Some("South")));
    let admin = json!({ "role": Role::CspAdmin.name() });
    assert_eq!(change(&before, admin).unwrap(), access(Role::CspAdmin, Some("North")));
    assert_eq!(change(&before, json!({ "role": Role::Observer.name() })).unwrap(), access(Role::Observer, None));

    let observer = UserRecord { role: Some(Role::Observer), csp: None, ..stored() };
    let rows = [
        (&observer, json!({ "csp": "South" }), vec![("csp", "This role has no CSP")]),
        (&observer, json!({ "csp": "" }), vec![]),
        (&observer, json!({ "role": Role::CspTech.name() }), vec![("csp", "Required")]),
        (&before, json!({ "csp": null }), vec![("csp", "Required")]),
        (&before, json!({ "role": null }), vec![("role", "Required")]),
    ];
    for (before, form, expected) in rows {
        assert_eq!(pairs(&errors(change(before, form.clone()))), expected, "{form}");
    }
    let without = UserRecord { role: None, ..stored() };
    assert_eq!(pairs(&errors(change(&without, json!({ "csp": "South" })))), [("role", "Required")]);
}
