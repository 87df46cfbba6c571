import { Component, type ReactNode, Suspense } from 'react';
import { t } from '@/i18n/en';
import { ErrorNotice } from './Notice';

interface Props {
  /** The placeholder until the code is loaded. */
  shape: ReactNode;
  /** Shown if the code cannot be loaded; a notice by default. */
  failed?: ReactNode;
  /** A lazy component. */
  children: ReactNode;
}

/** A part of a page whose code is loaded on demand. If that fails, the rest of the page is kept. */
export class LazyPart extends Component<Props, { hasFailed: boolean }> {
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
