import { t } from '@/i18n/en';
import { Button, Stack, Text } from '@/ui/kit';
import type { EncodingQuestion as Question } from '../file/catalogue-file';
import classes from './EncodingQuestion.module.css';

const { question, consequence, samples, confirm, otherwise } = t.catalogue.encoding;

interface Props {
  asked: Question;
  onConfirm: () => void;
}

/** Asks whether a file that is not UTF-8 is Windows-1252; focused when it appears. */
export function EncodingQuestion({ asked, onConfirm }: Props) {
  return (
    <Stack gap="sm" align="flex-start">
      <Text ref={focusOnMount} tabIndex={-1} className={classes.question} role="alert">
        {question}
      </Text>
      <Text size="sm">{consequence}</Text>
      <ul className={classes.samples} aria-label={samples}>
        {asked.samples.map((sample, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list does not change, and a text can occur twice
          <li key={place} translate="no">
            {sample}
          </li>
        ))}
      </ul>
      <Button onClick={onConfirm}>{confirm}</Button>
      <Text size="sm" c="dimmed">
        {otherwise}
      </Text>
    </Stack>
  );
}

function focusOnMount(element: HTMLElement | null): void {
  element?.focus();
}
