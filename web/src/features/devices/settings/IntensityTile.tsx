import { IconCalendarWeek } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useEffect, useId, useState } from 'react';
import { isOnlyRequested, shownSetting } from '@/api/requested';
import type { DeviceDetail } from '@/api/schema.gen';
import { intensityClass } from '@/domain/level';
import { MIN_INTENSITY, maxIntensity, takesIntensity } from '@/domain/settings-rules';
import { t } from '@/i18n/en';
import { StepSlider } from '@/ui/fields/StepSlider';
import { Button } from '@/ui/kit';
import { hideFailure } from '@/ui/notices/alerts';
import { StepMark } from '@/ui/values/StepMark';
import { AsReported } from './AsReported';
import { isPaused } from './known-state';
import classes from './LargeTile.module.css';
import { isScheduled } from './scheduled';
import { settingText } from './setting-text';
import { settingsForm } from './settings-form';
import { Tile } from './Tile';
import { useSaveSettings } from './useSaveSettings';

const MARKS = [10, 20, 30, 40];

/** The current intensity, and the slider that changes it. */
export function IntensityTile({ device }: { device: DeviceDetail }) {
  const slider = useIntensitySlider(device);
  const { chosen, unsaved } = slider;
  const shown = shownSetting(device, 'intensity');
  const { value } = device.shownIntensity;
  const scheduled = isScheduled(device);
  const hasSlider = device.can.edit && !scheduled;
  const hasState = [chosen, unsaved, device.commands.intensity].some((state) => state !== undefined);
  const isReported = device.commands.intensity?.state !== 'pending' || isOnlyRequested(device, 'intensity');
  return (
    <div className={hasSlider ? `${classes.tile} ${classes.slid}` : classes.tile}>
      <dl>
        <Tile
          large
          label={t.device.intensity}
          // The state of an earlier command is not that of the value that is being set or was not saved.
          command={chosen === undefined && unsaved === undefined ? device.commands.intensity : undefined}
          text={settingText.intensity}
          // What the device confirms is not the intensity that the schedule sets.
          commandOf={scheduled ? t.devicePage.ownIntensity : undefined}
          requested={shown.requested}
          isLastKnown={device.connectionStatus !== 'Online' && value !== null}
        >
          <Intensity device={device} intensity={shown.value} />
          <StepMark step={value === null ? null : intensityClass(value)} of={5} />
        </Tile>
      </dl>
      {hasSlider && <IntensitySlider device={device} slider={slider} />}
      {device.can.edit && scheduled && <ScheduleLink device={device} />}
      {chosen !== undefined && <p className={classes.chosen}>{t.devicePage.setTo(chosen)}</p>}
      {chosen === undefined && unsaved !== undefined && (
        <p className={classes.unsaved}>{t.devicePage.notSaved(unsaved)}</p>
      )}
      {isReported && <AsReported value={shown.value} lastSeenAt={device.lastSeenAt} />}
      {device.can.edit && !hasState && <BlankLine />}
      {device.can.edit && !isReported && <BlankLine />}
    </div>
  );
}

/** Keeps the space of a line that comes and goes. */
function BlankLine() {
  return (
    <p className={classes.soft} aria-hidden="true">
      &nbsp;
    </p>
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
        <span>{text}</span> <small>{t.devicePage.ofSchedule(schedule)}</small>
        {intensity !== value && <small>{t.device.ownIntensity(settingText.intensity(intensity))}</small>}
      </>
    );
  }
  const { value: cycle } = shownSetting(device, 'cycle');
  return (
    <>
      <span>{text}</span>
      {value !== null && <small>{t.device.intensityOf(maxIntensity(systemConfiguration, cycle))}</small>}
      {isPaused(device) && <small>{t.device.paused}</small>}
    </>
  );
}

/** What the slider sends, and what of it is not known to have arrived. */
function useIntensitySlider(device: DeviceDetail) {
  // The value during the choice and until the response.
  const [chosen, setChosen] = useState<number>();
  const save = useSaveSettings(device.dsn, { isQuiet: true });
  const failed = save.isError ? (save.variables.intensity ?? undefined) : undefined;
  // A value whose response was lost may have arrived.
  const hasArrived = failed !== undefined && failed === device.intensity;
  useEffect(() => {
    if (hasArrived) hideFailure(t.settings.saved);
  }, [hasArrived]);
  const end = (intensity: number) => {
    // Another choice may have begun before the response.
    const done = () => setChosen((now) => (now === intensity ? undefined : now));
    if (intensity === device.intensity && !save.isPending) {
      save.reset();
      done();
    } else save.mutate({ intensity }, { onSettled: done });
  };
  return { chosen, unsaved: hasArrived ? undefined : failed, choose: setChosen, end };
}

interface SliderProps {
  device: DeviceDetail;
  slider: ReturnType<typeof useIntensitySlider>;
}

function IntensitySlider({ device, slider }: SliderProps) {
  const hintId = useId();
  const hint = hintOf(device);
  return (
    <>
      <StepSlider
        label={t.device.intensity}
        lower={t.devicePage.lower}
        raise={t.devicePage.raise}
        min={MIN_INTENSITY}
        max={maxIntensity(device.systemConfiguration, device.cycle)}
        marks={MARKS}
        value={slider.chosen ?? settingsForm(device).intensity}
        onChange={slider.choose}
        onEnd={slider.end}
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

/** Leads to the schedule that sets the intensity, instead of a slider without effect. */
function ScheduleLink({ device }: { device: DeviceDetail }) {
  const { dsn, shownIntensity, connectionStatus } = device;
  const { value, schedule } = shownIntensity;
  const intensity = settingText.intensity(value);
  return (
    <>
      <Button
        className={classes.link}
        variant="default"
        leftSection={<IconCalendarWeek size={18} aria-hidden="true" />}
        renderRoot={(props) => (
          <Link
            to="/devices/$dsn/edit/schedule"
            params={{ dsn }}
            search={{ frame: schedule ?? undefined }}
            state={{ fromDevice: true }}
            {...props}
          />
        )}
      >
        {schedule === null
          ? t.devicePage.changeSchedules
          : t.devicePage.changeSchedule(schedule, intensity, connectionStatus === 'Online')}
      </Button>
      <p className={classes.soft}>{schedule === null ? t.devicePage.scheduled : t.devicePage.bySchedule(schedule)}</p>
    </>
  );
}

function hintOf(device: DeviceDetail): string | undefined {
  if (!takesIntensity(device.mode)) return t.settings.intensityReserved;
  if (isPaused(device)) return t.devicePage.withoutSchedule;
  return device.connectionStatus === 'Offline' ? t.devicePage.offline : undefined;
}
