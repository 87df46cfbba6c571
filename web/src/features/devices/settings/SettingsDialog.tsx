import { useState } from 'react';
import { fieldErrors } from '@/api/errors';
import { isOnlyRequested } from '@/api/requested';
import type { DeviceDetail } from '@/api/schema.gen';
import {
  clampIntensity,
  FAN_SPEEDS,
  MIN_INTENSITY,
  MODE,
  maxIntensity,
  OFF_CYCLES,
  SETTINGS,
  type Setting,
  takesIntensity,
} from '@/domain/settings-rules';
import { ChangedNotice } from '@/form/ChangedNotice';
import { LeaveGuard } from '@/form/LeaveGuard';
import { t } from '@/i18n/en';
import { Dialog } from '@/ui/dialogs/Dialog';
import { ChoiceField } from '@/ui/fields/ChoiceField';
import { SliderField } from '@/ui/fields/SliderField';
import { Button, Group, Stack, useForm } from '@/ui/kit';
import { hideFailure } from '@/ui/notices/alerts';
import { WarningNotice } from '@/ui/notices/Notice';
import { WhatIfLine } from '../forecast/WhatIfLine';
import { hasSchedule } from './scheduled';
import { settingText } from './setting-text';
import { changedSettings, modesFor, type SettingsForm, settingsForm } from './settings-form';
import { useSaveSettings } from './useSaveSettings';
import { settingTexts, useSeenSettings } from './useSeenSettings';

const LABELS: Record<Setting, string> = {
  mode: t.device.mode,
  cycle: t.device.cycle,
  intensity: t.device.intensity,
  fan: t.device.fan,
};

interface Props {
  device: DeviceDetail;
  opened: boolean;
  onClose: () => void;
}

export function SettingsDialog({ device, opened, onClose }: Props) {
  // The page below shows the state of earlier commands, which a failure must not stand beside.
  const close = () => {
    hideFailure(t.settings.saved);
    onClose();
  };
  return (
    <Dialog title={t.settings.title} opened={opened} onClose={close}>
      <SettingsFields device={device} onClose={close} />
    </Dialog>
  );
}

function SettingsFields({ device, onClose }: Omit<Props, 'opened'>) {
  // Events must not change an open dialog.
  const [before, setBefore] = useState(() => settingsForm(device));
  const form = useForm({ initialValues: before });
  const { mode, cycle, intensity, fan } = form.values;
  const max = maxIntensity(device.systemConfiguration, cycle);
  const isWithoutEffect = mode === MODE.run && hasSchedule(device);
  const intensityText = [
    t.settings.intensityMax(max),
    ...(isWithoutEffect ? [t.settings.intensityScheduled] : []),
  ].join('. ');
  const changed = changedSettings(before, form.values);
  const isChanged = Object.keys(changed).length > 0;
  const meanwhile = useSeenSettings(device, (name, value) => {
    setBefore({ ...before, [name]: value });
    form.setFieldValue(name, value);
  });
  const save = useSaveSettings(device.dsn, {
    onRefused: (error) => {
      form.setErrors(fieldErrors(error));
      meanwhile.show(error);
    },
  });
  const submit = (sent: SettingsForm) =>
    save.mutate({ ...changed, seen: meanwhile.seen(changed) }, { onSuccess: () => saved(sent) });
  const saved = (sent: SettingsForm) => {
    const isDone = Object.keys(changedSettings(sent, form.getValues())).length === 0;
    if (isDone) return onClose();
    setBefore(sent);
    meanwhile.saved(changed);
  };

  return (
    // Skipped after the form unmounts, so a late save does not close the next dialog.
    <form onSubmit={form.onSubmit(submit)}>
      <Stack gap="lg">
        {device.connectionStatus === 'Offline' && <WarningNotice text={offlineText(device)} />}
        <ChoiceField
          label={t.device.mode}
          choices={modesFor(before.mode)}
          text={settingText.mode}
          value={mode}
          onChange={(mode) => form.setFieldValue('mode', mode)}
          error={form.errors.mode}
        />
        <SliderField
          label={t.device.intensity}
          description={takesIntensity(mode) ? intensityText : t.settings.intensityReserved}
          min={MIN_INTENSITY}
          max={max}
          value={intensity}
          onChange={(intensity) => form.setFieldValue('intensity', intensity)}
          error={form.errors.intensity}
          disabled={!takesIntensity(mode)}
        />
        <ChoiceField
          label={t.device.cycle}
          longTexts
          choices={OFF_CYCLES}
          text={settingText.cycle}
          value={cycle}
          onChange={(cycle) => {
            const newMax = maxIntensity(device.systemConfiguration, cycle);
            form.setValues({ cycle, intensity: clampIntensity(intensity, newMax) });
          }}
          error={form.errors.cycle}
        />
        <ChoiceField
          label={t.device.fan}
          choices={FAN_SPEEDS}
          text={settingText.fan}
          value={fan}
          onChange={(fan) => form.setFieldValue('fan', fan)}
          error={form.errors.fan}
        />
        <ChangedNotice
          meanwhile={meanwhile}
          fields={{ labels: LABELS, values: settingTexts(form.values) }}
          valueText={valueText}
        />
        <WhatIfLine dsn={device.dsn} change={isChanged ? { settings: changed } : undefined} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t.common.cancel}
          </Button>
          <Button type="submit" loading={save.isPending} disabled={!isChanged}>
            {t.common.save}
          </Button>
        </Group>
      </Stack>
      <LeaveGuard active={isChanged} />
    </form>
  );
}

const valueText = (name: Setting, value: string) => settingText[name](value === '' ? null : Number(value));

function offlineText(device: DeviceDetail): string {
  const isRequested = SETTINGS.some((name) => isOnlyRequested(device, name));
  return isRequested ? `${t.settings.offlineHint} ${t.settings.requestedHint}` : t.settings.offlineHint;
}
