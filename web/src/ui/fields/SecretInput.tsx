import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { useState } from 'react';
import { t } from '@/i18n/en';

/** A password field with a visibility toggle, which `visible` overrides. */
export function SecretInput({ visible: given, onVisibilityChange, ...props }: PasswordInputProps) {
  const [own, setOwn] = useState(false);
  const visible = given ?? own;
  return (
    <PasswordInput
      size="md"
      spellCheck={false}
      // Below the field, so that adjacent fields are aligned.
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
