//! What a job writes to one of its devices.

use devicecloud::{Client, Device, PropertyValue};
use diffuser::{PARTNER_LABEL_KEY, Role, Schedule, Setting, properties};
use uuid::Uuid;

use crate::audit::{self, Change, FieldChange, Operation};
use crate::devices::forecast::UseChange;
use crate::devices::form::{self, CurrentDevice, Step};
use crate::devices::notifications::{self, DeviceNotifications, NotificationPlan};
use crate::devices::writes::{self, DeviceValue, finish_write};
use crate::devices::{level, schedule, service};
use crate::events::notices::DeviceEventKind;
use crate::forms::partial_writes::{Part, stopped};
use crate::http::error::ApiResult;
use crate::jobs::JobActors;
use crate::policy::{Action, Actor, Target};
use crate::records::{ReadDevice, property};
use crate::state::CoreState;

/// A device as a job finds it.
pub(super) struct JobTarget {
    pub(super) device: ReadDevice,
    pub(super) current: CurrentDevice,
    /// Empty until [`read_notifications`](Self::read_notifications).
    pub(super) notifications: DeviceNotifications,
}

/// The writes to a device in execution order. Only differences.
#[derive(Debug, Default)]
pub(super) struct TargetPlan {
    pub(super) steps: Vec<Step>,
    pub(super) settings: Vec<(DeviceValue, PropertyValue)>,
    pub(super) schedule: Option<Schedule>,
    pub(super) notifications: NotificationPlan,
}

impl JobTarget {
    /// Reads the device with the token of the session.
    ///
    /// # Errors
    /// 404 or 403, in this order.
    pub(super) async fn read(state: &CoreState, actors: &JobActors, action: Action, dsn: &str) -> ApiResult<Self> {
        let device = service::read(state, &actors.session, dsn).await?;
        let current = CurrentDevice::of(&device);
        actors.require(action, Target::Device { csp: current.record.csp.as_deref() })?;
        Ok(Self { device, current, notifications: DeviceNotifications::default() })
    }

    pub(super) async fn read_notifications(&mut self, state: &CoreState, actor: &Actor) -> ApiResult<()> {
        self.notifications = notifications::read(&state.sessions.cloud(&actor.session), &self.device).await?;
        Ok(())
    }

    /// The schedule in the device's storage format.
    pub(super) fn schedule(&self) -> &str {
        let blob = property(&self.device, properties::SCHEDULE_BLOB);
        blob.and_then(|blob| blob.value.as_ref()?.as_str()).unwrap_or_default()
    }

    /// The CSP of each partner label, with the role that has it.
    pub(super) fn partners(&self) -> impl Iterator<Item = (&str, &str)> {
        let labels = self.device.role_labels.iter().filter_map(|it| Some((it.role_name.as_str(), it.label.as_ref()?)));
        labels.filter(|(_, label)| label.key == PARTNER_LABEL_KEY).map(|(role, label)| (role, label.value.as_str()))
    }

    /// Whether each CSP role has the label of this CSP and none has another CSP's.
    pub(super) fn has_all_labels(&self, csp: &str) -> bool {
        let mut roles = Role::ALL.into_iter().filter(|role| role.is_csp_scoped());
        self.partners().all(|(_, partner)| partner == csp)
            && roles.all(|role| self.partners().any(|(name, _)| name == role.name()))
    }

    /// Audit entries of the plan.
    pub(super) fn changes(&self, plan: &TargetPlan) -> Vec<FieldChange> {
        let mut fields = form::changes(&plan.steps, &self.current);
        fields.extend(writes::changes(&self.device, &plan.settings));
        fields.extend(plan.schedule.iter().flat_map(|wanted| schedule::changes(self.schedule(), wanted)));
        fields.extend(plan.notifications.fields.iter().cloned());
        fields
    }

    /// Writes the plan with the actor's own token and returns the device as read back from the cloud. Does not check permissions.
    ///
    /// # Errors
    /// Stops at the first write that the cloud rejects and returns its error with the parts saved before.
    pub(super) async fn save(
        &self,
        state: &CoreState,
        actor: &Actor,
        job: Uuid,
        operation: Operation,
        plan: &TargetPlan,
    ) -> ApiResult<ReadDevice> {
        // A move between CSPs is visible to neither CSP, because it names both.
        let csp = self.current.record.csp.as_deref().filter(|_| !plan.steps.iter().any(Step::changes_csp));
        let target = audit::AuditTarget::device(self.device.dsn.as_str(), csp);
        let change = Change { operation, target, fields: self.changes(plan) };
        let entry = audit::begin_in_job(state, actor, Some(job), &change).await?;
        let written = self.write(&state.sessions.cloud(&actor.session), plan).await;
        let kind = if plan.values().next().is_some() { DeviceEventKind::Commanded } else { DeviceEventKind::Changed };
        let saved = finish_write(state, actor, &self.device, entry, kind, written).await?;
        if plan.steps.iter().any(|step| step.part() == form::FRAGRANCE.part()) {
            level::store_after_edit(state, actor, &saved).await;
        }
        Ok(saved)
    }

    async fn write(&self, cloud: &Client, plan: &TargetPlan) -> ApiResult<()> {
        let device: &Device = &self.device;
        let mut saved: Vec<Part> = Vec::new();
        for step in &plan.steps {
            let applied = form::apply_step(cloud, device, step).await;
            applied.map_err(|error| stopped(step.part(), &saved, error.into()))?;
            saved.push(step.part());
        }
        for (value, requested) in plan.values() {
            let sent = cloud.datapoints().create(&device.dsn, value.property, requested).send().await;
            sent.map_err(|error| stopped(value.part, &saved, error.into()))?;
            saved.push(value.part);
        }
        notifications::perform(cloud, device, &self.notifications, &plan.notifications, &saved).await
    }
}

impl TargetPlan {
    pub(super) fn is_empty(&self) -> bool {
        self.steps.is_empty() && self.values().next().is_none() && self.notifications.fields.is_empty()
    }

    /// The planned values that decide on the use of the device.
    pub(super) fn use_change(&self) -> UseChange<'_> {
        let zone =
            self.steps.iter().find_map(|step| if let Step::TimeZone(name) = step { Some(name.as_str()) } else { None });
        let fragrance = self.steps.iter().find_map(|step| match step {
            Step::Create(_, name) | Step::Update(_, name) if step.part() == form::FRAGRANCE.part() => {
                Some(name.as_str())
            }
            _ => None,
        });
        UseChange { mode: self.requested(Setting::Mode), schedule: self.schedule.as_ref(), fragrance, time_zone: zone }
    }

    /// The value that the plan writes to this setting.
    pub(super) fn requested(&self, setting: Setting) -> Option<i64> {
        let planned = self.settings.iter().find(|(value, _)| value.part.field == setting.field());
        planned.and_then(|(_, requested)| requested.as_i64())
    }

    /// The settings in the order in which the device must apply them, then the schedule.
    pub(super) fn values(&self) -> impl Iterator<Item = (DeviceValue, PropertyValue)> {
        let schedule = self.schedule.iter().map(|schedule| (schedule::SCHEDULE, schedule.to_string().into()));
        self.settings.iter().cloned().chain(schedule)
    }
}
