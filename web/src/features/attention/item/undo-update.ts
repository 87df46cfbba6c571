import type { AttentionItem, AttentionUpdate } from '@/api/schema.gen';

/** The updates that restore what an update changes about these items. Comments stay. */
export function undoOf(items: readonly AttentionItem[], update: AttentionUpdate, now: Date): AttentionUpdate[] {
  const { acknowledged, assignee, snoozedUntil } = update;
  const restored = new Map<string, { ids: string[]; update: AttentionUpdate }>();
  const restore = (id: string, update: AttentionUpdate) => {
    const key = JSON.stringify(update);
    const { ids } = restored.get(key) ?? { ids: [] };
    restored.set(key, { ids: [...ids, id], update });
  };
  for (const item of items) {
    if (acknowledged !== undefined && acknowledged !== null && (item.acknowledgedAt !== null) !== acknowledged) {
      restore(item.id, { acknowledged: !acknowledged });
    }
    // Nobody may assign an item to somebody whom they do not know.
    const isHidden = item.assignee !== null && item.assignee.id === null;
    const before = item.assignee?.id ?? null;
    if (assignee !== undefined && !isHidden && before !== assignee) restore(item.id, { assignee: before });
    if (snoozedUntil !== undefined && item.snoozedUntil !== snoozedUntil) {
      const isOver = item.snoozedUntil !== null && new Date(item.snoozedUntil) <= now;
      restore(item.id, { snoozedUntil: isOver ? null : item.snoozedUntil });
    }
  }
  return [...restored.values()].map(({ ids, update }) => ({ ids, ...update }));
}
