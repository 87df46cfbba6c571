import { ROUTES } from '../../web/src/app/paths';
import { PRODUCT_NAME } from '../../web/src/domain/product';
import { expect, test } from '../harness/fixtures';
import { isOnline } from '../harness/fleet';
import { navigate } from '../harness/navigation';
import { SignInScreen } from '../screens/sign-in';
import { NOT_FOUND, visitOf } from '../screens/visits';

const pathsOf = (wanted: 'public' | 'signed-in') =>
  ROUTES.filter(({ access }) => access === wanted).map(({ path }) => path);

test('a protected route opened while signed out leads to /signin', async ({ open, fleet }) => {
  const page = await open(null);
  for (const path of pathsOf('signed-in')) {
    await page.goto(visitOf(path).address(fleet.find(isOnline).dsn));
    await expect(new SignInScreen(page).heading).toBeVisible();
    await expect(page).toHaveURL('/signin');
  }
});

test('a public route opens without a session, and stores nothing to return to', async ({ open }) => {
  const page = await open(null);
  for (const path of pathsOf('public')) {
    const { address, arrived } = visitOf(path);
    await page.goto(address(''));
    await expect(arrived(page)).toBeVisible();
    expect(await page.evaluate(() => sessionStorage.getItem('return-url')), path).toBeNull();
  }
});

for (const person of ['admin', null] as const) {
  test(`every page title begins with the name of the product: ${person ?? 'nobody'}`, async ({ open, fleet }) => {
    const page = await open(person, { ownSession: true });
    const paths = ROUTES.map(({ path }) => path).sort((a, b) => Number(a === '/signout') - Number(b === '/signout'));
    for (const { address, arrived } of [NOT_FOUND, ...paths.map(visitOf)]) {
      const to = address(fleet.find(isOnline).dsn);
      // The administrator loads each route, as from a bookmark.
      await (person === null ? navigate(page, to) : page.goto(to));
      await expect(arrived(page).or(new SignInScreen(page).heading)).toBeVisible();
      await expect(page).toHaveTitle(new RegExp(`^${PRODUCT_NAME} - .`));
    }
  });
}
