import { IconFileUpload } from '@tabler/icons-react';
import { type DragEvent, useId, useState } from 'react';
import classes from './DropZone.module.css';
import { VisuallyHidden } from './kit';

interface Props {
  label: string;
  hint: string;
  /** What the chooser offers. */
  accept: string;
  /** All that was dropped or chosen at once; none of what is no file. */
  onFiles: (files: File[]) => void;
  /** Takes nothing for now. */
  disabled?: boolean;
  error?: string | undefined;
}

/** Takes files that are dropped on it, or chosen after a click, Enter or Space. */
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
          // Or the browser would open the file.
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
              // So that the same file can be chosen again.
              currentTarget.value = '';
              onFiles(files);
            }}
          />
        </VisuallyHidden>
      </label>
      {error !== undefined && (
        <p id={errorId} className={classes.error} role="alert">
          {error}
        </p>
      )}
    </div>
  );
}
