import { IconCopy, IconPencil } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { DeviceDetail } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { Button, Title } from '@/ui/kit';
import { StatusMark } from '@/ui/StatusMark';
import { BackToDevices } from './BackToDevices';
import classes from './DeviceHeader.module.css';
import { ResetLevelButton } from './ResetLevelButton';

export function DeviceHeader({ device }: { device: DeviceDetail }) {
  const place = [device.customer, device.serviceArea].filter(Boolean).join(', ');
  return (
    <div className={classes.header}>
      <div className={classes.what}>
        <div className={classes.line}>
          <Title order={1} size={26}>
            {device.serialNumber || device.dsn}
          </Title>
          <StatusMark online={device.connectionStatus === 'Online'} label={device.connectionStatus} />
        </div>
        {place && <div className={classes.place}>{place}</div>}
      </div>
      <div className={classes.actions}>
        <BackToDevices />
        {device.can.edit && <EditButton dsn={device.dsn} />}
        {device.can.copy && <CopyButton dsn={device.dsn} />}
        {device.can.resetLevel && <ResetLevelButton dsn={device.dsn} />}
      </div>
    </div>
  );
}

function EditButton({ dsn }: { dsn: string }) {
  return (
    <Button
      variant="default"
      leftSection={<IconPencil size={18} aria-hidden="true" />}
      renderRoot={(props) => <Link to="/devices/$dsn/edit" params={{ dsn }} state={{ fromDevice: true }} {...props} />}
    >
      {t.deviceForm.edit}
    </Button>
  );
}

function CopyButton({ dsn }: { dsn: string }) {
  return (
    <Button
      variant="default"
      leftSection={<IconCopy size={18} aria-hidden="true" />}
      renderRoot={(props) => <Link to="/devices/$dsn/copy" params={{ dsn }} state={{ fromDevice: true }} {...props} />}
    >
      {t.copy.button}
    </Button>
  );
}
