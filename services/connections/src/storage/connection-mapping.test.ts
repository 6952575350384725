import { expect, test } from 'vitest';
import { shownFields } from '../domain/connection.ts';
import { shownText } from './connection-mapping.ts';

test.each([
  [{}, []],
  [{ host: 'h', extra: { a: [1, '"}'] } }, []],
  [{}, ['password', 'a "quoted" name']],
  [{ host: 'h' }, ['password']],
  [{ host: '"password":' }, ['password']],
  [{ password: 'it was a plain field', host: 'h' }, ['password']],
])('fields %j with the secrets %j are shown without being parsed', (fields, secretFields) => {
  const shown = shownText(JSON.stringify(fields), secretFields);
  expect(shown.parse()).toEqual(shownFields({ fields, secretFields }));
  expect(shown.text).not.toContain('it was');
});
