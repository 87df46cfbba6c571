import { IconFileDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { t } from '@/i18n/en';
import { saveFile } from '@/lib/save-file';
import { alertFailure } from '@/ui/alerts';
import { Dialog } from '@/ui/Dialog';
import { Button, Group, Radio, Stack, Text } from '@/ui/kit';

/** What a report can be, and the file it is saved as. */
const FILES = { printable: 'report.html', csv: 'report.csv' } as const;
const TYPES = ['printable', 'csv'] as const;
export type ReportType = keyof typeof FILES;

interface Props {
  /** Has the server write it. */
  generate: (type: ReportType) => Promise<Blob>;
}

/** Asks for the type, and saves the report of the list as it is filtered and sorted. */
export function ReportButton({ generate }: Props) {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconFileDownload size={18} aria-hidden="true" />}
        aria-haspopup="dialog"
        onClick={() => setOpened(true)}
      >
        {t.report.button}
      </Button>
      <Dialog title={t.report.title} opened={opened} onClose={() => setOpened(false)}>
        <ReportForm generate={generate} onClose={() => setOpened(false)} />
      </Dialog>
    </>
  );
}

function ReportForm({ generate, onClose }: Props & { onClose: () => void }) {
  const [type, setType] = useState<ReportType>('printable');
  const [pending, setPending] = useState(false);
  const save = async () => {
    setPending(true);
    try {
      saveFile(await generate(type), FILES[type]);
      onClose();
    } catch {
      alertFailure(t.report.failed);
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
