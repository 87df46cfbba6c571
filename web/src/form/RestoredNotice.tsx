import { t } from '@/i18n/en';
import { Button } from '@/ui/kit';
import { InfoNotice } from '@/ui/notices/Notice';

/** Shows that the values come from a draft, with a button that discards it. */
export function RestoredNotice({ onDiscard }: { onDiscard: () => void }) {
  return (
    <InfoNotice
      text={t.form.restored}
      action={
        <Button size="compact-sm" variant="subtle" onClick={onDiscard}>
          {t.form.discard}
        </Button>
      }
    />
  );
}
