import { useMemo } from 'react';
import type { User } from '@/api/schema.gen';
import classes from '@/form/Form.module.css';
import { SelectField } from '@/form/SelectField';
import { TextField } from '@/form/TextField';
import type { Fields } from '@/form/useFields';
import { t } from '@/i18n/en';
import { Card } from '@/ui/layout/Card';
import type { Field } from './user-values';
import { needsCsp, roleChoices, type UserFormChoices } from './useUserFormChoices';

interface Props {
  fields: Fields<Field>;
  formChoices: UserFormChoices;
  /** The current access of the edited user. */
  user: User | undefined;
}

export function AccessSection({ fields, formChoices: { roles, csps }, user }: Props) {
  const choices = useMemo(() => roleChoices(roles, user), [roles, user]);
  return (
    <Card title={t.userForm.access}>
      <div className={classes.fields}>
        <TextField
          fields={fields}
          name="email"
          inputMode="email"
          autoCapitalize="none"
          spellCheck={false}
          fixed={user !== undefined}
        />
        <SelectField
          fields={fields}
          name="role"
          choices={choices}
          onChoose={(role) => {
            fields.set('role', role);
            if (!needsCsp(roles, role)) fields.set('csp', '');
          }}
        />
        {csps && (
          <SelectField
            fields={fields}
            name="csp"
            choices={csps.all}
            searchable
            disabled={!needsCsp(roles, fields.values.role)}
            none={t.userForm.noCsp}
            failure={{ text: t.csps.failed, retry: csps.retry }}
          />
        )}
      </div>
    </Card>
  );
}
