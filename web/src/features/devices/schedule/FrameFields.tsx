import { type FormEvent, useRef, useState } from 'react';
import type { ScheduleFrame } from '@/api/schema.gen';
import { timeOfDay } from '@/browser/time';
import { MIN_INTENSITY } from '@/domain/settings-rules';
import { LeaveGuard } from '@/form/LeaveGuard';
import { t } from '@/i18n/en';
import { SliderField } from '@/ui/fields/SliderField';
import { TimeField } from '@/ui/fields/TimeField';
import { Button, Group, Stack, Switch, Text } from '@/ui/kit';
import { DaysField } from './DaysField';
import classes from './FrameFields.module.css';
import { type FrameErrors, type FrameForm, frameForm, type Midnight, readForm, tidyForm } from './frame-form';

interface Props {
  frame: ScheduleFrame;
  /** The frames that the entry may take, too. */
  unused: readonly ScheduleFrame[];
  maxIntensity: number;
  /** False if the frames overlap others. */
  onSubmit: (frames: readonly ScheduleFrame[]) => boolean;
  onCancel: () => void;
  /** Undefined for an unused frame. */
  onRemove: (() => void) | undefined;
}

export function FrameFields({ frame, unused, maxIntensity, onSubmit, onCancel, onRemove }: Props) {
  const [opened] = useState(() => frameForm(frame));
  const [form, setForm] = useState(opened);
  const [errors, setErrors] = useState<FrameErrors>({});
  const [midnight, setMidnight] = useState<Midnight>();
  const days = useRef<HTMLInputElement>(null);
  const start = useRef<HTMLInputElement>(null);
  const stop = useRef<HTMLInputElement>(null);
  const change = (part: Partial<FrameForm>) => {
    setForm({ ...form, ...part });
    setErrors({});
    setMidnight(undefined);
  };
  const enter = (frames: readonly ScheduleFrame[]) => {
    setMidnight(undefined);
    const isStored = onSubmit(frames);
    setErrors(isStored ? {} : { start: t.scheduleForm.conflicts, stop: t.scheduleForm.conflicts });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const read = readForm(frame, form, unused);
    if ('errors' in read) {
      setErrors(read.errors);
      setMidnight(read.midnight);
      (read.errors.days ? days : read.errors.start ? start : stop).current?.focus();
      return;
    }
    setForm(tidyForm(form));
    enter(read.frames);
  };

  return (
    <form noValidate onSubmit={submit}>
      <Stack gap="lg">
        <Switch
          label={t.scheduleForm.enabled}
          checked={form.active}
          onChange={({ currentTarget }) => change({ active: currentTarget.checked })}
          data-autofocus
        />
        <DaysField days={form.days} onChange={(days) => change({ days })} error={errors.days} inputRef={days} />
        <div className={classes.times}>
          <TimeField
            label={t.scheduleForm.columns.start}
            value={form.start}
            onChange={(start) => change({ start })}
            error={errors.start}
            inputRef={start}
          />
          <TimeField
            label={t.scheduleForm.columns.stop}
            value={form.stop}
            onChange={(stop) => change({ stop })}
            error={errors.stop}
            inputRef={stop}
          />
          {midnight ? (
            <Button className={classes.midnight} onClick={() => enter(midnight.frames)}>
              {midnight.label}
            </Button>
          ) : (
            <Text className={classes.hint} size="sm" c="dimmed">
              {t.scheduleForm.overnight(timeOfDay(23, 59), timeOfDay(0, 0))}
            </Text>
          )}
        </div>
        <SliderField
          label={t.scheduleForm.columns.intensity}
          description={t.settings.intensityMax(maxIntensity)}
          min={MIN_INTENSITY}
          max={maxIntensity}
          value={form.intensity}
          onChange={(intensity) => change({ intensity })}
          disabled={false}
        />
        <Group justify="flex-end">
          {onRemove && (
            <Button variant="subtle" className={classes.remove} onClick={onRemove}>
              {t.scheduleForm.remove}
            </Button>
          )}
          <Button variant="default" onClick={onCancel}>
            {t.common.cancel}
          </Button>
          <Button type="submit">{t.scheduleForm.done}</Button>
        </Group>
      </Stack>
      <LeaveGuard active={JSON.stringify(form) !== JSON.stringify(opened)} />
    </form>
  );
}
