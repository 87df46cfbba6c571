import { t } from '@/i18n/en';
import { Button, Group } from '@/ui/kit';
import type { RowSelection } from './row-selection';
import classes from './SelectionBar.module.css';

interface Props<Row> {
  selection: RowSelection<Row>;
  /** The number of matching rows on all pages. */
  total: number;
  /** `total` is still that of the previous view. */
  busy: boolean;
}

/** Shown above selected rows: selects all matches or clears the selection. */
export function SelectionBar<Row>({ selection, total, busy }: Props<Row>) {
  const { chosen, chooseMatching, isChoosing, isFixed = false, clear, note } = selection;
  return (
    <Group className={classes.bar} gap="4px 12px">
      <Button
        size="compact-sm"
        variant="default"
        loading={isChoosing}
        disabled={isFixed || busy || total === 0}
        onClick={chooseMatching}
      >
        {t.list.selectMatching(total)}
      </Button>
      {clear && chosen.keys.length > 0 && (
        <>
          <span>{t.list.selected(chosen.keys.length)}</span>
          <Button size="compact-sm" variant="subtle" disabled={isFixed} onClick={clear}>
            {t.list.clearSelection}
          </Button>
        </>
      )}
      <span className={classes.note} role="status">
        {note}
      </span>
    </Group>
  );
}
