import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { applyPreferences, updateTimeFormat } from '@/api/account';
import { messageOf } from '@/api/errors';
import { sessionQuery } from '@/api/session';
import { dateTime, type TimeFormat, timeFormat } from '@/browser/time';
import { t } from '@/i18n/en';
import { ChoiceField } from '@/ui/fields/ChoiceField';
import { useNow } from '@/ui/hooks/useNow';
import { Stack, Text } from '@/ui/kit';
import { alertFailure, alertSuccess } from '@/ui/notices/alerts';

const HOURS: Readonly<Record<TimeFormat, number>> = { '12hour': 12, '24hour': 24 };
const FORMATS: Readonly<Record<number, TimeFormat>> = { 12: '12hour', 24: '24hour' };

/** The choice of the 12-hour or 24-hour format, stored at once. */
export function TimeFormatTab() {
  const client = useQueryClient();
  const session = useQuery(sessionQuery).data;
  const now = useNow();
  const save = useMutation({
    mutationFn: updateTimeFormat,
    onSuccess: async (preferences) => {
      await applyPreferences(client, preferences);
      alertSuccess(t.account.timeFormatSaved);
    },
    onError: (error) => alertFailure(t.account.timeFormatFailed, t.account.timeFormatSaved, messageOf(error)),
  });
  if (!session) return null;
  return (
    <Stack gap="md" maw={420}>
      <Text size="sm" c="dimmed">
        {t.account.timeFormatLead}
      </Text>
      <ChoiceField
        label={t.account.timeFormat}
        choices={Object.values(HOURS)}
        text={(hours) => t.account.timeFormats[hours] ?? ''}
        value={HOURS[save.isPending ? save.variables : (session.timeFormat ?? timeFormat())]}
        onChange={(hours) => {
          const format = FORMATS[hours];
          if (format) save.mutate(format);
        }}
      />
      <Text size="sm">{t.account.timeFormatSample(dateTime(now))}</Text>
    </Stack>
  );
}
