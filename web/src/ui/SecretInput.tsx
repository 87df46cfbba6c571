import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { useState } from 'react';
import { t } from '@/i18n/en';

/** A field for a password, which can be made visible; by its user alone, unless `visible` is given. */
export function SecretInput({ visible: given, onVisibilityChange, ...props }: PasswordInputProps) {
  const [own, setOwn] = useState(false);
  const visible = given ?? own;
  return (
    <PasswordInput
      size="md"
      spellCheck={false}
      // Below, so that two fields beside each other stand in one line.
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      autoCapitalize="none"
      visible={visible}
      onVisibilityChange={onVisibilityChange ?? setOwn}
      visibilityToggleButtonProps={{
        'aria-label': `${visible ? t.form.hide : t.form.show} ${props.label}`,
        tabIndex: 0,
      }}
      {...props}
    />
  );
}
