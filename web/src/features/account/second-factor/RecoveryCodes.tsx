import { LeaveGuard } from '@/form/LeaveGuard';
import { t } from '@/i18n/en';
import { Button, Group, Stack, Text, Title } from '@/ui/kit';
import { alertFailure, alertSuccess } from '@/ui/notices/alerts';
import classes from './RecoveryCodes.module.css';

interface Props {
  codes: string[];
  onKept: () => void;
}

/** New recovery codes, which the server does not return again. */
export function RecoveryCodes({ codes, onKept }: Props) {
  const text = `${codes.join('\n')}\n`;
  return (
    <Stack gap="md" align="flex-start">
      <Title order={2} size={18}>
        {t.secondFactor.codesTitle}
      </Title>
      <Text size="sm" maw={600}>
        {t.secondFactor.codesLead}
      </Text>
      <ul className={classes.codes}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <Group>
        <Button variant="default" onClick={() => void copy(text)}>
          {t.secondFactor.copyCodes}
        </Button>
        <Button
          variant="default"
          component="a"
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(text)}`}
          download={t.secondFactor.codesFile}
        >
          {t.secondFactor.saveCodes}
        </Button>
        <Button onClick={onKept}>{t.secondFactor.codesKept}</Button>
      </Group>
      <LeaveGuard active loss={t.form.secret} />
    </Stack>
  );
}

/** Browsers allow the clipboard over https and on loopback addresses only, and may refuse it. */
async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    alertSuccess(t.secondFactor.codesCopied);
  } catch {
    alertFailure(t.secondFactor.copyFailed, t.secondFactor.codesCopied);
  }
}
