import { useEffect, useRef, useState } from 'react';
import { t } from '@/i18n/en';
import { saveFile } from '@/lib/save-file';
import { alertFailure } from '@/ui/alerts';
import { Button, Group, Radio, Stack, Text } from '@/ui/kit';

/** What a report can be, and the file it is saved as. */
const FILES = { printable: 'report.html', csv: 'report.csv' } as const;
const TYPES = ['printable', 'csv'] as const;
export type ReportType = keyof typeof FILES;

interface Props {
  /** Has the server write it, until the signal says that nobody waits any more. */
  generate: (type: ReportType, signal: AbortSignal) => Promise<Blob>;
  onClose: () => void;
}

/** Asks for the type, and saves the report. Whoever closes the dialog before it has come gets none. */
export default function ReportForm({ generate, onClose }: Props) {
  const [type, setType] = useState<ReportType>('printable');
  const [pending, setPending] = useState(false);
  const wait = useRef<AbortController>(undefined);
  useEffect(() => () => wait.current?.abort(), []);
  const save = async () => {
    const controller = new AbortController();
    const { signal } = controller;
    wait.current = controller;
    setPending(true);
    try {
      const file = await generate(type, signal);
      signal.throwIfAborted();
      saveFile(file, FILES[type]);
      onClose();
    } catch {
      if (!signal.aborted) alertFailure(t.report.failed);
    } finally {
      setPending(false);
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Text size="sm" c="dimmed" mb="md">
        {t.report.lead}
      </Text>
      <Radio.Group
        label={t.report.type}
        value={type}
        onChange={(value) => setType(TYPES.find((one) => one === value) ?? type)}
      >
        <Stack gap="sm" mt="xs">
          {TYPES.map((one) => (
            <Radio key={one} value={one} label={t.report.types[one]} description={t.report.hints[one]} />
          ))}
        </Stack>
      </Radio.Group>
      <Group justify="flex-end" gap="sm" mt="lg">
        <Button variant="default" onClick={onClose}>
          {t.common.cancel}
        </Button>
        <Button type="submit" loading={pending}>
          {t.report.generate}
        </Button>
      </Group>
    </form>
  );
}
