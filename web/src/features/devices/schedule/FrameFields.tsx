import { type FormEvent, useRef, useState } from 'react';
import type { ScheduleFrame } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { DAY_CHOICES } from '@/lib/schedule';
import { MIN_INTENSITY } from '@/lib/settings-rules';
import { timeOfDay } from '@/lib/time';
import { Button, Group, Select, Stack, Switch, Text } from '@/ui/kit';
import { SliderField } from '@/ui/SliderField';
import { TimeField } from '@/ui/TimeField';
import classes from './FrameFields.module.css';
import { type FrameForm, frameForm, readFrame, type TimeErrors } from './frame-form';

const DAYS = DAY_CHOICES.map((days) => ({ value: String(days), label: t.schedule.days[days] ?? '' }));

interface Props {
  frame: ScheduleFrame;
  maxIntensity: number;
  /** False if the frame overlaps others. */
  onSubmit: (frame: ScheduleFrame) => boolean;
  onCancel: () => void;
  /** Undefined for an unused frame. */
  onRemove: (() => void) | undefined;
}

export function FrameFields({ frame, maxIntensity, onSubmit, onCancel, onRemove }: Props) {
  const [form, setForm] = useState(() => frameForm(frame));
  const [errors, setErrors] = useState<TimeErrors>({});
  const [start, stop] = [useRef<HTMLInputElement>(null), useRef<HTMLInputElement>(null)];
  const change = (part: Partial<FrameForm>) => {
    setForm({ ...form, ...part });
    setErrors({});
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const read = readFrame(frame.number, form);
    if ('errors' in read) {
      setErrors(read.errors);
      (read.errors.start ? start : stop).current?.focus();
      return;
    }
    setForm(frameForm(read.frame));
    if (!onSubmit(read.frame)) setErrors({ start: t.scheduleForm.conflicts, stop: t.scheduleForm.conflicts });
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
        <Select
          label={t.scheduleForm.columns.days}
          data={DAYS}
          value={String(form.dayOfTheWeek)}
          onChange={(days) => change({ dayOfTheWeek: Number(days) })}
          allowDeselect={false}
          openOnFocus={false}
          checkIconPosition="right"
        />
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
          <Text className={classes.hint} size="sm" c="dimmed">
            {t.scheduleForm.overnight(timeOfDay(23, 59), timeOfDay(0, 0))}
          </Text>
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
    </form>
  );
}
