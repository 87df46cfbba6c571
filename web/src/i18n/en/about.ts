import { PRODUCT_NAME } from '@/domain/product';

export const about = {
  title: `About ${PRODUCT_NAME}`,
  lead: `${PRODUCT_NAME} is a console for monitoring and controlling scent diffusers.`,
  facts: 'Version and licence',
  version: 'Version',
  licence: 'Licence',
  licences: 'Apache License 2.0 or MIT License, as you prefer',
  mapData: 'Map data',
  mapDataLicence: '© OpenStreetMap contributors, Open Database License',
};
