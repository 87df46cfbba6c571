import { useQueryClient } from '@tanstack/react-query';
import { deleteCsp, dropCsp } from '@/api/csps';
import type { CspView } from '@/api/schema.gen';
import { RemoveButton } from '@/form/RemoveButton';
import { t } from '@/i18n/en';
import { Text } from '@/ui/kit';

interface Props {
  csp: CspView;
  onRemoved: () => Promise<void>;
}

/** Removes the CSP after confirmation. */
export function RemoveCspButton({ csp: { id, name }, onRemoved }: Props) {
  const client = useQueryClient();
  return (
    <RemoveButton
      label={t.csps.remove}
      texts={t.csps}
      remove={() => deleteCsp(id)}
      onRemoved={async () => {
        // The CSP's page would read the removed CSP again.
        await onRemoved();
        await dropCsp(client, id);
      }}
    >
      <Text>{t.csps.removeQuestion(name)}</Text>
    </RemoveButton>
  );
}
