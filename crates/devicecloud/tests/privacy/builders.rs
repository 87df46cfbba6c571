//! `Debug` output of what an application passes to calls.

use devicecloud::{
    Authorization, CompareType, NewNotificationApp, NewTrigger, NewTriggerApp, NewUser, PropertyValue, RuleAction,
    SecretText, SignIn, UserChanges,
};

use super::*;

#[tokio::test]
async fn debug_output_of_arguments_contains_no_personal_data() {
    let email = format!("{MARK}@example.com");
    let config = Config::local("https://cloud.test", "app", MARK).unwrap();
    let builder = Client::builder(config.clone(), Arc::new(MemoryTokenStore::new()))
        .proxy(format!("http://{MARK}:{MARK}@127.0.0.1:1"))
        .header("x-api-key", MARK);
    let builder_text = format!("{builder:?}");
    let client = builder.build().unwrap();
    let authorization = Authorization {
        access_token: MARK.into(),
        refresh_token: MARK.into(),
        expires_in_secs: 60,
        role: None,
        created_at: NOW.parse().unwrap(),
    };
    let store = MemoryTokenStore::with(authorization.clone());
    let user = || NewUser::new(&email, MARK).firstname(MARK).lastname(MARK).company(MARK).phone(MARK);
    let (share, devices) = (NewShare::for_device(DSN, &email), client.devices());
    let (datapoints, users) = (client.datapoints(), client.users());
    let mut address = Address::default();
    address.street = Some(MARK.into());
    let texts = [
        builder_text,
        format!("{config:?} {client:?} {authorization:?} {store:?} {:?}", SecretText::from(MARK)),
        format!("{:?}", SignIn::new(authorization.clone(), Vec::new())),
        format!("{:?} {:?}", user(), UserChanges::new().street(MARK)),
        format!("{:?} {:?}", client.admin().create_user(user()), client.roles().create_role_user(user(), ROLE)),
        format!("{:?}", client.roles().create_associated_user(user(), ROLE)),
        format!("{share:?} {:?}", client.shares().create(share.clone())),
        format!("{:?}", client.shares().create_several([share])),
        format!("{:?}", users.request_password_reset(&email)),
        format!("{:?}", client.contacts().create().email(&email).street_address(MARK).notes(MARK).metadata(MARK)),
        format!("{:?} {:?}", NewTriggerApp::email(&email).message(MARK), NewTriggerApp::sms("1", MARK)),
        format!("{:?}", NewTrigger::compare(CompareType::Equal, MARK).app(NewTriggerApp::email(&email))),
        format!("{:?} {:?}", NewNotificationApp::email(&email).message(MARK), NewNotificationApp::sms("1", MARK)),
        format!("{:?}", RuleAction::email(MARK, [&email], MARK, MARK)),
        format!("{:?} {:?}", PropertyValue::from(MARK), PropertyValue::from(48.858)),
        format!("{:?}", datapoints.create(DSN, "ssid", MARK).metadata("by", MARK)),
        format!("{:?}", datapoints.batch().add(DSN, "ssid", MARK).metadata("by", MARK)),
        format!("{:?}", client.files().create(44).metadata("by", MARK)),
        format!("{:?} {address:?}", devices.set_location(41, 48.858, 48.858)),
        format!("{:?}", client.admin().users("3").filter("email", MARK)),
        format!("{:?}", client.role_labels().associate(41, ROLE).setup_code(MARK).description(MARK)),
    ];
    for text in texts {
        assert_private(&text, "Debug output");
    }
}
