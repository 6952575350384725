import type { JsonObject } from '@fairlead/connector-model/json';
import type { ToolDefinition } from '@fairlead/connector-model/model';
import { UnbuiltOutput } from '@fairlead/connector-runtime/outputs/unbuilt-output';
import type { OutputShape } from '@fairlead/connector-runtime/outputs/unbuilt-output';
import { FlaggedFields } from '@fairlead/connector-runtime/secret-fields/secret-fields';
import { createMasker } from '@fairlead/connector-runtime/value-masking';
import { createEvaluationWorkers } from '@fairlead/evaluation/evaluation-workers';
import { systemClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, onTestFinished, test } from 'vitest';
import { FROM_REST } from '../../domain/call-origin.ts';
import { createOutputMasker } from '../../masking/output-masker.ts';
import { createSchemaValidator } from '../../schemas/schema-validator.ts';
import { allOf, noFiles, storedFile } from '../../testing/files.ts';
import { toolDefinition } from '../../testing/fixtures.ts';
import { maskAnswer } from './mask-answer.ts';

const SECRET = 'sk-live-123';
/** Generous, for busy machines; nothing here waits for it. */
const LONG_MS = 60_000;

/** Ends a call whose vendor returned a large output, which this process does not parse unless a test reads it. */
async function end(
  output: unknown,
  o: {
    readonly tool?: Partial<ToolDefinition>;
    readonly shape?: OutputShape;
    readonly outputFields?: readonly string[];
    readonly fields?: JsonObject;
    readonly files?: Pick<typeof noFiles, 'files' | 'urls'>;
    readonly takesMcpResult?: boolean;
    readonly takesFiles?: boolean;
  } = {},
) {
  const ctx = testContext({ accountId: 'acc_1' });
  const workers = createEvaluationWorkers({
    log: ctx.log,
    clock: systemClock,
    poolLimits: { startMs: LONG_MS, unresponsiveMs: LONG_MS },
  });
  onTestFinished(() => workers.close());
  const definition = toolDefinition(o.tool);
  const unbuilt = new UnbuiltOutput(o.shape ?? { kind: 'output' }, Buffer.from(JSON.stringify(output)));
  const deps = {
    schemas: createSchemaValidator({ log: ctx.log, workers }),
    outputMasker: createOutputMasker(workers),
    ...noFiles,
    ...o.files,
    clock: systemClock,
  };
  const call = {
    target: { tool: { applicationSlug: 'crm', isPlatform: false, definition } },
    maskedFields: { shown: new FlaggedFields({}, o.fields ?? {}), secrets: [] },
    outputFields: o.outputFields,
    takesMcpResult: o.takesMcpResult,
    takesFiles: o.takesFiles,
    until: Date.now() + LONG_MS,
    info: () => ({
      startedAt: new Date(0),
      durationMs: 1,
      connectionId: 1,
      connectionResolution: 'explicit' as const,
      applicationSlug: 'crm',
      toolSlug: definition.toolSlug,
      toolVersion: '1',
      attempts: 1,
      userId: null,
      ...FROM_REST,
    }),
  };
  const outcome = {
    isSuccess: true as const,
    unbuilt,
    get output(): JsonObject {
      throw new Error('A large output is not built in the service.');
    },
  };
  const vendor = { outcome, attempts: 1, secrets: [SECRET], masker: createMasker([SECRET]) };
  return await maskAnswer(deps, ctx, call, vendor);
}

test('a large output is returned masked and kept cut, and its schema is checked', async () => {
  const outputSchema = {
    type: 'object',
    properties: { pin: { type: 'string', writeOnly: true }, count: { type: 'number' } },
  };
  const text = 'é'.repeat(200_000);
  const { record, result } = await end(
    { pin: 'pin-9876', count: `of ${SECRET}`, text, last: 'pin-9876' },
    { tool: { outputSchema }, fields: { note: 'pin-9876' } },
  );
  expect(result.outcome).toMatchObject({
    isSuccess: true,
    output: { pin: '***', count: 'of ***', text, last: '***' },
  });
  expect(record).toMatchObject({
    fields: { note: '***' },
    outcome: { isSuccess: true, output: { pin: '***', count: 'of ***' } },
    outputMismatch: [{ field: 'output.count', issue: 'must be number' }],
  });
  const kept = JSON.stringify(record.outcome);
  expect(kept).toContain('[cut: ');
  expect(kept).not.toContain(SECRET);
});

