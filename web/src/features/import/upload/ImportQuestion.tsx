import type { CataloguePreview } from '@/api/schema.gen';
import { CATALOGUE_COLUMNS } from '@/domain/catalogue';
import { ConfirmDialog } from '@/form/ConfirmDialog';
import { t } from '@/i18n/en';
import { Stack, Text } from '@/ui/kit';
import { type CatalogueFile, cellOf } from '../file/catalogue-file';
import classes from './ImportQuestion.module.css';

/** Maximum number of implausible values that the question names; the preview marks all. */
const MAX_SHOWN = 5;

const { title, implausible, cell, more, movedFar, emptied, confirm } = t.catalogue.question;

interface Props {
  preview: CataloguePreview;
  file: CatalogueFile;
  opened: boolean;
  onClose: () => void;
  onConfirm: () => void;
}

/** Whether to ask before the import: for implausible values, and for levels that change far. */
export function needsQuestion({ implausible, movedFar }: CataloguePreview): boolean {
  return implausible > 0 || movedFar > 0;
}

/** Asks once more before an import, with its cells and devices. */
export function ImportQuestion({ preview, file, opened, onClose, onConfirm }: Props) {
  const shown = implausibleCells(preview, file).slice(0, MAX_SHOWN);
  return (
    <ConfirmDialog
      title={title}
      opened={opened}
      onClose={onClose}
      confirm={{ label: confirm, color: 'red', onClick: onConfirm, isPending: false }}
    >
      <Stack gap="sm">
        {preview.implausible > 0 && (
          <div>
            <Text>{implausible(preview.implausible)}</Text>
            <ul className={classes.cells}>
              {shown.map((text) => (
                <li key={text}>{text}</li>
              ))}
              {preview.implausible > shown.length && <li>{more(preview.implausible - shown.length)}</li>}
            </ul>
          </div>
        )}
        {preview.movedFar > 0 && <Text>{movedFar(preview.movedFar)}</Text>}
        {preview.emptied > 0 && <Text>{emptied(preview.emptied)}</Text>}
      </Stack>
    </ConfirmDialog>
  );
}

/** As `C2 (Density): 918 (plausible: 0.5 to 1.5)` */
function implausibleCells({ rows }: CataloguePreview, { header, rows: lines }: CatalogueFile): string[] {
  return rows.flatMap(({ row, after, doubts }) =>
    doubts.flatMap((doubt) => {
      const column = CATALOGUE_COLUMNS.find((column) => column === doubt.column);
      if (!column || !doubt.isImplausible) return [];
      const value = after?.[column] ?? '';
      const { name } = cellOf(header, column, lines[row]?.row ?? 0, value);
      return cell(`${name} (${t.catalogue.columns[column]})`, value, doubt);
    }),
  );
}
