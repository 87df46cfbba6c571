import { t } from '@/i18n/en';
import { Button } from '@/ui/kit';
import { InfoNotice } from '@/ui/Notice';

/** Says that what is shown comes from a draft, which can be given up. */
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
