import { useState } from 'react';
import type { PreviewSource } from '@/api/previews';
import { t } from '@/i18n/en';
import { Button } from '@/ui/kit';

export interface Preview {
  /** The job to preview; undefined while its preview is hidden. */
  source: PreviewSource | undefined;
  isShown: boolean;
  /** Whether it was shown for the job as it is now. */
  wasShown: boolean;
  toggle: () => void;
}

/** The state of a preview. It is shown on request, and hidden when the user changes the job. */
export function usePreview(source: PreviewSource): Preview {
  const [asked, setAsked] = useState<string>();
  const [seen, setSeen] = useState<string>();
  const key = JSON.stringify(source);
  const isShown = asked === key;
  const toggle = () => {
    setAsked(isShown ? undefined : key);
    setSeen(key);
  };
  return { source: isShown ? source : undefined, isShown, wasShown: seen === key, toggle };
}

/** Shows and hides the preview. */
export function PreviewButton({ preview, disabled }: { preview: Preview; disabled: boolean }) {
  return (
    <Button variant="default" aria-expanded={preview.isShown} disabled={disabled} onClick={preview.toggle}>
      {t.preview.show}
    </Button>
  );
}
