//! Actions of rules.

use devicecloud::{RuleAction, RuleActionParameters, RuleActionType};

use super::{ACTION, OTHER_DSN, Run, UNUSED_ACTION, WRONG_UUID, cases};

pub(super) fn all() -> Vec<(&'static str, Run)> {
    cases! {
        "rule_actions/create": |client| {
            let action = client.rule_actions().create(&RuleAction::datapoint(OTHER_DSN, "intensity", "=", 30)?).await?;
            assert_sets_intensity(&action);
        };
        "rule_actions/create.email": |client| {
            let action = client.rule_actions().create(&refill("jo@example.com")).await?;
            assert_eq!((action.action_type, action.parameters), (RuleActionType::Email, refill("jo@example.com").parameters));
        };
        "rule_actions/create.422": |client| client.rule_actions().create(&refill("jo@")).await?;
        "rule_actions/list": |client| {
            let actions = client.rule_actions().list().await?;
            assert_eq!((actions.len(), actions[0].action_uuid.is_blank()), (1, false));
        };
        "rule_actions/get": |client| {
            let action = client.rule_actions().get(ACTION).await?;
            assert_eq!(action.action_uuid.as_str(), ACTION);
            assert_sets_intensity(&action);
        };
        "rule_actions/get.404": |client| client.rule_actions().get(WRONG_UUID).await?;
        "rule_actions/delete": |client| client.rule_actions().delete(UNUSED_ACTION).await?;
        "rule_actions/delete.404": |client| client.rule_actions().delete(WRONG_UUID).await?;
        "rule_actions/delete.409": |client| client.rule_actions().delete(ACTION).await?;
    }
    .into()
}

fn refill(address: &str) -> RuleAction {
    RuleAction::email("Refill", [address], "Low level", "Please refill.")
}

fn assert_sets_intensity(action: &RuleAction) {
    let expression = format!("DATAPOINT({OTHER_DSN},intensity) = 30");
    assert_eq!((&action.name, &action.action_type), (&expression, &RuleActionType::Datapoint));
    let RuleActionParameters::Datapoint { datapoint, .. } = &action.parameters else { panic!("{action:?}") };
    assert_eq!(datapoint, &expression);
    assert!(action.created_at.is_some() && !action.user_uuid.is_blank());
}
