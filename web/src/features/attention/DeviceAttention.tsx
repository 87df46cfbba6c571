import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { deviceAttentionQuery } from '@/api/attention';
import type { AttentionItem } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { useNow } from '@/ui/hooks/useNow';
import { Button } from '@/ui/kit';
import { Card } from '@/ui/layout/Card';
import { InfoNotice } from '@/ui/notices/Notice';
import classes from './item/Attention.module.css';
import { AttentionActions } from './item/AttentionActions';
import { AttentionSince, AttentionState, AttentionWhat } from './item/AttentionWhat';
import { Comments, CommentsDialog } from './item/CommentsDialog';
import { type LastUpdate, UpdatedNotice } from './item/UpdatedNotice';

/** The open items of a device, snoozed or not, with their comments and actions. Nothing for a device without items. */
export function DeviceAttention({ dsn }: { dsn: string }) {
  const { data: items = [], isLoadingError, refetch } = useQuery(deviceAttentionQuery(dsn));
  const [commented, setCommented] = useState<readonly AttentionItem[]>([]);
  const [updated, setUpdated] = useState<LastUpdate>();
  const now = useNow();
  if (isLoadingError) {
    const retry = (
      <Button size="compact-md" variant="default" onClick={() => void refetch()}>
        {t.common.retry}
      </Button>
    );
    return <InfoNotice text={t.attention.failed} action={retry} />;
  }
  // An item may close while somebody comments on it.
  if (items.length === 0 && commented.length === 0) return null;
  return (
    <Card title={t.attention.ofDevice}>
      {updated && <UpdatedNotice last={updated} onDone={() => setUpdated(undefined)} />}
      <ul className={classes.items}>
        {items.map((item) => (
          <li key={item.id}>
            <div>
              <AttentionWhat item={item} now={now} />
              <AttentionSince item={item} now={now} />
              <AttentionState item={item} now={now} />
            </div>
            {item.comments > 0 && <Comments id={item.id} />}
            {item.can.edit && <AttentionActions items={[item]} onComment={setCommented} onUpdated={setUpdated} />}
          </li>
        ))}
      </ul>
      <CommentsDialog items={commented} mayEdit onClose={() => setCommented([])} />
    </Card>
  );
}
