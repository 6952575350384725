import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { allOf } from '../../testing/files.ts';
import { storeContent } from './store-content.ts';

function store(finish: (fileId: string) => Promise<string | undefined>) {
  const done: unknown[] = [];
  const files = {
    open: (_ctx: unknown, _accountId: string, { maxBytes }: { readonly maxBytes: number }) =>
      Promise.resolve(`file_of_${maxBytes}`),
    async write(_ctx: unknown, _accountId: string, fileId: string, content: AsyncIterable<Uint8Array>) {
      done.push(['write', fileId, Buffer.concat(await allOf(content)).toString()]);
      return { sizeBytes: 2, sha256: '' };
    },
    abandon: (_accountId: string, fileId: string) => Promise.resolve(void done.push(['abandon', fileId])),
  };
  const label = { name: 'a', contentType: 'text/plain' };
  const deps = { files, clock: new ManualClock(new Date(0)) };
  const stored = storeContent(deps, testContext(), { label, content: Buffer.from('Hi') }, finish);
  return { stored, done };
}

test('a content is written, and is what is made of it', async () => {
  const { stored, done } = store((fileId) => Promise.resolve(`made of ${fileId}`));
  expect(await stored).toBe('made of file_of_2');
  expect(done).toEqual([['write', 'file_of_2', 'Hi']]);
});

test('nothing is left of a content that nothing was made of', async () => {
  const { stored, done } = store(() => Promise.resolve(undefined));
  await expect(stored).rejects.toThrow('gone');
  expect(done.at(-1)).toEqual(['abandon', 'file_of_2']);
});
