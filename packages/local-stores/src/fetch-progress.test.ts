import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { watchFetch } from './fetch-progress.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

test('what arrives in the folder, at any depth, is reported in megabytes and never beyond the total', async () => {
  const directory = await temporaryFolder();
  const texts: string[] = [];
  const progress = watchFetch({
    what: 'Fetching it',
    directory,
    totalBytes: 2_000_000,
    progress: (text) => texts.push(text),
  });
  onTestFinished(() => {
    progress.stop();
  });
  await vi.waitFor(() => expect(texts.at(-1)).toBe('Fetching it: 0 of 2 MB'), { timeout: 90_000 });
  await mkdir(join(directory, 'deep'));
  await writeFile(join(directory, 'deep', 'part'), Buffer.alloc(1_500_000));
  await vi.waitFor(() => expect(texts.at(-1)).toBe('Fetching it: 1 of 2 MB'), { timeout: 90_000 });
  await writeFile(join(directory, 'unpacked'), Buffer.alloc(5_000_000));
  // A poll may happen in the middle of a write.
  await vi.waitUntil(() => progress.bytes === 6_500_000, { timeout: 90_000 });
  expect(texts.at(-1)).toBe('Fetching it: 2 of 2 MB');
});
