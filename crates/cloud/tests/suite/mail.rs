//! Messages of the cloud to people.

use cloud::testing::TestCloud;

#[tokio::test]
async fn message_is_kept_in_the_outbox_without_a_mail_server() {
    let cloud = TestCloud::start().await;
    let world = cloud.seed().await;
    assert!(cloud.outbox().await.is_empty());
    for address in ["ada@example.com", "otto@example.com"] {
        cloud.operator().write_test_message(&world.oem, address).await.unwrap();
    }
    let outbox = cloud.outbox().await;
    let [first, second] = &outbox[..] else { panic!("{outbox:?}") };
    assert_eq!((&*first.recipient, &*second.recipient), ("ada@example.com", "otto@example.com"));
    assert_eq!((&*first.kind, &*first.subject, &*first.state), ("test", "A test message", "kept"));
    assert!(first.body.starts_with("An operator of Device cloud sent this message"), "{}", first.body);
    assert_eq!((&first.link, &first.email_template_id), (&None, &None));
}
