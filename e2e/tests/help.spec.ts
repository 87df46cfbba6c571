import { expectAccessible } from '../harness/axe';
import { expect, test } from '../harness/fixtures';
import { tabTo } from '../harness/keyboard';
import { navigate } from '../harness/navigation';
import { EVERYBODY } from '../harness/people';
import { HelpScreen } from '../screens/help';
import { Shell } from '../screens/shell';
import { DESK, PHONE } from '../screens/sizes';

test('the help page has its five sections, and the contents lead to them by keyboard', async ({ open }) => {
  const page = await open('noRole', DESK);
  await page.goto('/help');
  const help = new HelpScreen(page);
  const titles = ['Getting started', 'WiFi connection', 'Adding a device', 'Settings', 'FAQ'];
  await expect(help.contents.getByRole('link')).toHaveText(titles);
  for (const title of titles) await expect(help.section(title)).toBeVisible();
  await expect(page.getByRole('heading', { name: 'FAQ' })).not.toBeInViewport();
  await tabTo(page, help.contents.getByRole('link', { name: 'FAQ' }));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'FAQ' })).toBeInViewport();
  await expect(page).toHaveURL('/help#faq');
});

test('the help page explains who has access and how to get an account', async ({ open }) => {
  const page = await open('cspTech');
  await page.goto('/help');
  const section = new HelpScreen(page).section('Getting started');
  await expect(section).toContainText('reserved for provider CSPs that buy the hardware');
  await expect(section).toContainText('Each CSP names an admin, who creates the accounts of its technicians.');
  await expect(section).toContainText('The invitation email may take up to an hour');
  await expect(section).toContainText('initially shows five devices; choose up to 50');
});

test('the help page gives the access point, the low level and the reset on the appliance', async ({ open }) => {
  const page = await open('cspObserver');
  await page.goto('/help');
  const help = new HelpScreen(page);
  await expect(help.section('WiFi connection')).toContainText('http://192.168.0.1 (see the label of your appliance)');
  await expect(help.section('Settings')).toContainText('low when it falls below 20 percent');
  await expect(help.section('FAQ')).toContainText('press and hold the buttons on the appliance for about five seconds');
  for (const part of ['Attention lists', 'Fleet shows', 'Jobs lists', 'Under Account, Access Tokens']) {
    await expect(help.section('FAQ')).toContainText(part);
  }
});

test('the help on resetting a level is correct with and without the button', async ({ open, fleet }) => {
  const { dsn } = fleet.find(({ csp }) => csp === 'Meridian Air');
  for (const [person, buttons] of [
    ['cspTech', 1],
    ['cspObserver', 0],
  ] as const) {
    const page = await open(person);
    await page.goto('/help');
    const answer = new HelpScreen(page).section('FAQ');
    await expect(answer).toContainText('Users who may edit a device can use Reset Fragrance Level on the device page.');
    await expect(answer).toContainText(
      'If your account cannot edit the device, the fragrance level cannot be reset from the web',
    );
    await page.goto(`/devices/${dsn}`);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Reset Fragrance Level' })).toHaveCount(buttons);
  }
});

test('the menu leads to Account, Help and About on a phone, and About names product and version', async ({ open }) => {
  const page = await open('noRole', PHONE);
  await page.goto('/devices');
  const shell = new Shell(page);
  for (const [name, path] of [
    ['Account', '/account'],
    ['Help', '/help'],
    ['About', '/about'],
  ] as const) {
    await shell.openAccount();
    await page.getByRole('link', { name, exact: true }).tap();
    await expect(page).toHaveURL(path);
  }
  await expect(page.getByRole('heading', { name: 'About Sillage', level: 1 })).toBeVisible();
  await expect(page.getByRole('main')).toContainText(/Version\s*\d+\.\d+\.\d+( \([0-9a-f]{12}\b.*\))?\s*Licence/);
  await expectAccessible(page, 'about');
});

test('the about page opens with its text for every signed-in user', async ({ open }) => {
  for (const person of EVERYBODY) {
    const page = await open(person);
    await navigate(page, '/about');
    await expect(page, person).toHaveURL('/about');
    const text = 'Sillage is a console for monitoring and controlling scent diffusers.';
    await expect(page.getByRole('main').getByText(text), person).toBeVisible();
    await page.close();
  }
});
