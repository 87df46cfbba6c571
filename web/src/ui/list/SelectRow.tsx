import { t } from '@/i18n/en';
import { chosenOf, type RowSelection } from './row-selection';
import { SelectBox } from './SelectBox';

interface RowProps<Row> {
  selection: RowSelection<Row>;
  row: Row;
  rowKey: string;
}

export function SelectRow<Row>({ selection: { chosen, nameOf, isFixed = false }, row, rowKey }: RowProps<Row>) {
  return (
    <SelectBox
      label={t.list.select(nameOf(row))}
      checked={chosen.has(rowKey)}
      disabled={isFixed}
      onChange={(isChosen) => chosen.set([rowKey], isChosen)}
    />
  );
}

interface PageProps<Row> {
  selection: RowSelection<Row>;
  /** The selection of the rows on the page. */
  keys: readonly string[];
}

export function SelectPage<Row>({ selection: { chosen, isFixed = false }, keys }: PageProps<Row>) {
  const extent = chosenOf(keys, chosen);
  return (
    <SelectBox
      label={t.list.selectPage}
      checked={extent === 'all'}
      partly={extent === 'some'}
      disabled={isFixed}
      onChange={(isChosen) => chosen.set(keys, isChosen)}
    />
  );
}
