import { SecretInput } from '@/ui/SecretInput';
import type { Fields } from './useFields';

interface Props<Field extends string> {
  fields: Fields<Field>;
  name: NoInfer<Field>;
  /** What the browser's keeper of passwords is to do. */
  autoComplete: 'current-password' | 'new-password';
  description?: string;
  /** Together: whether the password can be read, kept by the caller. */
  visible?: boolean;
  onVisibilityChange?: (visible: boolean) => void;
}

export function PasswordField<Field extends string>({ fields, name, ...rest }: Props<Field>) {
  return <SecretInput {...fields.input(name)} {...rest} />;
}
