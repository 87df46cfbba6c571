import { PRODUCT_NAME } from '@/domain/product';
import classes from './Brand.module.css';

/** The mark and the name. */
export function Brand() {
  return (
    <span className={classes.brand}>
      <svg className={classes.mark} viewBox="0 0 32 32" aria-hidden="true">
        <rect width="32" height="32" rx="8" fill="#066478" />
        <g fill="none" stroke="#fff" strokeWidth="2.4" strokeLinecap="round">
          <path d="M9 25c0-5 4-5 4-9s-4-4-4-9" />
          <path d="M16 25c0-5 4-5 4-9s-4-4-4-9" opacity=".8" />
          <path d="M23 25c0-5 3-5 3-9" opacity=".55" />
        </g>
      </svg>
      <span>{PRODUCT_NAME}</span>
    </span>
  );
}
