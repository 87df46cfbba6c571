use super::*;

fn actor(role: Option<Role>, csp: Option<&str>) -> Actor {
    Actor { session: SessionHash::of(&[0; 32]), user: ME, role, csp: csp.map(str::to_owned) }
}

const ME: Uuid = Uuid::from_u128(1);
const OTHER_PERSON: Uuid = Uuid::from_u128(2);
const OWN: Target<'_> = Target::Device { csp: Some("Own") };
const OTHER: Target<'_> = Target::Device { csp: Some("Other") };
const UNASSIGNED: Target<'_> = Target::Device { csp: None };

#[test]
fn view_and_edit_follow_role_and_csp() {
    use Decision::{Allowed, Forbidden, Hidden};
    // role, CSP | view own, edit own | view other, edit other | view unassigned, edit unassigned
    let rows = [
        (Some(Role::Admin), None, [Allowed, Allowed, Allowed, Allowed, Allowed, Allowed]),
        (Some(Role::Observer), None, [Allowed, Forbidden, Allowed, Forbidden, Allowed, Forbidden]),
        (Some(Role::CspAdmin), Some("Own"), [Allowed, Allowed, Hidden, Hidden, Hidden, Hidden]),
        (Some(Role::CspObserver), Some("Own"), [Allowed, Forbidden, Hidden, Hidden, Hidden, Hidden]),
        (Some(Role::CspTech), Some("Own"), [Allowed, Allowed, Hidden, Hidden, Hidden, Hidden]),
        (Some(Role::CspAdmin), None, [Hidden; 6]),
        (Some(Role::CspAdmin), Some(""), [Hidden; 6]),
        (Some(Role::CspTech), None, [Hidden; 6]),
        (None, None, [Hidden; 6]),
        (None, Some("Own"), [Hidden; 6]),
    ];
    for (role, csp, expected) in rows {
        let actor = actor(role, csp);
        let decisions =
            [OWN, OTHER, UNASSIGNED].map(|target| [Action::View, Action::Edit].map(|a| can(&actor, a, target)));
        assert_eq!(decisions.as_flattened(), expected, "{role:?} {csp:?}");
    }
}

#[test]
fn csp_names_are_compared_exactly() {
    let actor = actor(Some(Role::CspAdmin), Some("Own"));
    for near in ["own", "Own ", "Ow", ""] {
        assert_eq!(can(&actor, Action::View, Target::Device { csp: Some(near) }), Decision::Hidden, "{near:?}");
    }
}

#[test]
fn watching_devices_requires_the_right_to_view_them() {
    let rows = [
        (Some(Role::Admin), None, Decision::Allowed),
        (Some(Role::CspObserver), Some("Own"), Decision::Allowed),
        (Some(Role::CspObserver), None, Decision::Forbidden),
        (None, None, Decision::Forbidden),
    ];
    for (role, csp, expected) in rows {
        assert_eq!(can(&actor(role, csp), Action::Watch, Target::Devices), expected, "{role:?}");
    }
}

#[test]
fn five_roles_view_csps_and_fragrances_and_only_an_oem_admin_edits_fragrances() {
    use Decision::{Allowed, Forbidden};
    let rows = [
        (Some(Role::Admin), None, Allowed, Allowed),
        (Some(Role::Observer), None, Allowed, Forbidden),
        (Some(Role::CspAdmin), Some("Own"), Allowed, Forbidden),
        (Some(Role::CspObserver), Some("Own"), Allowed, Forbidden),
        (Some(Role::CspTech), Some("Own"), Allowed, Forbidden),
        (Some(Role::CspTech), None, Forbidden, Forbidden),
        (None, Some("Own"), Forbidden, Forbidden),
    ];
    for (role, csp, view, edit) in rows {
        let actor = actor(role, csp);
        assert_eq!(can(&actor, Action::View, Target::CspNames), view, "{role:?} {csp:?}");
        let decisions = [Action::View, Action::Edit].map(|action| can(&actor, action, Target::Fragrances));
        assert_eq!(decisions, [view, edit], "{role:?} {csp:?}");
    }
}

#[test]
fn csp_list_is_visible_to_the_manufacturer_and_edited_by_one_role() {
    use Decision::{Allowed, Forbidden};
    let rows = [
        (Some(Role::Admin), None, [Allowed, Allowed]),
        (Some(Role::Observer), None, [Allowed, Forbidden]),
        (Some(Role::CspAdmin), Some("Own"), [Forbidden; 2]),
        (Some(Role::CspObserver), Some("Own"), [Forbidden; 2]),
        (Some(Role::CspTech), Some("Own"), [Forbidden; 2]),
        (None, None, [Forbidden; 2]),
    ];
    for (role, csp, expected) in rows {
        let actor = actor(role, csp);
        assert_eq!([Action::View, Action::Edit].map(|it| can(&actor, it, Target::Csps)), expected, "{role:?}");
    }
}

