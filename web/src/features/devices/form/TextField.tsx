import type { HTMLAttributes } from 'react';
import { TextInput } from '@/ui/kit';
import type { Field } from './device-values';
import type { DeviceFields } from './useDeviceFields';

interface Props extends Pick<HTMLAttributes<HTMLInputElement>, 'autoCapitalize' | 'spellCheck'> {
  fields: DeviceFields;
  name: Field;
  /** Shown, not to be changed. */
  fixed?: boolean;
  onLeave?: () => void;
}

export function TextField({ fields, name, fixed = false, onLeave, ...rest }: Props) {
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
