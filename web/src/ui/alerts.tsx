import { Notifications, notifications } from '@mantine/notifications';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { t } from '@/i18n/en';
import { useIsPhone } from './useIsPhone';

/** How long an alert stays. */
const SUCCESS_MS = 5_000;
const FAILURE_MS = 10_000;

/** The place where alerts appear; several stack. On a phone the buttons of a form are at the bottom. */
export function Alerts() {
  return <Notifications position={useIsPhone() ? 'top-center' : 'bottom-right'} />;
}

/** `detail` is a line of its own below the message. */
export function alertSuccess(message: string, detail?: string): void {
  const text = detail === undefined ? message : <TwoLines message={message} detail={detail} />;
  show(text, 'teal.8', <IconCheck size={18} />, SUCCESS_MS);
}

function TwoLines({ message, detail }: { message: string; detail: string }) {
  return (
    <>
      <div>{message}</div>
      <div>{detail}</div>
    </>
  );
}

export function alertFailure(message: string): void {
  show(message, 'red.8', <IconAlertTriangle size={18} />, FAILURE_MS);
}

function show(message: ReactNode, color: string, icon: ReactNode, autoClose: number): void {
  notifications.show({ message, color, icon, autoClose, closeButtonProps: { 'aria-label': t.common.close } });
}
