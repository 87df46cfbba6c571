import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { messageOf } from '@/api/errors';
import { applyListPreferences, updateListPreferences } from '@/api/list-preferences';
import type { CsvSeparator, DecimalSign } from '@/api/schema.gen';
import { sessionQuery } from '@/api/session';
import { t } from '@/i18n/en';
import { ChoiceField } from '@/ui/fields/ChoiceField';
import { Stack, Text } from '@/ui/kit';
import { alertFailure, alertSuccess } from '@/ui/notices/alerts';

const SEPARATORS = ['comma', 'semicolon', 'tab'] as const satisfies CsvSeparator[];
const DECIMAL_SIGNS = ['point', 'comma'] as const satisfies DecimalSign[];

/** The choice of the signs in CSV files, stored at once. */
export function CsvTab() {
  const client = useQueryClient();
  const preferences = useQuery(sessionQuery).data?.listPreferences;
  const save = useMutation({
    mutationFn: updateListPreferences,
    onSuccess: async (preferences) => {
      await applyListPreferences(client, preferences);
      alertSuccess(t.account.csvSaved);
    },
    onError: (error) => alertFailure(t.account.csvFailed, t.account.csvSaved, messageOf(error)),
  });
  if (!preferences) return null;
  const chosen = { ...preferences, ...(save.isPending && save.variables) };
  return (
    <Stack gap="md" maw={420}>
      <Text size="sm" c="dimmed">
        {t.account.csvLead}
      </Text>
      <ChoiceField
        label={t.account.csvSeparator}
        choices={[...SEPARATORS.keys()]}
        text={(place) => t.account.csvSeparators[SEPARATORS[place] ?? 'comma']}
        value={SEPARATORS.indexOf(chosen.csvSeparator ?? 'comma')}
        onChange={(place) => save.mutate({ csvSeparator: SEPARATORS[place] })}
      />
      <ChoiceField
        label={t.account.csvDecimalSign}
        choices={[...DECIMAL_SIGNS.keys()]}
        text={(place) => t.account.csvDecimalSigns[DECIMAL_SIGNS[place] ?? 'point']}
        value={DECIMAL_SIGNS.indexOf(chosen.csvDecimalSign ?? 'point')}
        onChange={(place) => save.mutate({ csvDecimalSign: DECIMAL_SIGNS[place] })}
      />
    </Stack>
  );
}
