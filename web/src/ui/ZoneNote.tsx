import { t } from '@/i18n/en';
import { clockTime, isForeign } from '@/lib/time';
import { Text } from './kit';
import { useNow } from './useNow';
import { useZone } from './zone-context';

/** Names the zone of the times around it, unless it is the reader's. */
export function ZoneNote() {
  const now = useNow();
  const zone = useZone();
  if (zone === undefined || !isForeign(now, zone)) return null;
  return (
    <Text size="sm" c="dimmed">
      {t.time.deviceZone(zone.replaceAll('_', ' '), clockTime(now, zone), clockTime(now))}
    </Text>
  );
}
