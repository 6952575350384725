import { systemClock } from '@fairlead/service-kit/clock';
import { ApiError } from '@fairlead/errors/api-error';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { allOf, noFiles, storedFile } from '../../testing/files.ts';
import { linkFiles } from './link-files.ts';

const MIB = 1024 * 1024;
const image = { contentType: 'image/png', content: Buffer.alloc(2 * MIB), at: 1, isWhole: false };
const whole = { contentType: 'text/plain', content: Buffer.alloc(3 * MIB), at: 2, isWhole: true };
const text = (content: string) => ({ type: 'text', text: content });
/** A matching text block. */
const textLike = (pattern: RegExp) => text(expect.stringMatching(pattern) as string);

/** A store with room for this many files. */
function storeFor(room: number) {
  let opened = 0;
  const files = {
    ...noFiles.files,
    open: () => {
      opened += 1;
      if (opened > room) throw new ApiError('CONFLICT', 'There is no room.');
      return Promise.resolve(`file_${opened}`);
    },
    write: async (_ctx: unknown, _accountId: string, _fileId: string, content: AsyncIterable<Uint8Array>) => {
      await allOf(content);
      return { sizeBytes: 1, sha256: 'abc' };
    },
    commit: (_ctx: unknown, _accountId: string, fileId: string) => Promise.resolve(storedFile({ fileId })),
    abandon: () => Promise.resolve(),
  };
  return {
    files,
    urls: { urlOf: (_accountId: string, id: string) => `https://x/${id}` },
    clock: systemClock,
  };
}

const link = (o: Partial<Parameters<typeof linkFiles>[2]>, room = 2) =>
  linkFiles(storeFor(room), testContext({ accountId: 'acc_1' }), {
    preview: { content: [text('a'), text('b')], _meta: { own: 1 } },
    files: [image, whole],
    fits: () => Promise.resolve(true),
    ...o,
  });

const linkTo = (fileId: string) => ({
  type: 'resource_link',
  uri: `https://x/${fileId}`,
  name: 'a.txt',
  mimeType: 'text/plain',
  size: 1,
});

it('names each file in its place, in a text and a link, and all of them for programs', async () => {
  expect(await link({})).toEqual({
    content: [
      text('a'),
      textLike(
        /^A part of the result \(image\/png, 2\.00 MiB\) is a file: https:\/\/x\/file_1\n.*15 minutes.*GET \/v1\/files\/file_1 /,
      ),
      linkTo('file_1'),
      text('b'),
      textLike(
        /^The call succeeded\. This is a preview of its result, which has 3\.00 MiB: .*https:\/\/x\/file_2\n/,
      ),
      linkTo('file_2'),
    ],
    _meta: {
      own: 1,
      'dev.fairlead/files': ['file_1', 'file_2'].map((fileId) => ({
        fileId,
        url: `https://x/${fileId}`,
        sizeBytes: 1,
        sha256: 'abc',
        contentType: 'text/plain',
      })),
    },
  });
});

it('says why a file is missing that could not be stored', async () => {
  const { content, _meta } = await link({}, 1);
  expect(content).toHaveLength(5);
  expect(content).toContainEqual(
    textLike(/^The call succeeded\..* could not be stored as a file: There is no room\.$/),
  );
  expect(_meta).toMatchObject({ 'dev.fairlead/files': [{ fileId: 'file_1' }] });
});

it('structured content says that it was cut, unless its schema forbids that: then the result says that it is an error', async () => {
  const preview = { content: [], structuredContent: { a: 1 } };
  const result = await link({ preview, files: [{ ...whole, at: 0 }] });
  const [note] = result['content'] as readonly { readonly text: string }[];
  expect(result).toMatchObject({ structuredContent: { a: 1, '[cut]': note?.text } });
  expect(result).not.toHaveProperty('isError');
  const given: unknown[] = [];
  const fits = (content: unknown) => {
    given.push(content);
    return Promise.resolve(false);
  };
  const strict = await link({ preview, files: [{ ...whole, at: 0 }], fits });
  expect(given).toEqual([result['structuredContent']]);
  expect(strict).toMatchObject({ isError: true, content: [{ type: 'text' }, { type: 'resource_link' }] });
  expect(strict).not.toHaveProperty('structuredContent');
});

it('structured content beside an image that is a file stays as it is', async () => {
  const result = await link({
    preview: { content: [], structuredContent: { a: 1 } },
    files: [{ ...image, at: 0 }],
  });
  expect(result).toMatchObject({ structuredContent: { a: 1 } });
});
