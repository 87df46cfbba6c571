import { IconFileDownload } from '@tabler/icons-react';
import { type ComponentProps, lazy, useState } from 'react';
import { t } from '@/i18n/en';
import { Dialog } from '@/ui/Dialog';
import { Button, Skeleton } from '@/ui/kit';
import { LazyPart } from '@/ui/LazyPart';

const ReportForm = lazy(() => import('./ReportForm'));

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
        <LazyPart shape={<Skeleton height={220} />}>
          <ReportForm {...props} onClose={close} />
        </LazyPart>
      </Dialog>
    </>
  );
}
