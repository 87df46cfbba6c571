/** A technician's phone: narrow, and touched rather than clicked. */
export const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

/** The same phone on its side. */
export const LANDSCAPE = { ...PHONE, viewport: { width: 844, height: 390 } };

export const DESK = { viewport: { width: 1280, height: 800 } };
