import { type Dispatch, type SetStateAction, useId, useState } from 'react';
import { isOnlyRequested, shownSetting } from '@/api/requested';
import type { DeviceDetail } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { intensityClass } from '@/lib/level';
import { MIN_INTENSITY, MODE, maxIntensity, takesIntensity } from '@/lib/settings-rules';
import { StepMark } from '@/ui/StepMark';
import { StepSlider } from '@/ui/StepSlider';
import { AsReported } from './AsReported';
import classes from './LargeTile.module.css';
import { settingText } from './setting-text';
import { settingsForm } from './settings-form';
import { Tile } from './Tile';
import { useSaveSettings } from './useSaveSettings';

const MARKS = [10, 20, 30, 40];

/** The current intensity, and the slider that changes it. */
export function IntensityTile({ device }: { device: DeviceDetail }) {
  const [chosen, setChosen] = useState<number>();
  const shown = shownSetting(device, 'intensity');
  const { value } = device.shownIntensity;
  const isReported = device.commands.intensity?.state !== 'pending' || isOnlyRequested(device, 'intensity');
  return (
    <div className={classes.tile}>
      <dl>
        <Tile
          large
          label={t.device.intensity}
          command={device.commands.intensity}
          text={settingText.intensity}
          requested={shown.requested}
        >
          <Intensity device={device} intensity={shown.value} />
          <StepMark step={value === null ? null : intensityClass(value)} of={5} />
        </Tile>
      </dl>
      {chosen !== undefined && <p className={classes.chosen}>{t.devicePage.setTo(chosen)}</p>}
      {chosen === undefined && isReported && <AsReported value={shown.value} lastSeenAt={device.lastSeenAt} />}
      {device.can.edit && <IntensitySlider device={device} chosen={chosen} onChoose={setChosen} />}
    </div>
  );
}

/** In Run mode the intensity of the running schedule. */
function Intensity({ device, intensity }: { device: DeviceDetail; intensity: number | null }) {
  const { shownIntensity, systemConfiguration } = device;
  const { value, schedule } = shownIntensity;
  const text = settingText.intensity(value);
  if (schedule !== null) {
    return (
      <>
        {text} <small>{t.devicePage.ofSchedule(schedule)}</small>
        {intensity !== value && <small>{t.device.ownIntensity(settingText.intensity(intensity))}</small>}
      </>
    );
  }
  const { value: cycle } = shownSetting(device, 'cycle');
  return (
    <>
      {text}
      {value !== null && <small>{t.device.intensityOf(maxIntensity(systemConfiguration, cycle))}</small>}
    </>
  );
}

interface SliderProps {
  device: DeviceDetail;
  /** The value during the choice and until the response. */
  chosen: number | undefined;
  onChoose: Dispatch<SetStateAction<number | undefined>>;
}

function IntensitySlider({ device, chosen, onChoose }: SliderProps) {
  const hintId = useId();
  const save = useSaveSettings(device.dsn);
  const wanted = settingsForm(device).intensity;
  const hint = hintOf(device);
  const end = (intensity: number) => {
    // Another choice may have begun before the response.
    const done = () => onChoose((now) => (now === intensity ? undefined : now));
    if (intensity === device.intensity) done();
    else save.mutate({ intensity }, { onSettled: done });
  };
  return (
    <>
      <StepSlider
        label={t.device.intensity}
        lower={t.devicePage.lower}
        raise={t.devicePage.raise}
        min={MIN_INTENSITY}
        max={maxIntensity(device.systemConfiguration, device.cycle)}
        marks={MARKS}
        value={chosen ?? wanted}
        onChange={onChoose}
        onEnd={end}
        disabled={!takesIntensity(device.mode)}
        describedBy={hint && hintId}
      />
      {hint && (
        <p className={classes.soft} id={hintId}>
          {hint}
        </p>
      )}
    </>
  );
}

function hintOf({ mode, shownIntensity, connectionStatus }: DeviceDetail): string | undefined {
  if (!takesIntensity(mode)) return t.settings.intensityReserved;
  if (mode === MODE.run && shownIntensity.schedule !== null) return t.devicePage.bySchedule(shownIntensity.schedule);
  return connectionStatus === 'Offline' ? t.devicePage.offline : undefined;
}
