import type { Import } from '@fairlead/connector-import/import-workers';
import { fieldDescriptor } from '@fairlead/connector-model/schema/authentication';
import { CallFailure, OverloadError } from '@fairlead/connector-runtime/failure';
import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { describe, expect, it } from 'vitest';
import type { FetchedFile } from '../../ports/files.ts';
import type { PackageDescriptions } from '../../ports/imports.ts';
import { storedFile } from '../../testing/files.ts';
import { importApplication } from './import-application.ts';
import type { DocumentSource, ImportRequest } from './import-application.ts';

const ctx = testContext({ accountId: 'acc_1' });
const imported: Import = {
  kind: 'imported',
  encodedConnector: Buffer.from('the application'),
  skipped: [{ operationId: 'a', method: 'GET', path: '/a', reason: 'It is deprecated.' }],
};
const request = (document: DocumentSource, slug = 'acme'): ImportRequest => ({
  kind: 'openapi',
  slug,
  document,
  options: {},
});
const text: DocumentSource = { kind: 'text', text: Buffer.from('{}') };

function setUp({
  end = imported,
  fetched = { kind: 'failed', reason: 'no server' },
  sizeBytes = 4,
  described,
}: {
  end?: Import;
  fetched?: FetchedFile;
  sizeBytes?: number;
  described?: Awaited<ReturnType<PackageDescriptions['describe']>> | Error;
} = {}) {
  const jobs: unknown[] = [];
  const stored: string[] = [];
  const deps = {
    importer: {
      run(accountId: string, job: unknown, given: Uint8Array) {
        jobs.push([accountId, job, Buffer.from(given).toString()]);
        return Promise.resolve(end);
      },
    },
    imported: {
      add(_ctx: unknown, bytes: Uint8Array) {
        stored.push(Buffer.from(bytes).toString());
        return Promise.resolve('the record');
      },
    },
    packages: {
      describe: () => (described instanceof Error ? Promise.reject(described) : Promise.resolve(described)),
    },
    fileFetcher: { fetch: () => Promise.resolve(fetched) },
    files: {
      find: (_ctx: unknown, _account: string, fileId: string) =>
        Promise.resolve(fileId === 'file_1' ? { ...storedFile(), sizeBytes } : undefined),
      async read() {
        await Promise.resolve();
        return (async function* () {
          await Promise.resolve();
          yield Buffer.from('open');
          yield Buffer.from('api');
        })();
      },
    },
    importPermits: { run: <R>(_call: unknown, work: (hasWaited: boolean) => Promise<R>) => work(false) },
    clock: new ManualClock(new Date('2026-11-29T10:00:00.000Z')),
  };
  return { deps, jobs, stored };
}

it('a document is imported for the caller’s account, and the application is stored', async () => {
  const { deps, jobs, stored } = setUp();
  expect(await importApplication(deps, ctx, request(text))).toEqual({
    application: 'the record',
    skipped: imported.skipped,
  });
  expect(jobs).toEqual([['acc_1', { kind: 'openapi', slug: 'acme', field: 'document' }, '{}']]);
  expect(stored).toEqual(['the application']);
});

it('a document at an address is fetched, and its servers may be relative to it', async () => {
  const content = Buffer.from('fetched');
  const { deps, jobs } = setUp({
    fetched: { kind: 'fetched', content, name: undefined, contentType: undefined },
  });
  const url = 'https://acme.test/openapi.json';
  await importApplication(deps, ctx, request({ kind: 'url', url }));
  expect(jobs).toEqual([
    ['acc_1', { kind: 'openapi', slug: 'acme', field: 'url', documentUrl: url }, 'fetched'],
  ]);
});

it('a file of the account is read', async () => {
  const { deps, jobs } = setUp();
  await importApplication(deps, ctx, request({ kind: 'file', fileId: 'file_1' }));
  expect(jobs).toEqual([['acc_1', { kind: 'openapi', slug: 'acme', field: 'fileId' }, 'openapi']]);
});

it('a manifest is imported as it is', async () => {
  const { deps, jobs } = setUp();
  await importApplication(deps, ctx, { kind: 'manifest', slug: 'acme', manifest: Buffer.from('{}') });
  expect(jobs).toEqual([['acc_1', { kind: 'manifest', slug: 'acme' }, '{}']]);
});

const piece = { kind: 'piece', slug: 'acme', package: 'acme-piece', version: '1.0.0' } as const;

it('a package that the operator allows is imported by its own description', async () => {
  const { deps, jobs } = setUp({ described: describedPiece });
  await importApplication(deps, ctx, piece);
  expect(jobs).toEqual([['acc_1', piece, '{"actions":[]}']]);
});

const describedPiece: Awaited<ReturnType<PackageDescriptions['describe']>> = {
  kind: 'piece',
  description: { actions: [] },
  fields: [],
};
const server = { ...piece, kind: 'mcp' } as const;
const keyField = fieldDescriptor.parse({ name: 'key', label: 'Key', description: 'The key.' });

it('an MCP server in a package is imported with the fields that the operator gives it', async () => {
  const { deps, jobs } = setUp({
    described: { kind: 'mcp', description: { tools: [] }, fields: [keyField] },
  });
  await importApplication(deps, ctx, server);
  expect(jobs).toEqual([['acc_1', { ...server, fields: [keyField] }, '{"tools":[]}']]);
});

describe('nothing is stored', () => {
  it.each([
    ['a slug of an MCP connection', request(text, 'mcp-12'), {}, 'VALIDATION_ERROR', 'slug'],
    [
      'an address that does not answer',
      request({ kind: 'url', url: 'https://acme.test' }),
      {},
      'VALIDATION_ERROR',
      'url',
    ],
    ['a file of nobody', request({ kind: 'file', fileId: 'file_2' }), {}, 'NOT_FOUND', ''],
    [
      'a file that is too large',
      request({ kind: 'file', fileId: 'file_1' }),
      { sizeBytes: 6_000_000 },
      'VALIDATION_ERROR',
      'fileId',
    ],
    [
      'a document with a mistake',
      request(text),
      { end: { kind: 'refused', issues: [{ field: 'operations', issue: 'are too many' }] } },
      'VALIDATION_ERROR',
      'operations',
    ],
    [
      'a document that takes too long',
      request(text),
      { end: { kind: 'tooCostly', limit: 'time' } },
      'VALIDATION_ERROR',
      'document',
    ],
    ['a package that is not allowed', piece, {}, 'FORBIDDEN', ''],
    ['a package of another kind', server, { described: describedPiece }, 'VALIDATION_ERROR', 'source'],
    [
      'a package that does not start',
      piece,
      { described: new CallFailure('The piece has a mistake.') },
      'VALIDATION_ERROR',
      'package',
    ],
    [
      'a package for which there is no process',
      piece,
      { described: new OverloadError('Other calls did not end in time.') },
      'RATE_LIMIT_EXCEEDED',
      '',
    ],
    ['a busy replica', request(text), { end: { kind: 'overloaded' } }, 'RATE_LIMIT_EXCEEDED', ''],
  ] as const)('of %s', async (_name, sent, given, code, field) => {
    const { deps, stored } = setUp(given);
    await expect(importApplication(deps, ctx, sent)).rejects.toMatchObject({
      code,
      details: field === '' ? [] : [{ field }],
    });
    expect(stored).toEqual([]);
  });
});
