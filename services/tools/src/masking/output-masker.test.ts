import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';
import { expect, it } from 'vitest';
import type { JsonObject } from '@fairlead/connector-model/json';
import { createMasker } from '@fairlead/connector-runtime/value-masking';
import { createOutputMasker } from './output-masker.ts';

const SECRET = 'the-secret';
const LARGE = { note: SECRET, text: 'x'.repeat(70_000) };
const o = { accountId: 'a', signal: new AbortController().signal, timeoutMs: 1_000 };

const bytesOf = (text: string) => new LazyJson(Buffer.from(text));

/** A masker whose workers give these answers; collects their requests. */
function maskerWith(answer: (asked: LazyJson) => LazyJson | undefined) {
  const asked: LazyJson[] = [];
  const collected: unknown[] = [];
  const masker = createOutputMasker({
    mask: (_account, object) => {
      asked.push(object);
      return Promise.resolve(answer(object));
    },
    finish: () => Promise.resolve(undefined),
    collectSecrets: (_account, ...what) => {
      collected.push(what);
      return Promise.resolve([SECRET]);
    },
  });
  const secretsOf = (schema: JsonObject, fields: LazyObject) => masker.secretsOf(schema, fields, o);
  return {
    asked,
    collected,
    secretsOf,
    mask: (value: Parameters<typeof masker.mask>[0]) => masker.mask(value, createMasker([SECRET]), o),
  };
}

it('masks a small output in place, and has no JSON of it', async () => {
  const { asked, mask } = maskerWith(() => undefined);
  expect(await mask({ note: SECRET, text: '' })).toEqual({
    value: { note: '***', text: '' },
    json: undefined,
  });
  expect(asked).toEqual([]);
});

it('a large output without a secret is the same value, with its JSON', async () => {
  const { asked, mask } = maskerWith((json) => json);
  const masked = await mask(LARGE);
  expect(masked?.value).toBe(LARGE);
  expect(masked?.json).toBe(asked[0]);
  expect(asked).toEqual([bytesOf(JSON.stringify(LARGE))]);
});

it('a large output is sent to the worker without parsing what is deferred in it', async () => {
  const { asked, mask } = maskerWith((json) => json);
  const body = `["${'x'.repeat(70_000)}"]`;
  await mask({ note: '', text: '', fields: { body: new LazyJson(Buffer.from(body)) } });
  expect(asked).toEqual([bytesOf(`{"note":"","text":"","fields":{"body":${body}}}`)]);
});

it('a large output with a secret is what the worker made of it', async () => {
  const { mask } = maskerWith(({ text }) => bytesOf(text.replaceAll(SECRET, '***')));
  const masked = await mask(LARGE);
  expect(masked?.value).toEqual({ ...LARGE, note: '***' });
  expect(masked?.json?.text).not.toContain(SECRET);
});

it('there is no output if no worker masks it', async () => {
  expect(await maskerWith(() => undefined).mask(LARGE)).toBeUndefined();
});

it('what a schema flags in large fields is collected by a worker, of which nothing is parsed here', async () => {
  const { collected, secretsOf } = maskerWith(() => undefined);
  const schema = { properties: { list: { items: { writeOnly: true } } } };
  const large = { list: new LazyJson(Buffer.from('[no JSON'.padEnd(70_000))) };
  expect(await secretsOf(schema, large)).toEqual([SECRET]);
  expect(collected).toEqual([[schema, large, expect.anything()]]);
  expect(await secretsOf({}, large)).toEqual([]);
  expect(await secretsOf(schema, { list: new LazyJson(Buffer.from('["small"]')) })).toEqual(['small']);
  expect(collected).toHaveLength(1);
});