test('paths select what is returned, not what is kept', async () => {
  const headers = { 'content-type': 'application/json' };
  const { record, result } = await end(
    { id: 7, name: 'x' },
    { shape: { kind: 'response', status: 200, headers }, outputFields: ['body.id'] },
  );
  expect(result.outcome).toMatchObject({ output: { body: { id: 7 } } });
  expect(result.outcome).not.toMatchObject({ output: { status: 200 } });
  expect(record.outcome).toMatchObject({ output: { status: 200, body: { id: 7, name: 'x' } } });
});

test('a large output above a limit fails its call', async () => {
  const { record, result } = await end({ list: Array(100_000).fill(1) });
  expect(result.outcome).toMatchObject({
    isSuccess: false,
    errorMessage: expect.stringContaining('more than 100000 JSON values') as string,
  });
  expect(record.outcome).toEqual(result.outcome);
});

test('large bytes of an MCP tool become a file; what is kept beside them is cut', async () => {
  const data = Buffer.alloc(300_000, 0xff).toString('base64');
  const text = 'é'.repeat(200_000);
  const blocks = (of: unknown) => [
    { type: 'image', data: of, mimeType: 'image/png' },
    { type: 'text', text },
  ];
  const written: number[] = [];
  const files = {
    ...noFiles.files,
    open: () => Promise.resolve('file_1'),
    write: async (_ctx: unknown, _accountId: string, _fileId: string, content: AsyncIterable<Uint8Array>) => {
      written.push(Buffer.concat(await allOf(content)).length);
      return { sizeBytes: 1, sha256: 'abc' };
    },
    commit: () => Promise.resolve(storedFile({ contentType: 'image/png' })),
  };
  const { record, result } = await end(
    { content: blocks(data) },
    {
      tool: { execution: { type: 'mcp', toolName: 'draw' } },
      files: { files, urls: { urlOf: () => 'https://x/file_1' } },
      outputFields: ['content.data', 'content.text'],
    },
  );
  expect(written).toEqual([300_000]);
  const reference = { fileId: 'file_1', sizeBytes: 1, sha256: 'abc', contentType: 'image/png' };
  expect(result.outcome).toEqual({
    isSuccess: true,
    output: { content: [{ data: { ...reference, url: 'https://x/file_1' } }, { text }] },
  });
  expect(record.outcome).toMatchObject({ output: { content: [{ data: reference }, { type: 'text' }] } });
  expect(JSON.stringify(record.outcome)).toMatch(/\[cut: /);
});

test('a large result of an MCP server is returned whole and masked; the history keeps its output, which is checked', async () => {
  const outputSchema = {
    type: 'object',
    properties: { pin: { type: 'string', writeOnly: true }, count: { type: 'number' } },
  } as const;
  const image = { type: 'image', data: Buffer.alloc(200_000, 7).toString('base64'), mimeType: 'image/png' };
  const content = [image, { type: 'text', text: `a ${SECRET} and pin 4711-0815`, extra: 1 }];
  const result = { content, structuredContent: { pin: 'pin 4711-0815', count: 'many' }, _meta: { a: 1 } };
  const ended = await end(result, { tool: { outputSchema }, takesMcpResult: true });
  const { outcome } = ended.result;
  if (!outcome.isSuccess) throw new Error(outcome.errorMessage);
  expect(ended.result.isMcpResult).toBe(true);
  expect(outcome.output).toEqual({
    content: [image, { type: 'text', text: 'a *** and ***', extra: 1 }],
    structuredContent: { pin: '***', count: 'many' },
    _meta: { a: 1 },
  });
  expect(ended.record).toMatchObject({
    outcome: { isSuccess: true, output: { pin: '***', count: 'many' } },
    outputMismatch: [{ field: 'output.count' }],
  });
  expect(ended.record.outcome).not.toHaveProperty('output.content');
});

/** A store that records files. */
function writtenFiles() {
  const written: Buffer[] = [];
  const files = {
    ...noFiles.files,
    open: () => Promise.resolve('file_1'),
    write: async (_ctx: unknown, _accountId: string, _fileId: string, content: AsyncIterable<Uint8Array>) => {
      written.push(Buffer.concat(await allOf(content)));
      return { sizeBytes: 1, sha256: 'abc' };
    },
    commit: () => Promise.resolve(storedFile()),
  };
  return { written, files: { files, urls: { urlOf: () => 'https://x/file_1' } } };
}

const LARGE: OutputShape = { kind: 'output', maxBytes: 8 * 1024 * 1024 };
const large = { shape: LARGE, takesFiles: true };

test('for an MCP client, a result above 1 MiB becomes a file, masked as the result is; the history has its beginning', async () => {
  const { written, files } = writtenFiles();
  const text = (secret: string) => `${secret} ${'é'.repeat(1_000_000)} ${secret}`;
  const content = [{ type: 'text', text: text(SECRET) }];
  const ended = await end({ content }, { ...large, files, takesMcpResult: true });
  expect(written.map(String)).toEqual([text('***')]);
  expect(ended.result.isMcpResult).toBe(true);
  expect(ended.result.outcome).toMatchObject({
    isSuccess: true,
    output: {
      content: [
        { type: 'text', text: expect.stringMatching(/^\*\*\* é{1000}/) as string },
        { type: 'text' },
        { type: 'resource_link', uri: 'https://x/file_1' },
      ],
    },
  });
  const kept = JSON.stringify(ended.record.outcome);
  expect(kept).toMatch(/\*\*\* é{1000}/);
  expect(kept).not.toContain('file_1');
  expect(kept).not.toContain(SECRET);
});

test.each([
  ['that allows other members', {}, false],
  ['that allows no other members', { additionalProperties: false }, true],
])('for an MCP client, a large output under a schema %s', async (_what, more, isError) => {
  const { written, files } = writtenFiles();
  const outputSchema = {
    type: 'object',
    properties: { rows: { type: 'array' }, count: { type: 'number' } },
    required: ['rows', 'count'],
    ...more,
  } as const;
  const output = { rows: Array<string>(20_000).fill('x'.repeat(80)), count: 20_000 };
  const { result, record } = await end(output, { ...large, files, tool: { outputSchema } });
  expect(JSON.parse(String(written[0]))).toEqual(output);
  expect(result).toMatchObject({ isMcpResult: true, outcome: { isSuccess: true } });
  if (!result.outcome.isSuccess) return;
  expect(result.outcome.output['isError'] ?? false).toBe(isError);
  expect('structuredContent' in result.outcome.output).toBe(!isError);
  expect(record.outcome).toMatchObject({ isSuccess: true });
});

test('a result of 1 MiB that demands input, or bytes that cannot be stored, fail the call', async () => {
  const demand = { resultType: 'input_required', requestState: 'x'.repeat(1_100_000) };
  expect((await end(demand, { ...large, takesMcpResult: true })).result.outcome).toMatchObject({
    isSuccess: false,
    errorMessage: expect.stringContaining('too large') as string,
  });
  const base64 = Buffer.alloc(1_000_000, 0xff).toString('base64');
  const body = { status: 200, headers: { 'content-type': 'image/png' }, body: { base64 } };
  expect((await end(body, large)).result.outcome).toMatchObject({
    isSuccess: false,
    errorMessage: expect.stringContaining('could not be stored as a file') as string,
  });
  const { written, files } = writtenFiles();
  const stored = await end(body, { ...large, files });
  expect(written).toEqual([Buffer.alloc(1_000_000, 0xff)]);
  expect(stored.result).toMatchObject({
    isMcpResult: false,
    outcome: { isSuccess: true, output: { body: { fileId: 'file_1', url: 'https://x/file_1' } } },
  });
});

test('the history has no bytes of an image', async () => {
  const image = { type: 'image', data: Buffer.alloc(150_000, 7).toString('base64'), mimeType: 'image/png' };
  const ended = await end({ content: [image] }, { takesMcpResult: true });
  expect(ended.result.outcome).toMatchObject({ output: { content: [image] } });
  const kept = { ...image, data: '[cut: 150000 bytes]' };
  expect(ended.record.outcome).toMatchObject({ output: { content: [kept] } });
});
