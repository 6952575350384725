import { expect, it } from 'vitest';
import { MAX_HEADERS, MAX_HEADER_BYTES, withHeader, withHeaders } from './headers.ts';

it('replaces a header of the same name, in any case', () => {
  expect(withHeader({ 'x-a': '1' }, 'X-A', '2')).toEqual({ 'x-a': '2' });
});

it('takes headers only up to their maximum number', () => {
  let taken = 0;
  function* endless(): Generator<readonly [string, string]> {
    for (;;) yield [`x-${(taken += 1)}`, 'y'];
  }
  expect(() => withHeaders({ accept: '*/*' }, endless())).toThrow('at most 100 headers');
  expect(taken).toBe(MAX_HEADERS);
});

it('limits the size of all headers together', () => {
  const half = 'y'.repeat(MAX_HEADER_BYTES / 2);
  expect(Object.keys(withHeader({ a: half.slice(1) }, 'b', half.slice(1)))).toEqual(['a', 'b']);
  expect(() => withHeader({ a: half }, 'b', half)).toThrow('at most 32 KiB together');
});

it('keeps a header called __proto__ as a header', () => {
  expect(Object.entries(withHeader({}, '__proto__', 'x'))).toEqual([['__proto__', 'x']]);
});

it.each(['a\nb', 'a\r\nb: c', 'a\0b', '€'])('refuses the value %j', (value) => {
  expect(() => withHeader({}, 'x-a', value)).toThrow('characters');
});

it.each(['a b', 'a:b', '', 'a\n'])('refuses the name %j', (name) => {
  expect(() => withHeader({}, name, 'x')).toThrow('not a header name');
});

it.each(['Host', 'Content-Length', 'transfer-encoding', 'Proxy-Authorization', 'Connection'])(
  'refuses %s, which is the client’s own',
  (name) => {
    expect(() => withHeader({}, name, 'x')).toThrow('cannot be set');
  },
);
