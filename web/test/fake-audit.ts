import type { AuditEntry, AuditPage } from '@/api/schema.gen';

export function auditEntry(part: Partial<AuditEntry> = {}): AuditEntry {
  return {
    id: '019aa000-0000-7000-8000-000000000001',
    at: '2026-11-20T12:00:00Z',
    actor: {
      userId: '0b6d9b5e-5a0c-4f0e-9d0e-3c1f5a2b7c8d',
      email: 'tech@example.com',
      roleName: 'CSP Technician',
      csp: 'North',
      address: '192.0.2.7',
      browser: 'Safari on iPhone',
    },
    operation: 'update_device_settings',
    target: { kind: 'device', id: 'AC000W510000001', csp: 'North' },
    changes: [{ field: 'intensity', before: 20, after: 35, saved: true }],
    result: 'done',
    code: null,
    endedAt: '2026-11-20T12:00:01Z',
    job: null,
    cause: null,
    occurrences: 1,
    ...part,
  };
}

export function auditPage(entries: AuditEntry[], next: string | null = null): AuditPage {
  return { entries, next };
}
