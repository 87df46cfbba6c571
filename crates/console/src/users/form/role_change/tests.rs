use super::*;

const NORTH: &str = "North";
const SOUTH: &str = "South";

fn csp(name: &str) -> Option<String> {
    Some(name.to_owned()).filter(|name| !name.is_empty())
}

fn wanted(role: Role, name: &str) -> Access {
    Access { role, csp: csp(name) }
}

#[test]
fn role_change_revokes_before_it_assigns() {
    use Role::{Admin, CspAdmin, CspTech, Observer};
    use Step::{AssignLabel, AssignRole, RevokeLabel, RevokeOther, RevokeRole};
    let (north, south) = (NORTH.to_owned(), SOUTH.to_owned());
    let rows = [
        // Another role of the same CSP.
        (
            (Some(CspTech), NORTH, vec![]),
            wanted(CspAdmin, NORTH),
            vec![
                RevokeLabel(CspTech, north.clone()),
                RevokeRole(CspTech),
                AssignRole(CspAdmin),
                AssignLabel(CspAdmin, north.clone()),
            ],
        ),
        // Only another CSP.
        (
            (Some(CspTech), NORTH, vec![]),
            wanted(CspTech, SOUTH),
            vec![RevokeLabel(CspTech, north.clone()), AssignLabel(CspTech, south.clone())],
        ),
        // To a role of the manufacturer, which has no label, and back.
        (
            (Some(CspAdmin), NORTH, vec![]),
            wanted(Observer, ""),
            vec![RevokeLabel(CspAdmin, north.clone()), RevokeRole(CspAdmin), AssignRole(Observer)],
        ),
        (
            (Some(Observer), "", vec![]),
            wanted(CspTech, SOUTH),
            vec![RevokeRole(Observer), AssignRole(CspTech), AssignLabel(CspTech, south.clone())],
        ),
        ((Some(Admin), "", vec![]), wanted(Observer, ""), vec![RevokeRole(Admin), AssignRole(Observer)]),
        // Nothing changes.
        ((Some(CspTech), NORTH, vec![]), wanted(CspTech, NORTH), vec![]),
        ((Some(Admin), "", vec![]), wanted(Admin, ""), vec![]),
        // Continues an interrupted attempt.
        ((None, "", vec![]), wanted(CspTech, NORTH), vec![AssignRole(CspTech), AssignLabel(CspTech, north.clone())]),
        ((Some(CspTech), "", vec![]), wanted(CspTech, NORTH), vec![AssignLabel(CspTech, north.clone())]),
        (
            (Some(CspTech), "", vec![]),
            wanted(CspAdmin, NORTH),
            vec![RevokeRole(CspTech), AssignRole(CspAdmin), AssignLabel(CspAdmin, north.clone())],
        ),
        // Further roles are revoked even if the effective role stays.
        ((Some(CspAdmin), NORTH, vec![CspTech]), wanted(CspAdmin, NORTH), vec![RevokeOther(CspTech)]),
        (
            (Some(Admin), "", vec![Observer, CspTech]),
            wanted(CspTech, NORTH),
            vec![RevokeRole(Admin), AssignRole(CspTech), AssignLabel(CspTech, north), RevokeOther(Observer)],
        ),
    ];
    for ((role, name, others), wanted, expected) in rows {
        let held = HeldRoles { role, csp: csp(name), others };
        assert_eq!(steps(&held, &wanted), expected, "{held:?} to {wanted:?}");
    }
}

/// The roles of one person in the cloud, with their labels.
type Grants = Vec<(Role, Option<String>)>;

/// All combinations of the five roles, each CSP role without a label or with one of two labels.
fn all_grants() -> Vec<Grants> {
    let mut all = vec![Grants::new()];
    for role in Role::ALL {
        let labels: &[&str] = if role.is_csp_scoped() { &["", NORTH, SOUTH] } else { &[""] };
        let with = all.iter().flat_map(|grants| {
            labels.iter().map(move |label| {
                let mut grants = grants.clone();
                grants.push((role, csp(label)));
                grants
            })
        });
        all = all.iter().cloned().chain(with.collect::<Vec<_>>()).collect();
    }
    all
}

fn all_accesses() -> Vec<Access> {
    let of = |role: Role| -> Vec<Access> {
        let labels: &[&str] = if role.is_csp_scoped() { &[NORTH, SOUTH] } else { &[""] };
        labels.iter().map(|label| wanted(role, label)).collect()
    };
    Role::ALL.into_iter().flat_map(of).collect()
}

fn held(grants: &Grants) -> HeldRoles {
    let first = Role::ALL.into_iter().find_map(|role| grants.iter().find(|grant| grant.0 == role));
    HeldRoles {
        role: first.map(|grant| grant.0),
        csp: first.and_then(|grant| grant.1.clone()),
        others: grants.iter().map(|grant| grant.0).filter(|role| Some(*role) != first.map(|it| it.0)).collect(),
    }
}

/// Executes a step. `own` is the label that an administrator of a CSP assigns together with the role.
fn apply(grants: &mut Grants, step: &Step, own: Option<&str>) {
    let label = |grants: &mut Grants, role: Role, value: Option<String>| {
        grants.iter_mut().filter(|grant| grant.0 == role).for_each(|grant| grant.1.clone_from(&value));
    };
    match step {
        Step::RevokeLabel(role, _) => label(grants, *role, None),
        Step::RevokeRole(role) | Step::RevokeOther(role) => grants.retain(|grant| grant.0 != *role),
        Step::AssignRole(role) if grants.iter().all(|grant| grant.0 != *role) => {
            grants.push((*role, own.map(str::to_owned)));
        }
        Step::AssignRole(_) => {}
        Step::AssignLabel(role, value) => label(grants, *role, Some(value.clone())),
    }
}

/// The effective grants: a CSP role without its label grants nothing.
fn rights(grants: &Grants) -> Vec<(Role, Option<String>)> {
    grants.iter().filter(|(role, csp)| !role.is_csp_scoped() || csp.is_some()).cloned().collect()
}

/// For all combinations of current and requested roles, wherever the change stops: the person has no rights other than old ones
/// and the new one, the new one only after the previous effective role is revoked, and another attempt completes the change.
#[test]
fn interrupted_role_change_never_grants_more_and_can_be_repeated() {
    for before in all_grants() {
        for wanted in all_accesses() {
            for own in [None, wanted.csp.as_deref()] {
                let new = (wanted.role, wanted.csp.clone());
                let (mut grants, held_before) = (before.clone(), held(&before));
                for step in steps(&held_before, &wanted) {
                    apply(&mut grants, &step, own);
                    let case = format!("{before:?} to {wanted:?}, after {step:?}");
                    for right in rights(&grants) {
                        assert!(right == new || rights(&before).contains(&right), "{case}: gained {right:?}");
                    }
                    let old = held_before.role.map(|role| (role, held_before.csp.clone())).filter(|old| *old != new);
                    let has = |right: &(Role, Option<String>)| rights(&grants).contains(right);
                    let had_new = rights(&before).contains(&new);
                    assert!(had_new || !(has(&new) && old.is_some_and(|old| has(&old))), "{case}: old and new at once");
                    let mut again = grants.clone();
                    steps(&held(&grants), &wanted).iter().for_each(|step| apply(&mut again, step, own));
                    assert_eq!(rights(&again).as_slice(), std::slice::from_ref(&new), "{case}: another attempt");
                }
                assert_eq!(grants, [new], "{before:?} to {wanted:?}");
                assert_eq!(steps(&held(&grants), &wanted), [], "nothing is left to do");
            }
        }
    }
}
