import { mkdir, mkdtemp, readFile, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '@fairlead/connector-model/json';
import type { ToolOutcome } from '@fairlead/connector-runtime/call';
import {
  testCall,
  testConnector,
  testCredential,
  testOptions,
  testTool,
} from '@fairlead/connector-runtime/testing/calls';
import { testRuntime } from '@fairlead/connector-runtime/testing/vendor';
import { connectorHandlers } from '../handlers.ts';
import { withOpened } from './root-folder.ts';

const connector = testConnector({ slug: 'onprem-files', kind: 'OPA' });

let base: string;
let root: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'fairlead-files-'));
  root = join(base, 'root');
  await mkdir(join(root, 'reports'), { recursive: true });
  await mkdir(join(base, 'root-2'));
  await writeFile(join(root, 'reports', 'a.csv'), 'é;1\n');
  await writeFile(join(base, 'secret'), 'secret');
  await writeFile(join(base, 'root-2', 'secret'), 'secret');
});
afterEach(() => rm(base, { recursive: true, force: true }));

function call(
  handler: string,
  fields: JsonObject,
  parts: { readonly top?: number; readonly offset?: number; readonly profile?: JsonObject } = {},
): Promise<ToolOutcome> {
  const { profile = { type: 'files', root }, ...page } = parts;
  const credential = testCredential(profile);
  const tool = testTool({ type: 'handler', handler });
  return testRuntime(connectorHandlers).execute(
    testCall(tool, { connector, credential, fields, ...page }),
    testOptions(),
  );
}

const failure = (text: string): object => ({
  isSuccess: false,
  errorMessage: expect.stringContaining(text) as string,
});

it('lists a folder in pages, by name', async () => {
  for (const name of ['c', 'b']) await writeFile(join(root, 'reports', name), name);
  const listed = await call('listFolder', { path: 'reports' }, { top: 2, offset: 1 });
  expect(listed).toMatchObject({
    output: {
      totalCount: 3,
      items: [
        { path: 'reports/b', type: 'file', sizeBytes: 1 },
        { path: 'reports/c', type: 'file' },
      ],
    },
  });
  expect(await call('listFolder', {})).toMatchObject({
    output: { items: [{ path: 'reports', type: 'folder' }] },
  });
  expect(await call('listFolder', { path: 'none' })).toMatchObject(failure('"none" does not exist'));
  expect(await call('listFolder', { path: 'reports/a.csv' })).toMatchObject(failure('is not below a folder'));
});

it('reads text, bytes and parts of a file', async () => {
  const path = 'reports/a.csv';
  expect(await call('readFile', { path })).toMatchObject({
    output: { path, sizeBytes: 5, content: 'é;1\n', encoding: 'utf8', isComplete: true },
  });
  expect(await call('readFile', { path, encoding: 'base64', offset: 2, length: 2 })).toMatchObject({
    output: { content: Buffer.from(';1').toString('base64'), offset: 2, length: 2, isComplete: false },
  });
  expect(await call('readFile', { path, offset: 1 })).toMatchObject(failure('encoding base64'));
  expect(await call('readFile', { path, offset: 50 })).toMatchObject({
    output: { content: '', isComplete: true },
  });
  expect(await call('readFile', { path: 'reports' })).toMatchObject(failure('is not a file'));
});

it('writes a file whole, replaces one only when told, and leaves nothing beside it', async () => {
  const write = (fields: JsonObject) =>
    call('writeFile', { path: 'new/deep/x.txt', content: 'one', ...fields });
  expect(await write({})).toMatchObject(failure('does not exist'));
  expect(await write({ createFolders: true })).toMatchObject({
    output: { path: 'new/deep/x.txt', sizeBytes: 3 },
  });
  expect(await write({ content: 'two' })).toMatchObject(failure('exists already'));
  const replaced = await write({
    content: Buffer.from('three').toString('base64'),
    encoding: 'base64',
    overwrite: true,
  });
  expect(replaced).toMatchObject({ isSuccess: true });
  expect(await readFile(join(root, 'new/deep/x.txt'), 'utf8')).toBe('three');
  expect(await readdir(join(root, 'new/deep'))).toEqual(['x.txt']);
  expect(await call('writeFile', { path: 'reports', content: '', overwrite: true })).toMatchObject(
    failure('is a folder'),
  );
});

it('moves to a free place and deletes', async () => {
  const path = 'reports/b.csv';
  const move = (from: string, to: string) => call('moveFile', { from, to });
  expect(await move('reports/a.csv', path)).toMatchObject({ output: { path, type: 'file' } });
  await writeFile(join(root, 'other'), 'x');
  expect(await move('other', path)).toMatchObject(failure('exists already'));
  expect(await move('reports', 'other')).toMatchObject(failure('exists already'));
  expect(await call('deleteFile', { path: 'reports' })).toMatchObject(failure('is not empty'));
  expect(await call('deleteFile', { path })).toMatchObject({ output: { path } });
  expect(await call('deleteFile', { path: 'reports' })).toMatchObject({ isSuccess: true });
  expect(await readdir(root)).toEqual(['other']);
});

