import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { messageOf } from '@/api/errors';
import { useDeviceEvents } from '@/api/live/live';
import type { RoleRule } from '@/api/schema.gen';
import { sessionQuery } from '@/api/session';
import { signInRulesQuery, updateSignInRules } from '@/api/sign-in-rules';
import { ConfirmDialog } from '@/form/ConfirmDialog';
import { t } from '@/i18n/en';
import { usePageTitle } from '@/ui/hooks/usePageTitle';
import { Stack, Switch, Text, Title } from '@/ui/kit';
import { Card } from '@/ui/layout/Card';
import { ListSkeleton } from '@/ui/list/ListSkeleton';
import { alertFailure, alertSuccess } from '@/ui/notices/alerts';
import { ErrorNotice } from '@/ui/notices/Notice';

/** The roles whose people need a second factor. Each change is saved at once; one that holds people up, after confirmation. */
export function SignInRulesPage() {
  usePageTitle(t.signInRules.title);
  useDeviceEvents([]);
  return (
    <Stack gap="md">
      <Title order={1} size={26}>
        {t.signInRules.title}
      </Title>
      <Card title={t.secondFactor.tab}>
        <Roles />
      </Card>
    </Stack>
  );
}

function Roles() {
  const client = useQueryClient();
  const role = useQuery(sessionQuery).data?.role;
  const query = useQuery(signInRulesQuery);
  const [asked, setAsked] = useState<RoleRule>();
  const [isAsking, setAsking] = useState(false);
  const save = useMutation({
    mutationFn: updateSignInRules,
    onSuccess: (rules) => {
      client.setQueryData(signInRulesQuery.queryKey, rules);
      alertSuccess(t.signInRules.saved);
    },
    onError: (error) => alertFailure(t.signInRules.saveFailed(messageOf(error)), t.signInRules.saved),
    onSettled: () => setAsking(false),
  });
  const choose = (rule: RoleRule, needsSecondFactor: boolean) => {
    if (!needsSecondFactor) return save.mutate({ role: rule.role, needsSecondFactor });
    setAsked(rule);
    setAsking(true);
  };
  if (query.data) {
    const { roles } = query.data;
    const isShown = ({ role, needsSecondFactor }: RoleRule) =>
      save.isPending && save.variables.role === role ? save.variables.needsSecondFactor : needsSecondFactor;
    return (
      <Stack gap="md">
        <Text size="sm" c="dimmed" maw={600}>
          {t.signInRules.lead}
        </Text>
        {roles.map((rule) => (
          <Switch
            key={rule.role}
            size="md"
            label={rule.roleName}
            checked={isShown(rule)}
            disabled={save.isPending}
            onChange={({ currentTarget: { checked } }) => choose(rule, checked)}
          />
        ))}
        {asked && (
          <ConfirmDialog
            title={t.signInRules.confirmTitle(asked.roleName)}
            confirm={{
              label: t.signInRules.confirm,
              onClick: () => save.mutate({ role: asked.role, needsSecondFactor: true }),
              isPending: save.isPending,
            }}
            opened={isAsking}
            onClose={() => setAsking(false)}
          >
            <Text>{t.signInRules.question}</Text>
            {asked.role === role && <Text mt="sm">{t.signInRules.ownRole}</Text>}
          </ConfirmDialog>
        )}
      </Stack>
    );
  }
  if (query.isError) {
    return (
      <ErrorNotice title={t.signInRules.failed} reason={messageOf(query.error)} onRetry={() => void query.refetch()} />
    );
  }
  return <ListSkeleton rows={5} />;
}
