/** A technician's phone: narrow, with touch instead of a mouse. */
export const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

/** The same phone in landscape. */
export const LANDSCAPE = { ...PHONE, viewport: { width: 844, height: 390 } };

export const DESK = { viewport: { width: 1280, height: 800 } };