it('searches names below a folder, without following links', async () => {
  await mkdir(join(root, 'reports', 'old'));
  await writeFile(join(root, 'reports', 'old', 'B.CSV'), '');
  await symlink(base, join(root, 'reports', 'all'));
  const search = async (name: string) => {
    const outcome = await call('searchFiles', { name });
    return outcome.isSuccess && (outcome.output['items'] as { path: string }[]).map(({ path }) => path);
  };
  expect(await search('*.csv')).toEqual(['reports/a.csv', 'reports/old/B.CSV']);
  expect(await search('?.c*v')).toEqual(['reports/a.csv', 'reports/old/B.CSV']);
  expect(await search('secret')).toEqual([]);
  expect(await search('a')).toEqual([]);
});

describe('a path', () => {
  const ATTACKS: readonly (readonly [string, JsonObject])[] = [
    ['listFolder', {}],
    ['readFile', {}],
    ['writeFile', { content: 'x', overwrite: true, createFolders: true }],
    ['deleteFile', {}],
  ];

  it.each(['..', '../secret', 'reports/../../secret', '/etc/passwd', '../root-2/secret', 'a\0b'])(
    'that leaves the root is refused: %j',
    async (path) => {
      for (const [handler, fields] of ATTACKS)
        expect(await call(handler, { ...fields, path })).toMatchObject({
          inputIssues: [{ field: 'fields.path' }],
        });
      expect(await call('moveFile', { from: path, to: 'x' })).toMatchObject({
        inputIssues: [{ field: 'fields.from' }],
      });
      expect(await call('moveFile', { from: 'reports/a.csv', to: path })).toMatchObject({
        inputIssues: [{ field: 'fields.to' }],
      });
      expect(await readFile(join(base, 'secret'), 'utf8')).toBe('secret');
    },
  );

  it('that leads out through a link is refused, and one within the root is followed', async () => {
    await symlink(base, join(root, 'out'));
    await symlink(join(base, 'secret'), join(root, 'file'));
    await symlink('reports', join(root, 'in'));
    await symlink(join(base, 'root-2'), join(root, 'beside'));
    const outside = 'leads out of the profile';
    for (const [handler, fields] of ATTACKS)
      for (const path of ['out/secret', 'beside/secret', 'out/new/file'])
        expect(await call(handler, { ...fields, path }), `${handler} ${path}`).toMatchObject(failure(''));
    expect(await call('readFile', { path: 'file' })).toMatchObject(failure(outside));
    expect(await call('listFolder', { path: 'out' })).toMatchObject(failure(outside));
    expect(await call('moveFile', { from: 'reports/a.csv', to: 'out/x' })).toMatchObject(failure(outside));
    expect(await call('readFile', { path: 'in/a.csv' })).toMatchObject({ isSuccess: true });
    // The link itself is replaced, not the file that it leads to.
    expect(await call('writeFile', { path: 'file', content: 'x', overwrite: true })).toMatchObject({
      isSuccess: true,
    });
    expect(await readFile(join(base, 'secret'), 'utf8')).toBe('secret');
    expect(await readdir(base)).toEqual(['root', 'root-2', 'secret']);
  });

  it.runIf(process.platform === 'linux')(
    'leads to the folder that was checked, also if a link takes its place meanwhile',
    async () => {
      await withOpened({ root, path: 'reports' }, async ({ path }) => {
        await rename(join(root, 'reports'), join(root, 'moved'));
        await symlink(base, join(root, 'reports'));
        expect(await readdir(path)).toEqual(['a.csv']);
      });
    },
  );
});

it('a profile that only allows reading refuses changes, and one of another type is refused by its field', async () => {
  const profile = { type: 'files', root, isReadOnly: true };
  for (const [handler, fields] of [
    ['writeFile', { path: 'x', content: '' }],
    ['deleteFile', { path: 'reports/a.csv' }],
    ['moveFile', { from: 'reports/a.csv', to: 'x' }],
  ] as const)
    expect(await call(handler, fields, { profile })).toMatchObject(failure('only allows reading'));
  expect(await call('readFile', { path: 'reports/a.csv' }, { profile })).toMatchObject({ isSuccess: true });
  expect(await call('readFile', { path: 'x' }, { profile: { type: 'http' } })).toMatchObject({
    inputIssues: [{ field: 'fields.profile' }],
  });
});
