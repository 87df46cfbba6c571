// @vitest-environment jsdom
import { showTab } from '@test/visibility';
import { expect, test, vi } from 'vitest';
import { Rereads } from './rereads';

function slowReads() {
  const done: (() => void)[] = [];
  const read = vi.fn(() => new Promise<void>((resolve) => done.push(resolve)));
  const finish = async () => {
    done.shift()?.();
    await vi.waitFor(() => undefined);
  };
  return { read, finish, rereads: new Rereads(read) };
}

test('requests during a read cause one more read', async () => {
  const { read, finish, rereads } = slowReads();
  rereads.request();
  rereads.request();
  rereads.request();
  expect(read).toHaveBeenCalledTimes(1);
  await finish();
  expect(read).toHaveBeenCalledTimes(2);
  await finish();
  expect(read).toHaveBeenCalledTimes(2);
  rereads.request();
  expect(read).toHaveBeenCalledTimes(3);
});

test('a hidden tab reads once when it becomes visible', async () => {
  const { read, finish, rereads } = slowReads();
  showTab(false);
  rereads.request();
  rereads.request();
  expect(read).not.toHaveBeenCalled();
  showTab(true);
  expect(read).toHaveBeenCalledTimes(1);
  await finish();
  showTab(false);
  showTab(true);
  expect(read).toHaveBeenCalledTimes(1);
});

test('a tab that is hidden during a read reads again when it becomes visible', async () => {
  const { read, finish, rereads } = slowReads();
  rereads.request();
  rereads.request();
  showTab(false);
  await finish();
  expect(read).toHaveBeenCalledTimes(1);
  showTab(true);
  expect(read).toHaveBeenCalledTimes(2);
});

test('nothing is read after the stop', () => {
  const { read, rereads } = slowReads();
  showTab(false);
  rereads.request();
  rereads.stop();
  showTab(true);
  expect(read).not.toHaveBeenCalled();
});
