import { expectAccessible } from '../harness/axe';
import { expect, test } from '../harness/fixtures';
import { AccountScreen } from '../screens/account';
import { PHONE } from '../screens/sizes';

test.describe('access tokens', () => {
  for (const [size, options] of [
    ['desk', {}],
    ['phone', PHONE],
  ] as const) {
    test(`a token is created, used by a program and revoked at the ${size}`, async ({ open, people, playwright }) => {
      const page = await open('otherCspAdmin', { ...options, ownSession: true });
      await page.goto('/account?tab=tokens');
      const account = new AccountScreen(page);
      const name = `Report at the ${size}`;
      await expectAccessible(page, 'without a token');
      await account.createToken(name, ['Read devices'], people.account('otherCspAdmin').password);
      await expect(page.getByText('Copy the token now. It is not shown again.')).toBeVisible();
      await expectAccessible(page, 'with a new token');
      const token = await account.newToken.inputValue();

      const program = await playwright.request.newContext({
        baseURL: new URL(page.url()).origin,
        extraHTTPHeaders: { authorization: `Bearer ${token}` },
      });
      const list = await program.get('/api/devices');
      expect(list.status()).toBe(200);
      expect((await list.json()).total).toBeGreaterThan(0);
      expect((await program.get('/api/users')).status(), 'without the right').toBe(403);

      await page.getByRole('button', { name: 'I have kept the token' }).click();
      await expect(account.newToken).toHaveCount(0);
      await page.reload();
      const other = `Backup at the ${size}`;
      await account.createToken(other, ['Read devices'], people.account('otherCspAdmin').password);
      await page.getByRole('button', { name: 'I have kept the token' }).click();
      const row = account.tokens.filter({ hasText: name });
      await expect(row).toContainText('Last used just now from 127.0.0.1');
      const rest = account.tokens.getByRole('button', { name: `Revoke the token ${other}` });
      await row.getByRole('button', { name: `Revoke the token ${name}` }).click();
      await expect(page.getByText('Successfully revoked access token')).toBeVisible();
      await expect(row).toHaveCount(0);
      await expect(rest, 'the next row').toBeFocused();
      await rest.click();
      await expect(account.tokens).toHaveCount(0);
      await expect(page.locator(':focus')).toHaveRole('heading');
      expect((await program.get('/api/devices')).status()).toBe(401);
      await program.dispose();
    });
  }

  test('the form names what is missing or wrong, by keyboard', async ({ open, guard }) => {
    guard.expect(422, /\/account\/tokens$/);
    const page = await open('otherCspAdmin', { ownSession: true });
    await page.goto('/account?tab=tokens');
    const account = new AccountScreen(page);
    const create = page.getByRole('button', { name: 'Create token' });
    await create.focus();
    await page.keyboard.press('Enter');
    await expect(account.field('Name')).toBeFocused();
    await expect(page.getByText('Required')).toHaveCount(3);
    await account.createToken('Report', ['Read devices'], 'Wrong-Horse-1');
    await expect(page.getByText('is invalid')).toBeVisible();
    await expect(account.field('Current password')).toBeFocused();
    await expectAccessible(page, 'with errors');
  });
});
