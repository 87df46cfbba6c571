/** The labels of the system configurations by cart name. */
export const SYSTEM_CONFIGURATIONS: Readonly<Record<string, string>> = {
  AQ290: 'AQ200 Series 500 mL',
  AQ380: 'AQ300 Series 500 mL',
  AQ580: 'AQ500 Series 500 mL',
  AQ880w1250: 'AQ800 Series 1250 mL',
  AQ880w2500: 'AQ800 Series 2500 mL',
  AQ1280: 'AQ1200 Series 1250 mL',
  AQ2500: 'AQ1200 Series 2500 mL',
};
