import { IconFileDownload } from '@tabler/icons-react';
import { type ComponentProps, useState } from 'react';
import { t } from '@/i18n/en';
import { Dialog } from '@/ui/dialogs/Dialog';
import { Button, Skeleton } from '@/ui/kit';
import { lazyPart } from '@/ui/notices/lazy-part';

const ReportForm = lazyPart(async () => (await import('./ReportForm')).default, <Skeleton height={220} />);

type FormProps = ComponentProps<typeof ReportForm>;
export type ListReport = FormProps['report'];

/** Opens the report of the filtered and sorted list. */
export function ReportButton(props: Pick<FormProps, 'report' | 'filter'>) {
  const [opened, setOpened] = useState(false);
  const close = () => setOpened(false);
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
      <Dialog title={t.report.title} opened={opened} onClose={close}>
        <ReportForm {...props} onClose={close} />
      </Dialog>
    </>
  );
}
