import { expect, test } from 'vitest';
import { sessionClient } from '../testing/clients.ts';
import { declares, isLogged } from './mcp-client.ts';

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

test('a message is logged from the least level on, if its level exists', () => {
  const logged = ['debug', 'info', 'emergency', 'loud', 7].map((level) => isLogged(level, 'info'));
  expect(logged).toEqual([false, true, true, false, false]);
  expect(isLogged('emergency', undefined)).toBe(false);
});
