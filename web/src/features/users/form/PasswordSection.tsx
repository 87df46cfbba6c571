import { IconCopy, IconDice5 } from '@tabler/icons-react';
import { useState } from 'react';
import formClasses from '@/form/Form.module.css';
import { generatePassword } from '@/form/generate-password';
import { PasswordField } from '@/form/PasswordField';
import type { Fields } from '@/form/useFields';
import { t } from '@/i18n/en';
import { Button, Checkbox, Group, Text } from '@/ui/kit';
import { Card } from '@/ui/layout/Card';
import { alertFailure, alertSuccess } from '@/ui/notices/alerts';
import type { Field } from './user-values';

interface Props {
  fields: Fields<Field>;
  /** The invited user chooses the password. */
  isOwn: boolean;
  onOwn: (isOwn: boolean) => void;
}

/** The first password of an invited user: chosen by them, or typed or generated and copied here. */
export function PasswordSection({ fields, isOwn, onOwn }: Props) {
  return (
    <Card title={t.userForm.password}>
      <Checkbox
        label={t.userForm.ownPassword}
        description={t.userForm.ownPasswordHint}
        checked={isOwn}
        onChange={(event) => onOwn(event.currentTarget.checked)}
      />
      {!isOwn && <TypedPassword fields={fields} />}
    </Card>
  );
}

function TypedPassword({ fields }: { fields: Fields<Field> }) {
  const [visible, setVisible] = useState(false);
  const { password } = fields.values;
  const generate = () => {
    const generated = generatePassword();
    fields.set('password', generated);
    fields.set('passwordConfirmation', generated);
    setVisible(true);
  };
  return (
    <>
      <Text size="sm" c="dimmed" my="md">
        {t.userForm.passwordHint}
      </Text>
      <div className={formClasses.fields}>
        <PasswordField
          fields={fields}
          name="password"
          autoComplete="new-password"
          description={t.form.password.rule}
          visible={visible}
          onVisibilityChange={setVisible}
        />
        <PasswordField fields={fields} name="passwordConfirmation" autoComplete="new-password" />
      </div>
      <Group gap="sm" mt="md">
        <Button variant="default" leftSection={<IconDice5 size={18} aria-hidden="true" />} onClick={generate}>
          {t.userForm.generate}
        </Button>
        <Button
          variant="default"
          leftSection={<IconCopy size={18} aria-hidden="true" />}
          disabled={password === ''}
          onClick={() => void copy(password)}
        >
          {t.userForm.copy}
        </Button>
      </Group>
    </>
  );
}

/** Browsers allow the clipboard over https and on loopback addresses only, and may refuse it. */
async function copy(password: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(password);
    alertSuccess(t.userForm.copied);
  } catch {
    alertFailure(t.userForm.copyFailed, t.userForm.copied);
  }
}
