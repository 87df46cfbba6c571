import { IconPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { t } from '@/i18n/en';
import { Button } from '@/ui/kit';
import type { CspsSearch } from './csps-search';

/** Opens the form and remembers the list that it was opened from. */
export function AddCspLink({ search }: { search: CspsSearch }) {
  return (
    <Button
      leftSection={<IconPlus size={18} aria-hidden="true" />}
      renderRoot={(props) => <Link to="/csps/add" state={{ fromCsps: search }} {...props} />}
    >
      {t.csps.addTitle}
    </Button>
  );
}
