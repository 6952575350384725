import { ApiError, validationError } from '@fairlead/errors/api-error';
import { jsonText } from '@fairlead/service-kit/json/lazy-json';
import { expect, test } from 'vitest';
import { sessionClient } from '../testing/clients.ts';
import { failureResult, resultForClient, refusalResult, successResult } from './tool-result.ts';

const json = (value: unknown): unknown => JSON.parse(jsonText(value));

test('an output is structured, and stands in a text, with its numbers as they are', () => {
  const output = '{"id":12345678901234567890,"a":1.0}';
  const result = successResult(Buffer.from(output), false);
  expect(result.content).toEqual([{ type: 'text', text: output }]);
  expect(jsonText(result)).toContain(`"structuredContent":${output}`);
});

test('content blocks of another MCP server pass as they came, and what is none of the protocol as text', () => {
  const blocks = [
    { type: 'text', text: 'a', annotations: { priority: 1 } },
    { type: 'image', data: 'AA==', mimeType: 'image/png' },
    { type: 'audio', data: 'AA==', mimeType: 'audio/wav' },
    { type: 'resource', resource: { uri: 'a:b', text: 'c' } },
    { type: 'resource_link', uri: 'a:b', name: 'c' },
  ];
  const stored = { type: 'image', data: { fileId: 'f' }, mimeType: 'image/png' };
  const result = successResult(Buffer.from(JSON.stringify({ content: [...blocks, stored] })), true);
  expect(json(result)).toEqual({ content: [...blocks, { type: 'text', text: JSON.stringify(stored) }] });
});

test('structured output of another MCP server, and content of a tool of ours, are structured', () => {
  for (const [output, isUpstream] of [
    [{ content: [], more: 1 }, true],
    [{ content: 'a' }, true],
    [{ content: [] }, false],
  ] as const)
    expect(json(successResult(Buffer.from(JSON.stringify(output)), isUpstream))).toMatchObject({
      structuredContent: output,
    });
});

test('a failure is an error with its text', () => {
  expect(failureResult('No.')).toEqual({ content: [{ type: 'text', text: 'No.' }], isError: true });
});

test('a refusal names its code, its text, and each field as the caller knows it', () => {
  const textOf = (error: ApiError) => jsonText(refusalResult(error));
  const invalid = textOf(validationError({ field: 'fields.email', issue: 'must be a string' }));
  expect(invalid).toContain('VALIDATION_ERROR: The arguments are not valid.');
  expect(invalid).toContain('- email: must be a string');
  const held = textOf(new ApiError('APPROVAL_REQUIRED', 'Ask.', { approvalId: 'f0' }));
  expect(held).toContain('APPROVAL_REQUIRED: Ask.\\napprovalId: f0');
  expect(held).toContain('"_meta":{"dev.fairlead/errorCode":"APPROVAL_REQUIRED"}');
  const choice = textOf(new ApiError('AMBIGUOUS_TOOL', 'Which?', { candidates: ['a', 'b'] }));
  expect(choice).toContain('Candidates: a, b');
});

test('errors that say nothing of the call are no results', () => {
  for (const code of ['UNAVAILABLE', 'TIMEOUT', 'INTERNAL'] as const)
    expect(() => refusalResult(new ApiError(code, 'Later.'))).toThrow(
      expect.objectContaining({ code: -32_603, data: { errorCode: code } }),
    );
  expect(() => refusalResult(new ApiError('UNAUTHORIZED', 'Who?'))).toThrow(
    expect.objectContaining({ code: 'UNAUTHORIZED' }),
  );
});

test('links to files of ours are left out for a client that does not know links; those of another server pass', () => {
  const content = [
    { type: 'text', text: 'a' },
    { type: 'resource_link', uri: 'https://x/file', name: 'b' },
  ];
  const passed = (takesLinks: boolean, _meta: object) =>
    json(resultForClient(Buffer.from(JSON.stringify({ content, _meta })), sessionClient({ takesLinks })));
  const ours = { 'dev.fairlead/files': [{ fileId: 'file_1' }] };
  expect(passed(false, ours)).toEqual({ content: content.slice(0, 1), _meta: ours });
  expect(passed(true, ours)).toEqual({ content, _meta: ours });
  expect(passed(false, { a: 1 })).toEqual({ content, _meta: { a: 1 } });
});
