import { createMasker } from '@fairlead/connector-runtime/value-masking';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { maskingInPlace } from '../../testing/tool-calls.ts';
import { showFields } from './show-fields.ts';

const inputSchema = {
  properties: { file: { format: 'file' }, pins: { items: { writeOnly: true } } },
};
const show = (fields: Parameters<typeof showFields>[3]) =>
  showFields({ outputMasker: maskingInPlace }, testContext(), { inputSchema }, fields, 1_000);

test('what is flagged is masked, and a file that was sent along is named', async () => {
  const shown = await show({ file: { name: 'a.txt', base64: 'aGk=' }, pins: ['pin-1', 'pin-2'], text: 'x' });
  expect(shown.secrets).toEqual(['pin-1', 'pin-2']);
  expect(shown.cut(1_000, createMasker([]))).toEqual({
    file: { name: 'a.txt', sizeBytes: 2 },
    pins: ['***', '***'],
    text: 'x',
  });
});

test('nothing is executed if nobody could tell in time what is secret in large fields', async () => {
  const pins = new LazyJson(Buffer.from(`["${'x'.repeat(70_000)}"]`));
  await expect(show({ pins })).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', retryAfterSeconds: 1 });
});
