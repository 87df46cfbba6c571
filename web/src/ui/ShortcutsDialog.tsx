import { t } from '@/i18n/en';
import { Dialog } from './Dialog';
import { Skeleton } from './kit';
import { lazyPart } from './lazy-part';

const ShortcutKeys = lazyPart(async () => (await import('./ShortcutKeys')).default, <Skeleton height={260} />);

export function ShortcutsDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Dialog title={t.shell.shortcuts} opened={opened} onClose={onClose}>
      <ShortcutKeys />
    </Dialog>
  );
}
