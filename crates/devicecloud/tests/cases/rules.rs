//! Rules.

use devicecloud::{Client, Result, Rule, RuleActionType, RuleSubject, RuleType};

use super::{ACTION, DSN, RULE, Run, WRONG_DSN, WRONG_UUID, cases};

pub(super) fn all() -> Vec<(&'static str, Run)> {
    cases! {
        "rules/create": |client| {
            let rule = client.rules().create("Low level", expression(), [ACTION]).send().await?;
            assert_low_level(&rule);
            assert!(rule.is_enabled && !rule.rule_uuid.is_blank());
        };
        "rules/create.disabled": |client| {
            let rule = client.rules().create("Low level", expression(), [ACTION]).description("Refill");
            let rule = rule.enabled(false).send().await?;
            assert_eq!((rule.is_enabled, rule.description.as_deref()), (false, Some("Refill")));
        };
        "rules/create.422": |client| {
            client.rules().create("Low level", format!("DATAPOINT({DSN}"), [ACTION]).send().await?
        };
        "rules/list": |client| {
            let rules = client.rules().list().send().await?;
            assert_eq!((rules.len(), rules[0].rule_uuid.as_str()), (1, RULE));
            assert_low_level(&rules[0]);
        };
        "rules/list.device": |client| assert_eq!(of_device(client, DSN).await?.len(), 1);
        "rules/list.404": |client| of_device(client, WRONG_DSN).await?;
        "rules/list.422": |client| client.rules().list().send().await?;
        "rules/get": |client| assert_low_level(&client.rules().get(RULE).await?);
        "rules/get.404": |client| client.rules().get(WRONG_UUID).await?;
        "rules/delete": |client| client.rules().delete(RULE).await?;
        "rules/delete.404": |client| client.rules().delete(WRONG_UUID).await?;
        "rules/enable": |client| assert!(client.rules().enable(RULE).await?.is_enabled);
        "rules/enable.404": |client| client.rules().enable(WRONG_UUID).await?;
        "rules/disable": |client| {
            let rule = client.rules().disable(RULE).await?;
            assert_eq!((rule.rule_uuid.as_str(), rule.is_enabled), (RULE, false));
        };
        "rules/actions": |client| {
            let actions = client.rules().actions(RULE).await?;
            assert_eq!((actions.len(), actions[0].action_uuid.as_str()), (1, ACTION));
            assert_eq!(actions[0].action_type, RuleActionType::Datapoint);
        };
        "rules/actions.404": |client| client.rules().actions(WRONG_UUID).await?;
    }
    .into()
}

fn expression() -> String {
    format!("{} < 20", RuleSubject::datapoint(DSN, "intensity"))
}

fn assert_low_level(rule: &Rule) {
    assert_eq!((&*rule.name, &rule.expression), ("Low level", &expression()));
    assert_eq!(rule.action_ids, [ACTION.into()]);
    assert!(rule.created_at.is_some() && !rule.user_uuid.is_blank());
}

async fn of_device(client: Client, dsn: &str) -> Result<Vec<Rule>> {
    client.rules().list().rule_type(RuleType::Device).id(dsn).send().await
}
