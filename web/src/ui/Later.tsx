import { Component, type ReactNode, Suspense } from 'react';
import { t } from '@/i18n/en';
import { ErrorNotice } from './Notice';

interface Props {
  /** Stands there until the code has come. */
  shape: ReactNode;
  /** Stands there when it cannot be fetched; a notice when nothing is given. */
  failed?: ReactNode;
  /** A lazy component. */
  children: ReactNode;
}

/** A part whose code is fetched when it is needed. When that fails, the page around it stays. */
export class Later extends Component<Props, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    const { shape, failed, children } = this.props;
    if (this.state.hasFailed) return failed ?? <ErrorNotice title={t.errors.unexpected} />;
    return <Suspense fallback={shape}>{children}</Suspense>;
  }
}
