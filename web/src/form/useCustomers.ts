import { useQuery } from '@tanstack/react-query';
import { customersQuery } from '@/api/customers';
import { useDebouncedValue } from '@/ui/kit';

const TYPING_MS = 300;

/** The customers that match a typed text, as soon as typing pauses. */
export function useCustomers(typed: string, enabled = true) {
  const wanted = typed.trim();
  const [text] = useDebouncedValue(wanted, TYPING_MS);
  const isSettled = enabled && text === wanted;
  const query = useQuery({ ...customersQuery(text), enabled: isSettled });
  const { data: names = [], isError } = query;
  const isAnswered = isSettled && query.isSuccess && !query.isPlaceholderData;
  const isSame = (name: string) => name.toLowerCase() === wanted.toLowerCase();
  return {
    names: enabled ? names : [],
    /** Whether no device has a customer of this name; false as long as that is not known. */
    isNew: isAnswered && wanted !== '' && !names.some(isSame),
    isAnswered,
    isError,
  };
}
