import { IconArrowLeft } from '@tabler/icons-react';
import { Link, useLocation, useRouter } from '@tanstack/react-router';
import type { MouseEvent, ReactNode } from 'react';
import { t } from '@/i18n/en';
import { Button } from '@/ui/kit';
import { isPlainClick } from './plain-click';

interface Props {
  /** Without the arrow. */
  plain?: boolean;
  children?: ReactNode;
}

/** To the list as it was: through the history when the list is the entry before, so that it also scrolls back. */
export function BackToDevices({ plain = false, children = t.common.back }: Props) {
  const router = useRouter();
  const from = useLocation({ select: (location) => location.state.fromDevices });
  const goBack = (event: MouseEvent) => {
    if (!from || !isPlainClick(event)) return;
    event.preventDefault();
    router.history.back();
  };
  return (
    <Button
      variant="default"
      leftSection={plain ? undefined : <IconArrowLeft size={18} />}
      renderRoot={(props) => <Link to="/devices" search={from ?? {}} {...props} onClick={goBack} />}
    >
      {children}
    </Button>
  );
}
