import type { ToolOutcome } from '@fairlead/connector-runtime/call';
import { expect, test } from 'vitest';
import { MAX_OUTCOME_BYTES, MAX_OUTPUT_BYTES } from './channel.ts';
import { decodeOutcome, encodeOutcome } from './outcome.ts';

test('an outcome has all of its members after the journey', () => {
  const outcomes: readonly ToolOutcome[] = [
    { isSuccess: true, output: { rows: [{ id: 1 }] }, attempts: 2 },
    { isSuccess: false, errorMessage: 'Refused.', attempts: 1, isUnauthorized: false },
    {
      isSuccess: false,
      errorMessage: 'No such column.',
      attempts: 0,
      isUnauthorized: true,
      inputIssues: [{ field: 'filters[0].field', issue: 'is no column' }],
      isOverloaded: true,
    },
  ];
  for (const outcome of outcomes) expect(decodeOutcome(encodeOutcome(outcome))).toEqual(outcome);
});

test('an output above the limit becomes a failure that names the limit; one at the limit passes', () => {
  const overhead = Buffer.byteLength(JSON.stringify({ text: '' }));
  const withText = (length: number): ToolOutcome => ({
    isSuccess: true,
    output: { text: 'x'.repeat(length) },
    attempts: 1,
  });
  const passing = encodeOutcome(withText(MAX_OUTPUT_BYTES - overhead));
  expect(decodeOutcome(passing).isSuccess).toBe(true);
  expect(passing.length).toBeLessThan(MAX_OUTCOME_BYTES);
  const cut = decodeOutcome(encodeOutcome(withText(MAX_OUTPUT_BYTES - overhead + 1)));
  expect(cut).toMatchObject({ isSuccess: false, attempts: 1 });
  expect(JSON.stringify(cut)).toContain(`at most ${MAX_OUTPUT_BYTES}`);
  const long = 'x'.repeat(MAX_OUTCOME_BYTES);
  const failure: ToolOutcome = { isSuccess: false, errorMessage: long, attempts: 1, isUnauthorized: false };
  expect(encodeOutcome(failure).length).toBeLessThan(MAX_OUTCOME_BYTES);
});

test('other bytes are no outcome', () => {
  for (const text of ['', '[]', '{"isSuccess":true,"output":[],"attempts":1}', '{"isSuccess":false}'])
    expect(() => decodeOutcome(Buffer.from(text))).toThrow(/./);
  const deep = `{"isSuccess":true,"attempts":1,"output":{"a":${'['.repeat(60)}${']'.repeat(60)}}}`;
  expect(() => decodeOutcome(Buffer.from(deep))).toThrow('levels');
});
