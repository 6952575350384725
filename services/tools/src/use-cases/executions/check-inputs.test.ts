import { expect, test } from 'vitest';
import type { ExecutionSource } from '../../domain/call-origin.ts';
import type { SchemaCheck } from '../../ports/schema-validator.ts';
import { toolDefinition } from '../../testing/fixtures.ts';
import { checkInputs } from './check-inputs.ts';
import type { RequestedInputs } from './check-inputs.ts';

/** Checks inputs against the tool in fixtures.ts; `check` is the result of schema validation. */
function checked(
  requested: Partial<RequestedInputs>,
  check: SchemaCheck = { kind: 'checked', issues: [] },
  source: ExecutionSource = 'rest',
) {
  const inputs = { fields: {}, filters: [], sorts: [], top: undefined, offset: undefined, ...requested };
  return checkInputs(
    { schemas: { check: () => Promise.resolve(check) } },
    { definition: toolDefinition(), isPlatform: true },
    inputs,
    { accountId: 'acc_1', signal: new AbortController().signal, timeoutMs: 1_000, source },
  );
}

test('fields that the tool does not know are dropped, and the query stays', async () => {
  const inputs = await checked({ fields: { name: 'Ada', unknown: 1 }, top: 5, offset: 10 });
  expect(inputs).toEqual({ fields: { name: 'Ada' }, filters: [], sorts: [], top: 5, offset: 10 });
});

test('issues of fields and of the query are named together', async () => {
  const issues = [{ field: 'fields.name', issue: 'is required' }];
  const check = checked({ fields: { email: 'a@b.example' }, top: 0 }, { kind: 'checked', issues });
  await expect(check).rejects.toThrow(
    expect.objectContaining({
      code: 'VALIDATION_ERROR',
      details: [issues[0], { field: 'top', issue: 'must be an integer from 1 to 100' }],
    }),
  );
});

test('a call without inputs is told where they belong', async () => {
  const issues = [{ field: 'fields.name', issue: 'is required' }];
  await expect(checked({}, { kind: 'checked', issues })).rejects.toMatchObject({
    details: [
      {
        field: 'fields.name',
        issue: 'is required; inputs belong in the member "fields", which is empty',
      },
    ],
  });
});

test('a call of an MCP client has arguments and no such member', async () => {
  const issues = [{ field: 'fields.name', issue: 'is required' }];
  await expect(checked({}, { kind: 'checked', issues }, 'mcp')).rejects.toMatchObject({ details: issues });
});

test('fields that take too long to check are refused', async () => {
  await expect(checked({}, { kind: 'tooCostly' })).rejects.toThrow(
    expect.objectContaining({
      code: 'VALIDATION_ERROR',
      details: [expect.objectContaining({ field: 'fields' })],
    }),
  );
});

test('a schema that cannot be used refuses nothing: the vendor decides', async () => {
  expect(await checked({ fields: { name: 1 } }, { kind: 'unchecked' })).toMatchObject({
    fields: { name: 1 },
  });
});

test('fields that cannot be checked in time are refused as a rate limit, with a time to try again', async () => {
  await expect(checked({}, { kind: 'overloaded' })).rejects.toThrow(
    expect.objectContaining({ code: 'RATE_LIMIT_EXCEEDED', retryAfterSeconds: 1 }),
  );
});
