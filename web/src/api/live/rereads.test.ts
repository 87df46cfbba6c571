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

test('one read at a time, and one more for all that was asked meanwhile', async () => {
  const { read, finish, rereads } = slowReads();
  rereads.ask();
  rereads.ask();
  rereads.ask();
  expect(read).toHaveBeenCalledTimes(1);
  await finish();
  expect(read).toHaveBeenCalledTimes(2);
  await finish();
  expect(read).toHaveBeenCalledTimes(2);
  rereads.ask();
  expect(read).toHaveBeenCalledTimes(3);
});

test('a tab that nobody sees reads once, when it is seen again', async () => {
  const { read, finish, rereads } = slowReads();
  showTab(false);
  rereads.ask();
  rereads.ask();
  expect(read).not.toHaveBeenCalled();
  showTab(true);
  expect(read).toHaveBeenCalledTimes(1);
  await finish();
  showTab(false);
  showTab(true);
  expect(read).toHaveBeenCalledTimes(1);
});

test('a tab that is covered during a read catches up later', async () => {
  const { read, finish, rereads } = slowReads();
  rereads.ask();
  rereads.ask();
  showTab(false);
  await finish();
  expect(read).toHaveBeenCalledTimes(1);
  showTab(true);
  expect(read).toHaveBeenCalledTimes(2);
});

test('nothing is read after the end', () => {
  const { read, rereads } = slowReads();
  showTab(false);
  rereads.ask();
  rereads.stop();
  showTab(true);
  expect(read).not.toHaveBeenCalled();
});
