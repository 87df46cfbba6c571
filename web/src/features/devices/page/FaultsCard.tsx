import type { DeviceFault } from '@/api/schema.gen';
import { dateTime } from '@/browser/time';
import { instant } from '@/domain/instant';
import { t } from '@/i18n/en';
import { Card } from '@/ui/layout/Card';
import { Facts } from '@/ui/values/Facts';

/** How the device deviates from the protocol. */
export function FaultsCard({ faults }: { faults: readonly DeviceFault[] }) {
  const text = t.device.faults;
  return (
    <Card title={text.title}>
      <Facts
        facts={faults.map(
          ({ property, kind, count, lastAt, value }) =>
            [
              text.label(property, text.kinds[kind] ?? kind),
              text.value(count, dateTime(instant(lastAt)), value),
            ] as const,
        )}
      />
    </Card>
  );
}
