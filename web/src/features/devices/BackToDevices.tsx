import { IconArrowLeft } from '@tabler/icons-react';
import { Link, useLocation, useRouter } from '@tanstack/react-router';
import type { MouseEvent, ReactNode } from 'react';
import { t } from '@/i18n/en';
import { ActionIcon, Button } from '@/ui/kit';
import { isPlainClick } from './plain-click';

/** A button with text. */
export function BackToDevices({ children = t.common.back }: { children?: ReactNode }) {
  const back = useBackToDevices();
  return (
    <Button variant="default" renderRoot={(props) => <Link to="/devices" {...props} {...back} />}>
      {children}
    </Button>
  );
}

/** The arrow before a page's title. */
export function BackArrow() {
  const back = useBackToDevices();
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="calc(min(2.25rem, 44px))"
      aria-label={t.common.back}
      title={t.common.back}
      renderRoot={(props) => <Link to="/devices" {...props} {...back} />}
    >
      <IconArrowLeft size={22} aria-hidden="true" />
    </ActionIcon>
  );
}

/** Returns to the list as it was; through the history if possible, which restores the scroll position. */
function useBackToDevices() {
  const router = useRouter();
  const from = useLocation({ select: (location) => location.state.fromDevices });
  const onClick = (event: MouseEvent) => {
    if (!from || !isPlainClick(event)) return;
    event.preventDefault();
    router.history.back();
  };
  return { search: from ?? {}, onClick };
}
