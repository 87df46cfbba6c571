import type { HTMLAttributes } from 'react';
import { TextInput } from '@/ui/kit';
import type { Fields } from './useFields';

interface Props<Field extends string>
  extends Pick<HTMLAttributes<HTMLInputElement>, 'autoCapitalize' | 'inputMode' | 'spellCheck'> {
  fields: Fields<Field>;
  name: NoInfer<Field>;
  /** Shown, not to be changed. */
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
      // What is found wrong on leaving a field is no longer where the focus is.
      errorProps={onLeave ? { role: 'alert' } : {}}
      variant={fixed ? 'filled' : 'default'}
      onBlur={(event) => {
        onBlur?.(event);
        onLeave?.();
      }}
    />
  );
}
