import { useState } from 'react';
import type { DeviceDetail } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { InfoNotice } from '@/ui/notices/Notice';

/** After a device was added: asks to power it on, and reports its first connection. Empty for all other devices. */
export function FirstContact({ device }: { device: DeviceDetail }) {
  const { neverConnected, connectionStatus, serialNumber, dsn } = device;
  const [hasWaited, setHasWaited] = useState(false);
  if (neverConnected && !hasWaited) setHasWaited(true);
  if (neverConnected) return <InfoNotice text={t.devicePage.waiting} />;
  if (!hasWaited || connectionStatus === 'Offline') return null;
  return <InfoNotice text={t.devicePage.firstContact(serialNumber || dsn)} />;
}
