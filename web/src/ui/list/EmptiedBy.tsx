import { t } from '@/i18n/en';
import { Button, Text } from '@/ui/kit';

/** The filter without which a list would have rows. */
export interface EmptyingFilter {
  name: string;
  label: string;
  /** How many rows the list would have. */
  text: string;
}

interface Props {
  filter: EmptyingFilter;
  onRemove: (name: string) => void;
}

export function EmptiedBy({ filter: { name, label, text }, onRemove }: Props) {
  return (
    <>
      <Text size="sm">{text}</Text>
      <Button variant="default" onClick={() => onRemove(name)}>
        {t.list.removeFilterOf(label)}
      </Button>
    </>
  );
}
