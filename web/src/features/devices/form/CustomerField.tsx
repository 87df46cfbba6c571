import { useCustomers } from '@/form/useCustomers';
import { t } from '@/i18n/en';
import { Autocomplete } from '@/ui/kit';
import type { DeviceFields } from './device-values';

/** The customer: one that is known, or a new one. */
export function CustomerField({ fields }: { fields: DeviceFields }) {
  const typed = fields.values.customer.trim();
  const { names, isNew } = useCustomers(typed, typed !== '' && typed !== fields.start.customer);
  return (
    <Autocomplete
      {...fields.input('customer')}
      data={names}
      // The server has found them.
      filter={({ options }) => options}
      description={isNew ? t.deviceForm.newCustomer : undefined}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      // The focus may come from Tab or from an error of the field.
      openOnFocus={false}
    />
  );
}
