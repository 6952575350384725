import { expect, it } from 'vitest';
import { originHeaders, originOf } from './events.ts';

it.each([
  ['nothing', {}],
  ['a request', { requestId: 'r1', traceparent: '00-1-2-01' }],
  ['a request whose canaries are chosen', { requestId: 'r1', canaries: ['tools', 'catalog'] }],
  ['a request that goes to stable everywhere', { canaries: [] }],
])('the origin of an event is carried: %s', (_case, origin) => {
  expect(originOf(originHeaders(origin))).toEqual(origin);
});

it('without headers there is no origin', () => {
  expect(originOf(undefined)).toEqual({});
});
