import { t } from '@/i18n/en';
import { Skeleton } from '@/ui/kit';
import { lazyPart } from '@/ui/notices/lazy-part';
import { Dialog } from './Dialog';

const ShortcutKeys = lazyPart(async () => (await import('./ShortcutKeys')).default, <Skeleton height={260} />);

export function ShortcutsDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Dialog title={t.shell.shortcuts} opened={opened} onClose={onClose}>
      <ShortcutKeys />
    </Dialog>
  );
}
