import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ReceivedRequest, Reply } from '@fairlead/sdk/testing/api-server';
import { accountApi } from '../testing/account-api.ts';

const { call, received } = accountApi();

const AT = '2026-11-22T10:11:12.000Z';
const CONTENT = 'a,b\n1,2\n';
const FILE = {
  fileId: 'file_1',
  url: 'https://api.example/v1/files/file_1/content?token=t',
  name: 'table.csv',
  contentType: 'text/csv',
  sizeBytes: CONTENT.length,
  sha256: createHash('sha256').update(CONTENT).digest('hex'),
  createdAt: AT,
  updatedAt: AT,
  expiresAt: AT,
};

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'fairlead-files-'));
  await writeFile(join(cwd, 'table.csv'), CONTENT);
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

describe('files upload', () => {
  it('sends a file with its name and type, and shows the record', async () => {
    const argv = ['files', 'upload', '--file', 'table.csv', '--type', 'text/csv'];
    const { code, out } = await call(argv, { status: 201, body: FILE }, { cwd });
    expect(code).toBe(0);
    expect(out).toMatch(/^ID +file_1$/m);
    expect(received()).toMatchObject([
      { path: '/v1/files?name=table.csv', body: CONTENT, headers: { 'content-type': 'text/csv' } },
    ]);
  });

  it('sends standard input', async () => {
    const argv = ['files', 'upload', '--file', '-', '--name', 'x.bin', '--json'];
    const { out } = await call(argv, { status: 201, body: FILE }, { input: { piped: CONTENT } });
    expect(JSON.parse(out)).toEqual(FILE);
    expect(received()).toMatchObject([
      {
        path: '/v1/files?name=x.bin',
        body: CONTENT,
        headers: { 'content-type': 'application/octet-stream' },
      },
    ]);
  });

  it.each([
    ['no file', []],
    ['a file that is not there', ['--file', 'none.csv']],
    ['a type that is none', ['--file', 'table.csv', '--type', 'csv']],
  ])('%s is a wrong call', async (_, argv) => {
    expect((await call(['files', 'upload', ...argv], { status: 201 }, { cwd })).code).toBe(2);
    expect(received()).toEqual([]);
  });
});

describe('files download', () => {
  const argv = ['files', 'download', 'file_1', '--file', 'copy.csv'];
  const answering =
    (content: string) =>
    ({ path }: ReceivedRequest): Reply =>
      path === '/v1/files/file_1' ? { status: 200, body: FILE } : (response) => response.end(content);

  it('writes the content to a file that only its owner may read', async () => {
    const { code, out } = await call(argv, answering(CONTENT), { cwd });
    expect([code, out]).toEqual([0, `Wrote ${join(cwd, 'copy.csv')} (${CONTENT.length} bytes).\n`]);
    expect(await readFile(join(cwd, 'copy.csv'), 'utf8')).toBe(CONTENT);
    expect((await stat(join(cwd, 'copy.csv'))).mode & 0o777).toBe(0o600);
  });

  it('replaces a file only with --force', async () => {
    await writeFile(join(cwd, 'copy.csv'), 'mine');
    expect((await call(argv, answering(CONTENT), { cwd })).code).toBe(2);
    expect(await readFile(join(cwd, 'copy.csv'), 'utf8')).toBe('mine');
    expect((await call([...argv, '--force'], answering(CONTENT), { cwd })).code).toBe(0);
    expect(await readFile(join(cwd, 'copy.csv'), 'utf8')).toBe(CONTENT);
  });

  it('writes nothing of a content that is not the uploaded one', async () => {
    const { code, err } = await call(argv, answering(CONTENT.slice(1)), { cwd });
    expect(code).toBe(5);
    expect(err).toContain('ended early');
    expect(await readdir(cwd)).toEqual(['table.csv']);
  });
});

describe('files', () => {
  it('get shows the record', async () => {
    const { out } = await call(['files', 'get', 'file_1'], { status: 200, body: FILE });
    expect(out).toMatch(/^Address +https:\/\/api\.example\//m);
    expect(received()[0]?.path).toBe('/v1/files/file_1');
  });

  it('delete asks a person to confirm', async () => {
    const argv = ['files', 'delete', 'file_1'];
    expect((await call(argv, { status: 204 })).code).toBe(2);
    expect(received()).toEqual([]);
    expect((await call([...argv, '--yes'], { status: 204 })).out).toBe('Deleted file file_1.\n');
    expect(received()).toMatchObject([{ method: 'DELETE', path: '/v1/files/file_1' }]);
  });
});
