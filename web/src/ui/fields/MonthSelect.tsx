import { monthName, monthsUpTo } from '@/domain/months';
import { useNow } from '@/ui/hooks/useNow';
import { Select } from '@/ui/kit';

/** The present month and those of a year before it. */
const MONTHS = 13;

interface Props {
  label: string;
  placeholder?: string;
  /** A month like 2026-11; null if none is chosen. */
  value: string | null;
  onChange: (month: string) => void;
}

/** A choice between the months of UTC for which sums are kept. */
export function MonthSelect({ label, placeholder, value, onChange }: Props) {
  const months = monthsUpTo(useNow(), MONTHS);
  // A link can contain an older one.
  const choices = value === null || months.includes(value) ? months : [...months, value];
  return (
    <Select
      label={label}
      placeholder={placeholder}
      data={choices.map((month) => ({ value: month, label: monthName(month) }))}
      value={value}
      onChange={(month) => month !== null && onChange(month)}
      allowDeselect={false}
    />
  );
}
