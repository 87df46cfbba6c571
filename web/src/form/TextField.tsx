import type { HTMLAttributes } from 'react';
import { TextInput } from '@/ui/kit';
import type { Fields } from './useFields';

interface Props<Field extends string>
  extends Pick<HTMLAttributes<HTMLInputElement>, 'autoCapitalize' | 'inputMode' | 'spellCheck'> {
  fields: Fields<Field>;
  name: NoInfer<Field>;
  /** Read-only. */
  fixed?: boolean;
  type?: 'text' | 'date';
  onLeave?: () => void;
}

export function TextField<Field extends string>({ fields, name, fixed = false, onLeave, ...rest }: Props<Field>) {
  const { onBlur, ...input } = fields.input(name);
  return (
    <TextInput
      {...input}
      {...rest}
      readOnly={fixed}
      required={input.required && !fixed}
      // The focus has left the field when its check fails, so the error must be announced.
      errorProps={onLeave ? { role: 'alert' } : {}}
      variant={fixed ? 'filled' : 'default'}
      onBlur={(event) => {
        onBlur?.(event);
        onLeave?.();
      }}
    />
  );
}
