import { lazy } from 'react';
import { t } from '@/i18n/en';
import { Dialog } from './Dialog';
import { Skeleton } from './kit';
import { LazyPart } from './LazyPart';

const ShortcutKeys = lazy(() => import('./ShortcutKeys'));

export function ShortcutsDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Dialog title={t.shell.shortcuts} opened={opened} onClose={onClose}>
      <LazyPart shape={<Skeleton height={260} />}>
        <ShortcutKeys />
      </LazyPart>
    </Dialog>
  );
}
