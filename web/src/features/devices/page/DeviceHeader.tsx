import { IconCopy, IconDropletUp, IconPencil } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { DeviceDetail } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { ActionItem, ActionMenu } from '@/ui/dialogs/ActionMenu';
import { useIsHandheld } from '@/ui/hooks/useIsHandheld';
import { Button, Title } from '@/ui/kit';
import { BackArrow } from '../BackToDevices';
import { DeviceStatus } from '../DeviceStatus';
import classes from './DeviceHeader.module.css';
import { useResetLevel } from './useResetLevel';

/** The device's name and actions, which are in a menu on a phone. */
export function DeviceHeader({ device }: { device: DeviceDetail }) {
  const isHandheld = useIsHandheld();
  const place = [device.customer, device.serviceArea].filter(Boolean).join(', ');
  return (
    <div className={classes.header}>
      <BackArrow />
      <div className={classes.what}>
        <div className={classes.line}>
          <Title order={1} size={26}>
            {device.serialNumber || device.dsn}
          </Title>
          <DeviceStatus device={device} />
        </div>
        {place && <div className={classes.place}>{place}</div>}
      </div>
      {isHandheld ? <FoldedActions device={device} /> : <Actions device={device} />}
    </div>
  );
}

interface Action {
  label: string;
  Icon: typeof IconPencil;
  /** The path of a link. */
  to?: '/devices/$dsn/edit' | '/devices/$dsn/copy';
  /** The action of a button. */
  run?: () => void;
  isRunning?: boolean;
  /** Acts at once, so on a desk it neither looks nor stands like a link to a page. */
  isApart?: boolean;
}

function useActions({ dsn, can }: DeviceDetail): Action[] {
  const reset = useResetLevel(dsn);
  const run = () => reset.mutate();
  return [
    ...(can.edit ? [{ label: t.deviceForm.edit, Icon: IconPencil, to: '/devices/$dsn/edit' } as const] : []),
    ...(can.copy ? [{ label: t.copy.button, Icon: IconCopy, to: '/devices/$dsn/copy' } as const] : []),
    ...(can.resetLevel
      ? [{ label: t.device.resetLevel, Icon: IconDropletUp, run, isRunning: reset.isPending, isApart: true } as const]
      : []),
  ];
}

function Actions({ device }: { device: DeviceDetail }) {
  const actions = useActions(device);
  return (
    <div className={classes.actions}>
      {actions.map(({ label, Icon, to, run, isRunning = false, isApart = false }) => (
        <Button
          key={label}
          variant={isApart ? 'subtle' : 'default'}
          data-apart={isApart}
          leftSection={<Icon size={18} aria-hidden="true" />}
          {...(to ? { renderRoot: linkTo(to, device.dsn) } : { onClick: run, loading: isRunning })}
        >
          {label}
        </Button>
      ))}
    </div>
  );
}

function FoldedActions({ device }: { device: DeviceDetail }) {
  const actions = useActions(device);
  if (actions.length === 0) return null;
  return (
    <ActionMenu label={t.devicePage.actions}>
      {actions.map(({ label, Icon, to, run, isRunning = false }) => (
        <ActionItem
          key={label}
          leftSection={<Icon size={18} aria-hidden="true" />}
          {...(to ? { renderRoot: linkTo(to, device.dsn) } : { onClick: run, disabled: isRunning })}
        >
          {label}
        </ActionItem>
      ))}
    </ActionMenu>
  );
}

function linkTo(to: NonNullable<Action['to']>, dsn: string) {
  return (props: object) => <Link to={to} params={{ dsn }} state={{ fromDevice: true }} {...props} />;
}
