import { SecretInput } from '@/ui/fields/SecretInput';
import type { Fields } from './useFields';

interface Props<Field extends string> {
  fields: Fields<Field>;
  name: NoInfer<Field>;
  /** Instructs the browser's password manager. */
  autoComplete: 'current-password' | 'new-password';
  description?: string;
  /** Set together with `onVisibilityChange` if the caller controls the visibility. */
  visible?: boolean;
  onVisibilityChange?: (visible: boolean) => void;
}

export function PasswordField<Field extends string>({ fields, name, ...rest }: Props<Field>) {
  return <SecretInput {...fields.input(name)} {...rest} />;
}
