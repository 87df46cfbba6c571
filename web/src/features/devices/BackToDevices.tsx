import { IconArrowLeft } from '@tabler/icons-react';
import { Link, useLocation, useRouter } from '@tanstack/react-router';
import type { MouseEvent } from 'react';
import { t } from '@/i18n/en';
import { Button } from '@/ui/kit';

/** To the list as it was: through the history when the list is the entry before, so that it also scrolls back. */
export function BackToDevices() {
  const router = useRouter();
  const from = useLocation({ select: (location) => location.state.fromDevices });
  const goBack = (event: MouseEvent) => {
    const plainClick = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!from || !plainClick) return;
    event.preventDefault();
    router.history.back();
  };
  return (
    <Button
      variant="default"
      leftSection={<IconArrowLeft size={18} />}
      renderRoot={(props) => <Link to="/devices" search={from ?? {}} {...props} onClick={goBack} />}
    >
      {t.common.back}
    </Button>
  );
}
