import { IconPlus } from '@tabler/icons-react';
import { type ReactNode, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { DeviceDetail, ScheduleFrame } from '@/api/schema.gen';
import { weekTimeIn } from '@/browser/time';
import { FRAME_COUNT } from '@/domain/schedule';
import { isUnused, missingFrame, readEntry } from '@/domain/schedule-text';
import { clampIntensity, MIN_INTENSITY, maxIntensity } from '@/domain/settings-rules';
import { ChangedNotice } from '@/form/ChangedNotice';
import { LeaveGuard } from '@/form/LeaveGuard';
import { RestoredNotice } from '@/form/RestoredNotice';
import { useChangedFields } from '@/form/useChangedFields';
import { useDraftName } from '@/form/useDraftName';
import { t } from '@/i18n/en';
import { FormActions } from '@/ui/fields/FormActions';
import { useNow } from '@/ui/hooks/useNow';
import { Button, Stack, Text } from '@/ui/kit';
import { Card, Panel } from '@/ui/layout/Card';
import { InfoNotice } from '@/ui/notices/Notice';
import { ZoneNote } from '@/ui/values/ZoneNote';
import { WhatIfLine } from '../forecast/WhatIfLine';
import { EditableWeek } from './EditableWeek';
import { FrameDialog } from './FrameDialog';
import { newFrame, timeFault } from './frame-form';
import { frameText } from './frame-times';
import classes from './ScheduleEditor.module.css';
import { ScheduleFrames } from './ScheduleFrames';
import { type Refusals, useSaveSchedule } from './useSaveSchedule';
import { scheduleEntries, useScheduleDraft } from './useScheduleDraft';
import { WeekChart } from './WeekChart';

interface Props {
  device: DeviceDetail;
  /** The entry that is open at first. */
  openedFrame?: number | undefined;
  /** The link back. */
  cancel: ReactNode;
  onSaved: () => void;
}

/** The edited week of a device. Changes are kept locally until they are saved. */
export function ScheduleEditor({ device, openedFrame, cancel, onSaved }: Props) {
  const { dsn, schedule, systemConfiguration, cycle, can } = device;
  const draft = useScheduleDraft(useDraftName(`/devices/${dsn}/edit/schedule`), schedule, !can.edit);
  const [showsAll, setShowsAll] = useState(false);
  const [refusals, setRefusals] = useState<Refusals>({});
  const now = weekTimeIn(device.timeZone, useNow());
  const rows = useRef<HTMLDivElement>(null);

  const max = maxIntensity(systemConfiguration, cycle);
  // A device may have more than its current off-cycle allows, which would be refused.
  const frames = draft.frames.map((frame) => (can.edit ? lowered(frame, max) : frame));
  const [edited, setEdited] = useState(() => frames.find(({ number }) => number === openedFrame) ?? missingFrame(1));
  const [isEditing, setEditing] = useState(can.edit && edited.number === openedFrame);
  const high = draft.frames.filter((frame) => frame.intensity > max);
  // Edited frames, and those with a lowered intensity.
  const changed = frames.filter((frame) => draft.differs(frame) || high.some(({ number }) => number === frame.number));
  const meanwhile = useChangedFields<string>((number, entry, takes) => {
    const theirs = readEntry(Number(number), entry);
    const mine = frames.find((frame) => frame.number === theirs.number);
    draft.decide(theirs, takes || !mine ? theirs : mine);
  });
  const save = useSaveSchedule({
    dsn,
    onSaved: (sent) => {
      meanwhile.clear();
      setRefusals({});
      if (draft.saved(sent, frames) && !isEditing) onSaved();
    },
    onRefused: (refusals, error) => {
      meanwhile.show(error);
      // A refused frame is listed even if it is unused.
      flushSync(() => setRefusals(refusals));
      const [first] = Object.keys(refusals);
      rows.current?.querySelector<HTMLElement>(`[data-frame="${first}"]`)?.focus();
    },
  });
  const change = (frames: ScheduleFrame[]) => {
    draft.change(frames);
    setRefusals({});
  };
  const discard = () => {
    draft.discard();
    setRefusals({});
    meanwhile.clear();
  };
  const edit = (frame: ScheduleFrame | undefined) => {
    if (!frame) return;
    setEdited(frame);
    setEditing(true);
  };
  const open = (number: number) => edit(frames.find((frame) => frame.number === number));
  // The choice between both says so, too.
  const isOutdated = draft.outdated.length > 0 && meanwhile.changed.length === 0;
  const used = frames.filter((frame) => !isUnused(frame) || draft.differs(frame) || frame.number in refusals);
  const shown = showsAll ? frames : used;
  const next = newFrame(frames, clampIntensity(device.intensity ?? MIN_INTENSITY, max));

  return (
    <Stack gap="md">
      {can.edit ? <Text c="dimmed">{t.scheduleForm.hint}</Text> : <InfoNotice text={t.deviceForm.readOnly} />}
      {isOutdated && <OutdatedNotice frames={draft.outdated} onDiscard={discard} />}
      {draft.isRestored && !isOutdated && <RestoredNotice onDiscard={discard} />}
      {can.edit && high.length > 0 && <InfoNotice text={t.scheduleForm.lowered(max, namesOf(high))} />}
      <Card title={t.scheduleForm.week}>
        <ZoneNote />
        {!frames.some(({ active }) => active) ? (
          <Text c="dimmed">{t.schedule.empty}</Text>
        ) : can.edit ? (
          <EditableWeek frames={frames} now={now} onChange={change} onOpen={open} />
        ) : (
          <WeekChart frames={frames} running={null} now={now} />
        )}
      </Card>
      <Panel ref={rows}>
        {shown.length > 0 ? (
          <ScheduleFrames
            frames={shown}
            faultOf={(frame) => refusals[frame.number] ?? timeFault(frames, frame)}
            isChanged={draft.differs}
            isRemoved={(frame) => isUnused(frame) && draft.differs(frame)}
            disabled={!can.edit}
            onEdit={open}
          />
        ) : (
          <p className={classes.none}>{t.scheduleForm.noneUsed}</p>
        )}
        <div className={classes.more}>
          <Button
            variant="default"
            leftSection={<IconPlus size={18} aria-hidden="true" />}
            disabled={!can.edit || !next}
            onClick={() => edit(next)}
          >
            {t.scheduleForm.addTime}
          </Button>
          {!next && <Text c="dimmed">{t.scheduleForm.allUsed(FRAME_COUNT)}</Text>}
          {used.length < FRAME_COUNT && (
            <Button variant="subtle" onClick={() => setShowsAll(!showsAll)}>
              {showsAll ? t.scheduleForm.showUsed : t.scheduleForm.showAll(FRAME_COUNT)}
            </Button>
          )}
        </div>
      </Panel>
      <ChangedNotice
        meanwhile={meanwhile}
        fields={{ labels: labelsOf(frames), values: scheduleEntries(frames) }}
        valueText={(number, entry) => frameText(readEntry(Number(number), entry))}
      />
      {can.edit && <WhatIfLine dsn={dsn} change={changed.length > 0 ? { frames: changed } : undefined} />}
      <FormActions long>
        <Button
          className={classes.save}
          onClick={() => save.mutate({ frames: changed, seen: draft.seen(changed) })}
          loading={save.isPending}
          disabled={!can.edit}
        >
          {t.scheduleForm.save}
        </Button>
        {cancel}
        {draft.isChanged && !draft.isRestored && !isOutdated && (
          <Button variant="subtle" className={classes.discard} onClick={discard}>
            {t.form.discard}
          </Button>
        )}
      </FormActions>
      <FrameDialog
        frame={edited}
        frames={frames}
        maxIntensity={max}
        opened={isEditing}
        onClose={() => setEditing(false)}
        onChange={change}
      />
      <LeaveGuard active={draft.isChanged || isEditing} onLeave={draft.leave} />
    </Stack>
  );
}

function OutdatedNotice({ frames, onDiscard }: { frames: readonly ScheduleFrame[]; onDiscard: () => void }) {
  const discard = (
    <Button size="compact-sm" variant="subtle" onClick={onDiscard}>
      {t.form.discard}
    </Button>
  );
  return <InfoNotice text={t.scheduleForm.outdated(frames.length, namesOf(frames))} action={discard} />;
}

function lowered(frame: ScheduleFrame, max: number): ScheduleFrame {
  return { ...frame, intensity: clampIntensity(frame.intensity, max) };
}

function labelsOf(frames: readonly ScheduleFrame[]): Record<string, string> {
  return Object.fromEntries(frames.map(({ number }) => [number, t.schedule.schedule(number)]));
}

function namesOf(frames: readonly ScheduleFrame[]): string {
  return new Intl.ListFormat('en-US').format(frames.map(({ number }) => t.schedule.schedule(number)));
}
