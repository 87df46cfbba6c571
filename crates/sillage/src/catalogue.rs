//! Our roles and device template, which the cloud loads as data.

use cloud::operator::{Oem, Operator, Role, Template, TemplateAction, TemplateProperty, TemplateSchedule};
use cloud::{BaseType, Direction, FirePoint, InvalidPattern, Limits, RoleKind};
use diffuser::properties;
use diffuser::template::{self, TEMPLATE};
use diffuser::{END_USER, PARTNER_LABEL_KEY};
use jiff::civil::time;

/// Creates the roles and the template that do not exist yet.
pub(crate) async fn load(operator: &Operator, oem: &Oem) -> anyhow::Result<()> {
    for role in roles() {
        operator.ensure_role(oem, &role).await?;
    }
    operator.ensure_template(oem, &template()?).await?;
    Ok(())
}

fn roles() -> Vec<Role> {
    let console_roles = diffuser::Role::ALL.map(|role| Role {
        name: role.name().to_owned(),
        kind: match role {
            diffuser::Role::Admin => RoleKind::OemAdmin,
            diffuser::Role::Observer => RoleKind::OemObserver,
            diffuser::Role::CspAdmin => RoleKind::PartnerAdmin,
            diffuser::Role::CspObserver => RoleKind::PartnerObserver,
            diffuser::Role::CspTech => RoleKind::PartnerTechnician,
        },
        label_key: role.is_csp_scoped().then(|| PARTNER_LABEL_KEY.to_owned()),
    });
    let end_user = Role { name: END_USER.to_owned(), kind: RoleKind::EndUser, label_key: None };
    console_roles.into_iter().chain([end_user]).collect()
}

fn template() -> Result<Template, InvalidPattern> {
    Ok(Template {
        name: TEMPLATE.name.to_owned(),
        properties: TEMPLATE.properties.iter().map(template_property).collect::<Result<_, _>>()?,
        schedules: vec![night_rest()],
    })
}

/// A cloud-side schedule that every diffuser gets at registration. It is inactive, because the console uses the schedule that
/// is stored in the device instead.
fn night_rest() -> TemplateSchedule {
    let fan = |speed: i64, at| TemplateAction {
        property: properties::FAN.to_owned(),
        base_type: BaseType::Integer,
        value: speed.into(),
        at,
    };
    TemplateSchedule {
        name: "night_rest".to_owned(),
        display_name: "Night rest".to_owned(),
        active: false,
        start: time(22, 0, 0, 0),
        end: time(6, 0, 0, 0),
        actions: vec![fan(0, FirePoint::Start), fan(1, FirePoint::End)],
    }
}

fn template_property(property: &template::Property) -> Result<TemplateProperty, InvalidPattern> {
    Ok(TemplateProperty {
        name: property.name.to_owned(),
        display_name: property.display_name.to_owned(),
        base_type: match property.base_type {
            template::BaseType::Integer => BaseType::Integer,
            template::BaseType::Decimal => BaseType::Decimal,
            template::BaseType::String => BaseType::String,
        },
        direction: match property.direction {
            template::Direction::Input => Direction::Input,
            template::Direction::Output => Direction::Output,
        },
        ack_enabled: property.ack_enabled(),
        retention_days: TEMPLATE.retention_days,
        limits: Limits {
            minimum: property.range.map(|(minimum, _)| minimum.into()),
            maximum: property.range.map(|(_, maximum)| maximum.into()),
            pattern: property.pattern.map(str::parse).transpose()?,
        },
    })
}