#[test]
fn items_of_attention_follow_the_devices_and_thresholds_the_administrators() {
    use Decision::{Allowed, Forbidden, Hidden};
    // role, CSP | own item: view, edit | other item: view, edit | thresholds: view, edit
    let rows = [
        (Some(Role::Admin), None, [Allowed; 6]),
        (Some(Role::Observer), None, [Allowed, Forbidden, Allowed, Forbidden, Allowed, Forbidden]),
        (Some(Role::CspAdmin), Some("Own"), [Allowed, Allowed, Hidden, Hidden, Allowed, Allowed]),
        (Some(Role::CspObserver), Some("Own"), [Allowed, Forbidden, Hidden, Hidden, Allowed, Forbidden]),
        (Some(Role::CspTech), Some("Own"), [Allowed, Allowed, Hidden, Hidden, Allowed, Forbidden]),
        (Some(Role::CspTech), None, [Hidden, Hidden, Hidden, Hidden, Forbidden, Forbidden]),
        (None, Some("Own"), [Hidden, Hidden, Hidden, Hidden, Forbidden, Forbidden]),
    ];
    let targets = [
        Target::AttentionItem { csp: Some("Own") },
        Target::AttentionItem { csp: Some("Other") },
        Target::AttentionSettings,
    ];
    for (role, csp, expected) in rows {
        let actor = actor(role, csp);
        let decisions = targets.map(|target| [Action::View, Action::Edit].map(|action| can(&actor, action, target)));
        assert_eq!(decisions.as_flattened(), expected, "{role:?} {csp:?}");
    }
}

#[test]
fn role_and_csp_decide_access_to_users_except_the_own_record() {
    use Decision::{Allowed, Forbidden, Hidden};
    let person = |id, csp| Target::Person { id, csp };
    let (own, other, oem) =
        (person(OTHER_PERSON, Some("Own")), person(OTHER_PERSON, Some("Other")), person(OTHER_PERSON, None));
    // role, CSP | all: view, invite | own CSP, other CSP, none: view, edit, reset password | oneself: view, edit
    let rows = [
        (Some(Role::Admin), None, [Allowed; 2], [[Allowed; 3]; 3], [Allowed, Forbidden]),
        (Some(Role::Observer), None, [Allowed, Forbidden], [[Allowed, Forbidden, Forbidden]; 3], [Allowed, Forbidden]),
        (
            Some(Role::CspAdmin),
            Some("Own"),
            [Allowed; 2],
            [[Allowed, Allowed, Forbidden], [Hidden; 3], [Hidden; 3]],
            [Allowed, Forbidden],
        ),
        (
            Some(Role::CspObserver),
            Some("Own"),
            [Allowed, Forbidden],
            [[Allowed, Forbidden, Forbidden], [Hidden; 3], [Hidden; 3]],
            [Allowed, Forbidden],
        ),
        (
            Some(Role::CspTech),
            Some("Own"),
            [Forbidden; 2],
            [[Forbidden; 3], [Hidden; 3], [Hidden; 3]],
            [Forbidden, Forbidden],
        ),
        (Some(Role::CspAdmin), None, [Forbidden; 2], [[Hidden; 3]; 3], [Hidden, Hidden]),
        (None, None, [Forbidden; 2], [[Hidden; 3]; 3], [Hidden, Hidden]),
    ];
    for (role, csp, all, each, oneself) in rows {
        let actor = actor(role, csp);
        assert_eq!([Action::View, Action::Edit].map(|it| can(&actor, it, Target::People)), all, "{role:?} {csp:?}");
        let decisions = [own, other, oem]
            .map(|target| [Action::View, Action::Edit, Action::ResetPassword].map(|it| can(&actor, it, target)));
        assert_eq!(decisions, each, "{role:?} {csp:?}");
        let me = person(ME, csp);
        assert_eq!([Action::View, Action::Edit].map(|it| can(&actor, it, me)), oneself, "{role:?} {csp:?}");
    }
}

#[test]
fn actors_can_assign_roles_up_to_their_own() {
    let rows: [(_, _, &[Role]); 8] = [
        (Some(Role::Admin), None, &Role::ALL),
        (Some(Role::CspAdmin), Some("Own"), &[Role::CspAdmin, Role::CspObserver, Role::CspTech]),
        (Some(Role::CspTech), Some("Own"), &[Role::CspTech]),
        (Some(Role::Observer), None, &[]),
        (Some(Role::CspObserver), Some("Own"), &[]),
        (Some(Role::CspAdmin), None, &[]),
        (Some(Role::CspTech), Some(""), &[]),
        (None, None, &[]),
    ];
    for (role, csp, expected) in rows {
        assert_eq!(role_choices(&actor(role, csp)), expected, "{role:?} {csp:?}");
    }
}

