import { IconPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { t } from '@/i18n/en';
import { Button } from '@/ui/kit';
import type { DevicesSearch } from './devices-search';

/** Opens the form and remembers the list that it was opened from. */
export function AddDeviceLink({ search }: { search: DevicesSearch }) {
  return (
    <Button
      leftSection={<IconPlus size={18} aria-hidden="true" />}
      renderRoot={(props) => <Link to="/devices/add" state={{ fromDevices: search }} {...props} />}
    >
      {t.pages.addDevice}
    </Button>
  );
}
