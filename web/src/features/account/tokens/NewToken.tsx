import { IconCopy } from '@tabler/icons-react';
import { LeaveGuard } from '@/form/LeaveGuard';
import { t } from '@/i18n/en';
import { Button, Group, TextInput } from '@/ui/kit';
import { alertFailure, alertSuccess } from '@/ui/notices/alerts';
import { InfoNotice } from '@/ui/notices/Notice';

interface Props {
  token: string;
  onKept: () => void;
}

/** A token that was just created. The server does not know it any more. */
export function NewToken({ token, onKept }: Props) {
  return (
    <div>
      <InfoNotice text={t.account.tokenShownOnce} />
      <Group gap="sm" mt="sm" align="flex-end">
        <TextInput
          label={t.account.token}
          value={token}
          readOnly
          flex="1 1 16rem"
          size="md"
          spellCheck={false}
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
        <Button
          variant="default"
          size="md"
          leftSection={<IconCopy size={18} aria-hidden="true" />}
          onClick={() => void copy(token)}
        >
          {t.account.copyToken}
        </Button>
        <Button size="md" onClick={onKept}>
          {t.account.tokenKept}
        </Button>
      </Group>
      <LeaveGuard active loss={t.form.secret} />
    </div>
  );
}

/** Browsers allow the clipboard over https and on loopback addresses only, and may refuse it. */
async function copy(token: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(token);
    alertSuccess(t.account.tokenCopied);
  } catch {
    alertFailure(t.account.tokenCopyFailed, t.account.tokenCopied);
  }
}
