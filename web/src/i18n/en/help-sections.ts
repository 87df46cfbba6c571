import { LOW_PRODUCT_PERCENT } from '@/domain/level';
import { PRODUCT_NAME } from '@/domain/product';

/** The access point of most appliances. */
const ACCESS_POINT = 'http://192.168.0.1';

export interface HelpSection {
  id: string;
  title: string;
  /** The introduction. */
  lead?: string;
  /** The steps in order. */
  steps?: readonly string[];
  topics?: readonly { title: string; text: string }[];
}

/** The sections of the help page. Loaded only with that page, because the text is long. */
export const helpSections: readonly HelpSection[] = [
  {
    id: 'getting-started',
    title: 'Getting started',
    lead: `Access to ${PRODUCT_NAME} is reserved for provider CSPs that buy the hardware. Each CSP names an admin, who creates the accounts of its technicians.`,
    steps: [
      'Your admin invites you. The invitation email may take up to an hour; look into the spam folder, too.',
      'Open the link in the email to confirm your account, then sign in with your email and your password.',
      'The device list initially shows five devices; choose up to 50 below it. Filters narrow it down, and a click on a column sorts it.',
      'Choose a device to see its state. Changes appear as they happen, without a reload.',
    ],
  },
  {
    id: 'wifi',
    title: 'WiFi connection',
    lead: 'An appliance without a network cable joins the WiFi at its location. You need a phone or a laptop, and the name and password of that WiFi.',
    steps: [
      'Switch the appliance on and stay close to it. It opens a WiFi of its own, whose name is on the label.',
      'Connect your phone or laptop to that WiFi. It may warn that there is no internet: stay connected.',
      `Open ${ACCESS_POINT} (see the label of your appliance) in the browser.`,
      'Choose the WiFi of the location, enter its password and save. The appliance leaves its own WiFi and joins the other one.',
      'Within a few minutes the device shows as Online in the device list, with the name of the WiFi under Network.',
    ],
  },
  {
    id: 'adding-a-device',
    title: 'Adding a device',
    lead: 'Admins, CSP admins and CSP technicians can add devices.',
    steps: [
      'Choose Add Device above the device list.',
      'Enter the DSN from the label of the appliance. The form reports immediately if there is no such device, or if it has already been registered.',
      'Fill in customer, service area, serial number, system configuration, fragrance, time zone, city and country. Detect Location fills in latitude, longitude, time zone, country and, where it is known, the state of your position; values that you have chosen stay.',
      'Save. The device belongs to your CSP from now on, and its page opens.',
    ],
  },
  {
    id: 'settings',
    title: 'Settings',
    topics: [
      {
        title: 'Mode',
        text: 'Off stops the device. 24/7 lets it run all the time. Run lets it follow its schedule.',
      },
      {
        title: 'Off-cycle',
        text: 'How long the device pauses between two puffs: Very Short (30 Sec), Short (2 Min) or Normal (7 Min).',
      },
      {
        title: 'Intensity and fan',
        text: 'Intensity goes from 1 to 50; some system configurations allow less with a short off-cycle. The fan has the speeds 1 to 5, or is off.',
      },
      {
        title: 'Schedule',
        text: 'Up to 21 entries set the days, the times and the intensity at which the device runs. Two active entries cannot run at the same time. To run overnight use two entries: one until 23:59, one from 00:00 on the next day.',
      },
      {
        title: 'Fragrance level',
        text: `The level is low when it falls below ${LOW_PRODUCT_PERCENT} percent.`,
      },
      {
        title: 'Pending changes',
        text: 'A change is marked as pending until the device has acknowledged it. A device that is offline gets it when it connects.',
      },
    ],
  },
  {
    id: 'faq',
    title: 'FAQ',
    topics: [
      {
        title: 'How do I reset the fragrance level?',
        text: 'Users who may edit a device can use Reset Fragrance Level on the device page. If your account cannot edit the device, the fragrance level cannot be reset from the web; press and hold the buttons on the appliance for about five seconds.',
      },
      {
        title: 'Why is a device offline?',
        text: 'It has no power, or it does not reach its network. Check the power first, then whether the WiFi has a new name or password: if so, connect the appliance again as described under WiFi connection.',
      },
      {
        title: 'Why do I not see a device?',
        text: 'You see the devices of your CSP. If one is missing, clear the filters of the list; if it is still missing, it is registered for another CSP or not registered yet.',
      },
      {
        title: 'Why are there no buttons to change something?',
        text: 'Your role can view devices, but not change them. The admin of your CSP can give you another role.',
      },
      {
        title: 'What needs attention?',
        text: 'Attention lists the devices and CSPs with a problem, the most urgent first, such as a device that is offline while it should run, or that runs dry soon. Assign an item, comment on it or snooze it. Items close by themselves when the problem is gone.',
      },
      {
        title: 'How much fragrance does the fleet use?',
        text: 'Fleet shows the devices, their connections and their use over time, also for a single customer or fragrance, and as a report.',
      },
      {
        title: 'Can I undo a change of many devices?',
        text: 'Jobs lists the changes of many devices at once, such as copied details. A job shows its progress and its result for each device, and can be undone for a week.',
      },
      {
        title: 'How does a program use the console?',
        text: 'Under Account, Access Tokens: create a token with the rights that the program needs. The program sends it with each request to the API.',
      },
      {
        title: 'How do I change how times are shown?',
        text: 'Under Account, Time Format: 12-hour or 24-hour. It applies in every browser that you sign in with.',
      },
    ],
  },
];
