import type { JsonObject } from '@fairlead/connector-model/json';
import { FlaggedFields } from '@fairlead/connector-runtime/secret-fields/secret-fields';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { expect, test } from 'vitest';
import { FROM_REST } from './call-origin.ts';
import { historyRecord, MAX_STORED_FIELDS_BYTES, MAX_STORED_OUTPUT_BYTES } from './history-record.ts';
import { createMasker } from '@fairlead/connector-runtime/value-masking';

const at = new Date('2026-11-21T10:00:00.000Z');
const info = {
  startedAt: at,
  durationMs: 5,
  connectionId: 1,
  connectionResolution: 'default',
  applicationSlug: 'crm',
  toolSlug: 'crm-whoami',
  toolVersion: '1.0.0',
  attempts: 1,
  userId: 'usr_1',
  ...FROM_REST,
} as const;
const masker = createMasker(['s3cret']);

test('fields, error message and mismatches are masked', () => {
  const outputMismatch = [{ field: 'output.s3cret', issue: 'must not be s3cret' }];
  const success = historyRecord(
    { fields: { a: 's3cret' }, outcome: { isSuccess: true, output: {} }, info, outputMismatch },
    masker,
  );
  const failure = historyRecord(
    { fields: {}, outcome: { isSuccess: false, errorMessage: 'bad key s3cret' }, info, outputMismatch: [] },
    masker,
  );
  expect(JSON.stringify([success, failure])).not.toContain('s3cret');
  expect(failure.outcome).toEqual({ isSuccess: false, errorMessage: 'bad key ***' });
});

test('a secret at the cut is masked before it is cut', () => {
  const text = `${'x'.repeat(MAX_STORED_FIELDS_BYTES - 20)}s3cret`;
  const { fields } = historyRecord(
    { fields: { text }, outcome: { isSuccess: true, output: {} }, info, outputMismatch: [] },
    masker,
  );
  expect(JSON.stringify(fields)).not.toContain('s3c');
});

test('no part of a secret is kept, wherever and however often the fields hold it, in any encoding', () => {
  const secret = 'QwErTyUiOp-0123456789';
  const spellings = [
    secret,
    Buffer.from(secret).toString('hex'),
    Buffer.from(secret).toString('base64'),
    secret.replaceAll(/./g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`),
  ];
  const known = createMasker([secret]);
  for (const spelling of spellings) {
    const parts = Array.from({ length: spelling.length - 7 }, (_part, start) =>
      spelling.slice(start, start + 8),
    );
    for (const before of [0, 1, 7, 100, MAX_STORED_FIELDS_BYTES - 300, MAX_STORED_FIELDS_BYTES - 30]) {
      for (const text of [
        `${'-'.repeat(before)}${spelling}${'-'.repeat(1_000)}`,
        '-'.repeat(before) + `${spelling} `.repeat(MAX_STORED_FIELDS_BYTES / 8),
      ]) {
        const { fields } = historyRecord(
          { fields: { text }, outcome: { isSuccess: true, output: {} }, info, outputMismatch: [] },
          known,
        );
        const kept = JSON.stringify(fields['text']);
        expect(parts.filter((part) => kept.includes(part))).toEqual([]);
      }
    }
  }
});

test('of a large field that nobody has parsed the beginning is kept, masked', () => {
  const rows = Array.from({ length: 10_000 }, (_, id) => ({ id, text: 's3cret' }));
  const body = new LazyJson(Buffer.from(JSON.stringify(rows)));
  const outcome = { isSuccess: true, output: {} } as const;
  const { fields } = historyRecord(
    { fields: new FlaggedFields({}, { url: '/', body }), outcome, info, outputMismatch: [] },
    masker,
  );
  const text = JSON.stringify(fields);
  expect(text).not.toContain('s3cret');
  expect(text).toMatch(/^\{"url":"\/","body":\[\{"id":0,"text":"\*\*\*"\},.*,"\[cut: the rest\]"\]\}$/);
  expect(text.length).toBeLessThanOrEqual(MAX_STORED_FIELDS_BYTES);
});

test('of a large text that nobody has decoded the beginning is kept, masked', () => {
  // Only its beginning is JSON.
  const body = new LazyJson(Buffer.from(`"é s3cret ${'x'.repeat(500_000)}\\`));
  const fields = new FlaggedFields({}, { url: '/', body });
  const outcome = { isSuccess: true, output: {} } as const;
  const { fields: kept } = historyRecord({ fields, outcome, info, outputMismatch: [] }, masker);
  const text = JSON.stringify(kept);
  expect(text).toMatch(/^\{"url":"\/","body":"é \*\*\* x+ \[cut: the rest\]"\}$/);
  expect(Math.abs(text.length - MAX_STORED_FIELDS_BYTES)).toBeLessThan(100);
});

test('only what is kept of the fields is masked, and a little more', () => {
  let searched = 0;
  const counted = (text: string): string => {
    searched += text.length;
    return masker.text(text);
  };
  const fields = { list: Array.from({ length: 40 }, () => 'x'.repeat(2_000_000)) };
  historyRecord(
    { fields, outcome: { isSuccess: false, errorMessage: '' }, info, outputMismatch: [] },
    { ...masker, text: counted, json: () => expect.unreachable(), object: () => expect.unreachable() },
  );
  expect(searched).toBeGreaterThan(MAX_STORED_FIELDS_BYTES / 2);
  expect(searched).toBeLessThan(2 * MAX_STORED_FIELDS_BYTES);
});

test('a row stays far below the maximum size of a document', () => {
  const huge: JsonObject = { list: Array.from({ length: 400_000 }, () => 'long enough') };
  const record = historyRecord(
    { fields: huge, outcome: { isSuccess: true, output: huge }, info, outputMismatch: [] },
    masker,
  );
  expect(Buffer.byteLength(JSON.stringify(record))).toBeLessThan(
    2 * (MAX_STORED_FIELDS_BYTES + MAX_STORED_OUTPUT_BYTES),
  );
});
