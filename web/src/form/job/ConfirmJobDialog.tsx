import { useInfiniteQuery } from '@tanstack/react-query';
import { type PreviewSource, previewQuery } from '@/api/previews';
import { t } from '@/i18n/en';
import { Dialog } from '@/ui/dialogs/Dialog';
import { Button, Group } from '@/ui/kit';
import { JobPreviewList } from './JobPreviewList';

interface Props {
  title: string;
  /** The text of the button that starts the job. */
  start: string;
  source: PreviewSource;
  opened: boolean;
  onClose: () => void;
  onStart: () => void;
}

/** Asks before a job whose preview was not shown, with the figures of the preview. */
export function ConfirmJobDialog({ opened, onClose, title, ...question }: Props) {
  return (
    <Dialog title={title} opened={opened} onClose={onClose}>
      <Question {...question} onClose={onClose} />
    </Dialog>
  );
}

function Question({ source, start, onStart, onClose }: Omit<Props, 'title' | 'opened'>) {
  const preview = useInfiniteQuery(previewQuery(source));
  return (
    <>
      <JobPreviewList source={source} />
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={onClose}>
          {t.common.cancel}
        </Button>
        <Button loading={preview.isPending} onClick={onStart}>
          {start}
        </Button>
      </Group>
    </>
  );
}
