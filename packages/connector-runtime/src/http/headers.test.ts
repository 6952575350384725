import { expect, it } from 'vitest';
import { withHeader } from './headers.ts';

it('replaces a header of the same name, in any case', () => {
  expect(withHeader({ 'x-a': '1' }, 'X-A', '2')).toEqual({ 'x-a': '2' });
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
