import { notifications } from '@mantine/notifications';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import { lazy, type ReactNode } from 'react';
import { t } from '@/i18n/en';
import { Later } from './Later';

const AlertArea = lazy(() => import('./AlertArea'));

/** How long an alert stays. */
const SUCCESS_MS = 5_000;
const FAILURE_MS = 10_000;

/** The alert of the last failure of each action, by the text of its success. */
const failures = new Map<string, string>();

/** The place where alerts appear. No page waits for its code; where that cannot be loaded, nothing else can, and the page is loaded again. */
export function Alerts() {
  return (
    <Later shape={null} failed={false}>
      <AlertArea />
    </Later>
  );
}

/** `detail` is a line of its own below the message. The alert that the same action failed before goes away. */
export function alertSuccess(message: string, detail?: string): void {
  hideFailure(message);
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

/** `success` is the text of the alert when the same action succeeds: that takes this one away. */
export function alertFailure(message: string, success?: string): void {
  if (success !== undefined) hideFailure(success);
  const id = show(message, 'red.8', <IconAlertTriangle size={18} />, FAILURE_MS);
  if (success !== undefined) failures.set(success, id);
}

function hideFailure(success: string): void {
  const id = failures.get(success);
  if (id !== undefined) notifications.hide(id);
  failures.delete(success);
}

function show(message: ReactNode, color: string, icon: ReactNode, autoClose: number): string {
  return notifications.show({ message, color, icon, autoClose, closeButtonProps: { 'aria-label': t.common.close } });
}
