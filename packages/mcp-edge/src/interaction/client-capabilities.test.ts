import { expect, test } from 'vitest';
import { canBeAsked, capabilitiesJson, capabilityBits, NO_CAPABILITIES } from './client-capabilities.ts';

const throughBits = (declared: unknown): unknown =>
  JSON.parse(Buffer.from(capabilitiesJson(capabilityBits(declared))).toString() || 'null');

test.each([
  [{ sampling: {} }, { sampling: {} }],
  [{ sampling: { tools: {}, context: {} } }, { sampling: { tools: {}, context: {} } }],
  [{ elicitation: {} }, { elicitation: { form: {} } }],
  [{ elicitation: { applyDefaults: true } }, { elicitation: { form: {} } }],
  [{ elicitation: { url: {} } }, { elicitation: { url: {} } }],
  [{ elicitation: { form: {}, url: {} } }, { elicitation: { form: {}, url: {} } }],
  [{ roots: { listChanged: true } }, { roots: { listChanged: true } }],
  [{ roots: { listChanged: false } }, { roots: {} }],
  [
    { tasks: { cancel: {}, requests: { elicitation: { create: {} } } }, experimental: { x: {} } },
    { tasks: { cancel: {}, requests: { elicitation: { create: {} } } } },
  ],
])('%j is declared as %j', (declared, expected) => {
  expect(throughBits(declared)).toEqual(expected);
});

test.each([undefined, null, 'sampling', [{}], {}, { sampling: null }, { elicitation: [] }, { roots: 'x' }])(
  '%j declares nothing',
  (declared) => {
    expect(capabilityBits(declared)).toBe(NO_CAPABILITIES);
    expect(capabilitiesJson(NO_CAPABILITIES)).toHaveLength(0);
  },
);

test('a client that only has tasks cannot be asked anything', () => {
  expect(canBeAsked(capabilityBits({ tasks: { list: {} } }))).toBe(false);
  for (const name of ['sampling', 'elicitation', 'roots'])
    expect(canBeAsked(capabilityBits({ [name]: {} }))).toBe(true);
});

test('the bits of a capability never change: sessions hold them', () => {
  expect(capabilityBits({ sampling: {}, elicitation: { form: {} }, roots: {} })).toBe(0b10_1001);
});
