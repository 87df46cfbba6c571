import { IconFileUpload } from '@tabler/icons-react';
import { type DragEvent, useId, useState } from 'react';
import { VisuallyHidden } from '@/ui/kit';
import { ErrorLine } from '@/ui/notices/ErrorLine';
import classes from './DropZone.module.css';

interface Props {
  label: string;
  hint: string;
  /** The file types that the file chooser offers. */
  accept: string;
  /** Called with all dropped or chosen files. */
  onFiles: (files: File[]) => void;
  /** Accepts no files for now. */
  disabled?: boolean;
  error?: string | undefined;
}

/** Accepts dropped files, and files chosen after a click, Enter or Space. */
export function DropZone({ label, hint, accept, onFiles, disabled = false, error }: Props) {
  const [over, setOver] = useState(false);
  const errorId = useId();
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    if (!disabled) onFiles([...event.dataTransfer.files]);
  };
  return (
    <div>
      <label
        className={classes.zone}
        data-over={over}
        onDragOver={(event) => {
          // Prevents the browser from opening the file.
          event.preventDefault();
          setOver(!disabled);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={onDrop}
      >
        <IconFileUpload size={32} stroke={1.6} aria-hidden="true" />
        <span className={classes.label}>{label}</span>
        <span className={classes.hint}>{hint}</span>
        <VisuallyHidden>
          <input
            type="file"
            accept={accept}
            disabled={disabled}
            aria-invalid={error !== undefined}
            aria-describedby={error === undefined ? undefined : errorId}
            onChange={({ currentTarget }) => {
              const files = [...(currentTarget.files ?? [])];
              // Allows the same file to be chosen again.
              currentTarget.value = '';
              onFiles(files);
            }}
          />
        </VisuallyHidden>
      </label>
      {error !== undefined && (
        <ErrorLine id={errorId} mt={8}>
          {error}
        </ErrorLine>
      )}
    </div>
  );
}
