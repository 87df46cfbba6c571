/** A technician's phone: narrow, and touched rather than clicked. */
export const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

export const DESK = { viewport: { width: 1280, height: 800 } };
