import { clockTime, isForeign } from '@/browser/time';
import { t } from '@/i18n/en';
import { useNow } from '@/ui/hooks/useNow';
import { Text } from '@/ui/kit';
import { useZone } from './zone-context';

/** Names the zone of the times around it, unless it is the reader's. */
export function ZoneNote() {
  const now = useNow();
  const zone = useZone();
  const isUnknown = typeof zone === 'object';
  if (zone === undefined || !(isUnknown || isForeign(now, zone))) return null;
  return (
    <Text size="sm" c="dimmed">
      {isUnknown
        ? t.time.unknownZone(zone.unknown)
        : t.time.deviceZone(zone.replaceAll('_', ' '), clockTime(now, zone), clockTime(now))}
    </Text>
  );
}
