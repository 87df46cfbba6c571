/** The one name of the product. */
export const PRODUCT_NAME = 'Sillage';

export const pageTitle = (page: string) => `${PRODUCT_NAME} - ${page}`;
