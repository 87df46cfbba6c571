import { notifications } from '@mantine/notifications';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import { lazy, type ReactNode, Suspense } from 'react';
import { t } from '@/i18n/en';

const AlertArea = lazy(async () => ({ default: await loadArea() }));
const AREA_RETRY_MS = 10_000;

/** Tries again until it succeeds: without the area no alert would be shown. */
async function loadArea() {
  for (;;) {
    try {
      return (await import('./AlertArea')).default;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, AREA_RETRY_MS));
    }
  }
}

/** How long an alert is shown. */
const SUCCESS_MS = 5_000;
const FAILURE_MS = 10_000;

/** The alert of each action's last failure, by the text of its success. */
const failures = new Map<string, string>();

/** The area where alerts appear. Pages do not wait for its code. */
export function Alerts() {
  return (
    <Suspense>
      <AlertArea />
    </Suspense>
  );
}

/** Shows a success, with `detail` on a second line, and hides the alert of the action's last failure. */
export function alertSuccess(message: string, detail?: string): void {
  hideFailure(message);
  show(lines(message, detail), 'teal.8', <IconCheck size={18} />, SUCCESS_MS);
}

function lines(message: string, detail: string | undefined): ReactNode {
  return detail === undefined ? message : <TwoLines message={message} detail={detail} />;
}

function TwoLines({ message, detail }: { message: string; detail: string }) {
  return (
    <>
      <div>{message}</div>
      <div>{detail}</div>
    </>
  );
}

/** Shows a failure, with its `reason` on a second line. `success` is the text of the action's success, whose alert hides this one. */
export function alertFailure(message: string, success?: string, reason?: string): void {
  if (success !== undefined) hideFailure(success);
  const id = show(lines(message, reason), 'red.8', <IconAlertTriangle size={18} />, FAILURE_MS);
  if (success !== undefined) failures.set(success, id);
}

/** Hides the alert of the action's last failure, for a success that the page shows itself. */
export function hideFailure(success: string): void {
  const id = failures.get(success);
  if (id !== undefined) notifications.hide(id);
  failures.delete(success);
}

function show(message: ReactNode, color: string, icon: ReactNode, autoClose: number): string {
  return notifications.show({ message, color, icon, autoClose, closeButtonProps: { 'aria-label': t.common.close } });
}
