import { type ReactNode, useRef, useState } from 'react';
import type { DeviceDetail, ScheduleFrame } from '@/api/schema.gen';
import { LeaveGuard } from '@/form/LeaveGuard';
import { RestoredNotice } from '@/form/RestoredNotice';
import { useDraftName } from '@/form/useDraftName';
import { t } from '@/i18n/en';
import { clampIntensity, maxIntensity } from '@/lib/settings-rules';
import { Card, Panel } from '@/ui/Card';
import { FormActions } from '@/ui/FormActions';
import { Button, Stack, Text } from '@/ui/kit';
import { InfoNotice } from '@/ui/Notice';
import { FrameDialog } from './schedule/FrameDialog';
import { timeFault } from './schedule/frame-form';
import { ScheduleFrames } from './schedule/ScheduleFrames';
import { type Refusals, useSaveSchedule } from './schedule/useSaveSchedule';
import { useScheduleDraft } from './schedule/useScheduleDraft';
import { WeekChart } from './schedule/WeekChart';

interface Props {
  device: DeviceDetail;
  /** The way back. */
  cancel: ReactNode;
  onSaved: () => void;
}

/** The week of a device as it is to be: what is changed here stays here until it is saved. */
export function ScheduleEditor({ device, cancel, onSaved }: Props) {
  const { dsn, schedule, systemConfiguration, cycle, can } = device;
  const draft = useScheduleDraft(useDraftName(`/devices/${dsn}/edit/schedule`), schedule, !can.edit);
  const [edited, setEdited] = useState({ number: 1, opened: false });
  const [refusals, setRefusals] = useState<Refusals>({});
  const rows = useRef<HTMLDivElement>(null);
  const save = useSaveSchedule({
    dsn,
    onSaved: () => {
      draft.discard();
      onSaved();
    },
    onRefused: (refusals) => {
      setRefusals(refusals);
      const [first] = Object.keys(refusals);
      // Every frame has one, in their order.
      if (first) rows.current?.querySelectorAll('button')[Number(first) - 1]?.focus();
    },
  });

  const max = maxIntensity(systemConfiguration, cycle);
  // A device may have more than its present off-cycle allows, which would be refused.
  const frames = draft.frames.map((frame) => (can.edit ? lowered(frame, max) : frame));
  const high = draft.frames.filter((frame) => frame.intensity > max);
  // Edited, or lowered.
  const changed = frames.filter((frame) => draft.differs(frame) || high.some(({ number }) => number === frame.number));
  const change = (frames: ScheduleFrame[]) => {
    draft.change(frames);
    setRefusals({});
  };

  return (
    <Stack gap="md">
      {can.edit ? <Text c="dimmed">{t.scheduleForm.hint}</Text> : <InfoNotice text={t.deviceForm.readOnly} />}
      {draft.outdated.length > 0 && <OutdatedNotice frames={draft.outdated} onDiscard={draft.discard} />}
      {draft.isRestored && draft.outdated.length === 0 && <RestoredNotice onDiscard={draft.discard} />}
      {can.edit && high.length > 0 && <InfoNotice text={t.scheduleForm.lowered(max, namesOf(high))} />}
      <Card title={t.scheduleForm.week}>
        {frames.some(({ active }) => active) ? (
          <WeekChart frames={frames} running={null} today={undefined} />
        ) : (
          <Text c="dimmed">{t.schedule.empty}</Text>
        )}
      </Card>
      <Panel ref={rows}>
        <ScheduleFrames
          frames={frames}
          faultOf={(frame) => refusals[frame.number] ?? timeFault(frames, frame)}
          isChanged={draft.differs}
          disabled={!can.edit}
          onEdit={(number) => setEdited({ number, opened: true })}
        />
      </Panel>
      <FormActions long>
        <Button onClick={() => save.mutate(changed)} loading={save.isPending} disabled={!can.edit}>
          {t.scheduleForm.save}
        </Button>
        {cancel}
      </FormActions>
      <FrameDialog
        number={edited.number}
        frames={frames}
        maxIntensity={max}
        opened={edited.opened}
        onClose={() => setEdited({ ...edited, opened: false })}
        onChange={change}
      />
      <LeaveGuard active={draft.isChanged || edited.opened} />
    </Stack>
  );
}

function OutdatedNotice({ frames, onDiscard }: { frames: readonly ScheduleFrame[]; onDiscard: () => void }) {
  const discard = (
    <Button size="compact-sm" variant="subtle" onClick={onDiscard}>
      {t.form.discard}
    </Button>
  );
  return <InfoNotice text={t.scheduleForm.outdated(namesOf(frames))} action={discard} />;
}

function lowered(frame: ScheduleFrame, max: number): ScheduleFrame {
  return { ...frame, intensity: clampIntensity(frame.intensity, max) };
}

function namesOf(frames: readonly ScheduleFrame[]): string {
  return new Intl.ListFormat('en-US').format(frames.map(({ number }) => t.schedule.schedule(number)));
}
