import { expect, test } from 'vitest';
import { sessionClient } from '../testing/clients.ts';
import { declares, logLevelOf } from './mcp-client.ts';

test.each([
  [{}, false, false],
  [{ elicitation: {} }, true, false],
  [{ elicitation: { form: {} } }, true, false],
  [{ elicitation: { url: {} } }, false, true],
  [{ elicitation: { form: {}, url: {} } }, true, true],
  [{ elicitation: true }, false, false],
])('a client with the capabilities %j shows forms: %s, opens URLs: %s', (capabilities, form, url) => {
  const of = sessionClient({ capabilities });
  expect(declares(of, 'elicitation/create')).toBe(form);
  expect(declares(of, 'elicitation/create', 'url')).toBe(url);
});

test('sampling and roots are declared by name', () => {
  const of = sessionClient({ capabilities: { sampling: {}, roots: null } });
  expect(declares(of, 'sampling/createMessage')).toBe(true);
  expect(declares(of, 'roots/list')).toBe(false);
});

test('a level is one of the protocol', () => {
  expect([logLevelOf('warning'), logLevelOf('warn'), logLevelOf(4)]).toEqual([
    'warning',
    undefined,
    undefined,
  ]);
});
