import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { attentionDigestQuery, updateAssignmentMails, updateAttentionDigest } from '@/api/attention-digest';
import { messageOf } from '@/api/errors';
import { timeOfDay } from '@/browser/time';
import { ownZoneName } from '@/domain/time-zone';
import { t } from '@/i18n/en';
import { Select, Stack, Switch, Text } from '@/ui/kit';
import { ListSkeleton } from '@/ui/list/ListSkeleton';
import { alertFailure, alertSuccess } from '@/ui/notices/alerts';
import { ErrorNotice } from '@/ui/notices/Notice';

const USUAL_HOUR = 7;
const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

/** Which mails the user gets about what needs attention, stored at once. */
export function DigestTab() {
  const client = useQueryClient();
  const query = useQuery(attentionDigestQuery);
  const save = useMutation({
    mutationFn: updateAttentionDigest,
    onSuccess: (digest) => {
      client.setQueryData(attentionDigestQuery.queryKey, digest);
      alertSuccess(t.attentionDigest.saved);
    },
    onError: (error) => alertFailure(t.attentionDigest.saveFailed(messageOf(error)), t.attentionDigest.saved),
  });
  const saveAssignments = useMutation({
    mutationFn: updateAssignmentMails,
    onSuccess: (digest) => {
      client.setQueryData(attentionDigestQuery.queryKey, digest);
      alertSuccess(t.attentionDigest.assignmentsSaved);
    },
    onError: (error) =>
      alertFailure(t.attentionDigest.assignmentsFailed(messageOf(error)), t.attentionDigest.assignmentsSaved),
  });
  if (query.data) {
    const time = save.isPending ? save.variables : query.data.time;
    const assignments = saveAssignments.isPending ? saveAssignments.variables : query.data.assignments;
    if (!query.data.available && time === null) return <Text>{t.attentionDigest.unavailable}</Text>;
    return (
      <Stack gap="md" maw={480}>
        <Switch
          size="md"
          label={t.attentionDigest.assignments}
          description={t.attentionDigest.assignmentsHint}
          checked={assignments}
          disabled={saveAssignments.isPending}
          onChange={({ currentTarget: { checked } }) => saveAssignments.mutate(checked)}
        />
        <Text size="sm" c="dimmed">
          {t.attentionDigest.lead}
        </Text>
        <Switch
          size="md"
          label={t.attentionDigest.wanted}
          checked={time !== null}
          disabled={save.isPending}
          onChange={({ currentTarget: { checked } }) =>
            save.mutate(checked ? { hour: USUAL_HOUR, timeZone: ownZoneName() } : null)
          }
        />
        {time && (
          <Select
            label={t.attentionDigest.hour}
            description={t.attentionDigest.zone(time.timeZone)}
            data={HOURS.map((hour) => ({ value: String(hour), label: timeOfDay(hour, 0) }))}
            value={String(time.hour)}
            allowDeselect={false}
            disabled={save.isPending}
            onChange={(hour) => save.mutate({ ...time, hour: Number(hour) })}
          />
        )}
      </Stack>
    );
  }
  if (query.isError) {
    return (
      <ErrorNotice
        title={t.attentionDigest.failed}
        reason={messageOf(query.error)}
        onRetry={() => void query.refetch()}
      />
    );
  }
  return <ListSkeleton rows={2} />;
}
