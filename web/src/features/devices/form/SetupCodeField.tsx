import { useEffect, useEffectEvent, useState } from 'react';
import { TextField } from '@/form/TextField';
import type { DeviceFields } from './device-values';

/** The code printed on the device. Shown once the server has asked for it, because most clouds require none. */
export function SetupCodeField({ fields }: { fields: DeviceFields }) {
  const [isShown, setShown] = useState(fields.values.setupCode !== '');
  const isRefused = fields.errors.setupCode !== undefined;
  useEffect(() => {
    if (isRefused) setShown(true);
  }, [isRefused]);

  // The form cannot focus the field with the first error, because it is not there yet.
  const focusError = useEffectEvent(() => {
    if (isRefused) fields.focus('setupCode');
  });
  useEffect(() => {
    if (isShown) focusError();
  }, [isShown]);

  if (!isShown) return null;
  return <TextField fields={fields} name="setupCode" autoCapitalize="characters" spellCheck={false} />;
}