#[test]
fn administrators_and_the_oem_observer_view_the_audit_and_no_role_edits_it() {
    use Decision::{Allowed, Forbidden};
    let rows = [
        (Some(Role::Admin), None, Allowed),
        (Some(Role::Observer), None, Allowed),
        (Some(Role::CspAdmin), Some("Own"), Allowed),
        (Some(Role::CspAdmin), None, Forbidden),
        (Some(Role::CspObserver), Some("Own"), Forbidden),
        (Some(Role::CspTech), Some("Own"), Forbidden),
        (None, Some("Own"), Forbidden),
    ];
    for (role, csp, view) in rows {
        let actor = actor(role, csp);
        let decisions = [Action::View, Action::Edit, Action::Watch].map(|it| can(&actor, it, Target::Audit));
        assert_eq!(decisions, [view, Forbidden, Forbidden], "{role:?} {csp:?}");
    }
}

#[test]
fn only_administrators_view_refused_sign_ins_and_report_downloads() {
    use Decision::{Allowed, Forbidden};
    let rows = [
        (Some(Role::Admin), None, [Allowed, Allowed]),
        (Some(Role::Observer), None, [Forbidden, Forbidden]),
        (Some(Role::CspAdmin), Some("Own"), [Forbidden, Allowed]),
        (Some(Role::CspAdmin), None, [Forbidden, Forbidden]),
        (Some(Role::CspObserver), Some("Own"), [Forbidden, Forbidden]),
        (Some(Role::CspTech), Some("Own"), [Forbidden, Forbidden]),
        (None, None, [Forbidden, Forbidden]),
    ];
    for (role, csp, expected) in rows {
        let actor = actor(role, csp);
        let targets = [Target::RefusedSignIns, Target::ReportDownloads];
        assert_eq!(targets.map(|target| can(&actor, Action::View, target)), expected, "{role:?} {csp:?}");
        assert_eq!(targets.map(|target| can(&actor, Action::Edit, target)), [Forbidden; 2], "{role:?} {csp:?}");
    }
}

#[test]
fn job_is_visible_to_its_owner_and_to_oem_admins() {
    use Decision::{Allowed, Forbidden, Hidden};
    let rows = [
        (Some(Role::Admin), None, Allowed, Allowed),
        (Some(Role::Observer), None, Allowed, Hidden),
        (Some(Role::CspAdmin), Some("Own"), Allowed, Hidden),
        (Some(Role::CspTech), Some("Own"), Allowed, Hidden),
        (None, None, Forbidden, Hidden),
    ];
    for (role, csp, own, hers) in rows {
        let actor = actor(role, csp);
        for action in [Action::View, Action::Edit] {
            let decisions = [ME, OTHER_PERSON].map(|owner| can(&actor, action, Target::Job { owner }));
            assert_eq!(decisions, [own, hers], "{role:?} {action:?}");
        }
    }
}

#[test]
fn only_an_oem_admin_assigns_devices_to_a_csp() {
    use Decision::{Allowed, Forbidden, Hidden};
    let rows = [
        (Some(Role::Admin), None, [Allowed; 3]),
        (Some(Role::Observer), None, [Forbidden; 3]),
        (Some(Role::CspAdmin), Some("Own"), [Forbidden, Forbidden, Hidden]),
        (Some(Role::CspTech), Some("Own"), [Forbidden, Forbidden, Hidden]),
        (None, None, [Forbidden, Hidden, Hidden]),
    ];
    for (role, csp, expected) in rows {
        let actor = actor(role, csp);
        let decisions = [Target::Devices, OWN, OTHER].map(|target| can(&actor, Action::AssignCsp, target));
        assert_eq!(decisions, expected, "{role:?}");
    }
}

#[test]
fn permissions_follow_the_scope() {
    use Permission::{
        AddDevices, BulkEditDevices, EditAttention, EditAttentionSettings, EditCsps, EditFragrances, EditSignInRules,
        InviteUsers, ViewAttention, ViewAudit, ViewCsps, ViewDevices, ViewJobs, ViewUsers,
    };
    let rows = [
        (
            Some(Role::Admin),
            None,
            vec![
                ViewDevices,
                AddDevices,
                BulkEditDevices,
                ViewUsers,
                InviteUsers,
                ViewCsps,
                EditCsps,
                EditFragrances,
                ViewAudit,
                ViewAttention,
                EditAttention,
                EditAttentionSettings,
                ViewJobs,
                EditSignInRules,
            ],
        ),
        (Some(Role::Observer), None, vec![ViewDevices, ViewUsers, ViewCsps, ViewAudit, ViewAttention]),
        (
            Some(Role::CspAdmin),
            Some("Own"),
            vec![
                ViewDevices,
                AddDevices,
                ViewUsers,
                InviteUsers,
                ViewAudit,
                ViewAttention,
                EditAttention,
                EditAttentionSettings,
                ViewJobs,
            ],
        ),
        (Some(Role::CspAdmin), None, vec![]),
        (Some(Role::CspTech), Some("Own"), vec![ViewDevices, AddDevices, ViewAttention, EditAttention, ViewJobs]),
        (Some(Role::CspObserver), Some("Own"), vec![ViewDevices, ViewUsers, ViewAttention]),
        (Some(Role::CspTech), None, vec![]),
        (None, None, vec![]),
    ];
    for (role, csp, expected) in rows {
        assert_eq!(permissions(&actor(role, csp)), expected, "{role:?}");
    }
}
