import type { AttentionItem, AttentionPage } from '@/api/schema.gen';

/** A page of items without further ones. */
export function attentionPage(items: AttentionItem[]): AttentionPage {
  return { items, next: null };
}

export function attentionItem(part: Partial<AttentionItem> = {}): AttentionItem {
  return {
    id: '019aa000-0000-7000-8000-000000000001',
    kind: 'runs_dry',
    severity: 'medium',
    dsn: 'AC000W510000001',
    csp: 'North',
    customer: 'Hotel Aurora',
    serviceArea: 'Lobby',
    city: 'Oslo',
    timeZone: 'Europe/Oslo',
    since: '2026-11-20T10:00:00Z',
    openedAt: '2026-11-20T10:00:00Z',
    closedAt: null,
    occurrences: 1,
    cause: 'present_use',
    evidence: { level: 12, runsDryAt: '2026-11-25T10:00:00Z' },
    isProvisional: false,
    acknowledgedAt: null,
    acknowledgedBy: null,
    assignee: null,
    snoozedUntil: null,
    comments: 0,
    can: { edit: true },
    ...part,
  };
}
