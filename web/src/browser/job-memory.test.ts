// @vitest-environment jsdom
import { beforeEach, expect, test } from 'vitest';
import { forgetJob, rememberedJob, rememberJob } from './job-memory';

beforeEach(() => sessionStorage.clear());

test('each page remembers its last job until it is forgotten, for each person', () => {
  rememberJob('dana', 'bulk-edit', 'j1');
  rememberJob('dana', 'bulk-edit', 'j2');
  rememberJob('dana', 'copy', 'j3');
  expect([rememberedJob('dana', 'bulk-edit'), rememberedJob('dana', 'copy')]).toEqual(['j2', 'j3']);
  expect(rememberedJob('jo', 'bulk-edit')).toBeUndefined();
  forgetJob('dana', 'copy');
  expect([rememberedJob('dana', 'bulk-edit'), rememberedJob('dana', 'copy')]).toEqual(['j2', undefined]);
});
